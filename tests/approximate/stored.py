"""Windows of buckets in a store, beside the same ones in memory and a list of their updates."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from hypothesis import strategies as st

from tests.approximate.oracle import BOUNDED, check, results
from tests.paged.faulty import FaultyStore
from tests.structures.support import Slide, from_maximum, last, last_from_maximum
from windrow import agg
from windrow.approximate import ApproximateAmta, Footprint, Hop, MaxLike, SumLike
from windrow.errors import StoreUnreachableError
from windrow.paged import Outage
from windrow.paged.stores import Store

PAGE = 8

METHODS: dict[str, Callable[[], list[Any]]] = {
    "absolute": lambda: [SumLike(absolute=3)],
    "relative": lambda: [SumLike(relative=0.05)],
    "max-like": lambda: [MaxLike(block=2, confidence=0.5)],
    "hop": lambda: [Hop(confidence=0.5)],
    "footprint": lambda: [Footprint(60)],
    "one bucket": lambda: [Footprint(1)],
    "all": lambda: [SumLike(relative=0.01), Hop(confidence=0.5), Footprint(50)],
}
SLIDES: list[Slide] = [last(1), last(150), from_maximum(), last_from_maximum(90)]

# A result of each family, and all values in their order.
ASKED = {name: BOUNDED[name][0] for name in ("sum", "max", "distinct", "variance")}
ASKED["all"] = agg.collect()


class FlakyStore(FaultyStore):
    """Up, down, or in between: then every third answer is none."""

    def __init__(self, *, waits: bool = False) -> None:
        super().__init__(waits=waits)
        self._chance, self._random = 0.0, Random(1)

    def turns(self, kind: str) -> bool:
        """Be as a step says, if it says that."""
        if kind not in ("up", "flaky", "down"):
            return False
        self.down, self._chance = kind == "down", 0.3 if kind == "flaky" else 0.0
        return True

    @property
    def is_up(self) -> bool:
        """Whether every answer is one."""
        return not self.down and not self._chance

    def answer(self) -> None:
        super().answer()
        if self._random.random() < self._chance:
            raise StoreUnreachableError("lost on the way; try again")


def window(
    store: Store | None = None,
    methods: Sequence[Any] = (Footprint(60),),
    slide: Slide | None = None,
    *,
    name: str = "w",
    **settings: Any,
) -> ApproximateAmta:
    """A window, in small pages if it has a store."""
    policy = None if slide is None else slide.policy()
    if store is None:
        return ApproximateAmta(ASKED, *methods, policy=policy)
    settings = {"page": PAGE, "cached_pages": 4, **settings}
    return ApproximateAmta(ASKED, *methods, policy=policy, store=store, name=name, **settings)


def check_all(kept: ApproximateAmta, values: list[Any]) -> None:
    """Every interval holds the exact result."""
    for name, found in results(kept).items():
        if name != "all":
            check(found, BOUNDED[name][1](values))
        elif found.exact:
            assert found.value == values


# What happens to a window: so many updates come, a share of them leaves, it slides, its limit
# changes, it is closed and opened again, or whatever else a test makes of a step.
def steps(*others: str) -> st.SearchStrategy[list[tuple[str, Any]]]:
    """Some steps, of these kinds too."""
    kinds: list[st.SearchStrategy[tuple[str, Any]]] = [
        st.tuples(st.just("insert"), st.lists(st.integers(-5, 20), min_size=1, max_size=5)),
        st.tuples(st.just("fill"), st.integers(1, 200)),
        st.tuples(st.just("evict"), st.floats(0, 1)),
        st.tuples(st.just("evict one by one"), st.integers(1, 20)),
        st.tuples(st.just("slide"), st.none()),
        st.tuples(st.just("limit"), st.sampled_from([1, 2, 5, 17, 60, 200])),
        *(st.tuples(st.just(other), st.none()) for other in others),
    ]
    return st.lists(st.one_of(kinds), max_size=20)


Operation = tuple[str, Any]


def operations(kind: str, given: Any, kept: ApproximateAmta) -> list[Operation]:
    """The calls that a step is made of."""
    match kind:
        case "insert":
            return [("insert", value) for value in given]
        case "fill":
            return [("insert", 7 * number % 23 - 4) for number in range(given)]
        case "evict":
            return [("evict", round(given * len(kept)))]
        case "evict one by one":
            return [("evict", 1)] * min(given, len(kept))
        case "limit":
            return [] if kept.max_buckets is None else [("limit", given)]
        case _:
            return [(kind, given)]


def call(kept: ApproximateAmta, name: str, given: Any) -> Any:
    """One call of a window."""
    if name == "limit":
        kept.max_buckets = given
        return None
    return getattr(kept, name)(*(() if given is None else (given,)))


def facts(kept: ApproximateAmta) -> tuple[Any, ...]:
    """All that a window says of itself."""
    sizes = len(kept), kept.buckets, kept.max_buckets
    return kept.inserted, kept.evicted, *sizes, kept.query()


def follow(values: list[Any], name: str, given: Any, slide: Slide | None) -> None:
    """Do to a list what a call does to a window."""
    if name == "insert":
        values.append(given)
    elif name == "evict":
        del values[:given]
    elif name == "slide" and slide is not None:
        del values[: slide.leaving(values)]


def shrinking(store: Store, limit: int = 60, slide: Slide | None = None) -> ApproximateAmta:
    """A window that goes on in memory."""
    return window(store, [Footprint(limit)], slide, outage=Outage.SHRINK, wait_s=5.0)
