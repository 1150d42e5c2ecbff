"""When two sets of rows count as the same."""

from datetime import UTC, datetime
from decimal import Decimal
from math import nan
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from windrow.testing import check_rows

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        ([], []),
        ([{"n": 1}, {"n": 2}, {"n": 1}], [{"n": 1}, {"n": 1}, {"n": 2}]),
        (
            [{"k": "a", "v": 0.1 + 0.2}, {"k": "a", "v": nan}],
            [{"k": "a", "v": nan}, {"k": "a", "v": 0.3}],
        ),
        ([{"t": NOON.astimezone(ZoneInfo("Europe/Berlin"))}], [{"t": NOON}]),
        ([{"run": {"start": 1, "length": 2}}], [{"run": (1, 2)}]),
        ([{"mean": Decimal("0.3333")}], [{"mean": Decimal(1) / Decimal(3)}]),
        ([{"window": {"start": 1, "end": 2}}], [{"window": {"end": 2, "start": 1}}]),
    ],
)
def test_rows_in_any_order_are_the_same(found: Any, wanted: Any) -> None:
    check_rows(found, wanted)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        ([{"n": 1}], [{"n": 1}, {"n": 1}]),
        ([{"n": 1}], []),
        ([{"n": None}], [{"n": nan}]),
        ([{"n": None}], [{"n": 0}]),
        ([{"n": 1}], [{"m": 1}]),
        ([{"t": NOON}], [{"t": NOON.replace(tzinfo=None)}]),
        ([{"v": [1, 2]}], [{"v": [2, 1]}]),
        ([{"mean": Decimal("0.3334")}], [{"mean": Decimal(1) / Decimal(3)}]),
        ([{"window": {"start": 1, "end": 2}}], [{"window": {"start": 1, "end": 3}}]),
    ],
)
def test_other_rows_are_not_the_same(found: Any, wanted: Any) -> None:
    with pytest.raises(AssertionError, match=r"wanted rows \d+ missing"):
        check_rows(found, wanted)
