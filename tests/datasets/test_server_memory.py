"""A server's memory use is the same for the same seed, and shows all it is made of."""

import hashlib
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from windrow.datasets import server_memory
from windrow.errors import InputError

HOUR, DAY, WEEK = 3_600, 86_400, 7 * 86_400
LONGEST = 10 * 365 * DAY

generate: Any = server_memory  # some calls below are the ones its types rule out


def whole(readings: int, **arguments: Any) -> NDArray[np.float64]:
    return np.concatenate(list(generate(readings, **arguments)))


def lowest_of_hours(readings: int) -> NDArray[np.float64]:
    """The lowest reading of each hour, when the fewest jobs ran."""
    parts = server_memory(readings, chunk=WEEK)
    return np.concatenate([part.reshape(-1, HOUR).min(axis=1) for part in parts])


@cache
def months() -> NDArray[np.float64]:
    return lowest_of_hours(18 * WEEK)


def restarts(hourly: NDArray[np.float64]) -> list[int]:
    """The hours in which the services were gone."""
    gone = hourly < 2
    return (np.flatnonzero(gone[1:] & ~gone[:-1]) + 1).tolist()


def correlation(hourly: NDArray[np.float64], lag: int) -> float:
    return float(np.corrcoef(hourly[:-lag], hourly[lag:])[0, 1])


def test_the_same_seed_gives_the_same_bytes() -> None:
    checksum = hashlib.sha256(whole(2 * DAY, seed=1).astype("<f8").tobytes()).hexdigest()
    assert checksum == "0c1814a3ef06c4eb8dceb803de106f030332ef64f3d0f4aed566173a04d5c14b"


def test_another_seed_gives_other_readings() -> None:
    assert (whole(1000, seed=1) != whole(1000, seed=2)).any()


@pytest.mark.parametrize("chunk", [997, DAY, DAY + 1, 1 << 18])
def test_readings_do_not_depend_on_the_chunks(chunk: int) -> None:
    np.testing.assert_array_equal(whole(3 * DAY + 5, chunk=chunk), whole(3 * DAY + 5))


def test_all_chunks_but_the_last_are_full() -> None:
    assert [len(part) for part in server_memory(10, chunk=4)] == [4, 4, 2]
    assert [len(part) for part in server_memory(8, chunk=4)] == [4, 4]
    assert [len(part) for part in server_memory(3, chunk=4)] == [3]


def test_chunks_are_the_callers_to_keep() -> None:
    parts = list(server_memory(3 * 512, chunk=512))
    kept = [part.copy() for part in parts]
    parts[0][:] = 0
    np.testing.assert_array_equal(parts[1], kept[1])


def test_more_readings_leave_the_first_ones_as_they_were() -> None:
    np.testing.assert_array_equal(whole(30 * DAY)[: 2 * DAY + 7], whole(2 * DAY + 7))


@pytest.mark.parametrize("seed", range(3))
def test_readings_are_gigabytes_of_a_server_in_whole_kilobytes(seed: int) -> None:
    readings = whole(3 * WEEK, seed=seed)
    assert readings.dtype == np.float64
    assert readings.min() > 0
    assert readings.max() <= 64
    np.testing.assert_array_equal(readings * 2**20, np.rint(readings * 2**20))


def test_days_and_weeks_come_again() -> None:
    hourly = months()
    steps = hourly[6:] - hourly[:-6]  # without what changes slowly, such as leaks
    assert correlation(steps, 24) > 0.2
    assert correlation(steps, 12) < -0.2
    days = hourly.reshape(-1, 24)
    assert days.mean(axis=0).argmax() in range(13, 18)
    assert days.mean(axis=0).argmin() in (*range(1, 6),)
    by_weekday = np.median(hourly.reshape(-1, 7, 24), axis=(0, 2))
    assert by_weekday[1:4].mean() > by_weekday[5:].mean() + 0.5


def test_restarts_drop_to_little_and_are_days_apart() -> None:
    hours = restarts(months())
    assert 5 <= len(hours) <= 42
    apart = np.diff([0, *hours])
    assert apart.min() >= 3 * 24 - 1
    assert apart.max() <= 21 * 24 + 1
    for hour in hours:
        assert months()[hour - 1] > 5
        assert months()[hour + 4] > 5


def test_something_leaks_from_restart_to_restart() -> None:
    hours = restarts(months())
    grown = []
    for begin, end in pairwise(hours):
        days = (end - begin) // 24 - 1
        life = months()[begin + 12 :][: days * 24].reshape(days, 24).min(axis=1)
        grown.append(np.polyfit(np.arange(days), life, 1)[0])
    assert np.mean(grown) > 0.1
    assert max(grown) > 0.4


@pytest.mark.slow
def test_services_need_more_over_two_years_and_the_server_has_enough() -> None:
    hourly = lowest_of_hours(62_208_000)
    assert len(hourly) == 720 * 24
    assert hourly.max() < 64
    after = {hour: hourly[hour + 3 : hour + 24].mean() for hour in restarts(hourly)}
    per_day = np.polyfit(np.array([*after]) / 24, [*after.values()], 1)[0]
    assert 6 < per_day * 720 < 10


def test_jobs_start_and_stop() -> None:
    steps = np.diff(whole(5 * DAY, seed=3))
    for jumps in (steps > 0.24, steps < -0.24):
        assert 60 < jumps.sum() / 5 < 120


def test_readings_waver() -> None:
    steps = np.diff(whole(DAY))
    assert 0.02 < np.median(np.abs(steps)) / 0.6745 < 0.04


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"readings": 0}, f"readings=0 is out of bounds; give an int from 1 to {LONGEST}"),
        ({"readings": 1e6}, f"readings=1000000.0 is a float; give an int from 1 to {LONGEST}"),
        ({"seed": -1}, f"seed=-1 is out of bounds; give an int from 0 to {2**64 - 1}"),
        ({"seed": None}, f"seed=None is a NoneType; give an int from 0 to {2**64 - 1}"),
        ({"chunk": 0}, f"chunk=0 is out of bounds; give an int from 1 to {LONGEST}"),
        ({"chunk": "day"}, f"chunk='day' is a str; give an int from 1 to {LONGEST}"),
    ],
)
def test_an_argument_that_makes_no_sense_is_refused_at_once(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        generate(**arguments)
    assert str(caught.value) == message
