"""What the tools for tests are given by mistake is refused with argument, value and way out."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import strategies as st

from windrow import agg, testing, window
from windrow.errors import WindrowError
from windrow.plan import Described, Description, choose
from windrow.windows import describe, require_one_shape

NOON = datetime(2024, 7, 1, 12)
ROWS = [{"t": NOON, "k": "a", "v": 3}, {"t": NOON.replace(hour=13), "k": "a", "v": 4}]
MINUTES = window.tumbling("1 min")


def expected(rows: Any = ROWS, **changed: Any) -> list[dict[str, Any]]:
    query: dict[str, Any] = {"time": "t", "by": "k", "aggregates": {"n": agg.count()}}
    return testing.expected(rows, **{**query, "window": MINUTES, **changed})


def described(**changed: Any) -> Any:
    part = Described("n", "count()", True, True, True, True, True)
    query: dict[str, Any] = {"windows": (("", MINUTES),), "aggregates": (part,)}
    return choose(Description(**{**query, "streaming": False, **changed}))


MISTAKES: dict[str, tuple[Callable[[], Any], str]] = {
    "rows": (lambda: expected(3), "rows=3"),
    "one row": (lambda: expected(ROWS[0]), "rows="),
    "rows of text": (lambda: expected(["a"]), "rows has the row 'a'"),
    "time": (lambda: expected(time=3), "time=3"),
    "another time": (lambda: expected(time="ts"), "time='ts' is no column"),
    "numbers for times": (lambda: expected([{"t": 1, "k": "a"}]), "time='t' is 1, a int"),
    "zones": (
        lambda: expected([*ROWS, {"t": NOON.replace(tzinfo=UTC), "k": "a"}]),
        "has a zone in",
    ),
    "key": (lambda: expected(by="key"), "by='key' is no column"),
    "keys": (lambda: expected(by=3), "by=3"),
    "kept": (lambda: expected(keep=[3]), r"keep=\[3\]"),
    "aggregates": (lambda: expected(aggregates=3), "aggregates=3"),
    "an aggregate without a name": (lambda: expected(aggregates=agg.count()), "aggregates=count"),
    "an aggregate that is none": (lambda: expected(aggregates={"n": 3}), "n=3"),
    "windows": (lambda: expected(window=None, windows={}), "windows={}"),
    "order": (lambda: expected(order="backwards"), "order='backwards'"),
    "emit": (lambda: expected(emit=3), "emit=3"),
    "marker": (lambda: expected(window=window.punctuated(end="end")), "marker='end'"),
    "values": (lambda: testing.fold(agg.sum(), 3), "values=3"),  # type: ignore[arg-type]
    "found": (lambda: testing.check_rows(3, []), "found=3"),
    "found tuples": (lambda: testing.check_rows([(1, 2)], []), r"found has the row \(1, 2\)"),
    "wanted": (lambda: testing.check_rows([], 3), "wanted=3"),  # type: ignore[arg-type]
    "tolerance": (lambda: testing.check_rows([], [], tolerance=-1), "tolerance=-1"),
    "scale": (lambda: testing.check_rows([], [], scale="1"), "scale='1'"),  # type: ignore[arg-type]
    "strategy": (lambda: testing.check_monoid_laws(agg.sum(), [1]), r"strategy=\[1\]"),  # type: ignore[arg-type]
    "equal": (
        lambda: testing.check_monoid_laws(agg.sum(), st.integers(), equal=3),  # type: ignore[arg-type]
        "equal=3",
    ),
    "entry": (lambda: testing.strategy_for("sum"), "entry='sum'"),  # type: ignore[arg-type]
    "spark": (lambda: testing.Feed(3, "t timestamp", time="t"), "spark=3"),  # type: ignore[arg-type]
    "duration": (lambda: describe("1 h"), "us='1 h'"),  # type: ignore[arg-type]
    "long duration": (lambda: describe(10**5000), "us=<an int"),
    "no shape": (lambda: require_one_shape({}), "windows={}"),
    "shape of no window": (lambda: require_one_shape({"a": 3}), "a=3"),  # type: ignore[dict-item]
    "query": (lambda: choose(3), "query=3"),  # type: ignore[arg-type]
    "described windows": (lambda: described(windows=()), r"windows=\(\)"),
    "described aggregates": (lambda: described(aggregates=(3,)), r"aggregates=\(3,\)"),
    "described keys": (lambda: described(keys=None), "keys=None"),
    "described strategy": (lambda: described(forced="kernel"), "forced='kernel'"),
    "described order": (lambda: described(order="time"), "order='time'"),
    "described lateness": (lambda: described(lateness_ms="1 s"), "lateness_ms='1 s'"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_by_its_argument_and_value(mistake: str) -> None:
    call, told = MISTAKES[mistake]
    with pytest.raises(WindrowError, match=told) as caught:
        call()
    assert ";" in str(caught.value)


def test_options_are_read_as_queries_read_them() -> None:
    """As text they were neither of the two, and the oracle answered another question."""
    back = [{"t": NOON.replace(hour=hour), "k": "a", "v": hour} for hour in (13, 12)]
    lasts = {"window": window.trailing(rows=2), "aggregates": {"last": agg.last("v")}}
    assert [row["last"] for row in expected(back, order="time", **lasts)] == [12, 13]
    assert [row["last"] for row in expected(back, order="arrival", **lasts)] == [13, 12]
    threes = window.count(3)
    assert expected(window=threes) == []
    assert [row["n"] for row in expected(window=threes, emit="on_change")] == [2]
