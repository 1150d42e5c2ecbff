"""Key groups: what one call of Spark's stateful operator handles."""

from functools import cache
from itertools import count

from pyspark.sql import SparkSession

from windrow.errors import InputError

__all__ = ["SETTING", "key_groups_of", "labels"]

SETTING = "spark.windrow.keyGroups"
_DEFAULT = 16
_MOST = 1 << 12
_BITS = (1 << 32) - 1


def key_groups_of(spark: SparkSession) -> tuple[int, ...]:
    """The key groups of a session, which must stay the same for the life of a checkpoint.

    Their number is the setting `spark.windrow.keyGroups`, 16 by default: at most that many tasks
    work at a time.  Their labels are numbers that Spark spreads evenly over its partitions.
    """
    text = str(spark.conf.get(SETTING, str(_DEFAULT)))
    wanted = int(text) if text.isdigit() else 0
    if not 1 <= wanted <= _MOST or wanted & (wanted - 1):
        raise InputError(
            f"{SETTING}={text!r} is not a power of two from 1 to {_MOST}; "
            f"leave it at {_DEFAULT}, or set it to at least the number of cores"
        )
    return labels(wanted)


def labels(wanted: int) -> tuple[int, ...]:
    """So many numbers that Spark spreads evenly over a number of partitions."""
    return _evenly_spread(1 << (wanted - 1).bit_length())[:wanted]


@cache
def _evenly_spread(wanted: int) -> tuple[int, ...]:
    """The first number of each remainder of Spark's own hash.

    The first of all is the same for any number of key groups: with it, every query looks into the
    same place of a checkpoint, and finds out there whether the state is its own.
    """
    found = {0: next(number for number in count() if not _spark_hash(number) % _MOST)}
    for number in count():
        found.setdefault(_spark_hash(number) % wanted, number)
        if len(found) == wanted:
            break
    return tuple(found[rest] for rest in range(wanted))


def _spark_hash(number: int) -> int:
    """What Spark SQL's `hash` gives for an int: Murmur3 with the seed 42.

    Computed here, as building a query must not run a job.
    """
    mixed = _rotated(number * 0xCC9E2D51 & _BITS, 15) * 0x1B873593 & _BITS
    state = _rotated(42 ^ mixed, 13) * 5 + 0xE6546B64 & _BITS
    state ^= 4  # bytes
    state = (state ^ state >> 16) * 0x85EBCA6B & _BITS
    state = (state ^ state >> 13) * 0xC2B2AE35 & _BITS
    return state ^ state >> 16


def _rotated(bits: int, places: int) -> int:
    return (bits << places | bits >> 32 - places) & _BITS
