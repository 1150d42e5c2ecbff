"""What depends on the seed before anything is sent: salts of hashes, clocks, moments of sending."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windrow.topology.model import Sources

__all__ = ["Salts", "moments_of", "offsets_of", "salts_of"]

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
