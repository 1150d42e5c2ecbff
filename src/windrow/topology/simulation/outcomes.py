"""What becomes of tuples: they wait to be sent again, are lost, or arrive; compiled."""

from typing import Any

from windrow.compiler.marks import hot
from windrow.kernels.cells import read_float, read_int, write_float, write_int
from windrow.topology.simulation.draws import lognormal
from windrow.topology.simulation.histogram import BINS, bin_of
from windrow.topology.simulation.rows import add_int, raise_float, raise_int, row
from windrow.topology.simulation.waiting import pop, push
from windrow.topology.simulation.world import (
    COUNTS,
    DELAYED,
    DROPPED,
    KEY,
    LAYER,
    LONGEST_DELAY,
    NODE,
    NUMBERS,
    OF_BYTES,
    OF_PERIOD,
    OF_WEIGHT,
    PEAK_WAITING,
    SINCE,
    SUMS,
    TUPLES,
    WAITING,
)

__all__ = ["arrive", "drop", "note_delay", "sent_again", "wait"]

_SOONEST_S = 1e-6  # a tuple sent again at the same moment would be refused forever


def wait(
    world: Any,
    u: Any,
    layer: Any,
    node: Any,
    key: Any,
    period: Any,
    weight: Any,
    size: Any,
    since: Any,
    is_first: Any,
) -> None:
    """A node is full: the tuple will be sent to it again."""
    counts, waiting, rules = row(world.counts, layer, COUNTS), world.waiting, world.rules
    add_int(counts, DELAYED, 1 if is_first else 0)
    add_int(counts, WAITING, 1)
    raise_int(counts, PEAK_WAITING, read_int(counts, WAITING))
    back_off = lognormal(world.chance, rules.median_s, rules.sigma)
    place = push(waiting, u + max(back_off, _SOONEST_S))
    kept, numbers = row(waiting.tuples, place, TUPLES), row(waiting.numbers, place, NUMBERS)
    write_int(kept, LAYER, layer)
    write_int(kept, NODE, node)
    write_int(kept, KEY, key)
    write_int(kept, OF_PERIOD, period)
    write_int(kept, OF_WEIGHT, weight)
    write_float(numbers, OF_BYTES, size)
    write_float(numbers, SINCE, since)


def sent_again(world: Any) -> Any:
    """The tuple whose turn it is: layer, node, key, period, weight, size, and since when."""
    waiting = world.waiting
    place = pop(waiting)
    kept, numbers = row(waiting.tuples, place, TUPLES), row(waiting.numbers, place, NUMBERS)
    layer = read_int(kept, LAYER)
    add_int(row(world.counts, layer, COUNTS), WAITING, -1)
    return (
        layer,
        read_int(kept, NODE),
        read_int(kept, KEY),
        read_int(kept, OF_PERIOD),
        read_int(kept, OF_WEIGHT),
        read_float(numbers, OF_BYTES),
        read_float(numbers, SINCE),
    )


@hot
def drop(world: Any, layer: Any, period: Any, weight: Any) -> None:
    """A node is full: the tuple is lost."""
    add_int(row(world.counts, layer, COUNTS), DROPPED, 1)
    add_int(row(world.results.lost, layer, world.results.periods), period, weight)


def note_delay(world: Any, layer: Any, delay: Any) -> None:
    """A tuple was accepted so long after it was first sent."""
    add_int(row(world.delays, layer, BINS), bin_of(delay), 1)
    raise_float(row(world.sums, layer, SUMS), LONGEST_DELAY, delay)


def arrive(world: Any, u: Any, period: Any, weight: Any) -> None:
    """The sink hands something on."""
    rules, results = world.rules, world.results
    end = rules.origin_s + (period + rules.first_period + 1) * rules.period_s
    latency = max(u + rules.result_shift - end, 0.0)
    add_int(results.arrived, period, weight)
    write_float(results.last, period, u + rules.result_shift)
    add_int(results.latencies, bin_of(latency), weight)
    raise_float(results.longest, 0, latency)
