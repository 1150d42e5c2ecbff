"""Parameters of aggregates that were mistaken for each other."""

from typing import Any

from windrow.arguments import shown

__all__ = ["swapped"]


def swapped(name: str, parameter: Any, column: Any) -> str | None:
    """What to write where a column was given for the parameter that goes before it.

    >>> swapped("top_k", "temp", 3)
    "did you mean agg.top_k(3, 'temp')?"
    """
    if not isinstance(parameter, str):
        return None
    if column is None or isinstance(column, str):
        return None
    return f"did you mean agg.{name}({shown(column)}, {shown(parameter)})?"
