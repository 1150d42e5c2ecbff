"""The constants that windrow comes with, until `windrow calibrate` has measured a machine's own.

Measured on two cores of a virtual machine with Python 3.11 and Spark 4.3, which others used at the
same time: prices by `windrow calibrate`, Spark's part by the same four queries over 4 million rows,
the fewest seconds of three turns.
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
        "all": (0.95, 8.2),
        "any": (0.59, 7.8),
        "count": (0.044, 9.6),
        "first": (0.15, 10),
        "geometric_mean": (9.9, 12),
        "histogram": (1.1, 23),
        "last": (0.11, 14),
        "longest_increasing_run": (4.3, 31),
        "max": (1.4, 7.3),
        "max_count": (4.8, 17),
        "mean": (0.68, 21),
        "min": (1.4, 7.4),
        "min_count": (4.4, 13),
        "product": (0.77, 13),
        "range": (2, 9.2),
        "stddev": (2.6, 14),
        "sum": (0.62, 6.9),
        "variance": (2.9, 14),
        OTHER: (1.2, 12),
    }
)
_INTERPRETED = _prices(
    {
        "argmax": (2300, 2100),
        "argmin": (2200, 1600),
        "bloom": (11000, 2700),
        "collect": (820, 23000),
        "concat": (820, 19000),
        "distinct": (240, 13000),
        "distinct_sketch": (900, 61000),
        "first": (280, 1400),
        "last": (290, 1400),
        "max": (320, 1400),
        "max_count": (550, 1900),
        "median": (240, 25000),
        "min": (320, 1400),
        "min_count": (750, 3700),
        "quantile": (190, 22000),
        "quantile_sketch": (590, 9200),
        "top_k": (950, 2300),
        OTHER: (590, 2700),
    }
)

SHIPPED = Constants(
    stage=0.33,
    read=3.6e-7,
    sent=1.1e-7,
    result=1.2e-8,
    compiled=_COMPILED,
    interpreted=_INTERPRETED,
)
