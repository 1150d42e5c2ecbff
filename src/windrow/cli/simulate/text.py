"""What was simulated: layers, periods, what is lost and how late; as text, or JSON for programs."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from windrow.cli.figures import aligned, counted, duration, share
from windrow.cli.plan.proofs import widths_of
from windrow.cli.simulate.arguments import Asked
from windrow.cli.simulate.runs import Runs
from windrow.topology.simulation import LayerReport, Percentiles, Refusal, Simulation

__all__ = ["as_json", "as_text", "loss_of"]


def as_text(runs: Runs) -> str:
    """The run that lost most, and a line for each if there are several."""
    worst, several = runs.worst, len(runs.every) > 1
    most = "" if runs.lossless else ", which lost most"
    parts = [
        [_heading(runs.asked, worst)],
        _seeds(runs) if several else [],
        [f"seed {worst.seed}{most}"] if several else [],
        _layers(worst, runs.asked),
        list(_results(worst)),
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def _heading(asked: Asked, one: Simulation) -> str:
    refused = "dropped"
    if asked.on_refusal is Refusal.RETRY:
        refused = f"sent again after about {duration(asked.back_off.median_s)}"
    return (
        f"{asked.path}: {widths_of(asked.plan.widths)}; {asked.sending.value} sending for "
        f"{duration(one.duration_s)}, refused tuples are {refused}"
    )


def _seeds(runs: Runs) -> list[str]:
    lines = [["seed", "sent", "lost", "of all", "wrong periods", "worst", "latency p50", "p99"]]
    for one in runs.every:
        worst = 0.0 if one.worst is None else one.worst.error
        wrong = f"{_wrong(one):,} of {len(one.periods):,}"
        late = (
            ["", ""]
            if one.latency is None
            else [duration(one.latency.p50), duration(one.latency.p99)]
        )
        figures = [f"{one.seed}", f"{one.sent:,}", f"{one.lost:,}", share(one.error), wrong]
        lines.append([*figures, share(worst), *late])
    return aligned(lines, ())


def _layers(one: Simulation, asked: Asked) -> list[str]:
    head = ["layer", "nodes", "offered", "accepted", "dropped", "peak", "mean", "held"]
    retried = asked.on_refusal is Refusal.RETRY
    head += ["delayed", "p50", "p99", "max", "waiting", "at most"] if retried else []
    lines = [[*head, "items lost", "of all"]]
    for number, layer in enumerate(one.layers, 1):
        line = [f"{number}", f"{layer.width:,}", f"{layer.offered:,}", f"{layer.accepted:,}"]
        line += [f"{layer.dropped:,}", share(layer.peak_utilisation)]
        line += [share(layer.mean_utilisation), f"{layer.peak_held:,}"]
        line += _delays(layer) if retried else []
        lost = layer.lost / one.sent if one.sent else 0.0
        lines.append([*line, f"{layer.lost:,}", share(lost)])
    return aligned(lines, ())


def _delays(layer: LayerReport) -> list[str]:
    """Of tuples that were refused at least once."""
    delay = layer.delay
    shares = [""] * 3 if delay is None else [duration(t) for t in (delay.p50, delay.p99, delay.max)]
    return [f"{layer.delayed:,}", *shares, f"{layer.waiting:,}", f"{layer.peak_waiting:,}"]


def _results(one: Simulation) -> Iterator[str]:
    wrong, worst = _wrong(one), one.worst
    right = f"{len(one.periods) - wrong:,} of {counted(len(one.periods), 'period')} right"
    if worst is not None and wrong:
        right += (
            f"; the worst, which begins at {duration(worst.start_s)}, lacks {share(worst.error)} "
            "of its items"
        )
    yield f"results   {right}"
    yield f"lost      {loss_of(one)}"
    yield f"latency   {_latency(one.latency)}"


def loss_of(one: Simulation) -> str:
    """How many items are lost, and where: a tuple stands for the more items the deeper it is."""
    if one.lossless:
        return f"nothing of {counted(one.sent, 'item')}"
    where = [
        f"layer {number} dropped {counted(layer.dropped, 'tuple')}{_weight(layer)}"
        for number, layer in enumerate(one.layers, 1)
        if layer.lost
    ]
    return f"{one.lost:,} of {counted(one.sent, 'item')} ({share(one.error)}): {', '.join(where)}"


def _weight(layer: LayerReport) -> str:
    each = layer.lost / layer.dropped
    return "" if each == 1 else f" of {each:,.0f} items each"


def _latency(found: Percentiles | None) -> str:
    if found is None:
        return "no result left the sink in time; simulate for longer, --duration 6h"
    return (
        f"from the end of a period to its result: half of all items {duration(found.p50)}, "
        f"90 % {duration(found.p90)}, 99 % {duration(found.p99)}, at most {duration(found.max)}"
    )


def _wrong(one: Simulation) -> int:
    return sum(bool(period.error) for period in one.periods)


def as_json(runs: Runs) -> str:
    """Every run with its layers and periods; null stands for what there was none of."""
    asked = runs.asked
    content = {
        "plan": str(asked.path),
        "widths": asked.plan.widths,
        "sending": asked.sending.value,
        "on_refusal": asked.on_refusal.value,
        "lossless": runs.lossless,
        "worst_seed": runs.worst.seed,
        "runs": [_run(one) for one in runs.every],
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def _run(one: Simulation) -> dict[str, Any]:
    return {
        **asdict(one),
        "sent": one.sent,
        "lost": one.lost,
        "error": one.error,
        "lossless": one.lossless,
        "periods": [{**asdict(period), "error": period.error} for period in one.periods],
    }
