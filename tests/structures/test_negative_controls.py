"""The checks of this folder catch an aggregator that is broken on purpose."""

from typing import Any

import pytest
from hypothesis import Phase

from tests.examples import until_caught
from tests.structures.machine import CASES, drive
from tests.structures.support import FREE
from tests.structures.test_exhaustive import test_all_short_sequences_hold_the_right_updates
from windrow.structures import Aggregator, Amta, Daba, FlatFat, LogMta, SubtractOnEvict, TwoStacks

FREE_CASE = CASES[0]
FIRST_FAILURE = (Phase.generate,)  # where a failure is expected, nobody reads the smallest one


class JoinsInTheWrongOrder(TwoStacks):
    def _prepended(self, newer: Any, older: Any) -> Any:
        return self._combine(newer, older)


class ForgetsToResetTheBack(TwoStacks):
    def _flip(self, start: int) -> None:
        back = self._back
        super()._flip(start)
        self._back = back

    def _total(self) -> Any:
        return self._combine(self._suffixes[-1] if self._suffixes else self._identity, self._back)


class KeepsAStaleBackAfterRebuilding(Amta):
    def _rebuild_front(self, position: int) -> None:
        back = self._back
        super()._rebuild_front(position)
        self._back = back

    def _total(self) -> Any:
        return self._combine(self._front, self._back)


class NeverFlips(Daba):
    def _step(self) -> None:
        if self._f == self._b:
            super()._step()


class RepairsNoSpine(LogMta):
    def _evict(self, count: int) -> None:
        self._evicted += count


class TrustsVoidNodes(FlatFat):
    def _is_void(self, level: int) -> bool:
        return False


class SubtractsTooLittle(SubtractOnEvict):
    def _evict(self, count: int) -> None:
        super()._evict(count)
        self._sum = self._sum or "x"


class SharesItsSnapshots(TwoStacks):
    def _dump(self) -> tuple[Any, ...]:
        return self._older, self._suffixes, self._newer, self._back

    def _load(self, *data: Any) -> None:
        self._older, self._suffixes, self._newer, self._back = data


class SlidesTooFar(Amta):
    def _slide(self) -> int:
        gone = super()._slide()
        if len(self):
            self._evict(1)
            gone += 1
        return gone


BROKEN: list[type[Aggregator]] = [
    JoinsInTheWrongOrder,
    ForgetsToResetTheBack,
    KeepsAStaleBackAfterRebuilding,
    NeverFlips,
    RepairsNoSpine,
    TrustsVoidNodes,
    SubtractsTooLittle,
]


@pytest.mark.parametrize("structure", [*BROKEN, SlidesTooFar])
def test_the_state_machine_catches_a_broken_aggregator(structure: type[Aggregator]) -> None:
    with pytest.raises((AssertionError, IndexError, TypeError)):
        drive(structure, FREE_CASE, until_caught(300, stateful_step_count=50, phases=FIRST_FAILURE))


@pytest.mark.parametrize("structure", [*BROKEN, SharesItsSnapshots])
def test_the_exhaustive_check_catches_a_broken_aggregator(structure: type[Aggregator]) -> None:
    with pytest.raises((AssertionError, IndexError, TypeError)):
        test_all_short_sequences_hold_the_right_updates(structure, steps=14, most=1)


def test_the_order_of_updates_shows_in_the_free_monoid_only() -> None:
    window = JoinsInTheWrongOrder(FREE)
    for letter in "abc":
        window.insert(letter)
    window.evict()
    assert window.query() == "cb"
