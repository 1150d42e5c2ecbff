"""Plan sizes against gateways, and how long Kinesis would take to create the shards."""

from collections.abc import Sequence
from math import ceil

from benchmarks.findings import Experiment, Findings, Table
from benchmarks.measure import Bench, Measured
from benchmarks.topology.published import SYNTHETIC, WIDTHS
from windrow.topology import csa, optimum

__all__ = ["SIZES", "run"]

# As published: a layer's shards are created in 30 s, five layers at once, or one every 6 s.
_CREATING_S = 30
_AT_ONCE = 5
_APART_S = 6
_LIMIT = 20.0


def run(counts: Sequence[int], bench: Bench) -> Findings:
    """A plan for each number of gateways."""
    measured, rows = [], []
    for count in counts:
        widths = csa(count, SYNTHETIC.rate, _LIMIT)
        best = optimum(count, SYNTHETIC.rate, _LIMIT)
        at_once = _CREATING_S * ceil(len(widths) / _AT_ONCE)
        in_turn = _APART_S * (len(widths) - 1) + _CREATING_S
        for name, figure in (("CSA", widths), ("optimum", best)):
            nodes = float(sum(figure))
            case = {"gateways": count, "layers": len(figure)}
            measured.append(Measured(name, case, nodes, nodes, 1, 1, unit="nodes"))
        rows.append(
            [
                str(count),
                " ".join(map(str, widths)),
                str(sum(widths)),
                str(sum(best)),
                str(at_once),
                str(in_turn),
                " ".join(map(str, WIDTHS.get(count, ()))),
            ]
        )
    header = ["gateways", "layers", "nodes", "optimum", "at once, s", "in turn, s", "theirs"]
    notes = ["Creation times follow from the published 30 s for each batch, five at once at most."]
    return Findings(measured, [Table("plans for shards of 20 items", header, rows)], notes=notes)


SIZES = Experiment(
    "sizes",
    "How large is a plan?",
    run,
    full=(10, *range(50, 951, 50)),
    quick=(10, 100, 500, 950),
)
