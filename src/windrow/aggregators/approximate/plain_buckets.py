"""Buckets as bytes: plain values, of which reading them again makes the same buckets."""

from typing import Any

from windrow.aggregators.approximate.additive import Strayed
from windrow.aggregators.approximate.layout import Bucket
from windrow.aggregators.paged import plain

__all__ = ["PLAIN_BUCKETS", "RECORDS"]

# Traces that are more than tuples; a letter tells which.
RECORDS: dict[str, Any] = {"s": Strayed}
_LETTERS = {kind: letter for letter, kind in RECORDS.items()}


def _write(bucket: Bucket) -> bytes:
    size, states, traces, *watched = bucket
    letters = "".join(_LETTERS.get(type(trace), " ") for trace in traces)
    plainly = (
        trace if letter == " " else tuple(trace)
        for trace, letter in zip(traces, letters, strict=True)
    )
    return plain.encode([size, states, letters, tuple(plainly), *watched])


def _read(content: bytes) -> Bucket:
    size, states, letters, plainly, *watched = plain.decode(content)
    traces = (
        trace if letter == " " else RECORDS[letter]._make(trace)
        for trace, letter in zip(plainly, letters, strict=True)
    )
    return Bucket(size, states, tuple(traces), *watched)


#: From a bucket to bytes and back.
PLAIN_BUCKETS = (_write, _read)
