"""A plan as JSON, for programs: a plan file with additional entries."""

import json
from dataclasses import asdict
from typing import Any

from windrow.cli.plan.outcome import LOSS, Outcome
from windrow.topology import Adaptation, to_json

__all__ = ["as_json"]


def as_json(outcome: Outcome) -> str:
    """The plan as its file has it; null stands for what is not known, or was not asked for."""
    plan, safer = outcome.plan, outcome.safer
    content = {
        **json.loads(to_json(plan)),
        "loads": [layer.load for layer in plan.layers],
        "latencies_s": plan.latencies_s,
        "bounds": None if plan.bounds is None else asdict(plan.bounds),
        "measured": None if outcome.trace is None else asdict(outcome.trace),
        "change": None if outcome.change is None else _change(outcome.change),
        "safer": None
        if safer is None
        else {
            "loss": LOSS,
            "widths": safer.widths,
            "nodes": safer.nodes,
            "margins": [layer.margin for layer in safer.layers],
        },
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def _change(change: Adaptation) -> dict[str, Any]:
    return {
        "before": change.before.widths,
        "after": change.plan.widths,
        "start": change.started,
        "stop": change.stopped,
        "moves": [
            {**asdict(move), "start": move.started, "stop": move.stopped} for move in change.moves
        ],
    }
