"""`windrow tune SAMPLE`: what approximate windows cost on a sample, and which to take.

`command` is the command, `arguments` reads what it is given, `sample` the rows; `findings` tries
all settings; `text` tells what came out, in the words of `naming`; `plot` draws it.
"""

from windrow.cli.tune.command import tune

__all__ = ["tune"]
