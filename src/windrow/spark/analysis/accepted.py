"""Columns that an aggregate of the catalogue does not take are refused before anything runs."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.registry import Takes
from windrow.columnar.accepted import wanted_by
from windrow.columnar.inputs import TIME_TYPE, reads_time
from windrow.errors import InputError

__all__ = ["require_accepted"]

_WAYS_OUT = {
    Takes.BOOLEANS: "give a condition, e.g. F.col(...) > 0",
    Takes.TEXT: "cast it first: F.col(...).cast('string')",
    Takes.ANYTHING: "take a field of it, or its text: F.to_json(...)",
}
_CAST = "cast it first, e.g. F.col(...).cast('double')"


def require_accepted(
    name: str, aggregate: Aggregate[Any], types: Sequence[pa.DataType], written: str
) -> None:
    """Refuse columns whose type an aggregate does not support; `written` is its name."""
    if not types:
        return
    read = zip(types, reads_time(aggregate), wanted_by(aggregate), strict=True)
    for kind, is_time, wanted in read:
        own = TIME_TYPE if is_time else kind
        if wanted is not None and not pa.types.is_null(own) and not wanted.fits(own):
            raise InputError(
                f"{name}={written} reads a column of type {own}, and takes {wanted.words}; "
                f"{_WAYS_OUT.get(wanted.takes, _CAST)}"
            )
