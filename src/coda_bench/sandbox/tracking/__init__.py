"""Tracking for programs that are not run by this harness: on the host, and inside a Python process."""
