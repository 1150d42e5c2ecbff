"""A slide policy compiled: its predicates on the states of one operator."""

from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from windrow.algebra.numeric import FLOAT, VALUE, Field
from windrow.compiler.jit import define
from windrow.compiler.machine_numbers import as_python
from windrow.kernels.operator import Operator, items, slices

__all__ = ["JudgeCode", "Watched", "judge_code"]


@dataclass(frozen=True)
class Watched:
    """An aggregate that a policy looks at: its name there and its part of the operator."""

    name: str
    part: int
    neutral: Any  # a number, or one for each field of a struct


class JudgeCode(NamedTuple):
    """What kernels ask, specialised for one operator and policy."""

    keeps: Any  # keeps(window) → bool
    condemns: Any  # condemns(evicted, after, before) → bool
    drops: bool  # whether `condemns` is worth asking


def judge_code(
    operator: Operator,
    watched: Sequence[Watched],
    keep: Callable[[Any], bool] | None,
    drop: Callable[[Any, Any, Any], bool] | None,
) -> JudgeCode:
    """The predicates on states, to be compiled into a kernel."""
    view = _view(operator, watched)

    def keeps(window: Any) -> Any:
        return keep is None or bool(keep(view(window)))

    def condemns(evicted: Any, after: Any, before: Any) -> Any:
        return drop is not None and bool(drop(view(evicted), view(after), view(before)))

    return JudgeCode(keeps, condemns, drop is not None)


def _view(operator: Operator, watched: Sequence[Watched]) -> Callable[..., Any]:
    names: dict[str, Any] = {
        "View": namedtuple("View", [w.name for w in watched]),
        "VALUE": VALUE,
        "own": as_python,
    }
    own = dict(slices(operator.parts))
    source = "def view(state):\n"
    for number, aggregate in enumerate(watched):
        numeric = operator.parts[aggregate.part].numeric
        names[f"lower{number}"] = numeric.lower
        mine = items(f"state[{k}]" for k in own[aggregate.part])
        source += f"    r{number} = lower{number}(({mine}))\n"
        source += f"    known{number} = r{number}[{len(numeric.result)}] == VALUE\n"
        neutral = aggregate.neutral
        values = []
        for k, field in enumerate(numeric.result):
            missing = neutral[k] if isinstance(neutral, tuple) else neutral
            names[f"neutral{number}_{k}"] = as_number(missing, field)
            # A number beside NaN must become a float, as both are one variable here.
            read = f"1.0 * r{number}[{k}]" if isnan(missing) else f"r{number}[{k}]"
            values.append(f"own({read} if known{number} else neutral{number}_{k})")
        if len(values) > 1:
            names[f"Struct{number}"] = namedtuple(
                f"Struct{number}", [field.name for field in numeric.result]
            )
            source += f"    v{number} = Struct{number}({', '.join(values)})\n"
        else:
            source += f"    v{number} = {values[0]}\n"
    arguments = ", ".join(f"v{number}" for number in range(len(watched)))
    return define("view", f"{source}    return View({arguments})\n", **names)


def as_number(neutral: float, field: Field) -> Any:
    """A neutral number in the type of the field, where infinity becomes the type's last number."""
    if field.dtype == FLOAT or isnan(neutral):
        return float(neutral)
    if np.isinf(neutral):
        limits = np.iinfo(np.int64)
        return int(limits.max if neutral > 0 else limits.min)
    return field.dtype.type(neutral).item()
