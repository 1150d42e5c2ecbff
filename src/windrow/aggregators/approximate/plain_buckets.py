"""Buckets as plain values, of which reading them again makes the same buckets."""

from typing import Any

from windrow.aggregators.approximate.additive import Strayed
from windrow.aggregators.approximate.layout import Bucket, Layout
from windrow.algebra.monoid import Codec

__all__ = ["RECORDS", "bucket_codec"]

# Traces that are more than tuples; a letter tells which.
RECORDS: dict[str, Any] = {"s": Strayed}
_LETTERS = {kind: letter for letter, kind in RECORDS.items()}


def bucket_codec(layout: Layout) -> Codec:
    """From a bucket to a plain value and back."""

    def write(bucket: Bucket) -> tuple[Any, ...]:
        size, states, traces, *watched = layout.to_plain(bucket)
        letters = "".join(_LETTERS.get(type(trace), " ") for trace in traces)
        plainly = (
            trace if letter == " " else tuple(trace)
            for trace, letter in zip(traces, letters, strict=True)
        )
        return size, states, letters, tuple(plainly), *watched

    def read(value: tuple[Any, ...]) -> Bucket:
        size, states, letters, plainly, *watched = value
        traces = (
            trace if letter == " " else RECORDS[letter]._make(trace)
            for trace, letter in zip(plainly, letters, strict=True)
        )
        return layout.from_plain(Bucket(size, states, tuple(traces), *watched))

    return write, read
