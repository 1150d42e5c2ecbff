"""How much of a limit may be used, so that nothing is lost by chance.

A limit holds for every single second, and chance fills seconds unevenly.  Items that go anywhere,
each by itself and all of one size, are Poisson's, whose tail is summed.  Otherwise the chance of an
overrun is bounded by Chernoff's inequality: with log E exp(t X) of what arrives, the chance of
X >= a is at most exp(log E exp(t X) - t a), for the best t.  That holds for items of unequal size,
and for sources that are hashed to nodes as a whole.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import expm1, floor, inf, lgamma, log, log1p, sqrt

from windrow.topology.model import Limit

__all__ = ["SECONDS", "Crowd", "largest_share", "log_poisson_tail"]

SECONDS = 3600  # the chance of a loss is given for an hour
_HALVINGS = 80  # of the share: nodes are not that many
_SMALLEST = 0.5**_HALVINGS
_DIGITS = 1e-12  # of the share that matter
_GOLDEN = (sqrt(5) - 1) / 2
_SECTIONS = 50  # of the steepness, whose least is flat: half of a float's digits will do
_TERMS = 200  # of a Poisson tail that are summed, the rest is bounded
_STEEPEST = 700.0  # exp of more is no float


@dataclass(frozen=True)
class Crowd:
    """Equal senders: each sends on average `rate` items of `item_bytes` in a busy second.

    `together` are hashed to a node as a whole, all others send each item anywhere.  Where they are
    `steady`, each sends just that many in such a second, at most; otherwise by chance.
    `largest_bytes` is the size of the largest item, where they are not all alike; `heavier` is how
    many times as many bytes as those of that many items a busy second has.
    """

    count: float
    rate: float
    item_bytes: float
    together: bool = False
    largest_bytes: float | None = None
    heavier: float = 1.0
    steady: bool = False

    @property
    def is_mixed(self) -> bool:
        """Whether items are of several sizes."""
        return (self.largest_bytes or 0.0) > self.item_bytes

    @property
    def in_largest(self) -> "Crowd":
        """The same bytes in items of the largest size: no mixture has a larger E exp(t X)."""
        most = max(self.item_bytes, self.largest_bytes or 0.0)
        if not most:
            return self
        rate = self.rate * self.heavier * self.item_bytes / most
        steady = self.steady and not self.is_mixed  # else chance decides which are large
        return replace(self, rate=rate, item_bytes=most, heavier=1.0, steady=steady)

    def grown(self, gain: float, share: float) -> float:
        """The logarithm of E exp(t X) of a share of them, where exp(t) of one item is 1 + gain."""
        if not self.together:
            return self.count * share * self.rate * gain
        power = self.rate * (log1p(gain) if self.steady else gain)
        if power < _STEEPEST:
            return self.count * log1p(share * expm1(power))
        return self.count * (power + log(share))


def largest_share(
    crowds: Sequence[Crowd], limit: Limit, chance: float, sure: Crowd | None = None
) -> float:
    """The largest share of all these that a node may be offered, 0 if there is none.

    With no more than that, the chance of an overrun is at most `chance`, for each node and second.
    `sure` is what the node is offered as a whole besides.
    """
    shares = [1.0]
    if limit.items is not None and limit.bytes is not None:
        chance /= 2  # either may be overrun
    if limit.items is not None:
        load = _Load(crowds, sure, lambda _: 1.0, limit.items, is_mixed=False)
        shares.append(load.largest_share(chance))
    if limit.bytes is not None:
        is_mixed = any(crowd.is_mixed for crowd in crowds)
        crowds = [crowd.in_largest for crowd in crowds]
        sure = None if sure is None else sure.in_largest
        load = _Load(crowds, sure, lambda crowd: crowd.item_bytes, limit.bytes, is_mixed=is_mixed)
        shares.append(load.largest_share(chance))
    return min(shares)


class _Load:
    """What a node is offered of one kind: items, or bytes."""

    def __init__(
        self,
        crowds: Sequence[Crowd],
        sure: Crowd | None,
        size: Callable[[Crowd], float],
        limit: float,
        *,
        is_mixed: bool,
    ) -> None:
        self._sized = [(crowd, size(crowd)) for crowd in crowds if size(crowd)]
        self._sure = [] if sure is None or not size(sure) else [(sure, size(sure))]
        self._limit = limit
        self._mean = sum(crowd.count * crowd.rate * one for crowd, one in self._sized)
        sizes = {one for _, one in (*self._sized, *self._sure)}
        alone = not self._sure and not is_mixed and not any(crowd.together for crowd in crowds)
        self._size = sizes.pop() if len(sizes) == 1 and alone else None

    def largest_share(self, chance: float) -> float:
        """The share at which an overrun has just this chance."""
        if not self._sized and not self._sure:
            return 1.0
        if self._log_chance(1.0) <= log(chance):
            return 1.0
        if self._log_chance(_SMALLEST) > log(chance):  # what the node has for sure is too much
            return 0.0
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            if high - low <= _DIGITS * high:
                break
            share = (low + high) / 2
            low, high = (share, high) if self._log_chance(share) <= log(chance) else (low, share)
        return low

    def _log_chance(self, share: float) -> float:
        if self._size is None:
            return self._chernoff(share)
        return log_poisson_tail(
            share * self._mean / self._size, floor(self._limit / self._size) + 1
        )

    def _chernoff(self, share: float) -> float:
        """The bound is convex in t, so golden sections of an interval close in on its least."""

        def bound(t: float) -> float:
            grown = sum(crowd.grown(expm1(t * size), share) for crowd, size in self._sized)
            surely = sum(crowd.rate * expm1(t * size) for crowd, size in self._sure)
            return grown + surely - t * self._limit

        low, high = 0.0, _STEEPEST / max(size for _, size in (*self._sized, *self._sure))
        left, right = high - _GOLDEN * high, _GOLDEN * high
        at_left, at_right = bound(left), bound(right)
        for _ in range(_SECTIONS):
            if at_left <= at_right:
                high, right, at_right = right, left, at_left
                left = high - _GOLDEN * (high - low)
                at_left = bound(left)
            else:
                low, left, at_left = left, right, at_right
                right = low + _GOLDEN * (high - low)
                at_right = bound(right)
        return min(at_left, at_right, 0.0)


def log_poisson_tail(mean: float, least: int) -> float:
    """The logarithm of the chance of at least this many."""
    if mean >= least:
        return 0.0
    term = total = 1.0
    further = least
    while term > 1e-12 * total and further < least + _TERMS:
        further += 1
        term *= mean / further
        total += term
    total += term * mean / (further + 1 - mean)  # no less than all further terms
    return least * log(mean) - mean - lgamma(least + 1) + log(total) if mean else -inf
