"""Sample values for every aggregate of the catalogue, as Hypothesis strategies.

A column has one type; its samples have many ties, and what is awkward of that type: NaN, both
infinities and zeros, the ends of 64 bits.  Numbers for arithmetic stay within what a product of
twenty of them can hold: laws are tested up to rounding, and no float law survives overflow.
"""

from datetime import date
from math import inf, nan
from typing import TYPE_CHECKING, Any

from windrow.algebra.registry import Entry, Takes
from windrow.arguments import shown
from windrow.errors import InputError

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["columns_for", "strategies", "strategy_for"]


def strategies() -> Any:
    """Hypothesis' strategies, imported on first use: a program that tests nothing needs none."""
    try:
        import hypothesis.strategies
    except ImportError:
        raise ModuleNotFoundError(
            "windrow.testing draws its values with Hypothesis; pip install hypothesis"
        ) from None
    return hypothesis.strategies


def strategy_for(entry: Entry) -> "SearchStrategy[Any]":
    """A Hypothesis strategy for values that an aggregate takes, comparable with each other.

    >>> from windrow.algebra.lookup import registered
    >>> strategy_for(registered()["any"])
    booleans()
    """
    columns = columns_for(entry)
    if entry.takes is Takes.ANYTHING:
        columns = {name: columns[name] for name in ("integers", "floats", "few values")}
    mixed: SearchStrategy[Any] = strategies().one_of(*columns.values())
    return mixed


def columns_for(entry: Entry) -> dict[str, "SearchStrategy[Any]"]:
    """Hypothesis strategies for values that an aggregate takes, one for each type of column.

    >>> from windrow.algebra.lookup import registered
    >>> sorted(columns_for(registered()["sum"]))
    ['few values', 'floats', 'integers', 'one value']
    """
    if not isinstance(entry, Entry):
        raise InputError(
            f"entry={shown(entry)} is a {type(entry).__name__}; give an entry of the catalogue, "
            'e.g. windrow.algebra.lookup.registered()["sum"]'
        )
    st = strategies()
    match entry.takes:
        case Takes.NUMBERS | Takes.QUANTITIES | Takes.POSITIONS:
            return _numbers()
        case Takes.BOOLEANS:
            return {"booleans": st.booleans()}
        case Takes.TEXT:
            return {"text": _text()}
        case Takes.NUMBER_PAIRS:
            numbers = _numbers()
            return {
                f"{left} with {right}": st.tuples(numbers[left], numbers[right])
                for left, right in (
                    ("floats", "integers"),
                    ("integers", "floats"),
                    ("few values", "few values"),
                )
            }
        case Takes.ANYTHING:
            return {
                **_numbers(),
                "booleans": st.booleans(),
                "dates": st.dates(date(2024, 2, 27), date(2024, 3, 2)),
                "huge floats": st.floats(allow_subnormal=False),
                "huge integers": st.integers(-(1 << 63), (1 << 63) - 1),
                "text": _text(),
            }


def _numbers() -> dict[str, "SearchStrategy[Any]"]:
    st = strategies()
    floats = st.one_of(
        st.floats(1e-6, 1e12),
        st.floats(-1e12, -1e-6),
        st.sampled_from((0.0, -0.0, inf, -inf, nan)),
    )
    return {
        "integers": st.integers(-(10**12), 10**12),
        "floats": floats,
        "few values": st.sampled_from((-1.0, 0.0, 0.5, 2.0)),
        "one value": st.just(1e9 + 0.1),
    }


def _text() -> "SearchStrategy[str]":
    text: SearchStrategy[str] = strategies().text("abz é", max_size=3)
    return text
