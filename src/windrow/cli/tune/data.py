"""All that was found as JSON, for programs."""

import json
from dataclasses import asdict
from math import isfinite
from typing import Any

from windrow.approximate.tuning import Measured
from windrow.cli.tune.advice import reason
from windrow.cli.tune.findings import Findings
from windrow.cli.tune.naming import named

__all__ = ["as_json"]


def as_json(findings: Findings) -> str:
    """Every setting and the recommendation; null stands for an error without bound."""
    asked, found = findings.asked, findings.recommendation
    target = {key: value for key, value in asdict(asked.target).items() if value is not None}
    content = {
        "sample": str(findings.sample.path),
        "rows": findings.sample.rows,
        "keys": findings.sample.keys,
        "tried": {"keys": findings.keys, "rows": findings.rows},
        "aggregate": repr(asked.aggregate),
        "window": repr(asked.window),
        "bytes_of_bucket": findings.bytes_of_bucket,
        "bytes_of_update": findings.bytes_of_update,
        "target": target or None,
        "settings": [
            {**_entry(one, findings), "frontier": one in findings.frontier}
            for one in findings.tried
        ],
        "recommended": {
            **_entry(found.chosen, findings),
            "why": found.why.value,
            "reason": reason(findings),
        },
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def _entry(one: Measured, findings: Findings) -> dict[str, Any]:
    figures = {name: value for name, value in vars(one).items() if name != "method"}
    known = {name: value if isfinite(value) else None for name, value in figures.items()}
    return {**named(one.method, findings.asked)._asdict(), **known}
