"""States that are numbers: a column for each of a state's fields, compiled loops over them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.numeric import VALUE, Numeric
from windrow.columnar.answers import Numbers
from windrow.columnar.arrays import ARROW_OF, arrow_of, known_of, numbers_of, read_only, whole
from windrow.columnar.columns import Column
from windrow.columnar.inputs import Inputs
from windrow.columnar.loops import span_columns
from windrow.columnar.results import typed
from windrow.columnar.spans import Spans
from windrow.columnar.task import Task
from windrow.compiler.jit import define
from windrow.kernels.folding import folding_kernel, lowering_kernel
from windrow.kernels.operator import Operator, Part, fields_of, items, make_operator

__all__ = ["NumberStates"]


class NumberStates:
    """The states of an aggregate with a numeric form."""

    def __init__(self, inputs: Inputs, numeric: Numeric) -> None:
        self._inputs = inputs
        self._numeric = numeric
        self._logicals = inputs.logicals()
        self.types = tuple(ARROW_OF[dtype] for dtype in numeric.state)

    def fold(self, rows: pa.Table, borders: NDArray[np.int64]) -> list[pa.Array]:
        """Lift rows and fold the segments between the borders."""
        columns, known = self._inputs.numbers(rows)
        return self._folded(_folding(self._numeric, len(columns)), columns, known, borders)

    def merge(self, states: Sequence[pa.Array], borders: NDArray[np.int64]) -> list[pa.Array]:
        """Fold states as if they were rows, each its own lift."""
        columns, known = _read(states)
        again = _of_states(self._numeric)
        return self._folded(_folding(again, len(columns)), columns, known, borders)

    def lower(self, states: Sequence[pa.Array], result: pa.DataType) -> pa.Array:
        """The result of each state."""
        fields, known = _read(states)
        length = len(states[0])
        results = fields_of(tuple(field.dtype for field in self._numeric.result), length)
        statuses = np.full(length, VALUE, np.uint8)
        _lowering(self._numeric)(fields, known, (results, (statuses,)))
        return self.typed(Numbers(self._numeric.result, results, statuses, {}), result)

    def over(self, states: Sequence[pa.Array], spans: Spans, result: pa.DataType) -> pa.Array:
        """The windows of a roll, over states instead of rows."""
        (answer,) = span_columns([self.task(states)], spans.since, spans.until)
        return self.typed(answer, result)

    def task(self, states: Sequence[pa.Array]) -> tuple[Task, Numeric]:
        """What a roll over states needs to know of them; see `typed` for what it answers."""
        columns, known = _read(states)
        # Always a mask: without one, states might be of another shape, and compiled once more.
        mask = known if len(known) else np.ones(len(states[0]), np.bool_)
        inputs = tuple(
            Column(len(numbers), list, numbers, mask if k == 0 else None)
            for k, numbers in enumerate(columns)
        )
        return Task(self._of_fields, inputs), _of_states(self._numeric)

    def typed(
        self, answer: Numbers, result: pa.DataType, wanted: NDArray[np.int64] | None = None
    ) -> pa.Array:
        """The answers of a roll as results: those at the wanted places, or all."""
        aggregate = self._inputs.aggregate
        if wanted is not None:  # the others may be of no window, and too large for any result
            statuses = None if answer.statuses is None else answer.statuses[wanted]
            arrays = tuple(array[wanted] for array in answer.arrays)
            answer = replace(answer, arrays=arrays, statuses=statuses)
        answer.require_fit(repr(aggregate))
        return typed(replace(answer, logicals=self._logicals).arrow(), result, aggregate)

    @cached_property
    def _of_fields(self) -> Aggregate[Any]:
        """The aggregate as one that reads the fields of a state."""
        monoid = self._inputs.aggregate.monoid
        names = tuple(f"field {k}" for k in range(len(self.types)))
        return Aggregate(replace(monoid, inputs=names, nullable=frozenset()), names)

    def _folded(
        self,
        run: Any,
        columns: tuple[NDArray[Any], ...],
        known: NDArray[np.bool_],
        borders: NDArray[np.int64],
    ) -> list[pa.Array]:
        segments = len(borders) - 1
        fields, seen = fields_of(self._numeric.state, segments), np.empty(segments, np.bool_)
        run(columns, known, read_only(borders), fields, seen)
        first, *others = fields
        return [arrow_of(first, seen), *map(arrow_of, others)]


def _read(states: Sequence[pa.Array]) -> tuple[tuple[NDArray[Any], ...], NDArray[np.bool_]]:
    """The fields of states, and which states are not the identity."""
    arrays = [whole(column) for column in states]
    return tuple(map(numbers_of, arrays)), known_of(arrays[0])


@lru_cache(maxsize=256)
def _of_states(numeric: Numeric) -> Numeric:
    """The same form for rows that are states already."""
    names = [f"x{k}" for k in range(len(numeric.state))]
    source = f"def lift({', '.join(names)}): return ({items(names)})"
    return replace(numeric, lift=define("lift", source))


def _operator(numeric: Numeric, inputs: int) -> Operator:
    return make_operator([Part(numeric, tuple(range(inputs)))])


@lru_cache(maxsize=256)
def _folding(numeric: Numeric, inputs: int) -> Any:
    return folding_kernel(_operator(numeric, inputs))


@lru_cache(maxsize=256)
def _lowering(numeric: Numeric) -> Any:
    return lowering_kernel(_operator(numeric, 0))
