"""The letters that tell what follows, and the shapes of numbers."""

import struct
from typing import Final

#: How deep containers may lie in each other: far below what Python's own stack bears.
MOST_NESTED: Final = 100

NONE, TRUE, FALSE, INT, BIG, FLOAT, TEXT, BYTES = b"N10iIgub"
DECIMAL, DATE, TIME, DATETIME, TIMEDELTA = b"daTDe"
TUPLE, LIST, SET, FROZENSET, DICT, ROPE = b"tlsfmr"
NAN, SKETCH = b"nk"
MIXED = ord("*")  # of items: each has a letter of its own

COUNT: Final = struct.Struct("<I")
LONG: Final = struct.Struct("<q")
ITEMS: Final = struct.Struct("<IB")  # how many, and how they lie
DOUBLE: Final = struct.Struct("<d")
