"""Chance by addresses: the next number of a sequence, and hashes by kept salts; compiled."""

from math import cos, exp, log, pi, sqrt
from typing import Any

import numpy as np

from windrow.compiler.marks import hot
from windrow.kernels.cells import read_int, write_int
from windrow.topology.simulation.chance import STEP, hashed, mixed, share

__all__ = ["drawn", "exponential", "lognormal", "salted"]

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
