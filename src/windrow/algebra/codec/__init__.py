"""States as bytes: plain values by value, so that reading them again runs nothing.

    value       letter | contents
    sequence    letter | count | how its items lie | items

Items of one kind lie together, as raw numbers or as lengths and one text: those cost a few
nanoseconds each.  Others are values, one after the other.  Every item takes a byte at least, so no
count exceeds the bytes that are left, and nothing is made that is much larger than its bytes.
"""

from windrow.algebra.codec.reading import decode
from windrow.algebra.codec.states import StateCodec, require_codec
from windrow.algebra.codec.writing import encode

__all__ = ["StateCodec", "decode", "encode", "require_codec"]
