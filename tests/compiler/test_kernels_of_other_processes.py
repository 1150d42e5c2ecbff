"""Kernels compiled by different processes meet in one: none may be taken for another.

The symbols of compiled code are numbered in each process.  Processes that compile one aggregate
each give the same numbers to different code, and a process that loads all of it must not link one
aggregate's kernel to the operator of another.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

_COMPARE = """
import random, sys
from windrow import agg
from windrow.structures import Amta, CompiledAmta

for name in sys.argv[1:]:
    aggregate = getattr(agg, name)()
    compiled, plain = CompiledAmta(aggregate), Amta(aggregate)
    rng, wrong = random.Random(0), 0
    for _ in range(600):
        if rng.random() < 0.6 or len(plain) < 3:
            update = rng.random()
            compiled.insert(update)
            plain.insert(update)
        else:
            count = rng.choice([1, 1, 2, len(plain) // 2])
            compiled.evict(count)
            plain.evict(count)
        wrong += abs(compiled.query() - plain.query()) > 1e-9
    print(name, wrong)
"""


def wrong_answers(aggregates: list[str], cache: Path) -> dict[str, int]:
    """How many results of compiled windows are wrong, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", _COMPARE, *aggregates],
        env=os.environ | {"WINDROW_CACHE_DIR": str(cache), "WINDROW_COMPILE": "always"},
        capture_output=True,
        text=True,
        check=True,
    )
    return {name: int(wrong) for name, wrong in map(str.split, done.stdout.splitlines())}


@pytest.mark.compiles
@pytest.mark.parametrize(
    "later", [["max", "sum"], pytest.param(["min", "max"], marks=pytest.mark.slow)]
)
def test_a_process_runs_what_others_compiled_without_mixing_it_up(
    tmp_path: Path, later: list[str]
) -> None:
    for alone in ("max", "sum"):
        assert wrong_answers([alone], tmp_path) == {alone: 0}
    # The second case compiles one aggregate anew before it finds the other on disk.
    assert wrong_answers(later, tmp_path) == dict.fromkeys(later, 0)
