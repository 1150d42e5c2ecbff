"""Whether a query answered what it should: the same rows, whatever their order."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from windrow.columnar.digits import exactly
from windrow.testing import given
from windrow.testing.closeness import close

__all__ = ["check_rows"]

_SHOWN = 5


def check_rows(
    found: Any,
    wanted: Iterable[Mapping[str, Any]],
    *,
    tolerance: float = 1e-9,
    scale: float = 1.0,
) -> None:
    """Check that a query gave the wanted rows, each as often as wanted, in any order.

    `found` is a DataFrame, or rows as dicts.  Floats may differ by `tolerance`, relative to their
    own size or to `scale`, the size of the values they were computed from.  Decimals are compared
    in the digits that both have.  Raises `AssertionError` with the rows that are missing, and those
    that are not wanted.

    >>> check_rows([{"n": 1}, {"n": 2}], [{"n": 2}, {"n": 3}])
    Traceback (most recent call last):
    AssertionError: of 2 wanted rows 1 missing, of 2 found rows 1 not wanted
    missing: {'n': 3}
    not wanted: {'n': 1}
    """
    tolerance, scale = given.share(tolerance, "tolerance"), given.share(scale, "scale")
    extra = _by_identity(map(_plain, rows_of(found)))
    missing = []
    counts = [sum(map(len, extra.values())), 0]
    for row in map(_plain, given.rows(wanted, "wanted")):
        counts[1] += 1
        candidates = extra.get(_identity(row), [])
        for place, candidate in enumerate(candidates):
            if _same(candidate, row, tolerance, scale):
                del candidates[place]
                break
        else:
            missing.append(row)
    left = [row for rows in extra.values() for row in rows]
    if missing or left:
        raise AssertionError(
            f"of {counts[1]} wanted rows {len(missing)} missing, "
            f"of {counts[0]} found rows {len(left)} not wanted"
            + "".join(f"\nmissing: {row}" for row in missing[:_SHOWN])
            + "".join(f"\nnot wanted: {row}" for row in left[:_SHOWN])
        )


def rows_of(found: Any) -> list[dict[str, Any]]:
    """The rows of a DataFrame as dicts, structs in them too; rows given as dicts are as they are.

    Arrow gives times with their zone, where `collect()` would drop it.
    """
    rows = found.toArrow().to_pylist() if hasattr(found, "toArrow") else found
    return [dict(row) for row in given.rows(rows, "found")]


def _by_identity(rows: Iterable[dict[str, Any]]) -> dict[Any, list[dict[str, Any]]]:
    found: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(_identity(row), []).append(row)
    return found


def _identity(row: Mapping[str, Any]) -> frozenset[Any]:
    """What a row can be found by, since it admits no rounding: its times and texts."""
    return frozenset(
        (name, repr(sorted(value.items()) if isinstance(value, dict) else value))
        for name, value in row.items()
        if isinstance(value, datetime | str) or name == "window"
    )


def _plain(value: Any) -> Any:
    """Tuples as lists, and times in UTC: those of a doubled hour equal none of another zone."""
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value.astimezone(UTC) if isinstance(value, datetime) and value.tzinfo else value


def _same(one: Any, other: Any, tolerance: float, scale: float) -> bool:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        if one.keys() != other.keys():
            return False
        other = {name: other[name] for name in one}
    one, other = (
        list(value.values()) if isinstance(value, Mapping) else value for value in (one, other)
    )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(
            _same(a, b, tolerance, scale) for a, b in zip(one, other, strict=True)
        )
    if isinstance(one, Decimal) and isinstance(other, Decimal):
        return _same_digits(one, other)
    return close(one, other, tolerance=tolerance, scale=scale)


def _same_digits(one: Decimal, other: Decimal) -> bool:
    coarser = max(one, other, key=lambda number: number.as_tuple().exponent)
    with exactly():  # which rounds half up, as Spark does
        return one.quantize(coarser) == other.quantize(coarser)
