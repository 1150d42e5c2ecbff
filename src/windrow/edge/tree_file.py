"""`tree.yaml`: all nodes of a tree, what each does, and what is asked of them.

    queries: [hot.yaml]              # job files
    folder: state                    # each node keeps what it must in a folder of its name here
    keys: keys                       # public and secret keys; or insecure: true
    pace: {live: true, idle: 5 seconds, beat: 250 milliseconds, max_skew: 1 minute}
    absence: wait                    # or {exclude: 30 seconds}
    plan: plan.json                  # the plan it was made from, if `windrow tree make` made it
    limits: {spool_bytes: 1000000000}
    nodes:
      hq:      {role: root, listen: "tcp://0.0.0.0:7000", address: "tcp://hq:7000", results: out}
      hall-1:  {role: merger, parent: hq, listen: "tcp://10.0.0.2:7000"}
      leaf-07: {role: leaf, parent: hall-1, sources: [{http: "127.0.0.1:8080"}]}

Paths are relative to the file.  All that is wrong with it is said at once, each with its place.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from windrow.edge.children import Absence
from windrow.edge.clock import Pace
from windrow.edge.query import NodeQuery, read_node_query
from windrow.errors import InputError
from windrow.files.small_files import read_small
from windrow.jobs.document import compose, text_of
from windrow.jobs.entry import Entry
from windrow.jobs.problems import JobFileError, Place, Problem, Problems, did_you_mean

__all__ = ["Node", "ResultFiles", "Role", "Source", "Tree", "read_tree"]

_MOST_BYTES = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,99}")
_NODES = '{hq: {role: root, listen: "tcp://0.0.0.0:7000", results: out}}'
_SOURCES = '[{http: "127.0.0.1:8080"}]'
_LIMITS = ("spool_bytes", "buffer_bytes", "message_bytes")


class Role(Enum):
    """What a node does."""

    LEAF = "leaf"
    MERGER = "merger"
    LANDING = "landing"  # it keeps a spool, for Spark or for a root in another process
    ROOT = "root"  # a landing that makes results too, or a reader of another one's spool


@dataclass(frozen=True)
class Source:
    """Where rows of a leaf come from: the kind and what it needs to know."""

    kind: str
    options: Mapping[str, Any]


@dataclass(frozen=True)
class ResultFiles:
    """Where results go, and how."""

    folder: Path
    format: str = "jsonl"
    every_us: int = 1_000_000


@dataclass(frozen=True)
class Node:
    """One node."""

    name: str
    role: Role
    parent: str | None = None
    listen: str | None = None  # what it binds
    address: str | None = None  # where its children find it
    folder: Path = Path()
    sources: tuple[Source, ...] = ()
    results: ResultFiles | None = None
    spool: Path | None = None  # of another landing, which it reads


@dataclass(frozen=True)
class Tree:
    """All nodes, and what holds for all."""

    path: Path
    nodes: Mapping[str, Node]
    queries: Mapping[str, NodeQuery]  # by the names of their files
    keys: Path | None = None
    insecure: bool = False
    pace: Pace = field(default_factory=Pace)
    absence: Absence = Absence.WAIT
    patience_us: int = 30_000_000
    limits: Mapping[str, int] = field(default_factory=dict)
    plan: Path | None = None

    def children(self, name: str) -> list[str]:
        """The names of a node's children."""
        return sorted(node.name for node in self.nodes.values() if node.parent == name)

    def node(self, name: str) -> Node:
        """A node by its name."""
        if name not in self.nodes:
            raise InputError(
                f"--id {name}: no such node in {self.path} {did_you_mean(name, self.nodes)}"
            )
        return self.nodes[name]


def read_tree(path: Path) -> Tree:
    """The tree of a file; `JobFileError` says all its problems."""
    problems = Problems()
    try:
        text = read_small(path, _MOST_BYTES)
    except InputError as error:
        raise JobFileError([Problem(Place(str(path)), f"{error} (give a tree file)")]) from None
    root = Entry("", compose(text, str(path), (), problems, most=_MOST_BYTES), problems)
    tree = _Reading(path, root).tree()
    if problems or tree is None:
        raise JobFileError(problems)
    return tree


class _Reading:
    """How each entry is read."""

    def __init__(self, path: Path, root: Entry) -> None:
        self._path, self._folder, self._root = path, path.parent, root
        self._problems = root.problems

    def tree(self) -> Tree | None:
        known = (
            "queries",
            "folder",
            "keys",
            "insecure",
            "pace",
            "absence",
            "limits",
            "plan",
            "nodes",
        )
        found = self._root.section(known, f"nodes: {_NODES}")
        for key, example in (("nodes", _NODES), ("queries", "[hot.yaml]")):
            if key not in found:
                self._root.complain(f"{key} is missing (e.g. {key}: {example})")
        folder = self._folder / "state"
        if "folder" in found:
            folder = self._path_of(found["folder"], "state") or folder
        keys = self._path_of(found["keys"], "keys") if "keys" in found else None
        plan = self._path_of(found["plan"], "plan.json") if "plan" in found else None
        insecure = bool(found["insecure"].flag()) if "insecure" in found else False
        if keys is not None and insecure:
            found["insecure"].complain_of_key(
                "insecure: true and keys exclude each other (remove one)"
            )
        absence, patience_us = Absence.WAIT, 30_000_000
        if "absence" in found:
            absence, patience_us = self._absence(found["absence"])
        limits: dict[str, int] = {}
        if "limits" in found:
            for name, entry in (
                found["limits"].section(_LIMITS, "{spool_bytes: 1000000000}").items()
            ):
                size = entry.whole("a number of bytes", "1000000000")
                if size is not None:
                    limits[name] = size
        pace = self._pace(found["pace"]) if "pace" in found else Pace()
        queries = self._queries(found["queries"]) if "queries" in found else {}
        nodes = self._nodes(found["nodes"], folder) if "nodes" in found else {}
        return Tree(
            self._path, nodes, queries, keys, insecure, pace, absence, patience_us, limits, plan
        )

    def _path_of(self, entry: Entry, example: str) -> Path | None:
        text = entry.text(example)
        return None if text is None else self._folder / Path(text)

    def _absence(self, entry: Entry) -> tuple[Absence, int]:
        if not isinstance(entry.node, yaml.MappingNode):
            text = entry.text("wait")
            if text is not None and text != Absence.WAIT.value:
                entry.complain(
                    f"absence: {text!r} is not wait (or e.g. absence: {{exclude: 30 seconds}})"
                )
            return Absence.WAIT, 30_000_000
        found = entry.section(("exclude",), "{exclude: 30 seconds}")
        patience = found["exclude"].duration_us() if "exclude" in found else None
        return Absence.EXCLUDE, patience or 30_000_000

    def _pace(self, entry: Entry) -> Pace:
        found = entry.section(("live", "idle", "beat", "max_skew"), "{live: true}")
        how: dict[str, Any] = {}
        if "live" in found:
            how["live"] = bool(found["live"].flag())
        for name in ("idle", "beat", "max_skew"):
            us = (
                found[name].duration_us(least=0 if name != "beat" else 1_000)
                if name in found
                else None
            )
            if us is not None:
                how[f"{name}_us"] = us
        return Pace(**how)

    def _queries(self, entry: Entry) -> dict[str, NodeQuery]:
        read: dict[str, NodeQuery] = {}
        kinds: dict[str, Any] = {}
        for text, place in entry.texts("hot.yaml"):
            path = self._folder / text
            try:
                query = read_node_query(text_of(path), str(path))
            except JobFileError as error:
                self._problems.extend(error.problems)
                continue
            if path.stem in read:
                self._problems.append(
                    Problem(place, f"queries: {path.stem!r} is there twice (rename one)")
                )
            for one in query.source_schema:
                if kinds.setdefault(one.name, one.type) != one.type:
                    self._problems.append(
                        Problem(
                            place,
                            f"queries: column {one.name!r} is {one.type} in {text}, and "
                            f"{kinds[one.name]} in another query (give a column one type)",
                        )
                    )
            read[path.stem] = query
        return read

    def _nodes(self, entry: Entry, folder: Path) -> dict[str, Node]:
        nodes: dict[str, Node] = {}
        entries = entry.entries(_NODES)
        for name, inner in entries.items():
            if not _NAME.fullmatch(name):
                inner.complain_of_key(
                    f"nodes: {name!r} cannot name a node (use letters, digits, _, - and .)"
                )
            node = self._node(name, inner, folder)
            if node is not None:
                nodes[name] = node
        self._check_parents(nodes, entries)
        return nodes

    def _node(self, name: str, entry: Entry, folder: Path) -> Node | None:
        known = ("role", "parent", "listen", "address", "folder", "sources", "results", "spool")
        found = entry.section(known, "{role: leaf, parent: hq}")
        if "role" not in found:
            if entry.kind == "map":
                entry.complain_of_key(f"nodes.{name}: role is missing (e.g. role: leaf)")
            return None
        text = found["role"].choice([role.value for role in Role])
        if text is None:
            return None
        role = Role(text)
        spool = self._path_of(found["spool"], "state/landing/spool") if "spool" in found else None
        needed, allowed = _keys_of(role, spool)
        for key in needed:
            if key not in found:
                entry.complain_of_key(
                    f"nodes.{name}: {key} is missing (e.g. {key}: {_EXAMPLES[key]})"
                )
        for key in found.keys() - {"role", "folder", *needed, *allowed}:
            found[key].complain_of_key(
                f"nodes.{name}: {key} is not for a {role.value} (leave it out)"
            )
        listen = found["listen"].text(_EXAMPLES["listen"]) if "listen" in found else None
        address = found["address"].text(_EXAMPLES["address"]) if "address" in found else listen
        for key, value in (("listen", listen), ("address", address)):
            if key in found and value is not None:
                _check_address(found[key], value)
        return Node(
            name=name,
            role=role,
            parent=found["parent"].text("hq") if "parent" in found else None,
            listen=listen,
            address=address,
            folder=(self._path_of(found["folder"], "state/leaf-07") if "folder" in found else None)
            or folder / name,
            sources=self._sources(found["sources"]) if "sources" in found else (),
            results=self._results(found["results"]) if "results" in found else None,
            spool=spool,
        )

    def _results(self, entry: Entry) -> ResultFiles | None:
        if not isinstance(entry.node, yaml.MappingNode):
            folder = self._path_of(entry, "out")
            return None if folder is None else ResultFiles(folder)
        found = entry.section(("folder", "format", "every"), "{folder: out, format: jsonl}")
        if "folder" not in found:
            entry.complain_of_key(f"{entry.name}: folder is missing (e.g. folder: out)")
            return None
        format_ = found["format"].choice(("jsonl", "parquet")) if "format" in found else "jsonl"
        every = found["every"].duration_us() if "every" in found else None
        folder = self._path_of(found["folder"], "out")
        if folder is None or format_ is None:
            return None
        return ResultFiles(
            folder, format_, every or (1_000_000 if format_ == "jsonl" else 10_000_000)
        )

    def _sources(self, entry: Entry) -> tuple[Source, ...]:
        if not isinstance(entry.node, yaml.SequenceNode):
            entry.complain(f"{entry.name}: not a list (e.g. sources: {_SOURCES})")
            return ()
        read = [self._source(Entry(entry.name, node, entry.problems)) for node in entry.node.value]
        return tuple(source for source in read if source is not None)

    def _source(self, entry: Entry) -> Source | None:
        if entry.kind == "str":
            return Source("stdin", {}) if entry.choice(("stdin",)) else None
        found = entry.section(("http", "mqtt", "files"), _SOURCES[1:-1])
        if len(found) != 1:
            if entry.kind == "map":
                entry.complain(
                    f"{entry.name}: a source is one of http, mqtt, files, stdin "
                    f"(e.g. {_SOURCES[1:-1]})"
                )
            return None
        kind, inner = next(iter(found.items()))
        if not isinstance(inner.node, yaml.MappingNode):
            text = inner.text(_SOURCE_EXAMPLES[kind])
            return None if text is None else self._with_defaults(inner, kind, {_FIRST[kind]: text})
        options: dict[str, Any] = {}
        for key, one in inner.section(tuple(_SOURCE_KEYS[kind]), _SOURCE_EXAMPLES[kind]).items():
            value = _SOURCE_KEYS[kind][key](one)
            if value is not None:
                options[key] = value
        return self._with_defaults(inner, kind, options)

    def _with_defaults(self, entry: Entry, kind: str, options: dict[str, Any]) -> Source | None:
        for key in _SOURCE_NEEDS[kind]:
            if key not in options:
                entry.complain_of_key(
                    f"{entry.name}: {key} is missing (e.g. {_SOURCE_EXAMPLES[kind]})"
                )
                return None
        for key in ("listen", "broker"):
            if key in options:
                host, _, port = options[key].rpartition(":")
                if not host or not port.isdecimal() or int(port) > 65_535:
                    entry.complain(
                        f"{entry.name}: {options[key]!r} is no host and port (e.g. 127.0.0.1:8080)"
                    )
                    return None
        for key in ("folder", "password_file", "ca"):
            if key in options:
                options[key] = self._folder / options[key]
        return Source(kind, options)

    def _check_parents(self, nodes: Mapping[str, Node], entries: Mapping[str, Entry]) -> None:
        for name, node in nodes.items():
            if node.parent is None:
                continue
            parent = entries[name].entries("{}")["parent"]
            if node.parent not in entries:
                hint = did_you_mean(node.parent, entries)
                parent.complain(f"nodes.{name}.parent: no node {node.parent!r} {hint}")
            elif node.parent in nodes and nodes[node.parent].listen is None:
                parent.complain(
                    f"nodes.{name}.parent: {node.parent!r} has no children "
                    "(give a merger, a landing or a root)"
                )
            elif _circles(name, nodes):
                parent.complain(
                    f"nodes.{name}.parent: {name!r} is above itself (give another parent)"
                )


def _circles(name: str, nodes: Mapping[str, Node]) -> bool:
    seen = {name}
    at = nodes[name].parent
    while at is not None and at in nodes:
        if at in seen:
            return at == name
        seen.add(at)
        at = nodes[at].parent
    return False


_EXAMPLES = {
    "parent": "hq",
    "listen": '"tcp://0.0.0.0:7000"',
    "address": '"tcp://hq:7000"',
    "results": "out",
    "sources": _SOURCES,
}
_SOURCE_KEYS: Mapping[str, Mapping[str, Any]] = {
    "http": {
        "listen": lambda entry: entry.text("127.0.0.1:8080"),
        "most_bytes": lambda entry: entry.whole("a number of bytes", "16000000"),
        "token_file": lambda entry: entry.text("token"),
    },
    "mqtt": {
        "broker": lambda entry: entry.text("127.0.0.1:1883"),
        "topics": lambda entry: tuple(text for text, _ in entry.texts("plant/+/temp")),
        "topic_column": lambda entry: entry.text("topic"),
        "client": lambda entry: entry.text("leaf-07"),
        "user": lambda entry: entry.text("leaf"),
        "password_file": lambda entry: entry.text("password"),
        "ca": lambda entry: entry.text("ca.pem"),
    },
    "files": {
        "folder": lambda entry: entry.text("incoming"),
        "once": lambda entry: entry.flag(),
    },
}
_SOURCE_NEEDS = {
    "http": ("listen",),
    "mqtt": ("broker", "topics"),
    "files": ("folder",),
    "stdin": (),
}
_FIRST = {"http": "listen", "mqtt": "broker", "files": "folder"}
_SOURCE_EXAMPLES = {
    "http": '{http: "127.0.0.1:8080"}',
    "mqtt": '{mqtt: {broker: "127.0.0.1:1883", topics: [plant/#]}}',
    "files": "{files: incoming}",
}


def _keys_of(role: Role, spool: Path | None) -> tuple[Collection[str], Collection[str]]:
    """Which keys a node needs, and which it may have."""
    if role is Role.LEAF:
        return ("parent",), ("sources",)
    if role is Role.MERGER:
        return ("parent", "listen"), ("address",)
    if role is Role.LANDING:
        return ("listen",), ("address",)
    return (
        (("results",), ("spool",)) if spool is not None else (("listen", "results"), ("address",))
    )


def _check_address(entry: Entry, address: str) -> None:
    try:
        parts = urlsplit(address)
        fits = parts.scheme == "tcp" and bool(parts.hostname) and parts.port is not None
    except ValueError:
        fits = False
    if not fits and not address.startswith("ipc://"):
        entry.complain(f'{entry.name}: {address!r} is no address (e.g. "tcp://10.0.0.2:7000")')
