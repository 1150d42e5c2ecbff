"""The planner's choice, for every kind of query."""

import json
from dataclasses import replace
from typing import Any

import pytest

from windrow import window
from windrow.approximate import Footprint, MaxLike, SumLike
from windrow.errors import InputError
from windrow.parallel import Method
from windrow.plan import (
    Assembly,
    Described,
    Description,
    Slicing,
    State,
    Strategy,
    choose,
)
from windrow.windows import Emit, Order, Window

HOUR = window.tumbling("1 hour")
HOP = window.hopping("1 hour", every="1 minute")
DAY = window.hopping("1 day", every="1 minute")
FEW = window.hopping("2 minutes", every="1 minute")
GAPS = window.hopping("1 minute", every="1 hour")
SPLIT = window.tumbling("1 hour", offset="1 microsecond")  # a millisecond, at its ends
SESSION = window.session("30 minutes")
TRAILING = window.trailing("1 hour")

BUILTIN = Described("n", "count()", True, True, True, True, True)
SPREAD = Described("s", "stddev('x')", True, False, True, True, True)
TEXT = Described("t", "max('name')", True, True, False, True, False)
FOREIGN = Described("q", "median('x')", False, False, False, True, False)
ORDERED = Described("l", "last('x')", False, False, False, False, True)

NATIVE, PANES, KERNEL, STATEFUL = Strategy


def query(
    *windows: Window,
    part: Described = BUILTIN,
    streaming: bool = False,
    emit: Emit = Emit.ON_CLOSE,
    forced: Strategy | None = None,
    keys: tuple[str, ...] = ("k",),
    order: Order = Order.TIME,
) -> Description:
    named = tuple((f"w{i}" if len(windows) > 1 else "", w) for i, w in enumerate(windows))
    return Description(
        named, (part,), streaming, emit, order, keys=keys, forced=forced, lateness_ms=1000
    )


@pytest.mark.parametrize(
    ("described", "strategy"),
    [
        (query(HOUR), NATIVE),
        (query(GAPS), NATIVE),
        (query(SESSION), KERNEL),
        (query(HOP), PANES),
        (query(HOUR, HOUR), PANES),
        (query(HOUR, part=FOREIGN), PANES),
        (query(HOP, part=ORDERED), KERNEL),
        (query(SESSION, part=FOREIGN), KERNEL),
        (query(SESSION, order=Order.ARRIVAL), KERNEL),
        (query(HOUR, part=ORDERED, order=Order.ARRIVAL), KERNEL),
        (query(TRAILING), KERNEL),
        (query(window.count(3)), KERNEL),
        (query(HOUR, streaming=True), NATIVE),
        (query(SPLIT), NATIVE),
        (query(SPLIT, streaming=True), PANES),
        (query(HOP, streaming=True), PANES),
        (query(GAPS, streaming=True), PANES),
        (query(SESSION, streaming=True), STATEFUL),
        (query(SESSION, streaming=True, keys=()), STATEFUL),
        (query(SESSION, streaming=True, emit=Emit.ON_CHANGE), STATEFUL),
        (query(FEW, streaming=True, emit=Emit.ON_CHANGE), NATIVE),
        (query(HOP, streaming=True, emit=Emit.ON_CHANGE), PANES),
        (query(HOP, streaming=True, part=FOREIGN), PANES),
        (query(HOP, streaming=True, part=ORDERED), STATEFUL),
        (query(TRAILING, streaming=True), STATEFUL),
    ],
)
def test_each_query_gets_its_strategy(described: Description, strategy: Strategy) -> None:
    assert choose(described).strategy is strategy


@pytest.mark.parametrize(
    ("asked", "stages"),
    [
        (query(HOUR), "AggregateWindows"),
        (query(FEW), "SliceRows ExpandSlices"),
        (query(HOP), "SliceRows PackSlices Exchange RunEngine"),
        (query(FEW, part=SPREAD), "SliceRows PackSlices Exchange RunEngine"),
        (query(HOP, part=TEXT), "SliceRows ExpandSlices"),
        (query(DAY, part=TEXT), "SliceRows PackValues Exchange RunEngine LowerWindows"),
        (query(FEW, part=FOREIGN), "FoldRows Exchange RunEngine"),
        (query(HOP, forced=KERNEL), "FoldRows Exchange RunEngine"),
        (query(HOP, part=ORDERED), "PackRows Exchange RunEngine"),
        (query(TRAILING), "PackRows Exchange RunEngine"),
        (replace(query(TRAILING), splits=True), "SampleRows PackRows Exchange RunEngine"),
        (
            replace(query(TRAILING), splits=True, unsampled="no rows"),
            "PackRows Exchange RunEngine",
        ),
        (query(HOP, streaming=True), "FoldRows RunStatefulEngine"),
        (query(TRAILING, streaming=True), "PackRows RunStatefulEngine"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.windows[0][1],
)
def test_each_query_runs_in_its_stages(asked: Description, stages: str) -> None:
    plan = choose(asked)
    assert " ".join(type(stage).__name__ for stage in plan.stages) == stages
    said = " ".join(plan.explain().split())
    assert all(" ".join(stage.explain().split()) in said for stage in plan.stages)


def test_spark_aggregates_several_windows_one_by_one() -> None:
    one = query(HOUR, forced=Strategy.NATIVE)
    two = replace(one, windows=(("short", HOUR), ("long", window.tumbling("1 day"))))
    once = ("Aggregate", "Exchange", "Aggregate")
    assert [stage.operators for stage in choose(one).stages] == [once]
    assert [stage.operators for stage in choose(two).stages] == [once * 2]
    said = " ".join(choose(two).explain().split())
    assert "rows into windows, once for each of 2 windows" in said


def test_keys_are_split_by_time_only_where_rows_are_sampled() -> None:
    splits = replace(query(TRAILING), splits=True)
    assert choose(splits).ownership is Method.TIME
    unsampled = choose(replace(splits, unsampled="no rows"))
    assert unsampled.ownership is Method.KEYS
    assert "hot" not in unsampled.explain()


@pytest.mark.parametrize(
    ("asked", "answers"),
    [
        (query(HOUR), (Slicing.NOBODY, Assembly.SPARK, State.NONE)),
        (query(HOUR, streaming=True), (Slicing.NOBODY, Assembly.SPARK, State.WINDOWS)),
        (query(HOP), (Slicing.SPARK, Assembly.ENGINE, State.NONE)),
        (query(HOP, streaming=True), (Slicing.WORKERS, Assembly.ENGINE, State.SLICES)),
        (query(SESSION, streaming=True), (Slicing.NOBODY, Assembly.ENGINE, State.WINDOWS)),
        (query(TRAILING, streaming=True), (Slicing.NOBODY, Assembly.ENGINE, State.PAGES)),
        (query(window.count(3), streaming=True), (Slicing.NOBODY, Assembly.ENGINE, State.ROWS)),
    ],
    ids=repr,
)
def test_a_plan_answers_each_question(
    asked: Description, answers: tuple[Slicing, Assembly, State]
) -> None:
    plan = choose(asked)
    assert (plan.slicing, plan.assembly, plan.state) == answers
    assert plan.ownership is Method.KEYS


@pytest.mark.parametrize(
    ("described", "ways"),
    [
        (query(TRAILING, forced=NATIVE), "Strategy.KERNEL"),
        (query(HOP, part=ORDERED, forced=PANES), "Strategy.KERNEL"),
        (query(HOP, forced=STATEFUL), "Strategy.NATIVE or Strategy.PANES or Strategy.KERNEL"),
        (query(HOP, streaming=True, forced=KERNEL), "Strategy.PANES or Strategy.STATEFUL"),
        (query(SPLIT, streaming=True, forced=NATIVE), "in whole milliseconds"),
    ],
)
def test_a_forced_strategy_that_cannot_names_those_that_can(
    described: Description, ways: str
) -> None:
    with pytest.raises(InputError, match="cannot run this query") as refused:
        choose(described)
    assert ways in str(refused.value)


@pytest.mark.parametrize("windows", [(HOP,), (HOUR, HOUR)], ids=repr)
@pytest.mark.parametrize("streaming", [False, True])
def test_an_order_of_arrival_across_shared_slices_is_refused(
    windows: tuple[Window, ...], streaming: bool
) -> None:
    asked = query(*windows, part=ORDERED, streaming=streaming, order=Order.ARRIVAL)
    with pytest.raises(InputError, match=r"order='arrival': last\('x'\) would see rows"):
        choose(asked)
    choose(query(*windows, streaming=streaming, order=Order.ARRIVAL))


@pytest.mark.parametrize("strategy", [NATIVE, PANES, KERNEL])
def test_every_strategy_that_can_may_be_forced(strategy: Strategy) -> None:
    for window_ in (HOUR, HOP):
        assert choose(query(window_, forced=strategy)).strategy is strategy


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        ((SumLike(relative=0.001),), "about 1,000 buckets for each key if values are of one sign"),
        ((SumLike(relative=0.0),), "as many buckets as rows"),
        ((SumLike(absolute=50),), "buckets that add up to about 50 each"),
        ((MaxLike(), Footprint(300)), "rows in a server's memory readings, at most 300 buckets"),
    ],
    ids=repr,
)
def test_windows_of_buckets_tell_what_to_expect(methods: tuple[Any, ...], said: str) -> None:
    part = replace(BUILTIN, methods=methods)
    for streaming in (False, True):
        asked = replace(query(TRAILING, part=part, streaming=streaming), intervals=True)
        told = " ".join(choose(asked).explain().split())
        assert said in told
        assert "parts by time" not in told
        assert ("the buckets of its window, and no rows" in told) is streaming


def test_windows_that_are_kept_whole_are_exact_or_as_a_sketch_has_it() -> None:
    exactly = replace(query(HOP), intervals=True)
    assert "nothing is approximated" in choose(exactly).explain()
    sketch = replace(query(HOP, part=replace(FOREIGN, has_bounds=True)), intervals=True)
    assert choose(sketch).exactness == (
        "median('x'): the sketch's own bounds, with a confidence of 0.99",
    )


def test_plans_of_sessions_speak_of_sessions() -> None:
    folded = " ".join(choose(query(SESSION)).explain().split())
    assert "one for each k, partial session and batch of rows" in folded
    assert "partial sessions put together where they touch" in folded
    assert "slice" not in folded.replace("Sliced by", "")
    native = " ".join(choose(query(SESSION, forced=NATIVE)).explain().split())
    assert "one partial result for each k, time and input partition" in native


def test_nothing_is_advised_for_sessions_that_would_change_nothing() -> None:
    assert choose(query(SESSION)).cheaper == ()
    assert choose(query(SESSION, part=ORDERED)).cheaper == ()


def test_a_plan_speaks_and_is_data() -> None:
    plan = choose(query(HOP))
    assert json.loads(json.dumps(plan.as_dict()))["strategy"] == "panes"
    for said in ("Strategy: panes", "60 windows", "Kept in state", "shuffled", "cheaper"):
        assert said in plan.explain()
