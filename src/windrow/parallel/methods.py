"""The ways to spread windows over units of work; each gives the same results."""

from enum import Enum

__all__ = ["Method"]


class Method(Enum):
    """Who owns a window, and which units see a row; a unit is one task's share of the work.

    >>> Method("round-robin").acronym
    'RRA'
    """

    AUTO = "auto"
    """Keys, and in a batch blocks of time for hot keys, or if there is no key."""

    KEYS = "keys"
    """All windows of a key are on one unit."""

    TIME = "time"
    """Blocks of consecutive windows of a key are dealt out to units."""

    PANES = "panes"
    """Slices are merged by their owners, and then sent to the owners of their windows."""

    ROUND_ROBIN = "round-robin"
    """Window i is on unit i mod P; every unit sees every row."""

    ROUND_ROBIN_CYCLIC = "round-robin-cyclic"
    """Window i is on unit i mod P; only owners of its windows see a row."""

    HANDSHAKE = "handshake"
    """A hash of key and window names the unit; every unit sees every row."""

    HASH_ONCE = "hash-once"
    """A hash of key and window names the unit; only owners of its windows see a row."""

    @property
    def acronym(self) -> str | None:
        """What the literature calls it, if it does."""
        return _ACRONYMS.get(self)


_ACRONYMS = {
    Method.HANDSHAKE: "HSA",
    Method.ROUND_ROBIN: "RRA",
    Method.HASH_ONCE: "HOA",
    Method.ROUND_ROBIN_CYCLIC: "RRCA",
    Method.PANES: "RRCPA",
}
