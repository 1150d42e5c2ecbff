"""What the paper on frugal topologies ran, and the figures it tells in words.

Its bar charts have no numbers beside them: where it only says that there are drops, so do we.
"""

from windrow.topology import Limit, Node, Sources

__all__ = [
    "DELAYED_SHARE",
    "DROPPING_LAYERS",
    "DURATION_S",
    "GATEWAYS",
    "LONGEST_DELAY_S",
    "PERIOD_S",
    "SHARD",
    "SYNTHETIC",
    "WIDTHS",
    "gateways",
]

#: 500 sources of half an item a second, for 1.1 hours in periods of 20 minutes.
SYNTHETIC = Sources(500, 0.5, 50_000, "sources")
PERIOD_S = 1_200.0
DURATION_S = 3_960.0

#: 1 MB a second: 20 items of 50 kB.
SHARD = Node(Limit(items=20), name="shard")

#: By topology: the layers at which items were dropped, from 1.
DROPPING_LAYERS = {
    (1,): (1,),
    (13, 1): (1, 2),
    (13, 7, 1): (1, 3),
    (13, 7, 4, 2, 1): (1,),
}

#: Layer widths by number of sources.
WIDTHS = {500: (13, 7, 4, 2, 1), 950: (24, 12, 6, 3, 2, 1)}

#: One shard and so many gateways, each an item of 30 to 50 kB every minute or so, sent again when
#: it is refused: at 240 a quarter was delayed, by up to 18 seconds.
GATEWAYS = (10, 30, 60, 90, 120, 150, 180, 210, 240)
DELAYED_SHARE = 0.25
LONGEST_DELAY_S = 18.0


def gateways(count: int) -> Sources:
    """So many of the gateways."""
    return Sources(count, 1 / 60, 40_000, "gateways")
