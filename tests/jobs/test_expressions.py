"""Aggregates as text: calls of the catalogue with literals and columns, and nothing else."""

from typing import Any

import pytest

from windrow import agg
from windrow.algebra.lookup import registered
from windrow.jobs.expressions import ExpressionError, read_aggregate


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("count()", agg.count()),
        ("count(temp)", agg.count("temp")),
        (" max( temp ) ", agg.max("temp")),
        ("max('my column')", agg.max("my column")),
        ("max(column=temp)", agg.max("temp")),
        ("max(place.height)", agg.max("place.height")),
        ("max(température)", agg.max("température")),
        ("max(\u00b5)", agg.max("\u00b5")),  # as written: Python itself would make it Greek
        ("quantile(0.99, temp)", agg.quantile(0.99, "temp")),
        ("quantile(q=0.5, column=temp)", agg.quantile(0.5, "temp")),
        ("argmax(sensor, by=temp)", agg.argmax("sensor", by="temp")),
        ("argmin(sensor, temp)", agg.argmin("sensor", "temp")),
        ("concat(word, separator=', ')", agg.concat("word", separator=", ")),
        ("histogram([-1, 0, 2.5], temp)", agg.histogram([-1, 0, 2.5], "temp")),
        ("variance(temp, ddof=0)", agg.variance("temp", ddof=0)),
        ("top_k(3, temp)", agg.top_k(3, "temp")),
    ],
)
def test_an_aggregate_is_read_as_written(text: str, expected: Any) -> None:
    assert repr(read_aggregate(text)) == repr(expected)
    assert read_aggregate(text).columns == expected.columns


@pytest.mark.parametrize("name", sorted(registered()))
def test_every_aggregate_of_the_catalogue_can_be_written(name: str) -> None:
    entry = registered()[name]
    arguments = [repr(parameter) for parameter in entry.parameters]
    columns = ["a", "b"] if entry.factory in (agg.argmax, agg.argmin) else ["a"]
    read = read_aggregate(f"{name}({', '.join([*arguments, *columns])})")
    assert read.monoid.name == entry.example.monoid.name
    assert [column for column in read.columns if column is not agg.TIME] == columns


@pytest.mark.parametrize(
    ("text", "offset", "message"),
    [
        ("maxx(temp)", 0, "unknown aggregate 'maxx' (did you mean 'max'?)"),
        ("avg(temp)", 0, "unknown aggregate 'avg' (here it is 'mean')"),
        ("xyzzy(temp)", 0, "unknown aggregate 'xyzzy' (known: "),
        ("of(temp)", 0, "unknown aggregate 'of'"),
        ("max", 0, "'max' is not a call of one aggregate (write e.g. max(temp);"),
        ("max(a) - min(a)", 0, "is not a call of one aggregate"),
        ("agg.max(temp)", 0, "'agg.max' is not a name of an aggregate (write max(…))"),
        ("max()", 0, "max names no column (write max(column))"),
        ("argmax(sensor)", 0, "argmax names no by (write argmax(column, by))"),
        ("quantile(0.9)", 0, "quantile names no column (write quantile(q, column))"),
        ("quantile(temp, 0.9)", 9, "q is a number or text, 'temp' names a column (write quant"),
        ("quantile(2.0, temp)", 0, "q=2.0 is not between 0 and 1"),
        ("quantile(f(), temp)", 9, "'f()' is no number and no text (write quantile(q, column))"),
        ("variance(temp, 0)", 0, "too many positional arguments (write variance(column, ddof=1))"),
        ("max(temp, foo=1)", 0, "unexpected keyword argument 'foo' (write max(column))"),
        ("max(*temp)", 0, "max is called with * (write max(column))"),
        ("max(**temp)", 0, "max is called with * (write max(column))"),
        ("max(temp * 2)", 4, "'temp * 2' is no name of a column (compute it under columns:, e.g."),
        ("max(1)", 4, "1 is no name of a column (write max(column))"),
        ("max('')", 4, "'' is no name of a column"),
        ("max(class)", 4, "is not readable (write name(column), odd names of columns in quotes"),
        ("quantile(0.99", 8, "(put it in quotes: inside { } a comma ends it)"),
        ("", 0, "is not readable"),
        ("max(\0)", 0, "is not readable"),
        ("(" * 5000 + ")" * 5000, 0, "more than 1,000 characters"),
        ("__import__('os').system('true')", 0, "is not a name of an aggregate"),
        ("(lambda: 1)()", 0, "is not a name of an aggregate"),
        ("max(__import__('os'))", 4, "is no name of a column"),
        ("max(open('x').read)", 4, "is no name of a column"),
    ],
)
def test_anything_else_is_refused(text: str, offset: int, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        read_aggregate(text)
    assert message in str(caught.value)
    if offset:
        assert caught.value.offset == offset


def test_nothing_is_ever_run(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[Any] = []
    monkeypatch.setattr("builtins.print", ran.append)
    for text in ("max(print(1))", "print(1)", "quantile(print(1), a)", "max([print(1)])"):
        with pytest.raises(ExpressionError):
            read_aggregate(text)
    assert ran == []
