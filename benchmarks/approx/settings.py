"""What is tried: a scenario, a method with its parameter, and what was published of it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.approx import published
from windrow.approximate import Footprint, Hop, MaxLike, SumLike

__all__ = ["Setting", "settings"]


@dataclass(frozen=True)
class Setting:
    """One window to run."""

    scenario: str  # mean, max or hop
    method: str
    parameter: str
    methods: tuple[Any, ...]
    published: float | None  # footprint in percent
    bound: float | None = None  # that the relative error must stay within


def settings(window: int, published_window: int) -> Iterator[Setting]:
    """All of them; blocks and limits shrink with the window, so that shares stay the same."""

    def scaled(number: int) -> int:
        return max(number * window // published_window, 1)

    for bound, share in published.BOUNDS.items():
        text = f"{100 * bound:g} %"
        yield Setting("mean", "sum-like", text, (SumLike(relative=bound),), share, bound)
    for block, share in _apart(published.BLOCKS, scaled).items():
        yield Setting("max", "max-like", f"{block:,}", (MaxLike(block),), share)
    yield Setting("max", "max-like", "auto", (MaxLike(),), None)
    yield Setting("hop", "hop", "", (Hop(),), published.HOP)
    for scenario, shares in published.LIMITS.items():
        for limit, share in _apart(shares, scaled).items():
            yield Setting(scenario, "limit", f"{limit:,}", (Footprint(limit),), share)


def _apart(shares: Mapping[int, float], scaled: Callable[[int], int]) -> dict[int, float]:
    """The same shares by scaled numbers; of those that fall together the last."""
    return {scaled(number): share for number, share in shares.items()}
