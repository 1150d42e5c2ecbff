"""Values of a store as somebody could craft them: changed anywhere, with the right checksums.

Run as a process, it opens, queries, slides and empties windows over such values, and counts what
came of it.  Whatever is no error of windrow's own, or takes too long, ends it.
"""

import faulthandler
import struct
import sys
import zlib
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from tests.paged.faulty import FaultyStore
from windrow import agg, window
from windrow.approximate import ApproximateAmta, Footprint, Hop, MaxLike, SumLike
from windrow.errors import WindrowError
from windrow.paged import PagedAmta
from windrow.paged.page import seal_of
from windrow.paged.stores import Key, Store

PAGE = 8
HEAD, SEAL = Key("head", 0), Key("seal", 0)
TOO_LONG_S = 60

_LARGE = window.policy(
    keep=lambda w: w.n <= 150,
    drop=lambda evicted, after, before: evicted.peak <= after.peak and before.n > 100,
    using={"peak": agg.max(), "n": agg.count()},
)

Made = Callable[[Store], Any]
KINDS: dict[str, Made] = {
    "numbers": lambda store: PagedAmta(
        {"sum": agg.sum(), "first": agg.first()}, store, "w", _LARGE, page=PAGE, cached_pages=4
    ),
    "objects": lambda store: PagedAmta(
        {"all": agg.collect(), "sum": agg.sum()},
        store,
        "w",
        _LARGE,
        dtypes=(object,),
        page=PAGE,
        cached_pages=4,
    ),
    "buckets": lambda store: ApproximateAmta(
        {"sum": agg.sum(), "max": agg.max()},
        SumLike(relative=0.001),
        MaxLike(),
        Hop(),
        Footprint(60),
        store=store,
        name="w",
        page=PAGE,
        cached_pages=4,
    ),
}


def filled(made: Made) -> dict[Key, bytes]:
    """The values of a window that was in use."""
    store = FaultyStore()
    with made(store) as kept:
        for number in range(260):
            kept.insert(float(number * 7 % 23))
            if number % 3 == 0:
                kept.evict()
        kept.evict(len(kept) // 3)
        for number in range(30):
            kept.insert(float(number))
    return store.values["w"]


def sealed(value: bytes) -> bytes:
    """A value whose checksum is right."""
    return value[:4] + struct.pack("<I", zlib.crc32(value[8:])) + value[8:]


def changed(values: dict[Key, bytes], random: Random) -> dict[Key, bytes]:
    """Some bytes of a value are others, and nothing that is checked tells."""
    values = dict(values)
    pages = [key for key in values if key not in (HEAD, SEAL)]
    key = HEAD if random.random() < 0.7 or not pages else random.choice(sorted(pages))
    content = bytearray(values[key])
    first = 25 if key == HEAD else 26  # behind what tells whose it is
    for _ in range(random.choice([1, 1, 1, 2, 5])):
        at = random.randrange(first, len(content)) if len(content) > first else len(content)
        match random.randrange(6):
            case 0:
                content[at : at + 1] = bytes([random.randrange(256)])
            case 1:
                content[at : at + 1] = bytes([content[at] ^ 1 << random.randrange(8)])
            case 2:
                del content[at : at + random.choice([1, 4, 8, 100])]
            case 3:
                content[at:at] = random.randbytes(random.choice([1, 4, 8, 100]))
            case 4:  # a cell of compiled code's
                number = random.choice([-1, 0, 1, 2**31, 2**40, 2**62, -(2**63), 2**63 - 1])
                at -= (at - 37) % 8
                content[max(at, first) : max(at, first) + 8] = struct.pack("<q", number)
            case _:
                content[at : at + 8] = struct.pack("<q", random.randrange(-3, 400))
    values[key] = sealed(bytes(content))
    values[SEAL] = seal_of(values[HEAD])
    return values


def use(made: Made, values: dict[Key, bytes]) -> None:
    """Whatever can be done with a window."""
    store = FaultyStore()
    store.values["w"] = values
    kept = made(store)
    for number in range(40):
        kept.query()
        kept.insert(float(number))
        kept.evict(min(3, len(kept)))
    if hasattr(kept, "advance") and "numbers" in str(type(kept._window)):
        kept.advance([1.0] * 300)
    if isinstance(kept, PagedAmta):
        kept.slide()
    for _ in range(40):
        kept.evict(min(len(kept), 9))
        kept.query()
    for number in range(300):
        kept.insert(float(number))
    kept.close()
    made(store).query()


def main(kind: str, times: int, seed: int) -> None:
    faulthandler.enable()
    values, found = filled(KINDS[kind]), Counter[str]()
    use(KINDS[kind], dict(values))
    for number in range(times):
        random = Random(f"{kind} {seed} {number}")
        faulthandler.dump_traceback_later(TOO_LONG_S, exit=True)
        try:
            use(KINDS[kind], changed(values, random))
            found["used"] += 1
        except WindrowError as error:
            found[type(error).__name__] += 1
        except BaseException:
            print(f"case {number}", file=sys.stderr)
            raise
        faulthandler.cancel_dump_traceback_later()
    print(dict(found))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
