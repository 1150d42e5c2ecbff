"""`windrow plan`: the smallest topology for some sources, and how to get there from another one.

`command` is the command and its options, which `arguments` reads; `wording` phrases errors.
`outcome` is the result: told by `text` and `proofs`, drawn by `picture`.
"""

from windrow.cli.plan.command import plan

__all__ = ["plan"]
