"""The holder: the process that keeps one sandbox's namespaces and runs its commands.

It is started afresh for every sandbox, from a harness that has threads, and drops every privilege it has.
It imports the standard library only, and little of it: its start is the start of a sandbox.
"""
