"""States of any kind: one column of encoded states, null for the identity; interpreted."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise, starmap
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra.canonical import key
from windrow.algebra.codec import StateCodec
from windrow.algebra.monoid import CountDifferent, PickQuantile
from windrow.algebra.ordering import ascending
from windrow.algebra.rope import Rope
from windrow.columnar.arrays import dtype_of, whole
from windrow.columnar.digits import exactly
from windrow.columnar.inputs import Inputs
from windrow.columnar.packed_values import pack_values, unpack_values
from windrow.columnar.results import typed
from windrow.columnar.spans import Spans, slid
from windrow.columnar.task import monoid_for
from windrow.structures.two_stacks import TwoStacks

__all__ = ["ObjectStates"]


class ObjectStates:
    """The states of an aggregate without a numeric form."""

    types = (pa.binary(),)

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self._monoid = monoid_for(inputs.aggregate, inputs.types)
        codec = StateCodec.of(self._monoid)
        self._encode, self._decode = codec.encode, codec.decode
        kind = inputs.types[0] if inputs.types else None
        self._packs = isinstance(self._monoid.multiset, PickQuantile) and _is_plain_number(kind)
        # Inserted are encoded states.
        self._again = replace(
            self._monoid, lift=codec.decode, inputs=("state",), nullable=frozenset(), numeric=None
        )

    def fold(self, rows: pa.Table, borders: NDArray[np.int64]) -> list[pa.Array]:
        """Lift rows and fold the segments between the borders."""
        if self._packs and (packed := self._packed(rows, borders)) is not None:
            return [packed]
        columns = self._inputs.objects(rows)
        with exactly():
            states = [
                self._of_rows([column[start:end] for column in columns], end - start)
                for start, end in pairwise(borders.tolist())
            ]
        return [self._kept(states)]

    def merge(self, states: Sequence[pa.Array], borders: NDArray[np.int64]) -> list[pa.Array]:
        """Combine the states of each segment."""
        (column,) = states
        unpacked = unpack_values(whole(column)) if self._packs else None
        if unpacked is not None:
            values, places = unpacked
            packed = pack_values(values, places[borders])
            if packed is not None:
                return [packed]
        encoded = whole(column).to_pylist()
        merged: list[bytes | None] = []
        with exactly():
            for start, end in pairwise(borders.tolist()):
                found = [state for state in encoded[start:end] if state is not None]
                if len(found) > 1:
                    merged.append(self._encode(self._joined(map(self._decode, found))))
                else:
                    merged.append(found[0] if found else None)
        return [pa.array(merged, pa.binary())]

    def lower(self, states: Sequence[pa.Array], result: pa.DataType) -> pa.Array:
        """The result of each state."""
        (column,) = states
        lower, identity = self._monoid.lower, self._monoid.identity
        with exactly():
            results = [
                lower(identity if state is None else self._decode(state))
                for state in whole(column).to_pylist()
            ]
        return typed(results, result, self._inputs.aggregate)

    def over(self, states: Sequence[pa.Array], spans: Spans, result: pa.DataType) -> pa.Array:
        """The states of each window in turn, kept on two stacks."""
        (column,) = states
        encoded = whole(column).to_pylist()
        with exactly():
            results = list(slid(TwoStacks(self._again), encoded, spans))
        return typed(results, result, self._inputs.aggregate)

    def _packed(self, rows: pa.Table, borders: NDArray[np.int64]) -> pa.Array | None:
        """The numbers of each segment as states, without making any of them an object."""
        (values,), known = self._inputs.numbers(rows)
        if len(known):
            values, borders = values[known], np.append(0, np.cumsum(known))[borders]
        return pack_values(values[borders[0] : borders[-1]], borders - borders[0])

    def _of_rows(self, columns: Sequence[Sequence[Any]], length: int) -> Any:
        """The state of one segment; the identity itself where nothing counted."""
        form, identity = self._monoid.multiset, self._monoid.identity
        if form is not None:
            (column,) = columns
            values = [value for value in column if value is not None]
            if not values:
                return identity
            if isinstance(form, PickQuantile):
                return Rope(ascending(values))  # sorted runs are sorted in no time
            if isinstance(form, CountDifferent):
                return frozenset(map(key, values))
        if len(columns) == 1 and not self._monoid.nullable:  # what lift_row does, without asking
            return self._joined(map(self._monoid.lift, filter(_is_known, columns[0])))
        rows = zip(*columns, strict=True) if columns else ((),) * length
        lifted = starmap(self._monoid.lift_row, rows)
        return self._joined(state for state in lifted if state is not identity)

    def _joined(self, states: Iterable[Any]) -> Any:
        """All states combined, neighbours of like size first: a set is not copied for each value.

        invariant: the sizes of the waiting states are the binary digits of how many came
        """
        combine = self._monoid.combine
        waiting: list[Any] = []
        for number, state in enumerate(states, 1):
            while not number & 1:
                state = combine(waiting.pop(), state)
                number >>= 1
            waiting.append(state)
        if not waiting:
            return self._monoid.identity
        joined = waiting.pop()
        while waiting:
            joined = combine(waiting.pop(), joined)
        return joined

    def _kept(self, states: Sequence[Any]) -> pa.Array:
        identity = self._monoid.identity
        encoded = [None if s is identity else self._encode(s) for s in states]
        return pa.array(encoded, pa.binary())


def _is_plain_number(kind: pa.DataType | None) -> bool:
    """Whether a column of this type has numbers of 64 bits, and no unit."""
    is_number = kind is not None and (pa.types.is_floating(kind) or pa.types.is_integer(kind))
    return is_number and dtype_of(kind) is not None


def _is_known(value: Any) -> bool:
    return value is not None
