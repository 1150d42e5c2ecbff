"""Queries and rows that the tests of trees share, drawn from one random source."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import inf
from random import Random
from typing import Any

import pyarrow as pa

import windrow as wr
from windrow import agg, window
from windrow.algebra.aggregate import Aggregate
from windrow.algebra.registry import Entry, Takes, entries
from windrow.jobs.expressions import read_aggregate
from windrow.testing import expected
from windrow.windows import Closed, Ties, Window

Row = dict[str, Any]
Arrivals = dict[str, list[tuple[int, pa.Table]]]

SECOND = 1_000_000
LATENESS = SECOND

SCHEMA = pa.schema(
    [
        ("ts", pa.timestamp("us", tz="UTC")),
        ("sensor", pa.string()),
        ("temp", pa.float64()),
        ("number", pa.int64()),
        ("word", pa.string()),
        ("on_", pa.bool_()),
        ("off_", pa.bool_()),
    ]
)

TREES: dict[str, dict[str, list[str]]] = {
    "of height 2": {"root": ["a", "b", "c"]},
    "of height 3": {"root": ["m1", "m2"], "m1": ["a", "b"], "m2": ["c"]},
    "of height 4": {"root": ["m"], "m": ["x", "y"], "x": ["a", "b"], "y": ["c", "d"]},
    "uneven": {"root": ["a", "m"], "m": ["x", "b"], "x": ["c", "d"]},
}

# As jobs have them, and as the oracle does; several windows have names.
WINDOWS: dict[str, tuple[str, dict[str, Window] | Window]] = {
    "tumbling": ("{tumbling: 4 seconds}", window.tumbling("4 s")),
    "tumbling with an offset": (
        "{tumbling: {size: 3 seconds, offset: 700 ms}}",
        window.tumbling("3 s", "700 ms"),
    ),
    "long tumbling": ("{tumbling: 20 seconds}", window.tumbling("20 s")),
    "hopping": (
        "{hopping: {size: 10 seconds, every: 4 seconds}}",
        window.hopping("10 s", every="4 s"),
    ),
    "hopping with gaps": (
        "{hopping: {size: 2 seconds, every: 3 seconds, offset: 500 ms}}",
        window.hopping("2 s", every="3 s", offset="500 ms"),
    ),
    "session": ("{session: 2 seconds}", window.session("2 s")),
    "count": ("{count: 4}", window.count(4)),
    "hopping count": ("{count: {size: 5, every: 2}}", window.count(5, every=2)),
    "trailing": ("{trailing: 3 seconds}", window.trailing("3 s")),
    "trailing with both ends": (
        "{trailing: {duration: 3 seconds, closed: both, ties: together}}",
        window.trailing("3 s", closed=Closed.BOTH, ties=Ties.TOGETHER),
    ),
    "trailing rows": ("{trailing: {rows: 3}}", window.trailing(rows=3)),
    "punctuated by starts": ("{punctuated: {start: on_}}", window.punctuated("on_")),
    "punctuated by ends": ("{punctuated: {end: off_}}", window.punctuated(end="off_")),
    "punctuated": (
        "{punctuated: {start: on_, end: off_}}",
        window.punctuated("on_", "off_"),
    ),
    "several aligned": (
        "{short: {tumbling: 1 second}, long: {tumbling: 20 seconds}, "
        "over: {hopping: {size: 5 seconds, every: 2 seconds}}}",
        {
            "short": window.tumbling("1 s"),
            "long": window.tumbling("20 s"),
            "over": window.hopping("5 s", every="2 s"),
        },
    ),
    "several trailing": (
        "{short: {trailing: 2 seconds}, few: {trailing: {rows: 2}}}",
        {"short": window.trailing("2 s"), "few": window.trailing(rows=2)},
    ),
}

AGGREGATES: dict[str, tuple[str, ...]] = {
    "distributive": ("max(temp)", "min(number)", "sum(number)", "count()"),
    "algebraic": ("mean(temp)", "stddev(temp)", "sum(temp)"),
    "holistic": ("median(temp)", "quantile(0.9, temp)", "distinct(word)"),
    "sketches": ("quantile_sketch(0.5, temp)", "top_k(2, temp)"),
    "ordered": ("collect(number)", "last(word)", "concat(word)", "first(temp)"),
    "of rows": ("argmax(word, by=temp)", "argmin(number, by=number)"),
    "of users": ("spread(temp)", "tally(number)"),
    "in order, of users": ("free(number)", "max(temp)"),
}

_SPREAD = wr.monoid(
    lift=lambda number: (number, number),
    combine=lambda older, newer: (min(older[0], newer[0]), max(older[1], newer[1])),
    lower=lambda state: state[1] - state[0],
    identity=(inf, -inf),
    commutative=True,
    name="spread",
)
_TALLY = wr.monoid(  # with states that no column of numbers holds
    lift=lambda number: {str(number): 1},
    combine=lambda older, newer: {
        key: older.get(key, 0) + newer.get(key, 0) for key in sorted({*older, *newer})
    },
    lower=lambda counts: " ".join(f"{key}:{count}" for key, count in sorted(counts.items())),
    identity={},
    commutative=True,
    name="tally",
    returns="string",
)
_FREE = wr.monoid(
    lift=lambda text: f"{text}.",
    combine=lambda older, newer: older + newer,
    identity="",
    name="free",
    returns="string",
)


@contextmanager
def users_aggregates() -> Iterator[None]:
    """Aggregates of a user's own package, entered into the catalogue as it would."""
    own = {monoid.name: monoid for monoid in (_SPREAD, _TALLY, _FREE)}
    for name, monoid in own.items():
        factory = _factory(name, monoid)
        entries[name] = Entry(name, factory, Takes.NUMBERS, ("v",), bulky=False)
    try:
        yield
    finally:
        for name in own:
            del entries[name]


def _factory(name: str, monoid: Any) -> Any:
    def factory(column: str) -> Aggregate[Any]:
        return agg.of(monoid, column)

    factory.__name__ = name
    return factory


@dataclass(frozen=True)
class Asked:
    """A query, as a job and for the oracle."""

    kind: str  # of window
    aggregates: tuple[str, ...]  # as the job has them
    by: str | None = "sensor"
    lateness_us: int = LATENESS
    more: str = ""  # lines of the job
    source: str = ", ".join(
        f"{field.name} {_type}"
        for field, _type in zip(
            SCHEMA,
            ("timestamp", "string", "double", "bigint", "string", "boolean", "boolean"),
            strict=True,
        )
    )

    @property
    def job(self) -> str:
        """The query as nodes read it."""
        named = ", ".join(f'a{n}: "{text}"' for n, text in enumerate(self.aggregates))
        by = "" if self.by is None else f"by: {self.by}\n"
        return (
            f'source: {{format: json, path: in, schema: "{self.source}"}}\n'
            f"time: ts\n{by}lateness: {self.lateness_us} microseconds\n"
            f"windows: {WINDOWS[self.kind][0]}\naggregates: {{{named}}}\n"
            f"sink: {{format: console}}\n{self.more}"
        )

    def expected(self, rows: Sequence[Row]) -> list[Row]:
        """What it must answer."""
        own = WINDOWS[self.kind][1]
        windows: dict[str, Any] = {"windows" if isinstance(own, dict) else "window": own}
        aggregates = {f"a{n}": read_aggregate(text) for n, text in enumerate(self.aggregates)}
        by = () if self.by is None else self.by
        return expected(rows, time="ts", by=by, aggregates=aggregates, **windows)


@dataclass(frozen=True)
class Case:
    """Rows at the leaves of a tree, in batches, each at the time when it comes."""

    tree: Mapping[str, Sequence[str]]
    rows: list[Row]
    arrivals: Arrivals = field(repr=False)


def leaves_of(tree: Mapping[str, Sequence[str]]) -> list[str]:
    """The nodes that have no children."""
    return sorted({child for own in tree.values() for child in own} - set(tree))


def table_of(rows: Sequence[Row]) -> pa.Table:
    """Rows as sources give them."""
    return pa.Table.from_pylist([*rows], SCHEMA)


def drawn_case(chance: Random, origin: datetime, most: int = 40) -> Case:
    """Rows of half a minute with distinct times, dealt to leaves; some leaves may have none."""
    tree = TREES[chance.choice(sorted(TREES))]
    leaves = leaves_of(tree)
    busy = chance.sample(leaves, chance.randint(1, len(leaves)))
    count = chance.randint(0, most)
    span = chance.choice((3, 12, 30)) * SECOND
    times = [origin + timedelta(microseconds=us) for us in chance.sample(range(span), count)]
    rows = {time: drawn_row(chance, time) for time in times}
    own: dict[str, list[datetime]] = {leaf: [] for leaf in leaves}
    keys_stay = chance.random() < 0.2
    for time in sorted(times):
        home = hash_of(rows[time]["sensor"]) % len(busy) if keys_stay else None
        own[chance.choice(busy) if home is None else busy[home]].append(time)
    arrivals: Arrivals = {}
    for leaf, mine in own.items():
        came = sorted(
            (int((time - origin) / timedelta(microseconds=1)) + chance.randint(0, LATENESS), time)
            for time in mine
        )
        arrivals[leaf] = []
        while came:
            size = chance.randint(1, 4)
            batch, came = came[:size], came[size:]
            at = batch[-1][0] + chance.choice((0, 0, 100_000, 3 * SECOND))
            at = max(at, arrivals[leaf][-1][0] if arrivals[leaf] else 0)
            arrivals[leaf].append((at, table_of([rows[time] for _, time in batch])))
    return Case(tree, [rows[time] for time in sorted(times)], arrivals)


def hash_of(key: str | None) -> int:
    """Where a key lives."""
    return sum((key or "").encode())


def drawn_row(chance: Random, time: datetime) -> Row:
    """A row with a few keys, values that tie, and nulls."""
    return {
        "ts": time,
        "sensor": chance.choice(("p", "q", "ü", None)),
        "temp": chance.choice((None, 1.5, 2.25, 0.1, 0.7, -3.0)),
        "number": chance.choice((None, *range(-2, 5))),
        "word": chance.choice((None, "one", "two", "ü")),
        "on_": chance.choice((True, False, False, None)),
        "off_": chance.choice((True, False, False, None)),
    }


ORIGINS = (
    datetime(2024, 7, 1, 12, tzinfo=UTC),
    datetime(1970, 1, 1, tzinfo=UTC) - timedelta(seconds=7),
    datetime(1969, 12, 31, 23, 0, 0, 250_000, tzinfo=UTC),
)
