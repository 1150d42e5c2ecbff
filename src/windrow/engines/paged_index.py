"""The large windows of many keys: as tables to keep, and as paged windows to work on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import numbers, together
from windrow.engines.engine import Kept
from windrow.engines.paged_window import PagedWindow

__all__ = ["PagedEntry", "Register", "Sorted"]

_COUNTERS = ("number", "paged", "evicted", "swept", "oldest", "newest")


@dataclass(frozen=True)
class PagedEntry:
    """A paged window and its key; or the remaining pages of one."""

    key: pa.Table  # of one row
    paged_window: PagedWindow
    oldest: int  # the ticks of its oldest row and of its newest
    newest: int

    @property
    def alive(self) -> bool:
        """Whether rows in pages are in the window."""
        return self.paged_window.evicted < self.paged_window.paged

    def abandoned(self) -> "PagedEntry":
        """Only its pages: none of their rows is in the window any more."""
        none = self.paged_window.loose.slice(0, 0)
        paged_window = replace(
            self.paged_window, evicted=self.paged_window.paged, loose=none, nodes={}
        )
        return replace(self, paged_window=paged_window)


@dataclass(frozen=True)
class Sorted:
    """Kept and new rows, with those of large windows separate."""

    alive: list[PagedEntry]
    new: list[pa.Table]  # the new rows of each that is alive
    left: list[PagedEntry]  # of which only pages are left
    small: pa.Table  # the kept rows of all other keys
    rest: pa.Table  # their new rows


class Register:
    """Paged windows as tables: counters and loose nodes; loose rows are among those of all keys."""

    def __init__(self, keys: Sequence[str], rows: pa.Schema, nodes: pa.Schema) -> None:
        self._keys = list(keys)
        self._nodes = nodes
        self._rows = rows
        fields = [rows.field(name) for name in keys]
        counters = [pa.field(name, pa.int64()) for name in _COUNTERS]
        self.schemas = {
            "rows": rows,
            "paged_windows": pa.schema([*fields, *counters]),
            "nodes": pa.schema([*fields, pa.field("level", pa.int64()), *nodes]),
            "numbering": pa.schema([pa.field("next", pa.int64())]),
        }

    def sort(self, kept: Kept, rows: pa.Table) -> Sorted:
        """Kept and new rows, assigned to their windows."""
        paged_windows, held = kept["paged_windows"], kept["rows"]
        if not paged_windows.num_rows:
            return Sorted([], [], [], held, rows)
        alive = numbers(paged_windows["evicted"]) < numbers(paged_windows["paged"])
        living, left = paged_windows.filter(pa.array(alive)), paged_windows.filter(pa.array(~alive))
        small, loose = self._apart(living, held)
        rest, new = self._apart(living, rows)
        _, nodes = self._apart(living, kept["nodes"])
        names = [name for name in self._rows.names if name not in self._keys]
        none = held.select(names).slice(0, 0)
        entries = [
            self._entry(living.slice(k, 1), loose[k].select(names), nodes[k])
            for k in range(living.num_rows)
        ]
        ended = [
            self._entry(left.slice(k, 1), none, kept["nodes"].slice(0, 0))
            for k in range(left.num_rows)
        ]
        return Sorted(entries, new, ended, small, rest)

    def tables(self, entries: Iterable[PagedEntry], small: pa.Table) -> Kept:
        """Entries, and the rows of small windows, as tables."""
        rows, paged_windows, nodes = [small], [], []
        for entry in entries:
            paged_window = entry.paged_window
            rows.append(self._with_key(entry.key, paged_window.loose, "rows"))
            counters = (
                paged_window.number,
                paged_window.paged,
                paged_window.evicted,
                paged_window.swept,
            )
            values = (*counters, entry.oldest, entry.newest)
            one = pa.table([[value] for value in values], list(_COUNTERS))
            paged_windows.append(self._with_key(entry.key, one, "paged_windows"))
            for level, table in paged_window.nodes.items():
                levels = pa.array(np.full(table.num_rows, level))
                nodes.append(
                    self._with_key(entry.key, table.append_column("level", levels), "nodes")
                )
        found = {"rows": rows, "paged_windows": paged_windows, "nodes": nodes}
        return {
            name: pa.concat_tables([self.schemas[name].empty_table(), *tables]).combine_chunks()
            for name, tables in found.items()
        }

    def with_key(self, key: pa.Table, rows: pa.Table) -> pa.Table:
        """Rows of a key among those of all keys."""
        return self._with_key(key, rows, "rows")

    def _entry(self, row: pa.Table, loose: pa.Table, nodes: pa.Table) -> PagedEntry:
        number, paged, evicted, swept, *ends = (row[name][0].as_py() for name in _COUNTERS)
        levels = numbers(nodes["level"])
        own = nodes.select(self._nodes.names)
        by_level = {
            int(level): own.filter(pa.array(levels == level)) for level in np.unique(levels)
        }
        paged_window = PagedWindow(number, paged, evicted, swept, loose, by_level)
        return PagedEntry(row.select(self._keys), paged_window, *ends)

    def _apart(self, owners: pa.Table, table: pa.Table) -> tuple[pa.Table, list[pa.Table]]:
        """The rows of no owner's key, and those of each, in the order they have."""
        own = self._owners(owners, table)
        order = np.argsort(own, kind="stable")
        places = np.searchsorted(own[order], np.arange(-1, owners.num_rows + 1))
        ordered = table.take(pa.array(order))
        rest, *parts = (ordered.slice(a, b - a) for a, b in pairwise(places.tolist()))
        return rest, parts

    def _owners(self, owners: pa.Table, table: pa.Table) -> NDArray[np.int64]:
        """The owner whose key each row has; -1 if none."""
        if not self._keys:
            return np.full(table.num_rows, owners.num_rows - 1)
        both = pa.concat_tables([owners.select(self._keys), table.select(self._keys)])
        keyed = together(both)
        groups, is_owner = keyed.groups, keyed.origins < owners.num_rows
        of_group = np.full(len(keyed.borders) - 1, -1)
        of_group[groups[is_owner]] = keyed.origins[is_owner]
        found = np.empty(table.num_rows, np.int64)
        found[keyed.origins[~is_owner] - owners.num_rows] = of_group[groups[~is_owner]]
        return found

    def _with_key(self, key: pa.Table, table: pa.Table, name: str) -> pa.Table:
        """A table with the columns of a key before it."""
        first = pa.array(np.zeros(table.num_rows, np.int64))
        columns = {column: key[column].take(first) for column in self._keys}
        columns |= dict(zip(table.schema.names, table.columns, strict=True))
        schema = self.schemas[name]
        return pa.table([columns[column] for column in schema.names], schema=schema)
