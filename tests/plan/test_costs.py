"""Predicted costs: what is compared, what is chosen, and how it is told."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plan.test_choose import FEW, FOREIGN, HOP, HOUR, ORDERED, SESSION, TRAILING, query
from windrow import window
from windrow.errors import InputError
from windrow.parallel import Method
from windrow.plan import Description, Strategy, choose
from windrow.plan.constants import OTHER, Constants, Price
from windrow.plan.costs import compared, predicted
from windrow.plan.facts import Cut, Facts
from windrow.plan.ownership import SPREAD
from windrow.plan.shipped import SHIPPED
from windrow.plan.stages import SampleRows
from windrow.window import Window

SECOND, HOUR_US, DAY_US = 1_000_000, 3_600_000_000, 86_400_000_000
ROWS = 10_000_000

FREE = Price(0.0, 0.0)
# Only sending and being sent costs anything: a second for a million rows.
SENDING = Constants(0.0, 0.0, 1e-6, 0.0, {OTHER: FREE}, {OTHER: FREE}, "made up")
EVEN = Facts(ROWS, keys=1_000, hottest=0.001, first_us=0, span_us=DAY_US)
HALVES = Cut(1.0, (0.5, 0.55))
ONE = Facts(ROWS, keys=1, hottest=1.0, first_us=0, span_us=DAY_US, cuts=(HALVES,))
NO_CUT = replace(ONE, cuts=())


def asked(over: Window = HOP, facts: Facts | None = ONE, **others: Any) -> Description:
    part = others.pop("part", ORDERED)
    described = query(over, part=part)
    return replace(described, tasks=2, cuttable=True, splits=True, facts=facts, **others)


def seconds(described: Description, constants: Constants = SENDING) -> dict[Method, float | None]:
    found = compared(described, constants)
    assert found is not None
    return {one.method: one.seconds for one in found.estimates}


def test_the_busiest_task_is_what_counts() -> None:
    found = seconds(asked())
    # A task sends half of all that is sent; the busiest is sent
    assert found[Method.KEYS] == pytest.approx(5.0 + 10.0)  # all rows of the only key,
    assert found[Method.TIME] == pytest.approx(5.25 + 5.5)  # the larger of two slots,
    assert found[Method.ROUND_ROBIN] == pytest.approx(10.0 + 10.0)  # or as any other every row.
    # Half of the rows, and a slice for each minute and owner: an hour has two owners.
    assert found[Method.PANES] == pytest.approx(5.0 + 5.0 + 2 * 1_440e-6, rel=1e-3)


def test_rows_may_all_lie_between_two_windows() -> None:
    daily = window.hopping("1 minute", every="1 day", offset="12 hours")
    facts = replace(NO_CUT, span_us=HOUR_US)
    assert choose(asked(daily, facts)).ownership is Method.KEYS
    found = seconds(asked(daily, facts))
    assert found[Method.KEYS] == pytest.approx(5.0 + 10.0)  # which are sent for nothing


def test_panes_are_sent_rows_between_windows_too() -> None:
    hourly = window.hopping("1 minute", every="1 hour")
    assert seconds(asked(hourly))[Method.PANES] == pytest.approx(5.0 + 5.0, rel=1e-3)


@pytest.mark.parametrize(
    ("over", "rows"),
    [
        (window.hopping("1 hour", every="1 minute"), "6,944.4"),
        (window.hopping("1 minute", every="1 hour"), "6,944.4"),
        (window.tumbling("30 days"), "10,000,000.0"),
    ],
    ids=repr,
)
def test_a_slice_is_told_with_no_more_rows_than_it_can_hold(over: Window, rows: str) -> None:
    assert f" {rows} for each key and slice" in choose(asked(over)).explain().replace("\n   ", "")


def test_keys_of_equal_size_are_shared_by_all_tasks() -> None:
    share = seconds(asked(facts=EVEN))[Method.KEYS]
    assert share is not None
    assert 10.0 < share < 10.5


@pytest.mark.parametrize(("hottest", "busiest"), [(1.0, 1.0), (0.6, 0.8), (0.5, 0.75)])
def test_a_task_has_its_hot_key_and_its_part_of_the_rest(hottest: float, busiest: float) -> None:
    facts = replace(EVEN, hottest=hottest, keys=1_000_000 if hottest < 1 else 1)
    assert seconds(asked(facts=facts))[Method.KEYS] == pytest.approx(ROWS * (0.5 + busiest) / 1e6)


def test_slots_of_hot_keys_are_dealt_out_in_turn() -> None:
    cuts = (Cut(0.4, (0.1, 0.2, 0.1)), Cut(0.6, (0.4, 0.3)))
    facts = Facts(ROWS, keys=2, hottest=0.6, first_us=0, span_us=DAY_US, cuts=cuts)
    # Tasks get 0.1 + 0.1 + 0.3 and 0.2 + 0.4 of all rows.
    assert seconds(asked(facts=facts))[Method.TIME] == pytest.approx(11 / 2 + 6)


def test_each_kind_of_work_has_its_price() -> None:
    prices = {"last": Price(3e-6, 0.0)}
    constants = Constants(0.5, 2e-6, 0.0, 0.0, prices, {OTHER: FREE})
    described = asked(part=replace(ORDERED, kind="last"))
    _, found = predicted(described, ONE, Method.KEYS, constants)
    # Two stages, rows read by two tasks, and folded by one.
    assert found == pytest.approx(2 * 0.5 + ROWS / 2 * 2e-6 + ROWS * 3e-6)


def test_results_and_combines_are_those_of_the_windows() -> None:
    constants = Constants(0.0, 0.0, 0.0, 1.0, {OTHER: Price(0.0, 0.0)}, {OTHER: FREE})
    _, results = predicted(asked(), NO_CUT, Method.KEYS, constants)
    assert results == 1_440 + 59  # of a day and an hour, by the minute
    trailing = asked(TRAILING, part=replace(ORDERED, commutative=True))
    assert predicted(trailing, NO_CUT, Method.KEYS, constants)[1] == ROWS
    combining = replace(constants, result=0.0, compiled={OTHER: Price(0.0, 1.0)})
    _, combines = predicted(asked(), NO_CUT, Method.KEYS, combining)
    assert 1_499 <= combines <= 3 * 1_499


def test_what_is_folded_where_it_is_read_is_shared_by_all_tasks() -> None:
    lifting = Constants(0.0, 0.0, 0.0, 0.0, {OTHER: FREE}, {OTHER: Price(1e-6, 0.0)})
    described = asked(part=FOREIGN)
    assert predicted(described, NO_CUT, Method.KEYS, lifting)[1] == pytest.approx(5.0)
    sent, _ = predicted(described, NO_CUT, Method.KEYS, SENDING)
    assert sent.total.copies == 1_440  # slices of a day, and no rows


@pytest.mark.parametrize(
    ("described", "method"),
    [
        (asked(), Method.PANES),  # an hour's rows are in both slots of a key cut by time
        (asked(TRAILING), Method.TIME),  # which has no panes
        (asked(SESSION), Method.TIME),
        (asked(facts=EVEN), Method.KEYS),
        (asked(facts=NO_CUT), Method.PANES),  # windows too wide to be cut
        (asked(TRAILING, facts=NO_CUT), Method.KEYS),
        (asked(TRAILING, parallel=Method.KEYS), Method.KEYS),
        (asked(parallel=Method.TIME), Method.TIME),
    ],
    ids=lambda value: value.value if isinstance(value, Method) else "",
)
def test_the_fastest_is_chosen_unless_one_was_asked_for(
    described: Description, method: Method
) -> None:
    plan = choose(described, SENDING)
    assert plan.ownership is method
    assert plan.compared is not None
    assert plan.compared.chosen is method


def test_a_few_per_cent_do_not_change_the_choice() -> None:
    nearly = replace(ONE, cuts=(Cut(1.0, (0.5, 0.52)),))
    assert choose(asked(facts=nearly), SENDING).ownership is Method.TIME
    slow = replace(SENDING, stage=60.0)  # one shuffle more outweighs everything
    assert choose(asked(), slow).ownership is Method.TIME
    assert choose(asked(SESSION), slow).ownership is Method.KEYS


def test_dealing_out_single_windows_takes_an_engine() -> None:
    merging = replace(SENDING, interpreted={OTHER: Price(0.0, 1.0)})
    many = replace(asked(FEW, NO_CUT, part=FOREIGN), tasks=8)
    plan = choose(many, merging)
    assert plan.ownership in SPREAD
    assert plan.strategy is Strategy.KERNEL  # without facts it would be PANES
    assert plan.ownership.acronym is not None
    assert plan.ownership.acronym in " ".join(plan.reasons)


def test_a_sample_that_was_taken_is_a_stage_whatever_is_chosen() -> None:
    for facts in (ONE, EVEN, NO_CUT):
        assert isinstance(choose(asked(facts=facts), SENDING).stages[0], SampleRows)


def test_every_method_is_in_the_table_or_cannot_run() -> None:
    for described in (asked(), asked(TRAILING), asked(SESSION), asked(HOUR, facts=EVEN)):
        found = compared(described, SHIPPED)
        assert found is not None
        assert [one.method for one in found.estimates] == list(Method)[1:]
        able = [one for one in found.estimates if one.seconds is not None]
        lines = found.lines()
        assert len(lines) == len(able) + 1
        assert len({len(line) for line in lines}) == 1  # columns are aligned
        [marked] = [line for line in lines if line.startswith("→")]
        assert marked.split()[1] == found.chosen.value
        reasons = " ".join(found.reasons())
        for one in found.estimates:
            assert one.method is found.chosen or one.method.value in reasons
    assert "has no grid" in reasons or "no key gains by cuts" in reasons


def test_a_plan_tells_what_was_compared() -> None:
    plan = choose(asked(), SENDING)
    said = " ".join(plan.explain().split())
    assert "→ panes (RRCPA)" in said
    assert (
        "keys: predicted to take 1.50 × as long: its busiest task sends and is sent 15,000,000"
        in said
    )
    assert "10,000,000 rows of 1 key in 1 day" in said
    data = plan.as_dict()["compared"]
    by_name = {one["method"]: one for one in data["methods"]}
    assert by_name["keys"]["seconds"] == pytest.approx(15.0)
    assert by_name["panes"]["chosen"]
    assert by_name["panes"]["acronym"] == "RRCPA"
    shown = plan._repr_html_()
    assert "<pre>" in shown
    assert "panes (RRCPA)" in shown


@pytest.mark.parametrize(
    ("described", "said"),
    [
        (query(TRAILING, streaming=True), "rows of a stream are not known before they come"),
        (asked(TRAILING, facts=None), "once aggregate(...) builds the query"),
        (asked(TRAILING, facts=None, unsampled="no rows"), "no row was looked at"),
        (asked(HOP, facts=None, part=replace(ORDERED, commutative=True)), "little difference"),
    ],
)
def test_where_nothing_is_known_the_plan_says_so(described: Description, said: str) -> None:
    plan = choose(replace(described, cuttable=True, forced=None))
    assert plan.compared is None
    assert plan.uncompared is not None
    assert said in plan.uncompared
    assert "nothing was measured" in plan.explain()
    assert plan.as_dict()["compared"] is None


@given(
    rows=st.integers(1, 10**10),
    keys=st.integers(1, 10**6),
    span=st.integers(1, 10**15),
    tasks=st.integers(1, 200),
    every=st.integers(1, 10**4),
    overlap=st.integers(1, 500),
)
def test_any_facts_can_be_compared(
    rows: int, keys: int, span: int, tasks: int, every: int, overlap: int
) -> None:
    hopping = window.hopping(f"{every * overlap} seconds", every=f"{every} seconds")
    keys = min(rows, keys)
    facts = Facts(rows, keys, 1 / keys, 0, span)
    found = compared(replace(asked(hopping, facts), tasks=tasks), SHIPPED)
    assert found is not None
    for one in found.estimates:
        if one.seconds is not None:
            assert one.seconds > 0
            assert one.busiest.copies <= one.total.copies * (1 + 1e-9)
            assert one.busiest.results <= one.total.results * (1 + 1e-9)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"rows": 0}, "rows=0"),
        ({"keys": 1.5}, r"keys=1\.5"),
        ({"hottest": 0.0}, r"hottest=0\.0"),
        ({"span_us": -1}, "span_us=-1"),
    ],
    ids=str,
)
def test_facts_that_cannot_be_are_refused(wrong: dict[str, Any], named: str) -> None:
    with pytest.raises(InputError, match=named):
        replace(ONE, **wrong)
    with pytest.raises(InputError, match="facts="):
        asked(facts="many rows")  # type: ignore[arg-type]
