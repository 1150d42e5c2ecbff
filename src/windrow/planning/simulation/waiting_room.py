"""Room for refused tuples, which grows as it fills."""

import numpy as np

from windrow.errors import InputError
from windrow.planning.simulation.world import NUMBERS, TUPLES, Waiting

__all__ = ["grown", "waiting_room"]

_PLACES = 1024
_MOST_PLACES = 2**24  # 1.3 GB


def waiting_room(places: int = _PLACES) -> Waiting:
    """Room for so many, and nobody in it."""
    return Waiting(
        room=places,
        used=np.zeros(2, np.int64),
        due=np.empty(places),
        order=np.arange(places),
        tuples=np.zeros((places, TUPLES), np.int64),
        numbers=np.zeros((places, NUMBERS)),
    )


def grown(waiting: Waiting) -> Waiting:
    """The same tuples with twice the room."""
    places = waiting.room
    if places >= _MOST_PLACES:
        raise InputError(
            f"{places:,} refused tuples wait to be sent again: on_refusal=Refusal.RETRY cannot "
            "help a plan that takes less than it is sent; give it more nodes, or drop"
        )
    larger = waiting_room(2 * places)
    for old, new in zip(waiting[1:], larger[1:], strict=True):
        new[: len(old)] = old
    return larger
