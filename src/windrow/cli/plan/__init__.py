"""`windrow plan`: the smallest topology for some sources, and how to get there from another one.

`command` is the command and `options` what it is given; `arguments`, `senders` and `nodes` read
it, and `wording` phrases errors.  `outcome` is the result: printed by `text` and `proofs`, as JSON
by `data`, drawn by `picture`.
"""

from windrow.cli.plan.command import plan

__all__ = ["plan"]
