"""The page about a run."""

from dataclasses import replace
from pathlib import Path

from examples.edge_tree.drawing import drawn_lags, drawn_tree
from examples.edge_tree.live import Run
from examples.edge_tree.outcome import Agreement, Level
from examples.hot_hours.page import Section, code, page, table
from windrow.cli.figures import share, size
from windrow.cli.tree.figures import planned_rates, totals

HERE = Path(__file__).parent


def write_page(
    run: Run, widths: tuple[int, ...], found: list[Level], agreement: Agreement, path: Path
) -> None:
    rows = len(run.devices.rows())
    queries = len(run.tree.queries)  # each counts the same rows
    figures = [
        replace(one, late=one.late // queries, quarantined=one.quarantined // queries)
        for one in run.figures
    ]
    all_ = totals(figures)
    late, quarantined = all_["late"], all_["quarantined"]
    seconds = max((at for at, _ in run.lags), default=0.0)
    windows, central = sum(one.windows for one in found), sum(one.central for one in found)
    facts = [
        ("nodes", f"{len(run.tree.nodes)} processes"),
        ("readings", f"{rows:,}"),
        ("bytes, tree ÷ central", share(windows / central) if central else "none"),
        ("tree = Spark's batch", "yes" if agreement.agrees else "NO"),
    ]
    sections = [
        Section(
            "The tree",
            "Rows come to the leaves at the bottom; frames with the states of windows go up, and "
            "the root at the top has the results. Every node is a process of its own on this "
            "machine, forked from one that has imported what all need. The plan's figures are "
            "below the measured ones; frames are those of states. Rates are means over the last "
            f"two thirds of {seconds:.0f} s; a thicker line has carried more bytes.",
            [drawn_tree(run.tree, figures, planned_rates(run.tree))],
        ),
        Section(
            "Bytes on every level",
            "The same tree has answered two queries over the same rows. Of one only states travel; "
            "the other is a window of 100 rows, of which only the root can tell where it ends, so "
            "all rows travel: the central way. Counted are frames with their heads, as they were "
            "sent. The devices themselves said "
            f"{size(run.devices.sent_bytes)} of JSON. A window of five seconds has few rows at "
            "this rate: the more rows a window has, the smaller the share.",
            [
                table(
                    ["level", "links", "states", "rows (central)", "share"],
                    [_line(one) for one in found],
                )
            ],
        ),
        Section(
            "How far results were behind the clock",
            "A window of five seconds closes when all leaves have passed its end by the lateness, "
            "two seconds: the root's frontier stands still for five seconds, and then jumps.",
            [drawn_lags(run.lags)],
        ),
        Section(
            "Late, ahead of time, missing",
            f"{late:,} rows came when leaves had sent their window: they are in out/windows/late, "
            f"and not in results. {quarantined:,} was dated 2099: such rows are quarantined. "
            f"Missing members: {', '.join(all_['missing']) or 'none'}.",
            [],
        ),
        Section(
            "The same on Spark, as a batch",
            f"windrow run of the same job file over all rows that were in time: {agreement.both} "
            f"windows in both, {agreement.only_tree} of the tree alone, {agreement.only_spark} of "
            f"Spark alone; results differ by {agreement.apart:.1g} at most.",
            [code((HERE / "windows.yaml").read_text("utf-8"))],
        ),
    ]
    shape = "-".join(map(str, widths))
    path.write_text(
        page(
            "500 devices and a tree of nodes".replace("500", f"{_devices(run):,}"),
            f"Windows computed near the devices, merged on the way: {shape} nodes, as "
            "windrow plan says for a tenth of each node's limit left free.",
            facts,
            sections,
            f"All nodes answered {run.start_s:.1f} s after the start. Made by make demo-edge.",
        ),
        "utf-8",
    )


def _devices(run: Run) -> int:
    return len({row["device"] for row in run.devices.rows()})


def _line(one: Level) -> list[str]:
    ratio = share(one.windows / one.central) if one.central else ""
    return [one.name, str(one.links), size(one.windows), size(one.central), ratio]
