"""Columns and windows for monoids of a user's own."""

from typing import Any

from windrow import window

FLOATS = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]
TWO = window.trailing(rows=2)


def add(older: Any, newer: Any) -> Any:
    """Combine pairs of sums."""
    return (older[0] + newer[0], older[1] + newer[1])
