"""What a topology is planned for: who sends, what a node takes, what is made of a period.

All rates are per second, sizes in bytes, times in seconds, prices per hour.

>>> KINESIS_SHARD.limit, GATEWAY.limit.items, KAFKA_PARTITION.limit.bytes
(Limit(items=1000, bytes=1000000), 100, 5000000)
>>> sorted(PRESETS)
['gateway', 'kafka', 'kinesis']
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from windrow.arguments import finite
from windrow.errors import InputError
from windrow.topology.checks import (
    require_count,
    require_kind,
    require_not_negative,
    require_positive,
    require_share,
    require_text,
)

__all__ = [
    "GATEWAY",
    "KAFKA_PARTITION",
    "KINESIS_SHARD",
    "PRESETS",
    "Emission",
    "Limit",
    "Node",
    "Reduction",
    "Routing",
    "Sources",
    "sized",
    "total_items",
]


class Routing(Enum):
    """How nodes are chosen for the items of the layer above.

    >>> Routing("key") is Routing.KEY
    True
    """

    ITEM = "item"
    """Each item goes to any node, with the same chance."""
    SOURCE = "source"
    """All items of a source go to one node, by a hash of the source."""
    KEY = "key"
    """All items of a key go to one node."""


class Emission(Enum):
    """When a node sends a period on.

    >>> Emission("close") is Emission.AT_CLOSE
    True
    """

    ON_CHANGE = "change"
    """As soon as an item of another period arrives; this needs no clock."""
    AT_CLOSE = "close"
    """Once, after the period has ended; late items go with the next period."""


@dataclass(frozen=True)
class Sources:
    """A class of `count` equal devices, which each send `rate` items of `item_bytes` per second.

    `largest_bytes` is the size of the largest item, if sizes differ.

    >>> Sources(count=500, rate=0.5, item_bytes=200).items
    250.0
    """

    count: int
    rate: float
    item_bytes: float = 0.0
    name: str = "sources"
    largest_bytes: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", require_count(self.count, "count", 500))
        require_positive(self.rate, "rate", 0.5)
        require_not_negative(self.item_bytes, "item_bytes", 50_000)
        if self.largest_bytes is not None:
            require_not_negative(self.largest_bytes, "largest_bytes", 50_000)
        require_text(self.name, "name", "meters")

    @property
    def most_bytes(self) -> float:
        """The size of the largest item."""
        return max(self.item_bytes, self.largest_bytes or 0.0)

    @property
    def items(self) -> float:
        """Items per second of all devices together."""
        return self.count * self.rate


@dataclass(frozen=True)
class Limit:
    """How much a node takes per second: items, bytes, or both at once.

    >>> Limit(items=1_000, bytes=1_000_000)
    Limit(items=1000, bytes=1000000)
    """

    items: float | None = None
    bytes: float | None = None

    def __post_init__(self) -> None:
        if not self.given:
            raise InputError(
                "the limit names neither items nor bytes; give at least one of them, e.g. "
                "Limit(items=1_000, bytes=1_000_000)"
            )
        if self.items is not None:
            require_positive(self.items, "items", 1_000)
        if self.bytes is not None:
            require_positive(self.bytes, "bytes", 1_000_000)

    @property
    def given(self) -> dict[str, float]:
        """Those of the two that there are, by name."""
        return {name: most for name, most in vars(self).items() if most is not None}


@dataclass(frozen=True)
class Node:
    """A kind of node: its limit, its price per hour, and the delay to the next layer.

    >>> Node(Limit(items=100), price=0.015, name="gateway").limit.items
    100
    """

    limit: Limit
    price: float | None = None
    delay_s: float = 0.0
    name: str = "node"

    def __post_init__(self) -> None:
        require_kind(Limit, self.limit, "limit")
        if self.price is not None:
            require_not_negative(self.price, "price", 0.015)
        require_not_negative(self.delay_s, "delay_s", 0.2)
        require_text(self.name, "name", "shard")


@dataclass(frozen=True)
class Reduction:
    """How far nodes reduce the items of a period.

    For each key a node sends on `states` partial states per period, each of `state_bytes`, by
    default as large as an average item.  `hottest` is the largest key's share of all items; by
    default all keys are equal.  `spread_s` is the time over which states are sent on when a period
    closes.

    >>> Reduction(period_s=60, keys=5_000).hottest_share
    0.0002
    """

    period_s: float = 60.0
    keys: int = 1
    hottest: float | None = None
    states: int = 1
    state_bytes: float | None = None
    emission: Emission = Emission.ON_CHANGE
    spread_s: float | None = None

    def __post_init__(self) -> None:
        require_positive(self.period_s, "period_s", 60)
        object.__setattr__(self, "keys", require_count(self.keys, "keys", 1))
        object.__setattr__(self, "states", require_count(self.states, "states", 1))
        emission = require_kind(Emission, self.emission, "emission")
        object.__setattr__(self, "emission", emission)
        if self.state_bytes is not None:
            require_not_negative(self.state_bytes, "state_bytes", 100)
        if self.hottest is not None:
            self._require_hottest(self.hottest)
        if self.spread_s is not None:
            spread_s = require_positive(self.spread_s, "spread_s", 10)
            pane_s = float(self.pane_s)
            if spread_s > pane_s:
                raise InputError(
                    f"spread_s={spread_s:g} is longer than the {pane_s:g} s from one state of a "
                    f"key to the next: states would pile up; give at most {pane_s:g}"
                )
            if self.emission is Emission.ON_CHANGE:
                raise InputError(
                    f"spread_s={spread_s:g} is of states that leave when a period closes; "
                    "hand them on then (Emission.AT_CLOSE), or leave it out"
                )

    def _require_hottest(self, hottest: float) -> None:
        if finite(hottest) != 1:
            hottest = require_share(hottest, "hottest", 0.1)
        if hottest * self.keys < 1 - 1e-9 or (self.keys == 1 and hottest != 1):
            raise InputError(
                f"hottest={hottest:g} is less than an even share of {self.keys:,} keys; give at "
                f"least {1 / self.keys:g}"
            )

    @property
    def hottest_share(self) -> float:
        """The share of the largest key."""
        return 1 / self.keys if self.hottest is None else self.hottest

    @property
    def pane_s(self) -> float:
        """The time from one state of a key to the next, in seconds."""
        return self.period_s / self.states

    @property
    def spreading_s(self) -> float:
        """The time over which the states of a period are sent on after its end, in seconds."""
        return self.pane_s if self.spread_s is None else self.spread_s


def total_items(sources: Sequence[Sources]) -> float:
    """Items per second of all classes."""
    return sum(one.items for one in sources)


def sized(reduction: Reduction, sources: Sequence[Sources]) -> Reduction:
    """With the size of states: as large as an average item, if not given."""
    if reduction.state_bytes is not None:
        return reduction
    size = sum(one.items * one.item_bytes for one in sources) / total_items(sources)
    return replace(reduction, state_bytes=size)


#: A shard takes 1,000 records and 1 MB a second.
KINESIS_SHARD = Node(Limit(items=1_000, bytes=1_000_000), delay_s=0.2, name="shard")

#: Kafka itself has no limit; managed clusters allow about 5 MB a second into a partition.
KAFKA_PARTITION = Node(Limit(bytes=5_000_000), delay_s=0.05, name="partition")

#: One connection to a message broker: 100 messages and 512 KiB a second.
GATEWAY = Node(Limit(items=100, bytes=524_288), delay_s=0.05, name="gateway")

PRESETS = {"kinesis": KINESIS_SHARD, "kafka": KAFKA_PARTITION, "gateway": GATEWAY}
