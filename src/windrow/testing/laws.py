"""The laws every aggregate keeps, checked on drawn values.

An aggregator regroups freely, starts from the identity, shares states between windows and sends
them away; each law says that one of these changes no result.
"""

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np

from windrow.algebra.aggregate import Aggregate, Aggregation, as_aggregation
from windrow.algebra.codec import StateCodec
from windrow.algebra.monoid import Group, Kind, Monoid
from windrow.algebra.numeric import BOOL, FLOAT, INT, NULL, OVERFLOW, Dtypes, Numeric, is_bare
from windrow.arguments import shown
from windrow.errors import InputError
from windrow.testing.closeness import close, magnitude
from windrow.testing.samples import strategies

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["check_monoid_laws"]

Equal: TypeAlias = Callable[[Any, Any], bool]

# Three standard errors of the coarsest default of the catalogue, a HyperLogLog of 2¹² registers.
_SKETCH_TOLERANCE = 0.05


def check_monoid_laws(
    monoid: Aggregation, strategy: "SearchStrategy[Any]", *, equal: Equal | None = None
) -> None:
    """Check the laws of a monoid or aggregate on values drawn from a Hypothesis strategy.

    The laws are: associativity; the identity, on both sides; commutativity, if declared;
    subtraction, for a `Group`; `combine` changes neither of its arguments; nulls are skipped;
    states can be stored as bytes and read back, so they are plain values or have a codec; the
    numeric form agrees with the general one.

    `equal` compares results and states; by default they must be equal, floats up to rounding, and
    only the results of sketches, within their error.  Raises `AssertionError` with the law and
    the smallest values found that break it.

    >>> from hypothesis import strategies as st
    >>> from windrow import agg
    >>> check_monoid_laws(agg.sum(), st.integers())
    >>> shorter = Monoid(name="shorter", lift=len, combine=min, lower=int, identity=0)
    >>> check_monoid_laws(shorter, st.text())
    Traceback (most recent call last):
    AssertionError: shorter breaks the law of identity (on the left): ...
    """
    st = strategies()
    from hypothesis import Phase, given, settings

    aggregation = as_aggregation(monoid, "monoid")
    if not isinstance(strategy, st.SearchStrategy):
        raise InputError(
            f"strategy={shown(strategy)} is a {type(strategy).__name__}; give what draws values, "
            "e.g. hypothesis.strategies.integers()"
        )
    if equal is not None and not callable(equal):
        raise InputError(
            f"equal={shown(equal)} is a {type(equal).__name__}; give a function of two results "
            "that says whether they are equal, or leave it out"
        )
    bound = aggregation.bound()
    identity = deepcopy(bound.identity)
    values = st.lists(strategy, max_size=6)

    # Without explanations: the message says which values break which law.
    @settings(deadline=None, database=None, phases=[p for p in Phase if p is not Phase.explain])
    @given(values, values, values)
    def laws(older: list[Any], middle: list[Any], newer: list[Any]) -> None:
        # A combine that changes the identity must not carry over to the next example.
        fresh = replace(bound, identity=deepcopy(identity))
        subject = _Subject(aggregation, fresh, (older, middle, newer), equal)
        states = [subject.state(stretch) for stretch in subject.stretches]
        for law in _LAWS:
            law(subject, *states)

    laws()


@dataclass(frozen=True)
class _Subject:
    """A monoid on the values of three neighbouring stretches."""

    aggregation: Any
    monoid: Monoid[Any, Any]
    stretches: tuple[list[Any], list[Any], list[Any]]
    equal: Equal | None

    @cached_property
    def values(self) -> list[Any]:
        return [value for stretch in self.stretches for value in stretch]

    @cached_property
    def same(self) -> Equal:
        if self.equal is not None:
            return self.equal
        tolerance = _SKETCH_TOLERANCE if self.monoid.kind is Kind.SKETCH else 1e-9
        return partial(close, tolerance=tolerance, scale=magnitude(self.values))

    def state(self, values: Iterable[Any]) -> Any:
        return reduce(self.combine, map(self.monoid.lift_row, values), self.monoid.identity)

    def combine(self, older: Any, newer: Any) -> Any:
        return self._unchanged(self.monoid.combine, older, newer)

    def subtract(self, total: Any, older: Any) -> Any:
        assert isinstance(self.monoid, Group)
        return self._unchanged(self.monoid.subtract, total, older)

    def require_same(self, law: str, one: Any, other: Any) -> None:
        """Two states must lower to the same result, and, sketches aside, be the same."""
        results = self.monoid.lower(one), self.monoid.lower(other)
        if not self.same(*results):
            self.fail(law, f"{results[0]!r} is not {results[1]!r}")
        if self.monoid.kind is not Kind.SKETCH and not self.same(one, other):
            self.fail(law, f"state {one!r} is not {other!r}")

    def require_result(self, law: str, one: Any, other: Any) -> None:
        if not self.same(one, other):
            self.fail(law, f"{one!r} is not {other!r}")

    def fail(self, law: str, found: str) -> NoReturn:
        older, middle, newer = self.stretches
        raise AssertionError(
            f"{self.monoid.name} breaks the law of {law}: {found}, "
            f"for older={older!r}, middle={middle!r}, newer={newer!r}"
        )

    @cached_property
    def codec(self) -> StateCodec:
        return StateCodec.of(self.monoid)

    def kept(self, state: Any) -> bytes:
        try:
            return self.codec.encode(state)
        except Exception as reason:
            self.fail("being kept", f"{state!r} cannot become bytes ({reason})")

    def _unchanged(self, operator: Callable[[Any, Any], Any], one: Any, other: Any) -> Any:
        before = self.kept(one), self.kept(other)
        answer = operator(one, other)
        # Equal bytes are the usual case and proof enough; a state that caches may still be equal.
        if (self.kept(one), self.kept(other)) != before:
            was = tuple(map(self.codec.decode, before))
            exactly = self.equal or partial(close, tolerance=0.0)
            if not exactly(was, (one, other)):
                self.fail("unchanged arguments", f"{was!r} became {(one, other)!r}")
        return answer


def _associativity(subject: _Subject, older: Any, middle: Any, newer: Any) -> None:
    combine = subject.combine
    left = combine(combine(older, middle), newer)
    subject.require_same("associativity", left, combine(older, combine(middle, newer)))


def _identity(subject: _Subject, older: Any, middle: Any, newer: Any) -> None:
    identity = subject.monoid.identity
    # A state folded from the identity cannot tell a wrong one: single values are lifted afresh.
    for state in (newer, *map(subject.monoid.lift_row, subject.values)):
        subject.require_same("identity (on the left)", subject.combine(identity, state), state)
        subject.require_same("identity (on the right)", subject.combine(state, identity), state)


def _commutativity(subject: _Subject, older: Any, middle: Any, newer: Any) -> None:
    """Of results alone: a state may keep the order, as long as no result shows it."""
    if subject.monoid.commutative:
        lower, combine = subject.monoid.lower, subject.combine
        forth, back = combine(older, middle), combine(middle, older)
        subject.require_result("commutativity", lower(forth), lower(back))
        after = lower(combine(forth, newer)), lower(combine(back, newer))
        subject.require_result("commutativity", *after)


def _subtraction(subject: _Subject, older: Any, middle: Any, newer: Any) -> None:
    if not isinstance(subject.monoid, Group):
        return
    total = subject.combine(older, newer)
    rest = subject.subtract(total, older)
    if rest is not NotImplemented:
        subject.require_same("subtraction", rest, newer)
        subject.require_same("subtraction", subject.combine(older, rest), total)


def _being_kept(subject: _Subject, older: Any, middle: Any, newer: Any) -> None:
    again = subject.codec.decode(subject.kept(older))
    subject.require_same("being kept", again, older)
    # What was read goes on as what was written would have.
    expected = subject.combine(older, middle)
    subject.require_same("being kept", subject.combine(again, middle), expected)


def _null_skipping(subject: _Subject, older: Any, middle: Any, newer: Any) -> None:
    if not isinstance(subject.aggregation, Aggregate):
        return
    monoid = subject.aggregation.monoid
    for value in subject.values[:1]:
        inputs = subject.aggregation.read(value)
        for place, name in enumerate(monoid.inputs):
            if name not in monoid.nullable:
                skipped = monoid.lift_row(*inputs[:place], None, *inputs[place + 1 :])
                subject.require_same(f"null skipping ({name})", skipped, monoid.identity)


def _numeric_form(subject: _Subject, older: Any, middle: Any, newer: Any) -> None:
    """The numeric form, interpreted, must agree on every grouping of rows of one type."""
    if not isinstance(subject.aggregation, Aggregate):
        return
    monoid = subject.aggregation.monoid
    stretches = [list(map(subject.aggregation.read, part)) for part in subject.stretches]
    rows = [row for stretch in stretches for row in stretch]
    dtypes = _dtypes(rows, len(monoid.inputs))
    form = monoid.numeric(dtypes) if monoid.numeric and dtypes is not None else None
    if form is None:
        return
    parts = [
        reduce(form.combine, (form.lift(*row) for row in part), form.identity) for part in stretches
    ]
    left = form.combine(form.combine(parts[0], parts[1]), parts[2])
    right = form.combine(parts[0], form.combine(parts[1], parts[2]))
    result = subject.monoid.lower(subject.state(subject.values))
    for state in (form.identity, *parts, left, right):
        if not _well_typed(state, form):
            subject.fail("numeric form", f"state {state!r} is not of types {form.state}")
    for state in (left, right):
        # A total form leaves the one null, that of no value at all, to its caller.
        *numbers, status = (NULL,) if form.total and not rows else form.lower(state)
        if status == OVERFLOW:
            if isinstance(result, int) and -(1 << 63) <= result < 1 << 63:
                subject.fail("numeric form", f"{result!r} fits, but was refused")
        elif status == NULL:
            subject.require_result("numeric form", None, result)
        else:
            plain = numbers[0] if is_bare(form.result) else tuple(numbers)
            subject.require_result("numeric form", plain, result)


_TYPES: dict[type, Any] = {bool: BOOL, int: INT, np.int64: INT, float: FLOAT}


def _dtypes(rows: list[tuple[Any, ...]], inputs: int) -> Dtypes | None:
    """The storage type of each input, if the rows have one."""
    if not rows:
        return (FLOAT,) * inputs
    types = [{type(value) for value in column} for column in zip(*rows, strict=True)]
    found = [_TYPES[kind] for kinds in types if len(kinds) == 1 for kind in kinds & _TYPES.keys()]
    return tuple(found) if len(found) == inputs else None


def _well_typed(state: Any, form: Numeric) -> bool:
    return len(state) == len(form.state) and all(
        _TYPES.get(type(number)) == dtype for number, dtype in zip(state, form.state, strict=True)
    )


_LAWS = (
    _being_kept,
    _associativity,
    _identity,
    _commutativity,
    _subtraction,
    _null_skipping,
    _numeric_form,
)
