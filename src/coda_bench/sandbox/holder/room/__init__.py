"""The room that all commands of a sandbox share: its namespaces, its root file system, its writable parts."""
