"""Numbers as people read them."""

from collections.abc import Mapping

__all__ = ["case_text", "duration", "plain", "size"]

_UNITS = (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0))


def duration(nanoseconds: float) -> str:
    """Three digits and the unit that fits: '7.61 µs'."""
    unit, length = next(((u, n) for u, n in _UNITS if nanoseconds >= n), _UNITS[-1])
    return f"{plain(nanoseconds / length)} {unit}"


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
