"""One aggregate of a roll and the columns it reads."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.catalogue.order_statistics import units_quantile
from windrow.algebra.lookup import entry_of
from windrow.algebra.monoid import Monoid, PickQuantile, numeric_of
from windrow.algebra.numeric import Dtypes, Numeric
from windrow.algebra.registry import Takes
from windrow.columnar.columns import Column

__all__ = ["Task", "monoid_for", "numeric_form", "reads_measures"]


def numeric_form(
    aggregate: Aggregate[Any], dtypes: Dtypes, kinds: Sequence[pa.DataType | None]
) -> Numeric | None:
    """The numeric form for columns of these types, if there is one."""
    monoid = aggregate.monoid
    if monoid.durations is not None and any(map(_is_duration, kinds)):
        return numeric_of(replace(monoid, numeric=monoid.durations), dtypes)
    return numeric_of(monoid, dtypes)


def monoid_for(aggregate: Aggregate[Any], kinds: Sequence[pa.DataType | None]) -> Monoid[Any, Any]:
    """The monoid for columns of these types: quantiles of durations are whole numbers too."""
    monoid: Monoid[Any, Any] = aggregate.monoid
    if isinstance(monoid.multiset, PickQuantile) and any(map(_is_duration, kinds)):
        return replace(monoid, lower=partial(units_quantile, q=monoid.multiset.q))
    return monoid


def reads_measures(aggregate: Aggregate[Any]) -> bool:
    """Whether durations are read as numbers of their unit, and results are of that unit again."""
    entry = entry_of(aggregate)
    return entry is not None and entry.takes is Takes.QUANTITIES


def _is_duration(kind: pa.DataType | None) -> bool:
    return kind is not None and bool(pa.types.is_duration(kind))


@dataclass(frozen=True, eq=False)
class Task:
    """An aggregate, and for each of its inputs a column."""

    aggregate: Aggregate[Any]
    columns: tuple[Column, ...]

    def numeric(self) -> Numeric | None:
        """The numeric form for these columns, if both the aggregate and the columns have one."""
        dtypes = []
        for name, column in zip(self._inputs, self.columns, strict=True):
            # A null that does not skip its row would have to be a state, which numbers cannot be.
            if column.numbers is None or (name in self._nullable and column.mask is not None):
                return None
            dtypes.append(column.numbers.dtype)
        return numeric_form(
            self.aggregate, tuple(dtypes), [column.logical for column in self.columns]
        )

    def mask(self) -> NDArray[np.bool_] | None:
        """Which rows count; None if all do."""
        mask = None
        for name, column in zip(self._inputs, self.columns, strict=True):
            if column.mask is not None and name not in self._nullable:
                mask = column.mask if mask is None else mask & column.mask
        return mask

    def logicals(self) -> dict[str, pa.DataType | None]:
        """The logical types that results can inherit."""
        named = zip(self._inputs, self.columns, strict=True)
        logicals = {name: column.logical for name, column in named}
        value, time = logicals.get("value"), logicals.get("time")
        if _is_duration(value):
            logicals["value duration"] = value
        if time is not None and pa.types.is_timestamp(time):
            logicals["time span"] = pa.duration("us")
        return logicals

    def objects(self) -> Sequence[Sequence[Any]]:
        """The columns as Python values."""
        if reads_measures(self.aggregate):
            return self.plain_numbers()
        return [column.objects() for column in self.columns]

    def plain_numbers(self) -> Sequence[Sequence[Any]]:
        """The columns as Python's numbers, as far as they are numbers to kernels."""
        return [column.plain_numbers() for column in self.columns]

    @property
    def _inputs(self) -> tuple[str, ...]:
        inputs: tuple[str, ...] = self.aggregate.monoid.inputs
        return inputs

    @property
    def _nullable(self) -> frozenset[str]:
        nullable: frozenset[str] = self.aggregate.monoid.nullable
        return nullable
