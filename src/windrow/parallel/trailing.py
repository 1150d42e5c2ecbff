"""What wide trailing windows cost, by formula: each unit has a block of consecutive rows.

A result is a suffix of the block left behind, states of whole blocks, and a prefix of the own
block; so a row is sent two or three times, however wide windows are.
"""

from windrow.parallel.counts import Counts, Load
from windrow.parallel.workload import require_whole

__all__ = ["trailing_counts"]


def trailing_counts(rows: int, reach: int, units: int) -> Counts:
    """Windows of a row and `reach` rows before it; copies are rows and states of blocks.

    Exact where units have equally many rows, save that windows at the beginning are shorter.

    >>> half = trailing_counts(rows=64_000, reach=32_000, units=64)
    >>> half.busiest.lifts / (64_000 / 64)
    1.999
    """
    for name, value, least in (("rows", rows, 1), ("reach", reach, 0), ("units", units, 1)):
        require_whole(value, name, least)
    block = rows / units
    blocks, rest = divmod(reach, block)
    # A window that begins where a block does takes its state: the first row need not be sent.
    whole_one = max(block - 1, 0.0)
    if blocks >= units or units == 1:  # nothing is ever left behind
        behind, spread = 0.0, 0.0
    elif not blocks:
        behind, spread = rest, (units - 1) * rest
    elif not rest:
        behind, spread = whole_one, (units - blocks) * whole_one
    else:  # windows of one unit begin in two blocks
        behind = whole_one + (rest if blocks + 1 < units else 0)
        spread = (units - blocks - 1) * (whole_one + rest) + whole_one
    sent = block + behind
    states = min(blocks, units - 1)
    combines = 2 * block + sent + states
    return Counts(
        Load(lifts=rows + spread, combines=units * combines, copies=rows + spread + units * states,
             results=rows, memory=rows + spread),
        Load(lifts=sent, combines=combines, copies=sent + states, results=block, memory=sent),
        at_once=units,
    )  # fmt: skip
