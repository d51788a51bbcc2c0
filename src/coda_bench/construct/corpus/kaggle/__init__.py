"""Downloads from Kaggle at pinned versions, into a folder that is read as a corpus."""
