"""Chance by numbers: 64 bits each, by SplitMix64 (Steele, Lea and Flood, 2014); compiled.

Whatever has a number of its own (a device, a key, the n-th tuple of a layer) is hashed; what has
none draws from a sequence, kept in a cell.  What does not change is drawn before anything is sent:
salts of hashes, clocks, moments of sending.
"""

from math import cos, exp, log, pi, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windrow.compiler.marks import hot
from windrow.kernels.cells import read_int, write_int
from windrow.topology.model import Sources

__all__ = [
    "Salts",
    "drawn",
    "exponential",
    "hashed",
    "lognormal",
    "moments_of",
    "offsets_of",
    "one_of",
    "salted",
    "salts_of",
    "share",
]

STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_11, _27, _30, _31, _32 = (np.uint64(shift) for shift in (11, 27, 30, 31, 32))


@hot
def mixed(state: Any) -> Any:
    """64 bits that look like chance."""
    state = (state ^ (state >> _30)) * _FIRST
    state = (state ^ (state >> _27)) * _SECOND
    return state ^ (state >> _31)


@hot
def hashed(salt: Any, number: Any) -> Any:
    """64 bits that depend on a number, another way for each salt; of arrays too."""
    return mixed(salt + np.uint64(number) * STEP)


@hot
def share(bits: Any) -> Any:
    """A number in [0, 1)."""
    return (bits >> _11) * 2.0**-53


@hot
def one_of(bits: Any, count: Any) -> Any:
    """A number in [0, count), for counts of up to 2³²."""
    return np.int64(((bits >> _32) * np.uint64(count)) >> _32)


_HERE = np.int64(0)


@hot
def _bits(address: Any, cell: Any) -> Any:
    """The 64 bits of a cell; by way of numpy's integers, as Python's own keep their sign."""
    return np.uint64(np.int64(read_int(address, cell)))


@hot
def salted(salts: Any, place: Any, number: Any) -> Any:
    """The hash of a number, by one of the salts."""
    return hashed(_bits(salts, place), number)


@hot
def drawn(chance: Any) -> Any:
    """The next 64 bits."""
    state = _bits(chance, _HERE) + STEP
    write_int(chance, _HERE, np.int64(state))
    return mixed(state)


@hot
def exponential(chance: Any) -> Any:
    """A waiting time of mean 1."""
    return -log(1.0 - share(drawn(chance)))


def lognormal(chance: Any, median: Any, sigma: Any) -> Any:
    """A number whose logarithm is normal; by Box and Muller."""
    normal = sqrt(2.0 * exponential(chance)) * cos(2.0 * pi * share(drawn(chance)))
    return median * exp(sigma * normal)


_CLOCKS, _MOMENTS = 1, 2  # what generators are for, so that none draws what another does


class Salts(NamedTuple):
    """Of the hashes that route and close in each layer, of keys, and where draws begin."""

    routing: NDArray[np.uint64]
    closing: NDArray[np.uint64]
    keys: NDArray[np.uint64]
    chance: NDArray[np.uint64]


def salts_of(seed: int, layers: int) -> Salts:
    """The salts of a seed."""
    words = np.random.SeedSequence(seed).generate_state(2 * layers + 2, np.uint64).astype(np.uint64)
    return Salts(words[:layers], words[layers : 2 * layers], words[-2:-1], words[-1:])


def offsets_of(seed: int, devices: int, skew_s: float) -> NDArray[np.float64]:
    """How far the clock of each device is behind; none is where there is no skew."""
    if skew_s == 0:
        return np.empty(0)
    return np.random.default_rng((seed, _CLOCKS)).normal(0.0, skew_s, devices)


def moments_of(
    seed: int, sources: tuple[Sources, ...], tick_jitter_s: float | None
) -> NDArray[np.float64]:
    """When in its cycle each device sends, in the order of each class.

    At a random moment, or around the common tick if a distance from it is given.
    """
    generator = np.random.default_rng((seed, _MOMENTS))

    def of_class(one: Sources) -> NDArray[np.float64]:
        if tick_jitter_s is None:
            moments = generator.random(one.count) / one.rate
        else:
            moments = generator.normal(0.0, tick_jitter_s, one.count) % (1 / one.rate)
        return np.sort(moments)

    return np.concatenate([of_class(one) for one in sources])
