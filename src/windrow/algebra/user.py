"""Monoids that users write as plain Python functions.

>>> encode, decode = unsafe_pickle
>>> decode(encode({1, 2}))
{1, 2}
"""

import inspect
import pickle
from collections.abc import Callable
from math import nan
from types import FunctionType
from typing import Any, Final

from windrow.algebra.inference import numeric_form
from windrow.algebra.monoid import Codec, Group, Kind, Monoid
from windrow.algebra.optional import same
from windrow.arguments import member, shown
from windrow.compiler.fingerprint import fingerprint
from windrow.errors import AggregateError

__all__ = ["monoid", "unsafe_pickle"]


def monoid(
    *,
    lift: Callable[..., Any],
    combine: Callable[[Any, Any], Any],
    identity: Any,
    lower: Callable[[Any], Any] = same,
    commutative: bool = False,
    subtract: Callable[[Any, Any], Any] | None = None,
    kind: Kind | str = Kind.ALGEBRAIC,
    neutral: float = nan,
    name: str | None = None,
    returns: str | None = None,
    codec: Codec | None = None,
) -> Monoid[Any, Any]:
    """Make your own aggregate: `combine(older, newer)` must be associative, with `identity`.

    `lift` takes one argument for each column it reads; nulls are skipped before it is called.
    States must not be changed in place.  If the identity is a number or a flat tuple of numbers,
    the functions are compiled and run about as fast as built-in aggregates, with 64-bit integers.
    Functions that cannot be compiled run interpreted, with one warning that says why.  Exceptions
    that your functions raise are not wrapped.  `name` is shown in plans and errors; by default it
    is the name of `lift`, or of `combine` if `lift` is a lambda.

    Compiled functions see globals and closures as they were when they were compiled; after a change
    they are compiled again at the next call.  Python's `max` and `min` do not treat NaN
    consistently. On Spark, results that are not numbers need a type: `returns="array<string>"`.

    States in a checkpoint or a store are kept as plain values: None, bool, int, float, str, bytes,
    Decimal, dates, times, and tuples, lists, sets and dicts of them.  For states of other types
    give `codec=(encode, decode)`, which turns a state into a plain value and back; it never sees
    None. Nothing is pickled unless you ask for `codec=windrow.unsafe_pickle`, which runs code from
    whatever it reads.

    >>> from windrow.structures import Amta
    >>> spread = monoid(
    ...     lift=lambda price: (price, price),
    ...     combine=lambda older, newer: (min(older[0], newer[0]), max(older[1], newer[1])),
    ...     lower=lambda state: state[1] - state[0],
    ...     identity=(float("inf"), float("-inf")),
    ...     commutative=True,
    ... )
    >>> window = Amta(spread)
    >>> for price in (3.0, 7.5, 5.0):
    ...     window.insert(price)
    >>> window.query()
    4.5
    """
    functions = {"lift": lift, "combine": combine, "lower": lower, "subtract": subtract}
    for argument, function in functions.items():
        if not callable(function) and not (argument == "subtract" and function is None):
            raise AggregateError(f"{argument}={shown(function)} is not callable; give a function")
    if not isinstance(commutative, bool):
        raise AggregateError(
            f"commutative={shown(commutative)} is not a bool; say True if the order of values does "
            "not matter, or leave it out"
        )
    if name is not None and not (isinstance(name, str) and name):
        raise AggregateError(
            f'name={shown(name)} is not a name; give text such as name="spread", or leave it out'
        )
    kind = member(Kind, kind, "kind", AggregateError)
    if returns is not None and not isinstance(returns, str):
        raise AggregateError(
            f"returns={shown(returns)} is not text; write the type of results as Spark does, "
            'e.g. returns="array<string>"'
        )
    if codec is not None:
        _require_codec(codec)
    label = name or _name_of(lift) or _name_of(combine) or "monoid"
    shape: dict[str, Any] = {
        "name": label,
        "mark": _mark(lift, combine) + ("" if codec is None else f" by {_mark(*codec)}"),
        "lift": lift,
        "combine": combine,
        "lower": lower,
        "identity": identity,
        "kind": kind,
        "commutative": commutative,
        "inputs": _inputs(lift),
        "neutral": neutral,
        "numeric": numeric_form(label, lift, combine, lower, identity),
        "changing": True,
        "returns": returns,
        "codec": codec,
    }
    return Monoid(**shape) if subtract is None else Group(subtract=subtract, **shape)


def _require_codec(codec: object) -> None:
    if not isinstance(codec, tuple) or len(codec) != 2 or not all(map(callable, codec)):
        raise AggregateError(
            f"codec={shown(codec)} is no pair of functions; give (encode, decode), from a state to "
            "bytes or other plain values, and back"
        )


def _name_of(function: Callable[..., Any]) -> str | None:
    """The name that a user gave a function; a builtin such as `max` says little of a monoid."""
    named = isinstance(function, FunctionType) and function.__name__ != "<lambda>"
    return function.__name__ if named else None


def _mark(*functions: Callable[..., Any]) -> str:
    """A fingerprint of these functions, and so of snapshots of their states."""
    return (fingerprint(*functions) or "")[:8]


def _inputs(lift: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the columns a lift takes: its positional parameters without a default."""
    try:
        parameters = inspect.signature(lift).parameters.values()
    except (TypeError, ValueError):
        return ("value",)  # some functions written in C do not tell: float, for one
    required = tuple(
        p.name
        for p in parameters
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty
    )
    return required or ("value",)


#: States as pickles, for `windrow.monoid(codec=...)`: reading them runs code that their bytes name,
#: so whoever can write to the checkpoint or store can run anything in the process that reads it.
unsafe_pickle: Final[Codec] = (pickle.dumps, pickle.loads)
