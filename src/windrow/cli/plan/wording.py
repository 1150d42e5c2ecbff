"""Errors of the planner in the words of the command line: `--period 60s` for `period_s=60`."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from windrow.errors import InputError

__all__ = ["told_as_options", "told_of"]

# What arguments are called as options, and the unit of their numbers.
_OPTIONS = {
    "sources": ("--sources", ""),
    "count": ("--sources", ""),
    "rate": ("--rate", "/s"),
    "items": ("--limit", "/s"),
    "bytes": ("--limit", "B/s"),
    "price": ("--price", ""),
    "delay_s": ("--delay", "s"),
    "item_bytes": ("--size", "B"),
    "period_s": ("--period", "s"),
    "keys": ("--keys", ""),
    "hottest": ("--hottest", ""),
    "states": ("--states", ""),
    "state_bytes": ("--state-size", "B"),
    "spread_s": ("--spread", "s"),
    "margin": ("--margin", ""),
    "loss": ("--loss", ""),
    "burst": ("--burst", ""),
    "skew_s": ("--skew", "s"),
    "time": ("--time", ""),
    "device": ("--device", ""),
    "size": ("--bytes", ""),
    "period": ("--period-column", ""),
    "duration_s": ("--duration", "s"),
    "seed": ("--seed", ""),
    "median_s": ("--back-off", "s"),
    "jitter_s": ("--jitter", "s"),
    "factor": ("--burst", ""),
    "share": ("--burst-share", ""),
}
_ENTRIES = {"item_bytes": "size", "delay_s": "delay"}  # as entries of --class and --node
_ARGUMENT = re.compile(rf"\b({'|'.join(_OPTIONS)})=(?:'([^']*)'|([\w.+-]*\w))")
_LARGE = re.compile(r"\b\d+(?:\.\d+)?e\+\d+")
_MOST_IN_DIGITS = 1e15
_CODE = {
    " (Emission.AT_CLOSE)": " (--emit close)",
    " (Routing.ITEM)": " (--routing item)",
    "on_refusal=Refusal.RETRY": "--retry",
    ", or use Refusal.DROP": ", or leave --retry out",
}


@contextmanager
def told_as_options() -> Iterator[None]:
    """Whatever the body refuses is said of options."""
    try:
        yield
    except InputError as error:
        said = _LARGE.sub(_in_digits, str(error))
        said = _ARGUMENT.sub(_option, said)
        for code, words in _CODE.items():
            said = said.replace(code, words)
        raise InputError(said) from None


@contextmanager
def told_of(option: str) -> Iterator[None]:
    """Whatever the body refuses is said of an entry of this option."""
    try:
        yield
    except InputError as error:
        said = str(error)
        for argument, entry in _ENTRIES.items():
            said = said.replace(f"{argument}=", f"{entry}=")
        raise InputError(f"{option} {said}") from None


def _in_digits(found: re.Match[str]) -> str:
    """As it was written, most likely."""
    number = float(found[0])
    return f"{number:.0f}" if number <= _MOST_IN_DIGITS else f"{number:g}"


def _option(found: re.Match[str]) -> str:
    option, unit = _OPTIONS[found[1]]
    if found[2] is not None:
        return f"{option} {found[2]}"
    return f"{option} {found[3]}{unit if found[3][-1].isdigit() else ''}"
