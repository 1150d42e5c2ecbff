"""AMTA in compiled code: the protocol of `Amta` for numbers, and whole batches at a time.

A call from Python costs microseconds, the work itself nanoseconds: `extend` and `advance` take
columns of updates, so that a stream can be kept up with.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from windrow.algebra.aggregate import Aggregate, Aggregation, Product, as_aggregation, marks_of
from windrow.algebra.monoid import numeric_of
from windrow.algebra.numeric import BOOL, FLOAT, INT, NULL, OVERFLOW, VALUE, Numeric, is_bare
from windrow.arguments import shown
from windrow.compiler.fingerprint import fingerprint
from windrow.errors import AggregateError, InputError, ResultOverflowError, StoreError, WindowError
from windrow.kernels.forest import EVICTED, Cells, larger_forest, new_forest, size_of
from windrow.kernels.operator import Operator, Part, make_operator
from windrow.kernels.pages import Paging, paged_nodes
from windrow.kernels.policy import Watched, judge_code
from windrow.kernels.steps import Steps, make_steps
from windrow.structures.base import Snapshot, require_evictable, require_own
from windrow.structures.contents import require_policy
from windrow.structures.given import columns_of, dtypes_of
from windrow.windows import Check, Policy

__all__ = ["CompiledAmta"]

_Arrays: TypeAlias = tuple[NDArray[Any], ...]

_FIRST_CAPACITY = 1024


class CompiledAmta:
    """`Amta` in compiled code, for windows of numbers.

    `dtypes` are the types of the columns that the aggregates read, float64 by default; an update is
    one number, or a tuple of numbers if the aggregates read several.  None is skipped.

    >>> from windrow import agg
    >>> window = CompiledAmta(agg.max())
    >>> window.extend([3.0, 1.0, 4.0, 1.0, 5.0])
    >>> window.evict(4)
    >>> window.query()
    5.0
    """

    _paging: Paging | None = None  # how the forest is put into pages, if it is
    _is_sliding = False  # whether a slide began and could not end

    def __init__(
        self,
        monoid: Aggregation,
        policy: Policy | None = None,
        dtypes: tuple[Any, ...] | None = None,
    ) -> None:
        require_policy(policy)
        asked = as_aggregation(monoid, "monoid")
        self._named = asked.parts if isinstance(asked, Product) else (("", asked),)
        self._bare = isinstance(asked, Aggregate)
        watched = () if policy is None else policy.using
        self._aggregates: list[Aggregate[Any]] = [part for _, part in (*self._named, *watched)]
        self._dtypes = self._resolved(dtypes)
        forms = [self._numeric(aggregate) for aggregate in self._aggregates]
        self._forms = forms[: len(self._named)]
        # All that read values have a mask, so that nulls may come at any time; rows are counted.
        parts = tuple(
            Part(form, tuple(range(len(aggregate.columns))), 0 if aggregate.columns else None)
            for form, aggregate in zip(forms, self._aggregates, strict=True)
        )
        predicates = (None, None) if policy is None else (policy.keep, policy.drop)
        self._operator, self._steps = _code(
            parts,
            len(self._named),
            self._watched(policy),
            predicates,
            fingerprint(*predicates),
            self._paging,
        )
        # Two aggregates of a user's may have one name; what their states are made of must match.
        kept = [*self._dtypes, *self._operator.state]
        marks = marks_of(self._aggregates)
        self._description = f"{self._aggregates!r} of {[d.name for d in kept]}{marks}"
        self._begin()

    def _begin(self) -> None:
        """Start with an empty window."""
        self._hold(new_forest(self._operator, _FIRST_CAPACITY))
        self._steps.reset(self._address)

    def _serve(self) -> None:
        """Make it possible to go on: there was no room for another update."""
        self._hold(larger_forest(self._operator, self._cells))

    def _resolved(self, dtypes: tuple[Any, ...] | None) -> tuple[np.dtype[Any], ...]:
        arities = {len(a.columns) for a in self._aggregates} - {0}
        if len(arities) > 1 or any(c is not None for a in self._aggregates for c in a.columns):
            raise AggregateError(
                f"{self._aggregates!r} do not all read the same update; "
                "use aggregates without column names that read as many numbers each"
            )
        arity = max(arities, default=1)
        found = (FLOAT,) * arity if dtypes is None else dtypes_of(dtypes)
        if len(found) != arity or any(d not in (FLOAT, INT, BOOL) for d in found):
            raise AggregateError(
                f"dtypes={shown(dtypes)}; give float64, int64 or bool for each of {arity} column(s)"
            )
        return found

    def _numeric(self, aggregate: Aggregate[Any]) -> Numeric:
        numeric = numeric_of(aggregate.monoid, self._dtypes[: len(aggregate.columns)])
        if numeric is None:
            raise AggregateError(
                f"{aggregate!r} has no numeric form for {[d.name for d in self._dtypes]}; use Amta"
            )
        return numeric

    def _watched(self, policy: Policy | None) -> tuple[Watched, ...]:
        if policy is None:
            return ()
        if policy.check is Check.VERIFY:
            raise WindowError("check=Check.VERIFY is not for compiled windows; use Amta to verify")
        first = len(self._named)
        return tuple(
            Watched(name, first + k, aggregate.monoid.neutral)
            for k, (name, aggregate) in enumerate(policy.using)
        )

    def _hold(self, cells: Cells) -> None:
        self._cells, self._address = cells, cells.ctypes.data

    def __len__(self) -> int:
        return size_of(self._cells)

    def insert(self, value: Any) -> None:
        """Append one update, the newest."""
        row = value if isinstance(value, tuple | list) else (value,)
        if len(row) != len(self._dtypes):
            raise InputError(f"insert({shown(value)}): give {len(self._dtypes)} number(s)")
        self._extend(*self._columns([[number] for number in row]))

    def extend(self, *columns: ArrayLike) -> None:
        """Append many updates: one array for each number of an update; masked values are null."""
        self._extend(*self._columns(columns))

    def advance(self, *columns: ArrayLike) -> Any:
        """For each update: insert it, evict the oldest and query; returns the results.

        The window keeps its size; null results are masked.
        """
        self._is_sliding = False
        read, masks = self._columns(columns)
        out = self._room(len(read[0]))
        row, end = 0, len(read[0])
        while row < end:
            row = self._steps.advance(read, masks, row, end, self._address, out)
            if row < end:
                try:
                    self._serve()
                except StoreError as failure:  # rows before this one have happened
                    failure.results = self._answered(_first(out, row), _masked)
                    raise
        return self._answered(out, _masked)

    def evict(self, count: int = 1) -> None:
        """Remove the oldest `count` updates in one operation."""
        self._is_sliding = False
        position = self._cells.item(EVICTED) + require_evictable(count, len(self))
        while not self._steps.evict_to(self._address, position):
            self._serve()

    def query(self) -> Any:
        """The aggregate of all updates in the window."""
        out = self._room(1)
        self._steps.answer(self._address, out)
        return self._answered(
            out, lambda array, status: array[0].item() if status[0] == VALUE else None
        )

    def slide(self) -> int:
        """Enforce the slide policy; return how many updates were evicted."""
        if self._steps.slide is None:
            raise WindowError(
                "CompiledAmta was built without a policy; give policy=window.policy(...)"
            )
        held = len(self)
        while held and not self._steps.slide(self._address, self._is_sliding):
            self._is_sliding = True  # should serving fail, the next call goes on with this slide
            self._serve()
        self._is_sliding = False
        return held - len(self)

    def snapshot(self) -> Snapshot:
        """The structure as data, which later changes of the window do not affect."""
        return Snapshot("CompiledAmta", self._description, (self._cells.copy(),))

    def restore(self, snapshot: Snapshot) -> None:
        """Resume from a snapshot of a window with the same aggregates."""
        require_own(snapshot, "CompiledAmta", self._description)
        self._hold(snapshot.data[0].copy())

    def _columns(self, columns: Sequence[ArrayLike]) -> tuple[_Arrays, _Arrays]:
        """The columns as compiled code reads them, and the mask of updates that are not null."""
        read, masks = columns_of(columns, self._dtypes)
        return read, (np.logical_and.reduce(masks),)

    def _extend(self, columns: _Arrays, masks: _Arrays) -> None:
        self._is_sliding = False
        row, end = 0, len(columns[0])
        while row < end:
            row = self._steps.extend(columns, masks, row, end, self._address)
            if row < end:
                self._serve()

    def _room(self, rows: int) -> tuple[Any, Any]:
        results = tuple(np.empty(rows, f.dtype) for form in self._forms for f in form.result)
        return results, tuple(np.full(rows, VALUE, np.uint8) for _ in self._forms)

    def _answered(self, out: tuple[Any, Any], read: Any) -> Any:
        """The results by name, each read by the given function; a tuple where it has fields."""
        results, statuses = out
        answers, start = {}, 0
        for (name, aggregate), form, status in zip(self._named, self._forms, statuses, strict=True):
            if (status == OVERFLOW).any():
                raise ResultOverflowError(
                    f"{aggregate!r} does not fit 64 bits; use float64, dtypes=('float64',)"
                )
            fields = [read(results[start + k], status) for k in range(len(form.result))]
            answers[name] = fields[0] if is_bare(form.result) else tuple(fields)
            start += len(fields)
        return answers[""] if self._bare else answers


@lru_cache(maxsize=256)
def _code(
    parts: tuple[Part, ...],
    answered: int,
    watched: tuple[Watched, ...],
    predicates: tuple[Any, Any],
    mark: str | None,  # what the predicates are now: what they refer to may change
    paging: Paging | None,
) -> tuple[Operator, Steps]:
    """What windows of the same aggregates and policy share."""
    operator = make_operator(parts, answered)
    judge = judge_code(operator, watched, *predicates) if watched else None
    nodes = None if paging is None else paged_nodes(operator, paging)
    return operator, make_steps(operator, judge, nodes)


def _first(out: tuple[Any, Any], rows: int) -> tuple[Any, Any]:
    results, statuses = out
    return tuple(each[:rows] for each in results), tuple(each[:rows] for each in statuses)


def _masked(array: NDArray[Any], status: NDArray[np.uint8]) -> Any:
    null = status == NULL
    return np.ma.masked_array(array, null) if null.any() else array
