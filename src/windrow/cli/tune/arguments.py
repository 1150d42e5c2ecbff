"""What `windrow tune` is given, read: an aggregate, a window, and a target."""

import re
from typing import Any

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.lookup import registered
from windrow.approximate.tuning import Target
from windrow.cli.quantities import read_bytes, read_share
from windrow.errors import InputError
from windrow.jobs.expressions import ExpressionError, read_aggregate
from windrow.windows import TrailingRows, TrailingTime, microseconds

__all__ = ["read_asked", "read_target", "read_window"]

_MOST_DIGITS = 15
_ERROR = "give a share of the result above 0, such as 0.1% or 0.001"


def read_asked(aggregate: str, column: str | None) -> Aggregate[Any]:
    """The aggregate: `mean` of a column, or a call as in job files, `stddev(temp, ddof=0)`."""
    from windrow.approximate.tuning.trial import tunable

    is_call = "(" in aggregate
    if is_call and column is not None:
        raise InputError(
            f"--aggregate {aggregate} names its column, and --column {column} does too; leave one "
            "of them out"
        )
    name = aggregate.partition("(")[0].strip()
    if name in registered() and name not in tunable():
        raise InputError(
            f"--aggregate {name} has no compiled window of buckets; give one of "
            f"{', '.join(tunable())}"
        )
    if column is None and name in tunable() and not is_call and name != "count":
        raise InputError(f"--aggregate {name} reads a column; name it, as in --column temp")
    text = aggregate if is_call else f"{name}({'' if column is None else repr(column)})"
    try:
        return read_aggregate(text)
    except ExpressionError as error:
        raise InputError(f"--aggregate {aggregate}: {error}") from None


def read_window(text: str, time: str | None) -> TrailingRows | TrailingTime:
    """A number of rows, or a duration."""
    if re.fullmatch(r"[0-9][0-9_,]*", text.strip()):
        digits = re.sub("[_,]", "", text.strip())
        rows = int(digits) if len(digits) <= _MOST_DIGITS else 0
        if rows < 2:
            raise InputError(
                f"--window {text}: give a number of rows from 2 to {10**_MOST_DIGITS - 1:,}, such "
                "as --window 10000"
            )
        return TrailingRows(rows)
    duration_us = microseconds(text, "--window")
    if time is None:
        raise InputError(
            f"--window {text!r} is a time, and the sample's rows have none; say which column has "
            "it, --time ts, or give a number of rows, --window 10000"
        )
    return TrailingTime(duration_us)


def read_target(error: str | None, size: str | None) -> Target:
    """The largest error or the most bytes, if one of them is given."""
    if error is not None and size is not None:
        raise InputError(
            f"--target-error {error} and --target-bytes {size}: give one of them; the frontier "
            "shows what the other one is then"
        )
    if error is not None:
        return Target(error=_share(error))
    return Target(bytes=None if size is None else int(read_bytes(size, "--target-bytes")))


def _share(text: str) -> float:
    share = read_share(text, "--target-error", _ERROR)
    if not share:
        raise InputError(f"--target-error {text}: {_ERROR}")
    return share
