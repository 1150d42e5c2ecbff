"""Predictions for a stream's micro-batches, corrected by those that it has had.

The model knows nothing of Spark's state store, and not how many keys a stream has.  What it leaves
out differs from stream to stream: so a correction holds for one stream, and constants stay.
"""

from collections.abc import Mapping
from statistics import median
from typing import Any

from windrow.errors import InputError
from windrow.plan import measured
from windrow.plan.constants import Constants
from windrow.plan.costs import predicted
from windrow.plan.description import Description
from windrow.plan.facts import Facts
from windrow.plan.micro_batch import MicroBatch, Predicted
from windrow.plan.ownership import method_of

__all__ = ["Seen", "keep", "kept", "prediction"]

#: Micro-batches, each by a name of its own, the latest last.
Seen = Mapping[str, MicroBatch]

_MOST = 100
# The median of fewer would be led astray by one that had to wait.
_FEWEST = 3
_ENDING = "stream"
_WAY_OUT = "those of the next run take their place"

# For a stream of which nothing is known yet.
_ROWS = 100_000
_SPAN_US = 1_000_000


def prediction(query: Description, seen: Seen, constants: Constants) -> Predicted:
    """What the next micro-batch of a stream should take."""
    batches = list(seen.values())
    if len(batches) < _FEWEST:
        return Predicted(_ROWS, _seconds(query, _ROWS, 0, constants), constants.source)
    rows = round(median(one.rows for one in batches))
    span_us = round(median(one.span_us for one in batches))
    ratios = [
        one.seconds / max(_seconds(query, one.rows, one.span_us, constants), 1e-9)
        for one in batches
    ]
    return Predicted(
        rows,
        _seconds(query, rows, span_us, constants),
        constants.source,
        measured=len(batches),
        factor=median(ratios),
    )


def kept(stream: str) -> Seen:
    """The latest micro-batches of earlier runs."""
    unused = "the times of this stream's micro-batches"
    return measured.kept(_what(stream), _ENDING, _read, unused, _WAY_OUT) or {}


def keep(stream: str, earlier: Seen, found: Seen) -> Seen:
    """Keep the latest micro-batches for later runs; they are returned."""
    latest = dict([*{**earlier, **found}.items()][-_MOST:])
    if latest != earlier:
        plain = {name: [one.rows, one.seconds, one.span_us] for name, one in latest.items()}
        measured.keep(_what(stream), _ENDING, plain)
    return latest


def _what(stream: str) -> str:
    return f"stream {stream}"


def _read(plain: Any) -> Seen:
    try:
        return {str(name): MicroBatch(*one) for name, one in plain.items()}
    except (AttributeError, TypeError) as problem:
        raise InputError(f"these are no micro-batches ({problem})") from None


def _seconds(query: Description, rows: int, span_us: int, constants: Constants) -> float:
    """By the constants alone; keys are taken to be even, and enough for all tasks."""
    keys = min(query.unit_count, rows) if query.keys else 1
    slides = [grid.every_us for grid in query.aligned]
    facts = Facts(
        rows=rows,
        keys=keys,
        hottest=1 / keys,
        first_us=0,
        span_us=span_us or min(slides, default=_SPAN_US),
    )
    return predicted(query, facts, method_of(query), constants)[1]
