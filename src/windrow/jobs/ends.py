"""The two ends of a job: its source and its sink."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path

import yaml

from windrow.jobs.entry import Entry
from windrow.jobs.job import AVAILABLE_NOW, TREE, Sink, Source

__all__ = ["APPEND_ONLY", "TO_LOOK_AT", "read_path", "read_sink", "read_source"]

FILES = frozenset({"avro", "csv", "json", "orc", "parquet", "text", "xml"})
APPEND_ONLY = FILES | {"delta"}  # as streams: what is written stays as it is
TO_LOOK_AT = frozenset({"console", "memory", "noop"})  # they leave nothing behind
_STREAMS_ONLY = frozenset({"rate", "rate-micro-batch", "socket", "kinesis"})
_SCHEMA_INSIDE = frozenset({"avro", "orc", "parquet", "text"})
_ADDRESS = re.compile(r"[A-Za-z][\w+.-]+:")  # s3://…, hdfs://…, dbfs:/…; C: is a drive
_MODES = ("error", "append", "overwrite", "ignore")
_SOURCE = "{format: parquet, path: readings}"
_SINK = "{format: parquet, path: results}"


def read_source(entry: Entry, folder: Path) -> Source | None:
    """Where rows come from."""
    parts = entry.section(("format", "path", "schema", "options", "stream"), _SOURCE)
    format_ = _format(entry, parts, _SOURCE)
    path = _path(entry, parts, format_, folder, FILES | {TREE})
    schema = parts["schema"].text('"sensor string, ts timestamp"') if "schema" in parts else None
    options = parts["options"].settings() if "options" in parts else {}
    stream = parts["stream"].flag() if "stream" in parts else format_ in _STREAMS_ONLY
    if format_ is None:
        return None
    if stream and "schema" not in parts and format_ in FILES - _SCHEMA_INSIDE:
        entry.complain_of_key(
            f"source: a stream of {format_} needs to know its columns "
            '(e.g. schema: "sensor string, ts timestamp, temp double")'
        )
    return Source(format_, path, schema, options, bool(stream))


def read_sink(entry: Entry, folder: Path, default_name: str) -> Sink | None:
    """Where results go."""
    parts = entry.section(("format", "path", "mode", "name", "options", "trigger"), _SINK)
    format_ = _format(entry, parts, _SINK)
    path = _path(entry, parts, format_, folder, FILES)
    mode = parts["mode"].choice(_MODES) if "mode" in parts else "error"
    name = parts["name"].text("hot") if "name" in parts else default_name
    options = parts["options"].settings() if "options" in parts else {}
    trigger = parts["trigger"].text(AVAILABLE_NOW) if "trigger" in parts else None
    if trigger is not None and trigger != AVAILABLE_NOW:
        parts["trigger"].duration_us(least=0)
    if name is not None and not re.fullmatch(r"\w+", name):
        place = parts.get("name", entry)
        place.complain(f"sink.name: {name!r} cannot name a table (use letters, digits and _)")
    if format_ is None or mode is None or name is None:
        return None
    return Sink(format_, path, mode, name, options, trigger)


def read_path(entry: Entry, folder: Path) -> str | None:
    """A path or an address; paths are relative to the job file."""
    text = entry.text("readings")
    if text is None or _ADDRESS.match(text):
        return text
    try:
        return str(folder / Path(text).expanduser())
    except RuntimeError:  # ~nobody
        entry.complain(f"{entry.name}: {text!r} has no home folder (write out the path)")
        return None


def _format(entry: Entry, parts: Mapping[str, Entry], example: str) -> str | None:
    if "format" in parts:
        return parts["format"].text("parquet")
    if isinstance(entry.node, yaml.MappingNode):
        entry.complain_of_key(f"{entry.name}: format is missing (e.g. {example})")
    return None


def _path(
    entry: Entry,
    parts: Mapping[str, Entry],
    format_: str | None,
    folder: Path,
    needing: Collection[str],
) -> str | None:
    if "path" in parts:
        return read_path(parts["path"], folder)
    has_path = "path" in (parts["options"].settings() if "options" in parts else {})
    if format_ in needing and not has_path:
        entry.complain_of_key(f"{entry.name}: path is missing (e.g. path: {entry.name}.{format_})")
    return None
