"""Settings of windows in stores, and of stores, that make no sense are refused by name."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.paged.faulty import FaultyStore
from windrow import agg
from windrow.approximate import ApproximateAmta, SumLike
from windrow.errors import InputError, WindowError
from windrow.paged import Outage, PagedAmta
from windrow.paged.stores import MemoryStore, RedisStore, RocksStore

pytestmark = pytest.mark.xdist_group("paged")

NOTHING_OF_USE: list[Any] = [None, "7", b"8", True, False, -1, float("nan"), float("inf"), [8], 8j]
WHOLE = [*NOTHING_OF_USE, 0, 8.0, 2.5, np.float64(8), 2**70, -np.int64(8)]
TIMES = [*NOTHING_OF_USE, 1e12, np.float32("inf"), np.bool_(True)]

WRONG = [
    *(("page", value) for value in (*WHOLE, 7, 4, 1 << 17)),
    *(("cached_pages", value) for value in (*WHOLE, 3, 5, 1 << 13)),
    *(("buffer_bytes", value) for value in WHOLE),
    *(("max_unwritten_updates", value) for value in WHOLE),
    *(("wait_s", value) for value in TIMES),
    *(("outage", value) for value in (None, "wait", 1, Outage)),
    *(("codec", value) for value in (7, (), (repr,), (repr, 7), [repr, eval], "ab")),
]


@pytest.mark.parametrize(("argument", "value"), WRONG, ids=repr)
def test_a_setting_that_makes_no_sense_is_refused_by_name(argument: str, value: Any) -> None:
    store = MemoryStore()
    with pytest.raises(InputError, match=rf"^{argument}=.*(give|use)"):
        PagedAmta(agg.collect(), store, "w", **{argument: value})
    with pytest.raises(InputError, match=rf"^{argument}=.*(give|use)"):
        ApproximateAmta(agg.sum(), SumLike(absolute=1), store=store, name="w", **{argument: value})
    assert not store.names()


@pytest.mark.parametrize("policy", [7, "keep", {}, agg.max()], ids=repr)
def test_what_is_no_policy_is_refused_before_the_store_is_touched(policy: Any) -> None:
    store = MemoryStore()
    with pytest.raises(WindowError, match=r"^policy=.* is no slide policy; give"):
        PagedAmta(agg.max(), store, "w", policy)
    assert not store.names()


def test_more_pages_than_memory_is_for_are_refused() -> None:
    with pytest.raises(InputError, match=r"cached_pages=4096 of page=65536 .*at most 64 pages"):
        PagedAmta(agg.collect(), MemoryStore(), "w", page=65_536, cached_pages=4_096)


def test_numbers_of_other_types_are_numbers() -> None:
    numpys: dict[str, Any] = {
        "page": np.int64(8),
        "cached_pages": np.uint8(4),
        "buffer_bytes": np.int32(10_000),
        "wait_s": np.float32(5),
        "max_unwritten_updates": np.int16(20),
    }
    for settings in (numpys, numpys | {"wait_s": Fraction(5, 2)}, numpys | {"wait_s": 0}):
        store = FaultyStore()
        for held in (1, 2):
            with PagedAmta(agg.collect(), store, "w", **settings) as window:
                for number in range(50):
                    window.insert(number)
                assert window.inserted == 50 * held


@pytest.mark.parametrize("seconds", [*TIMES, 0, 0.0001], ids=repr)
@pytest.mark.parametrize("argument", ["ttl", "lease", "timeout"])
def test_times_of_a_server_that_make_no_sense_are_refused(argument: str, seconds: Any) -> None:
    if argument == "ttl" and seconds is None:
        return  # for ever
    with pytest.raises(InputError, match=rf"^{argument}=.* is no time; give seconds"):
        RedisStore("redis://localhost", **{argument: seconds})


def test_a_time_of_numpy_s_is_one() -> None:
    times: dict[str, Any] = {"ttl": np.float32(2), "lease": np.int64(3)}
    RedisStore("redis://localhost", **times).close()


@pytest.mark.parametrize("path", [None, 7, "", b"pages", ["x"]], ids=repr)
def test_a_path_that_names_no_folder_is_refused(path: Any) -> None:
    with pytest.raises(InputError, match=r"^path=.* names no folder; give one"):
        RocksStore(path)


@pytest.mark.parametrize("sync", [None, 1, "yes"], ids=repr)
def test_sync_is_true_or_false(sync: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^sync=.*: give True"):
        RocksStore(tmp_path / "pages", sync=sync)
    assert not (tmp_path / "pages").exists()
