"""Texts that someone might write by mistake, or to do harm: made by changing good ones."""

import random
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

__all__ = ["JUNK", "changed", "junk", "within_seconds"]

#: Values of every type that YAML, JSON and command lines know, and some that none of them should.
JUNK: Sequence[str] = (
    *(
        "",
        " ",
        "~",
        "null",
        "true",
        "no",
        "on",
        "0",
        "-1",
        "1",
        "1.5",
        "1e3",
        "1e-3",
        "-0.0",
        "010",
    ),
    *("0x_", "0b", "1_000", "1:30", "1:30.5", ".nan", ".inf", "-.inf", "NaN", "Infinity", "1e999"),
    *("9" * 25, "9" * 5000, "2024-02-30", "2024-01-01T00:00:00Z", "=", "<<", "*", "&", "!", "%"),
    *(
        "[]",
        "{}",
        "[1]",
        "{a: 1}",
        "[[]]",
        "{a: {b: {c: d}}}",
        "[ts, ts]",
        "{<<: [1]}",
        "{? [a] : b}",
    ),
    *("[" * 30, "{" * 30, "(" * 300, "- - -", "? ?", "a: b", "a:b", "*unknown", "&a *a", "&a [*a]"),
    *(
        "!!python/object/apply:os.system [ls]",
        "!!int abc",
        "!!str [a]",
        "!!binary x",
        "! a",
        "!<x> a",
    ),
    *(
        "'",
        '"',
        '"\\ud800"',
        '"\\U00110000"',
        '"\\0"',
        "\\",
        "|",
        ">",
        "# x",
        "\t",
        "\r",
        "\n",
        "\x00",
    ),
    *(
        "\ufeff",
        "\u2028",
        "\ud800",
        "é",
        "𝒳",
        "e\u0301",
        "\u202e",
        "\x1b[31m",
        "%s%n",
        "${x}",
        "`x`",
    ),
    *(
        "max(temp)",
        "max()",
        "max(temp",
        "max(1)",
        "mean(temp, temp)",
        "quantile(temp, 0.5)",
        "count(*)",
    ),
    *(
        "quantile('a', 'b')",
        "quantile([], temp)",
        "quantile(2, temp)",
        "top_k({}, temp)",
        "f(x)(y)",
    ),
    *(
        "histogram(0, 1, 1, temp)",
        "histogram(temp)",
        "a.b.c(d)",
        "max(temp)(x)",
        "argmax(a, by=b, by=c)",
    ),
    *(
        "lambda: 0",
        "max(**x)",
        "max(*x)",
        "bloom(-1, temp)",
        "1 hour",
        "-1 hour",
        "0 s",
        "1 month",
        "1",
    ),
    *(
        "1 hour 30 minutes",
        "9" * 30 + " days",
        "1e300 days",
        "PT1H",
        "hour",
        "1 µs",
        "20/s",
        "1/0s",
        "/s",
    ),
    *(
        "1MB/s",
        "1/10s",
        "0/s",
        "-5/s",
        "20/month",
        "1e400/s",
        "5%",
        "200%",
        "-1%",
        "1kB",
        "0B",
        "1XB",
    ),
    *("count=1,rate=1/s", "count=,rate=", "items=20/s", "preset=kinesis", "a=b", ",", "=", "a=b=c"),
    *(
        "/",
        ".",
        "..",
        "~",
        "~nobody/x",
        "s3://x",
        "file:///x",
        "x" * 300,
        "x/" * 3000,
        "-",
        "--",
        "-x",
    ),
    *(
        "on_close",
        "arrival",
        "kernel",
        "overwrite",
        "available_now",
        "parquet",
        "ts",
        "temp",
        "sensor",
    ),
)


def junk(rng: random.Random) -> str:
    """One of the values, or a few signs."""
    if rng.random() < 0.8:
        return rng.choice(JUNK)
    return "".join(rng.choice(" abts019.,:;-_[]{}()<>*&!|'\"%@`\\/#\n\t=+~é") for _ in range(8))


def changed(text: str, rng: random.Random) -> str:
    """A text with some of its characters gone, twice there, or junk put in."""
    for _ in range(rng.randrange(1, 5)):
        at, length = rng.randrange(len(text) + 1), rng.choice((1, 1, 2, 5, 20))
        piece = text[at : at + length]
        match rng.randrange(5):
            case 0:
                text = text[:at] + text[at + length :]
            case 1:
                text = text[:at] + piece + text[at:]
            case 2:
                text = text[:at] + junk(rng) + text[at:]
            case 3:
                text = text[:at] + junk(rng) + text[at + length :]
            case 4:
                to = rng.randrange(len(text) + 1)
                text = text[:to] + piece + text[to:]
    return text


@contextmanager
def within_seconds(most: float) -> Iterator[None]:
    """End what takes longer with an error, where Python code runs."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"still busy after {most} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
