"""Raw cells of eight bytes, by address: what a structure of many arrays is to compiled code.

An array handed from function to function is counted as a reference each time, which costs more
than the work of a forest; a number costs nothing.  Whoever owns the memory keeps it alive.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["read_float", "read_int", "write_byte", "write_float", "write_int"]


def _reader(number: Any) -> Any:
    def read(typingctx: Any, address: Any, cell: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.load(_pointer(context, builder, number, *arguments))

        return number(types.int64, types.int64), generate

    return intrinsic(read)


def _writer(number: Any) -> Any:
    def write(typingctx: Any, address: Any, cell: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            *place, value = arguments
            builder.store(value, _pointer(context, builder, number, *place))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, number), generate

    return intrinsic(write)


def _pointer(context: Any, builder: Any, number: Any, address: Any, cell: Any) -> Any:
    kind = context.get_value_type(number)
    first = builder.inttoptr(address, ir.PointerType(kind))
    return builder.gep(first, [cell])


read_float = _reader(types.float64)
read_int = _reader(types.int64)
write_float = _writer(types.float64)
write_int = _writer(types.int64)
write_byte = _writer(types.uint8)  # by address and byte, not cell
