"""How tests call `windrow plan`, and what is published about it."""

import json
from fractions import Fraction
from math import ceil
from typing import Any

import pytest

from tests.cli.running import run

PUBLISHED = ("--sources", "500", "--rate", "0.5/s", "--limit", "20/s")


def told(*arguments: Any) -> Any:
    result = run("plan", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))


def complaint(*arguments: Any) -> str:
    result = run("plan", *arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr


def published_widths(load: Fraction) -> list[int]:
    """The published recurrence, once more: `load` is how many nodes the sources would fill."""
    widths = [ceil(load)]
    while widths[-1] > 1:
        load /= 2
        if len(widths) > 1:
            load *= 1 + Fraction(1, widths[-2] * (2 * widths[-1] - 1))
        widths.append(ceil(load))
    return widths
