"""What the tests of rolling share: windows by definition, drawn columns, comparable results."""

from collections.abc import Iterable, Sequence
from math import inf, nan
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from windrow.algebra.aggregate import TIME, Aggregate
from windrow.algebra.lookup import registered
from windrow.algebra.monoid import Kind
from windrow.algebra.registry import Takes
from windrow.testing import fold
from windrow.testing.closeness import close, magnitude
from windrow.windows import Closed, Order, Ties, TrailingRows, TrailingTime

NUMBERS = (
    Takes.ANYTHING,
    Takes.NUMBERS,
    Takes.QUANTITIES,
    Takes.POSITIONS,
    Takes.NUMBER_PAIRS,
)

# What their results are has no type in Arrow.
ONLY_OBJECTS = {"bloom"}


def taking(*kinds: Takes) -> dict[str, Aggregate[Any]]:
    """Every aggregate of the catalogue for such values, reading the columns v, w and the time."""
    return {
        name: reading(entry.example.monoid)
        for name, entry in registered().items()
        if entry.takes in kinds and name not in ONLY_OBJECTS
    }


def reading(monoid: Any) -> Aggregate[Any]:
    """The aggregate of a monoid over the columns v and w and the time."""
    named = {"taken": "v", "by": "w", "time": TIME}
    return Aggregate(monoid, tuple(named.get(name, "v") for name in monoid.inputs))


Table = dict[str, list[Any]]


def rows_of(table: Table, aggregate: Aggregate[Any], rows: Iterable[int]) -> list[Any]:
    """What the aggregate is inserted for these rows."""
    names = ["time" if column is TIME else column for column in aggregate.columns]
    if len(names) == 1:
        return [table[names[0]][row] for row in rows]
    return [tuple(table[name][row] for name in names) for row in rows]


def window_at(
    row: int,
    window: TrailingRows | TrailingTime,
    times: Sequence[int] = (),
    keys: Sequence[Any] | None = None,
    order: Order = Order.ARRIVAL,
) -> list[int]:
    """The rows in the window of one row, by definition."""
    rows: list[int] = list(range(row + 1 if not times else len(times)))
    if order is Order.TIME:
        rows.sort(key=lambda r: (times[r], r))
    if keys is not None:
        rows = [r for r in rows if alike(keys[r], keys[row])]
    if isinstance(window, TrailingTime) and window.ties is Ties.TOGETHER:
        seen = [r for r in rows if times[r] <= times[row]]
    else:
        seen = rows[: rows.index(row) + 1]
    if isinstance(window, TrailingRows):
        return seen[-window.rows :]
    end, start = times[row], times[row] - window.duration_us
    return [
        r
        for r in seen
        if (start < times[r] < end)
        or (times[r] == start and window.closed in (Closed.LEFT, Closed.BOTH))
        or (times[r] == end and window.closed in (Closed.RIGHT, Closed.BOTH))
    ]


def alike(one: Any, other: Any) -> bool:
    """Whether two keys are one: NaN is NaN, null is null, 0.0 is -0.0."""
    if isinstance(one, tuple):
        return all(map(alike, one, other))
    return bool(one == other) or (one != one and other != other)


def require_folds(
    found: Any,
    aggregates: dict[str, Aggregate[Any]],
    table: Table,
    windows: dict[int, list[int]],
) -> None:
    """Require that each answer is the fold of its window, recomputed from scratch."""
    for name, aggregate in aggregates.items():
        answers = found[name]
        for row, rows in windows.items():
            values = rows_of(table, aggregate, rows)
            expected = fold(Aggregate(aggregate.monoid), values)
            tolerance = 0.05 if aggregate.monoid.kind is Kind.SKETCH else 1e-9
            scale = max(magnitude(values), magnitude([expected]))
            answer = answers[row]
            assert close(plain(answer), plain(expected), tolerance=tolerance, scale=scale), (
                f"{name} at row {row}: {answer!r} is not {expected!r}, of {values[:50]!r}"
            )


def plain(result: Any) -> Any:
    """A result as numbers, texts and lists: a struct is the list of its fields."""
    if isinstance(result, dict):
        return [plain(value) for value in result.values()]
    if isinstance(result, tuple | list):
        return [plain(value) for value in result]
    return result


def lists(result: Any) -> dict[str, list[Any]]:
    """A table of results as lists of Python values, None for null."""
    return {name: result[name].to_pylist() for name in result.schema.names}


def arrow_table(table: Table, **types: pa.DataType) -> pa.Table:
    """The table as Arrow's, so that null is not NaN."""
    return pa.table({name: pa.array(column, types.get(name)) for name, column in table.items()})


# Quarters add up exactly; few of them make ties.
quarters = st.integers(-40, 40).map(lambda n: n / 4)
awkward = st.sampled_from((nan, inf, -inf, 0.0, -0.0))
floats = st.one_of(quarters, quarters, awkward, st.none())
integers = st.one_of(st.integers(-20, 20), st.integers(-(10**12), 10**12), st.none())


def long_table(length: int, seed: int = 1) -> Table:
    """Many rows whose products stay within range: ties, nulls, a few infinities and NaN, gaps."""
    random = np.random.default_rng(seed)
    v = random.choice([0.5, 1.0, 2.0, -1.0], length).tolist()
    w = random.integers(-5, 5, length).astype(float).tolist()
    for column, awkward_values in ((v, (inf, nan)), (w, (nan, -inf))):
        for row in np.flatnonzero(random.random(length) < 0.05):
            column[row] = None
        for value in awkward_values:
            for row in np.flatnonzero(random.random(length) < 0.0005):
                column[row] = value
    steps = random.choice([0, 0, 1, 1, 2, 50, 700], length)
    return {"v": v, "w": w, "time": np.cumsum(steps).tolist()}
