"""Arguments that once ended in errors of Python's or numpy's; each is refused with one of ours."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from windrow import agg, approximate, paged, structures, topology, window
from windrow.errors import WindrowError
from windrow.paged import stores
from windrow.topology.simulation import simulate
from windrow.windows import Policy

HUGE: Any = 10**5000  # more digits than Python writes
MONTH: Any = np.timedelta64(1, "M")  # numpy takes it for a whole number, and gives one for it
HOUR: Any = np.timedelta64(1, "h")  # numpy takes it for a whole number, and gives none for it

PLAN = topology.plan(500, rate=0.5, nodes=20)


def paged_amta(**sizes: Any) -> object:
    return paged.PagedAmta(agg.max(), stores.MemoryStore(), "window", **sizes)


def redis(**times: Any) -> object:
    return stores.RedisStore("redis://localhost:1/0", **times)


MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "rows": (lambda: window.trailing(rows=HUGE), "rows="),
    "fewer rows": (lambda: window.trailing(rows=-HUGE), "rows="),
    "duration": (lambda: window.trailing(HUGE), "duration="),
    "count": (lambda: window.count(HUGE), "size="),
    "tumbling": (lambda: window.tumbling(HUGE), "size="),
    "hopping": (lambda: window.hopping("1 hour", every=HUGE), "every="),
    "top_k": (lambda: agg.top_k(HUGE), "k="),
    "quantile": (lambda: agg.quantile(HUGE), "q="),
    "separator": (lambda: agg.concat(separator=HUGE), "separator="),
    "within": (lambda: agg.sum().within(relative=HUGE), "relative="),
    "buckets": (lambda: approximate.Footprint(HUGE), "buckets="),
    "open": (lambda: stores.MemoryStore().open(HUGE), "name="),
    "delete": (lambda: stores.MemoryStore().delete(HUGE), "name="),
    "page": (lambda: paged_amta(page=HUGE), "page="),
    "needs": (lambda: structures.Needs(eviction=HUGE), "eviction="),
    "choose": (lambda: structures.choose(HUGE), "monoid="),
    "evict": (lambda: structures.Amta(agg.sum()).evict(HUGE), "count="),
    "restore": (lambda: structures.Amta(agg.sum()).restore(HUGE), "restore("),
    "drop": (lambda: Policy(drop=HUGE, using=(("n", agg.count()),)), "drop="),
    "node": (lambda: topology.Node(HUGE), "limit="),
    "path of a plan": (lambda: topology.write_plan(PLAN, HUGE), "path="),
    "page of an hour": (lambda: paged_amta(page=HOUR), "page="),
    "pages of an hour": (lambda: paged_amta(cached_pages=HOUR), "cached_pages="),
    "wait of an hour": (lambda: paged_amta(wait_s=HOUR), "wait_s="),
    "wait of a month": (lambda: paged_amta(wait_s=MONTH), "wait_s="),
    "timeout of an hour": (lambda: redis(timeout=HOUR), "timeout="),
    "limit of a month": (lambda: topology.csa(50, rate=0.5, limit=MONTH), "limit="),
    "bounds of a month": (lambda: topology.bounds(50, rate=0.5, limit=MONTH), "limit="),
    "edge of a month": (lambda: agg.histogram([0, MONTH]), "edges="),
    "trace of a number": (lambda: topology.read_trace(3), "path="),  # type: ignore[arg-type]
    "times of a number": (lambda: topology.Trace(5, [1]), "times_s="),  # type: ignore[arg-type]
    "simulated number": (lambda: simulate(PLAN, trace=3), "trace="),  # type: ignore[arg-type]
    "pairs": (lambda: Policy(keep=bool, using=("n",)), "using="),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_refused_by_the_name_of_their_argument(mistake: str) -> None:
    call, named = MISTAKES[mistake]
    with pytest.raises(WindrowError) as refused:
        call()
    assert named in str(refused.value)
    assert len(str(refused.value)) < 400


def test_edges_and_columns_beyond_all_floats_can_be_shown() -> None:
    assert repr(agg.histogram([0, HUGE])) == f"histogram([0, {HUGE:#x}])"
    assert repr(agg.max(HUGE)) == "max(<an int of 16,610 bits>)"


@pytest.mark.parametrize("name", ["missing/plan.json", ".", "plan\0.json", "\ud800.json"])
def test_a_plan_that_cannot_be_written_is_told_by_its_path(tmp_path: Path, name: str) -> None:
    with pytest.raises(WindrowError, match=r"^path=.* cannot be written: .*; give a file"):
        topology.write_plan(PLAN, str(tmp_path / name))


def test_a_plan_with_half_a_character_in_a_name_comes_back(tmp_path: Path) -> None:
    plan = topology.plan([topology.Sources(500, 0.5, name="\ud800")], nodes=20)
    topology.write_plan(plan, tmp_path / "plan.json")
    assert topology.read_plan(tmp_path / "plan.json") == plan
