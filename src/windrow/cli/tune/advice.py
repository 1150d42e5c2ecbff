"""What is recommended, and why, in plain words."""

from windrow.approximate.tuning import Measured, Why
from windrow.cli.figures import share, size
from windrow.cli.tune.findings import Findings
from windrow.cli.tune.naming import named

__all__ = ["advice", "figures", "reason"]

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
