"""Readable figures, and tables of them."""

from collections.abc import Collection, Sequence
from math import floor, isfinite, log10

__all__ = ["aligned", "counted", "duration", "rounded", "share", "size"]

_TINY = 1e-6
_UNITS = ((86_400.0, "days"), (3_600.0, "h"), (60.0, "min"), (1.0, "s"))


def rounded(number: float) -> str:
    """A number to three digits, and whole ones as they are.

    >>> rounded(250.0), rounded(249.9), rounded(0.216667), rounded(1234.5), rounded(2e-9)
    ('250', '250', '0.217', '1,234', '2e-09')
    """
    if number == floor(number) or abs(number) >= 100:
        return f"{number:,.0f}"
    if abs(number) < _TINY:
        return f"{number:.2g}"
    return f"{number:.{2 - floor(log10(abs(number)))}f}".rstrip("0").rstrip(".")


def counted(number: int, what: str) -> str:
    """A number of things, in the plural unless there is one.

    >>> counted(1, "node"), counted(1200, "node")
    ('1 node', '1,200 nodes')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """A duration in its largest unit.

    >>> duration(0.052), duration(60), duration(5400), duration(0), duration(-2)
    ('52 ms', '1 min', '1.5 h', '0 s', '-2 s')
    """
    if seconds < 0:
        return f"-{duration(-seconds)}"
    if 0 < seconds < 1:
        return f"{rounded(1000 * seconds)} ms"
    for length, unit in _UNITS:
        if seconds >= length:
            return f"{rounded(seconds / length)} {unit}"
    return "0 s"


def share(number: float) -> str:
    """A share as a percentage.

    >>> share(0.00123), share(0.99987), share(2.5), share(3e-8)
    ('0.12 %', '99.98 %', '250 %', '3e-6 %')
    """
    if not isfinite(number):
        return "∞"
    percent = 100 * number
    if 99 < percent < 100:  # never rounded up to all of it
        return f"{int(percent * 100) / 100:.2f} %"
    if percent >= 10 or not percent:
        return f"{percent:,.0f} %"
    if percent >= 0.0001:
        return f"{percent:.2g} %"
    digit, _, exponent = f"{percent:.0e}".partition("e")
    return f"{digit}e{int(exponent)} %"


def size(number: float) -> str:
    """A number of bytes, in a readable unit.

    >>> size(0), size(999), size(1_500_000), size(2e12)
    ('0 bytes', '999 bytes', '1.5 MB', '2000.0 GB')
    """
    for unit in ("bytes", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"


def aligned(lines: Sequence[Sequence[str]], texts: Collection[str]) -> list[str]:
    """Lines of a table, the first with the names of its columns; `texts` stand to the left."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if name in texts else cell.rjust(width)
            for name, cell, width in zip(lines[0], line, widths, strict=True)
        ).rstrip()
        for line in lines
    ]
