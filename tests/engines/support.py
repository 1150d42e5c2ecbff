"""Rows, windows and aggregates for engines, and the oracle's answers in the engines' own form."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from windrow import agg, monoid, window
from windrow.algebra.aggregate import Aggregate
from windrow.columnar.result_types import result_type
from windrow.engines.definition import Definition
from windrow.testing import expected
from windrow.windows import (
    Emit,
    Order,
    Policy,
    Punctuated,
    Ties,
    Trailing,
    TrailingRows,
    TrailingTime,
    Window,
)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# A row: key, time in microseconds, value, start and end mark.
Drawn = tuple[str | None, int, float | None, bool | None, bool | None]

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", None]),
        st.integers(-30, 60),
        st.none() | st.integers(-4, 4).map(float),
        st.none() | st.booleans(),
        st.none() | st.booleans(),
    ),
    max_size=25,
)

SPREAD = monoid(
    lift=lambda value: (value, value),
    combine=lambda older, newer: (min(older[0], newer[0]), max(older[1], newer[1])),
    lower=lambda state: state[1] - state[0],
    identity=(float("inf"), float("-inf")),
    commutative=True,
    name="spread",
)

COMMUTATIVE: dict[str, Aggregate[Any]] = {
    "n": agg.count(),
    "sum": agg.sum("v0"),
    "peak": agg.max("v0"),
    "deviation": agg.stddev("v0"),
    "middle": agg.median("v0"),
    "spread": agg.of(SPREAD, "v0"),
}
ORDERED: dict[str, Aggregate[Any]] = {
    "n": agg.count(),
    "all": agg.collect("v0"),
    "last": agg.last("v0"),
}

ALIGNED: list[Window] = [
    window.tumbling("10 us"),
    window.tumbling("7 us", offset="3 us"),
    window.hopping("10 us", every="3 us"),
    window.hopping("3 us", every="10 us", offset="-2 us"),
    window.hopping("30 us", every="1 us"),
]
OTHERS: list[Window] = [
    window.session("1 us"),
    window.session("6 us"),
    window.count(3),
    window.count(4, every=2),
    window.count(2, every=5),
    window.punctuated(start="m_start"),
    window.punctuated(end="m_end"),
    window.punctuated(start="m_start", end="m_end"),
    window.trailing("8 us"),
    window.trailing("5 us", closed="both", ties="together"),
    window.trailing("5 us", closed="left"),
    window.trailing(rows=1),
    window.trailing(rows=3),
    window.policy(keep=lambda w: w.n <= 3, using={"n": agg.count()}),
    window.policy(
        drop=lambda evicted, after, before: evicted.n < after.n,
        using={"n": agg.count()},
    ),
]


# Windows that are asked for together.
SETS: list[list[Window]] = [
    [window.trailing("8 us"), window.trailing(rows=3), window.trailing("30 us")],
    [window.trailing("5 us", closed="left"), window.trailing("5 us", closed="both")],
    [window.trailing("5 us", ties="together"), window.trailing("9 us"), window.trailing(rows=1)],
    [window.session("1 us"), window.session("6 us"), window.session("20 us")],
    [window.count(3), window.count(4, every=2), window.count(2, every=5)],
]


# Trailing windows, narrow and wide beside the time that rows span, alone and together.
TRAILING: list[list[Trailing]] = [
    [window.trailing("1 us")],
    [window.trailing("8 us")],
    [window.trailing("55 us")],
    [window.trailing("1 hour")],
    [window.trailing("25 us", closed="both", ties="together")],
    [window.trailing("25 us", closed="left")],
    [window.trailing("9 us", closed="neither")],
    [window.trailing(rows=1)],
    [window.trailing(rows=6)],
    [window.trailing(rows=1000)],
    [window.trailing("3 us"), window.trailing("40 us", closed="left")],
    [window.trailing("30 us"), window.trailing(rows=4), window.trailing("2 us", ties="together")],
]


def named(kinds: Sequence[Window]) -> list[tuple[str, Window]]:
    """Windows by name; one alone has none."""
    return [(f"w{k}" if len(kinds) > 1 else "", kind) for k, kind in enumerate(kinds)]


def ties_together(*kinds: Window) -> bool:
    return any(isinstance(kind, TrailingTime) and kind.ties is Ties.TOGETHER for kind in kinds)


def between_times(cuts: Sequence[int], rows: Sequence[Drawn], made: Definition) -> list[int]:
    """Where rows in order of time are cut: not between rows of one time where that counts."""
    places = sorted({*(cut for cut in cuts if cut < len(rows)), len(rows)})
    kinds = [kind for _, kind in made.windows]
    if not ties_together(*kinds) and not isinstance(kinds[0], Punctuated):
        return places
    return [p for p in places if p in (0, len(rows)) or rows[p - 1][1] < rows[p][1]]


def per_row(kind: Window) -> bool:
    return isinstance(kind, TrailingTime | TrailingRows | Policy)


def definition(
    windows: Sequence[tuple[str, Window]],
    aggregates: Mapping[str, Aggregate[Any]],
    order: Order = Order.TIME,
) -> Definition:
    schema = pa.schema(
        [
            ("k0", pa.string()),
            pa.field("t", pa.int64(), nullable=False),
            pa.field("n", pa.int64(), nullable=False),
            ("v0", pa.float64()),
            ("m_start", pa.bool_()),
            ("m_end", pa.bool_()),
        ]
    )
    results = tuple(
        result_type(a, [schema.field(c).type for c in a.columns]) for a in aggregates.values()
    )
    return Definition(tuple(windows), tuple(aggregates.items()), schema, results, order)


def table(rows: Sequence[Drawn], schema: pa.Schema, first: int = 0) -> pa.Table:
    columns = [[row[0] for row in rows], [row[1] for row in rows], range(first, first + len(rows))]
    columns += [[row[k] for row in rows] for k in (2, 3, 4)]
    return pa.table(
        [pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema=schema
    )


def moment(us: int) -> datetime:
    return EPOCH + timedelta(microseconds=us)


def micros(at: datetime) -> int:
    return (at - EPOCH) // timedelta(microseconds=1)


def by_oracle(rows: Sequence[Drawn], made: Definition, emit: Emit = Emit.ON_CLOSE) -> list[Any]:
    """The oracle's answers, each as one tuple, sorted."""
    names = ("k0", "t", "v0", "m_start", "m_end")
    given = [dict(zip(names, (key, moment(t), *rest), strict=True)) for key, t, *rest in rows]
    several = made.named
    answers = expected(
        given,
        time="t",
        by="k0",
        aggregates=dict(made.aggregates),
        window=None if several else made.windows[0][1],
        windows=dict(made.windows) if several else None,
        order=made.order,
        emit=emit,
    )
    return _sorted(_flat(answer, made) for answer in answers)


def _flat(answer: Mapping[str, Any], made: Definition) -> tuple[Any, ...]:
    if made.side_by_side:
        return (answer["k0"], micros(answer["t"]), *(answer[name] for name, _ in made.windows))
    results = tuple(answer[name] for name, _ in made.aggregates)
    kind = made.windows[0][1]
    if per_row(kind):
        return (answer["k0"], micros(answer["t"]), *results)
    named = (answer["name"],) if made.named else ()
    bounds = answer["window"]
    others = tuple(bounds[name] for name in ("first", "last", "nth") if name in bounds)
    return (
        answer["k0"],
        *named,
        micros(bounds["start"]),
        micros(bounds["end"]),
        *others,
        *results,
    )


def by_engine(results: pa.Table) -> list[Any]:
    """An engine's answers, each as one tuple, sorted."""
    names = [name for name in results.schema.names if name != "n"]
    return _sorted(tuple(row[name] for name in names) for row in results.to_pylist())


def _sorted(answers: Any) -> list[Any]:
    return sorted((tuple(map(_rounded, answer)) for answer in answers), key=repr)


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    return round(value, 9) if isinstance(value, float) else value
