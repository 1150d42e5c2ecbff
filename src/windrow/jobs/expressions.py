"""Aggregates written as text: `quantile(0.99, temp)` calls a name of the catalogue, no more.

The text is parsed, never run: what is called must be in the catalogue, arguments are literals or
the names of columns.
"""

import ast
import inspect
import warnings
from typing import Any

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.lookup import registered
from windrow.algebra.other_names import OTHER_NAMES
from windrow.errors import AggregateError
from windrow.jobs.problems import did_you_mean

__all__ = ["ExpressionError", "read_aggregate"]

_LONGEST = 1_000
_COLUMNS = frozenset({"column", "by"})  # the parameters that read a column


class ExpressionError(Exception):
    """An aggregate that cannot be read, and how many characters into the text that shows."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


def read_aggregate(text: str) -> Aggregate[Any]:
    """The aggregate that the text calls for.

    >>> read_aggregate("quantile(0.99, temp)")
    quantile(0.99, 'temp')
    >>> read_aggregate("argmax(sensor, by=temp)")
    argmax('sensor', 'temp')
    """
    text = text.strip()
    call = _call(text)
    name = _name(call.func, text)
    if name not in (known := registered()):
        other = OTHER_NAMES.get(name.casefold())
        way_out = f"(here it is {other!r})" if other else did_you_mean(name, known)
        raise ExpressionError(f"unknown aggregate {name!r} {way_out}", call.func.col_offset)
    factory = known[name].factory
    bound = _bind(factory, name, call)
    for parameter, node in bound.arguments.items():
        bound.arguments[parameter] = _argument(node, parameter, name, text, _usage(factory))
    for parameter in inspect.signature(factory).parameters:
        if parameter in _COLUMNS and parameter not in bound.arguments and name != "count":
            raise ExpressionError(f"{name} names no {parameter} (write {_usage(factory)})")
    try:
        return factory(*bound.args, **bound.kwargs)
    except AggregateError as error:
        raise ExpressionError(f"{error} (write {_usage(factory)})") from None
    except (TypeError, ValueError, ArithmeticError):
        raise ExpressionError(
            f"{text!r} has an argument that {name} does not take (write {_usage(factory)})"
        ) from None


def _usage(factory: Any) -> str:
    """How an aggregate is written, with its columns and parameters."""
    parameters = inspect.signature(factory).parameters.values()
    written = (
        f"{p.name}={p.default!r}" if p.kind is p.KEYWORD_ONLY else p.name for p in parameters
    )
    return f"{factory.__name__}({', '.join(written)})"


def _call(text: str) -> ast.Call:
    if len(text) > _LONGEST:
        raise ExpressionError(
            f"an aggregate of more than {_LONGEST:,} characters (write max(temp))"
        )
    try:
        with warnings.catch_warnings():  # such as those of odd escapes in quotes
            warnings.simplefilter("ignore")
            tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if text.count("(") > text.count(")"):
            way_out = "put it in quotes: inside { } a comma ends it"
        else:
            way_out = "write name(column), odd names of columns in quotes: max('my column')"
        offset = (error.offset or 1) - 1 if isinstance(error, SyntaxError) else 0
        raise ExpressionError(f"{text!r} is not readable ({way_out})", offset) from None
    if not isinstance(tree, ast.Call):
        raise ExpressionError(
            f"{text!r} is not a call of one aggregate (write e.g. max(temp); "
            "compute with its input under columns:)"
        )
    return tree


def _name(node: ast.expr, text: str) -> str:
    if isinstance(node, ast.Name):
        return node.id
    called = ast.get_source_segment(text, node) or text
    last = called.rpartition(".")[2]
    raise ExpressionError(f"{called!r} is not a name of an aggregate (write {last}(…))")


def _bind(factory: Any, name: str, call: ast.Call) -> inspect.BoundArguments:
    if any(isinstance(node, ast.Starred) for node in call.args) or not all(
        keyword.arg for keyword in call.keywords
    ):
        raise ExpressionError(f"{name} is called with * (write {_usage(factory)})")
    keywords = {str(keyword.arg): keyword.value for keyword in call.keywords}
    if len(keywords) < len(call.keywords):
        raise ExpressionError(f"{name} has an argument twice (write {_usage(factory)})")
    try:
        return inspect.signature(factory).bind(*call.args, **keywords)
    except TypeError as error:
        raise ExpressionError(f"{name}: {error} (write {_usage(factory)})") from None


def _is_name(node: ast.expr) -> bool:
    """Whether it names a column, or a field of one: `place.height`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _argument(node: ast.expr, parameter: str, name: str, text: str, usage: str) -> Any:
    written = ast.get_source_segment(text, node) or ""
    is_column = parameter in _COLUMNS
    if _is_name(node):
        if is_column:
            return written  # not node.id: Python changes some letters, Spark does not
        raise ExpressionError(
            f"{name}: {parameter} is a number or text, {written!r} names a column (write {usage})",
            node.col_offset,
        )
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        fault = f"{name}: {written!r} is no number and no text (write {usage})"
        if is_column:
            fault = (
                f"{name}: {written!r} is no name of a column "
                f"(compute it under columns:, e.g. columns: {{x: {written}}}, and read x)"
            )
        raise ExpressionError(fault, node.col_offset) from None
    if is_column and not (isinstance(value, str) and value):
        raise ExpressionError(
            f"{name}: {written} is no name of a column (write {usage})",
            node.col_offset,
        )
    return value
