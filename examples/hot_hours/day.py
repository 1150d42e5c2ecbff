"""What the demo measures."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from windrow.cli.report import Report

HERE = Path(__file__).parent
JOBS = {"batch": HERE / "batch.yaml", "stream": HERE / "stream.yaml"}


@dataclass(frozen=True)
class Day:
    """The readings, what each job told, how long plain Spark took, and all results."""

    arrivals: pd.DataFrame
    reports: dict[str, Report]
    native_s: dict[str, float]
    results: dict[str, pd.DataFrame]

    @property
    def stray(self) -> int:
        """How many readings came hours late."""
        return int((self.arrivals["arrived"] - self.arrivals["ts"] > pd.Timedelta("1h")).sum())

    @property
    def seconds(self) -> dict[str, tuple[float, float]]:
        """For each way that both ran, windrow's seconds and Spark's."""
        return {way: (self.reports[way].seconds, spent) for way, spent in self.native_s.items()}
