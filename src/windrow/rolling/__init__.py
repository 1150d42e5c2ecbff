"""Windows over whole columns in memory, one result for each row: `windrow.roll`.

`roll.py` is the entry point, and orders the rows: `source.py` reads the input, `ways.py` decides
how each aggregate runs: compiled (`columnar.loops`), counted (`multisets.py`) or by the structures
themselves (`interpreted.py`).  `ordered.py` does the same for engines, whose rows are in order
already.
"""

from windrow.rolling.roll import roll

__all__ = ["roll"]
