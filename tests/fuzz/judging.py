"""What a call may do: answer, or refuse with an error of windrow's that names what is wrong."""

import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from windrow.arguments import shown
from windrow.errors import WindrowError

__all__ = ["Call", "complaint", "require_helpful"]


@dataclass(frozen=True)
class Call:
    """What is called with which arguments, and what its arguments are called."""

    function: Callable[..., Any]
    given: dict[str, Any]
    arguments: tuple[str, ...]


def complaint(call: Call) -> str | None:
    """What is wrong with how a call ends, if anything is."""
    try:
        inspect.signature(call.function).bind(**call.given)
    except TypeError:
        return None  # a wrong call, of which Python itself tells
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            made = call.function(**call.given)
        except WindrowError as error:
            return _unhelpful(str(error), call)
        except Exception as error:
            return f"{type(error).__name__} is none of windrow's errors: {error}"
        for closing in ("close",):
            getattr(made, closing, lambda: None)()
    return None


def _unhelpful(message: str, call: Call) -> str | None:
    named = any(argument in message for argument in call.arguments)
    tells = any(_text(value) in message for value in call.given.values())
    if not named and not tells:
        return f"names no argument and shows no value: {message!r}"
    if ";" not in message and ":" not in message:
        return f"has no way out: {message!r}"
    return None


def _text(value: Any) -> str:
    try:
        return repr(value)
    except ValueError:  # an int of thousands of digits
        return shown(value)


def require_helpful(call: Call, seed: int) -> None:
    """Require that a call answers or helps."""
    problem = complaint(call)
    name = getattr(call.function, "__qualname__", repr(call.function))
    assert problem is None, f"seed {seed}: {name}(**{_text(call.given)}) {problem}"
