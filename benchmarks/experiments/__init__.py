"""The experiments, in the order in which they run."""

from typing import Any

from benchmarks.experiments.bulk import BULK
from benchmarks.experiments.grouped import GROUPED
from benchmarks.experiments.policies import POLICIES
from benchmarks.experiments.roll import ROLL
from benchmarks.experiments.start import START
from benchmarks.experiments.structures import STRUCTURES
from benchmarks.experiments.user import USER
from benchmarks.findings import Experiment

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: tuple[Experiment[Any], ...] = (
    *(ROLL, USER, GROUPED, STRUCTURES, BULK, POLICIES, START),
)
