"""Several numeric monoids as one operator on columns: what a kernel is specialised with.

The states of all parts lie side by side in one flat tuple, and each of its fields in an array of
its own.  Tuples must be taken apart by constant indices to compile, so the code is written out for
the number of fields at hand.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windrow.algebra.numeric import BOOL, FLOAT, INT, NULL, VALUE, Dtypes, Numeric, State
from windrow.compiler.jit import define
from windrow.kernels.cells import read_float, read_int, write_float, write_int

__all__ = [
    "Operator",
    "Part",
    "cells_code",
    "fields_of",
    "guarded",
    "items",
    "make_operator",
    "slices",
]


@dataclass(frozen=True)
class Part:
    """One aggregate: its numeric form, which columns its inputs are, and which mask, if any."""

    numeric: Numeric
    columns: tuple[int, ...]
    mask: int | None = None


@dataclass(frozen=True, eq=False)
class Operator:
    """The functions a kernel calls; `fields` are arrays, one for each number of a state."""

    parts: tuple[Part, ...]
    state: Dtypes
    identity: State
    lift: Callable[..., State]  # lift(columns, masks, row)
    combine: Callable[[State, State], State]
    lower: Callable[..., None]  # lower(state, results, statuses, row)
    lower_nothing: Callable[..., None]  # lower_nothing(results, statuses, row)
    load: Callable[..., State]  # load(fields, index)
    store: Callable[..., None]  # store(fields, index, state)
    load_cells: Callable[..., State]  # load_cells(address, cell, step): a field each `step` cells
    store_cells: Callable[..., None]  # store_cells(address, cell, step, state)


def make_operator(parts: Sequence[Part], answered: int | None = None) -> Operator:
    """One operator that does the work of all parts; only the first `answered` give results."""
    parts = tuple(guarded(part) for part in parts)
    dtypes = tuple(dtype for part in parts for dtype in part.numeric.state)
    return Operator(
        parts=parts,
        state=dtypes,
        identity=tuple(x for part in parts for x in part.numeric.identity),
        lift=_lift(parts),
        combine=_combine(parts),
        lower=_lower(parts[:answered]),
        lower_nothing=_lower_nothing(parts[:answered]),
        load=_load(dtypes),
        store=_store(dtypes),
        **cells_code(dtypes),
    )


def cells_code(dtypes: Dtypes) -> dict[str, Callable[..., Any]]:
    """How states lie in cells."""
    return {"load_cells": _load_cells(dtypes), "store_cells": _store_cells(dtypes)}


def fields_of(dtypes: Dtypes, length: int) -> tuple[NDArray[Any], ...]:
    """Room for `length` states, one array for each field."""
    return tuple(np.empty(length, dtype) for dtype in dtypes)


def guarded(part: Part) -> Part:
    """The same part, remembering whether it saw a value if it may see none and would not know."""
    inner = part.numeric
    if part.mask is None or not inner.total:
        return part
    own = range(len(inner.state))
    arguments = ", ".join(f"x{k}" for k in range(len(part.columns)))
    remembering = replace(
        inner,
        state=(*inner.state, BOOL),
        identity=(*inner.identity, False),
        lift=define(
            "lift",
            f"def lift({arguments}):\n"
            f"    s = inner({arguments})\n"
            f"    return ({items(f's[{k}]' for k in own)} True)",
            inner=inner.lift,
        ),
        combine=define(
            "combine",
            "def combine(older, newer):\n"
            f"    s = inner(({items(f'older[{k}]' for k in own)}), "
            f"({items(f'newer[{k}]' for k in own)}))\n"
            f"    return ({items(f's[{k}]' for k in own)} older[{len(own)}] | newer[{len(own)}])",
            inner=inner.combine,
        ),
        lower=define(
            "lower",
            "def lower(state):\n"
            f"    if state[{len(own)}]:\n"
            f"        return inner(({items(f'state[{k}]' for k in own)}))\n"
            f"    return ({items(field.dtype.type(0).item() for field in inner.result)} NULL)",
            inner=inner.lower,
            NULL=NULL,
        ),
    )
    return replace(part, numeric=remembering)


def items(items: Iterable[object]) -> str:
    """The items of a tuple in source code, ready for more to follow."""
    return "".join(f"{item}, " for item in items)


def slices(parts: Sequence[Part]) -> list[tuple[int, range]]:
    """Each part's number and the fields that are its own."""
    found, start = [], 0
    for number, part in enumerate(parts):
        end = start + len(part.numeric.state)
        found.append((number, range(start, end)))
        start = end
    return found


def _whole(parts: Sequence[Part]) -> str:
    """The states s0, s1, … of all parts as one flat tuple."""
    return items(f"s{number}[{k}]" for number, own in slices(parts) for k in range(len(own)))


def _load(dtypes: Dtypes) -> Callable[..., Any]:
    state = items(f"fields[{k}][index]" for k in range(len(dtypes)))
    return define("load", f"def load(fields, index): return ({state})")


def _store(dtypes: Dtypes) -> Callable[..., Any]:
    lines = (f"    fields[{k}][index] = state[{k}]\n" for k in range(len(dtypes)))
    return define("store", f"def store(fields, index, state):\n{''.join(lines)}")


def _load_cells(dtypes: Dtypes) -> Callable[..., Any]:
    readers = {FLOAT: "read_float({})", INT: "int64(read_int({}))", BOOL: "bool(read_int({}))"}
    state = items(readers[d].format(f"address, cell + {k} * step") for k, d in enumerate(dtypes))
    source = f"def load_cells(address, cell, step): return ({state})"
    return define("load_cells", source, int64=np.int64, read_float=read_float, read_int=read_int)


def _store_cells(dtypes: Dtypes) -> Callable[..., Any]:
    writers = {FLOAT: "write_float({})", INT: "write_int({})", BOOL: "write_int({})"}
    source = "def store_cells(address, cell, step, state):\n"
    for k, dtype in enumerate(dtypes):
        number = f"int(state[{k}])" if dtype == BOOL else f"state[{k}]"
        source += f"    {writers[dtype].format(f'address, cell + {k} * step, {number}')}\n"
    return define("store_cells", source, write_float=write_float, write_int=write_int)


def _lift(parts: Sequence[Part]) -> Callable[..., Any]:
    source = "def lift(columns, masks, row):\n"
    names: dict[str, Any] = {}
    for number, part in enumerate(parts):
        names |= {f"lift{number}": part.numeric.lift, f"identity{number}": part.numeric.identity}
        arguments = ", ".join(f"columns[{c}][row]" for c in part.columns)
        guard = "" if part.mask is None else f" if masks[{part.mask}][row] else identity{number}"
        source += f"    s{number} = lift{number}({arguments}){guard}\n"
    return define("lift", f"{source}    return ({_whole(parts)})", **names)


def _combine(parts: Sequence[Part]) -> Callable[..., Any]:
    source = "def combine(older, newer):\n"
    names: dict[str, Any] = {}
    for number, own in slices(parts):
        names[f"combine{number}"] = parts[number].numeric.combine
        older = items(f"older[{k}]" for k in own)
        newer = items(f"newer[{k}]" for k in own)
        source += f"    s{number} = combine{number}(({older}), ({newer}))\n"
    return define("combine", f"{source}    return ({_whole(parts)})", **names)


def _lower(parts: Sequence[Part]) -> Callable[..., Any]:
    # Statuses start as VALUE: where `lower` can give nothing else, this branch is compiled away.
    source, result = "def lower(state, results, statuses, row):\n", 0
    names: dict[str, Any] = {"VALUE": VALUE}
    for number, own in slices(parts):
        numeric = parts[number].numeric
        names[f"lower{number}"] = numeric.lower
        source += f"    r{number} = lower{number}(({items(f'state[{k}]' for k in own)}))\n"
        for k in range(len(numeric.result)):
            source += f"    results[{result + k}][row] = r{number}[{k}]\n"
        status = f"r{number}[{len(numeric.result)}]"
        source += f"    if {status} != VALUE: statuses[{number}][row] = {status}\n"
        result += len(numeric.result)
    return define("lower", source, **names)


def _lower_nothing(parts: Sequence[Part]) -> Callable[..., Any]:
    """What an empty window gives: null by itself, or what the identity lowers to."""
    names: dict[str, Any] = {"NULL": NULL}
    source, result = "def lower_nothing(results, statuses, row):\n", 0
    for number, part in enumerate(parts):
        numeric = part.numeric
        if numeric.total:
            source += f"    statuses[{number}][row] = NULL\n"
        else:
            names |= {f"lower{number}": numeric.lower, f"identity{number}": numeric.identity}
            source += f"    r{number} = lower{number}(identity{number})\n"
            for k in range(len(numeric.result)):
                source += f"    results[{result + k}][row] = r{number}[{k}]\n"
            source += f"    statuses[{number}][row] = r{number}[{len(numeric.result)}]\n"
        result += len(numeric.result)
    return define("lower_nothing", source, **names)
