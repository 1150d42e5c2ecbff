"""Expressions made of text."""

from windrow.edge.expressions.lexer import name_parts
from windrow.edge.expressions.scope import Scope
from windrow.edge.expressions.values import Expression
from windrow.jobs.expressions import ExpressionError

__all__ = ["compile_condition", "compile_expression"]


def compile_expression(text: str, scope: Scope) -> Expression:
    """The expression of a text over these columns."""
    found = scope.find(name_parts(text))
    if found is None:
        raise ExpressionError(f"{text!r} is no column")
    return found


def compile_condition(text: str, scope: Scope) -> Expression:
    """The same, if it is true, false or null."""
    return compile_expression(text, scope)
