"""Construction: from a corpus of notebooks and data sets to communities laid out on disk."""
