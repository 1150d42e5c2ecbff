"""What is wrong with a job file, and where: every problem at once, each with its line."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

import yaml

from windrow.errors import WindrowError

__all__ = ["JobFileError", "Place", "Problem", "Problems", "did_you_mean", "kind_of"]

_KINDS = {"str": "text", "int": "a number", "float": "a number", "bool": "yes or no"}
_KINDS |= {"map": "a mapping", "seq": "a list", "null": "empty", "timestamp": "a date"}
_MOST, _LONGEST = 50, 600  # problems, and characters of a line
_LONGEST_NAME = 80
_MOST_ENTRIES = 30_000  # more than a file of the largest size can hold without aliases


@dataclass(frozen=True, order=True, slots=True)
class Place:
    """A line and a column of a job file, both counted from 1; line 0 stands for all of it."""

    file: str
    line: int = 0
    column: int = 0

    @classmethod
    def of(cls, mark: yaml.Mark, shift: int = 0) -> "Place":
        """Where a mark of the YAML reader points, moved right by some characters."""
        if mark.name.startswith("--"):  # an option of the command line has no lines
            return cls(mark.name)
        return cls(mark.name, mark.line + 1, mark.column + 1 + shift)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where, what, and the way out."""

    place: Place
    message: str

    def __str__(self) -> str:
        lines = (_cut(line) for line in self.message.split("\n"))
        return f"{self.place}: {chr(10).join(lines)}"


def _cut(line: str) -> str:
    half = _LONGEST // 2
    return line if len(line) <= _LONGEST else f"{line[:half]} … {line[-half:]}"


class JobFileError(WindrowError):
    """A job file that cannot be run, with all its problems from top to bottom."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(dict.fromkeys(problems), key=lambda problem: problem.place))
        lines = [str(problem) for problem in self.problems[:_MOST]]
        if more := len(self.problems) - len(lines):
            lines.append(f"… and {more:,} more problems (fix these first)")
        super().__init__("\n".join(lines))


class Problems(list[Problem]):
    """The problems found so far; bounds the work of looking for more."""

    def __init__(self) -> None:
        super().__init__()
        self._entries = 0

    def note_entries(self, entries: int, mark: yaml.Mark) -> None:
        """Add to the entries read so far; refuse a file whose aliases repeat too many."""
        self._entries += entries
        if self._entries > _MOST_ENTRIES:
            message = f"aliases repeat more than {_MOST_ENTRIES:,} entries (write fewer of them)"
            raise JobFileError([*self, Problem(Place.of(mark), message)])


def kind_of(node: yaml.Node) -> str:
    """What a node of YAML is, in words."""
    return _KINDS.get(node.tag.rpartition(":")[2], "of an unknown kind")


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """The way out of a misspelt name: the nearest known one, or else all of them."""
    names = list(known)
    wrong = wrong[:_LONGEST_NAME]
    close = get_close_matches(wrong, names, n=1) or get_close_matches(wrong.casefold(), names, n=1)
    return f"(did you mean {close[0]!r}?)" if close else f"(known: {', '.join(names) or 'none'})"
