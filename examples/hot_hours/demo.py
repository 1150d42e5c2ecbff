"""A day of readings from 200 sensors through `windrow run`: a batch, a stream, and a page about it.

Run it with `make demo`. The two job files next to this one are all that windrow is told; the rest
makes the readings, asks the same of plain Spark, and compares.
"""

import argparse
import shutil
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from pyspark.sql import SparkSession

from examples.hot_hours import native
from examples.hot_hours.agreement import Agreement, compare, read_results
from examples.hot_hours.day import JOBS, Day
from examples.hot_hours.story import write_page
from windrow.cli import main as windrow
from windrow.cli.report import Report
from windrow.cli.session import started
from windrow.datasets import day_of_arrivals, write_arrivals

ROOT = Path(__file__).parent.parent.parent


# Running ---------------------------------------------------------------------------------------


def run_day(folder: Path, sensors: int, every_s: float) -> Day:
    readings = folder / "readings"
    say(f"a day of {sensors} sensors, a reading every {every_s:g} s each")
    arrivals = day_of_arrivals(sensors, every_us=round(every_s * 1_000_000))
    files = write_arrivals(arrivals, readings)
    say(f"  {len(arrivals):,} readings in {len(files)} files: {readings}")

    spark = SparkSession.getActiveSession() or start_spark()
    warm_up(spark, files[0], folder / "warm_up")
    reports = {way: run_job(way, folder) for way in JOBS}
    say("the same in plain PySpark")
    native_s = native.run_batch(spark, readings, folder / "native_batch")
    say(f"  {native_s:.1f} s")
    names = ("batch", "stream", "native_batch")
    results = {name: read_results(folder / name) for name in names}
    return Day(arrivals.to_pandas(), reports, {"batch": native_s}, results)


def warm_up(spark: SparkSession, file: Path, folder: Path) -> None:
    """Run both batches over one file first: neither should pay for being the first."""
    say("warming up")
    (folder / "readings").mkdir(parents=True)
    shutil.copy(file, folder / "readings")
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        run_job("batch", folder)
    native.run_batch(spark, folder / "readings", folder / "native_batch")


def start_spark() -> SparkSession:
    """One Spark for all that follows; the commands find it and leave it running."""
    settings = {"spark.sql.session.timeZone": "UTC"}
    return started("windrow demo", None, settings, debug=False)


def run_job(way: str, folder: Path) -> Report:
    say(f"windrow run {JOBS[way].relative_to(ROOT)}")
    arguments = ["run", str(JOBS[way]), "--set", f"source.path={folder / 'readings'}"]
    arguments += ["--set", f"sink.path={folder / way}"]
    if way == "stream":
        arguments += ["--set", f"checkpoint={folder / 'checkpoint'}"]
    report = windrow.main(arguments, standalone_mode=False)
    if not isinstance(report, Report):
        sys.exit(report)
    return report


def say(text: str) -> None:
    print(text, flush=True)


# Telling ---------------------------------------------------------------------------------------


def tell(day: Day) -> dict[str, Agreement]:
    pairs = {
        "batch and stream": ("batch", "stream"),
        "windrow and Spark": ("batch", "native_batch"),
    }
    compared = {
        name: compare(day.results[one], day.results[other]) for name, (one, other) in pairs.items()
    }
    say("do they agree?")
    for name, found in compared.items():
        verdict = "yes" if found.agrees else "NO"
        say(f"  {name:26} {verdict}: {found.both:,} windows, {found.apart:.1g} apart at most")
    open_ = compared["batch and stream"].only_first
    say(f"  ({open_:,} windows are still open in the stream: their hour may yet change)")
    for way, (ours, native_s) in day.seconds.items():
        ratio = native_s / ours
        say(f"{way}: windrow {ours:.1f} s, Spark {native_s:.1f} s, {ratio:.1f} times as long")
    return compared


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="A day of sensors through windrow on Spark.")
    parser.add_argument("--sensors", type=int, default=200, help="how many (200)")
    parser.add_argument("--every", type=float, default=15.0, help="seconds between readings (15)")
    parser.add_argument("--folder", type=Path, default=Path("build/demo"), help="where it all goes")
    options = parser.parse_args(arguments)

    begin = time.perf_counter()
    folder = options.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    day = run_day(folder, options.sensors, options.every)
    compared = tell(day)
    write_page(day, compared, folder / "index.html")
    say(f"{time.perf_counter() - begin:.0f} s in all; the page: {options.folder / 'index.html'}")
    return 0 if all(found.agrees for found in compared.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
