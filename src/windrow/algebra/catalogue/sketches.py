"""Sketches of Apache DataSketches: KLL quantiles (Karnin, Lang and Liberty, 2016), HyperLogLog.

Values stay as they are while they are few, so that lifting one is cheap and small windows are
exact; more of them become a sketch.  A sketch is kept as its own serialised bytes, which are looked
through before the library reads them again (`sketch_bytes`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from math import ceil, floor
from typing import Any, TypeAlias

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.canonical import encode
from windrow.algebra.catalogue.order_statistics import checked_fraction
from windrow.algebra.catalogue.sets import singleton, union
from windrow.algebra.catalogue.sketch_bytes import require_hll, require_kll
from windrow.algebra.monoid import Kind, Monoid
from windrow.algebra.registry import Takes, register
from windrow.arguments import shown, whole
from windrow.errors import AggregateError, SnapshotError

__all__ = [
    "QuantileBounds",
    "Sketch",
    "between_ranks",
    "distinct_bounds",
    "distinct_sketch",
    "quantile_sketch",
    "restored_sketch",
    "tells_ranks_exactly",
    "values_in",
]

# A KLL sketch of k ≥ 64 still holds this many values exactly: becoming one changes no result.
_FEW = 64

# Standard deviations at which counts are bounded: 99.7 % of normal errors, so that bounds of two
# sketches hold together with 99 %, the confidence of a KLL sketch's ranks.
_DEVIATIONS = 3


@register(Takes.QUANTITIES, 0.5, bulky=True)
def quantile_sketch(
    q: float, column: Reads = None, *, k: int = 200
) -> Aggregate[Monoid[Any, float | None]]:
    """An approximate quantile in bounded space: a value whose rank is close to `q`.

    The result is one of the values, not interpolated; its rank is off by about 1.65 % for
    k = 200, less for larger k.  Nulls are skipped; NaN has no rank here and is skipped too; the
    quantile of nothing is null.  Needs `pip install 'windrow[sketches]'`.

    >>> from windrow.testing import fold
    >>> fold(quantile_sketch(0.5), [3, 1, None, 2])
    2.0
    """
    _library()  # better to miss it when a query is written than at the sixty-fifth value
    size = whole(k)
    if size is None or not _FEW <= size <= 65535:
        raise AggregateError(f"k={shown(k)} is not between {_FEW} and 65535; use the default k=200")
    return Aggregate(
        _quantile_sketch(checked_fraction(q, column, "quantile_sketch"), size), (column,)
    )


@register(Takes.ANYTHING, bulky=True)
def distinct_sketch(column: Reads = None, *, lg_k: int = 12) -> Aggregate[Monoid[Any, int]]:
    """The approximate number of different values, in bounded space (2^lg_k bytes).

    The result is off by about 1.6 % for lg_k = 12, half of that for lg_k = 14.  Nulls are skipped;
    NaN equals NaN and 0.0 equals -0.0; nothing has 0 different values.  Takes text, bytes,
    numbers, booleans, dates and times.  Needs `pip install 'windrow[sketches]'`.

    >>> from windrow.testing import fold
    >>> fold(distinct_sketch(), ["a", "b", "a", None])
    2
    """
    _library()
    lg_size = whole(lg_k)
    if lg_size is None or not 7 <= lg_size <= 21:
        raise AggregateError(f"lg_k={shown(lg_k)} is not between 7 and 21; use the default lg_k=12")
    return Aggregate(_distinct_sketch(lg_size), (column,))


@cache
def _library() -> Any:
    try:
        return import_module("datasketches")
    except ImportError:
        raise AggregateError(
            "quantile_sketch and distinct_sketch need the package 'datasketches'; "
            "pip install 'windrow[sketches]'"
        ) from None


@dataclass(frozen=True, eq=False)
class Sketch:
    """A sketch as a state: once made, it is only copied and read."""

    native: Any

    def serialized(self) -> tuple[str, bytes]:
        """The kind of the sketch, and its own bytes."""
        native = self.native
        compact = getattr(native, "serialize_compact", None)
        return type(native).__name__, compact() if compact else native.serialize()

    def __reduce__(self) -> Any:
        return restored_sketch, self.serialized()


_KINDS = {"kll_doubles_sketch": require_kll, "hll_sketch": require_hll}


def restored_sketch(kind: str, serialized: bytes) -> Sketch:
    """What `Sketch.serialized` was called on; refuses what the library could not have written."""
    if kind not in _KINDS:
        raise SnapshotError(
            f"{kind!r} is no kind of sketch that is kept here: the state is damaged, or of another "
            "version; use a copy of the checkpoint or store, or begin with a new one"
        )
    _KINDS[kind](serialized)
    return Sketch(getattr(_library(), kind).deserialize(serialized))


KllState: TypeAlias = tuple[float, ...] | Sketch


def values_in(state: KllState) -> int:
    """How many values a state of `quantile_sketch` is of."""
    return int(state.native.n) if isinstance(state, Sketch) else len(state)


def tells_ranks_exactly(state: KllState) -> bool:
    """Whether the value of every rank is known for certain."""
    if not isinstance(state, Sketch):
        return True
    native = state.native
    # The extremes are kept as they are: where they are one, so are all values.
    return not native.is_estimation_mode() or native.get_min_value() == native.get_max_value()


def between_ranks(state: KllState, lowest: int, highest: int) -> tuple[float, float]:
    """Values that no value of these ranks is below or above; the smallest one's rank is 1.

    All such answers of one sketch hold together, with a confidence of 99 %: its rank error is that
    of the worst of its ranks.
    """
    if not isinstance(state, Sketch):
        ordered = sorted(state)
        return ordered[max(lowest, 1) - 1], ordered[min(highest, len(ordered)) - 1]
    native, number = state.native, values_in(state)
    off = native.normalized_rank_error(False) * number if native.is_estimation_mode() else 0.0
    low, high = native.get_min_value(), native.get_max_value()
    # A rank is looked up in the middle of its step, which rounding does not leave.
    if lowest - off > 1:
        low = native.get_quantile((lowest - off - 0.5) / number, True)
    if highest + off < number:
        high = native.get_quantile((highest + off - 0.5) / number, True)
    return low, high


@dataclass(frozen=True)
class QuantileBounds:
    """Where the exact quantile lies: between the values at its rank less and plus the error."""

    q: float

    def rank(self, values: int) -> int:
        """Which of the sorted values the quantile is, counted from 1."""
        return max(ceil(self.q * values), 1)

    def __call__(self, state: KllState) -> tuple[float, float] | None:
        """The bounds of a state of `quantile_sketch`."""
        if tells_ranks_exactly(state):
            return None
        rank = self.rank(values_in(state))
        return between_ranks(state, rank, rank)


@cache
def _quantile_sketch(q: float, k: int) -> Monoid[Any, float | None]:
    bounds = QuantileBounds(q)

    def combine(older: KllState, newer: KllState) -> KllState:
        if isinstance(older, tuple) and isinstance(newer, tuple):
            together = older + newer
            if len(together) <= _FEW:
                return together
            return Sketch(_filled(_library().kll_doubles_sketch(k), together))
        if isinstance(newer, tuple):
            return _kll_with(older, newer)
        if isinstance(older, tuple):
            return _kll_with(newer, older)
        merged = _copied(older)
        merged.merge(newer.native)
        return Sketch(merged)

    def lower(state: KllState) -> float | None:
        if isinstance(state, Sketch):
            quantile: float = state.native.get_quantile(q, True)
            return quantile
        return sorted(state)[bounds.rank(len(state)) - 1] if state else None

    return Monoid(
        name="quantile_sketch",
        parameters=f"{q}, k={k}",
        lift=_lift_number,
        combine=combine,
        lower=lower,
        identity=(),
        kind=Kind.SKETCH,
        commutative=True,
        bounds=bounds,
    )


def _lift_number(value: Any) -> KllState:
    number = float(value)
    return (number,) if number == number else ()


def _kll_with(state: Any, few: tuple[float, ...]) -> KllState:
    return Sketch(_filled(_copied(state), few)) if few else state


def _copied(state: Sketch) -> Any:
    return state.native.__copy__()


def _filled(sketch: Any, values: Iterable[Any]) -> Any:
    for value in values:
        sketch.update(value)
    return sketch


HllState: TypeAlias = frozenset[Any] | Sketch


def distinct_bounds(state: HllState) -> tuple[int, int] | None:
    """Between which numbers the exact one of a state of `distinct_sketch` lies."""
    if not isinstance(state, Sketch):
        return None
    native = state.native
    low, high = native.get_lower_bound(_DEVIATIONS), native.get_upper_bound(_DEVIATIONS)
    # Outwards, though the number is whole: of few values the error is how many hashes collide,
    # which has a longer tail than the library reckons with.
    return floor(low), ceil(high)


@cache
def _distinct_sketch(lg_k: int) -> Monoid[Any, int]:
    def sketch_of(state: HllState) -> Any:
        if isinstance(state, Sketch):
            return state.native
        texts = (encode(value).decode("latin-1") for value in state)
        return _filled(_library().hll_sketch(lg_k, _library().tgt_hll_type.HLL_8), texts)

    def combine(older: HllState, newer: HllState) -> HllState:
        if isinstance(older, frozenset) and isinstance(newer, frozenset):
            together = union(older, newer)
            return together if len(together) <= _FEW else Sketch(sketch_of(together))
        if not older or not newer:
            return older or newer
        both = _library().hll_union(lg_k)
        both.update(sketch_of(older))
        both.update(sketch_of(newer))
        return Sketch(both.get_result(_library().tgt_hll_type.HLL_8))

    def lower(state: HllState) -> int:
        if isinstance(state, Sketch):
            estimate: float = state.native.get_estimate()
            return round(estimate)
        return len(state)

    return Monoid(
        name="distinct_sketch",
        parameters=f"lg_k={lg_k}",
        lift=singleton,
        combine=combine,
        lower=lower,
        identity=frozenset(),
        kind=Kind.SKETCH,
        commutative=True,
        neutral=0,
        bounds=distinct_bounds,
    )
