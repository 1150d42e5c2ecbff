"""Whether a look at some of the rows may be taken before a query runs."""

from enum import Enum

__all__ = ["Sample"]


class Sample(Enum):
    """When the rows of a batch are sampled to find keys that need splitting."""

    AUTO = "auto"
    """Where rows are merely read, there are many of them, and it does not take long."""

    ALWAYS = "always"
    """Whatever the rows are computed from, and however long it takes."""

    NEVER = "never"
    """Not at all: every key is worked on by one task."""
