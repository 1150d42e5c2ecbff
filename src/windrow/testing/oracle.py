"""The oracle of a query: recompute every window from its rows, by the definition of its kind.

Plain Python over plain rows, as slow as it looks: nothing is shared with the engines it judges,
save the definitions of windows and aggregates themselves.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from windrow.algebra.aggregate import TIME, Aggregate, Product, as_aggregation
from windrow.arguments import member, shown
from windrow.columnar.digits import exactly
from windrow.errors import InputError
from windrow.testing import given
from windrow.testing.given import Row
from windrow.testing.instants import moment_of, since_epoch
from windrow.testing.membership import Found, windows_at_rows, windows_over_rows
from windrow.testing.recompute import fold
from windrow.windows import Emit, Order, Window

__all__ = ["expected"]


def expected(
    rows: Iterable[Row],
    *,
    time: str,
    aggregates: Mapping[str, Aggregate[Any]],
    by: str | Sequence[str] = (),
    window: Window | None = None,
    windows: Mapping[str, Window] | None = None,
    keep: str | Sequence[str] = (),
    order: Order | str = Order.TIME,
    emit: Emit | str = Emit.ON_CLOSE,
) -> list[dict[str, Any]]:
    """The results that a query over these rows must give, once all windows are closed.

    `rows` are dicts in order of arrival.  The other arguments are those of the query, with columns
    by name, and either `window` or `windows`.  Times are datetimes, all with a zone or all without;
    computed ones are in UTC.  With `Emit.ON_CHANGE` there are also results of count and punctuated
    windows that the data has not ended.  Several windows with a result for each row give a dict for
    each window, under its name.  Aggregates with a bound (`within`) give the exact result, which
    their intervals must contain.  There is no watermark: no row is late, and a late row may still
    extend a session that a stream would have closed.

    >>> from datetime import datetime
    >>> from windrow import agg, window
    >>> rows = [{"at": datetime(2024, 7, 1, 12, minute), "v": minute} for minute in (1, 4, 9)]
    >>> for row in expected(
    ...     rows, time="at", window=window.trailing("5 min"), aggregates={"sum": agg.sum("v")}
    ... ):
    ...     print(row["at"].minute, row["sum"])
    1 1
    4 5
    9 9
    """
    order, emit = member(Order, order, "order"), member(Emit, emit, "emit")
    timed = {name: _timed(part, time) for name, part in _by_name(aggregates).items()}
    query = _Query(
        given.name(time, "time"), given.names(by, "by"), given.names(keep, "keep"), timed
    )
    definitions = [
        (name, one.reading(lambda _, marker: marker, lambda _, part: _timed(part, time)))
        for name, one in _either(window, windows)
    ]
    found = given.rows(rows, "rows")
    given.require_columns(found, (time,), "time")
    given.require_columns(found, query.by, "by")
    given.require_columns(found, query.keep, "keep")
    given.require_times(found, time)
    answers: list[dict[str, Any]] = []
    for group in _groups([row for row in found if row[time] is not None], query.by):
        applied = sorted(group, key=query.time_of) if order is Order.TIME else group
        with exactly():  # Python would round decimals to 28 digits
            answers += query.all_answers(definitions, applied, emit)
    return answers


@dataclass(frozen=True)
class _Query:
    """What is asked of the rows of each key."""

    time: str
    by: tuple[str, ...]
    keep: tuple[str, ...]
    aggregates: dict[str, Aggregate[Any]]

    def time_of(self, row: Row) -> int:
        return since_epoch(row[self.time])

    def all_answers(
        self, windows: Sequence[tuple[str | None, Window]], rows: list[Row], emit: Emit
    ) -> Iterator[dict[str, Any]]:
        """The answers of all windows: beside each other where each row has one, else by name."""
        if windows[0][1].per_row:
            found = [self._at_rows(window, rows) for _, window in windows]
            for row, *results in zip(rows, *found, strict=True):
                shown = {name: row[name] for name in (self.time, *self.by, *self.keep)}
                for (name, _), own in zip(windows, results, strict=True):
                    shown |= own if name is None else {name: own}
                yield shown
            return
        for name, window in windows:
            named = {} if name is None else {self.free("name"): name}
            for answer in self._over_rows(window, rows, emit):
                yield named | answer

    def _at_rows(self, window: Window, rows: list[Row]) -> Iterator[dict[str, Any]]:
        # A clock never goes back: a row that arrives late comes at the latest time so far.
        clock = list(accumulate((self.time_of(row) for row in rows), max))
        for places in windows_at_rows(window, clock, rows):
            yield self._results([rows[p] for p in places])

    def _over_rows(self, window: Window, rows: list[Row], emit: Emit) -> Iterator[dict[str, Any]]:
        times = [self.time_of(row) for row in rows]
        begun, nth = None, 0
        for found in windows_over_rows(window, times, rows):
            nth = nth + 1 if found.start == begun else 0
            begun = found.start
            if found.ended or emit is Emit.ON_CHANGE:
                shown = {self.free("window"): self._bounds(window, found, nth, rows[0])}
                shown |= {name: rows[0][name] for name in self.by}
                yield shown | self._results([rows[p] for p in found.places])

    def free(self, column: str) -> str:
        """Our name for a column, which gives way to those that the query names."""
        given = {name.casefold() for name in (*self.by, *self.aggregates)}
        while column in given:
            column += "_"
        return column

    def _bounds(self, window: Window, found: Found, nth: int, like: Row) -> dict[str, Any]:
        ends = {"start": found.start, "end": found.end}
        bounds: dict[str, Any] = {
            side: moment_of(time_us, like[self.time]) for side, time_us in ends.items()
        }
        numbers = {"first": found.places[0], "last": found.places[-1], "nth": nth}
        return bounds | {name: numbers[name] for name in window.numbers}

    def _results(self, rows: Sequence[Row]) -> dict[str, Any]:
        return {name: _as_row(fold(part, rows)) for name, part in self.aggregates.items()}


def _groups(rows: Iterable[Row], by: Sequence[str]) -> Iterable[list[Row]]:
    """The rows of each key, in the order of arrival; null is a key like any other."""
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(_as_key(row[name]) for name in by), []).append(row)
    return groups.values()


def _as_key(value: Any) -> Any:
    """What identifies a key: NaN is one key, and 0.0 equals -0.0."""
    if isinstance(value, Mapping):
        return tuple(map(_as_key, value.values()))
    if isinstance(value, list | tuple):
        return tuple(map(_as_key, value))
    return value if value == value else "not a number"


def _as_row(result: Any) -> Any:
    """A result as an engine's rows show it: a named tuple is a struct, so a dict."""
    return result._asdict() if hasattr(result, "_asdict") else result


def _by_name(aggregates: object) -> Mapping[str, Aggregate[Any]]:
    """The aggregates of a query, each by the name of its result."""
    parts = as_aggregation(aggregates, "aggregates")
    if not isinstance(parts, Product):
        raise InputError(
            f"aggregates={shown(aggregates)} has no names of results; name each, as in "
            '{"n": agg.count()}'
        )
    return dict(parts.parts)


def _timed(aggregate: Aggregate[Any], time: str) -> Aggregate[Any]:
    """The aggregate with the event time by the name of its column."""
    columns = tuple(time if column is TIME else column for column in aggregate.columns)
    return replace(aggregate, columns=columns)


def _either(
    window: Window | None, windows: Mapping[str, Window] | None
) -> Sequence[tuple[str | None, Window]]:
    """The windows with their names; one alone has none."""
    if (window is None) == (windows is None):
        raise InputError(
            f"window={shown(window)} and windows={shown(windows)}: exactly one must be given; "
            "say window=window.tumbling(...) or windows={'short': ..., 'long': ...}"
        )
    if windows is None:
        found: list[tuple[str | None, Any]] = [(None, window)]
    elif isinstance(windows, Mapping) and windows:
        found = [*windows.items()]
    else:
        raise InputError(
            f"windows={shown(windows)} names no windows; say windows={{'short': ..., 'long': ...}}"
        )
    for name, one in found:
        if not isinstance(one, Window):
            argument = "window" if name is None else name
            raise InputError(f"{argument}={shown(one)} is no window; use one of windrow.window")
    return found
