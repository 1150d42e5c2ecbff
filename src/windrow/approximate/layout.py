"""What a bucket is made of: one monoid for all that a window of buckets keeps."""

from collections.abc import Callable
from typing import Any, NamedTuple

from windrow.algebra.aggregate import Aggregate, Product, as_aggregation
from windrow.algebra.codec import StateCodec
from windrow.algebra.monoid import Monoid
from windrow.approximate.families import Family, family_of
from windrow.windows.policy import Policy

__all__ = ["Bucket", "Layout", "Part"]


class Bucket(NamedTuple):
    """Some consecutive updates: how many, and what each aggregate makes of them."""

    size: int
    states: tuple[Any, ...]  # of the aggregates asked for
    traces: tuple[Any, ...]  # of their families
    watched: tuple[Any, ...]  # of what the policy looks at
    first: tuple[Any, ...]  # the same, of the first update alone
    others: tuple[Any, ...]  # and of all the others


class Part(NamedTuple):
    """One aggregate that was asked for."""

    name: str
    aggregate: Aggregate[Any]
    monoid: Monoid[Any, Any]
    family: Family


class Layout:
    """How to make buckets and to put them together."""

    def __init__(self, aggregation: Any, policy: Policy | None) -> None:
        asked = as_aggregation(aggregation, "monoid")
        self.is_bare = not isinstance(asked, Product)
        named = asked.parts if isinstance(asked, Product) else (("", asked),)
        self.parts = tuple(Part(n, a, a.bound(), family_of(a)) for n, a in named)
        self._watched = () if policy is None else tuple(a.bound() for _, a in policy.using)
        self._codecs = [StateCodec.of(part.monoid) for part in self.parts]
        self._watched_codecs = [StateCodec.of(monoid) for monoid in self._watched]
        monoids = (*(part.monoid for part in self.parts), *self._watched)
        self._has_codec = any(monoid.codec is not None for monoid in monoids)
        nothing = tuple(monoid.identity for monoid in self._watched)
        self.nothing = Bucket(
            0,
            tuple(part.monoid.identity for part in self.parts),
            tuple(part.family.trace.identity for part in self.parts),
            nothing,
            nothing,
            nothing,
        )
        self.monoid: Monoid[Any, Any] = Monoid(
            name=f"buckets of {asked!r}",
            lift=self.lift,
            combine=self.combine,
            lower=lambda bucket: bucket,
            identity=self.nothing,
            inputs=("row",),
            nullable=frozenset({"row"}),
        )

    def lift(self, row: Any) -> Bucket:
        """A bucket of one update."""
        watched = tuple(monoid.lift(row) for monoid in self._watched)
        return Bucket(
            1,
            tuple(part.monoid.lift(row) for part in self.parts),
            tuple(part.family.trace.lift(row) for part in self.parts),
            watched,
            watched,
            self.nothing.others,
        )

    def combine(self, older: Bucket, newer: Bucket) -> Bucket:
        """One bucket of two neighbours."""
        if not older.size or not newer.size:
            return older if older.size else newer
        return Bucket(
            older.size + newer.size,
            tuple(
                part.monoid.combine(a, b)
                for part, a, b in zip(self.parts, older.states, newer.states, strict=True)
            ),
            tuple(
                part.family.trace.combine(a, b)
                for part, a, b in zip(self.parts, older.traces, newer.traces, strict=True)
            ),
            self.together(older.watched, newer.watched),
            older.first,
            self.together(older.others, newer.watched),
        )

    def to_plain(self, bucket: Bucket) -> Bucket:
        """The same with what codecs make of states."""
        return self._through(bucket, lambda codec, state: codec.to_plain(state))

    def from_plain(self, bucket: Bucket) -> Bucket:
        """The bucket that `to_plain` was called on."""
        return self._through(bucket, lambda codec, state: codec.from_plain(state))

    def _through(self, bucket: Bucket, way: Callable[[StateCodec, Any], Any]) -> Bucket:
        if not self._has_codec:
            return bucket
        size, states, traces, *watched = bucket
        return Bucket(
            size,
            tuple(map(way, self._codecs, states)),
            traces,
            *(tuple(map(way, self._watched_codecs, own)) for own in watched),
        )

    def together(self, older: tuple[Any, ...], newer: tuple[Any, ...]) -> tuple[Any, ...]:
        """What is watched of two neighbours, as one."""
        if not self._watched:
            return ()
        return tuple(m.combine(a, b) for m, a, b in zip(self._watched, older, newer, strict=True))
