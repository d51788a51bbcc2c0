"""Start, execute, read, close: an isolated place for one attempt, and the record of the files it touched."""
