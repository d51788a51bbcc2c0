"""The programs that run in containers: standard library only; of the harness's they use the holder's parts alone."""
