"""What the page tells about the day."""

from pathlib import Path

from examples.hot_hours import plots
from examples.hot_hours.agreement import Agreement
from examples.hot_hours.day import JOBS, Day
from examples.hot_hours.page import Section, code, page, picture, table

HEAD = ("", "windows in both", "only first", "only second", "largest difference")


def write_page(day: Day, compared: dict[str, Agreement], path: Path) -> None:
    batch = day.results["batch"]
    hottest = str(batch.loc[batch["mean"].idxmax(), "sensor"])
    own = day.arrivals[day.arrivals["sensor"] == hottest].sort_values("ts")
    both = compared["batch and stream"]
    report = day.reports["stream"]
    rows = [
        [name, f"{a.both:,}", f"{a.only_first:,}", f"{a.only_second:,}", f"{a.apart:.1g}"]
        for name, a in compared.items()
    ]
    ratios = {way: native_s / ours for way, (ours, native_s) in day.seconds.items()}
    sections = [
        Section(
            f"One day of sensor {hottest}",
            "For every minute, the hour before it: 1,440 overlapping windows for each sensor.",
            [picture(plots.one_day(hottest, own, batch[batch["sensor"] == hottest]), "one sensor")],
        ),
        Section(
            "All sensors",
            "The mean of the last hour, minute by minute, a line for each sensor.",
            [picture(plots.all_sensors(batch), "all sensors")],
        ),
        Section(
            "Do batch and stream agree?",
            f"{'Yes' if both.agrees else 'No'}. The stream read {report.rows_in:,} readings in "
            f"order of arrival, in {report.batches} micro-batches. It waited ten minutes for late "
            f"ones, and counted {report.late:,} of the {day.stray:,} that came hours late as such. "
            f"{both.only_first:,} windows of the last hour were still open when the files ended.",
            [table(HEAD, rows)],
        ),
        Section(
            "Against Spark's own hopping window",
            "Spark puts every reading into 60 windows; windrow aggregates it once into a slice of "
            "a minute, and assembles windows from slices. Each ran once on this machine, one after "
            "the other: a hint, not a benchmark.",
            [picture(plots.timings(day.seconds), "seconds of windrow and of Spark")],
        ),
        Section(
            "The jobs",
            "All that windrow was told.",
            [code(path.read_text()) for path in JOBS.values()],
        ),
    ]
    facts = [
        ("readings", f"{len(day.arrivals):,}"),
        ("windows", f"{len(batch):,}"),
        ("batch = stream", "yes" if both.agrees else "no"),
        *((f"Spark's {way} time", f"{ratio:.1f} ×") for way, ratio in ratios.items()),
    ]
    lead = (
        f"{batch['sensor'].nunique()} sensors, their hottest hours minute by minute: once as a "
        f"batch over the whole day, once as a stream of files with late readings. "
        f"Spark's own window takes {ratios['batch']:.1f} times as long as our batch."
    )
    footer = "Written by make demo; the results are in the folders next to this page."
    path.write_text(page("Hot hours of a day", lead, facts, sections, footer), encoding="utf-8")
