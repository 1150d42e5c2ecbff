"""Conservative Sequential Assignments: layer by layer the fewest nodes that cannot be overrun.

While sources change from one period to the next, a node may have to hand on every second item it
takes, so each layer halves the rate at best (Guerraoui et al., Frugal Topology Construction for
Stream Aggregation in the Cloud, theorem 1).  All arithmetic is exact: a width that is a whole
number must not be rounded up by a floating-point error.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from windrow.topology.checks import require_count, require_positive

__all__ = ["csa", "exact", "load_of", "passed_on", "passed_on_for_long"]

_LARGEST_DENOMINATOR = 10**9  # of numbers that people mean


def csa(sources: int, rate: float, limit: float) -> tuple[int, ...]:
    """The width of each layer, for sources that send `rate` each into nodes that take `limit`.

    >>> csa(500, 0.5, 20)
    (13, 7, 4, 2, 1)
    """
    load = load_of(sources, rate, limit)
    widths = [ceil(load)]
    while widths[-1] > 1:
        load *= passed_on(widths)
        widths.append(ceil(load))
    return tuple(widths)


def load_of(sources: int, rate: float, limit: float) -> Fraction:
    """How many nodes' limits the sources would fill."""
    count = require_count(sources, "sources", 500)
    require_positive(rate, "rate", 0.5)
    require_positive(limit, "limit", 20)
    return count * exact(rate) / exact(limit)


def passed_on(widths: Sequence[int]) -> Fraction:
    """The share of a layer's items that it may hand on, in a bad moment: the last of these layers.

    Tuples of one node alternate between two periods, so that the layer below it sees them change a
    little more often than every second time: hence the factor above one half, where there is a
    layer above.
    """
    *above, width = widths
    return Fraction(1, 2) * (1 + Fraction(1, above[-1] * (2 * width - 1)) if above else 1)


def passed_on_for_long(widths: Sequence[int]) -> Fraction:
    """The same where both periods stay equally frequent: more than theorem 1 allows.

    Which tuple a node gets next is not independent of which node sends next, so that periods change
    more often on the way down.  Acted out, 250 items a second reach the sink of 13, 7, 4, 2 and 1
    nodes as 20.9, where theorem 1 says 17.4 at most and this 20.4.
    """
    *above, width = widths
    return Fraction(1, 2) * (1 + Fraction(1, above[-1] + 2 * width - 2) if above else 1)


def exact(number: float) -> Fraction:
    """The number as it was meant: 0.1 is a tenth, and 7 / 60 seven sixtieths."""
    written = Fraction(str(number))
    simple = written.limit_denominator(_LARGEST_DENOMINATOR)
    return simple if float(simple) == float(number) else written
