"""What an extra brings is missed when it is first asked for, and the message names the extra."""

import subprocess
import sys

import pytest

# Which package is hidden, what needs it, and the extra that brings it.
MISSED = [
    ("scipy", "approximate.SumLike(relative=0.01)", "approximate"),
    ("scipy", "approximate.Hop()", "approximate"),
    ("datasketches", "agg.quantile_sketch(0.5)", "sketches"),
    ("datasketches", "agg.distinct_sketch('user')", "sketches"),
    ("redis", "stores.RedisStore", "redis"),
    ("rocksdict", "stores.RocksStore", "rocksdb"),
    ("pyspark", "wr.over(None, time='ts')", "spark"),
]

# What needs none of them.
KEPT = (
    "approximate.SumLike(absolute=3)",
    "approximate.ApproximateAmta(agg.sum(), approximate.Footprint(8)).insert(1.0)",
    "structures.Amta(agg.quantile(0.5)).insert(1.0)",
    "stores.MemoryStore().open('w')",
)


def run_without(package: str, code: str) -> str:
    """What a new process prints that cannot import the package."""
    program = f"""
import sys
sys.modules[{package!r}] = None
import windrow as wr
from windrow import agg
from windrow import approximate, structures
from windrow.paged import stores
try:
    {code}
except Exception as error:
    print(type(error).__mro__[-4:], error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize(("package", "code", "extra"), MISSED, ids=str)
def test_a_missing_package_is_told_when_it_is_first_asked_for(
    package: str, code: str, extra: str
) -> None:
    said = run_without(package, code)
    assert f"needs the package {package!r}" in said or f"need the package {package!r}" in said
    assert f"pip install 'windrow[{extra}]'" in said


@pytest.mark.parametrize("package", ["scipy", "datasketches"])
def test_what_needs_no_extra_works_without_it(package: str) -> None:
    assert run_without(package, "; ".join(KEPT)) == ""
