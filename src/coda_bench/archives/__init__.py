"""Archives of a release: fetched, checked, extracted and packed."""
