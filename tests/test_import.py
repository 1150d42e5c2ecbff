"""Importing windrow is quick: no compiler, no Arrow, no frames, and nothing is compiled."""

import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

import windrow
from windrow import approximate, paged, structures
from windrow.paged import stores

HEAVY = (
    "numba",
    "llvmlite",
    "pyarrow",
    "pandas",
    "polars",
    "hypothesis",
    "pyspark",
    "redis",
    "rocksdict",
)


def run(code: str) -> str:
    """What a new process prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_windrow_loads_nothing_heavy() -> None:
    code = f"import sys, windrow; print([name for name in {HEAVY} if name in sys.modules])"
    assert run(code) == "[]"


def test_defining_aggregates_windows_and_monoids_loads_nothing_heavy() -> None:
    code = f"""
import sys
import windrow as wr
from windrow import agg, window
sums = wr.monoid(lift=lambda x: x, combine=lambda a, b: a + b, identity=0.0)
window.policy(keep=lambda w: w.n <= 3, using={{"n": agg.count()}})
kept = wr.structures.Amta(agg.of(sums))
kept.insert(2.0)
assert kept.query() == 2.0
print([name for name in {HEAVY} if name in sys.modules])
"""
    assert run(code) == "[]"


def test_roll_is_imported_when_asked_for() -> None:
    code = """
from windrow import roll
import sys, windrow
assert windrow.roll is roll and "pyarrow" in sys.modules
print(roll.__name__)
"""
    assert run(code) == "roll"


def test_all_names_exist() -> None:
    assert sorted(windrow.__all__) == list(windrow.__all__)
    for name in windrow.__all__:
        assert getattr(windrow, name) is not None
    assert not hasattr(windrow, "unroll")


def test_all_names_come_with_a_star() -> None:
    assert run("from windrow import *; print(roll.__name__, agg.max())") == "roll max()"


@pytest.mark.parametrize(
    "module", [windrow, structures, approximate, paged, stores], ids=lambda module: module.__name__
)
def test_names_that_load_later_are_listed_at_once(module: ModuleType) -> None:
    assert set(module.__all__) <= set(dir(module))


def test_the_version_is_known_without_an_installation() -> None:
    source = Path(windrow.__file__).parent.parent
    code = f"import sys; sys.path = [{str(source)!r}, *sys.path]; import windrow"
    assert run(f"{code}; print(windrow.__version__)") == windrow.__version__ == version("windrow")
    project = tomllib.loads((source.parent / "pyproject.toml").read_text())
    assert project["tool"]["hatch"]["version"]["path"] == "src/windrow/version.py"
