"""Windows over whole columns in memory, one result for each row: `windrow.roll`.

`roll.py` is the entry point: `source.py` reads the input, `arrange.py` orders its rows, `ways.py`
decides how each aggregate runs: compiled (`columnar.loops`), counted (`multisets.py`) or by the
structures themselves (`interpreted.py`, with `guarded.py` for values of any kind).  `ordered.py`
does the same for engines, whose rows are in order already.
"""

from windrow.rolling.roll import roll

__all__ = ["roll"]
