"""Values of Spark's state store: compressed, and text.

Spark hands bytes to Python as text in which every other character takes two bytes, and both sides
take it apart character by character: some 20 ns for a byte.  Text that is ASCII they only copy.
"""

from typing import Any

from windrow.columnar.compression import compress, decompress, from_text, to_text

__all__ = ["VALUE", "from_value", "to_value"]

VALUE = "content string"  # its schema


def to_value(content: bytes) -> tuple[str]:
    """Bytes as a value to keep."""
    return (to_text(compress(content)),)


def from_value(value: str) -> Any:
    """The bytes of a value that was kept."""
    return decompress(from_text(value))
