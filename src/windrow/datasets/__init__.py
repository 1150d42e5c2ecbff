"""Generated streams to try things on: plausible, and the same for the same seed.

Streams are Arrow tables, sorted by time, or by arrival if they say when each row arrived.  One that
is too long for memory comes in chunks of NumPy arrays.

Inside this package there is one module for each stream, made with `signals`.
"""

from windrow.datasets.arrivals import day_of_arrivals, write_arrivals
from windrow.datasets.sensors import day_of_sensors
from windrow.datasets.server_memory import server_memory

__all__ = ["day_of_arrivals", "day_of_sensors", "server_memory", "write_arrivals"]
