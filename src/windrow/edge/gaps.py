"""Stretches of time that were merged without some members, and what fills them afterwards."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

__all__ = ["Gaps"]

Stretches: TypeAlias = dict[str, list[tuple[int, int]]]


@dataclass
class Gaps:
    """Which members are missing, from when until when; half-open stretches, in order.

    What fills a gap may come before it is known that there is one: both travel on ways of their
    own.

    >>> gaps = Gaps()
    >>> gaps.open(["leaf-3"], 10, 20)
    >>> gaps.open(["leaf-3"], 20, 50)
    >>> gaps.fill("leaf-3", 15, 30)
    >>> gaps.within(0, 12), gaps.within(15, 30), gaps.any
    (['leaf-3'], [], True)
    """

    missing: Stretches = field(default_factory=dict)
    filled: Stretches = field(default_factory=dict)

    def open(self, members: Iterable[str], since: int, to: int) -> None:
        """These members are missing in a stretch, save where they have filled it already."""
        for member in members:
            left = [(since, to)]
            for start, end in self.filled.get(member, []):
                left = _without(left, start, end)
            _put(self.missing, member, [*self.missing.get(member, []), *left])

    def fill(self, member: str, since: int, to: int) -> None:
        """A member has sent what was missing of a stretch."""
        _put(self.missing, member, _without(self.missing.get(member, []), since, to))
        _put(self.filled, member, [*self.filled.get(member, []), (since, to)])

    def within(self, start: int, end: int) -> list[str]:
        """Who is missing in a stretch."""
        return sorted(
            member
            for member, stretches in self.missing.items()
            if any(since < end and start < to for since, to in stretches)
        )

    @property
    def any(self) -> bool:
        """Whether anything is missing."""
        return bool(self.missing)

    def as_dict(self) -> dict[str, Stretches]:
        """The same as plain values."""
        return {"missing": self.missing, "filled": self.filled}

    @classmethod
    def of(cls, plain: Mapping[str, Mapping[str, Sequence[Any]]]) -> "Gaps":
        """Gaps of plain values."""
        both = [
            {member: [(since, to) for since, to in own] for member, own in plain[part].items()}
            for part in ("missing", "filled")
        ]
        return cls(*both)


def _without(stretches: Iterable[tuple[int, int]], since: int, to: int) -> list[tuple[int, int]]:
    parts = [
        part
        for start, end in stretches
        for part in ((start, min(end, since)), (max(start, to), end))
    ]
    return [part for part in parts if part[0] < part[1]]


def _put(into: Stretches, member: str, stretches: Iterable[tuple[int, int]]) -> None:
    """A member's stretches in order, those that touch as one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(stretches):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    into.pop(member, None)
    if found:
        into[member] = found
