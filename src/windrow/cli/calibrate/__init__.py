"""`windrow calibrate`: what a unit of work costs on this machine, kept for later queries.

`command` is the command, `aggregates` measures lifts and combines of the catalogue in this process,
`pipeline` what Spark takes for rows and stages.
"""

from windrow.cli.calibrate.command import calibrate

__all__ = ["calibrate"]
