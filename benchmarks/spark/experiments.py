"""The experiments, in the order in which they run."""

from typing import Any

from benchmarks.findings import Experiment
from benchmarks.spark.choice import CHOICE
from benchmarks.spark.cluster import CLUSTER
from benchmarks.spark.cold import COLD
from benchmarks.spark.cores import CORES
from benchmarks.spark.frames import DEFAULT_FRAME, DEFAULT_FRAME_1M, FRAMES
from benchmarks.spark.hopping import HOPPING
from benchmarks.spark.many_slides import MANY_SLIDES
from benchmarks.spark.one_key import ONE_KEY
from benchmarks.spark.segments import SEGMENTS
from benchmarks.spark.several import SEVERAL
from benchmarks.spark.stream_hopping import STREAM_HOPPING
from benchmarks.spark.stream_hot import STREAM_HOT
from benchmarks.spark.stream_large import STREAM_LARGE
from benchmarks.spark.stream_plain import STREAM_PLAIN
from benchmarks.spark.stream_trailing import STREAM_TRAILING

__all__ = ["EXPERIMENTS", "LONG"]

EXPERIMENTS: tuple[Experiment[Any], ...] = (
    *(HOPPING, MANY_SLIDES, SEVERAL, ONE_KEY, CHOICE),
    *(DEFAULT_FRAME, FRAMES, SEGMENTS, CORES, CLUSTER, COLD),
    *(STREAM_TRAILING, STREAM_HOT, STREAM_LARGE, STREAM_PLAIN, STREAM_HOPPING),
)

# Run with --full, or when they are named.
LONG: tuple[Experiment[Any], ...] = (DEFAULT_FRAME_1M,)
