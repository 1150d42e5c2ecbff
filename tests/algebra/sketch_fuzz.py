"""Damages the bytes of sketches in many ways, in a process of its own: a crash would end it.

    python -m tests.algebra.sketch_fuzz COUNT SEED

Prints how many were refused and how many taken; what is taken must bear all that is done to states.
"""

import random
import struct
import sys
from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from math import inf, nan
from typing import Any

from windrow import agg
from windrow.algebra.catalogue.sketch_bytes import _level_capacity
from windrow.algebra.catalogue.sketches import Sketch, between_ranks, restored_sketch, values_in
from windrow.errors import SnapshotError

_SIZES = (65, 100, 400, 3_000, 12_000)
_QUANTILES = [agg.quantile_sketch(0.5, k=k) for k in (64, 200)]
_DISTINCT = [agg.distinct_sketch(lg_k=lg_k) for lg_k in (7, 8, 12)]
_EDGES = [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 60, 61, 63, 64, 127, 128, 255]


def states(aggregate: Any, rng: random.Random) -> list[Sketch]:
    """Sketches of several sizes, alone and merged."""
    monoid, found = aggregate.monoid, []
    for size in _SIZES:
        drawn: Callable[[], float] = rng.choice(
            [rng.random, lambda: float(rng.randrange(90)), lambda: rng.gauss(0, 9)]
        )
        values = [drawn() for _ in range(size)]
        found.append(reduce(monoid.combine, map(monoid.lift, values)))
    merged = [monoid.combine(a, b) for a, b in pairwise(found)]
    return [state for state in (*found, *merged) if isinstance(state, Sketch)]


def small_ones(aggregate: Any, rng: random.Random) -> list[Sketch]:
    """Sketches of fewer values than are ever kept as one: empty, of one value, below a level."""
    import datasketches as library

    found = []
    for size in (0, 1, 2, 9):
        is_kll = aggregate in _QUANTILES
        sketch = library.kll_doubles_sketch(200) if is_kll else library.hll_sketch(12)
        for _ in range(size):
            sketch.update(rng.random())
        found.append(Sketch(sketch))
    return found


def flipped(content: bytes, other: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(content)
    reach = rng.choice([48, len(damaged)])  # the head decides where the library reads
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        damaged[rng.randrange(min(reach, len(damaged)))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def edited(content: bytes, other: bytes, rng: random.Random) -> bytes:
    """A field of the head, of any width, set to a number at some edge."""
    damaged = bytearray(content)
    width = rng.choice("BHIQ")
    at = rng.randrange(0, 48)
    most = (1 << 8 * struct.calcsize(width)) - 1
    number = rng.choice([*_EDGES, most, most - 1, most >> 1, 1 << 31, 1 << 16, rng.randrange(1000)])
    if at + struct.calcsize(width) <= len(damaged):
        struct.pack_into(f"<{width}", damaged, at, min(number, most))
    return bytes(damaged)


def nudged(content: bytes, other: bytes, rng: random.Random) -> bytes:
    """A field of the head, a little more or less: levels that nearly fit."""
    damaged = bytearray(content)
    width = rng.choice("BHI")
    at = rng.choice([3, 4, 6, 8, 16, 18, *range(20, 64, 4)])
    if at + struct.calcsize(width) <= len(damaged):
        (number,) = struct.unpack_from(f"<{width}", damaged, at)
        most = (1 << 8 * struct.calcsize(width)) - 1
        struct.pack_into(f"<{width}", damaged, at, (number + rng.choice([-2, -1, 1, 2, 8])) & most)
    return bytes(damaged)


def truncated(content: bytes, other: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def extended(content: bytes, other: bytes, rng: random.Random) -> bytes:
    return content + rng.choice([rng.randbytes(rng.choice([1, 4, 8, 64])), content, other])


def spliced(content: bytes, other: bytes, rng: random.Random) -> bytes:
    at = rng.choice([rng.randrange(48), rng.randrange(len(content) + 1)])
    return content[:at] + other[at:]


def renumbered(content: bytes, other: bytes, rng: random.Random) -> bytes:
    """A double somewhere that is hard to compare, or far off."""
    damaged = bytearray(content)
    at = len(damaged) - 8 * rng.randrange(1, len(damaged) // 8 + 1)
    struct.pack_into("<d", damaged, at, rng.choice([nan, inf, -inf, 0.0, 1e308, rng.random()]))
    return bytes(damaged)


def relevelled(content: bytes, other: bytes, rng: random.Random) -> bytes:
    """KLL with items dealt out to levels anew, and the number of values that these then have."""
    if len(content) < 40 or content[2] != 15 or content[0] != 5:
        return content
    damaged, levels = bytearray(content), content[18]
    starts = list(struct.unpack_from(f"<{levels}I", content, 20))
    end = starts[0] + (len(content) - 36 - 4 * levels) // 8
    starts[1:] = sorted(rng.randrange(starts[0], end + 1) for _ in starts[1:])
    struct.pack_into(f"<{levels}I", damaged, 20, *starts)
    borders = [*starts, end]
    n = sum((b - a) << level for level, (a, b) in enumerate(pairwise(borders)))
    struct.pack_into("<Q", damaged, 8, n)
    items = struct.unpack_from(f"<{end - starts[0]}d", content, 36 + 4 * levels)
    struct.pack_into(f"<{len(items)}d", damaged, 36 + 4 * levels, *sorted(items))
    return bytes(damaged)


def heightened(content: bytes, other: bytes, rng: random.Random) -> bytes:
    """KLL with more levels, empty ones above or below, and all else as these need it."""
    if len(content) < 40 or content[2] != 15 or content[0] != 5:
        return content
    (k,), levels = struct.unpack_from("<H", content, 4), content[18]
    starts = struct.unpack_from(f"<{levels}I", content, 20)
    kept = (len(content) - 36 - 4 * levels) // 8
    below = rng.random() < 0.5
    more = rng.choice([1, 2, 20 if below else 60 - levels])  # a level below doubles all values
    capacity = sum(_level_capacity(k, depth) for depth in range(levels + more))
    moved = [start - starts[0] + capacity - kept for start in starts]
    moved = [moved[0]] * more + moved if below else moved + [capacity] * more
    borders = [*moved, capacity]
    n = sum((b - a) << level for level, (a, b) in enumerate(pairwise(borders)))
    head = content[:8] + struct.pack("<Q", n) + content[16:18] + bytes([levels + more, content[19]])
    return head + struct.pack(f"<{levels + more}I", *moved) + content[20 + 4 * levels :]


def reregistered(content: bytes, other: bytes, rng: random.Random) -> bytes:
    """HyperLogLog with other registers, and the sums that these have."""
    if (
        len(content) < 40
        or content[2] != 7
        or content[0] != 10
        or len(content) != 40 + (1 << content[3])
    ):
        return content
    highest = rng.choice([1, 20, 63, 63])
    registers = bytes(rng.randrange(highest + 1) for _ in range(1 << content[3]))
    low = sum(2.0**-register for register in registers if register < 32)
    high = sum(2.0**-register for register in registers if register >= 32)
    sums = struct.pack("<ddII", low, high, registers.count(0), 0)
    return content[:16] + sums + registers


WAYS: list[Callable[[bytes, bytes, random.Random], bytes]] = [
    flipped,
    edited,
    nudged,
    truncated,
    extended,
    spliced,
    renumbered,
    relevelled,
    heightened,
    reregistered,
]


def bear(state: Sketch, aggregate: Any, others: list[Any]) -> None:
    """Merge, query, serialise."""
    monoid = aggregate.monoid
    for other in (*others, state, monoid.lift(0.5)):
        for both in (monoid.combine(state, other), monoid.combine(other, state)):
            monoid.lower(both)
            monoid.bounds(both)
            restored_sketch(*both.serialized())
            both.native.to_string()
    monoid.lower(state)
    if type(state.native).__name__.startswith("kll"):
        between_ranks(state, 1, values_in(state))
        between_ranks(state, values_in(state) // 2, values_in(state) // 2 + 1)


def main(count: int, seed: int) -> None:
    rng = random.Random(seed)
    families = [(a, states(a, rng), small_ones(a, rng)) for a in (*_QUANTILES, *_DISTINCT)]
    taken = refused = 0
    for number in range(count):
        aggregate, own, small = rng.choice(families)
        kind, content = rng.choice(small if rng.random() < 0.1 else own).serialized()
        _, strange, _ = rng.choice(families)
        _, other = rng.choice(strange if rng.random() < 0.3 else own).serialized()
        damaged = WAYS[number % len(WAYS)](content, other, rng)
        if rng.random() < 0.1 and len(damaged) > 48:
            damaged = rng.choice([flipped, edited, nudged, spliced])(damaged, other, rng)
        try:
            state = restored_sketch(kind, damaged)
        except SnapshotError:
            refused += 1
        else:
            taken += 1
            bear(state, aggregate, [rng.choice(own)])
    sys.stdout.write(f"{refused} {taken}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
