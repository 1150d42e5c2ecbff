"""Which rows are in which window, kind by kind, as the definitions say it.

Each function here takes the rows of one key in the order in which they apply, and names rows by
their places in it: 0, 1, 2, …
"""

from collections import namedtuple
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

from windrow.arguments import shown
from windrow.errors import InputError
from windrow.testing.given import require_columns
from windrow.testing.recompute import fold
from windrow.windows import (
    Aligned,
    Closed,
    Count,
    Policy,
    Punctuated,
    Session,
    Ties,
    TrailingRows,
    TrailingTime,
    Window,
)

__all__ = ["Found", "windows_at_rows", "windows_over_rows"]

Rows: TypeAlias = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Found:
    """One window: its bounds in microseconds, its rows, and whether the data has ended it."""

    start: int
    end: int
    places: Sequence[int]
    ended: bool = True


@singledispatch
def windows_over_rows(window: Window, times: Sequence[int], rows: Rows) -> Iterator[Found]:
    """The windows that hold any of the rows; each kind of window registers its own way."""
    raise InputError(f"window={shown(window)}: say what is in it, by windows_over_rows.register")


@singledispatch
def windows_at_rows(window: Window, times: Sequence[int], rows: Rows) -> Iterator[Sequence[int]]:
    """For each row in turn, the places in its window; times must not fall."""
    raise InputError(f"window={shown(window)}: say what is in it, by windows_at_rows.register")


@windows_over_rows.register
def _aligned(window: Aligned, times: Sequence[int], _: Rows) -> Iterator[Found]:
    starts = {start for time in times for start in _starts_around(window, time)}
    for start in sorted(starts):
        end = start + window.size_us
        yield Found(start, end, [p for p, time in enumerate(times) if start <= time < end])


def _starts_around(window: Aligned, time: int) -> Iterator[int]:
    # The last start at or before the time, and those before it that still reach the time.
    start = (time - window.offset_us) // window.every_us * window.every_us + window.offset_us
    while time < start + window.size_us:
        yield start
        start -= window.every_us


@windows_over_rows.register
def _sessions(window: Session, times: Sequence[int], _: Rows) -> Iterator[Found]:
    # A clock never goes back: a row that arrives late comes at the latest time so far.
    clock = list(accumulate(times, max))
    firsts = [p for p in range(len(times)) if not p or clock[p] - clock[p - 1] > window.gap_us]
    for first, end in pairwise([*firsts, len(times)]):
        own = times[first:end]
        yield Found(min(own), max(own) + window.gap_us, range(first, end))


@windows_over_rows.register
def _counts(window: Count, times: Sequence[int], _: Rows) -> Iterator[Found]:
    for first in range(0, len(times), window.every):
        places = range(first, min(first + window.size, len(times)))
        yield Found(times[first], times[places[-1]], places, ended=len(places) == window.size)


@windows_over_rows.register
def _punctuated(window: Punctuated, times: Sequence[int], rows: Rows) -> Iterator[Found]:
    def between(places: list[int], *, ended: bool) -> Found:
        return Found(times[places[0]], times[places[-1]], places, ended)

    inside: list[int] = []
    for place, row in enumerate(rows):
        starts, ends = _marked(row, window.start), _marked(row, window.end)
        if inside and starts:
            yield between(inside, ended=True)
            inside = []
        if inside or starts or window.start is None:
            inside = [*inside, place]
        if inside and ends:
            yield between(inside, ended=True)
            inside = []
    if inside:
        yield between(inside, ended=False)


def _marked(row: Mapping[str, Any], marker: Any) -> bool:
    if marker is None:
        return False
    if not isinstance(marker, str):
        raise InputError(
            f"marker={shown(marker)} is a column expression, which plain rows cannot answer; "
            "name a boolean column of the rows"
        )
    require_columns((row,), (marker,), "marker")
    return row[marker] is True


@windows_at_rows.register
def _last_rows(window: TrailingRows, _: Sequence[int], rows: Rows) -> Iterator[Sequence[int]]:
    return (range(max(0, n - window.rows), n) for n in range(1, len(rows) + 1))


@windows_at_rows.register
def _last_time(window: TrailingTime, times: Sequence[int], _: Rows) -> Iterator[Sequence[int]]:
    return (_around(window, times, newest) for newest in range(len(times)))


def _around(window: TrailingTime, times: Sequence[int], place: int) -> Sequence[int]:
    now = times[place]
    start = now - window.duration_us
    match window.closed:
        case Closed.RIGHT:
            held = [p for p, time in enumerate(times) if start < time <= now]
        case Closed.LEFT:
            held = [p for p, time in enumerate(times) if start <= time < now]
        case Closed.BOTH:
            held = [p for p, time in enumerate(times) if start <= time <= now]
        case Closed.NEITHER:
            held = [p for p, time in enumerate(times) if start < time < now]
    # Rows further on can only be of the same time.
    return held if window.ties is Ties.TOGETHER else [p for p in held if p <= place]


@windows_at_rows.register
def _slid(window: Policy, _: Sequence[int], rows: Rows) -> Iterator[Sequence[int]]:
    first = 0
    for newest in range(len(rows)):
        first += _leaving(window, rows[first : newest + 1])
        yield range(first, newest + 1)


def _leaving(policy: Policy, held: Rows) -> int:
    """How many of the oldest rows go: what `keep` refuses and what `drop` condemns."""
    see = _Views(policy)
    keep, drop = policy.keep, policy.drop
    kept = [p for p in range(len(held)) if keep is None or keep(see(held[p:]))]
    condemned = [
        p
        for p in range(1, len(held))
        if drop is not None and drop(see(held[:p]), see(held[p:]), see(held))
    ]
    return max(kept[0] if kept else len(held), condemned[-1] if condemned else 0)


class _Views:
    """What the predicates of a policy see of some rows: an attribute for each aggregate."""

    def __init__(self, policy: Policy) -> None:
        self._using = dict(policy.using)
        self._view: Any = namedtuple("View", list(self._using))  # type: ignore[misc]

    def __call__(self, rows: Rows) -> Any:
        results = {name: fold(part, rows) for name, part in self._using.items()}
        return self._view(
            **{
                name: self._using[name].monoid.neutral if result is None else result
                for name, result in results.items()
            }
        )
