"""The windows of job files: every kind can be written, and what does not fit is told."""

from pathlib import Path

import pytest

from tests.cli.support import problems, read, with_line
from windrow import window


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{tumbling: {size: 1 hour, offset: 15 min}}", window.tumbling("1 hour", "15 min")),
        ("{tumbling: {size: 1 hour, offset: -15 min}}", window.tumbling("1 hour", "-15 min")),
        ("{tumbling: 1 hour}", window.tumbling("1 hour")),
        ("{hopping: {size: 1 h 30 min, every: 7 s}}", window.hopping("90 min", every="7 s")),
        ("{trailing: 1 hour}", window.trailing("1 hour")),
        ("{trailing: {duration: 1 hour}}", window.trailing("1 hour")),
        ("{trailing: {rows: 10}}", window.trailing(rows=10)),
        (
            "{trailing: {duration: 1 hour, closed: both, ties: together}}",
            window.trailing("1 hour", closed="both", ties="together"),
        ),
        ("{trailing: {duration: 1 h, closed: left}}", window.trailing("1 h", closed="left")),
        ("{session: 30 minutes}", window.session("30 minutes")),
        ("{session: {gap: 30 minutes}}", window.session("30 minutes")),
        ("{count: 100}", window.count(100)),
        ("{count: {size: 100, every: 10}}", window.count(100, every=10)),
        ("{punctuated: {start: on_, end: off_}}", window.punctuated("on_", "off_")),
    ],
)
def test_every_window_can_be_written(tmp_path: Path, text: str, expected: window.Window) -> None:
    assert read(tmp_path, with_line(4, f"windows: {text}")).windows == ((None, expected),)


def test_several_windows_have_names(tmp_path: Path) -> None:
    text = "windows: {short: {tumbling: 1 min}, session: {hopping: {size: 1 h, every: 1 min}}}"
    assert read(tmp_path, with_line(4, text)).windows == (
        ("short", window.tumbling("1 min")),
        ("session", window.hopping("1 h", every="1 min")),
    )


def test_several_windows_may_all_be_trailing(tmp_path: Path) -> None:
    text = "windows: {hour: {trailing: 1 h}, last: {trailing: {rows: 9}}}"
    assert read(tmp_path, with_line(4, text)).windows == (
        ("hour", window.trailing("1 h")),
        ("last", window.trailing(rows=9)),
    )


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("windows: {hoping: {size: 1 h}}", "4:11: windows: unknown window 'hoping' (did you mean"),
        ("windows: {xyz: {size: 1 h}}", "4:11: windows: unknown window 'xyz' (known: tumbling,"),
        ("windows: {}", "4:10: windows: has no value (e.g. windows: {hopping"),
        ("windows: 1 hour", "4:10: windows: '1 hour' is not a mapping (e.g. windows: {hopping"),
        ("windows: {tumbling: {}}", "4:11: windows.tumbling: size is missing (e.g. {size: 1 hour}"),
        (
            "windows: {tumbling: {sise: 1 h}}",
            "unknown key 'sise' in windows.tumbling (did you mean",
        ),
        (
            "windows: {tumbling: 1 houre}",
            "4:21: size='1 houre' has the unknown unit 'houre' (known",
        ),
        ("windows: {tumbling: 90}", "4:21: size='90' has no unit (give a unit, e.g."),
        ("windows: {tumbling: 0 s}", "4:21: windows.tumbling.size: '0 s' is too short"),
        ("windows: {tumbling: true}", "'true' is not a duration (e.g. size: 10 minutes)"),
        ("windows: {tumbling: 1 month}", "months, quarters and years have no fixed length (use"),
        (
            "windows: {hopping: {size: 1 h}}",
            "windows.hopping: every is missing (e.g. {size: 1 hour",
        ),
        (
            "windows: {hopping: 1 h}",
            "4:11: windows.hopping: every is missing (e.g. {size: 1 hour, every: 1 minute})",
        ),
        ("windows: {trailing: {}}", "windows.trailing: give a duration or a number of rows"),
        (
            "windows: {trailing: {rows: 0}}",
            "'0' is not a number of rows from 1 on (e.g. rows: 1000)",
        ),
        ("windows: {trailing: {rows: many}}", "'many' is not a number of rows from 1 on"),
        (
            "windows: {trailing: {duration: 1 h, closed: rigth}}",
            "windows.trailing.closed: unknown 'rigth' (did you mean 'right'?)",
        ),
        (
            "windows: {trailing: {duration: 1 h, ties: 1}}",
            "windows.trailing.ties: 1 is a number, not text (quotes make it text)",
        ),
        (
            "windows: {trailing: {rows: 5, closed: both}}",
            "4:31: windows.trailing.closed: is about times, and rows are counted (leave closed",
        ),
        (
            "windows: {trailing: {ties: together}}",
            "windows.trailing: give a duration or a number of rows (e.g. trailing: 1 hour)",
        ),
        ("windows: {count: 1.5}", "'1.5' is not a number of rows from 1 on"),
        ("windows: {punctuated: {}}", "start=None and end=None mark no row (give at least one"),
        ("windows: {punctuated: {start: 1}}", "1 is a number, not text (quotes make it text)"),
        ("windows: {policy: {keep: n}}", "4:11: windows: a policy is made of Python functions"),
        ("windows: {session: 1 h, count: 3}", "4:25: windows: several windows need names"),
        (
            "windows: {a: {tumbling: 1 h}, b: {session: 1 h}}",
            "4:34: windows.b: a=tumbling('1 hour') and b=session('1 hour') cannot share a pass",
        ),
        (
            "windows: {a: {tumbling: 1 h, session: 1 h}}",
            "4:30: windows.a: one window each, here are tumbling, session (keep one)",
        ),
    ],
)
def test_bad_windows_are_told(tmp_path: Path, line: str, problem: str) -> None:
    told = problems(tmp_path, with_line(4, line))
    assert any(problem in line for line in told), told


def test_ties_together_do_not_go_with_the_order_of_arrival(tmp_path: Path) -> None:
    text = with_line(4, "windows: {trailing: {duration: 1 h, ties: together}}") + "order: arrival\n"
    told = problems(tmp_path, text)
    assert any("order: arrival answers a row before all rows of its time" in line for line in told)
    arriving = text.replace("ties: together", "ties: arrival")
    assert problems(tmp_path, arriving) == []
