"""What must hold between the entries of a job, and between a job and its data."""

from collections.abc import Iterable, Mapping

from windrow.jobs.edge import Merging
from windrow.jobs.ends import APPEND_ONLY, TO_LOOK_AT
from windrow.jobs.entry import Entry
from windrow.jobs.job import Job
from windrow.jobs.problems import Problem, did_you_mean

__all__ = ["check_columns", "check_lateness", "check_on_spark", "check_together"]


def check_together(job: Job, found: Mapping[str, Entry]) -> None:
    """Complain about entries that do not go together."""
    windows = [window for _, window in job.windows]
    if job.keep and windows and not windows[0].per_row:
        found["keep"].complain_of_key(
            f"keep: {windows[0]!r} has no result for each row (keep is for trailing windows)"
        )
    if any(window.ties_together for window in windows) and job.choices.get("order") == "arrival":
        found["order"].complain(
            "order: arrival answers a row before all rows of its time have come, which "
            "ties: together needs (leave order out, or say ties: arrival)"
        )
    if "aggregates" in found and not found["aggregates"].node.value:
        found["aggregates"].complain("aggregates: has no value (e.g. aggregates: {n: count()})")
    if job.edge.merging is not Merging.CENTRAL and windows and not windows[0].markers:
        found["edge"].complain_of_key(
            f"edge.punctuated: {windows[0]!r} has no marks (punctuated is for punctuated windows)"
        )


def check_on_spark(job: Job, found: Mapping[str, Entry]) -> None:
    """Complain about what a stream of Spark needs and the job does not say."""
    if not job.source.stream:
        return
    sink = found["sink"]
    on_change = job.choices.get("emit") == "on_change"
    if on_change and job.sink.format in APPEND_ONLY:
        found["emit"].complain(
            f"emit: a stream can only append to {job.sink.format}, which on_change changes "
            "(use on_close, or another sink, e.g. console)"
        )
    if "checkpoint" not in found and job.sink.format not in TO_LOOK_AT:
        sink.complain_of_key(
            "checkpoint is missing: a stream notes there how far it came "
            "(e.g. checkpoint: checkpoints/hot)"
        )
    check_lateness(job, found, on_change=on_change)
    if job.sink.mode not in {"error", "append"}:
        sink.complain_of_key(
            f"sink.mode: a stream cannot {job.sink.mode} (leave it out: streams append)"
        )


def check_lateness(job: Job, found: Mapping[str, Entry], *, on_change: bool = False) -> None:
    """Complain if it is not said how late rows may be, and windows wait for them."""
    if "lateness" not in found and _needs_lateness(job, on_change=on_change):
        found["time"].complain_of_key(
            "lateness is missing: a stream must know how long to wait for late rows "
            "(e.g. lateness: 10 minutes)"
        )


def _needs_lateness(job: Job, *, on_change: bool) -> bool:
    """Rows can only be applied as they arrive, and time only close windows, by a watermark."""
    timed = any(window.ends_by_time and not window.per_row for _, window in job.windows)
    return job.choices.get("order") != "arrival" or (timed and not on_change)


def check_columns(job: Job, columns: Iterable[str]) -> list[Problem]:
    """The problems of a job whose data has these columns: what it reads and they are not."""
    names = list(columns)
    known = {name.casefold() for name in names}  # Spark does not tell cases apart
    missing = (
        read
        for read in job.reads
        # `place.height` is a field of the column `place`, if no column is called like that
        if known.isdisjoint({read.column.casefold(), read.column.casefold().partition(".")[0]})
    )
    problems = []
    for read in missing:
        hint = did_you_mean(read.column, names)
        problems.append(Problem(read.place, f"{read.by}: no column {read.column!r} {hint}"))
    return problems
