"""Reading a job: everything that is wrong with it is said at once.

A job comes as a file, or as text where it has travelled to another process.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from windrow.algebra.aggregate import Aggregate
from windrow.jobs.bounds import bounded, read_approximation, split_bound
from windrow.jobs.checks import check_on_spark, check_together
from windrow.jobs.document import compose, text_of
from windrow.jobs.edge import read_edge
from windrow.jobs.ends import read_path, read_sink, read_source
from windrow.jobs.entry import Entry
from windrow.jobs.expressions import ExpressionError, read_aggregate
from windrow.jobs.job import Job, Read
from windrow.jobs.problems import JobFileError, Place, Problem, Problems
from windrow.jobs.windows import read_windows
from windrow.parallel import Method
from windrow.plan import Strategy
from windrow.windows import Emit, Order, Window

__all__ = ["read_job", "read_parts", "shift_of"]

_NEEDED: Mapping[str, str] = {
    "source": "{format: parquet, path: readings}",
    "time": "ts",
    "windows": "{hopping: {size: 1 hour, every: 1 minute}}",
    "aggregates": "{peak: max(temp), n: count()}",
    "sink": "{format: parquet, path: results}",
}
_CHOICES: Mapping[str, Sequence[str]] = {
    "emit": [way.value for way in Emit],
    "order": [way.value for way in Order],
    "strategy": [way.value for way in Strategy],
}


def read_job(path: Path, settings: Sequence[str] = ()) -> Job:
    """The job of a file, with `key=value` settings put in; `JobFileError` says all its problems."""
    problems = Problems()
    job, found = read_parts(text_of(path), path, problems, settings)
    if job is not None:
        check_together(job, found)
        check_on_spark(job, found)
    if problems or job is None:
        raise JobFileError(problems)
    return job


def read_parts(
    text: str, path: Path, problems: Problems, settings: Sequence[str] = ()
) -> tuple[Job | None, dict[str, Entry]]:
    """The job of a text, if it has what every job needs, and its entries.

    Each entry has been read by itself; whether they go together is for the caller to check.
    """
    reading = _Reading(path)
    root = Entry("", compose(text, str(path), settings, problems), problems)
    known = dict.fromkeys((*_NEEDED, *reading.ways, *_CHOICES))
    found = root.section(known, _NEEDED["source"])
    for key, example in _NEEDED.items():
        if key not in found:
            root.complain(f"{key} is missing (e.g. {key}: {example})")
    return reading.job(found), found


class _Reading:
    """How each entry is read; notes where columns are read."""

    def __init__(self, path: Path) -> None:
        folder = path.parent
        table = "".join(c if c.isalnum() else "_" for c in path.stem)
        self._path = path
        self._reads: list[Read] = []
        self.ways: Mapping[str, Callable[[Entry], Any]] = {
            "source": lambda entry: read_source(entry, folder),
            "time": self._time,
            "sink": lambda entry: read_sink(entry, folder, table),
            "by": self._names,
            "keep": self._names,
            "lateness": lambda entry: _duration(entry, least=0),
            "forget_after": lambda entry: _duration(entry, least=1),
            "where": lambda entry: entry.text("temp is not null"),
            "columns": _columns,
            "windows": self._windows,
            "aggregates": self._aggregates,
            "approximate": read_approximation,
            "parallel": _parallel,
            "ordered": Entry.flag,
            "edge": read_edge,
            "checkpoint": lambda entry: read_path(entry, folder),
            "spark": _spark,
        }

    def job(self, found: Mapping[str, Entry]) -> Job | None:
        """The job of these entries; None if it lacks one that no job can be without."""
        read = {key: way(found[key]) for key, way in self.ways.items() if key in found}
        choices = {key: found[key].choice(known) for key, known in _CHOICES.items() if key in found}
        if any(read.get(key) is None for key in ("source", "time", "sink")):
            return None
        return Job(
            path=self._path,
            choices={key: choice for key, choice in choices.items() if choice is not None},
            reads=tuple(self._reads),
            places=_places(found),
            **{key: value for key, value in read.items() if value is not None},
        )

    def _time(self, entry: Entry) -> str | None:
        text = entry.text("ts")
        if text is not None:
            self._reads.append(Read(text, entry.place, "time"))
        return text

    def _names(self, entry: Entry) -> tuple[str, ...]:
        found = entry.texts("sensor")
        self._reads += [Read(name, place, entry.name) for name, place in found]
        names = tuple(name for name, _ in found)
        for at, (name, place) in enumerate(found):
            if name in names[:at]:
                message = f"{entry.name}: {name!r} is there twice (remove one)"
                entry.problems.append(Problem(place, message))
        return names

    def _windows(self, entry: Entry) -> tuple[tuple[str | None, Window], ...]:
        windows = read_windows(entry)
        for _, window in windows:
            marks = window.markers.values()
            self._reads += [Read(mark, entry.place, "windows") for mark in marks]
        return windows

    def _aggregates(self, entry: Entry) -> dict[str, Aggregate[Any]]:
        aggregates = {}
        found = entry.entries(_NEEDED["aggregates"])
        for name, inner in found.items():
            if name.endswith(")") and inner.kind == "null":
                continue  # the rest of an expression with a comma: that is complained about
            written, bound = split_bound(inner)
            aggregate = None if written is None else self._aggregate(written)
            if aggregate is not None:
                aggregates[name] = aggregate if bound is None else bounded(aggregate, bound)
        return aggregates

    def _aggregate(self, entry: Entry) -> Aggregate[Any] | None:
        text = entry.text("max(temp)")
        if text is None:
            return None
        try:
            aggregate = read_aggregate(text)
        except ExpressionError as error:
            entry.complain(f"{entry.name}: {error}", shift=shift_of(entry, error.offset))
            return None
        columns = [column for column in aggregate.columns if isinstance(column, str)]
        self._reads += [Read(column, entry.place, entry.name) for column in columns]
        return aggregate


def _places(found: Mapping[str, Entry]) -> dict[str, Place]:
    places = {key: entry.place for key, entry in found.items()}
    for key, example in (("columns", "{x: a + b}"), ("aggregates", _NEEDED["aggregates"])):
        if key in found:
            places |= {inner.name: inner.place for inner in found[key].entries(example).values()}
    return places


def _duration(entry: Entry, *, least: int) -> str | None:
    us = entry.duration_us(least=least)
    return None if us is None else str(entry.node.value)


def _columns(entry: Entry) -> dict[str, str]:
    found = entry.entries("{fahrenheit: temp * 1.8 + 32}")
    read = {name: inner.text("temp * 1.8 + 32") for name, inner in found.items()}
    return {name: text for name, text in read.items() if text is not None}


def _parallel(entry: Entry) -> Mapping[str, Any] | None:
    """A method, or a mapping of a method and a number of units."""
    methods = [method.value for method in Method]
    if entry.kind != "map":
        return {"method": entry.choice(methods)}
    found = entry.section(("method", "units"), "{method: time, units: 8}")
    if "method" not in found:
        entry.complain_of_key(f"{entry.name}: method is missing (e.g. {{method: time, units: 8}})")
        return None
    units = found["units"].whole("a number of units from 1 on", "8") if "units" in found else None
    return {"method": found["method"].choice(methods), "units": units}


def _spark(entry: Entry) -> Mapping[str, str]:
    for key, inner in entry.entries("{spark.sql.shuffle.partitions: 4}").items():
        if not key.startswith("spark."):
            inner.complain_of_key(
                f"spark: {key!r} is no setting of Spark (e.g. spark.sql.shuffle.partitions: 4)"
            )
    return entry.settings()


def shift_of(entry: Entry, offset: int) -> int:
    """How far right of its beginning a place in the text of an entry is, if it is in one line."""
    mark, end = entry.node.start_mark, entry.node.end_mark
    if mark.line != end.line:
        return 0
    quote = 1 if getattr(entry.node, "style", None) in ("'", '"') else 0
    text = entry.node.value
    return quote + len(text) - len(text.lstrip()) + offset
