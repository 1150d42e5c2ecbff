"""All settings tried on a sample, and what came out."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windrow.algebra.aggregate import Aggregate
from windrow.approximate.method import Method
from windrow.approximate.tuning import (
    Measured,
    Recommendation,
    Target,
    frontier,
    recommend,
    settings_for,
)
from windrow.cli.tune.sample import Sample, read_sample
from windrow.errors import InputError, WindowError
from windrow.windows import TrailingRows, TrailingTime

if TYPE_CHECKING:
    from windrow.approximate.tuning.trial import Trial

__all__ = ["Asked", "Findings", "find"]


@dataclass(frozen=True)
class Asked:
    """What the command was asked for."""

    sample: Path
    aggregate: Aggregate[Any]
    window: TrailingRows | TrailingTime
    target: Target
    by: tuple[str, ...]
    time: str | None
    confidence: float


@dataclass(frozen=True)
class Findings:
    """What came out; a sample without keys has one."""

    asked: Asked
    sample: Sample
    trial: "Trial"
    tried: list[Measured]  # the exact window first
    frontier: list[Measured]
    recommendation: Recommendation


def find(asked: Asked, say: Callable[[str], None]) -> Findings:
    """Try all settings; `say` is called with what is being done."""
    say("reading the sample")
    column = next(iter(asked.aggregate.columns), None)  # rows are counted without one
    sample = read_sample(asked.sample, column, asked.time, asked.by)
    say("loading the compiler")
    from windrow.approximate.tuning.trial import Trial

    say("computing exact results")
    try:
        trial = Trial(asked.aggregate, asked.window, sample.series)
    except WindowError as error:
        raise InputError(f"--window: {error}") from None
    methods = settings_for(
        asked.aggregate,
        trial.exact.peak_buckets,
        max(map(len, sample.series)),
        confidence=asked.confidence,
        relative=asked.target.error,
        buckets=(asked.target.bytes or 0) // trial.bytes_of_bucket,
    )
    tried, kinds = [trial.exact], set[type[Method]]()
    for number, method in enumerate(methods, 1):
        # What is compiled is kept on disk; nobody knows beforehand whether it is there.
        first = "" if type(method) in kinds else " (compiled once, some seconds)"
        kinds.add(type(method))
        say(f"{number} of {len(methods)}: {type(method).__name__}{first}")
        tried.append(trial.of(method))
    return Findings(
        asked=asked,
        sample=sample,
        trial=trial,
        tried=tried,
        frontier=frontier(tried),
        recommendation=recommend(tried, asked.target),
    )
