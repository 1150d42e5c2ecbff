"""A job over an hour of readings, and how tests run it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner, Result

from windrow.cli import main

NOON = datetime(2024, 6, 21, 12, tzinfo=UTC)

BATCH = """\
source: {format: parquet, path: readings.parquet}
time: ts
by: sensor
where: temp is not null
columns: {kelvin: temp + 273.15}
windows: {tumbling: 10 minutes}
aggregates: {peak: max(kelvin), n: count()}
sink: {format: parquet, path: hot, mode: overwrite}
"""


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def readings(minutes: range) -> pd.DataFrame:
    ts = [NOON + timedelta(minutes=minute) for minute in minutes]
    temp = [None if minute % 7 == 3 else float(minute % 11) for minute in minutes]
    return pd.DataFrame({"ts": ts, "sensor": [f"s{m % 2}" for m in minutes], "temp": temp})


def write_readings(folder: Path) -> pd.DataFrame:
    frame = readings(range(60))
    table = pa.Table.from_pandas(frame, preserve_index=False)
    stamps = table["ts"].cast(pa.timestamp("us", tz="UTC"))
    pq.write_table(table.set_column(0, "ts", stamps), folder / "readings.parquet")
    return frame
