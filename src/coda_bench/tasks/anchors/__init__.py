"""Anchors: which results of a notebook can be asked for, and why the others cannot."""
