"""Windows by time for many keys, beside Polars; and for one stream, beside pandas as well."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

import windrow as wr
from benchmarks.data import positive
from benchmarks.findings import Bar, Experiment, Findings, Table, at_least, pivot
from benchmarks.measure import Bench, Contender, Measured
from benchmarks.numbers import duration
from windrow import agg, window
from windrow.window import Order

__all__ = ["GROUPED", "GroupedSizes", "run"]

_DAY_US = 86_400_000_000
_POLARS = {"1 minute": "1m", "1 hour": "1h", "6 hours": "6h"}
_MAX = agg.max()


@dataclass(frozen=True)
class GroupedSizes:
    """How much is rolled: a day of readings."""

    rows: int
    keys: int
    windows: tuple[str, ...] = tuple(_POLARS)


def run(sizes: GroupedSizes, bench: Bench) -> Findings:
    """Time for the whole frame."""
    frame = _readings(sizes)
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=0)
    measured: list[Measured] = []
    for key in ("number", "text"):
        for width in sizes.windows:
            case = {"keys": f"{key} keys", "window": width}
            measured += bench.side_by_side(case | {"rows": "sorted"}, _sorted(frame, key, width))
            measured += bench.side_by_side(
                case | {"rows": "shuffled"}, _shuffled(shuffled, key, width)
            )
    for width in sizes.windows:
        case = {"keys": "no key", "window": width, "rows": "sorted"}
        measured += bench.side_by_side(case, _without_key(frame, width))
    parts = ["keys", "rows", "window"]
    return Findings(
        measured,
        [
            pivot("whole frame, median", measured, parts, cell=lambda m: duration(m.median)),
            _ratios_table(measured),
        ],
        [
            _bar(measured, "sorted", "polars"),
            _bar(measured, "shuffled", "polars, sorted first"),
            _bar(measured, "shuffled", "polars"),
        ],
        [
            f"{sizes.rows:,} rows, {sizes.keys} keys, a day; rolling maximum.  Shuffled rows: "
            "windrow with order=Order.TIME, Polars as it is and sorted first."
        ],
    )


def _readings(sizes: GroupedSizes) -> pl.DataFrame:
    """No two rows have the same time: how ties are read differs."""
    rng = np.random.default_rng(0)
    step = _DAY_US // sizes.rows
    ts = np.arange(sizes.rows) * step + rng.integers(step, size=sizes.rows)
    number = rng.integers(sizes.keys, size=sizes.rows)
    names = np.array([f"sensor-{k:03}" for k in range(sizes.keys)])
    return pl.DataFrame(
        {"ts": ts, "number": number, "text": names[number], "value": positive(sizes.rows)}
    ).with_columns(pl.col("ts").cast(pl.Datetime("us")))


def _roll(frame: pl.DataFrame, key: str | None, width: str, order: Order) -> Any:
    """Windrow on the frame's own memory."""
    table: pa.Table = frame.to_arrow()
    trailing = window.trailing(width)
    by = None if key is None else table[key]
    return lambda: wr.roll(table["value"], _MAX, trailing, times=table["ts"], by=by, order=order)


def _polars(key: str | None, width: str) -> pl.Expr:
    rolled = pl.col("value").rolling_max_by("ts", window_size=_POLARS[width])
    return rolled if key is None else rolled.over(key)


def _sorted(frame: pl.DataFrame, key: str, width: str) -> list[Contender]:
    ours, theirs = _roll(frame, key, width, Order.ARRIVAL), _polars(key, width)
    return [
        Contender("windrow", ours),
        Contender("polars", lambda: frame.select(theirs).to_series(), expected=_numpy(ours())),
    ]


def _shuffled(frame: pl.DataFrame, key: str, width: str) -> list[Contender]:
    ours, theirs = _roll(frame, key, width, Order.TIME), _polars(key, width)
    expected = _numpy(ours())
    by_time = expected[np.argsort(frame["ts"].to_numpy())]
    return [
        Contender("windrow", ours),
        Contender("polars", lambda: frame.select(theirs).to_series(), expected=expected),
        Contender(
            "polars, sorted first",
            lambda: frame.sort("ts").select(theirs).to_series(),
            expected=by_time,
        ),
    ]


def _without_key(frame: pl.DataFrame, width: str) -> list[Contender]:
    ours, theirs = _roll(frame, None, width, Order.ARRIVAL), _polars(None, width)
    series = pd.Series(frame["value"].to_numpy(), index=pd.DatetimeIndex(frame["ts"].to_numpy()))
    length = pd.Timedelta(width)
    expected = _numpy(ours())
    return [
        Contender("windrow", ours),
        Contender("polars", lambda: frame.select(theirs).to_series(), expected=expected),
        Contender("pandas", lambda: series.rolling(length).max(), expected=expected),
    ]


def _numpy(answer: Any) -> NDArray[Any]:
    array: NDArray[Any] = answer.to_numpy(zero_copy_only=False)
    return array


def _by_case(measured: Sequence[Measured]) -> dict[tuple[Any, ...], dict[str, float]]:
    cases: dict[tuple[Any, ...], dict[str, float]] = {}
    for m in measured:
        case = (m.case["keys"], m.case["rows"], m.case["window"])
        cases.setdefault(case, {})[m.contender] = m.median
    return cases


def _ratios_table(measured: Sequence[Measured]) -> Table:
    others = [name for name in dict.fromkeys(m.contender for m in measured) if name != "windrow"]
    return Table(
        "times as long as windrow",
        ["keys", "rows", "window", *others],
        [
            [*case, *(f"{own[n] / own['windrow']:.1f}" if n in own else "" for n in others)]
            for case, own in _by_case(measured).items()
        ],
    )


def _bar(measured: Sequence[Measured], rows: str, other: str) -> Bar:
    """How many times faster than another, at the worst kind of key and window."""
    found = [
        own[other] / own["windrow"]
        for (keys, ordered, _), own in _by_case(measured).items()
        if ordered == rows and keys != "no key"
    ]
    return at_least(f"grouped, {rows} rows: faster than {other}", 2, found, "x")


GROUPED = Experiment(
    name="grouped",
    question="windows by time for many keys at once",
    run=run,
    full=GroupedSizes(rows=2_000_000, keys=100),
    quick=GroupedSizes(rows=200_000, keys=100, windows=("1 hour",)),
)
