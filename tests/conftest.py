"""Settings of the whole suite: how hard Hypothesis looks, and surroundings without a screen."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The first example of a test may compile a kernel: time says nothing about the test.
_untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

settings.register_profile("dev", _untimed, max_examples=30)
settings.register_profile("ci", _untimed, max_examples=30, derandomize=True, print_blob=True)
settings.register_profile("thorough", _untimed, max_examples=2_000)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
)

# Kernels that tests compile stay with the project, and out of the user's own cache.
os.environ.setdefault("WINDROW_CACHE_DIR", str(Path(__file__).parent.parent / ".cache" / "windrow"))
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


@pytest.fixture(scope="module")
def always_compiled() -> Iterator[None]:
    """Kernels are compiled before they first run, as few as rows may be."""
    from windrow.aggregators.kernels.when import Compile, compiling

    with compiling(Compile.ALWAYS):
        yield


@pytest.fixture(scope="module", params=["never", "always"])
def interpreted_and_compiled(request: pytest.FixtureRequest) -> Iterator[None]:
    """All is run twice: by kernels that are never compiled, and by kernels that always are."""
    from windrow.aggregators.kernels.when import Compile, compiling

    with compiling(Compile(request.param)):
        yield
