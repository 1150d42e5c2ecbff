"""Numbers as people read them."""

from collections.abc import Mapping, Sequence

__all__ = ["case_text", "duration", "memory", "plain", "size"]

_UNITS = (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0))
_BYTES = (("GB", 1e9), ("MB", 1e6), ("KB", 1e3), ("B", 1.0))


def duration(nanoseconds: float) -> str:
    """Three digits and the unit that fits: '7.61 µs'."""
    return _in_units(nanoseconds, _UNITS)


def memory(number: float) -> str:
    """The same for bytes: '40.2 MB'."""
    return _in_units(number, _BYTES)


def _in_units(number: float, units: Sequence[tuple[str, float]]) -> str:
    unit, length = next(((u, n) for u, n in units if number >= n), units[-1])
    return f"{plain(number / length)} {unit}"


def plain(number: float) -> str:
    """Three digits where there are less, all of them where there are more: '3.14', '26,041'."""
    if number >= 100:
        return f"{number:,.0f}"
    return f"{number:.1f}" if number >= 10 else f"{number:.2f}"


def size(number: int) -> str:
    """A power of two as one, if it is hard to read otherwise: '2^16'."""
    if number >= 16 and number & (number - 1) == 0:
        return f"2^{number.bit_length() - 1}"
    return f"{number:,}"


def case_text(case: Mapping[str, str | int]) -> str:
    """A case in words: 'max, window 2^16'."""
    return ", ".join(
        value if isinstance(value, str) else f"{name} {size(value)}" for name, value in case.items()
    )
