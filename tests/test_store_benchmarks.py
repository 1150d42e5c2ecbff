"""The benchmarks of stores work: on tiny sizes, each gives a full report, and all agree."""

import json
import re
from dataclasses import replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.findings import Experiment
from benchmarks.measure import Bench, Timer, percentiles
from benchmarks.memory import resident_bytes
from benchmarks.numbers import memory
from benchmarks.progress import Progress
from benchmarks.redis_server import RedisServer, RedisServerError
from benchmarks.store import __main__ as command
from benchmarks.store.dimensions import DimensionSizes
from benchmarks.store.eviction import EvictionSizes
from benchmarks.store.experiments import EXPERIMENTS
from benchmarks.store.latency import LatencySizes
from benchmarks.store.log_mta import LogMtaInStore
from benchmarks.store.memory import MemorySizes
from benchmarks.store.plots import PLOTS
from benchmarks.store.readings import ReadingsPlan, ReadingsSizes
from benchmarks.store.returning import InMemory, InStore, Returning
from windrow import agg
from windrow.paged import PagedAmta
from windrow.paged.stores import MemoryStore
from windrow.structures import Amta

pytestmark = pytest.mark.xdist_group("benchmarks")

TINY: dict[str, Any] = {
    "latency": LatencySizes((1, 64), naive_window=1, python_window=64, updates=30, batches=3),
    "eviction": EvictionSizes(1 << 11, times=3, python_held=16, memory_times=3, every=5),
    "readings": ReadingsPlan(
        numbers=ReadingsSizes(readings=70_000, window=1 << 14, chunk=1 << 14),
        objects=ReadingsSizes(readings=1 << 11, window=1 << 9, chunk=1 << 9),
        naive=ReadingsSizes(readings=1 << 11, window=1 << 6, chunk=1 << 9),
    ),
    "memory": MemorySizes(
        (1 << 12,), python_window=1 << 12, budgets=(1, 8), largest=1 << 14, python_largest=1 << 13
    ),
    "dimensions": DimensionSizes((1, 2), window=64, python_window=16, updates=20, batches=2),
}


def quiet() -> Bench:
    return Bench(repetitions=2, progress=Progress(StringIO()))


@pytest.mark.slow
@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: str(e.name))
def test_an_experiment_measures_all_it_shows(experiment: Experiment[Any], tmp_path: Path) -> None:
    # Windows that disagree raise: to come back is to agree.
    findings = experiment.run(TINY[experiment.name], quiet())
    assert findings.measured
    for m in findings.measured:
        assert 0 <= m.best <= m.median
        if m.percentiles is not None:
            assert list(m.percentiles) == ["p50", "p90", "p99", "p99.9", "max"]
    assert findings.notes
    for table in findings.tables:
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.header)}
    PLOTS[experiment.name](findings.measured, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_every_experiment_has_tiny_sizes_and_a_picture() -> None:
    assert [e.name for e in EXPERIMENTS] == list(TINY) == list(PLOTS)


@pytest.mark.slow
def test_a_run_writes_figures_and_pictures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some = [replace(e, quick=TINY[e.name]) for e in EXPERIMENTS if e.name in ("latency", "memory")]
    replace(command.SUITE, experiments=some).main(["--quick", "--out", str(tmp_path)])
    written = json.loads((tmp_path / "bench-store.json").read_text(encoding="utf-8"))
    assert list(written["experiments"]) == ["latency", "memory"]
    assert {"cpus", "python", "rocksdict", "redis"} <= written["machine"].keys()
    units = {m["unit"] for found in written["experiments"].values() for m in found["measured"]}
    assert units == {"ns", "B", "updates"}
    assert {path.name for path in tmp_path.glob("*.png")} == {
        "store-latency.png",
        "store-memory.png",
    }
    output = capsys.readouterr()
    assert re.search(
        r"^RocksDB, in batches: throughput .* ≥ 0.5 x +not measured$", output.out, re.M
    )
    assert re.search(r"memory that a window of 2\^25 takes +≤ 100 MB", output.out)
    assert output.err == ""  # not a terminal


def test_an_unknown_experiment_is_refused() -> None:
    with pytest.raises(SystemExit, match="no experiment lat; there are latency, eviction"):
        command.main(["--only", "lat"])


def in_memory() -> Returning:
    window = Amta(agg.collect())
    for update in (1.0, 2.0, 3.0, 4.0):
        window.insert(update)
    return InMemory(window)


def in_store() -> Returning:
    opened = partial(PagedAmta, agg.sum(), MemoryStore(), "w")
    with opened() as window:
        window.extend([1.0, 2.0, 3.0, 4.0])
    return InStore("in a store", opened)


@pytest.mark.parametrize(
    ("window", "first", "second"),
    [(in_memory, [4.0, 5.0], [5.0, 6.0]), (in_store, 9.0, 11.0)],
)
def test_what_was_evicted_comes_back(window: Any, first: Any, second: Any) -> None:
    returning: Returning = window()
    found: list[Any] = []
    for update in (5.0, 6.0):
        assert returning.evict(np.array([update]), 2, lambda w: found.append(w.query())) > 0
    assert found == [first, second]
    assert returning.slide(np.array([7.0])) == 4


def test_single_operations_are_timed_in_turns() -> None:
    calls: list[str] = []

    def turn(name: str) -> list[float]:
        calls.append(name)
        return [1.0, 3.0, 5.0]

    timers = [Timer(name, partial(turn, name)) for name in "ab"]
    one, other = quiet().singles({"evicted": 1}, timers, ranks=(50, 99.9))
    assert calls == [*"ab"] * 2
    assert (one.best, one.median, one.repetitions) == (1, 3, 6)
    assert list(other.percentiles or ()) == ["p50", "p99.9"]


def test_a_percentile_may_have_digits() -> None:
    found = percentiles(range(1001), (99.9, 100))
    assert found == pytest.approx({"p99.9": 999, "max": 1000})


def test_bytes_are_shown_as_people_read_them() -> None:
    assert [memory(n) for n in (12, 40_200_000, 1e9)] == ["12.0 B", "40.2 MB", "1.00 GB"]


def test_the_memory_of_this_process_grows_with_what_it_holds() -> None:
    before = resident_bytes()
    held = np.ones(1 << 24)  # too much to come out of memory that was freed before
    assert resident_bytes() - before > held.nbytes // 2


def test_a_missing_redis_server_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with (
        pytest.raises(RedisServerError, match="redis-server is missing: apt-get install"),
        RedisServer(tmp_path),
    ):
        pass


def test_a_redis_server_that_does_not_start_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(RedisServerError, match="did not start on port"),
        RedisServer(tmp_path, "--no-such-setting", "yes"),
    ):
        pass


@pytest.mark.parametrize("aggregate", [agg.max(), agg.sum()], ids=repr)
@given(
    steps=st.lists(st.tuples(st.integers(0, 2_000), st.integers(0, 2_500)), max_size=12),
)
def test_log_mta_in_a_store_says_what_is_left(aggregate: Any, steps: list[tuple[int, int]]) -> None:
    with MemoryStore() as store, store.open("window") as stored_window:
        window, wanted = LogMtaInStore(aggregate, stored_window), Amta(aggregate)
        for coming, leaving in steps:
            for number in range(coming):
                for each in (window, wanted):
                    each.insert(float(number * 7919 % 1009))
            gone = min(leaving, len(wanted))
            before = window.snapshot()
            for _ in range(2):  # it comes back as often as asked
                window.restore(before)
                assert window.query() == wanted.query()
                window.evict(gone)
            wanted.evict(gone)
            assert window.query() == wanted.query()
