"""Plans as JSON: written to a file, and read again."""

import json
from collections.abc import Callable
from dataclasses import asdict
from enum import Enum
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeVar

from windrow.arguments import shown
from windrow.errors import InputError
from windrow.files.small_files import read_small
from windrow.topology.arrivals import Arrivals
from windrow.topology.checks import (
    require_kind,
    require_path,
    require_share,
    require_text,
)
from windrow.topology.model import Emission, Limit, Node, Reduction, Routing, Sources
from windrow.topology.plan import Layer, Plan

__all__ = ["from_json", "read_plan", "to_json", "write_plan"]

T = TypeVar("T")

_FORMAT = 1
_MOST_SHOWN = 60
_MOST_BYTES = 10_000_000


def to_json(plan: Plan) -> str:
    """A plan as JSON, along with its loads, bounds and advice for readers of the file.

    >>> from windrow import topology
    >>> plan = topology.plan(500, rate=0.5, nodes=20)
    >>> from_json(to_json(plan)) == plan
    True
    """
    require_kind(Plan, plan, "plan")
    content = {
        "windrow_plan": _FORMAT,
        "widths": plan.widths,
        "nodes": plan.nodes,
        "cost": plan.cost,
        "latency_s": plan.latency_s,
        **asdict(plan),
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False, default=_plain) + "\n"


def from_json(text: str, where: str = "the plan") -> Plan:
    """The plan in a text; `where` is what error messages call it.

    >>> from_json("{}")
    Traceback (most recent call last):
    windrow.errors.InputError: the plan is not a plan of windrow; ...
    """
    require_text(text, "text", "{...}")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{where} is not JSON ({error}); write plans with windrow plan --out"
        ) from None
    if not isinstance(content, dict) or content.get("windrow_plan") != _FORMAT:
        raise InputError(f"{where} is not a plan of windrow; write one with windrow plan --out")
    try:
        return _plan(content)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def write_plan(plan: Plan, path: Path | str) -> None:
    """Write a plan to a file.

    >>> from tempfile import TemporaryDirectory
    >>> from windrow import topology
    >>> with TemporaryDirectory() as folder:
    ...     write_plan(topology.plan(500, rate=0.5, nodes=20), Path(folder, "plan.json"))
    ...     read_plan(Path(folder, "plan.json")).widths
    (13, 7, 4, 2, 1)
    """
    file = require_path(path, "path")
    content = to_json(plan).encode("utf-8", "backslashreplace")  # half characters, as JSON has them
    try:
        file.write_bytes(content)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError) as error:
        raise _unwritable(path, error.strerror or str(error)) from None
    except ValueError:  # a NUL in its name
        raise _unwritable(path, "no name that a file can have") from None


def read_plan(path: Path | str) -> Plan:
    """Read a plan from a file.

    >>> read_plan("no such plan.json")
    Traceback (most recent call last):
    windrow.errors.InputError: ...
    """
    file = require_path(path, "path")
    try:
        text = read_small(file, _MOST_BYTES)
    except InputError as error:
        raise InputError(
            f"path={path} cannot be read: {error}; write a plan with windrow plan --out"
        ) from None
    return from_json(text, str(path))


def _unwritable(path: Path | str, reason: str) -> InputError:
    return InputError(
        f"path={shown(str(path))} cannot be written: {reason}; give a file in a folder that exists"
    )


def _plain(value: object) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Integral):  # of numpy, say
        return int(value)
    if isinstance(value, Real):
        return float(value)
    raise TypeError(f"{value!r} is no JSON")


def _plan(content: dict[str, Any]) -> Plan:
    found = Plan(
        sources=_entry(content, "sources", lambda all_: tuple(Sources(**one) for one in all_)),
        reduction=_entry(content, "reduction", _reduction),
        arrivals=_entry(content, "arrivals", lambda one: Arrivals(**one)),
        layers=_entry(content, "layers", lambda all_: tuple(map(_layer, all_))),
        margin=_entry(content, "margin", lambda one: _share(one, "margin")),
        loss=_entry(content, "loss", lambda one: _share(one, "loss")),
        kinds=_entry(content, "kinds", lambda all_: tuple(map(_node, all_))),
        routing=_entry(content, "routing", Routing),
    )
    _require_results(found)
    widths = content.get("widths", list(found.widths))
    if widths != list(found.widths):
        raise InputError(
            f"widths={shown(widths)} are not those of its layers, {list(found.widths)}; change the "
            "layers, or plan anew with windrow plan"
        )
    return found


def _require_results(plan: Plan) -> None:
    """Refuse layers that do not bring every key together in one node."""
    for name in ("layers", "sources"):
        if not getattr(plan, name):
            raise InputError(f"the plan has no {name}; write it anew with windrow plan --out")
    *above, last = plan.layers
    keys, by = plan.reduction.keys, last.routing.value
    if any(layer.routing is Routing.KEY for layer in above):
        raise InputError("layers: one by key is the last one; leave out those below it")
    if keys == 1 and (last.width > 1 or last.routing is Routing.KEY):
        raise InputError(
            f"layers: the last has width={last.width}, by {by}; one node gives the one result of "
            "a period, so end with a layer of one, by item"
        )
    if keys > 1 and last.routing is not Routing.KEY:
        raise InputError(
            f"layers: the last is routed by {by}; one node gives the result of each of {keys:,} "
            "keys, so end with a layer by key"
        )


def _entry(content: dict[str, Any], name: str, make: Callable[[Any], T]) -> T:
    """The value of an entry; errors name the entry."""
    if name not in content:
        raise InputError(f"it lacks {name!r}; write it anew with windrow plan --out")
    try:
        return make(content[name])
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    except KeyError as error:
        raise InputError(f"{name} lacks {error}; write it anew with windrow plan --out") from None
    except (AttributeError, TypeError, ValueError):
        raise InputError(
            f"{name} is not what a plan has there, but {_shortened(content[name])}; write it anew "
            "with windrow plan --out"
        ) from None


def _shortened(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _reduction(entry: dict[str, Any]) -> Reduction:
    return Reduction(**{**entry, "emission": Emission(entry["emission"])})


def _share(share: object, name: str) -> float | None:
    return None if share is None else require_share(share, name, 0.1)


def _layer(entry: dict[str, Any]) -> Layer:
    return Layer(**{**entry, "node": _node(entry["node"]), "routing": Routing(entry["routing"])})


def _node(entry: dict[str, Any]) -> Node:
    return Node(**{**entry, "limit": Limit(**entry["limit"])})
