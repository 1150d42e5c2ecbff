"""The columns of a row, from what a job says of its source."""

import pyarrow as pa

from windrow.columnar.ddl import parse_type
from windrow.errors import AggregateError
from windrow.jobs.entry import Entry

__all__ = ["source_schema"]

_EXAMPLE = '"sensor string, ts timestamp, temp double"'


def source_schema(entry: Entry) -> pa.Schema | None:
    """The columns of an entry such as `sensor string, ts timestamp, temp double`."""
    text = entry.text(_EXAMPLE)
    if text is None:
        return None
    try:
        fields = list(parse_type(f"struct<{text}>"))
    except AggregateError:
        entry.complain(
            f"{entry.name}: {text!r} is not a list of names with types "
            f"(e.g. {entry.name.rpartition('.')[2]}: {_EXAMPLE})"
        )
        return None
    seen: set[str] = set()
    for field in fields:
        if field.name.casefold() in seen:  # Spark does not tell cases apart
            entry.complain(f"{entry.name}: {field.name!r} is there twice (remove one)")
            return None
        seen.add(field.name.casefold())
    return pa.schema(fields)
