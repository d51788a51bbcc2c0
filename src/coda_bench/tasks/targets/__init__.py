"""Targets of tasks that come without any: the files that their reference programs read."""
