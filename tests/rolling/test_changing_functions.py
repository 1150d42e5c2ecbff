"""Functions of a user's are compiled as they are when a roll asks: a changed global counts."""

import numpy as np
import pytest

import windrow as wr
from windrow import agg, roll, window
from windrow.structures import CompiledAmta

pytestmark = [pytest.mark.xdist_group("other kernels"), pytest.mark.usefixtures("always_compiled")]

FACTOR = 2.0
LIMIT = 1

VALUES = np.array([1.0, 2.0, 3.0])


def test_a_monoid_whose_global_changed_is_another_monoid(monkeypatch: pytest.MonkeyPatch) -> None:
    scaled = wr.monoid(lift=lambda x: x * FACTOR, combine=lambda a, b: a + b, identity=0.0)
    assert roll(VALUES, agg.of(scaled), window.trailing(rows=2)).tolist() == [2.0, 6.0, 10.0]
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert roll(VALUES, agg.of(scaled), window.trailing(rows=2)).tolist() == [3.0, 9.0, 15.0]


def test_a_policy_whose_global_changed_is_another_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    latest = window.policy(keep=lambda w: w.n <= LIMIT, using={"n": agg.count()})
    assert roll(VALUES, agg.count(), latest).tolist() == [1, 1, 1]
    monkeypatch.setitem(globals(), "LIMIT", 2)
    assert roll(VALUES, agg.count(), latest).tolist() == [1, 2, 2]
    kept = CompiledAmta(agg.count(), latest)
    kept.extend(VALUES)
    assert kept.slide() == 1


def test_predicates_see_counts_as_integers() -> None:
    short = window.policy(keep=lambda w: len(str(w.n)) < 2, using={"n": agg.count()})
    assert roll(np.ones(12), agg.count(), short).tolist() == [*range(1, 10), 9, 9, 9]
