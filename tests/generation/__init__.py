"""Answers made from golds: spellings that mean the same, and changes that make them wrong."""
