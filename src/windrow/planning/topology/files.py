"""Plans as JSON: written to a file, and read again."""

import json
from collections.abc import Callable
from dataclasses import asdict
from enum import Enum
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeVar

from windrow.errors import InputError
from windrow.planning.topology.arrivals import Arrivals
from windrow.planning.topology.checks import require_share
from windrow.planning.topology.model import Emission, Limit, Node, Reduction, Routing, Sources
from windrow.planning.topology.plan import Layer, Plan

__all__ = ["from_json", "read_plan", "to_json", "write_plan"]

T = TypeVar("T")

_FORMAT = 1


def to_json(plan: Plan) -> str:
    """All that makes up a plan, and what follows from it for whoever reads the file."""
    told = {
        "windrow_plan": _FORMAT,
        "widths": plan.widths,
        "nodes": plan.nodes,
        "cost": plan.cost,
        "latency_s": plan.latency_s,
        **asdict(plan),
    }
    return json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False, default=_plain) + "\n"


def from_json(text: str, where: str = "the plan") -> Plan:
    """The plan that a text holds; `where` is what errors call it."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{where} is not JSON ({error}); write plans with windrow plan --out"
        ) from None
    if not isinstance(told, dict) or told.get("windrow_plan") != _FORMAT:
        raise InputError(f"{where} is not a plan of windrow; write one with windrow plan --out")
    try:
        return _plan(told)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{where} lacks something, or has something else in its place: {error!r}; write it "
            "anew with windrow plan --out"
        ) from None


def write_plan(plan: Plan, path: Path | str) -> None:
    """Write a plan to a file."""
    Path(path).write_text(to_json(plan), encoding="utf-8")


def read_plan(path: Path | str) -> Plan:
    """Read a plan from a file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} cannot be read: {error}; write a plan with windrow plan --out {path}"
        ) from None
    return from_json(text, str(path))


def _plain(value: object) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Integral):  # of numpy, say
        return int(value)
    if isinstance(value, Real):
        return float(value)
    raise TypeError(f"{value!r} is no JSON")


def _plan(told: dict[str, Any]) -> Plan:
    layers = tuple(map(_layer, told["layers"]))
    sources = _several(lambda one: Sources(**one), told["sources"])
    for name, several in (("layers", layers), ("sources", sources)):
        if not several:
            raise InputError(f"the plan has no {name}; write it anew with windrow plan --out")
    return Plan(
        sources=sources,
        reduction=Reduction(
            **{**told["reduction"], "emission": Emission(told["reduction"]["emission"])}
        ),
        arrivals=Arrivals(**{**told["arrivals"], "bursts": tuple(told["arrivals"]["bursts"])}),
        layers=layers,
        margin=_share(told, "margin"),
        loss=_share(told, "loss"),
        kinds=_several(_node, told["kinds"]),
        routing=Routing(told["routing"]),
    )


def _share(told: dict[str, Any], name: str) -> float | None:
    return None if told[name] is None else require_share(told[name], name, 0.1)


def _several(make: Callable[[Any], T], told: list[Any]) -> tuple[T, ...]:
    return tuple(make(one) for one in told)


def _layer(told: dict[str, Any]) -> Layer:
    return Layer(**{**told, "node": _node(told["node"]), "routing": Routing(told["routing"])})


def _node(told: dict[str, Any]) -> Node:
    return Node(**{**told, "limit": Limit(**told["limit"])})
