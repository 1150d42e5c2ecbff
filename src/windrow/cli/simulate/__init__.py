"""`windrow simulate PLAN`: a plan tried before it is paid for.

`command` is the command, `arguments` reads what it is given, `runs` does it for every seed; `text`
tells what came out, `picture` draws it.
"""

from windrow.cli.simulate.command import simulate

__all__ = ["simulate"]
