"""The memory use of a server, second by second for years, in chunks of any length."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from windrow.datasets.arguments import require_int
from windrow.datasets.signals import Floats, between, cycle, events, noise

__all__ = ["server_memory"]

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400  # in readings
_WEEK = 7 * _DAY
_FULL = 720 * _DAY
_LONGEST = 10 * 365 * _DAY

_INSTALLED_GB = 64.0
_SYSTEM_GB = 1.5  # what is used before anything runs
_SERVICES_GB = 10.0
_TREND_GB = 8.0 / _FULL  # of each reading: what the services need more and more
_STEPS_PER_GB = 1 << 20

_SHAPE = (1, _DAY)  # readings are made day by day


@dataclass(frozen=True, slots=True)
class _Lives:
    """The times between restarts."""

    start: NDArray[np.int64]  # the reading each begins with; the last begins after the end
    leak_gb: Floats  # with each reading


@dataclass(frozen=True, slots=True)
class _Jobs:
    """What runs for a while, by the first reading with it and the first without."""

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    size_gb: Floats


def server_memory(
    readings: int = _FULL, *, seed: int = 7, chunk: int = 1 << 16
) -> Iterator[NDArray[np.float64]]:
    """The memory in use on a server with 64 GB, once per second, in arrays of `chunk` readings.

    Readings are in GB (2³⁰ bytes), above 0 and at most 64, in steps of 2⁻²⁰ GB (1 KB): sums of
    some millions are exact.  What services use grows over the months and follows the day and the
    week; about a hundred jobs a day start and stop; readings waver.  Something leaks, faster or
    more slowly, until a restart after some days, which also ends all jobs; then the services take
    an hour or two to fill their caches again.  Reading 0 is at midnight, on a Monday.

    Only a day of readings and a chunk are in memory at a time.  The same seed gives the same
    readings, whatever the size of chunks, and more readings do not change the first ones.

    >>> [len(part) for part in server_memory(200_000, chunk=90_000)]
    [90000, 90000, 20000]
    """
    require_int(readings, "readings", least=1, most=_LONGEST)
    require_int(seed, "seed", least=0, most=2**64 - 1)
    require_int(chunk, "chunk", least=1, most=_LONGEST)
    return _cut(_days(readings, np.random.default_rng(seed)), min(chunk, readings))


def _cut(blocks: Iterable[Floats], length: int) -> Iterator[Floats]:
    """The same numbers in arrays of one length, and one of what is left."""
    part, filled = np.empty(length), 0
    for block in blocks:
        while len(block):
            taken = block[: length - filled]
            part[filled : filled + len(taken)] = taken
            filled += len(taken)
            block = block[len(taken) :]
            if filled == length:
                yield part
                part, filled = np.empty(length), 0
    if filled:
        yield part[:filled]


def _days(readings: int, rng: np.random.Generator) -> Iterator[Floats]:
    life_rng, day_rng = rng.spawn(2)
    lives = _lives(life_rng, readings)
    waves = _waves()
    nobody = np.zeros(0, np.int64)
    yesterday = _Jobs(start=nobody, end=nobody, size_gb=np.zeros(0))
    for first in range(0, readings, _DAY):
        job_rng, noise_rng = day_rng.spawn(2)
        today = _jobs(job_rng, first, lives)
        used = (
            _living(first, lives, waves[first % _WEEK :][:_DAY])
            + _running(first, yesterday)
            + _running(first, today)
            + noise(noise_rng, _SHAPE, spread=0.02)[0]
        )
        yesterday = today
        # Whole steps also hide that sines and exponentials differ in the last digit among machines.
        whole = np.rint(np.clip(used, _SYSTEM_GB / 2, _INSTALLED_GB) * _STEPS_PER_GB)
        yield whole[: readings - first] / _STEPS_PER_GB


def _lives(rng: np.random.Generator, readings: int) -> _Lives:
    shortest, longest = 3 * _DAY, 21 * _DAY
    drawn = rng.random((readings // shortest + 2, 2))
    ends = np.cumsum(between(shortest, longest, drawn[:, 0]).astype(np.int64))
    # Few leak much: the square of what is drawn.
    leak_gb = between(0.02, 1.2, drawn[:, 1] ** 2) / _DAY
    return _Lives(np.concatenate([[0], ends]), leak_gb)


def _waves() -> Floats:
    """The day and the week of the services, which come again every week."""
    day = cycle(_WEEK, _DAY, height=np.array([2.5]), peak=np.array([15.0 * _HOUR]))
    week = cycle(_WEEK, _WEEK, height=np.array([1.0]), peak=np.array([2.5 * _DAY]))
    waves: Floats = (day + week)[0]
    return waves


def _living(first: int, lives: _Lives, waves: Floats) -> Floats:
    """What system and services use, and what has leaked since the last restart."""
    reading = np.arange(first, first + _DAY)
    life = np.searchsorted(lives.start, reading, side="right") - 1
    age = reading - lives.start[life]
    services = _SERVICES_GB + _TREND_GB * reading + waves
    filled = -np.expm1(age / (-30.0 * _MINUTE))
    return _SYSTEM_GB + services * filled + lives.leak_gb[life] * age


def _jobs(rng: np.random.Generator, first: int, lives: _Lives) -> _Jobs:
    """The jobs that start on a day; none lasts longer than a day, or over a restart."""
    drawn = events(rng, _SHAPE, each=100, traits=2)
    start = first + drawn.start.astype(np.int64)
    length = 1 + np.minimum(-np.log1p(-drawn.traits[:, 0]) * _HOUR, _DAY - 1).astype(np.int64)
    restart = lives.start[np.searchsorted(lives.start, start, side="right")]
    return _Jobs(start, np.minimum(start + length, restart), 0.25 * 16 ** drawn.traits[:, 1])


def _running(first: int, jobs: _Jobs) -> Floats:
    """What these jobs use on a day."""
    edges = np.zeros(_DAY + 1)
    np.add.at(edges, np.clip(jobs.start - first, 0, _DAY), jobs.size_gb)
    np.add.at(edges, np.clip(jobs.end - first, 0, _DAY), -jobs.size_gb)
    return np.cumsum(edges[:-1])
