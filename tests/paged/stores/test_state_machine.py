"""Any sequence of steps leaves a store as it leaves plain dictionaries."""

from collections.abc import Collection, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase
from hypothesis.stateful import run_state_machine_as_test

from tests.examples import examples, until_caught
from tests.paged.stores.machine import machine_of
from tests.paged.stores.support import Recipe
from windrow.paged.stores import Batch, Key, MemoryStore, Span, StoredWindow

# Half the examples of other tests: every machine makes stores anew.
RUNS = 15
STEPS: dict[str, Any] = {"stateful_step_count": 25, "suppress_health_check": list(HealthCheck)}


def test_every_store_keeps_what_dictionaries_keep(recipe: Recipe) -> None:
    run_state_machine_as_test(machine_of(recipe), settings=examples(RUNS, **STEPS))


class Broken(StoredWindow):
    """Deletes the end of a span too."""

    def __init__(self, inner: StoredWindow) -> None:
        self.inner = inner

    def get_many(self, keys: Sequence[Key]) -> list[bytes | None]:
        return self.inner.get_many(keys)

    def write(self, batch: Batch) -> None:
        wider = [Span(space, first, min(end + 1, 2**63)) for space, first, end in batch.deleted]
        self.inner.write(Batch(batch.puts, wider))

    def count(self, spaces: Collection[str], most: int) -> int:
        return self.inner.count(spaces, most)

    def close(self) -> None:
        self.inner.close()


class BrokenStore(MemoryStore):
    def open(self, name: str) -> StoredWindow:
        return Broken(super().open(name))


def test_the_machine_catches_a_store_that_deletes_too_much() -> None:
    drawn = until_caught(200, **STEPS, phases=[Phase.generate], database=None)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(machine_of(Recipe(BrokenStore, lasting=False)), settings=drawn)
