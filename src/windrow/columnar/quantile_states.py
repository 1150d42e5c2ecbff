"""States of exact quantiles: a sorted run of values each, of which windows select.

A window over many states is never put together: its quantile is found by bisecting the runs.
Values are compared by keys, whole numbers in the order of the values: floats by their bits, other
values by their ranks.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, Final, Literal, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra.codec.numbers import decode_numbers, encode_numbers
from windrow.algebra.monoid import PickQuantile
from windrow.algebra.numeric import FLOAT
from windrow.algebra.rounding import all_between
from windrow.columnar.arrays import read_only, whole
from windrow.columnar.inputs import Inputs
from windrow.columnar.object_states import ObjectStates
from windrow.columnar.results import typed
from windrow.columnar.spans import Spans
from windrow.kernels.selection import neighbours

__all__ = ["NumberQuantiles", "ValueQuantiles"]

_LARGEST: Final = np.int64((1 << 63) - 1)


@dataclass(frozen=True)
class _Runs:
    """Values of one state after the other, each state ascending."""

    values: NDArray[Any]
    keys: NDArray[np.int64]  # in the order of the values
    offsets: NDArray[np.int64]  # where each state begins

    @classmethod
    def of(cls, values: NDArray[Any], keys: NDArray[np.int64], states: Sequence[Any]) -> Self:
        """Sorted where they are not: merged objects are only joined."""
        offsets = np.concatenate([[0], np.cumsum([len(own) for own in states], dtype=np.int64)])
        falls = keys[1:] < keys[:-1]
        inner = offsets[(offsets > 0) & (offsets < len(keys))]
        falls[inner - 1] = False
        if falls.any():
            order = np.lexsort((keys, np.repeat(np.arange(len(states)), np.diff(offsets))))
            values, keys = values[order], keys[order]
        return cls(values, keys, offsets)


class _Quantiles(ObjectStates):
    """Windows are answered by selection; `_read` tells how states become runs."""

    def __init__(self, inputs: Inputs) -> None:
        super().__init__(inputs)
        form = inputs.aggregate.monoid.multiset
        assert isinstance(form, PickQuantile)
        self._q = form.q
        self._in_units = pa.types.is_duration(inputs.types[0])

    def lower(self, states: Sequence[pa.Array], result: pa.DataType) -> pa.Array:
        """The result of each state: of a window over it alone."""
        places = np.arange(len(states[0]) + 1)
        return self.over(states, Spans(places[:-1], places[1:]), result)

    def over(self, states: Sequence[pa.Array], spans: Spans, result: pa.DataType) -> pa.Array:
        """The quantile of each window."""
        (column,) = states
        runs = self._read(whole(column).to_pylist())
        counts = runs.offsets[spans.until] - runs.offsets[spans.since]
        held = np.flatnonzero(counts)
        positions = (counts[held] - 1) * self._q
        ranks = np.floor(positions).astype(np.int64)
        since, until = spans.since[held], spans.until[held]
        firsts, seconds = neighbours(
            *map(read_only, (runs.keys, runs.offsets, since, until, ranks))
        )
        lows, highs = runs.values[firsts], runs.values[seconds]
        quantiles = self._between(lows, highs, positions - ranks)
        results = np.zeros(len(counts), quantiles.dtype)
        results[held] = quantiles
        return typed(pa.array(results, mask=counts == 0), result, self._inputs.aggregate)

    @abstractmethod
    def _read(self, encoded: list[bytes | None]) -> _Runs:
        """The values of all states."""

    def _between(
        self, lows: NDArray[Any], highs: NDArray[Any], fars: NDArray[np.float64]
    ) -> NDArray[Any]:
        """What lies so far of the way from the lower neighbours to the higher ones."""
        if self._in_units:
            return all_between(lows, highs, fars)
        low, high = lows.astype(FLOAT), highs.astype(FLOAT)
        # No arithmetic between equal neighbours: of two infinities it would make NaN.
        with np.errstate(all="ignore"):
            mixed = (1 - fars) * low + fars * high
        return np.where((low == high) | (fars == 0), low, mixed)


class NumberQuantiles(_Quantiles):
    """Of floats or 64-bit integers: arrays from rows to results."""

    def __init__(self, inputs: Inputs, dtype: np.dtype[Any]) -> None:
        super().__init__(inputs)
        self._dtype = dtype

    def fold(self, rows: pa.Table, borders: NDArray[np.int64]) -> list[pa.Array]:
        """The rows of each segment, sorted."""
        (numbers,), known = self._inputs.numbers(rows)
        if len(known):
            borders = np.concatenate([[0], np.cumsum(known)])[borders]
            numbers = numbers[known]
        return [self._sorted(numbers, borders)]

    def merge(self, states: Sequence[pa.Array], borders: NDArray[np.int64]) -> list[pa.Array]:
        """The runs of each segment, sorted together."""
        (column,) = states
        encoded = whole(column).to_pylist()
        merged: list[bytes | None] = []
        for start, end in pairwise(borders.tolist()):
            found = [state for state in encoded[start:end] if state is not None]
            if len(found) > 1:
                runs = [decode_numbers(state, self._dtype) for state in found]
                merged.append(encode_numbers(np.sort(np.concatenate(runs), kind="stable")))
            else:
                merged.append(found[0] if found else None)
        return [pa.array(merged, pa.binary())]

    def _sorted(self, numbers: NDArray[Any], borders: NDArray[np.int64]) -> pa.Array:
        # Sorting otherwise is quicker by far, where equal numbers are the same bits.
        twins = self._dtype == FLOAT and _has_twins(numbers)
        kind: Literal["stable"] | None = "stable" if twins else None
        runs = [
            encode_numbers(np.sort(numbers[start:end], kind=kind)) if start < end else None
            for start, end in pairwise(borders.tolist())
        ]
        return pa.array(runs, pa.binary())

    def _read(self, encoded: list[bytes | None]) -> _Runs:
        none = np.empty(0, self._dtype)
        runs = [none if s is None else decode_numbers(s, self._dtype) for s in encoded]
        values = np.concatenate([none, *runs])
        keys = _float_keys(values) if self._dtype == FLOAT else values
        return _Runs.of(values, keys, runs)


class ValueQuantiles(_Quantiles):
    """Of decimals, and of numbers beyond 63 bits."""

    def _read(self, encoded: list[bytes | None]) -> _Runs:
        runs = [() if state is None else tuple(self._decode(state)) for state in encoded]
        values = np.empty(sum(map(len, runs)), object)
        values[:] = [*chain.from_iterable(runs)]
        return _Runs.of(values, _ranks(values), runs)


def _float_keys(floats: NDArray[np.float64]) -> NDArray[np.int64]:
    """Whole numbers in the order of floats: one for both zeros, and the largest for all NaN."""
    bits = floats.view(np.int64)
    keys = np.where(bits < 0, bits ^ _LARGEST, bits)
    keys[floats == 0] = 0
    keys[np.isnan(floats)] = _LARGEST
    return keys


def _ranks(values: NDArray[Any]) -> NDArray[np.int64]:
    """How many smaller values there are of each: equal ones have one rank, and all NaN the last."""
    places = range(len(values))
    known = [place for place in places if values[place] == values[place]]
    ordered = sorted(known, key=values.__getitem__)
    ranks = np.full(len(values), len(values), np.int64)
    rank = 0
    for number, place in enumerate(ordered):
        if values[place] != values[ordered[number - 1]]:
            rank = number
        ranks[place] = rank
    return ranks


def _has_twins(floats: NDArray[np.float64]) -> bool:
    """Whether numbers of different bits may be equal."""
    return bool(np.isnan(floats).any() or np.signbit(floats[floats == 0]).any())
