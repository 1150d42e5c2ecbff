"""`windrow state CHECKPOINT`: what a stream keeps, key by key."""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from windrow.cli.figures import aligned, size
from windrow.cli.options import spark_command
from windrow.cli.progress import shown
from windrow.cli.session import opened
from windrow.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from windrow.spark.state.about import About

__all__ = ["state"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_COLUMNS = ("key", "rows", "oldest", "newest", "waiting", "pages", "bytes")


@click.command()
@spark_command
@click.argument("checkpoint")
@click.option("--key", "wanted", metavar="[NAME=]VALUE", multiple=True, help="Only these keys.")
@click.option("--null", "nulls", metavar="NAME", multiple=True, help="Only keys with no NAME.")
@click.option("--limit", default=20, show_default=True, help="How many keys, the largest first.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")
def state(
    checkpoint: str,
    wanted: tuple[str, ...],
    nulls: tuple[str, ...],
    limit: int,
    master: str | None,
    *,
    as_json: bool,
    debug: bool,
) -> None:
    """Show the state of the stream with this CHECKPOINT: keys, their windows, pages and bytes.

    CHECKPOINT is a folder, or an address that Spark reads (hdfs://…). You see the state after the
    last finished micro-batch; the stream may be running.
    """
    if limit < 1:
        raise InputError(f"--limit={limit}: give a number of keys, 1 or more")
    where = _address(checkpoint)
    with (
        shown("windrow state", "starting Spark") as doing,
        opened("windrow state", master, debug=debug) as spark,
    ):
        from windrow.spark.inspection import about_of, kept_keys, operators_of

        doing.now("reading the checkpoint")
        summaries = []
        for operator in operators_of(spark, where):
            about = about_of(operator)
            keys = _chosen(kept_keys(operator, about), wanted, nulls, about)
            summaries.append(_summary(keys, limit, about))
    click.echo(
        json.dumps(summaries, default=str) if as_json else "\n\n".join(map(_text, summaries))
    )


def _address(checkpoint: str) -> str:
    """Where Spark finds the checkpoint: folders of this machine are looked at first."""
    if re.match("[A-Za-z][A-Za-z0-9+.-]+:", checkpoint):  # a scheme; one letter is a drive
        return checkpoint
    try:
        is_folder = Path(checkpoint).is_dir()
    except OSError:  # a name that is too long
        is_folder = False
    if not is_folder:
        raise InputError(
            f"{checkpoint}: there is no such folder; give a stream's checkpointLocation"
        )
    return Path(checkpoint).resolve().as_uri()  # Spark's own default may be another file system


def _chosen(
    keys: "DataFrame", wanted: Sequence[str], nulls: Sequence[str], about: "About"
) -> "DataFrame":
    """The keys that the user asked for."""
    from pyspark.sql import functions as F

    parts = F.from_json("key", "map<string, string>")
    for condition in wanted:
        name, _, value = condition.partition("=")
        if name not in about.keys:  # a value alone, which may have a = of its own
            if len(about.keys) != 1:
                raise InputError(
                    f"--key {condition!r}: the query's keys are {list(about.keys)}; "
                    "say which, as NAME=VALUE"
                )
            name, value = about.keys[0], condition
        keys = keys.where(parts[name] == value)
    for name in nulls:
        if name not in about.keys:
            raise InputError(f"--null {name!r}: the query's keys are {list(about.keys)}")
        keys = keys.where(parts[name].isNull())
    return keys


def _summary(keys: "DataFrame", limit: int, about: "About") -> dict[str, Any]:
    """The largest keys, and what all of them add up to."""
    from pyspark.sql import functions as F

    held = keys.persist()
    try:
        totals = held.agg(
            F.count("*").alias("keys"),
            *(
                F.coalesce(F.sum(name), F.lit(0)).alias(name)
                for name in ("rows", "waiting", "pages", "bytes")
            ),
        )
        largest = held.orderBy(F.desc("bytes"), "key").limit(limit)
        rows = [row.asDict() for row in largest.collect()]
        total = totals.collect()[0].asDict()
    finally:
        held.unpersist()
    entries = [
        {**row, "key": json.loads(row["key"])} | {n: _moment(row[n]) for n in ("oldest", "newest")}
        for row in rows
    ]
    return {"query": about.query, "total": total, "keys": entries}


def _text(found: dict[str, Any]) -> str:
    """The same as a table."""
    total = found["total"]
    lines = [[_cell(name, row[name]) for name in _COLUMNS] for row in found["keys"]]
    table = aligned([_COLUMNS, *lines], ("key",))
    more = total["keys"] - len(lines)
    rest = [f"… and {more:,} more keys (--limit shows more)"] if more else []
    summary = (
        f"{total['keys']:,} keys, {total['rows']:,} rows in windows, {total['waiting']:,} waiting, "
        f"{total['pages']:,} pages, {size(total['bytes'])}"
    )
    return "\n".join([f"query: {found['query']}", *table, *rest, summary])


def _cell(name: str, value: Any) -> str:
    if name == "key":
        return ", ".join(f"{key}={item}" for key, item in value.items()) or "all rows"
    if value is None:
        return "–"
    if name == "bytes":
        return size(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _moment(us: int | None) -> str | None:
    """A time as people write it, in UTC; Spark knows more years than Python does."""
    if us is None:
        return None
    try:
        return (_EPOCH + timedelta(microseconds=us)).isoformat(" ")
    except OverflowError:
        return f"{us} us"
