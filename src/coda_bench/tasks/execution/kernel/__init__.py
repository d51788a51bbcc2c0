"""The program that runs cells inside a sandbox: standard library only, sent there as text, never run on the host."""
