"""The experiments, in the order in which they run."""

from typing import Any

from benchmarks.findings import Experiment
from benchmarks.store.dimensions import DIMENSIONS
from benchmarks.store.eviction import EVICTION
from benchmarks.store.latency import LATENCY
from benchmarks.store.memory import MEMORY
from benchmarks.store.readings import READINGS

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: tuple[Experiment[Any], ...] = (LATENCY, EVICTION, READINGS, MEMORY, DIMENSIONS)
