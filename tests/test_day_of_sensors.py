"""The example of the core: its table agrees with pandas and plain loops, and it draws a picture."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from examples import day_of_sensors as example
from windrow.datasets import day_of_sensors

pytestmark = pytest.mark.xdist_group("day_of_sensors")

SENSORS, EVERY_S = 3, 60


class Run(NamedTuple):
    """What the example said and drew."""

    output: str
    picture: Path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    picture = tmp_path_factory.mktemp("example") / "new folder" / "day.png"
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        example.main([f"--sensors={SENSORS}", f"--every={EVERY_S}", f"--picture={picture}"])
    return Run(output.getvalue(), picture)


@pytest.fixture(scope="module")
def readings() -> pd.DataFrame:
    frame: pd.DataFrame = day_of_sensors(SENSORS, every_us=EVERY_S * 1_000_000).to_pandas()
    return frame


def test_the_table_agrees_with_an_independent_computation(run: Run, readings: pd.DataFrame) -> None:
    lines = [line.split() for line in run.output.splitlines() if line.startswith("s-")]
    assert lines == [
        expected_line(str(name), own.set_index("ts")["temp"])
        for name, own in readings.groupby("sensor", observed=True)
    ]


def test_the_rows_and_the_time_for_each_are_told(run: Run, readings: pd.DataFrame) -> None:
    told = re.search(r"^([\d,]+) readings .* ([\d.]+) s: ([\d,]+) ns per reading", run.output, re.M)
    assert told is not None
    rows, seconds, nanoseconds = (float(number.replace(",", "")) for number in told.groups())
    assert rows == len(readings)
    assert seconds * 1e9 / rows == pytest.approx(nanoseconds, abs=0.005 * 1e9 / rows + 1)


def test_the_picture_is_a_png_where_it_was_asked_for(run: Run) -> None:
    assert run.output.endswith(f"picture: {run.picture}\n")
    assert run.picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_the_picture_of_the_documents_is_a_png_of_modest_size() -> None:
    picture = Path(__file__).parent.parent / "docs" / "images" / "day_of_sensors.png"
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert picture.stat().st_size < 200_000


# The independent computation: pandas where it has the aggregate, otherwise loops ---------------


def expected_line(name: str, temp: "pd.Series[float]") -> list[str]:
    mean = temp.rolling("1h").mean()
    swing = temp.rolling("5min").max() - temp.rolling("5min").min()
    climb = temp.rolling("10min").apply(largest_climb, raw=True)
    run_start, run_length = longest_run(temp)
    calm_since, calm_until = max(calm_stretches(temp), key=lambda found: found[1] - found[0])
    calm_minutes = int((calm_until - calm_since).total_seconds()) // 60
    hot = climb >= example.HOT
    return [
        name,
        *(f"{mean.max():.2f}", f"{mean.idxmax():%H:%M}"),
        *(f"{swing.max():.2f}", f"{swing.idxmax():%H:%M}"),
        *(f"{climb.max():.2f}", f"{climb.idxmax():%H:%M}"),
        *(f"{run_length}", f"{run_start:%H:%M}"),
        *(f"{calm_minutes // 60}:{calm_minutes % 60:02}", f"{calm_until:%H:%M}"),
        str((hot & ~hot.shift(1, fill_value=False)).sum()),
    ]


def largest_climb(temp: NDArray[np.float64]) -> float:
    known = temp[~np.isnan(temp)]
    return float((known - np.minimum.accumulate(known)).max(initial=0))


def longest_run(temp: "pd.Series[float]") -> tuple[pd.Timestamp, int]:
    """When the longest run of increasing readings begins, the oldest of several, and its length."""
    known = temp.dropna()
    run = (~(known.diff() > 0)).cumsum()
    longest = known.index[run == run.value_counts(sort=False).idxmax()]
    assert longest[-1] - longest[0] < pd.Timedelta("1h")  # so it fits the window that looks for it
    return longest[0], len(longest)


def calm_stretches(temp: "pd.Series[float]") -> list[tuple[pd.Timestamp, pd.Timestamp]]:
    """For each reading, the longest stretch up to it that stays calm."""
    numbers, found, first = temp.to_numpy(), [], 0
    for last in range(len(numbers)):
        while spread(numbers[first : last + 1]) > example.CALM:
            first += 1
        found.append((temp.index[first], temp.index[last]))
    return found


def spread(temp: NDArray[np.floating[Any]]) -> float:
    return float(np.fmax.reduce(temp) - np.fmin.reduce(temp))
