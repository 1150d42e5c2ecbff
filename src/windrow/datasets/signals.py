"""What streams are made of: cycles, drift, noise, pulses and outages.

Arrays have one row for each series and one column for each tick; lengths of time are in ticks.
Everything random is drawn series after series, so more series leave the first ones as they were;
for that, a function never draws twice from one generator, and neither should its callers.
"""

from dataclasses import dataclass
from math import sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Bools",
    "Floats",
    "Shape",
    "between",
    "cycle",
    "drift",
    "events",
    "gusts",
    "noise",
    "outages",
    "pulses",
]

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Shape: TypeAlias = tuple[int, int]  # series, ticks

_PULSE_LENGTH = 12  # rises; what is left by then is below 0.1 % of the height


@dataclass(frozen=True, slots=True)
class Events:
    """Things that happen to some series, at some time, in some way."""

    series: NDArray[np.int64]
    start: Floats  # in ticks
    traits: Floats  # one row for each event; uniform from 0 to 1


def between(low: float, high: float, share: Floats) -> Floats:
    """The number that divides [low, high) in this share."""
    return low + (high - low) * share


def cycle(ticks: int, period: float, height: Floats, peak: Floats) -> Floats:
    """A wave for each series: up to `height` at the tick `peak`, down to `-height` in between."""
    phase = (np.arange(ticks) - peak[:, None]) * (2 * np.pi / period)
    return height[:, None] * np.cos(phase)


def drift(rng: np.random.Generator, shape: Shape, spread: float) -> Floats:
    """A random walk from 0, with the standard deviation `spread` at its end."""
    steps = rng.standard_normal(shape)
    return np.cumsum(steps, axis=1) * (spread / sqrt(shape[1]))


def noise(rng: np.random.Generator, shape: Shape, spread: float) -> Floats:
    """Errors that know nothing of each other."""
    return spread * rng.standard_normal(shape)


def gusts(rng: np.random.Generator, shape: Shape, spread: float, width: int) -> Floats:
    """Noise averaged over `width` ticks: it wanders, and always comes back."""
    series, ticks = shape
    total = np.zeros((series, ticks + width))
    np.cumsum(rng.standard_normal((series, ticks + width - 1)), axis=1, out=total[:, 1:])
    return (total[:, width:] - total[:, :-width]) * (spread / sqrt(width))


def events(rng: np.random.Generator, shape: Shape, each: float, traits: int) -> Events:
    """On average `each` events for every series, anywhere on it, each with `traits` numbers."""
    series, ticks = shape
    number_rng, event_rng = rng.spawn(2)
    owner = np.repeat(np.arange(series), number_rng.poisson(each, series))
    drawn = event_rng.random((len(owner), 1 + traits))
    return Events(owner, drawn[:, 0] * ticks, drawn[:, 1:])


def pulses(shape: Shape, at: Events, height: Floats, rise: Floats) -> Floats:
    """The sum of pulses: each goes from 0 to `height` in the time `rise`, and fades more slowly."""
    longest = int(np.ceil(_PULSE_LENGTH * rise.max(initial=0)))
    tick = np.ceil(at.start).astype(np.int64)[:, None] + np.arange(longest)
    age = (tick - at.start[:, None]) / rise[:, None]
    level = height[:, None] * age * np.exp(1 - age)
    inside = (tick < shape[1]) & (age < _PULSE_LENGTH)
    series = np.broadcast_to(at.series[:, None], tick.shape)
    total = np.zeros(shape)
    np.add.at(total, (series[inside], tick[inside]), level[inside])
    return total


def outages(shape: Shape, at: Events, length: Floats) -> Bools:
    """Which ticks are lost to events of these lengths."""
    series, ticks = shape
    start = np.ceil(at.start).astype(np.int64)
    end = np.ceil(at.start + length).astype(np.int64)
    edges = np.zeros((series, ticks + 1), dtype=np.int32)
    np.add.at(edges, (at.series, np.minimum(start, ticks)), 1)
    np.add.at(edges, (at.series, np.minimum(end, ticks)), -1)
    return np.cumsum(edges[:, :-1], axis=1) > 0
