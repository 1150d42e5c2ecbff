"""Raw cells of eight bytes, by address: what a structure of many arrays is to compiled code.

An array handed from function to function is counted as a reference each time, which costs more
than the work of a forest; a number costs nothing.  Whoever owns the memory keeps it alive.

The functions here do the same in plain Python, for kernels that run interpreted.
"""

from ctypes import c_double, c_int64, c_uint8
from typing import Any

from windrow.compiler.marks import native

__all__ = ["read_float", "read_int", "write_byte", "write_float", "write_int"]


def _reader(kind: str) -> Any:
    from numba import types
    from numba.extending import intrinsic

    number = getattr(types, kind)

    def read(typingctx: Any, address: Any, cell: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.load(_pointer(context, builder, number, *arguments))

        return number(types.int64, types.int64), generate

    return intrinsic(read)


def _writer(kind: str) -> Any:
    from numba import types
    from numba.extending import intrinsic

    number = getattr(types, kind)

    def write(typingctx: Any, address: Any, cell: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            *place, value = arguments
            builder.store(value, _pointer(context, builder, number, *place))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, number), generate

    return intrinsic(write)


def _pointer(context: Any, builder: Any, number: Any, address: Any, cell: Any) -> Any:
    from llvmlite import ir

    kind = context.get_value_type(number)
    first = builder.inttoptr(address, ir.PointerType(kind))
    return builder.gep(first, [cell])


@native(lambda: _reader("float64"))
def read_float(address: Any, cell: Any) -> Any:
    """The float in a cell."""
    return c_double.from_address(int(address + 8 * cell)).value


@native(lambda: _reader("int64"))
def read_int(address: Any, cell: Any) -> Any:
    """The integer in a cell."""
    return c_int64.from_address(int(address + 8 * cell)).value


@native(lambda: _writer("float64"))
def write_float(address: Any, cell: Any, value: Any) -> None:
    """Put a float into a cell."""
    c_double.from_address(int(address + 8 * cell)).value = float(value)


@native(lambda: _writer("int64"))
def write_int(address: Any, cell: Any, value: Any) -> None:
    """Put an integer into a cell."""
    c_int64.from_address(int(address + 8 * cell)).value = int(value)


@native(lambda: _writer("uint8"))
def write_byte(address: Any, byte: Any, value: Any) -> None:
    """Put a small integer into a byte: by address and byte, not cell."""
    c_uint8.from_address(int(address + byte)).value = int(value)
