"""Quantities as one writes them on a command line: rates, sizes, shares, counts, durations."""

import re
from collections.abc import Callable, Collection, Mapping
from math import inf, nan
from typing import Any, TypeVar

from windrow.arguments import shown
from windrow.errors import InputError, WindowError
from windrow.jobs.problems import did_you_mean
from windrow.windows import microseconds

__all__ = [
    "if_given",
    "read_bytes",
    "read_count",
    "read_duration",
    "read_entries",
    "read_limit",
    "read_number",
    "read_rate",
    "read_seconds",
    "read_share",
]

T = TypeVar("T")

_UNITS: Mapping[str, float] = {
    "": 1,
    "b": 1,
    "byte": 1,
    "bytes": 1,
    **{f"{letter}b": 1000**power for power, letter in enumerate("kmgt", 1)},
    **{f"{letter}ib": 1024**power for power, letter in enumerate("kmgt", 1)},
}
_NUMBER = r"[0-9][0-9_,]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?"
_AMOUNT = re.compile(rf"({_NUMBER})\s*([a-zA-Z]*|%)")
_ITEMS = ("item", "items")
_US = 1_000_000


def if_given(read: Callable[..., T], text: str | None, *about: Any) -> T | None:
    """What an option says, read so; None if it was not given."""
    return None if text is None else read(text, *about)


def read_number(text: str, option: str, example: str) -> float:
    """A number of 0 or more."""
    number, unit = _amount(text)
    if unit or not number < inf:
        raise InputError(f"{option} {text}: give a number of 0 or more, such as {example}")
    return number


def read_count(text: str, option: str, example: str, least: int = 1) -> int:
    """A whole number, not below the least: `500`, `10_000` or `1e8`."""
    number, unit = _amount(text)
    if unit or not least <= number < inf or number != int(number):
        raise InputError(
            f"{option} {text}: give a whole number of {least} or more, such as {example}"
        )
    return int(number)


def read_share(text: str, option: str, wanted: str) -> float:
    """A share of 0 or more: `10%` or `0.1`; `wanted` is what to give in its place."""
    number, unit = _amount(text)
    if unit not in {"", "%"} or not number < inf:
        raise InputError(f"{option} {text}: {wanted}")
    return number / 100 if unit else number


def read_bytes(text: str, option: str) -> float:
    """A size, of at least a byte: `64kB`, `1MiB`, `500`."""
    number, unit = _amount(text)
    size = number * _UNITS.get(unit, nan)
    if not 1 <= size < inf:
        raise InputError(
            f"{option} {text}: give a number of bytes above 0, such as 64kB, 1MB or 1MiB"
        )
    return size


def read_seconds(text: str, option: str) -> float:
    """A duration, in seconds: `20min`, `200ms`."""
    try:
        us = microseconds(text, option)
    except WindowError as error:
        said = str(error).removesuffix(", or a timedelta")
        raise InputError(said.replace(f"{option}={shown(text)}", f"{option} {text}")) from None
    if us < 0:
        raise InputError(f"{option} {text}: give a duration of 0 or more, such as 2s")
    return us / _US


def read_duration(text: str, option: str, example: str) -> float:
    """The same, and longer than none."""
    seconds = read_seconds(text, option)
    if not seconds:
        raise InputError(f"{option} {text}: give a duration above 0, such as {example}")
    return seconds


def read_rate(text: str, option: str) -> float:
    """Items a second: `0.5/s`, `30/min`, `2/h`; `1/10s` is one every ten seconds."""
    number, unit = _rate(text, option, "0.5/s, 30/min or 1/10s")
    if unit:
        raise InputError(f"{option} {text}: give items, such as 0.5/s or 30/min; --size says bytes")
    return number


def read_limit(text: str, option: str) -> tuple[str, float]:
    """What a node takes in a second, and of what: `items` of 20/s, `bytes` of 1MB/s."""
    number, unit = _rate(text, option, "20/s or 1MB/s")
    return ("bytes", number * _UNITS[unit]) if unit else ("items", number)


def _rate(text: str, option: str, examples: str) -> tuple[float, str]:
    amount, slash, time = text.strip().partition("/")
    number, unit = _amount(amount)
    wrong = InputError(f"{option} {text}: give a rate above 0, such as {examples}")
    if not slash or not 0 < number < inf or unit not in {*_UNITS, *_ITEMS}:
        raise wrong
    time = time.strip()
    seconds = read_seconds(time if time[:1].isdigit() else f"1 {time}", f"{option} {text}:")
    if not seconds:
        raise wrong
    return number / seconds, "" if unit in _ITEMS else unit


def read_entries(text: str, option: str, known: Collection[str], example: str) -> dict[str, str]:
    """What an option says in several entries: `count=100,rate=2/s`."""
    entries: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise InputError(f'{option} "{text}": {part.strip()!r} is no entry; write "{example}"')
        if name not in known:
            raise InputError(
                f'{option} "{text}": unknown entry {name!r} {did_you_mean(name, known)}'
            )
        if name in entries:
            raise InputError(f'{option} "{text}": {name} is there twice; leave one out')
        entries[name] = value
    return entries


def _amount(text: str) -> tuple[float, str]:
    """A number and its unit; NaN if it is none."""
    found = _AMOUNT.fullmatch(text.strip())
    return (float(re.sub("[_,]", "", found[1])), found[2].casefold()) if found else (nan, "")
