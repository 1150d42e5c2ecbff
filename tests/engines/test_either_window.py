"""Windows of buckets change from Python's to compiled ones as rows become many, and nobody sees."""

import numpy as np
import pyarrow as pa
import pytest

from windrow import agg, window
from windrow.approximate import Footprint, SumLike
from windrow.engines.either_window import EitherWindow
from windrow.engines.intervals import IntervalColumn
from windrow.windows import Window

_SCHEMA = pa.schema([("t", pa.int64()), ("n", pa.int64()), ("v0", pa.float64())])
_NEVER = 10**9


def _rows(seed: int, length: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    values = pa.array(rng.normal(9.0, 2.0, length), mask=rng.random(length) < 0.1)
    places = np.arange(length)
    return pa.table([pa.array(places * 3), pa.array(places), values], schema=_SCHEMA)


def _made(kind: Window, many: int) -> EitherWindow:
    methods = (SumLike(relative=0.05), Footprint(25))
    return EitherWindow(agg.mean("v0"), methods, kind, _SCHEMA, many=many)  # type: ignore[arg-type]


def _through(held: EitherWindow, rows: pa.Table, pieces: list[int]) -> IntervalColumn:
    """Rows piece by piece; between two pieces the window is bytes."""
    found, content, start = IntervalColumn(), None, 0
    for length in pieces:
        own = rows.slice(start, length)
        held.begin(own, own["t"].to_numpy())
        held.load(content)
        found.extend(held.run(0, length))
        content, start = held.dump(), start + length
    return found


_BY_TIME = window.trailing("400 microseconds")


@pytest.mark.parametrize(
    "kind", [window.trailing(rows=120), pytest.param(_BY_TIME, marks=pytest.mark.slow)]
)
def test_results_are_the_same_whichever_form_rows_meet(kind: Window) -> None:
    pieces = [60, 90, 200, 40, 150]
    rows = _rows(3, sum(pieces))
    plain = _through(_made(kind, _NEVER), rows, pieces)
    assert _through(_made(kind, 1), rows, pieces) == plain
    # Few, then many, then few: what has been compiled stays so.
    assert _through(_made(kind, 100), rows, pieces) == plain


def test_what_is_not_compiled_stays_with_python() -> None:
    kind = window.trailing(rows=5)
    held = EitherWindow(agg.median("v0"), (Footprint(3),), kind, _SCHEMA, many=1)
    found = _through(held, _rows(1, 30), [30])
    assert len(found.values) == 30
    assert held.dump().startswith(b"python")
