"""`python -m windrow.cli` is `windrow`."""

from windrow.cli import main

main(prog_name="windrow")
