"""Chance by numbers: 64 bits each, by SplitMix64 (Steele, Lea and Flood, 2014); compiled.

Whatever has a number of its own (a device, a key, the n-th tuple of a layer) is hashed; what has
none draws (`draws`).
"""

from typing import Any

import numpy as np

from windrow.compiler.marks import hot

__all__ = ["STEP", "hashed", "mixed", "one_of", "share"]

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
