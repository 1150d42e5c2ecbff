"""Kernels run interpreted until compiling pays, and it does not show in any result."""

import os
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow import agg, monoid, roll, window
from windrow.compiler import cache as disk
from windrow.compiler import kernel as compiling_kernels
from windrow.compiler.kernel import Kernel
from windrow.compiler.setting import Compile, compiling, setting
from windrow.errors import InputError
from windrow.structures import CompiledAmta

# Every aggregate of the catalogue, in roll and in engines of all kinds, on a few rows.
SMALL = """
import sys, warnings
import numpy as np, pyarrow as pa
from tests.rolling.support import ONLY_OBJECTS, reading
from tests.engines.support import ALIGNED, OTHERS, definition, table
from windrow import agg, roll, window
from windrow.structures import CompiledAmta
from windrow.algebra.lookup import registered
from windrow.algebra.registry import Takes
from windrow.engines.batch import run_through
from windrow.engines.engines import engine_for
from windrow.windows import Order

VALUES = {Takes.BOOLEANS: [True, False] * 50, Takes.TEXT: ["a", "b"] * 50}
few = window.policy(keep=lambda w: w.n <= 9, using={"n": agg.count()})
count = 0
for name, entry in registered().items():
    if name in ONLY_OBJECTS:
        continue
    values = VALUES.get(entry.takes, [float(k % 7) for k in range(100)])
    columns = pa.table({"v": values, "w": [1.0 + k for k in range(100)]})
    for kind in (window.trailing(rows=9), window.trailing("9 us"), few):
        roll(columns, reading(entry.example.monoid), kind, times=list(range(100)), by=[1, 2] * 50)
        count += 1
rows = [("ab"[k % 2], k, float(k % 7), k % 5 == 0, k % 6 == 0) for k in range(50)]
numbers = {
    name: type(entry.example)(entry.example.monoid, ("v0",) * len(entry.example.columns))
    for name, entry in registered().items()
    if entry.takes in (Takes.ANYTHING, Takes.NUMBERS) and name not in ONLY_OBJECTS
}
for kind in (*ALIGNED, *OTHERS):
    made = definition([("", kind)], numbers)
    assert list(run_through(engine_for(made), [(0, table(rows, made.schema))], Order.TIME))
    count += len(numbers)
kept = CompiledAmta(agg.stddev(), few)
kept.extend(np.arange(50.0))
kept.slide()
assert kept.query() is not None
print(count > 200, [name for name in ("numba", "llvmlite") if name in sys.modules])
"""


def run(script: str, cache: Path, **environment: str) -> str:
    """What a new process prints."""
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "WINDROW_CACHE_DIR": str(cache), **environment},
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    ).stdout


def test_few_rows_load_no_compiler_whatever_the_aggregate_and_window(tmp_path: Path) -> None:
    assert run(SMALL, tmp_path) == "True []\n"
    assert not list(tmp_path.iterdir())


# What compiled and plain code might not do alike ------------------------------------------------


def bits(numbers: Any) -> list[bytes]:
    """Numbers so that equal ones are equal to the last bit, and -0.0 is not 0.0; NaN is NaN."""
    return [
        b"nan" if number != number else struct.pack("<d", number)
        for number in np.asarray(numbers, np.float64).tolist()
    ]


def both_ways(run: Any) -> tuple[Any, Any]:
    """What runs interpreted, and compiled."""
    with compiling(Compile.NEVER):
        plain = run()
    with compiling(Compile.ALWAYS):
        return plain, run()


floats = st.floats() | st.sampled_from([0.0, -0.0, 1e308, -1e308, float("nan"), float("inf")])
integers = st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-3, 3)


@pytest.mark.compiles
@given(st.lists(floats, max_size=40), st.integers(1, 9))
def test_trailing_floats_are_the_same_to_the_last_bit(values: list[float], rows: int) -> None:
    column = np.array(values, np.float64)
    aggregates = {"mean": agg.mean(), "product": agg.product(), "peak": agg.max()}
    plain, compiled = both_ways(lambda: roll(column, aggregates, window.trailing(rows=rows)))
    for name in aggregates:
        assert bits(plain[name]) == bits(compiled[name]), name


HASH = monoid(
    lift=lambda x: (x, 31),
    combine=lambda older, newer: (older[0] * newer[1] + newer[0], older[1] * newer[1]),
    lower=lambda state: state[0],
    identity=(0, 1),
    name="hash",
)


@pytest.mark.compiles
@given(st.lists(st.none() | integers, max_size=40), st.integers(1, 9))
def test_integers_wrap_around_alike(values: list[int | None], rows: int) -> None:
    """By a monoid that multiplies and adds without regard to their size."""
    hashed = agg.of(HASH)

    def rolled() -> Any:
        return roll(pa.array(values, pa.int64()), hashed, window.trailing(rows=rows)).to_pylist()

    plain, compiled = both_ways(rolled)
    assert plain == compiled


@pytest.mark.compiles
def test_what_comparing_gives_adds_up_in_both() -> None:
    steps = monoid(lift=lambda x: (x > 0) + (x > 1), combine=lambda a, b: a + b, identity=0)
    plain, compiled = both_ways(
        lambda: roll(np.arange(4), agg.of(steps), window.trailing(rows=2)).tolist()
    )
    assert plain == compiled == [0, 1, 3, 4]


@pytest.mark.compiles
@pytest.mark.parametrize("zero", [0.0, 0])
def test_dividing_by_zero_is_an_error_in_both(zero: float) -> None:
    share = monoid(lift=lambda x: x / x, combine=max, identity=0.0, name="share")
    for when in (Compile.NEVER, Compile.ALWAYS):
        with compiling(when), pytest.raises(ZeroDivisionError):
            roll(np.array([zero]), agg.of(share), window.trailing(rows=2))


# Changing over ----------------------------------------------------------------------------------


@pytest.mark.compiles
@pytest.mark.parametrize("slides", [False, pytest.param(True, marks=pytest.mark.slow)])
@given(
    steps=st.lists(
        st.tuples(st.lists(floats, min_size=1, max_size=6), st.integers(0, 6), st.booleans()),
        max_size=12,
    )
)
def test_a_window_may_change_over_at_any_step(
    slides: bool, steps: list[tuple[list[float], int, bool]]
) -> None:
    calm = window.policy(keep=lambda w: w.n <= 12, using={"n": agg.count()})
    mixed, compiled = (CompiledAmta(agg.max(), calm if slides else None) for _ in range(2))
    for values, evicted, is_compiled in steps:
        found = []
        for kept, when in (
            (mixed, Compile.ALWAYS if is_compiled else Compile.NEVER),
            (compiled, Compile.ALWAYS),
        ):
            with compiling(when):
                kept.extend(values)
                if slides:
                    kept.slide()
                kept.evict(min(evicted, len(kept)))
                answer = kept.query()
            found.append((len(kept), bits([float("nan") if answer is None else answer])))
        assert found[0] == found[1]


# When it pays -----------------------------------------------------------------------------------


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[float]]:
    """A process that has spent nothing yet, on an empty disk; the list says what a call takes."""
    takes, clock = [0.0], [0.0]

    def thread_time() -> float:
        clock[0] += takes[0]
        return clock[0]

    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compiling_kernels, "_ledger", compiling_kernels._Ledger())
    monkeypatch.setattr(compiling_kernels, "thread_time", thread_time)
    with compiling(Compile.WHEN_IT_PAYS):
        yield takes


def adding() -> Kernel:
    def add(numbers: Any) -> Any:
        total = 0.0
        for number in numbers:
            total += number
        return total

    return Kernel(add)


def is_compiled(made: Kernel) -> bool:
    return made._native is not None


def test_a_large_input_is_compiled_for_at_once(ledger: list[float]) -> None:
    made = adding()
    assert made(np.ones(100)) == 100.0
    assert not is_compiled(made)
    assert made(np.ones(2_000_000)) == 2_000_000.0
    assert is_compiled(made)


def test_many_small_inputs_are_compiled_for_in_the_end(ledger: list[float]) -> None:
    made, ledger[0] = adding(), 0.2
    for _ in range(5):
        assert made(np.ones(3)) == 3.0
        assert not is_compiled(made)
    for _ in range(3):
        assert made(np.ones(3)) == 3.0
    assert is_compiled(made)


def test_many_kernels_are_not_compiled_in_a_row(ledger: list[float]) -> None:
    made, ledger[0] = [adding() for _ in range(20)], 1.5
    for one in made:
        one(np.ones(3))
    compiling_kernels._ledger.compiled_s = 1e6  # a slow machine
    for one in made:
        one(np.ones(3))
    assert not any(map(is_compiled, made))
    made[0](np.ones(3))  # it alone has cost what compiling does, by now
    assert is_compiled(made[0])


def test_what_is_on_disk_is_taken_sooner(ledger: list[float]) -> None:
    with compiling(Compile.ALWAYS):
        adding()(np.ones(3))
    made, ledger[0] = adding(), 0.3
    for _ in range(5):
        made(np.ones(3))
    assert is_compiled(made)


def test_arguments_of_other_types_begin_anew(ledger: list[float]) -> None:
    made = adding()
    with compiling(Compile.ALWAYS):
        made(np.ones(3))
    assert made(np.ones(3, np.int64)) == 3
    assert len(made._native.signatures) == 1


def test_the_setting_is_one_of_three(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDROW_COMPILE", "sometimes")
    with pytest.raises(
        InputError, match=r"WINDROW_COMPILE='sometimes'.*always, never, when-it-pays"
    ):
        _ = type(setting)().now


# Once per machine -------------------------------------------------------------------------------

TOGETHER = """
import sys, time
from pathlib import Path
import numpy as np
from numba.core import event
from windrow import agg, roll, window

compiled = event.RecordingListener()
event.register("numba:compile", compiled)
here, name = Path(sys.argv[1]), sys.argv[2]
(here / name).touch()
while len(list(here.iterdir())) < 2:
    time.sleep(0.01)
assert roll(np.array([1.0, 2.0]), agg.sum(), window.trailing(rows=2)).tolist() == [1.0, 3.0]
print(len(compiled.buffer) // 2)
"""


@pytest.mark.compiles
def test_processes_that_start_together_compile_once(tmp_path: Path) -> None:
    here, cache = tmp_path / "here", tmp_path / "cache"
    here.mkdir()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", TOGETHER, str(here), name],
            env={**os.environ, "WINDROW_CACHE_DIR": str(cache), "WINDROW_COMPILE": "always"},
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "other")
    ]
    compilations = sorted(int(process.communicate(timeout=300)[0]) for process in processes)
    assert compilations[0] == 0
    assert compilations[1] > 0
    assert [file.suffix for file in cache.iterdir()] == [".kernel"], "no lock is left"


HOLDING = """
import time
from windrow.compiler import cache as disk
with disk.locked("key"):
    print("held", flush=True)
    time.sleep(600)
"""


def test_who_is_killed_while_compiling_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path))
    holder = subprocess.Popen([sys.executable, "-c", HOLDING], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    entered = threading.Event()

    def wait() -> None:
        with disk.locked("key"):
            entered.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert not entered.wait(0.3)
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    waiting.join(timeout=60)
    assert entered.is_set()


def test_nobody_waits_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(disk, "_PATIENCE_S", 0.2)
    with disk.locked("key"), disk.locked("key"):
        pass
    assert not list(tmp_path.iterdir())
