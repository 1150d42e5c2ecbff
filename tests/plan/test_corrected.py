"""A stream's predictions, corrected by its own micro-batches; what is kept of these."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.plan.test_choose import HOP, TRAILING, query
from windrow.compiler import cache
from windrow.errors import CacheWarning, InputError
from windrow.plan import corrected, measured
from windrow.plan.constants import OTHER, Constants, Price
from windrow.plan.corrected import keep, kept, prediction
from windrow.plan.micro_batch import MicroBatch

FREE = {OTHER: Price(0.0, 0.0)}
# A tenth of a second for each stage, of which a stream has two; and a millisecond for a row read.
READING = Constants(0.1, 1e-3, 0.0, 0.0, FREE, FREE, "made up")
STREAM = replace(query(TRAILING, streaming=True), tasks=2)


def batches(seconds: list[float], rows: int = 1_000) -> dict[str, MicroBatch]:
    return {f"run {number}": MicroBatch(rows, took) for number, took in enumerate(seconds)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache"
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(path))
    return path


def test_the_factor_is_the_median_of_what_micro_batches_took_beside_predictions() -> None:
    # Predicted are 0.2 s and half of 1,000 rows on each of two tasks: 0.7 s.
    found = prediction(STREAM, batches([0.7, 1.4, 1.4, 70.0, 1.4]), READING)
    assert found.rows == 1_000
    assert found.seconds == pytest.approx(0.7)
    assert found.factor == pytest.approx(2)
    assert found.corrected == pytest.approx(1.4)
    [sentence] = found.sentences()
    assert sentence == (
        "one of 1,000 rows is predicted to take 1.40 s: 0.70 s by constants made up, "
        "×2 from 5 micro-batches of this stream"
    )


def test_a_stream_of_which_little_is_known_is_not_corrected() -> None:
    for few in ([], [5.0], [5.0, 5.0]):
        found = prediction(STREAM, batches(few), READING)
        assert (found.factor, found.measured, found.rows) == (1.0, 0, 100_000)
        assert "none of this stream was timed yet" in found.sentences()[0]


@examples(30)
@given(
    factor=st.floats(0.1, 10),
    rows=st.lists(st.integers(1, 100_000), min_size=3, max_size=20),
    over=st.sampled_from([TRAILING, HOP]),
)
def test_whatever_the_rows_a_steady_factor_is_found(
    factor: float, rows: list[int], over: Any
) -> None:
    stream = replace(STREAM, windows=(("", over),))
    alone = [prediction(stream, batches([1.0] * 3, own), READING).seconds for own in rows]
    seen = {
        str(place): MicroBatch(own, seconds * factor)
        for place, (own, seconds) in enumerate(zip(rows, alone, strict=True))
    }
    assert prediction(stream, seen, READING).factor == pytest.approx(factor)


def test_the_latest_hundred_are_kept_for_one_stream(folder: Path) -> None:
    assert kept("a") == {}
    assert not folder.exists()  # asking makes no folder
    first = keep("a", kept("a"), batches([1.0] * 80))
    more = {f"later {number}": MicroBatch(7, 2.0, 9) for number in range(60)}
    both = keep("a", first, more)
    assert len(both) == 100
    assert list(both)[-60:] == list(more)
    assert kept("a") == both
    assert kept("b") == {}


def test_a_micro_batch_counts_once_however_often_it_is_reported(folder: Path) -> None:
    once = keep("a", {}, batches([1.0, 2.0]))
    assert keep("a", once, batches([1.0, 2.0, 3.0])) == batches([1.0, 2.0, 3.0])


def test_damaged_times_are_left_out_with_a_warning_and_replaced(folder: Path) -> None:
    wrong: Any
    for wrong in ([], {"a": 1}, {"a": [1]}, {"a": [0, 1.0, 0]}, {"a": [1, "x", 0]}):
        cache.save(
            measured._key(corrected._what("a")), corrected._ENDING, json.dumps(wrong).encode()
        )
        with pytest.warns(CacheWarning, match="those of the next run take their place"):
            assert kept("a") == {}
    keep("a", {}, batches([1.0]))
    assert kept("a") == batches([1.0])
    [file] = folder.iterdir()
    file.chmod(0o666)
    with pytest.warns(CacheWarning, match="others may write"):
        assert kept("a") == {}


@pytest.mark.parametrize(
    ("rows", "seconds", "span_us"),
    [(0, 1.0, 0), (1, 0.0, 0), (1, float("nan"), 0), (1, 1.0, -1), ("1", 1.0, 0)],
)
def test_what_is_no_micro_batch_is_refused(rows: Any, seconds: float, span_us: int) -> None:
    with pytest.raises(InputError, match="describe no micro-batch"):
        MicroBatch(rows, seconds, span_us)
