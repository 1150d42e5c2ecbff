"""Punctuated windows take a column, by name or as an expression, for either edge."""

from decimal import Decimal
from typing import Any, NoReturn

import pytest

from windrow import window
from windrow.errors import WindowError
from windrow.windows import Punctuated


class Expression:
    """Behaves like the column expressions of Spark and polars."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> "Expression":  # type: ignore[override]
        return Expression()

    def __bool__(self) -> NoReturn:
        raise ValueError("an expression has no truth value")

    def __repr__(self) -> str:
        return "Expression()"


def test_either_edge_or_both_may_be_marked() -> None:
    assert window.punctuated(start="on") == Punctuated("on", None)
    assert window.punctuated(end="off") == Punctuated(None, "off")
    assert window.punctuated("on", "off") == Punctuated(start="on", end="off")
    assert window.punctuated(start="on") != window.punctuated(end="on")
    assert window.punctuated(start="on") != "on"


def test_an_expression_may_mark_rows() -> None:
    expression = Expression()
    marked = window.punctuated(start=expression)
    assert marked.start is expression
    assert repr(marked) == "punctuated(start=Expression())"


def test_windows_marked_by_expressions_are_equal_when_the_expression_is_the_same() -> None:
    expression = Expression()
    assert window.punctuated(end=expression) == window.punctuated(end=expression)
    assert hash(window.punctuated(end=expression)) == hash(window.punctuated(end=expression))
    assert window.punctuated(end=expression) != window.punctuated(end=Expression())


def test_marking_no_row_is_refused() -> None:
    with pytest.raises(WindowError, match=r"^start=None and end=None .*at least one.*start=\"igni"):
        window.punctuated()


@pytest.mark.parametrize("marker", ["", True, False, 0, 3, 1.5, Decimal(1)])
def test_what_names_no_column_is_refused(marker: Any) -> None:
    with pytest.raises(WindowError, match=r"^start=.* does not mark rows; give the name of a bool"):
        window.punctuated(start=marker)
    with pytest.raises(WindowError, match=r"^end=.* does not mark rows; .*e\.g\. end=\"ignition"):
        window.punctuated(start="on", end=marker)
