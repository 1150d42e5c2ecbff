"""The constants that windrow comes with, until `windrow calibrate` has measured a machine's own.

Measured by `windrow calibrate` on two cores of a virtual machine with Python 3.11 and Spark 4.3.
"""

from collections.abc import Mapping

from windrow.plan.constants import OTHER, Constants, Price

__all__ = ["SHIPPED"]


def _prices(nanoseconds: Mapping[str, tuple[float, float]]) -> dict[str, Price]:
    """Prices from nanoseconds for a lift and for a combine."""
    return {name: Price(lift / 1e9, combine / 1e9) for name, (lift, combine) in nanoseconds.items()}


# To count a slice, or to find its first or last row, compiled code need not look at all of them.
_COMPILED = _prices(
    {
        "all": (0.34, 5.6),
        "any": (0.35, 5.5),
        "count": (0.028, 7.9),
        "first": (0.099, 7),
        "geometric_mean": (3, 13),
        "histogram": (1, 13),
        "last": (0.082, 6.2),
        "longest_increasing_run": (2.7, 21),
        "max": (1.3, 5.3),
        "max_count": (3.3, 7.2),
        "mean": (0.39, 13),
        "min": (0.98, 5.2),
        "min_count": (3.2, 7.1),
        "product": (0.48, 5.1),
        "range": (1.6, 7),
        "stddev": (1.9, 16),
        "sum": (0.36, 5),
        "variance": (1.9, 16),
        OTHER: (0.97, 7),
    }
)
_INTERPRETED = _prices(
    {
        "argmax": (1000, 1100),
        "argmin": (990, 1100),
        "bloom": (3300, 1600),
        "collect": (510, 14000),
        "concat": (550, 10000),
        "distinct": (150, 9700),
        "distinct_sketch": (590, 37000),
        "first": (200, 970),
        "last": (200, 950),
        "max": (210, 960),
        "max_count": (350, 1300),
        "median": (110, 13000),
        "min": (210, 960),
        "min_count": (360, 1300),
        "quantile": (110, 12000),
        "quantile_sketch": (260, 6400),
        "top_k": (640, 1600),
        OTHER: (350, 1600),
    }
)

SHIPPED = Constants(
    stage=0.07,
    read=1e-7,
    sent=4e-8,
    result=1.5e-8,
    compiled=_COMPILED,
    interpreted=_INTERPRETED,
)
