"""Made-up streams to try things on: plausible, and the same for the same seed.

One module for each stream, put together from `signals`. Streams are Arrow tables, sorted by time,
or by arrival if they say when each row arrived.
"""

from windrow.datasets.arrivals import day_of_arrivals, write_arrivals
from windrow.datasets.sensors import day_of_sensors

__all__ = ["day_of_arrivals", "day_of_sensors", "write_arrivals"]
