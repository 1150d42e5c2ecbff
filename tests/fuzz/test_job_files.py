"""Job files of junk: whatever is wrong is said at its line, with a way out, and soon."""

import random
import re
from functools import cache
from pathlib import Path

import pytest
import yaml

from tests.cli.support import GOOD, STREAM
from tests.fuzz.texts import changed, junk, within_seconds
from windrow.jobs import Job, JobFileError, read_job

JOBS = (
    GOOD,
    STREAM,
    """\
source: &end {format: csv, path: readings, options: &shared {header: true, sep: ";"}}
time: ts
by: [sensor, place.room]
where: temp is not null
columns: {fahrenheit: temp * 1.8 + 32}
windows:
  short: {tumbling: {size: 1 minute, offset: 5 s}}
  long: {hopping: {size: 1 hour, every: 1 minute}}
aggregates:
  load: {of: sum(fahrenheit), within: {relative: 0.001, confidence: 0.95}}
  p99: quantile(0.99, temp)
  hottest: argmax(sensor, by=temp)
approximate: {max_buckets: 10000}
emit: on_close
order: time
strategy: kernel
forget_after: 30 days
sink: {format: memory, name: hot, trigger: 10 seconds, options: {<<: *shared, numRows: 5}}
checkpoint: here
spark: {spark.sql.shuffle.partitions: 8, spark.executor.memory: 4g}
""",
    """\
source: {format: rate, options: {rowsPerSecond: 100}, stream: true}
time: timestamp
windows: {trailing: {rows: 10}}
aggregates: {n: count(), last: max(value)}
keep: value
order: arrival
emit: on_change
sink: {format: console}
""",
    """\
source: {format: json, path: s3://bucket/rows}
time: ts
windows: {punctuated: {start: on_, end: off_}}
aggregates: {n: distinct_sketch(sensor), q: "quantile(0.5, temp)", h: "top_k(2, temp)"}
sink: {format: noop}
""",
)
KEYS = sorted({str(key) for job in JOBS for key in yaml.safe_load(job)})


@cache
def spans(text: str) -> list[tuple[int, int]]:
    """Where its keys and values begin and end."""
    found, waiting = [], [yaml.compose(text, yaml.SafeLoader)]
    while waiting:
        node = waiting.pop()
        found.append((node.start_mark.index, node.end_mark.index))
        if isinstance(node, yaml.MappingNode):
            waiting += [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value
    return found


def with_junk(text: str, rng: random.Random) -> str:
    """A job with one of its keys or values replaced, wherever it stands."""
    start, end = rng.choice(spans(text))
    value = junk(rng)
    if rng.random() < 0.2:
        value = rng.choice(("{%s: %s}", "[%s, %s]")) % (value, junk(rng))
    return text[:start] + value + text[end:]


def a_job(rng: random.Random) -> tuple[str, list[str]]:
    """A text, and settings of the command line."""
    text, settings = rng.choice(JOBS), []
    match rng.randrange(4):
        case 0:
            text = changed(text, rng)
        case 1:
            text = with_junk(text, rng)
        case 2:
            text = changed(with_junk(text, rng), rng)
        case 3:
            key = rng.choice([*KEYS, "sink.path", "source.options.x", "spark.x", junk(rng)])
            settings = [f"{key}={junk(rng)}" if rng.random() < 0.9 else junk(rng)]
    return text, settings


def read(path: Path, text: str, settings: list[str]) -> Job | JobFileError:
    path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    try:
        with within_seconds(5):
            return read_job(path, settings)
    except JobFileError as error:
        return error


def check(path: Path, seed: int, count: int) -> None:
    rng = random.Random(seed)
    for number in range(count):
        text, settings = a_job(rng)
        try:
            found = read(path, text, settings)
        except BaseException as error:
            raise AssertionError(f"input {number} of seed {seed}: {settings} {text!r}") from error
        if isinstance(found, JobFileError):
            assert found.problems, (settings, text)
            for problem in found.problems:
                where = rf"{re.escape(str(path))}(:\d+:\d+)?|--set .*"
                assert re.fullmatch(where, str(problem.place), re.DOTALL), problem
                assert re.fullmatch(r".*\(.+\)\s*", problem.message, re.DOTALL), (
                    str(problem),
                    text,
                )


def test_the_jobs_that_junk_is_made_of_are_good(tmp_path: Path) -> None:
    for job in JOBS:
        assert isinstance(read(tmp_path / "job.yaml", job, []), Job)


def test_some_job_files_of_junk_are_read_or_refused(tmp_path: Path) -> None:
    check(tmp_path / "job.yaml", seed=0, count=300)


@pytest.mark.slow
def test_many_job_files_of_junk_are_read_or_refused(tmp_path: Path) -> None:
    check(tmp_path / "job.yaml", seed=1, count=20_000)
