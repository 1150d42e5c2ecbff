"""The oracle itself, on cases small enough to work out by hand: seconds after an epoch."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from math import nan
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from windrow import agg, window
from windrow.algebra.monoid import Monoid
from windrow.errors import InputError
from windrow.testing import check_rows, expected
from windrow.window import Order
from windrow.windows import Emit, Window

EPOCH = datetime(1970, 1, 1)


def at(second: float) -> datetime:
    return EPOCH + timedelta(seconds=second)


def rows(*pairs: tuple[float, Any], **others: Any) -> list[dict[str, Any]]:
    return [{"t": at(second), "v": value, **others} for second, value in pairs]


def seconds(bounds: dict[str, Any]) -> tuple[float, ...]:
    return tuple(
        (value - EPOCH).total_seconds() if isinstance(value, datetime) else value
        for value in bounds.values()
    )


# Concatenation tells which rows were folded, and in which order.
FREE = agg.of(
    Monoid(name="free", lift=str, combine=str.__add__, lower=str, identity=""),
    "v",
)


def told(data: Iterable[dict[str, Any]], over: Window, **query: Any) -> dict[Any, str]:
    """The contents of every window by its bounds in seconds, of a row's window by its time."""
    found = expected(data, time="t", window=over, aggregates={"rows": FREE}, **query)
    return {seconds(r["window"] if "window" in r else {"t": r["t"]}): r["rows"] for r in found}


def test_hopping_windows_hold_the_rows_of_their_interval() -> None:
    values = [(t, 1) for t in (1, *range(9, 16), 19, 22, 23, 24)] + [(21, 2), (29, 3), (36, 4)]
    sums = expected(
        rows(*values),
        time="t",
        window=window.hopping("10 s", every="3 s"),
        aggregates={"sum": agg.sum("v")},
    )
    starts = {seconds(r["window"]): r["sum"] for r in sums}
    wanted = {0: 2, 3: 4, 6: 7, 9: 7, 12: 7, 15: 7, 18: 6, 21: 8, 24: 4, 27: 7}
    assert {start: starts[start, start + 10] for start in wanted} == wanted


def test_a_hop_longer_than_the_window_leaves_rows_out() -> None:
    over = window.hopping("2 s", every="5 s", offset="1 s")
    assert told(rows((0, "a"), (1, "b"), (2.5, "c"), (3, "d"), (6, "e")), over) == {
        (1, 3): "bc",
        (6, 8): "e",
    }


def test_windows_reach_back_before_1970() -> None:
    assert told(rows((-1, "a"), (-10, "b"), (0, "c")), window.tumbling("10 s")) == {
        (-10, 0): "ba",
        (0, 10): "c",
    }


def test_a_time_that_fits_no_hop_exactly_is_in_one_window() -> None:
    moment = datetime(2024, 7, 1, 0, 8, 33, 40400)
    over = window.tumbling("5.5 s", offset="5 s")
    (found,) = expected([{"t": moment}], time="t", window=over, aggregates={"n": agg.count()})
    assert found["window"]["start"] <= moment < found["window"]["end"]


def test_rows_up_to_a_gap_apart_are_one_session() -> None:
    data = rows((7, "a"), (30, "d"), (51, "e"), (15, "b"), (21, "c"))
    assert told(data, window.session("10 s")) == {(7, 40): "abcd", (51, 61): "e"}
    assert told(rows((0, "a"), (10, "b"), (20.000001, "c")), window.session("10 s")) == {
        (0, 20): "ab",
        (20.000001, 30.000001): "c",
    }


def test_a_row_that_arrives_late_joins_the_session_of_that_time() -> None:
    data = rows((7, "a"), (15, "b"), (51, "c"), (8, "d"), (60, "e"), (90, "f"))
    by_arrival = told(data, window.session("10 s"), order=Order.ARRIVAL)
    assert by_arrival == {(7, 25): "ab", (8, 70): "cde", (90, 100): "f"}


def test_a_trailing_window_leaves_out_the_row_of_one_duration_ago() -> None:
    data = rows((0, "a"), (4, "b"), (5, "c"), (5, "d"), (10, "e"))
    found = expected(
        data, time="t", window=window.trailing("5 s"), keep="v", aggregates={"rows": FREE}
    )
    assert [(r["v"], r["rows"]) for r in found] == [
        ("a", "a"),
        ("b", "ab"),
        ("c", "bc"),
        ("d", "bcd"),
        ("e", "e"),
    ]


def test_rows_of_one_time_follow_each_other_as_they_arrived() -> None:
    data = rows((5, "c"), (5, "a"), (0, "b"))
    assert [r["rows"] for r in _trailing_rows(data, Order.TIME)] == ["b", "bc", "ca"]
    assert [r["rows"] for r in _trailing_rows(data, Order.ARRIVAL)] == ["c", "ca", "ab"]


def _trailing_rows(data: list[dict[str, Any]], order: Order) -> list[dict[str, Any]]:
    two = window.trailing(rows=2)
    return expected(data, time="t", window=two, aggregates={"rows": FREE}, order=order)


def test_a_row_that_arrives_late_is_applied_at_the_latest_time_so_far() -> None:
    data = rows((0, "a"), (9, "b"), (4, "c"), (13, "d"))
    over = window.trailing("5 s")
    assert list(told(data, over, order=Order.ARRIVAL).values()) == ["a", "b", "bc", "bcd"]
    assert list(told(data, over).values()) == ["a", "ac", "b", "bd"]


def test_count_windows_are_told_when_full_or_on_change() -> None:
    data = rows(*((second, name) for second, name in enumerate("abcdefg")))
    over = window.count(3, every=2)
    full = {(0, 2, 0, 2): "abc", (2, 4, 2, 4): "cde", (4, 6, 4, 6): "efg"}
    assert told(data, over) == full
    assert told(data, over, emit=Emit.ON_CHANGE) == full | {(6, 6, 6, 6): "g"}


@pytest.mark.parametrize(
    ("start", "end", "ended", "open_"),
    [
        ("s", None, ["bc", "d"], ["efg"]),
        (None, "e", ["ab", "cd", "ef"], ["g"]),
        ("s", "e", ["b", "d", "ef"], []),
    ],
)
def test_punctuated_windows_run_between_their_marks(
    start: str | None, end: str | None, ended: list[str], open_: list[str]
) -> None:
    starts, ends = "bde", "bdf"
    data = [
        row | {"s": row["v"] in starts or None, "e": row["v"] in ends}
        for row in rows(*((second, name) for second, name in enumerate("abcdefg")))
    ]
    over = window.punctuated(start=start, end=end)
    assert list(told(data, over).values()) == ended
    assert list(told(data, over, emit=Emit.ON_CHANGE).values()) == ended + open_


def test_a_start_ends_the_window_before_it() -> None:
    data = [row | {"s": row["v"] in "ac", "e": row["v"] in "d"} for row in _letters("abcd")]
    assert list(told(data, window.punctuated(start="s", end="e")).values()) == ["ab", "cd"]


def _letters(text: str) -> list[dict[str, Any]]:
    return rows(*((second, name) for second, name in enumerate(text)))


def test_a_policy_evicts_what_keep_refuses_and_what_drop_condemns() -> None:
    data = [row | {"x": x} for row, x in zip(_letters("abcdef"), (3, 1, 2, 5, 4, 1), strict=True)]
    from_peak = window.policy(
        keep=lambda window: window.n <= 2,
        drop=lambda evicted, after, before: evicted.peak <= after.peak,
        using={"n": agg.count(), "peak": agg.max("x")},
    )
    assert list(told(data, from_peak).values()) == ["a", "ab", "bc", "d", "de", "ef"]
    nothing_left = window.policy(keep=lambda window: window.n < 1, using={"n": agg.count()})
    assert set(told(data, nothing_left).values()) == {""}


def test_a_policy_sees_the_neutral_number_where_there_is_no_value() -> None:
    below = window.policy(keep=lambda window: window.peak < 1, using={"peak": agg.max("x")})
    data = [row | {"x": x} for row, x in zip(_letters("abc"), (None, 2, 0), strict=True)]
    assert list(told(data, below).values()) == ["a", "", "c"]


def test_keys_are_apart_and_null_and_nan_are_keys() -> None:
    keys = ["x", None, "x", nan, float("nan"), None, -0.0, 0.0]
    data = [row | {"k": key} for row, key in zip(_letters("abcdefgh"), keys, strict=True)]
    found = expected(
        data, time="t", by="k", window=window.tumbling("1 min"), aggregates={"rows": FREE}
    )
    assert [r["rows"] for r in found] == ["ac", "bf", "de", "gh"]


def test_rows_without_a_time_are_in_no_window() -> None:
    data = [*_letters("a"), {"t": None, "v": "b"}]
    assert told(data, window.trailing(rows=9)) == {(0,): "a"}


def test_several_windows_are_told_by_name() -> None:
    found = expected(
        [row | {"name": 1, "window": 2} for row in _letters("abc")],
        time="t",
        by=["name", "window"],
        windows={"short": window.tumbling("1 s"), "long": window.tumbling("1 min")},
        aggregates={"n": agg.count()},
    )
    assert [(r["name_"], seconds(r["window_"])) for r in found] == [
        ("short", (0, 1)),
        ("short", (1, 2)),
        ("short", (2, 3)),
        ("long", (0, 60)),
    ]
    assert {(r["name"], r["window"]) for r in found} == {(1, 2)}
    assert list(found[0]) == ["name_", "window_", "name", "window", "n"]


def test_times_with_a_zone_are_instants_even_where_clocks_are_set_back() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    twice = [datetime(2024, 10, 27, 2, 30, tzinfo=berlin, fold=fold) for fold in (0, 1)]
    found = expected(
        [{"t": moment} for moment in reversed(twice)],
        time="t",
        window=window.tumbling("1 h"),
        aggregates={"n": agg.count(), "last": agg.last(agg.TIME)},
    )
    assert [r["window"]["start"] for r in found] == [
        datetime(2024, 10, 27, 0, tzinfo=UTC),
        datetime(2024, 10, 27, 1, tzinfo=UTC),
    ]
    assert [r["last"].fold for r in found] == [0, 1]


def test_a_date_is_its_midnight() -> None:
    (found,) = expected(
        [{"t": date(2024, 7, 1)}],
        time="t",
        window=window.tumbling("1 day"),
        aggregates={"n": agg.count()},
    )
    assert found["window"] == {"start": datetime(2024, 7, 1), "end": datetime(2024, 7, 2)}


def test_a_run_of_rising_values_is_a_struct() -> None:
    (found,) = expected(
        rows((0, 1), (5, 2), (9, 1)),
        time="t",
        window=window.tumbling("10 s"),
        aggregates={"run": agg.longest_increasing_run("v")},
    )
    assert found["run"] == {
        "start": at(0),
        "end": at(5),
        "span": timedelta(seconds=5),
        "length": 2,
    }


def test_what_the_oracle_cannot_answer_is_refused_with_a_way_out() -> None:
    counting = {"n": agg.count()}
    with pytest.raises(InputError, match="exactly one must be given"):
        expected([], time="t", aggregates=counting)
    over = window.punctuated(start=object())
    with pytest.raises(InputError, match="name a boolean column"):
        expected(_letters("a"), time="t", window=over, aggregates=counting)
    with pytest.raises(InputError, match=r"use one of windrow\.window"):
        expected(_letters("a"), time="t", window="1 hour", aggregates=counting)  # type: ignore[arg-type]


def test_sums_of_long_decimals_are_exact() -> None:
    most = Decimal("9" * 38)
    rows = [{"at": datetime(2024, 7, 1), "v": value} for value in (most, most, most.copy_negate())]
    (found,) = expected(
        rows, time="at", window=window.tumbling("1 h"), aggregates={"sum": agg.sum("v")}
    )
    assert found["sum"] == most
    check_rows([found], [found])


def test_a_bound_that_python_has_no_datetime_for_is_told() -> None:
    row = {"at": datetime(9999, 12, 31, 23, 59)}
    with pytest.raises(InputError, match="reach beyond the years 1 to 9999"):
        expected([row], time="at", window=window.tumbling("1 day"), aggregates={"n": agg.count()})
