"""A small benchmark built from data sets that installed packages ship."""
