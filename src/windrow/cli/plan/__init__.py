"""`windrow plan`: the smallest topology for some sources, and how to get there from another one.

`command` is the command and `options` what it is given; `arguments`, `senders` and `nodes` read
it, in the words of `wording` where something is wrong.  `outcome` is what is told: as text by
`text`, `proofs` and `tree`, to programs by `data`, drawn by `picture`.
"""

from windrow.cli.plan.command import plan

__all__ = ["plan"]
