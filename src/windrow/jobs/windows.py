"""The windows of a job: one, or several by name."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import TypeVar

import yaml

from windrow.errors import WindowError
from windrow.jobs.entry import Entry, with_way_out
from windrow.jobs.problems import did_you_mean
from windrow.windows import (
    Closed,
    Count,
    Hopping,
    Punctuated,
    Session,
    Ties,
    TrailingRows,
    TrailingTime,
    Tumbling,
    Window,
    require_one_shape,
)

__all__ = ["read_windows"]

E = TypeVar("E", bound=Enum)

_EXAMPLE = "{hopping: {size: 1 hour, every: 1 minute}}"


def read_windows(entry: Entry) -> tuple[tuple[str | None, Window], ...]:
    """The windows by name; a single one may have none.

    `{hopping: {…}}` is one window; `{short: {tumbling: {…}}, long: {…}}` are several by name.
    """
    found = entry.entries(_EXAMPLE)
    if not found and isinstance(entry.node, yaml.MappingNode):
        entry.complain(f"windows: has no value (e.g. windows: {_EXAMPLE})")
    if not any(_holds_a_window(inner) for inner in found.values()):
        if len(found) > 1:
            list(found.values())[1].complain_of_key(
                "windows: several windows need names "
                f"(e.g. {{short: {{{next(iter(found))}: …}}, long: …}})"
            )
            return ()
        window = _read_window(entry)
        return () if window is None else ((None, window),)
    read = [(name, _read_window(inner)) for name, inner in found.items()]
    windows = tuple((name, window) for name, window in read if window is not None)
    for name, window in windows[1:]:
        try:
            require_one_shape({windows[0][0]: windows[0][1], name: window})
        except WindowError as error:
            found[name].complain(f"{found[name].name}: {with_way_out(error)}")
    return windows


def _holds_a_window(entry: Entry) -> bool:
    node = entry.node
    return isinstance(node, yaml.MappingNode) and any(
        key.value in _WINDOWS for key, _ in node.value if isinstance(key, yaml.ScalarNode)
    )


def _read_window(entry: Entry) -> Window | None:
    found = entry.entries(_EXAMPLE)
    if not found:
        return None
    (kind, inner), *others = found.items()
    if kind == "policy":
        inner.complain_of_key(
            f"{entry.name}: a policy is made of Python functions (use windrow.over)"
        )
        return None
    if kind not in _WINDOWS:
        hint = did_you_mean(kind, _WINDOWS)
        inner.complain_of_key(f"{entry.name}: unknown window {kind!r} {hint}")
        return None
    if others:
        others[0][1].complain_of_key(
            f"{entry.name}: one window each, here are {', '.join(found)} (keep one)"
        )
    try:
        return _WINDOWS[kind](inner)
    except WindowError as error:  # what only shows when all of its parts are there
        inner.complain(with_way_out(error))
        return None


def _parts(
    entry: Entry, known: tuple[str, ...], example: str, *, needed: int = 0
) -> Mapping[str, Entry]:
    """The parts of a window, of which the first ones are needed; a bare value is the first."""
    if isinstance(entry.node, yaml.MappingNode):
        parts = entry.section(known, example)
    else:
        parts = {known[0]: Entry(f"{entry.name}.{known[0]}", entry.node, entry.problems)}
    for part in known[:needed]:
        if part not in parts:
            entry.complain_of_key(f"{entry.name}: {part} is missing (e.g. {example})")
    return parts


def _duration(entry: Entry | None) -> int | None:
    return None if entry is None else entry.duration_us()


def _offset(parts: Mapping[str, Entry]) -> int:
    read = parts["offset"].duration_us(least=-(2**63)) if "offset" in parts else 0
    return read or 0


def _tumbling(entry: Entry) -> Tumbling | None:
    parts = _parts(entry, ("size", "offset"), "{size: 1 hour}", needed=1)
    size, offset = _duration(parts.get("size")), _offset(parts)
    return None if size is None else Tumbling(size, offset)


def _hopping(entry: Entry) -> Hopping | None:
    example = "{size: 1 hour, every: 1 minute}"
    parts = _parts(entry, ("size", "every", "offset"), example, needed=2)
    size, every = _duration(parts.get("size")), _duration(parts.get("every"))
    offset = _offset(parts)
    return None if size is None or every is None else Hopping(size, every, offset)


def _trailing(entry: Entry) -> TrailingTime | TrailingRows | None:
    parts = _parts(entry, ("duration", "rows", "closed", "ties"), "{duration: 1 hour}")
    if ("duration" in parts) == ("rows" in parts):
        entry.complain_of_key(
            f"{entry.name}: give a duration or a number of rows (e.g. trailing: 1 hour)"
        )
        return None
    if "rows" in parts:
        for part in ("closed", "ties"):
            if part in parts:
                parts[part].complain_of_key(
                    f"{parts[part].name}: is about times, and rows are counted "
                    f"(leave {part} out, or give a duration)"
                )
        rows = parts["rows"].rows()
        return None if rows is None else TrailingRows(rows)
    duration = parts["duration"].duration_us()
    closed = _word(Closed, parts.get("closed")) or Closed.RIGHT
    ties = _word(Ties, parts.get("ties")) or Ties.ARRIVAL
    return None if duration is None else TrailingTime(duration, closed, ties)


def _word(kind: type[E], entry: Entry | None) -> E | None:
    text = None if entry is None else entry.choice([member.value for member in kind])
    return None if text is None else kind(text)


def _session(entry: Entry) -> Session | None:
    gap = _duration(_parts(entry, ("gap",), "{gap: 30 minutes}", needed=1).get("gap"))
    return None if gap is None else Session(gap)


def _count(entry: Entry) -> Count | None:
    parts = _parts(entry, ("size", "every"), "{size: 100, every: 10}", needed=1)
    size = parts["size"].rows() if "size" in parts else None
    every = parts["every"].rows() if "every" in parts else size
    return None if size is None or every is None else Count(size, every)


def _punctuated(entry: Entry) -> Punctuated | None:
    parts = entry.section(("start", "end"), "{start: ignition_on}")
    markers = {name: part.text("ignition_on") for name, part in parts.items()}
    return None if None in markers.values() else Punctuated(**markers)


_WINDOWS: Mapping[str, Callable[[Entry], Window | None]] = {
    "tumbling": _tumbling,
    "hopping": _hopping,
    "trailing": _trailing,
    "session": _session,
    "count": _count,
    "punctuated": _punctuated,
}
