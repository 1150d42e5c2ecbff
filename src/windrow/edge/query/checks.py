"""What nodes cannot run is refused, with the reason and the nearest thing that they can."""

from collections.abc import Mapping

from windrow.jobs.checks import check_lateness, check_together
from windrow.jobs.entry import Entry
from windrow.jobs.job import Job

__all__ = ["check_for_nodes"]

_FOR_SPARK = {
    "parallel": "says how tasks of Spark share windows",
    "strategy": "says how Spark computes windows",
}
_PINNED = "if all rows of a key come to one leaf, say edge: {pinned: true}"


def check_for_nodes(job: Job, found: Mapping[str, Entry]) -> None:
    """Complain about what a tree of nodes cannot run."""
    check_together(job, found)
    check_lateness(job, found)
    for key, reason in _FOR_SPARK.items():
        if key in found:
            found[key].complain_of_key(f"{key}: {reason}, and nodes have none (leave it out)")
    if job.choices.get("emit") == "on_change":
        found["emit"].complain(
            "emit: on_change is for Spark: a node sends what is complete (use on_close)"
        )
    if job.forget_after is not None:
        found["forget_after"].complain_of_key(
            "forget_after: nodes do not forget keys (leave it out)"
        )
    if job.source.schema is None and "source" in found:
        found["source"].complain_of_key(
            "source: nodes need to know the columns of a row "
            '(e.g. schema: "sensor string, ts timestamp, temp double")'
        )
    if job.edge.pinned:
        return
    if job.choices.get("order") == "arrival":
        found["order"].complain(
            "order: rows of several leaves do not arrive in one order "
            f"(use order: time, or {_PINNED})"
        )
    if job.approximate is not None:
        found["approximate"].complain_of_key(
            "approximate: buckets of rows from several leaves overlap in time, and do not become "
            f"one window (leave it out, or {_PINNED})"
        )
    for name, aggregate in job.aggregates.items():
        if aggregate.tolerance is not None:
            at = found["aggregates"].entries("{n: count()}")[name]
            at.complain(
                f"{at.name}: within bounds windows of buckets, and buckets of rows from several "
                f"leaves do not become one window (leave it out, or {_PINNED})"
            )
