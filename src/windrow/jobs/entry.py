"""One entry of a job file: read as what it should be, or complained about at its line."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import isfinite

import yaml

from windrow.errors import WindowError, WindrowError
from windrow.jobs.problems import Place, Problem, Problems, did_you_mean, kind_of
from windrow.windows import microseconds

__all__ = ["Entry", "with_way_out"]

_TRUE = frozenset({"yes", "true", "on"})
# As everyone writes numbers: to YAML `010` is 8, and `1:30` is 90.
_DIGITS = re.compile(r"\+?(?:0|[1-9][0-9_]{0,30})")
_NUMBER = re.compile(r"\+?(?:[0-9][0-9_]*\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LARGEST = 2**63 - 1
_MOST_HINTS = 100  # looking for names that are alike takes time


@dataclass(frozen=True)
class Entry:
    """A node of the file, what messages call it, and where they go.

    Methods that read give None (or nothing) for what they complained about: reading goes on, so
    that all problems come to light at once.
    """

    name: str
    node: yaml.Node
    problems: Problems
    key: yaml.Node | None = None

    @property
    def place(self) -> Place:
        """Where it stands."""
        return Place.of(self.node.start_mark)

    def complain(self, message: str, *, shift: int = 0) -> None:
        """Note a problem here, or some characters to the right."""
        self.problems.append(Problem(Place.of(self.node.start_mark, shift), message))

    def complain_of_key(self, message: str) -> None:
        """Note a problem with its key rather than its value."""
        self.problems.append(Problem(Place.of((self.key or self.node).start_mark), message))

    @property
    def kind(self) -> str:
        """What it is in YAML: str, int, float, bool, null, map, seq, …"""
        return self.node.tag.rpartition(":")[2]

    def text(self, example: str) -> str | None:
        """Some text."""
        if self.kind == "str" and self.node.value.strip():
            return str(self.node.value)
        self._refuse("text", example)
        return None

    def texts(self, example: str) -> tuple["tuple[str, Place]", ...]:
        """A text or a list of texts, each with its place."""
        entries = [self]
        if isinstance(self.node, yaml.SequenceNode):
            entries = [Entry(self.name, node, self.problems) for node in self.node.value]
        read = ((entry.text(example), entry.place) for entry in entries)
        return tuple((text, place) for text, place in read if text is not None)

    def flag(self) -> bool | None:
        """True or false."""
        if self.kind == "bool":
            return self.node.value.casefold() in _TRUE
        self._refuse("yes or no", "true")
        return None

    def rows(self) -> int | None:
        """A number of rows."""
        return self.whole("a number of rows from 1 on", "1000")

    def whole(self, wanted: str, example: str) -> int | None:
        """A whole number from 1 on."""
        if self.kind == "int" and _DIGITS.fullmatch(self.node.value):
            number = int(self.node.value)
            if 1 <= number <= _LARGEST:
                return number
        self._refuse(wanted, example)
        return None

    def number(self, example: str) -> float | None:
        """A number of 0 or more; YAML takes `1e-3` for text, we do not."""
        if self.kind in {"int", "float", "str"} and _NUMBER.fullmatch(self.node.value):
            number = float(self.node.value)
            if isfinite(number):
                return number
        self._refuse("a number of 0 or more", example)
        return None

    def choice(self, known: Collection[str]) -> str | None:
        """One of some words."""
        text = self.text(next(iter(known)))
        if text is not None and text not in known:
            self.complain(f"{self.name}: unknown {text!r} {did_you_mean(text, known)}")
            return None
        return text

    def duration_us(self, *, least: int = 1) -> int | None:
        """A length of time, in microseconds."""
        if self.kind not in {"str", "int", "float"}:
            self._refuse("a duration", "10 minutes")
            return None
        try:
            us = microseconds(self.node.value, self.name.rpartition(".")[2])
        except WindowError as error:
            self.complain(with_way_out(error))
            return None
        if us < least:
            self.complain(f"{self.name}: {self.node.value!r} is too short (e.g. 10 minutes)")
            return None
        return us

    def settings(self) -> Mapping[str, str]:
        """Names with simple values, as text: what Spark takes for options and settings."""
        read = {}
        for key, entry in self.entries("{header: true}").items():
            if isinstance(entry.node, yaml.ScalarNode) and entry.kind != "null":
                value = entry.node.value
                read[key] = str(entry.flag()).lower() if entry.kind == "bool" else str(value)
            else:
                entry._refuse("text, a number, or true or false", "true")
        return read

    def entries(self, example: str) -> dict[str, "Entry"]:
        """The entries of a mapping by their keys."""
        if not isinstance(self.node, yaml.MappingNode):
            self._refuse("a mapping", example)
            return {}
        found: dict[str, Entry] = {}
        self.problems.note_entries(len(self.node.value), self.node.start_mark)
        for key_node, node in self.node.value:
            if isinstance(key_node, yaml.ScalarNode):
                key = str(key_node.value)
                name = f"{self.name}.{key}" if self.name else key
                found[key] = Entry(name, node, self.problems, key_node)
            else:
                message = f"a key of {self.name or 'a job'} is {kind_of(key_node)} (keys are text)"
                self.problems.append(Problem(Place.of(key_node.start_mark), message))
        return found

    def section(self, known: Collection[str], example: str) -> dict[str, "Entry"]:
        """The entries of a mapping whose keys are known; others are complained about."""
        found = self.entries(example)
        inside = f" in {self.name}" if self.name else ""
        unknown = [key for key in found if key not in known]
        for key in unknown[:_MOST_HINTS]:
            hint = did_you_mean(key, known)
            found[key].complain_of_key(f"unknown key {key!r}{inside} {hint}")
        return {key: entry for key, entry in found.items() if key in known}

    def _refuse(self, wanted: str, example: str) -> None:
        is_scalar = isinstance(self.node, yaml.ScalarNode)
        kind = kind_of(self.node)
        if is_scalar and not self.node.value.strip():
            fault, way_out = "has no value", None
        elif is_scalar and wanted == "text":
            fault, way_out = f"{self.node.value} is {kind}, not text", "quotes make it text"
        else:
            fault = f"{repr(self.node.value) if is_scalar else kind} is not {wanted}"
            way_out = None
        key = self.name.rpartition(".")[2]
        self.complain(f"{self.name}: {fault} ({way_out or f'e.g. {key}: {example}'})")


def with_way_out(error: WindrowError) -> str:
    """A message of ours as those of job files are: what is wrong (and the way out)."""
    what, separator, way_out = str(error).partition("; ")
    return f"{what} ({way_out})" if separator else what
