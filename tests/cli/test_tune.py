"""`windrow tune`: what it reads, tells, recommends and draws."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from tests.cli.running import run
from windrow import agg, window
from windrow.approximate import ApproximateAmta, Footprint, MaxLike, SumLike
from windrow.approximate.tuning import Target
from windrow.cli.figures import share
from windrow.cli.tune.arguments import read_target, read_window
from windrow.cli.tune.findings import Asked
from windrow.cli.tune.naming import named
from windrow.cli.tune.sample import MOST_KEYS, read_sample
from windrow.errors import InputError
from windrow.structures import CompiledAmta

pytestmark = pytest.mark.xdist_group("tuning")  # with the tests of its other half

ROWS, WINDOW = 400, 60
MEAN = ("--column", "temp", "--aggregate", "mean", "--window", str(WINDOW))


def table() -> pa.Table:
    rng = np.random.default_rng(5)
    seconds = rng.permutation(ROWS)  # in no order
    return pa.table(
        {
            "ts": pa.array(seconds * 1_000_000, pa.timestamp("us")),
            "sensor": [f"s{row % 2}" for row in range(ROWS)],
            "temp": pa.array(rng.normal(20.0, 3.0, ROWS).round(2), mask=np.arange(ROWS) % 17 == 5),
            "whole": [row % 5 for row in range(ROWS)],
            "steady": [20.0] * ROWS,
            "nothing": pa.array([None] * ROWS, pa.float64()),
        }
    )


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tune") / "readings.parquet"
    pa.parquet.write_table(table(), path)
    return path


def told(*arguments: Any) -> Any:
    result = run("tune", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))


def complaint(*arguments: Any) -> str:
    result = run("tune", *arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    return result.stderr


@pytest.fixture(scope="module")
def found(sample: Path) -> Any:
    return told(sample, *MEAN, "--target-error", "1%")


def test_all_settings_are_told_with_their_figures(found: Any) -> None:
    assert (found["rows"], found["keys"], found["window"]) == (ROWS, 1, "trailing(rows=60)")
    assert found["target"] == {"error": 0.01}
    exact, *tried = found["settings"]
    assert (exact["method"], exact["peak_buckets"], exact["max_error"]) == ("exact", WINDOW, 0)
    assert exact["peak_bytes"] == WINDOW * found["bytes_of_update"]
    assert {one["method"] for one in tried} == {"SumLike", "Footprint"}
    for one in tried:
        assert one["peak_bytes"] == one["peak_buckets"] * found["bytes_of_bucket"]
        assert one["median_error"] <= one["p99_error"] <= one["max_error"]
        assert one["held"] == 1
        assert one["mean_buckets"] <= one["peak_buckets"] <= WINDOW


def test_the_frontier_is_what_no_other_setting_beats(found: Any) -> None:
    points = [(one["mean_bytes"], one["max_error"]) for one in found["settings"]]
    for one in found["settings"]:
        size, error = one["mean_bytes"], one["max_error"]
        beaten = any(x <= size and y <= error and (x, y) != (size, error) for x, y in points)
        assert not (one["frontier"] and beaten)
    kept = sorted(
        (one["mean_bytes"], one["max_error"]) for one in found["settings"] if one["frontier"]
    )
    assert kept == sorted(set(kept), key=lambda point: -point[1])


def test_the_recommendation_is_the_smallest_within_the_error(found: Any) -> None:
    chosen = found["recommended"]
    meeting = [one for one in found["settings"] if one["max_error"] <= 0.01]
    assert chosen["max_error"] <= 0.01
    assert chosen["mean_bytes"] == min(one["mean_bytes"] for one in meeting)
    assert chosen["why"] == "meets the target"


def test_the_recommendation_is_the_most_exact_within_the_bytes(sample: Path) -> None:
    data = told(sample, *MEAN, "--target-bytes", "1.3kB")
    chosen = data["recommended"]
    meeting = [one for one in data["settings"] if one["peak_bytes"] <= 1_300]
    assert chosen["peak_bytes"] <= 1_300
    assert chosen["max_error"] == min(one["max_error"] for one in meeting)
    # The number of buckets that just fits is tried beside round ones.
    limit = 1_300 // data["bytes_of_bucket"]
    assert str(limit) in [one["setting"] for one in data["settings"]]


def test_without_a_target_the_knee_is_recommended_and_told_as_such(sample: Path) -> None:
    result = run("tune", sample, *MEAN)
    assert result.exit_code == 0
    assert result.stderr == ""  # nothing but the table in a pipe
    lines = result.stdout.splitlines()
    assert lines[0] == f"sample: {sample}, 400 rows"
    assert "a bucket takes 96 bytes, an update of an exact window 32" in lines[1]
    (chosen,) = [line for line in lines if line.startswith("→")]
    advised = lines[-4:]
    assert advised[0].startswith(f"recommended: {chosen.split()[1]}(")
    assert "the knee of the frontier" in advised[1]
    assert "that are beaten in both footprint and error (--all)" in result.stdout
    everything = run("tune", sample, *MEAN, "--all").stdout
    assert len(everything.splitlines()) > len(lines)
    assert "* exact" in everything


def test_a_target_that_nothing_meets_is_no_failure(sample: Path) -> None:
    small = run("tune", sample, *MEAN, "--target-bytes", "10")
    assert small.exit_code == 0
    assert "nothing fits 10 bytes; this is the smallest" in small.stdout
    strict = run("tune", sample, *MEAN, "--target-error", "1e-7%")
    assert strict.exit_code == 0
    assert "recommended: an exact window" in strict.stdout
    assert "nothing smaller stays within 1e-7 %; the nearest is " in strict.stdout


def test_files_of_all_kinds_give_the_same(sample: Path, tmp_path: Path) -> None:
    pa.csv.write_csv(table(), tmp_path / "readings.csv")
    rows = [{**row, "ts": str(row["ts"])} for row in table().to_pylist()]
    (tmp_path / "readings.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "readings").mkdir()
    pa.parquet.write_table(table(), tmp_path / "readings" / "part-0.parquet")
    expected = read_sample(sample, "temp", "ts", ["sensor"])
    for name in ("readings.csv", "readings.jsonl", "readings"):
        other = read_sample(tmp_path / name, "temp", "ts", ["sensor"])
        assert (other.rows, other.keys) == (ROWS, 2)
        for one, same in zip(other.series, expected.series, strict=True):
            assert one.values.tolist() == same.values.tolist()
            assert one.times is not None
            assert same.times is not None
            assert one.times.tolist() == same.times.tolist()


def test_integers_are_told_from_floats_by_all_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "late.csv"
    path.write_text("n\n" + "2\n" * 700_000 + "2.5\n")
    assert read_sample(path, "n", None, []).series[0].values.dtype == np.float64


def test_rows_stand_in_order_of_time_key_by_key(sample: Path) -> None:
    one = read_sample(sample, "temp", "ts", []).series[0]
    assert one.times is not None
    assert one.times.tolist() == [1_000_000 * second for second in range(ROWS)]
    unsorted = read_sample(sample, "temp", None, []).series[0]
    assert unsorted.values.tolist() == table()["temp"].to_pylist()
    assert sorted(len(own) for own in read_sample(sample, "temp", "ts", ["sensor"]).series) == [
        ROWS // 2,
        ROWS // 2,
    ]
    apart = read_sample(sample, "temp", None, ["sensor", "whole"])
    assert (apart.keys, len(apart.series)) == (10, 10)


def test_of_many_keys_the_longest_are_tried(tmp_path: Path) -> None:
    keys = [key for key in range(MOST_KEYS + 5) for _ in range(key + 1)]
    path = tmp_path / "keys.parquet"
    pa.parquet.write_table(pa.table({"k": keys, "v": [1.0] * len(keys)}), path)
    found = read_sample(path, "v", None, ["k"])
    assert found.keys == MOST_KEYS + 5
    assert [len(own) for own in found.series] == list(range(MOST_KEYS + 5, 5, -1))


def test_keys_that_were_tried_are_counted(sample: Path) -> None:
    data = told(sample, *MEAN, "--by", "sensor", "--time", "ts")
    assert (data["keys"], data["tried"]) == (2, {"keys": 2, "rows": ROWS})


@pytest.mark.parametrize("column", ["temp", "steady"])  # with errors, and without any
def test_a_picture_is_drawn(sample: Path, tmp_path: Path, column: str) -> None:
    from matplotlib.image import imread

    path = tmp_path / "frontier.png"
    asked = ["--column", column, *MEAN[2:], "--target-error", "1%", "--plot", str(path)]
    result = run("tune", sample, *asked)
    assert result.exit_code == 0, result.output
    assert result.stderr == f"drawn: {path}\n"
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    picture = imread(path)
    ink: Any = (picture[..., :3] < 0.9).any(axis=-1)
    assert 0.01 < ink.mean() < 0.5
    assert ink.any(axis=0).mean() > 0.8  # from the left to the right
    above_legend = picture[: int(0.88 * len(picture)), :, :3]
    orange: Any = np.abs(above_legend - np.array([0xD5, 0x5E, 0x00]) / 255) < 0.02
    assert orange.all(axis=-1).any(axis=0).mean() > 0.1  # the line of Footprint


def test_a_picture_needs_matplotlib(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said = complaint(sample, *MEAN, "--plot", tmp_path / "frontier.png")
    assert "needs matplotlib; pip install 'windrow[plot]'" in said


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"--column": "tmp"}, "--column tmp: {} has no such column; did you mean 'temp'?"),
        ({"--column": "sensor"}, "--column sensor is string, not numbers; give a column of"),
        ({"--column": "nothing"}, "--column nothing has nothing but nulls"),
        ({"--column": None}, "--aggregate mean reads a column; name it, as in --column temp"),
        ({"--aggregate": "avg"}, "unknown aggregate 'avg' (here it is 'mean')"),
        ({"--aggregate": "median"}, "--aggregate median has no compiled window of buckets; give"),
        ({"--aggregate": "mean(temp)"}, "--aggregate mean(temp) names its column, and --column"),
        ({"--window": "400"}, "--window: trailing(rows=400) never fills"),
        ({"--window": "1"}, "--window 1: give a number of rows from 2 to"),
        ({"--window": "1 hour"}, "--window '1 hour' is a time, and the sample's rows have none"),
        ({"--window": "1 hour", "--time": "ts"}, "--window: trailing('1 hour') never fills"),
        ({"--window": "1 parsec", "--time": "ts"}, "has the unknown unit 'parsec'"),
        ({"--time": "sensor"}, "--time sensor: sensor is text that is no timestamps; give them"),
        ({"--by": "room"}, "--by room: {} has no such column"),
        ({"--target-error": "0"}, "--target-error 0: give a share of the result above 0"),
        ({"--target-error": "much"}, "--target-error much: give a share"),
        ({"--target-bytes": "0"}, "--target-bytes 0: give a number of bytes above 0"),
        ({"--target-bytes": "1 parsec"}, "--target-bytes 1 parsec: give a number of bytes"),
        (
            {"--target-bytes": "1MB", "--target-error": "1%"},
            "--target-error 1% and --target-bytes 1MB: give one of them",
        ),
        ({"--confidence": "1.5"}, "confidence=1.5: give a number between 0 and 1"),
        ({"--plot": "picture.txt"}, "--plot picture.txt: give a file that ends with .png"),
        ({"--plot": "nowhere/at/all.png"}, "there is no folder nowhere/at; make it first"),
    ],
)
def test_what_cannot_be_is_named_with_a_way_out(
    sample: Path, changed: dict[str, str | None], said: str
) -> None:
    options = {"--column": "temp", "--aggregate": "mean", "--window": "60"} | changed
    given = [text for name, value in options.items() if value is not None for text in (name, value)]
    assert said.format(sample) in complaint(sample, *given)


def test_files_that_are_none_are_named(tmp_path: Path) -> None:
    assert "nowhere.csv: there is no such file" in complaint("nowhere.csv", *MEAN)
    other = tmp_path / "readings.xlsx"
    other.write_text("x")
    assert "its name does not tell what it is" in complaint(other, *MEAN)
    wrong = tmp_path / "wrong.parquet"
    wrong.write_text("no parquet at all")
    assert "check that it is what its name says" in complaint(wrong, *MEAN)
    empty = tmp_path / "empty.csv"
    empty.write_text("ts,temp\n")
    assert "empty.csv has no rows" in complaint(empty, *MEAN)


def test_targets_and_windows_are_read() -> None:
    assert read_target("0.1%", None) == Target(error=0.001)
    assert read_target(".02", None) == Target(error=0.02)
    assert read_target(None, "1.5 MB") == Target(bytes=1_500_000)
    assert read_target(None, "64KiB") == Target(bytes=65_536)
    assert read_target(None, "10_000") == Target(bytes=10_000)
    assert read_target(None, None) == Target()
    assert read_window("10_000", None) == window.trailing(rows=10_000)
    assert read_window("90 min", "ts") == window.trailing("90 minutes")
    with pytest.raises(InputError):
        read_target("inf", None)


def test_settings_are_written_as_code_that_runs() -> None:
    names = {"agg": agg, "ApproximateAmta": ApproximateAmta, "CompiledAmta": CompiledAmta}
    names |= {"SumLike": SumLike, "MaxLike": MaxLike, "Footprint": Footprint}

    mean, peak = agg.mean("temp"), agg.max("temp")

    def written(method: Any, aggregate: Any = mean) -> tuple[str | None, str]:
        asked = Asked(
            Path("x.csv"), aggregate, window.trailing(rows=9), Target(), (), None, confidence=0.95
        )
        name = named(method, asked)
        eval(name.structure, dict(names))
        if name.query and not name.query.startswith("."):
            assert eval(name.query, dict(names)).columns == aggregate.columns
        return name.query, name.structure

    assert written(SumLike(relative=0.001)) == (
        'agg.mean("temp").within(relative=0.001)',
        "ApproximateAmta(agg.mean(), SumLike(relative=0.001))",
    )
    assert written(SumLike(relative=0.1, confidence=0.9), agg.stddev("t", ddof=0)) == (
        'agg.stddev("t", ddof=0).within(relative=0.1, confidence=0.9)',
        "ApproximateAmta(agg.stddev(ddof=0), SumLike(relative=0.1, confidence=0.9))",
    )
    assert written(Footprint(7)) == (
        ".window(window.trailing(rows=9)).approximate(max_buckets=7)",
        "ApproximateAmta(agg.mean(), Footprint(7))",
    )
    assert written(MaxLike(), peak) == (
        'agg.max("temp").within()',
        "ApproximateAmta(agg.max(), MaxLike())",
    )
    assert written(MaxLike(5), peak) == (None, "ApproximateAmta(agg.max(), MaxLike(block=5))")
    assert written(None) == ('agg.mean("temp")', "CompiledAmta(agg.mean())")
    assert written(None, agg.count()) == ("agg.count()", "CompiledAmta(agg.count())")


def test_shares_are_never_rounded_up_to_all_of_it() -> None:
    assert [share(x) for x in (0.0, 0.99999, 1.0, 1.766, 0.0456, float("inf"))] == [
        "0 %",
        "99.99 %",
        "100 %",
        "177 %",
        "4.6 %",
        "∞",
    ]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("rows.csv", "temp,ts\n1,2\n".encode("utf-16"), "is UTF-16; convert it, e.g. with iconv"),
        ("rows.csv", b"temp,temp\n1,2\n", "has several columns called temp; leave all but one"),
        ("rows.jsonl", b"null\n", "rows.jsonl:1: null is no row; write an object in each line"),
        ("rows.jsonl", b'{"temp": ' + b"[" * 100_000, "rows.jsonl:1: nested too deeply; write"),
    ],
)
def test_samples_of_anyone_are_refused_in_a_line(
    tmp_path: Path, name: str, data: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(data)
    told = complaint(tmp_path / name, *MEAN)
    assert said in told
    assert told.count("\n") == 1


def test_keys_must_be_single_values(tmp_path: Path) -> None:
    rows = pa.table({"temp": [1.0, 2.0], "parts": [[1], [2, 3]]})
    pa.parquet.write_table(rows, tmp_path / "rows.parquet")
    told = complaint(tmp_path / "rows.parquet", *MEAN, "--by", "parts")
    assert "--by parts is list<element: int64>, which is no key; give" in told
