"""Windows over whole columns, one result for each row: `windrow.roll`."""

from windrow.aggregators.rolling.roll import roll

__all__ = ["roll"]
