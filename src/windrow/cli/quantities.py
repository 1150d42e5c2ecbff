"""Quantities as one writes them on a command line: rates, sizes, shares, counts, durations."""

import re
from collections.abc import Callable, Collection
from math import inf
from typing import Any, TypeVar

from windrow.arguments import shown
from windrow.cli.job.problems import did_you_mean
from windrow.errors import InputError, WindowError
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

_UNITS = {
    "": 1,
    "b": 1,
    "byte": 1,
    "bytes": 1,
    **{f"{letter}b": 1000**power for power, letter in enumerate("kmgt", 1)},
    **{f"{letter}ib": 1024**power for power, letter in enumerate("kmgt", 1)},
}
_NUMBER = r"[0-9][0-9_,]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?"
_SIZE = re.compile(rf"({_NUMBER})\s*([a-zA-Z]*)")
_SHARE = re.compile(rf"({_NUMBER})\s*(%?)")
_ITEMS = ("item", "items")
_US = 1_000_000


def if_given(read: Callable[..., T], text: str | None, *about: Any) -> T | None:
    """What an option says, read so; None if it was not given."""
    return None if text is None else read(text, *about)


def read_number(text: str, option: str, example: str) -> float:
    """A number of 0 or more."""
    found = re.fullmatch(_NUMBER, text.strip())
    number = _number(found[0]) if found else inf
    if number == inf:
        raise InputError(f"{option} {text}: give a number of 0 or more, such as {example}")
    return number


def read_count(text: str, option: str, example: str, least: int = 1) -> int:
    """A whole number, not below the least: `500`, `10_000` or `1e8`."""
    found = re.fullmatch(_NUMBER, text.strip())
    number = _number(found[0]) if found else inf
    if not least <= number < inf or number != int(number):
        raise InputError(
            f"{option} {text}: give a whole number of {least} or more, such as {example}"
        )
    return int(number)


def read_share(text: str, option: str, wanted: str) -> float:
    """A share of 0 or more: `10%` or `0.1`; `wanted` is what to give in its place."""
    found = _SHARE.fullmatch(text.strip())
    share = _number(found[1]) / (100 if found[2] else 1) if found else inf
    if share == inf:
        raise InputError(f"{option} {text}: {wanted}")
    return share


def read_bytes(text: str, option: str) -> float:
    """A size, of at least a byte: `64kB`, `1MiB`, `500`."""
    found = _SIZE.fullmatch(text.strip())
    unit = _UNITS.get(found[2].casefold()) if found else None
    size = _number(found[1]) * unit if found and unit else 0.0
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
    found = _SIZE.fullmatch(amount.strip())
    unit = found[2].casefold() if found else ""
    number = _number(found[1]) if found else 0.0
    if not slash or not 0 < number < inf or unit not in {*_UNITS, *_ITEMS}:
        raise InputError(f"{option} {text}: give a rate above 0, such as {examples}")
    time = time.strip()
    seconds = read_seconds(time if time[:1].isdigit() else f"1 {time}", f"{option} {text}:")
    if not seconds:
        raise InputError(f"{option} {text}: give a rate above 0, such as {examples}")
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


def _number(text: str) -> float:
    return float(re.sub("[_,]", "", text))
