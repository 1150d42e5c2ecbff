"""How many examples a property test draws, by the profile of the run."""

from typing import Any

from hypothesis import settings

__all__ = ["USUAL", "examples"]

#: What an ordinary run draws where a test says nothing else.
USUAL = 30


def examples(number: int, **others: Any) -> settings:
    """So many examples in an ordinary run, and as many times more as the profile asks for.

    A test that says `max_examples` itself would be out of reach of `HYPOTHESIS_PROFILE=thorough`.
    """
    return settings(max_examples=max(number * settings().max_examples // USUAL, 1), **others)
