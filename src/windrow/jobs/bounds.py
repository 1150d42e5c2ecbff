"""How wrong results may be: the bound of an aggregate, and that of a whole job."""

from collections.abc import Mapping
from typing import Any

import yaml

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.within import CONFIDENCE
from windrow.approximate.chosen import method_for
from windrow.errors import InputError
from windrow.jobs.entry import Entry, with_way_out

__all__ = ["bounded", "read_approximation", "split_bound"]

_BOUNDED = "{of: sum(temp), within: {relative: 0.001}}"
_BOUND = "{relative: 0.001}"
_NUMBERS: Mapping[str, str] = {"relative": "0.001", "absolute": "50", "confidence": "0.95"}


def split_bound(entry: Entry) -> tuple[Entry | None, Entry | None]:
    """An aggregate and its bound: `sum(temp)`, or `{of: sum(temp), within: {relative: 0.001}}`."""
    if not isinstance(entry.node, yaml.MappingNode):
        return entry, None
    parts = entry.section(("of", "within"), _BOUNDED)
    if "of" not in parts:
        entry.complain_of_key(f"{entry.name}: of is missing (e.g. {_BOUNDED})")
    return parts.get("of"), parts.get("within")


def bounded(aggregate: Aggregate[Any], entry: Entry) -> Aggregate[Any]:
    """The aggregate within the bound that an entry gives."""
    problems_before = len(entry.problems)
    found = entry.section(tuple(_NUMBERS), _BOUND)
    read = {key: part.number(_NUMBERS[key]) for key, part in found.items()}
    if len(entry.problems) > problems_before:
        return aggregate
    confidence = read.pop("confidence", None)
    try:
        within = aggregate.within(
            **read, confidence=CONFIDENCE if confidence is None else float(confidence)
        )
        method_for(within)
    except InputError as error:
        entry.complain(f"{entry.name}: {with_way_out(error)}")
        return aggregate
    return within


def read_approximation(entry: Entry) -> Mapping[str, int] | None:
    """Results are intervals; and how many buckets windows may keep, if a limit is given."""
    found = entry.section(("max_buckets",), "{max_buckets: 10000}")
    read = {
        key: part.whole("a number of buckets from 1 on", "10000") for key, part in found.items()
    }
    return {key: most for key, most in read.items() if most is not None}
