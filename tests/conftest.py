"""Settings of the whole suite: how hard Hypothesis looks, and surroundings without a screen."""

import os
import sys
from pathlib import Path

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
