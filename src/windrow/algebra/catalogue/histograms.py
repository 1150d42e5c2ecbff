"""Histograms: how many values fall into each bin."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from itertools import islice, pairwise
from math import ceil, floor
from operator import add, sub
from typing import Any, TypeAlias

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.catalogue.order_statistics import swapped
from windrow.algebra.monoid import Group
from windrow.algebra.numeric import FLOAT, INT, VALUE, Dtypes, Field, Numeric
from windrow.algebra.optional import same
from windrow.algebra.registry import Takes, register
from windrow.arguments import real, shown, whole
from windrow.compiler.jit import define
from windrow.errors import AggregateError

__all__ = ["histogram"]

Counts: TypeAlias = tuple[int, ...]

# Beyond this many bins a compiled state is no longer a handful of registers.
_MOST_NUMBERS = 32

# A state has a number for each bin.
_MOST_EDGES = 100_000


@register(Takes.NUMBERS, (-10.0, 0.0, 0.5, 10.0))
def histogram(edges: Iterable[float], column: Reads = None) -> Aggregate[Group[Counts, Counts]]:
    """How many values fall into each bin between two neighbouring edges, as `numpy.histogram`.

    `edges` are at least two increasing numbers.  A bin includes its lower edge but not its upper
    one, except the last, which includes both.  Nulls, NaN and values outside the edges are not
    counted; begin with -inf and end with inf to count all numbers.  Nothing gives zeros.

    >>> from windrow.testing import fold
    >>> fold(histogram([0, 10, 20]), [3, 10, 20, 21, None])
    (1, 2)
    """
    return Aggregate(_histogram(_checked(edges, column)), (column,))


def _checked(edges: Iterable[float], column: Reads) -> tuple[float, ...]:
    if isinstance(edges, str | Mapping) or not isinstance(edges, Iterable):
        way_out = swapped("histogram", edges, column) or "give numbers such as [0, 10, 20]"
        raise AggregateError(f"edges={shown(edges)} is not a list of numbers; {way_out}")
    try:
        given = tuple(islice(edges, _MOST_EDGES + 1))
    except TypeError:  # an array without dimensions
        given = (edges,)  # type: ignore[assignment]
    if len(given) > _MOST_EDGES:
        raise AggregateError(
            f"edges={shown(given[0])}, {shown(given[1])}, … are more than {_MOST_EDGES:,}; give "
            "fewer"
        )
    checked = tuple(edge for edge in map(_edge, given) if edge is not None)
    if len(checked) < 2 or len(checked) < len(given):
        raise AggregateError(
            f"edges={shown(given)} make no bin; give at least two numbers, such as [0, 10, 20]"
        )
    if not all(low < high for low, high in pairwise(checked)):
        raise AggregateError(
            f"edges={shown(given)} do not increase; sort them, without repetition and without NaN"
        )
    return checked


def _edge(edge: object) -> float | None:
    """A number as Python's own; None for what is none."""
    number = whole(edge)
    return real(edge) if number is None else number


@cache
def _histogram(edges: tuple[float, ...]) -> Group[Counts, Counts]:
    bins = len(edges) - 1
    low, high = edges[0], edges[-1]
    zeros = (0,) * bins

    def lift(value: Any) -> Counts:
        if not low <= value <= high:
            return zeros
        place = min(bisect_right(edges, value), bins) - 1
        return (*zeros[:place], 1, *zeros[place + 1 :])

    return Group(
        name="histogram",
        parameters=f"[{', '.join(map(_written, edges))}]",
        lift=lift,
        combine=lambda older, newer: tuple(map(add, older, newer)),
        lower=same,
        identity=zeros,
        subtract=lambda total, older: tuple(map(sub, total, older)),
        commutative=True,
        numeric=lambda dtypes: _numeric(edges, dtypes),
    )


def _written(edge: float) -> str:
    """An edge as text, the same for equal numbers: 10 for 10.0 too."""
    try:
        number = float(edge)
    except OverflowError:
        return hex(int(edge))  # Python writes no decimals of thousands of digits
    if number != edge:
        return repr(edge)
    return repr(number + 0.0).removesuffix(".0")  # -0.0 + 0.0 is 0.0


@cache
def _numeric(edges: tuple[float, ...], dtypes: Dtypes) -> Numeric | None:
    bins = len(edges) - 1
    bounds = _float_bounds(edges) if dtypes == (FLOAT,) else _integer_bounds(edges)
    if bins > _MOST_NUMBERS or bounds is None:
        return None
    # Unrolled: a tuple of numbers has no loop that compiles.
    tests = [f"(edges[{i}] <= value) & (value < edges[{i + 1}])" for i in range(bins)]
    tests[-1] = f"(edges[{bins - 1}] <= value) & (value <= edges[{bins}])"
    lifted = ", ".join(f"1 if {test} else 0" for test in tests)
    added = ", ".join(f"older[{i}] + newer[{i}]" for i in range(bins))
    lowered = ", ".join(f"state[{i}]" for i in range(bins))
    return Numeric(
        state=(INT,) * bins,
        identity=(0,) * bins,
        lift=define("lift", f"def lift(value): return ({lifted},)", edges=bounds),
        combine=define("combine", f"def combine(older, newer): return ({added},)"),
        lower=define("lower", f"def lower(state): return ({lowered}, {VALUE})"),
        result=tuple(Field(INT, f"bin_{i}") for i in range(bins)),
    )


def _float_bounds(edges: tuple[float, ...]) -> tuple[float, ...] | None:
    """The edges as floats, unless an integer among them is none."""
    with suppress(OverflowError):
        bounds = tuple(float(edge) for edge in edges)
        return bounds if bounds == edges else None
    return None


def _integer_bounds(edges: tuple[float, ...]) -> tuple[int, ...] | None:
    """The edges as the integers that divide integers alike, unless one does not fit 64 bits."""
    lowest, highest = -(1 << 63), (1 << 63) - 1
    first, *inner, final = edges
    bounds = (ceil(max(first, lowest)), *map(ceil, inner), floor(min(final, highest)))
    return bounds if all(lowest <= bound <= highest for bound in bounds) else None
