"""Bad job files: all problems are told, with their lines."""

import os
import time
from pathlib import Path

import pytest

from tests.cli.support import GOOD, STREAM, problems, read, with_line
from windrow.errors import WindrowError
from windrow.jobs import Job, check_columns, read_job


@pytest.mark.parametrize(
    ("number", "line", "problem"),
    [
        (1, "source: {path: readings}", "1:1: source: format is missing (e.g. {format: parquet"),
        (
            1,
            "source: {format: parquet}",
            "1:1: source: path is missing (e.g. path: source.parquet)",
        ),
        (1, "source: {format: 5, path: a}", "1:18: source.format: 5 is a number, not text (quotes"),
        (1, "source: {}", "1:1: source: format is missing (e.g. {format: parquet, path: readings"),
        (1, "source: {<<: [1]}", "1:15: <<: a number is not a mapping (e.g. <<: *defaults)"),
        (1, "<<: [1]", "1:6: <<: a number is not a mapping (e.g. <<: *defaults)"),
        (1, "<<: 5", "1:5: <<: a number is not a mapping (e.g. <<: *defaults)"),
        (
            1,
            "source: {format: csv, path: ~nobody-at-all/x}",
            "1:29: source.path: '~nobody-at-all/x' has no home folder (write out the path)",
        ),
        (1, "source: parquet", "1:9: source: 'parquet' is not a mapping (e.g. source: {format"),
        (1, "source:", "1:8: source: has no value (e.g. source: {format"),
        (1, "source: {format: csv, path: a, pth: b}", "1:32: unknown key 'pth' in source (did you"),
        (
            1,
            "source: {format: csv, path: a, stream: sometimes}",
            "1:40: source.stream: 'sometimes' is not yes or no (e.g. stream: true)",
        ),
        (
            1,
            "source: {format: csv, path: a, options: {x: [1]}}",
            "1:45: source.options.x: a list is not text, a number, or true or false",
        ),
        (2, "time: [ts]", "2:7: time: a list is not text (e.g. time: ts)"),
        (2, "time: 2024-01-01", "2:7: time: 2024-01-01 is a date, not text (quotes make it text)"),
        (2, "tme: ts", "2:1: unknown key 'tme' (did you mean 'time'?)"),
        (
            2,
            "xyzzy: 1",
            "2:1: unknown key 'xyzzy' (known: source, time, windows, aggregates, sink, by",
        ),
        (2, "tme: ts", "1:1: time is missing (e.g. time: ts)"),
        (3, "by: [sensor, sensor]", "3:14: by: 'sensor' is there twice (remove one)"),
        (3, "by: [sensor, 3]", "3:14: by: 3 is a number, not text (quotes make it text)"),
        (3, "by: {sensor: 1}", "3:5: by: a mapping is not text (e.g. by: sensor)"),
        (3, "time: again", "3:1: 'time' is there twice (remove one)"),
        (3, "? [a]\n: b", "3:3: a key of a job is a list (keys are text)"),
        (3, "lateness: soon", "3:11: lateness='soon' is not readable as a duration (write"),
        (3, "lateness: -1 s", "3:11: lateness: '-1 s' is too short (e.g. 10 minutes)"),
        (3, "emit: on_clos", "3:7: emit: unknown 'on_clos' (did you mean 'on_close'?)"),
        (3, "strategy: fast", "3:11: strategy: unknown 'fast' (known: native, panes, kernel"),
        (
            3,
            "keep: [temp]",
            "3:1: keep: hopping('1 hour', every='1 minute') has no result for each",
        ),
        (3, "where: 5", "3:8: where: 5 is a number, not text (quotes make it text)"),
        (3, "columns: {f: }", "3:13: columns.f: has no value (e.g. f: temp * 1.8 + 32)"),
        (3, "spark: {executor: 4}", "3:9: spark: 'executor' is no setting of Spark (e.g. spark."),
        (
            5,
            "aggregates: {a: {of: max(temp), within: {relative: 0.1}}}",
            "5:41: aggregates.a.within: max('temp').within(relative=0.1, confidence=0.95): an extr",
        ),
        (
            5,
            "aggregates: {a: {of: sum(temp), within: {}}}",
            "5:41: aggregates.a.within: sum('temp').within(confidence=0.95) bounds nothing (give",
        ),
        (
            5,
            "aggregates: {a: {of: sum(temp), within: {relative: much}}}",
            "5:52: aggregates.a.within.relative: 'much' is not a number of 0 or more (e.g.",
        ),
        (
            5,
            "aggregates: {a: {of: sum(temp), within: {relativ: 0.1}}}",
            "5:42: unknown key 'relativ' in aggregates.a.within (did you mean 'relative'?)",
        ),
        (
            5,
            "aggregates: {a: {within: {relative: 0.1}}}",
            "5:14: aggregates.a: of is missing (e.g. {of: sum(temp), within: {relative: 0.001}})",
        ),
        (
            5,
            "aggregates: {a: {of: summ(temp)}}",
            "5:22: aggregates.a.of: unknown aggregate 'summ' (did you mean 'sum'?)",
        ),
        (3, "approximate: 10", "3:14: approximate: '10' is not a mapping (e.g. approximate: {max"),
        (
            3,
            "approximate: {max_buckets: 0}",
            "3:28: approximate.max_buckets: '0' is not a number of buckets from 1 on (e.g. max_buc",
        ),
        (3, "parallel: sideways", "3:11: parallel: unknown 'sideways' (known: auto, keys, time"),
        (3, "parallel: {units: 8}", "3:1: parallel: method is missing (e.g. {method: time, units"),
        (
            3,
            "parallel: {method: time, units: 0}",
            "3:33: parallel.units: '0' is not a number of units from 1 on (e.g. units: 8)",
        ),
        (3, "ordered: 3", "3:10: ordered: '3' is not yes or no (e.g. ordered: true)"),
        (5, "aggregates: {}", "5:13: aggregates: has no value (e.g. aggregates: {n: count()})"),
        (5, "aggregates: [count()]", "5:13: aggregates: a list is not a mapping (e.g. aggregates"),
        (6, "sink: {format: csv, path: a, mode: replace}", "6:36: sink.mode: unknown 'replace'"),
        (6, "sink: {format: csv, path: a, trigger: x}", "6:39: trigger='x' is not readable as a"),
        (6, "sink: {format: memory, name: a b}", "6:30: sink.name: 'a b' cannot name a table"),
        (6, "sink: {format: csv}", "6:1: sink: path is missing (e.g. path: sink.csv)"),
    ],
)
def test_bad_entries_are_told(tmp_path: Path, number: int, line: str, problem: str) -> None:
    told = problems(tmp_path, with_line(number, line))
    assert any(line.startswith(problem) for line in told), told


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "1:1: source is missing"),
        ("# nothing\n", "1:1: source is missing"),
        ("- a\n- b\n", "1:1: a job is a mapping (write keys such as source: and time:)"),
        ("time: [ts\nby: x\n", "2:3: not YAML: while parsing a flow sequence expected ',' or"),
        ("time:\n\tts\n", r"2:1: not YAML: while scanning for the next token found character '\t'"),
        ("where: a: b\n", "1:9: not YAML: mapping values are not allowed here (put text with a"),
        ("time: a\n---\ntime: b\n", "2:1: not YAML: expected a single document"),
        ("time: \x00\n", "1:7: not YAML: special characters are not allowed (remove it)"),
        ('time: "\\U99999999"', "not YAML: a number or an escape that is too large (leave it out)"),
        ('time: "\\ud800"', "1:7: an escape for half a character, or for none (leave it out)"),
        ("time: !!python/name:os.system", "1:7: the tag 'tag:yaml.org,2002:python/name:os.system'"),
        ("time: !!int abc", "1:7: the tag 'tag:yaml.org,2002:int' is not read in a job (leave it"),
        ("time: " + "[" * 3000, "1:26: nested deeper than 20 levels (a job needs no more than 5)"),
        ("time: ts\n" * 20_000, "more than 100,000 bytes (give a job file, which is YAML in UTF"),
    ],
)
def test_what_is_no_job_is_told(tmp_path: Path, text: str, problem: str) -> None:
    assert problem in problems(tmp_path, text)[0]


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(WindrowError, match=r"none\.yaml: No such file or directory \(give a"):
        read_job(tmp_path / "none.yaml")


def test_a_file_that_is_not_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(WindrowError, match=r"job\.yaml: not UTF-8 \(give a job file, which"):
        read_job(tmp_path / "job.yaml")


def test_all_problems_come_at_once_from_top_to_bottom(tmp_path: Path) -> None:
    text = GOOD.replace("path: readings", "pth: readings").replace("max(", "maxx(")
    told = problems(tmp_path, text.replace("1 minute", "1 minuet").replace("overwrite", "over"))
    assert [line.partition(" ")[0] for line in told] == ["1:1:", "1:27:", "4:42:", "5:20:", "6:42:"]


# Streams -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "line", "problem"),
    [
        (3, "by: sensor", "2:1: lateness is missing: a stream must know how long to wait"),
        (7, "by: sensor", "6:1: checkpoint is missing: a stream notes there how far it came"),
        (7, "emit: on_change", "7:7: emit: a stream can only append to parquet, which on_change"),
        (1, "source: {format: csv, path: a, stream: true}", "1:1: source: a stream of csv needs"),
        (
            6,
            "sink: {format: csv, path: a, mode: overwrite}",
            "6:1: sink.mode: a stream cannot over",
        ),
    ],
)
def test_what_a_stream_needs_is_told(tmp_path: Path, number: int, line: str, problem: str) -> None:
    told = problems(tmp_path, with_line(number, line, text=STREAM))
    assert any(line.startswith(problem) for line in told), told


def test_rows_that_do_not_wait_need_no_lateness_and_a_console_no_checkpoint(tmp_path: Path) -> None:
    text = with_line(7, "order: arrival", text=STREAM)
    text = with_line(6, "sink: {format: console}", text=text)
    assert problems(tmp_path, with_line(3, "emit: on_change", text=text)) == []


# Settings of the command line ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ("strategy", "--set strategy: not of the form key=value (e.g. --set sink.mode=overwrite)"),
        ("=x", "--set =x: not of the form key=value"),
        ("strategy=", "--set strategy=: gives no value"),
        ("strategy=[", "--set strategy=[: not YAML: "),
        ("strategy=fast", "--set strategy=fast: strategy: unknown 'fast'"),
        ("snk.mode=append", "--set snk.mode=append: unknown key 'snk' (did you mean 'sink'?)"),
    ],
)
def test_bad_settings_are_told(tmp_path: Path, setting: str, problem: str) -> None:
    assert problems(tmp_path, GOOD, setting)[0].startswith(problem)


# Against the data ----------------------------------------------------------------------------


def told_of(job: Job, *columns: str) -> list[str]:
    return [f"{p.place.line}:{p.place.column}: {p.message}" for p in check_columns(job, columns)]


def test_columns_that_are_not_there_are_told_with_their_lines(tmp_path: Path) -> None:
    job = read(tmp_path, GOOD)
    assert told_of(job, "ts", "sensor", "temp") == []
    assert told_of(job, "TS", "Sensor", "TEMP", "other") == []
    assert told_of(job, "tsx", "sensor", "tempo") == [
        "2:7: time: no column 'ts' (did you mean 'tsx'?)",
        "5:20: aggregates.peak: no column 'temp' (did you mean 'tempo'?)",
    ]


def test_a_field_of_a_column_is_there_with_the_column(tmp_path: Path) -> None:
    job = read(tmp_path, with_line(5, "aggregates: {high: max(place.height)}"))
    assert told_of(job, "ts", "sensor", "place") == []


def test_marks_of_punctuated_windows_are_looked_for(tmp_path: Path) -> None:
    job = read(tmp_path, with_line(4, "windows: {punctuated: {start: opened}}"))
    assert told_of(job, "ts", "sensor", "temp", "open") == [
        "4:10: windows: no column 'opened' (did you mean 'open'?)"
    ]


# Merges --------------------------------------------------------------------------------------


def test_merged_keys_count_where_there_are_none_of_its_own_and_the_first_of_several_counts(
    tmp_path: Path,
) -> None:
    text = """\
source: {format: rate, options: &a {x: 1, y: 1}}
time: ts
lateness: &b 1 s
windows: {tumbling: 1 hour}
aggregates: {n: count()}
sink: {format: console, options: {<<: [{<<: *a, x: 2}, {y: 3, z: 3}, *a], w: 4, z: 4}}
"""
    assert read(tmp_path, text).sink.options == {"x": "2", "y": "1", "w": "4", "z": "4"}


def test_merges_of_merges_are_read_in_no_time(tmp_path: Path) -> None:
    doubling = [f"k{n}: &k{n} {{<<: [*k{n - 1}, *k{n - 1}]}}" for n in range(1, 60)]
    text = "\n".join(["k0: &k0 {x: 1}", *doubling, "<<: *k59"])
    started = time.process_time()
    told = problems(tmp_path, text)
    assert time.process_time() - started < 2  # to merge them one by one would take 2⁵⁹ steps
    assert any("unknown key 'x'" in line for line in told)


@pytest.mark.parametrize(
    "merges",
    [f"<<: [{', '.join(['*a'] * 6_000)}]", ", ".join(["<<: *a"] * 6_000)],
    ids=["in a list", "by many keys"],
)
def test_a_mapping_that_is_merged_again_and_again_is_read_once(tmp_path: Path, merges: str) -> None:
    many = ", ".join(f"k{n}: 1" for n in range(4_000))
    text = f"source: {{format: rate, options: &a {{{many}}}}}\nspark: {{{merges}}}"
    started = time.process_time()
    told = problems(tmp_path, text)
    assert time.process_time() - started < 2  # each time anew, these are 24 million entries
    assert any("'k0' is no setting of Spark" in line for line in told)


@pytest.mark.parametrize("again", ["*a", "{<<: *a}"])
def test_entries_that_aliases_repeat_are_bounded(tmp_path: Path, again: str) -> None:
    many = ", ".join(f"k{n}: 1" for n in range(2_000))
    text = f"a: &a {{{many}}}\naggregates:\n" + "".join(f"  w{n}: {again}\n" for n in range(999))
    started = time.process_time()
    told = problems(tmp_path, text)
    assert time.process_time() - started < 3  # all two million of them would take a minute
    assert any("aliases repeat more than 30,000 entries" in line for line in told)


def test_a_mapping_that_merges_itself_is_no_hang(tmp_path: Path) -> None:
    assert problems(tmp_path, "&job\n<<: *job\n" + GOOD) == []


@pytest.mark.parametrize("rows", ["010", "1:30", "0x_", "9" * 5000, "-1", ".5"])
def test_numbers_are_what_their_digits_say(tmp_path: Path, rows: str) -> None:
    told = problems(tmp_path, with_line(4, f"windows: {{trailing: {{rows: {rows}}}}}"))
    assert "is not a number of rows from 1 on (e.g. rows: 1000)" in told[0]
    assert len(told[0]) < 1_000


def test_a_bound_may_have_an_exponent(tmp_path: Path) -> None:
    bound = "aggregates: {a: {of: sum(temp), within: {relative: 1e-3}}}"
    assert problems(tmp_path, with_line(5, bound)) == []


def test_a_pipe_that_nobody_writes_to_is_an_empty_job(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "job.yaml")
    with pytest.raises(WindrowError, match="source is missing"):
        read_job(tmp_path / "job.yaml")


def test_of_very_many_problems_the_first_are_told(tmp_path: Path) -> None:
    text = GOOD + "".join(f"unknown{number}: 1\n" for number in range(80))
    with pytest.raises(WindrowError, match=r"… and 30 more problems \(fix these first\)"):
        read(tmp_path, text)
