"""Paged windows do as the list of what should be in them, through restarts and crashes."""

from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.paged.machine import PAGE, PagedMachine
from windrow import agg, window
from windrow.paged import PagedAmta

pytestmark = [pytest.mark.xdist_group("paged"), pytest.mark.usefixtures("always_compiled")]

LARGEST = 300


class NumbersMachine(PagedMachine):
    """Order shows in the first, all values in the sum."""

    policy = window.policy(
        keep=lambda w: w.n <= LARGEST,
        drop=lambda evicted, after, before: evicted.peak <= after.peak and before.n > 100,
        using={"peak": agg.max(), "n": agg.count()},
    )

    def opened(self) -> PagedAmta:
        asked = {"first": agg.first(), "sum": agg.sum()}
        return PagedAmta(
            asked, self.store, "w", self.policy, dtypes=(np.int64,), page=PAGE, cached_pages=4
        )

    def answer(self, values: list[int]) -> Any:
        return {"first": values[0] if values else None, "sum": sum(values) if values else None}

    def leaving(self, values: list[int]) -> int:
        kept = max(len(values) - LARGEST, 0)
        if len(values) <= 100:
            return kept
        before = np.maximum.accumulate(values).tolist()
        after = np.maximum.accumulate(values[::-1])[::-1].tolist()
        condemned = [p for p in range(1, len(values)) if before[p - 1] <= after[p]]
        return max(kept, condemned[-1] if condemned else 0)


class FreeMachine(PagedMachine):
    """All values in their order."""

    policy = window.policy(keep=lambda w: w.n <= LARGEST, using={"n": agg.count()})

    def opened(self) -> PagedAmta:
        return PagedAmta(agg.collect(), self.store, "w", self.policy, page=PAGE, cached_pages=4)

    def answer(self, values: list[int]) -> Any:
        return values

    def leaving(self, values: list[int]) -> int:
        return max(len(values) - LARGEST, 0)


@pytest.mark.parametrize("machine", [NumbersMachine, FreeMachine])
def test_a_window_is_what_it_should_be_through_restarts_and_crashes(
    machine: type[PagedMachine],
) -> None:
    run_state_machine_as_test(machine, settings=settings(stateful_step_count=30))
