"""Settings of the whole suite: how hard Hypothesis looks, and surroundings without a screen."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.examples import QUICK, USUAL

# The first example of a test may compile a kernel: time says nothing about the test.
_untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

settings.register_profile("quick", _untimed, max_examples=QUICK)
settings.register_profile("dev", _untimed, max_examples=USUAL)
settings.register_profile("ci", _untimed, max_examples=USUAL, derandomize=True, print_blob=True)
settings.register_profile("thorough", _untimed, max_examples=2_000)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
)

_ROOT = Path(__file__).parent.parent
_SPARK = _ROOT / "tests" / "spark"

# Kernels that tests compile stay with the project, and out of the user's own cache.
os.environ.setdefault("WINDROW_CACHE_DIR", str(_ROOT / ".cache" / "windrow"))
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


@pytest.hookimpl(tryfirst=True)  # before those who deal tests out by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that run on Spark or compile, and let one process run all tests of a file.

    The tests of a file share what is costly to make: kernels, servers, what Spark has planned.
    Those on Spark, the longest, go first: so all processes end at about the same time.
    """
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()) or _SPARK in item.path.parents:
            item.add_marker("spark")
        if _compiles(item):
            item.add_marker("compiles")
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(str(item.path.relative_to(_ROOT))))
    items.sort(key=lambda item: _SPARK not in item.path.parents)


def pytest_collection_finish() -> None:
    _set_aside_what_is_there()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    _set_aside_what_is_there()


def _set_aside_what_is_there() -> None:
    """Let the garbage collector pass over what stays: the modules of a dozen large libraries.

    It would go through them with every large test, and half a dozen times before a process ends.
    """
    gc.collect()
    gc.freeze()


def _compiles(item: pytest.Item) -> bool:
    asked = getattr(item, "callspec", None)
    return "always_compiled" in getattr(item, "fixturenames", ()) or (
        asked is not None and asked.params.get("interpreted_and_compiled") == "always"
    )


@pytest.fixture(scope="module")
def always_compiled() -> Iterator[None]:
    """Kernels are compiled before they first run, as few as rows may be."""
    from windrow.compiler.setting import Compile, compiling

    with compiling(Compile.ALWAYS):
        yield


@pytest.fixture(scope="module", params=["never", pytest.param("always", marks=pytest.mark.slow)])
def interpreted_then_compiled(request: pytest.FixtureRequest) -> Iterator[None]:
    """For tests of the whole catalogue, which takes minutes to compile: `make test-slow` does.

    The same loops, with states of every shape, are compiled in tests of a few aggregates.
    """
    from windrow.compiler.setting import Compile, compiling

    with compiling(Compile(request.param)):
        yield


@pytest.fixture(scope="module", params=["never", "always"])
def interpreted_and_compiled(request: pytest.FixtureRequest) -> Iterator[None]:
    """All is run twice: by kernels that are never compiled, and by kernels that always are."""
    from windrow.compiler.setting import Compile, compiling

    with compiling(Compile(request.param)):
        yield
