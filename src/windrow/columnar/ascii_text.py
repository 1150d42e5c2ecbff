"""Bytes as ASCII text, for who moves text faster than bytes.

Seven bits of a byte fit a character, and the highest bits of seven bytes another one: a seventh
more characters than bytes, where base64 has a third.  Bytes lie in seven lanes, so that numpy moves
whole lanes; a character of highest bits has one of each.
"""

from typing import Any

import numpy as np

from windrow.errors import SnapshotError

__all__ = ["from_text", "to_text"]

_LANES = 7
_HIGHEST = np.uint8(128)


def to_text(content: bytes) -> str:
    """How many bytes are added to fill the lanes, the lower bits of all, then the highest ones."""
    added = -len(content) % _LANES
    lanes = np.frombuffer(content + bytes(added), np.uint8).reshape(_LANES, -1)
    highest = np.zeros(lanes.shape[1], np.uint8)
    for place, lane in enumerate(lanes):
        highest |= (lane & _HIGHEST) >> np.uint8(_LANES - place)
    lower: bytes = (lanes & ~_HIGHEST).tobytes()
    return b"".join([b"%d" % added, lower, highest.tobytes()]).decode("ascii")


def from_text(text: str) -> Any:
    """The bytes that became text; SnapshotError if none can have."""
    added = ord(text[0]) - ord("0") if text else -1
    size = len(text) - 1
    if not text.isascii() or not 0 <= added < _LANES or size % (_LANES + 1) or added > size:
        raise SnapshotError(
            f"state of {len(text)} characters is damaged, or of another version of windrow; use a "
            "copy of the checkpoint, or a new one"
        )
    characters = np.frombuffer(text.encode("ascii"), np.uint8)[1:]
    lower, highest = np.split(characters, [size // (_LANES + 1) * _LANES])
    lanes = lower.reshape(_LANES, -1).copy()
    for place, lane in enumerate(lanes):
        lane |= (highest << np.uint8(_LANES - place)) & _HIGHEST
    return lanes.reshape(-1)[: lanes.size - added].data
