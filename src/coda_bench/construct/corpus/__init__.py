"""Corpora: what notebooks there are and which data sets each uses, from one source or another, in the same tables."""
