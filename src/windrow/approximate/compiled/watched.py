"""What a compiled policy sees of buckets: aggregates of all updates, the first, and the others.

A view is what predicates are asked about; views of neighbours make one.  A window that time ends
needs no policy of a user's: how far apart its first and its last update are is enough.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from windrow.algebra.numeric import INT, Dtypes, State
from windrow.compiler.jit import define
from windrow.kernels.cells import read_int
from windrow.kernels.operator import Operator, items
from windrow.kernels.policy import JudgeCode

__all__ = ["WatchCode", "nothing_watched", "policy_watched", "time_watched"]

_LAST, _FIRST = (1 << 63) - 1, -(1 << 63)


class WatchCode(NamedTuple):
    """What a bucket keeps for a policy, and the predicates; `window` is where its settings are."""

    state: Dtypes
    identity: State
    lift: Any  # lift(columns, masks, row) → the state of one update
    combine: Any  # combine(older, newer, older_size, newer_size) → state; none is empty
    nothing: Any  # the view of no update
    whole: Any  # whole(state, size) → the view of all of a bucket, which may be empty
    first: Any  # first(state) → that of its first update
    others: Any  # others(state) → and that of all others
    join: Any  # join(older, newer) → one view of two
    keeps: Any  # keeps(window, view) → bool
    condemns: Any  # condemns(evicted, after, before) → bool
    drops: bool  # whether `condemns` is worth asking
    looks_before: bool = False  # whether it looks at what there was before


def nothing_watched() -> WatchCode:
    """No policy."""

    def lift(columns: Any, masks: Any, row: Any) -> Any:
        return ()

    def unused(*arguments: Any) -> Any:
        return ()

    return WatchCode((), (), lift, unused, (), unused, unused, unused, unused, None, None, False)


def time_watched(column: int, duration: Any) -> WatchCode:
    """Updates stay that are less than a duration older than the newest; times never go back.

    The times of a bucket's first, second and last update are kept; `duration` is the cell of the
    window that tells how long it is.
    """

    def lift(columns: Any, masks: Any, row: Any) -> Any:
        time = columns[column][row]
        return (time, time, time)

    def combine(older: Any, newer: Any, older_size: Any, newer_size: Any) -> Any:
        return (older[0], older[1] if older_size > 1 else newer[0], newer[2])

    def whole(state: Any, size: Any) -> Any:
        return (state[0], state[2]) if size > 0 else (_LAST, _FIRST)

    def first(state: Any) -> Any:
        return (state[0], state[0])

    def others(state: Any) -> Any:
        return (state[1], state[2])

    def join(older: Any, newer: Any) -> Any:
        return (min(older[0], newer[0]), max(older[1], newer[1]))

    def keeps(window: Any, view: Any) -> Any:
        # The ends of time are further apart than a number reaches.
        apart = view[1] - view[0]
        return 0 <= apart < read_int(window, duration)

    def condemns(evicted: Any, after: Any, before: Any) -> Any:
        return False

    return WatchCode(
        state=(INT, INT, INT),
        identity=(0, 0, 0),
        lift=lift,
        combine=combine,
        nothing=(_LAST, _FIRST),
        whole=whole,
        first=first,
        others=others,
        join=join,
        keeps=keeps,
        condemns=condemns,
        drops=False,
    )


def policy_watched(
    operator: Operator, judge: JudgeCode, places: Sequence[int], *, looks_before: bool
) -> WatchCode:
    """A user's policy, whose aggregates are one operator; it reads the columns at these places."""
    number = len(operator.state)
    nothing = operator.identity
    join, lift_inner = operator.combine, operator.lift
    keeps_view, condemns = judge.keeps, judge.condemns

    def picked(start: int) -> Callable[..., Any]:
        own = items(f"state[{k}]" for k in range(start, start + number))
        return define("picked", f"def picked(state): return ({own})")

    whole_of, first, others = picked(0), picked(number), picked(2 * number)
    flat = items(f"{name}[{k}]" for name in ("all", "first", "others") for k in range(number))
    together = define("together", f"def together(all, first, others): return ({flat})")
    read = define(
        "read",
        f"def read(columns): return ({items(f'columns[{place}]' for place in places)})",
    )

    def lift(columns: Any, masks: Any, row: Any) -> Any:
        state = lift_inner(read(columns), read(masks), row)
        return together(state, state, nothing)

    def combine(older: Any, newer: Any, older_size: Any, newer_size: Any) -> Any:
        fresh = whole_of(newer)
        return together(join(whole_of(older), fresh), first(older), join(others(older), fresh))

    def whole(state: Any, size: Any) -> Any:
        return whole_of(state)

    def keeps(window: Any, view: Any) -> Any:
        return keeps_view(view)

    return WatchCode(
        state=operator.state * 3,
        identity=nothing * 3,
        lift=lift,
        combine=combine,
        nothing=nothing,
        whole=whole,
        first=first,
        others=others,
        join=join,
        keeps=keeps,
        condemns=condemns,
        drops=judge.drops,
        looks_before=looks_before,
    )
