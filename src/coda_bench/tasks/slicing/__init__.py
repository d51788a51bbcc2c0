"""Slicing: which statements of a notebook a displayed value may come from.

A slice is a proposal: no static analysis of Python is sound, so it is run again, and widened where it does not hold.
"""
