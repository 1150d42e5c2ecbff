"""All that was simulated as JSON, for programs."""

import json
from dataclasses import asdict
from typing import Any

from windrow.cli.simulate.runs import Runs
from windrow.topology.simulation import Simulation

__all__ = ["as_json"]


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
