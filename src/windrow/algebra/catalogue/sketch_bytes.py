"""Whether bytes are a sketch: the library reads what they say of themselves, and trusts them.

A length or a level that lies leads it outside of its memory, so nothing is handed over but what it
could have written itself.  Layouts are those of Apache DataSketches, which are the same in all its
languages:

    KLL   preamble, version, family, flags | k, m | n | min k, levels | start of each level
          | least, largest | items, from the lowest level up
    HLL   preamble, version, family, lg k | lg array, flags, count, mode | coupons
          or, with many values: | three sums | registers at zero, exceptions | a register a byte
"""

import struct
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windrow.errors import SnapshotError

__all__ = ["require_hll", "require_kll"]

# Far more values than any window has, and far fewer than overflow what counts them, however many
# sketches are merged.
_MOST_VALUES = 1 << 48

_KLL_HEAD = struct.Struct("<BBBBHBxQHBx")
_KLL_FAMILY, _KLL_M, _KLL_SORTED = 15, 8, 2
_MOST_LEVELS = 60

_HLL_HEAD = struct.Struct("<BBBBBBBB")
_HLL_SUMS = struct.Struct("<dddII")
_HLL_FAMILY = 7
_LIST, _SET, _REGISTERS = 0, 1, 2
_HLL_8 = 2 << 2  # of the mode: a byte for each register
_COMPACT, _UNORDERED = 8, 16
_LIST_LG, _SET_LG = 3, 5  # of the array that coupons lie in: the list's, and the smallest set's
_HIGHEST = 63  # of a register


def require_kll(content: bytes) -> None:
    """Refuse what is not a KLL sketch of at least two doubles."""
    head = _unpacked(_KLL_HEAD, content, 0)
    ints, version, family, flags, k, m, n, min_k, levels = head
    if (ints, version, family, m) != (5, 1, _KLL_FAMILY, _KLL_M) or flags not in (0, _KLL_SORTED):
        raise _damaged("its preamble is no KLL sketch's")
    if not _KLL_M <= min_k <= k or not 1 <= levels <= _MOST_LEVELS or n > _MOST_VALUES:
        raise _damaged(f"k = {k}, at least {min_k}, {levels} levels and {n} values do not go well")
    starts = _unpacked(struct.Struct(f"<{levels}I"), content, _KLL_HEAD.size)
    borders = [*starts, sum(_level_capacity(k, depth) for depth in range(levels))]
    at = _KLL_HEAD.size + 4 * levels
    items = _numbers(content, at, "<f8", 2 + borders[-1] - borders[0])
    if any(a > b for a, b in pairwise(borders)):
        raise _damaged(f"levels at {borders} do not follow each other")
    if n != sum((b - a) << level for level, (a, b) in enumerate(pairwise(borders))):
        raise _damaged(f"levels at {borders} are not of {n} values")
    if borders[-2] == borders[-1]:  # merging takes room for as many levels as the values need
        raise _damaged(f"the highest level of {levels} is empty")
    least, largest, kept = items[0], items[1], items[2:]
    if len(kept) < 2 or not ((least <= kept) & (kept <= largest)).all():
        raise _damaged("values are missing, or not between the least and the largest")
    rises = np.append(kept[:-1] <= kept[1:], True)
    rises[[b - 1 - borders[0] for a, b in pairwise(borders) if a < b]] = True
    if not rises[0 if flags else borders[1] - borders[0] :].all():
        raise _damaged("values of a level are not in order")


def _level_capacity(k: int, depth: int) -> int:
    """How many items a level holds that lies so far below the highest: two thirds for each step."""
    if depth > 30:
        return max(_capacity(_capacity(k, depth // 2), depth - depth // 2), _KLL_M)
    return max(_capacity(k, depth), _KLL_M)


def _capacity(k: int, depth: int) -> int:
    return int(((k << depth + 1) // 3**depth + 1) >> 1)


def require_hll(content: bytes) -> None:
    """Refuse what is not a compact HyperLogLog sketch of some values, a byte for each register."""
    ints, version, family, lg_k, lg_array, flags, count, mode = _unpacked(_HLL_HEAD, content, 0)
    if (version, family) != (1, _HLL_FAMILY) or not 7 <= lg_k <= 21:
        raise _damaged("its preamble is no HyperLogLog sketch's")
    if flags & ~_UNORDERED != _COMPACT or mode & ~3 != _HLL_8:
        raise _damaged(f"flags {flags:#x} and mode {mode:#x} are not what is written here")
    if mode & 3 == _REGISTERS and (ints, lg_array, count) == (10, 0, 0):
        _require_registers(content, lg_k)
    elif mode & 3 == _SET and (ints, count) == (3, 0) and _SET_LG <= lg_array <= lg_k - 3:
        (found,) = _unpacked(struct.Struct("<I"), content, _HLL_HEAD.size)
        _require_coupons(_numbers(content, _HLL_HEAD.size + 4, "<u4", found), 3 << lg_array - 2)
    elif mode & 3 == _LIST and (ints, lg_array) == (2, _LIST_LG):
        _require_coupons(_numbers(content, _HLL_HEAD.size, "<u4", count), (1 << _LIST_LG) - 1)
    else:
        raise _damaged(f"mode {mode:#x} does not go with preamble {ints} and array {lg_array}")


def _require_coupons(coupons: NDArray[Any], most: int) -> None:
    """A coupon is where a register is, and what it is at least."""
    if not 0 < len(coupons) <= most or not (coupons >> 26).all():
        raise _damaged(f"{len(coupons)} coupons are none, too many, or empty")
    if len(np.unique(coupons)) < len(coupons):
        raise _damaged("a coupon occurs twice")


def _require_registers(content: bytes, lg_k: int) -> None:
    sums = _unpacked(_HLL_SUMS, content, _HLL_HEAD.size)
    *found, zeros, exceptions = sums
    registers = _numbers(content, _HLL_HEAD.size + _HLL_SUMS.size, "u1", 1 << lg_k)
    if registers.max() > _HIGHEST or not 0 <= found[0] <= _MOST_VALUES:
        raise _damaged(f"a register is above {_HIGHEST}, or {found[0]} values were counted")
    occur = np.bincount(registers, minlength=_HIGHEST + 1)
    # Both sums are exact: no power of two is left out below the last digit.
    inverse = np.ldexp(occur.astype(np.float64), -np.arange(_HIGHEST + 1))
    low, high = float(inverse[:32].sum()), float(inverse[32:].sum())
    if (*found[1:], zeros, exceptions) != (low, high, occur[0], 0) or occur[0] == 1 << lg_k:
        raise _damaged("its sums are not those of its registers")


def _unpacked(shape: struct.Struct, content: bytes, at: int) -> tuple[Any, ...]:
    if len(content) < at + shape.size:
        raise _damaged(f"it has {len(content)} bytes, and needs {at + shape.size}")
    return shape.unpack_from(content, at)


def _numbers(content: bytes, at: int, kind: str, count: int) -> NDArray[Any]:
    """The rest, which must be exactly `count` numbers."""
    if count < 0 or len(content) != at + count * np.dtype(kind).itemsize:
        raise _damaged(f"{len(content)} bytes are not those of {count} items")
    return np.frombuffer(content, kind, count, at)


def _damaged(what: str) -> SnapshotError:
    return SnapshotError(
        f"the bytes of a sketch are damaged: {what}; use a copy of the checkpoint or store, or "
        "begin with a new one"
    )
