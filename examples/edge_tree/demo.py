"""500 devices and a tree of nodes, from the plan to results that are those of a batch on Spark.

Run it with `make demo-edge`: it takes about a minute, and leaves a page.
"""

import argparse
import json
import shutil
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, redirect_stdout
from io import StringIO
from pathlib import Path

from examples.edge_tree.devices import readings
from examples.edge_tree.live import run_tree
from examples.edge_tree.outcome import Agreement, compared, in_time, levels, lines_of
from examples.edge_tree.story import write_page
from windrow import topology
from windrow.cli import main as windrow
from windrow.cli.figures import share, size
from windrow.cli.session import started
from windrow.topology.model import Reduction

HERE = Path(__file__).parent
WINDOW_S = 5.0


def say(text: str) -> None:
    print(text, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Devices and a tree of nodes.")
    parser.add_argument("--devices", type=int, default=500, help="how many (500)")
    parser.add_argument("--every", type=float, default=2.0, help="seconds between readings (2)")
    parser.add_argument("--limit", type=float, default=20.0, help="items per second of a node (20)")
    parser.add_argument("--seconds", type=float, default=30.0, help="how long they measure (30)")
    parser.add_argument("--folder", type=Path, default=Path("build/demo-edge"))
    options = parser.parse_args(arguments)

    begin = time.perf_counter()
    folder = options.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    plan = topology.plan(
        options.devices,
        rate=1 / options.every,
        nodes=options.limit,
        reduction=Reduction(period_s=WINDOW_S),
        margin=0.1,
    )
    topology.write_plan(plan, folder / "plan.json")
    say(f"the plan for {options.devices} devices: {plan.widths}")
    _make(folder, plan.nodes)

    say("windrow tree up")
    given = readings(options.devices, options.every, options.seconds)
    run = run_tree(folder / "tree.yaml", given, say)
    found = levels(run)
    for level in found:
        say(f"  {level.name:18} {size(level.windows):>9} instead of {size(level.central):>9}")

    say("the same on Spark, as a batch")
    rows = in_time(run.devices.rows(), lines_of(folder / "out" / "windows" / "late"))
    agreement = _beside_spark(folder, rows)
    verdict = "the same" if agreement.agrees else "NOT THE SAME"
    say(f"  {verdict}: {agreement.both} windows, {agreement.apart:.1g} apart at most")
    write_page(run, plan.widths, found, agreement, folder / "index.html")
    ratio = sum(one.windows for one in found) / max(sum(one.central for one in found), 1)
    say(f"bytes: {share(ratio)} of the central way")
    say(f"{time.perf_counter() - begin:.0f} s in all; the page: {options.folder / 'index.html'}")
    return 0 if agreement.agrees else 1


def _make(folder: Path, nodes: int) -> None:
    """`windrow tree make`, at ports that are free."""
    ports = _free_ports(2 * nodes)
    queries = [
        part for name in ("windows", "central") for part in ("--query", HERE / f"{name}.yaml")
    ]
    arguments = ["tree", "make", folder / "plan.json", *queries, "--out", folder / "tree.yaml"]
    arguments += ["--port", ports, "--source-port", ports + nodes]
    windrow.main([str(one) for one in arguments], standalone_mode=False)


def _free_ports(count: int) -> int:
    """The first of so many ports in a row that nobody listens at."""
    for first in range(20_000, 32_000, count):
        with ExitStack() as stack:
            try:
                for port in range(first, first + count):
                    probe = stack.enter_context(socket.socket())
                    probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return first
    sys.exit("no free ports between 20000 and 32000")


def _beside_spark(folder: Path, rows: list[dict[str, object]]) -> Agreement:
    (folder / "readings").mkdir()
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (folder / "readings" / "rows.json").write_text(lines, "utf-8")
    started("windrow demo", None, {"spark.sql.session.timeZone": "UTC"}, debug=False)
    job = ["run", str(HERE / "windows.yaml"), "--set", f"source.path={folder / 'readings'}"]
    with redirect_stdout(StringIO()):
        windrow.main([*job, "--set", f"sink.path={folder / 'batch'}"], standalone_mode=False)
    return compared(lines_of(folder / "out" / "windows"), folder / "batch")


if __name__ == "__main__":
    sys.exit(main())
