"""Whatever the constructors are given, they make a value or refuse it with an error that helps."""

import operator
from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest

import windrow as wr
from tests.fuzz.judging import Call, require_helpful
from tests.fuzz.junk import anything
from windrow import (
    agg,
    approximate,
    datasets,
    paged,
    structures,
    testing,
    topology,
    window,
    windows,
)
from windrow.paged import stores
from windrow.windows import Check

pytestmark = pytest.mark.xdist_group("fuzz")

PLAN = topology.plan(500, rate=0.5, nodes=20)
SOURCES = topology.Sources(500, 0.5)
LIMIT = topology.Limit(items=20)
POLICY = window.policy(keep=lambda kept: kept.n <= 3, using={"n": agg.count()})

ROWS = [{"at": datetime(2024, 7, 1, 12, minute), "k": "a", "v": minute} for minute in (1, 4, 9)]

COLUMN = (None, "temp", agg.TIME)
DURATIONS = ("1 hour", "90s", timedelta(seconds=5), "-1 s", "0 s", "1 month", "5")
COUNTS = (1, 3, 1000)
SHARES = (0.5, 0.01, 0.999)
AGGREGATES = (agg.max(), agg.sum(), agg.mean("v"), {"n": agg.count()}, agg.several(a=agg.min()))
FUNCTIONS = (abs, float, max, operator.add, lambda value: value, lambda older, newer: newer)

Valid = dict[str, tuple[Any, ...]]


def store() -> stores.MemoryStore:
    return stores.MemoryStore()


def approximate_amta(monoid: Any, method: Any, **others: Any) -> Any:
    return approximate.ApproximateAmta(monoid, method, **others)


# Each public constructor, and for each of its arguments some values that it takes.
CONSTRUCTORS: dict[Callable[..., Any], Valid] = {
    window.tumbling: {"size": DURATIONS, "offset": DURATIONS},
    window.hopping: {"size": DURATIONS, "every": DURATIONS, "offset": DURATIONS},
    window.trailing: {
        "duration": DURATIONS,
        "rows": COUNTS,
        "closed": ("left", window.Closed.BOTH),
        "ties": ("together", window.Ties.ARRIVAL),
    },
    window.session: {"gap": DURATIONS},
    window.count: {"size": COUNTS, "every": COUNTS},
    window.punctuated: {"start": ("on", None), "end": ("off", None)},
    window.policy: {
        "keep": (lambda kept: True, None),
        "drop": (lambda evicted, after, before: False, None),
        "using": ({"n": agg.count()}, {"top": agg.max("v")}),
        "check": (Check.TRUST, "verify"),
    },
    agg.bloom: {"column": COLUMN, "capacity": COUNTS, "error": SHARES},
    agg.concat: {"column": COLUMN, "separator": (", ", "")},
    agg.distinct_sketch: {"column": COLUMN, "lg_k": (12, 14)},
    agg.histogram: {"edges": ([0, 10, 20], (0.5, 1.5), range(5)), "column": COLUMN},
    agg.quantile: {"q": SHARES, "column": COLUMN},
    agg.quantile_sketch: {"q": SHARES, "column": COLUMN, "k": (200, 400)},
    agg.stddev: {"column": COLUMN, "ddof": (0, 1)},
    agg.top_k: {"k": COUNTS, "column": COLUMN},
    agg.variance: {"column": COLUMN, "ddof": (0, 1)},
    agg.argmax: {"column": COLUMN, "by": COLUMN},
    agg.of: {"monoid": (agg.max().monoid,)},
    agg.several: {"a": AGGREGATES, "b": (agg.max().monoid,)},
    agg.sum().within: {"relative": SHARES, "absolute": (3, 0.5), "confidence": SHARES},
    wr.monoid: {
        "lift": FUNCTIONS,
        "combine": FUNCTIONS,
        "identity": (0, 0.0, (0, 0), None, ""),
        "lower": FUNCTIONS,
        "commutative": (True, False),
        "subtract": (operator.sub, None),
        "kind": ("algebraic", "sketch"),
        "name": ("spread", None),
        "returns": ("double", None),
        "neutral": (0, None),
        "codec": (wr.unsafe_pickle, None),
    },
    structures.Amta: {"monoid": AGGREGATES, "policy": (POLICY, None)},
    structures.Daba: {"monoid": AGGREGATES, "policy": (POLICY, None)},
    structures.FlatFat: {"monoid": AGGREGATES, "policy": (POLICY, None)},
    structures.LogMta: {"monoid": AGGREGATES, "policy": (POLICY, None)},
    structures.Recompute: {"monoid": AGGREGATES, "policy": (POLICY, None)},
    structures.SubtractOnEvict: {"monoid": AGGREGATES, "policy": (POLICY, None)},
    structures.TwoStacks: {"monoid": AGGREGATES, "policy": (POLICY, None)},
    structures.CompiledAmta: {"monoid": (agg.max(),), "dtypes": ((float,), (int,), None)},
    approximate.Footprint: {"buckets": COUNTS},
    approximate.Hop: {"confidence": SHARES},
    approximate.MaxLike: {"block": ("auto", 30), "confidence": SHARES},
    approximate.SumLike: {
        "absolute": (3, 0.5, {"load": 3}),
        "relative": SHARES,
        "confidence": SHARES,
    },
    structures.Needs: {
        "eviction": ("bulk", structures.Eviction.BULK),
        "latency": ("worst case",),
        "drift": ("accept",),
        "policy": (POLICY, None),
    },
    structures.choose: {"monoid": AGGREGATES, "needs": (structures.Needs(), None)},
    paged.PagedAmta: {
        "monoid": (agg.max(),),
        "store": (store(),),
        "name": ("window",),
        "policy": (POLICY, None),
        "codec": (wr.unsafe_pickle, None),
        "dtypes": ((object,), None),
        "page": (8, 64),
        "cached_pages": (4, 16),
        "outage": ("raise", paged.Outage.BUFFER),
        "buffer_bytes": (1, 1 << 20),
        "wait_s": (0, 1.5),
    },
    approximate_amta: {
        "monoid": AGGREGATES,
        "method": (approximate.Footprint(10), approximate.SumLike(absolute=3)),
        "policy": (POLICY, None),
        "store": (store(), None),
        "name": ("window", None),
        "page": (8, 64),
        "cached_pages": (4, 16),
        "outage": ("raise", paged.Outage.BUFFER),
        "buffer_bytes": (1, 1 << 20),
        "wait_s": (0, 1.5),
    },
    datasets.day_of_arrivals: {
        "sensors": (1, 2),
        "seed": (0, 1),
        "every_us": (6 * 3_600_000_000,),
        "missing": SHARES,
        "nulls": SHARES,
        "late": SHARES,
        "stray": SHARES,
    },
    datasets.server_memory: {"readings": (1, 10), "seed": (0, 1), "chunk": (5, 100)},
    testing.expected: {
        "rows": (ROWS, []),
        "time": ("at",),
        "aggregates": ({"n": agg.count()}, {"top": agg.max("v")}),
        "by": ("k", ["k"], ()),
        "window": (window.tumbling("1 min"), window.trailing(rows=2), POLICY),
        "keep": ("v", ()),
        "order": ("time", "arrival"),
        "emit": ("on_close", "on_change"),
    },
    windows.describe: {"us": COUNTS},
    stores.MemoryStore().open: {"name": ("window", "another")},
    stores.MemoryStore().delete: {"name": ("window", "another")},
    stores.RedisStore: {
        "client_or_url": ("redis://localhost:1/0",),
        "prefix": ("windrow",),
        "ttl": (5, 0.5, None),
        "lease": (5, 0.5),
        "timeout": (5, 0.5),
    },
    topology.plan: {
        "sources": (500, SOURCES, [SOURCES]),
        "rate": (0.5, None),
        "item_bytes": (0.0, 100),
        "nodes": (20, LIMIT, topology.Node(LIMIT), [topology.Node(LIMIT)]),
        "reduction": (None, topology.Reduction()),
        "arrivals": (topology.POISSON,),
        "routing": ("item", topology.Routing.SOURCE),
        "margin": (None, 0.1),
        "loss": (None, 0.001),
    },
    topology.Sources: {
        "count": COUNTS,
        "rate": SHARES,
        "item_bytes": (0, 100),
        "name": ("meters",),
        "largest_bytes": (None, 500),
    },
    topology.Limit: {"items": (20, None), "bytes": (1e6, None)},
    topology.Node: {"limit": (LIMIT,), "price": (0.1, None), "delay_s": (0.2,), "name": ("n",)},
    topology.Reduction: {
        "period_s": (60, 1.5),
        "keys": COUNTS,
        "hottest": (None, 1, 0.5),
        "states": (1, 2),
        "state_bytes": (None, 100),
        "emission": ("change", topology.Emission.AT_CLOSE),
        "spread_s": (None, 10),
    },
    topology.Arrivals: {
        "burst": (1.0, 2),
        "skew_s": (0.0, 0.5),
        "name": ("Poisson",),
        "bursts": ((), (1.5,)),
        "byte_bursts": ((), (1.5,)),
    },
    topology.csa: {"sources": COUNTS, "rate": SHARES, "limit": (20, 1.5)},
    topology.optimum: {
        "sources": COUNTS,
        "rate": SHARES,
        "limit": (20, 1.5),
        "per_node": (1, 0.5),
        "per_layer": (1, 0.5),
    },
    topology.bounds: {"sources": COUNTS, "rate": SHARES, "limit": (20, 1.5)},
    topology.common_tick: {"sources": ([SOURCES],), "skew_s": (0.0, 0.5)},
    topology.from_json: {"text": (topology.to_json(PLAN), "{}", "[]")},
    topology.to_json: {"plan": (PLAN,)},
    topology.read_plan: {"path": ("no such file.json",)},
    topology.measured: {"trace": (None,)},
    PLAN.adapt: {"new_sources": (1000, SOURCES)},
}


def drawn(seed: int) -> Call:
    """A constructor and arguments, most of them valid."""
    rng = Random(seed)
    make = rng.choice(list(CONSTRUCTORS))
    valid = CONSTRUCTORS[make]
    junk = rng.choice(list(valid))
    given = {}
    for argument, values in valid.items():
        if argument == junk or rng.random() < 0.1:
            given[argument] = anything(rng)
        elif rng.random() < 0.7:
            given[argument] = rng.choice(values)
    return Call(make, given, (*valid, "the plan"))  # as a text of a plan is called


@pytest.mark.parametrize("start", range(0, 500, 100))
def test_constructors_answer_or_help(start: int) -> None:
    for seed in range(start, start + 100):
        require_helpful(drawn(seed), seed)


@pytest.mark.slow
def test_twenty_thousand_constructors_answer_or_help() -> None:
    for seed in range(20_000):
        require_helpful(drawn(seed), seed)
