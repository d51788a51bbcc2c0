"""Seeing which files a command opens: by inotify on an overlay of its own, or by seccomp notification."""
