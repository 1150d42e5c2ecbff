"""Jobs that cannot be run: what is wrong is said in one line, which points into the file."""

from pathlib import Path

import pytest

from tests.cli.running import BATCH, run, write_readings
from tests.cli.support import written

pytestmark = pytest.mark.usefixtures("spark")


def test_a_bad_file_ends_with_2_and_its_lines(tmp_path: Path) -> None:
    job = written(tmp_path, BATCH.replace("time: ts", "tme: ts"))
    done = run("run", job)
    assert done.exit_code == 2
    assert f"{job}:2:1: unknown key 'tme' (did you mean 'time'?)" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        ("max(kelvin)", "max(celvin)", 2, "job.yaml:7:20: aggregates.peak: no column 'celvin'"),
        ("temp is not null", "tmp is not null", 2, "job.yaml:4:8: where: A column, variable, or"),
        ("temp is not null", "temp is nut null", 2, "job.yaml:4:8: where: Syntax error at or near"),
        ("temp + 273", "tmp + 273", 2, "job.yaml:5:19: columns.kelvin: A column, variable, or"),
        (
            "format: parquet, path: readings",
            "format: delta, path: readings",
            2,
            "io.delta:delta-spark",
        ),
        (
            "format: parquet, path: readings",
            "format: parket, path: x",
            2,
            "knows no format 'parket'",
        ),
        ("format: parquet, path: hot", "format: parket, path: x", 2, "knows no format 'parket'"),
        ("readings.parquet", "none", 1, "job.yaml:1:9: "),
        ("time: ts", "time: sensor", 2, "job.yaml:2:7: time='sensor' has type string; give a"),
        ("max(kelvin)", "mean(sensor)", 2, "job.yaml:7:20: peak=mean('sensor') reads a column"),
        ("{peak: max", "{sensor: max", 2, "job.yaml:7:13: the result would have two columns"),
        ("where:", "strategy: stateful #", 2, "job.yaml:4:11: strategy='stateful' cannot run"),
        ("tumbling: 10 minutes", "a: {session: 1 s}, b: {tumbling: 1 s}", 2, "job.yaml:6:"),
        ("mode: overwrite", "mode: error", 1, "is there already (add mode: overwrite, or mode"),
    ],
)
def test_a_failure_is_said_in_one_line(
    tmp_path: Path, old: str, new: str, code: int, message: str
) -> None:
    write_readings(tmp_path)
    (tmp_path / "hot").mkdir()
    done = run("run", written(tmp_path, BATCH.replace(old, new)))
    assert message in done.stderr
    *progress, said = done.stderr.splitlines()
    assert message in said
    assert all(" s · " in line for line in progress), done.stderr  # on a machine that is busy
    assert done.exit_code == code
    assert done.stdout == ""


def test_debug_shows_where_an_error_came_from(tmp_path: Path) -> None:
    write_readings(tmp_path)
    done = run("run", "--debug", written(tmp_path, BATCH.replace("readings.parquet", "none")))
    assert isinstance(done.exception, FileNotFoundError)


def test_a_setting_that_comes_too_late_is_told(tmp_path: Path) -> None:
    write_readings(tmp_path)
    done = run("run", written(tmp_path, BATCH), "--set", "spark.executor.memory=2g")
    assert done.exit_code == 2
    assert "(set it where the session is started)" in done.stderr
