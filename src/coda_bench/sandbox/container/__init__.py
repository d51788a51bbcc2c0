"""Sandboxes in containers of Docker or Podman: the same guarantees and records as bubblewrap's.

Two containers an attempt, without network: one in which commands run, one that watches the files they open. The
programs in them are this package's `inside/`; they are sent through a socket and lie on no disk in there.
"""
