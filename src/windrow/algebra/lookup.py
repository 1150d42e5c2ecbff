"""Every aggregate of the catalogue, by name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import windrow.algebra.catalogue  # noqa: F401  (importing it fills the register)
from windrow.algebra.aggregate import Aggregate
from windrow.algebra.registry import Entry, entries

__all__ = ["entry_of", "registered"]


def registered() -> Mapping[str, Entry]:
    """Every aggregate of the catalogue by name."""
    return MappingProxyType(entries)


def entry_of(aggregate: Aggregate[Any]) -> Entry | None:
    """The entry of an aggregate of the catalogue; None of a user's own, which may have any name."""
    return None if aggregate.monoid.changing else registered().get(aggregate.monoid.name)
