"""Damaged bytes of sketches are refused, or bear all that is done to sketches: never a crash."""

import subprocess
import sys
from functools import reduce
from typing import Any

import pytest

from windrow import agg
from windrow.algebra.catalogue.sketches import Sketch, restored_sketch
from windrow.errors import SnapshotError


def fuzzed(count: int, seed: int) -> tuple[int, int]:
    """How many damaged sketches were refused, and how many taken; in a process that may crash."""
    command = [sys.executable, "-m", "tests.algebra.sketch_fuzz", str(count), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stderr}"
    refused, taken = map(int, done.stdout.split())
    return refused, taken


def test_damaged_sketches_are_refused_or_bear_all_that_is_done_to_them() -> None:
    refused, taken = fuzzed(3_000, seed=1)
    assert refused > 1_000
    assert taken > 300  # values alone may change, and still be a sketch's


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_many_damaged_sketches_are_refused_or_bear_all(seed: int) -> None:
    refused, taken = fuzzed(50_000, seed)
    assert refused + taken == 50_000


def sketch(aggregate: Any, count: int) -> Sketch:
    monoid = aggregate.monoid
    state = reduce(monoid.combine, map(monoid.lift, map(float, range(count))))
    assert isinstance(state, Sketch)
    return state


@pytest.mark.parametrize("count", [65, 200, 201, 5_000])
@pytest.mark.parametrize("size", [64, 200, 1_000])
def test_every_quantile_sketch_that_was_written_is_read(count: int, size: int) -> None:
    aggregate = agg.quantile_sketch(0.3, k=size)
    state = sketch(aggregate, count)
    again = restored_sketch(*state.serialized())
    assert again.serialized() == state.serialized()
    assert aggregate.monoid.lower(again) == aggregate.monoid.lower(state)


@pytest.mark.parametrize("count", [65, 90, 400, 5_000])
@pytest.mark.parametrize("lg_k", [7, 8, 12, 14])
def test_every_distinct_sketch_that_was_written_is_read(count: int, lg_k: int) -> None:
    aggregate = agg.distinct_sketch(lg_k=lg_k)
    monoid, state = aggregate.monoid, sketch(aggregate, count)
    for one in (state, monoid.combine(state, sketch(aggregate, 2 * count))):
        again = restored_sketch(*one.serialized())
        assert monoid.lower(again) == monoid.lower(one)


@pytest.mark.parametrize("kind", ["cpc_sketch", "__class__", "", "kll_floats_sketch"])
def test_no_other_kind_of_sketch_is_made(kind: str) -> None:
    with pytest.raises(SnapshotError, match="no kind of sketch"):
        restored_sketch(kind, b"")
