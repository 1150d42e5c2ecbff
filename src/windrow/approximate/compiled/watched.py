"""What a compiled policy sees of buckets: aggregates of all updates, the first, and the others.

A window that time ends needs no policy of a user's: how far apart its first and its last update are
is enough.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from windrow.algebra.numeric import INT, Dtypes, State
from windrow.approximate.sliding import PolicyCode
from windrow.compiler.jit import define
from windrow.kernels.cells import read_int
from windrow.kernels.operator import Operator, items
from windrow.kernels.policy import JudgeCode

__all__ = ["WatchCode", "nothing_watched", "policy_watched", "time_watched"]

_LAST, _FIRST = (1 << 63) - 1, -(1 << 63)


class WatchCode(NamedTuple):
    """What a bucket keeps for a policy."""

    state: Dtypes
    identity: State
    lift: Any  # lift(columns, masks, row) → the state of one update
    combine: Any  # combine(older, newer, older_size, newer_size) → state; none is empty
    policy: PolicyCode | None


def nothing_watched() -> WatchCode:
    """No policy."""

    def nothing(*arguments: Any) -> Any:
        return ()

    return WatchCode((), (), nothing, nothing, None)


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

    def never(*arguments: Any) -> Any:
        return False

    nothing = (_LAST, _FIRST)
    policy = PolicyCode(nothing, whole, first, others, join, keeps, never, False, never)
    return WatchCode((INT, INT, INT), (0, 0, 0), lift, combine, policy)


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

    def looked_before() -> Any:
        return looks_before

    policy = PolicyCode(
        nothing, whole, first, others, join, keeps, condemns, judge.drops, looked_before
    )
    return WatchCode(operator.state * 3, nothing * 3, lift, combine, policy)
