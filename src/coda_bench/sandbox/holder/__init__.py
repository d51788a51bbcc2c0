"""The holder: the process that keeps one sandbox's namespaces and runs its commands.

It is started afresh for every sandbox, from a harness that has threads, and drops every privilege it has.
It therefore imports the standard library only and its modules import one another relatively: the package is
put on the path by itself, without `coda_bench` and what that imports.
"""
