"""Rows of arrays by their address, and what is done to their cells; compiled.

Handing arrays from function to function would cost more than what these do with them.
"""

from typing import Any

import numpy as np

from windrow.compiler.marks import hot
from windrow.kernels.cells import read_float, read_int, write_float, write_int

__all__ = ["add_float", "add_int", "raise_float", "raise_int", "row"]

_BYTES = np.int64(8)


@hot
def row(address: Any, number: Any, cells: Any) -> Any:
    """The address of one row with this many cells."""
    return address + _BYTES * cells * number


@hot
def add_int(address: Any, cell: Any, amount: Any) -> None:
    """Add to a cell."""
    write_int(address, cell, read_int(address, cell) + amount)


@hot
def add_float(address: Any, cell: Any, amount: Any) -> None:
    """Add to a cell."""
    write_float(address, cell, read_float(address, cell) + amount)


@hot
def raise_int(address: Any, cell: Any, number: Any) -> None:
    """Let a cell be at least so much."""
    write_int(address, cell, max(read_int(address, cell), number))


@hot
def raise_float(address: Any, cell: Any, number: Any) -> None:
    """Let a cell be at least so much."""
    write_float(address, cell, max(read_float(address, cell), number))
