"""`python -m coda_bench.cli`: the umbrella command where its script is not on the path."""

from coda_bench.cli.main import main

main()
