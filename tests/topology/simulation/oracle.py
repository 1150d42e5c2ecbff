"""What becomes of a trace, event by event in one queue of all layers, with dictionaries and lists.

Tuples travel for real here: whatever a node hands on is an event of its own, later by the delay.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import ceil, floor, inf

from tests.topology.simulation.support import node_of, share_of
from windrow.topology.model import Emission, Routing
from windrow.topology.plan import Plan
from windrow.topology.simulation.chance import offsets_of, salts_of

__all__ = ["Oracle"]


@dataclass(frozen=True)
class Tuple:
    """Something on its way to a layer."""

    layer: int
    period: int
    weight: int
    size: float
    key: int
    device: int | None = None
    node: int | None = None
    since: float | None = None


@dataclass(frozen=True)
class Closing:
    """A node's turn to hand on what it holds of a key, up to a period."""

    place: tuple[int, int, int]  # layer, node and key
    period: int


@dataclass
class Happened:
    """At one layer."""

    offered: int = 0
    accepted: int = 0
    dropped: int = 0
    delayed: int = 0
    lost: Counter[int] = field(default_factory=Counter)
    tries: Counter[tuple[int, int]] = field(default_factory=Counter)  # by node and second
    taken: dict[tuple[int, int], list[float]] = field(default_factory=lambda: defaultdict(list))
    delays: list[float] = field(default_factory=list)
    peak_held: int = 0
    peak_waiting: int = 0


class Oracle:
    """A plan and a trace, run to the end."""

    def __init__(
        self,
        plan: Plan,
        times: list[float],
        devices: list[int],
        *,
        duration_s: float,
        seed: int,
        back_off_s: float | None = None,
    ) -> None:
        self.plan, self.duration_s, self.back_off_s = plan, duration_s, back_off_s
        self.salts = salts_of(seed, len(plan.layers))
        self.layers = [Happened() for _ in plan.layers]
        self.held: dict[tuple[int, int, int], dict[int, int]] = defaultdict(dict)
        self.expected: Counter[int] = Counter()
        self.arrivals: list[tuple[float, int, int]] = []  # when, of which period, how many
        self.queue: list[tuple[float, int, Tuple | Closing]] = []
        self.number = 0
        counts = [one.count for one in plan.sources]
        offsets = offsets_of(seed, sum(counts), plan.arrivals.skew_s)
        sizes = [one.item_bytes for one in plan.sources for _ in range(one.count)]
        for sent, (time, device) in enumerate(zip(times, devices, strict=True)):
            behind = offsets[device] if len(offsets) else 0.0
            period = floor((time - behind) / plan.reduction.pane_s)
            if time < duration_s:
                self.expected[period] += 1
                self.at(time, Tuple(0, period, 1, sizes[device], self.key(sent), device))
        if plan.reduction.emission is Emission.AT_CLOSE:
            self.schedule_closings()

    def at(self, time: float, event: Tuple | Closing) -> None:
        self.number += 1
        heappush(self.queue, (time, self.number, event))

    def key(self, sent: int) -> int:
        keys, hottest = self.plan.reduction.keys, self.plan.reduction.hottest_share
        drawn = share_of(int(self.salts.keys[0]), sent)
        if keys == 1 or drawn < hottest:
            return 0
        return min(1 + int((drawn - hottest) / (1 - hottest) * (keys - 1)), keys - 1)

    def behind(self, layer: int) -> float:
        """How much later a layer's clock shows what the first layer's does."""
        return sum(one.node.delay_s for one in self.plan.layers[:layer])

    def schedule_closings(self) -> None:
        reduction, skew = self.plan.reduction, self.plan.arrivals.skew_s
        spread = min(reduction.spreading_s, reduction.pane_s)
        for number, layer in enumerate(self.plan.layers):
            by_key = layer.routing is Routing.KEY
            for node in range(layer.width):
                for key in range(reduction.keys):
                    if by_key and node != self.by_key(number, key):
                        continue
                    slot = key if by_key else node * reduction.keys + key
                    after = share_of(int(self.salts.closing[number]), slot) * spread
                    for period in range(-40, ceil(self.duration_s / reduction.pane_s) + 1):
                        end = (period + 1) * reduction.pane_s
                        time = end + 3 * skew + number * spread + after
                        if time < self.duration_s:
                            self.at(
                                time + self.behind(number), Closing((number, node, key), period)
                            )

    def by_key(self, layer: int, key: int) -> int:
        return node_of(int(self.salts.routing[layer]), key, self.plan.layers[layer].width)

    def run(self) -> "Oracle":
        """Let everything happen that the first layer's clock has time for."""
        late: list[tuple[float, int, Tuple | Closing]] = []
        while self.queue:
            time, number, event = heappop(self.queue)
            if isinstance(event, Tuple):
                if time - self.behind(event.layer) < self.duration_s:
                    self.receive(time, event)
                else:
                    late.append((time, number, event))
            else:
                self.close(time, event)
        self.queue = late
        return self

    def receive(self, time: float, one: Tuple) -> None:
        if one.layer == len(self.plan.layers):
            self.arrivals.append((time, one.period, one.weight))
            return
        layer, seen = self.plan.layers[one.layer], self.layers[one.layer]
        node = self.route(one) if one.node is None else one.node
        seen.offered += one.since is None
        second = (node, floor(time))
        seen.tries[second] += 1
        items, size = len(seen.taken[second]) + 1, sum(seen.taken[second]) + one.size
        if items > (layer.node.limit.items or inf) or size > (layer.node.limit.bytes or inf):
            self.refuse(time, one, node)
            return
        seen.taken[second].append(one.size)
        seen.accepted += 1
        if one.since is not None:
            seen.delays.append(time - one.since)
        self.combine(time, one, node)

    def route(self, one: Tuple) -> int:
        layer, salt = self.plan.layers[one.layer], int(self.salts.routing[one.layer])
        if layer.routing is Routing.KEY:
            return self.by_key(one.layer, one.key)
        if layer.routing is Routing.SOURCE and one.device is not None:
            return node_of(salt, one.device, layer.width)
        return node_of(salt, self.layers[one.layer].offered, layer.width)

    def refuse(self, time: float, one: Tuple, node: int) -> None:
        seen = self.layers[one.layer]
        if self.back_off_s is None:
            seen.dropped += 1
            seen.lost[one.period] += one.weight
            return
        seen.delayed += one.since is None
        since = time if one.since is None else one.since
        again = Tuple(one.layer, one.period, one.weight, one.size, one.key, None, node, since)
        self.at(time + self.back_off_s, again)
        seen.peak_waiting = max(seen.peak_waiting, len(self.waiting(one.layer)))

    def waiting(self, layer: int) -> list[Tuple]:
        events = (event for _, _, event in self.queue)
        return [
            one
            for one in events
            if isinstance(one, Tuple) and one.layer == layer and one.since is not None
        ]

    def combine(self, time: float, one: Tuple, node: int) -> None:
        held = self.held[one.layer, node, one.key]
        for other in list(held):
            if other != one.period and (other - one.period) % self.cells == 0:
                self.hand_on(time, (one.layer, node, one.key), other)
        held[one.period] = held.get(one.period, 0) + one.weight
        of_node = [len(v) for (k, n, _), v in self.held.items() if (k, n) == (one.layer, node)]
        seen = self.layers[one.layer]
        seen.peak_held = max(seen.peak_held, sum(of_node))

    @property
    def cells(self) -> int:
        """Periods that a node may hold of a key: one, or some where it waits for their end."""
        if self.plan.reduction.emission is Emission.ON_CHANGE:
            return 1
        return 4 + ceil(9 * self.plan.arrivals.skew_s / self.plan.reduction.pane_s)

    def close(self, time: float, closing: Closing) -> None:
        for other in sorted(self.held[closing.place]):
            if other <= closing.period:
                self.hand_on(time, closing.place, other)

    def hand_on(self, time: float, place: tuple[int, int, int], period: int) -> None:
        layer, _, key = place
        weight = self.held[place].pop(period)
        delay = self.plan.layers[layer].node.delay_s
        size = self.plan.state_bytes
        self.at(time + delay, Tuple(layer + 1, period, weight, size, key))

    def left(self) -> Counter[int]:
        """What nodes hold and what waits when the time is up, by period."""
        counts: Counter[int] = Counter()
        for held in self.held.values():
            counts.update(held)
        for _, _, event in self.queue:
            if isinstance(event, Tuple):
                counts[event.period] += event.weight
        return counts
