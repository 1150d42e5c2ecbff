"""What was found: the frontier as a table and what is recommended, or all of it as JSON."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from math import isfinite
from typing import Any

from windrow.approximate.tuning import Measured, Why
from windrow.cli.figures import aligned, share, size
from windrow.cli.tune.findings import Findings
from windrow.cli.tune.naming import named

__all__ = ["as_json", "as_text", "figures"]

_COLUMNS = (
    "method",
    "setting",
    "buckets",
    "bytes",
    "peak",
    "of exact",
    "median error",
    "p99",
    "max",
    "exact",
    "bounded",
    "held",
    "width",
)
_TEXTS = ("method", "setting")
_FEW_WINDOWS = 3


def as_text(findings: Findings, *, everything: bool) -> str:
    """The table has the frontier, or all that was tried."""
    shown = findings.tried if everything else findings.frontier
    lines = [_COLUMNS, *(_line(one, findings) for one in shown)]
    marks = ["", *(_mark(one, findings, everything=everything) for one in shown)]
    rows = aligned(lines, _TEXTS)
    table = [f"{mark:<2}{row}" for mark, row in zip(marks, rows, strict=True)]
    beaten = len(findings.tried) - len(findings.frontier)
    if everything:
        table.append("* on the frontier: none is both smaller and more exact")
    elif beaten:
        table.append(f"… and {beaten} that are beaten in both footprint and error (--all)")
    return "\n".join([*_heading(findings), "", *table, "", *advice(findings)])


def _mark(one: Measured, findings: Findings, *, everything: bool) -> str:
    if one is findings.recommendation.chosen:
        return "→"
    return "*" if everything and one in findings.frontier else ""


def _line(one: Measured, findings: Findings) -> tuple[str, ...]:
    name = named(one.method, findings.asked)
    shares = (
        *(one.of_exact, one.median_error, one.p99_error, one.max_error),
        *(one.exact, one.bounded, one.held, one.width),
    )
    footprint = f"{one.mean_buckets:,.0f}", size(one.mean_bytes), size(one.peak_bytes)
    return name.method, name.setting, *footprint, *map(share, shares)


def _heading(findings: Findings) -> list[str]:
    asked, sample, trial = findings.asked, findings.sample, findings.trial
    rows = f"sample: {sample.path}, {sample.rows:,} rows"
    if sample.keys > 1:
        rows += f" of {sample.keys:,} keys"
    if trial.series < sample.keys:
        rows += f"; tried on {trial.series:,} of the longest, {trial.rows:,} rows"
    kept = (
        f"window: {asked.window!r} of {asked.aggregate!r}; a bucket takes "
        f"{trial.bytes_of_bucket} bytes, an update of an exact window {trial.bytes_of_update}"
    )
    return [rows, kept, *(f"note: {note}" for note in _notes(findings))]


def _notes(findings: Findings) -> Iterator[str]:
    """Why figures may not be worth much."""
    rows = findings.asked.window.reach_rows
    if rows is not None:
        windows = findings.trial.rows / findings.trial.series / rows
        if windows < _FEW_WINDOWS:
            yield f"only {windows:.1f} windows; errors are reliable from {_FEW_WINDOWS} windows on"
    if findings.recommendation.chosen.max_error > 1:
        yield "some results are so close to 0 that errors exceed them; look at the median"


def as_json(findings: Findings) -> str:
    """Every setting and the recommendation; null stands for an error without bound."""
    asked, found = findings.asked, findings.recommendation
    target = {key: value for key, value in asdict(asked.target).items() if value is not None}
    content = {
        "sample": str(findings.sample.path),
        "rows": findings.sample.rows,
        "keys": findings.sample.keys,
        "tried": {"keys": findings.trial.series, "rows": findings.trial.rows},
        "aggregate": repr(asked.aggregate),
        "window": repr(asked.window),
        "bytes_of_bucket": findings.trial.bytes_of_bucket,
        "bytes_of_update": findings.trial.bytes_of_update,
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


_NO_QUERY = "queries have no such setting; MaxLike's auto is what they take"


def advice(findings: Findings) -> list[str]:
    """The recommendation, the reason, and the code to write."""
    chosen = findings.recommendation.chosen
    name = named(chosen.method, findings.asked)
    return [
        f"recommended: {name.title}, {figures(chosen)}",
        f"  why        {reason(findings)}",
        f"  on Spark   {name.query or _NO_QUERY}",
        f"  in Python  {name.structure}",
    ]


def reason(findings: Findings) -> str:
    """Why it is what it is."""
    target, found = findings.asked.target, findings.recommendation
    if found.why is Why.KNEE and not found.chosen.max_error:
        return "no target was given; this is the smallest that was never wrong"
    if found.why is Why.KNEE:
        return (
            "no target was given, so this is the knee of the frontier; --target-error or "
            "--target-bytes ask for something else"
        )
    if target.bytes is not None:
        if found.why is Why.NEAREST:
            return f"nothing fits {size(target.bytes)}; this is the smallest"
        return f"the most accurate that never took more than {size(target.bytes)}"
    assert target.error is not None
    if found.runner_up is not None:
        nearest = named(found.runner_up.method, findings.asked).title
        return (
            f"nothing smaller stays within {share(target.error)}; the nearest is {nearest}, "
            f"{figures(found.runner_up)}"
        )
    return f"the smallest whose errors never exceeded {share(target.error)}"


def figures(one: Measured) -> str:
    """What a setting costs, and how wrong it is."""
    mean, peak = size(one.mean_bytes), size(one.peak_bytes)
    taken = mean if mean == peak else f"{mean} (at its peak {peak})"
    return f"{taken}, {f'errors up to {share(one.max_error)}' if one.max_error else 'no errors'}"
