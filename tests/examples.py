"""How many examples a property test draws, by the profile of the run."""

from typing import Any

from hypothesis import settings

__all__ = ["QUICK", "USUAL", "examples", "until_caught"]

#: What an ordinary run draws where a test says nothing else, and a run of `make test-fast`.
USUAL, QUICK = 30, 10


def examples(number: int, **others: Any) -> settings:
    """So many examples in an ordinary run, and as many times more or fewer as the profile asks for.

    A test that says `max_examples` itself would be out of reach of `HYPOTHESIS_PROFILE=thorough`.
    """
    return settings(max_examples=max(number * settings().max_examples // USUAL, 1), **others)


def until_caught(number: int, **others: Any) -> settings:
    """So many examples, or more: a run of fewer must find what is broken on purpose too."""
    return settings(max_examples=max(number, examples(number).max_examples), **others)
