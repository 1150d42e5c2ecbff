"""The numeric form of a user's monoid, if the compiler can find one.

Its functions were written for Python's numbers: `0` may be the identity of a sum of floats.  The
types of a state's fields are found by asking the compiler what the functions return, widening
until nothing changes.  The answer is kept on disk, so that a new process does not ask again.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from windrow.algebra.numeric import (
    BOOL,
    FLOAT,
    INT,
    NULL,
    VALUE,
    Dtypes,
    Field,
    Numeric,
    NumericForm,
)
from windrow.compiler import cache as disk
from windrow.compiler.fingerprint import fingerprint
from windrow.compiler.jit import compiler_version, define, jit, reason
from windrow.compiler.machine_numbers import as_python
from windrow.compiler.user_warnings import warn_interpreted

__all__ = ["numeric_form"]

# Products, not float() and int(): when compiled, these take neither booleans nor optional numbers.
# An integer that is also numpy's when interpreted wraps around as compiled ones do.
_CASTS = {FLOAT: "1.0 * {}", INT: "ONE * {}", BOOL: "bool({})"}
_ONE = np.int64(1)


def numeric_form(
    name: str,
    lift: Callable[..., Any],
    combine: Callable[[Any, Any], Any],
    lower: Callable[[Any], Any],
    identity: Any,
) -> NumericForm | None:
    """A form that is inferred when first asked for; None where the state is not made of numbers."""
    numbers = identity if isinstance(identity, tuple) else (identity,)
    if not numbers or not all(isinstance(x, bool | int | float | np.number) for x in numbers):
        return None
    user = _User(lift, combine, lower, identity)
    found: dict[tuple[Dtypes, str | None], Numeric | None] = {}

    def numeric(dtypes: Dtypes) -> Numeric | None:
        mark = user.mark()
        if (dtypes, mark) not in found:
            try:
                found[dtypes, mark] = _form(user, _shape(user, dtypes), len(dtypes))
            except _NotNumericError as problem:
                warn_interpreted(name, str(problem))
                found[dtypes, mark] = None
        return found[dtypes, mark]

    return numeric


class _NotNumericError(Exception):
    """Why a user's monoid has no numeric form."""


@dataclass(frozen=True)
class _User:
    """The functions as the user wrote them."""

    lift: Callable[..., Any]
    combine: Callable[[Any, Any], Any]
    lower: Callable[[Any], Any]
    identity: Any

    def mark(self) -> str | None:
        """What the functions are now: a global that they name may change between two calls."""
        return fingerprint(self.lift, self.combine, self.lower)

    @property
    def scalar(self) -> bool:
        """Whether a state is a bare number, not a tuple."""
        return not isinstance(self.identity, tuple)

    @property
    def numbers(self) -> tuple[Any, ...]:
        """The identity as a tuple."""
        return (self.identity,) if self.scalar else self.identity


@dataclass(frozen=True)
class _Shape:
    """The types that inference found."""

    state: Dtypes
    result: Dtypes
    bare: bool  # whether the result is a bare number, not a tuple
    optional: bool  # whether the result may be None


def _shape(user: _User, dtypes: Dtypes) -> _Shape:
    mark = user.mark()
    if mark is None:
        return _inferred(user, dtypes)
    # Another compiler may compile what this one cannot.
    key = repr((mark, user.identity, [d.char for d in dtypes], compiler_version()))
    known = disk.load(key, "shape")
    if known is not None:
        return _read(json.loads(known))
    try:
        shape = _inferred(user, dtypes)
    except _NotNumericError as problem:
        disk.save(key, "shape", json.dumps({"problem": str(problem)}).encode())
        raise
    disk.save(key, "shape", json.dumps(_written(shape)).encode())
    return shape


def _written(shape: _Shape) -> dict[str, Any]:
    state, result = ([d.char for d in dtypes] for dtypes in (shape.state, shape.result))
    return {"state": state, "result": result, "bare": shape.bare, "optional": shape.optional}


def _read(known: dict[str, Any]) -> _Shape:
    if "problem" in known:
        raise _NotNumericError(known["problem"])
    state, result = (tuple(map(np.dtype, known[part])) for part in ("state", "result"))
    return _Shape(state, result, known["bare"], known["optional"])


def _inferred(user: _User, dtypes: Dtypes) -> _Shape:
    from numba import types

    lifted = _returned("lift", user.lift, [_type(d) for d in dtypes])
    state = _widened("lift", lifted, tuple(map(_dtype_of_number, user.numbers)), scalar=user.scalar)
    while True:
        argument = _type(state[0]) if user.scalar else types.Tuple([_type(d) for d in state])  # type: ignore[no-untyped-call]
        combined = _returned("combine", user.combine, [argument, argument])
        wider = _widened("combine", combined, state, scalar=user.scalar)
        if wider == state:
            break
        state = wider
    lowered = _returned("lower", user.lower, [argument])
    optional = isinstance(lowered, types.Optional)
    if optional:
        lowered = lowered.type
    bare = not isinstance(lowered, types.BaseTuple)
    result = tuple(_dtype("lower", t) for t in ([lowered] if bare else lowered))
    return _Shape(state, result, bare, optional)


def _returned(role: str, function: Callable[..., Any], arguments: list[Any]) -> Any:
    """The type that a function returns for arguments of these types."""
    names = ", ".join(f"x{k}" for k in range(len(arguments)))
    # Called through a function of our own: builtins such as `max` have no code to compile.
    call = define("call", f"def call({names}): return function({names})", function=function)
    compiled = jit(call)
    try:
        compiled.compile(tuple(arguments))
    except Exception as error:  # whatever makes a compiler fail, the function still runs
        raise _NotNumericError(f"{role} cannot be compiled: {reason(error)}") from error
    return compiled.overloads[tuple(arguments)].signature.return_type


def _widened(role: str, returned: Any, state: Dtypes, *, scalar: bool) -> Dtypes:
    """The state's types, wide enough for what a function returned as well."""
    from numba import types

    if scalar == isinstance(returned, types.BaseTuple):
        wanted = "a number" if scalar else f"a tuple of {len(state)} numbers"
        raise _NotNumericError(f"{role} returns {returned}, but identity is {wanted}")
    parts = [returned] if scalar else list(returned)
    if len(parts) != len(state):
        raise _NotNumericError(
            f"{role} returns {len(parts)} number(s), but identity has {len(state)}"
        )
    return tuple(np.promote_types(d, _dtype(role, t)) for d, t in zip(state, parts, strict=True))


def _dtype(role: str, found: Any) -> np.dtype[Any]:
    from numba import types

    if isinstance(found, types.Boolean):
        return BOOL
    if isinstance(found, types.Integer):
        return INT
    if isinstance(found, types.Float):
        return FLOAT
    raise _NotNumericError(
        f"{role} returns {found}, which is neither a number nor a flat tuple of numbers"
    )


def _dtype_of_number(number: Any) -> np.dtype[Any]:
    if isinstance(number, bool | np.bool_):
        return BOOL
    return INT if isinstance(number, int | np.integer) else FLOAT


def _type(dtype: np.dtype[Any]) -> Any:
    from numba import types

    return {FLOAT: types.float64, INT: types.int64, BOOL: types.boolean}[dtype]


def _owned(name: str, shape: _Shape, user: _User) -> str:
    """A state as the user's functions take it: a number, or a tuple of them."""
    numbers = [f"own({name}[{k}])" for k in range(len(shape.state))]
    return numbers[0] if user.scalar else f"({', '.join(numbers)},)"


def _form(user: _User, shape: _Shape, arity: int) -> Numeric:
    """The user's functions on flat tuples of exactly these types."""
    arguments = ", ".join(f"x{k}" for k in range(arity))
    given = ", ".join(f"own(x{k})" for k in range(arity))
    older, newer, state = (_owned(name, shape, user) for name in ("older", "newer", "state"))
    flat = "".join(
        f"{_CASTS[d].format('s' if user.scalar else f's[{k}]')}, "
        for k, d in enumerate(shape.state)
    )
    results = [f"r{k}" for k in range(len(shape.result))]
    lowered = "".join(
        f"{_CASTS[d].format(r)}, " for d, r in zip(shape.result, results, strict=True)
    )
    nothing = "".join(f"{d.type(0).item()}, " for d in shape.result)
    null = f"    if r is None: return ({nothing}NULL)\n" if shape.optional else ""
    taken = "r0 = r" if shape.bare else f"{', '.join(results)}, = r"
    casts = [d.type(x).item() for d, x in zip(shape.state, user.numbers, strict=True)]
    return Numeric(
        state=shape.state,
        identity=tuple(casts),
        lift=define(
            "lift",
            f"def lift({arguments}):\n    s = user({given})\n    return ({flat})",
            user=user.lift,
            own=as_python,
            ONE=_ONE,
        ),
        combine=define(
            "combine",
            f"def combine(older, newer):\n    s = user({older}, {newer})\n    return ({flat})",
            user=user.combine,
            own=as_python,
            ONE=_ONE,
        ),
        lower=define(
            "lower",
            f"def lower(state):\n    r = user({state})\n{null}    {taken}\n"
            f"    return ({lowered}VALUE)",
            user=user.lower,
            own=as_python,
            ONE=_ONE,
            NULL=NULL,
            VALUE=VALUE,
        ),
        result=tuple(
            Field(d, name="value" if shape.bare else f"f{k}") for k, d in enumerate(shape.result)
        ),
    )
