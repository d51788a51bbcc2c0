"""Proofs: slices run again and again on the files they need, until it is shown that nothing else decides the result."""
