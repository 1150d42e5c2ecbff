"""Decimals to the last digit."""

from contextlib import AbstractContextManager
from decimal import ROUND_HALF_UP, Context, localcontext
from typing import Any

__all__ = ["exactly"]


def exactly() -> AbstractContextManager[Any]:
    """Decimals of 38 digits add up in more than the 28 that Python would round them to."""
    return localcontext(Context(prec=96, rounding=ROUND_HALF_UP))
