"""From the text of a job file to a tree of YAML nodes that know their lines."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from windrow.errors import InputError
from windrow.files.small_files import read_small
from windrow.jobs.problems import JobFileError, Place, Problem, Problems, kind_of

__all__ = ["compose", "text_of"]

_MOST_BYTES = 100_000  # some thousand entries; the time to read more would be felt
_DEEPEST = 20
_MERGE = "tag:yaml.org,2002:merge"
_Pair = tuple[yaml.Node, yaml.Node]
_NO_TEXT = re.compile(r"[\0\ud800-\udfff]")  # only escapes can write them


class _Loader(yaml.SafeLoader):
    """Composes nodes and makes no objects; refuses tags, and what is nested too deeply.

    A mapping has each key once: first what `<<` puts in, then its own.  What `<<` names has been
    composed before, so that merges of merges take no more time than others.
    """

    def __init__(self, text: str, name: str, problems: Problems) -> None:
        # Set afterwards: a reader that knows its name from the start takes the text for a file.
        super().__init__(text)
        self.name = name
        self._problems = problems
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        mark = event.start_mark
        if getattr(event, "tag", None) not in {None, "!"}:
            raise _fault(
                Place.of(mark), f"the tag {event.tag!r} is not read in a job (leave it out)"
            )
        if self._depth == _DEEPEST:
            raise _fault(
                Place.of(mark), f"nested deeper than {_DEEPEST} levels (a job needs no more than 5)"
            )
        self._depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        own = dict[str, _Pair]()
        others: list[_Pair] = []
        named: list[yaml.Node] = []
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                others.append((key, value))
            elif key.tag == _MERGE:
                named += value.value if isinstance(value, yaml.SequenceNode) else [value]
            else:
                if key.value in own:
                    message = f"{key.value!r} is there twice (remove one)"
                    self._problems.append(Problem(Place.of(key.start_mark), message))
                own[key.value] = key, value
        merged = {name: pair for name, pair in self._merged(named).items() if name not in own}
        self._problems.note_entries(len(merged), node.start_mark)
        node.value = [*merged.values(), *own.values(), *others]
        return node

    def _merged(self, named: Sequence[yaml.Node]) -> dict[str, _Pair]:
        """The pairs of the mappings that `<<` names; of a key that several have, the first counts.

        A mapping that is named again is not looked at again: all of a large file may name one.
        """
        found: dict[str, _Pair] = {}
        for one in {id(one): one for one in named}.values():
            if not isinstance(one, yaml.MappingNode):
                message = f"<<: {kind_of(one)} is not a mapping (e.g. <<: *defaults)"
                self._problems.append(Problem(Place.of(one.start_mark), message))
                continue
            for key, its in one.value:
                if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
                    found.setdefault(key.value, (key, its))
        return found

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
        node = super().compose_scalar_node(anchor)
        if _NO_TEXT.search(node.value):
            place = Place.of(node.start_mark)
            raise _fault(place, "an escape for half a character, or for none (leave it out)")
        return node


def compose(
    text: str,
    name: str,
    settings: Sequence[str],
    problems: Problems,
    *,
    most: int = _MOST_BYTES,
) -> yaml.MappingNode:
    """The tree of a job, with `key=value` settings of the command line put in.

    Messages call it by its `name`, which for a file is its path.
    """
    if len(text) > most:
        raise _fault(Place(name), f"more than {most:,} characters (a job needs no more)")
    root = _parse(text, name, problems)
    if root is None:
        root = yaml.MappingNode("tag:yaml.org,2002:map", [], yaml.Mark(name, 0, 0, 0, "", 0))
    if not isinstance(root, yaml.MappingNode):
        raise _fault(
            Place.of(root.start_mark), "a job is a mapping (write keys such as source: and time:)"
        )
    for setting in settings:
        _put(root, setting, problems)
    return root


def text_of(path: Path) -> str:
    """The text of a job file."""
    try:
        return read_small(path, _MOST_BYTES)
    except InputError as error:
        raise _fault(
            Place(str(path)), f"{error} (give a job file, which is YAML in UTF-8)"
        ) from None


def _parse(text: str, name: str, problems: Problems) -> yaml.Node | None:
    loader = None
    try:
        loader = _Loader(text, name, problems)
        return loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place.of(mark) if mark else Place(name)
        message = " ".join(filter(None, (error.context, error.problem)))
        raise _fault(place, f"not YAML: {message}{_hint(message)}") from None
    except yaml.reader.ReaderError as error:
        raise _fault(
            _place(text, error.position, name), f"not YAML: {error.reason} (remove it)"
        ) from None
    except (ValueError, OverflowError):  # an escape such as "\\U00110000"
        place = Place(name) if loader is None else Place.of(loader.get_mark())
        raise _fault(
            place, "not YAML: a number or an escape that is too large (leave it out)"
        ) from None


def _place(text: str, position: int, name: str) -> Place:
    if name.startswith("--"):
        return Place(name)
    above = text[:position]
    return Place(name, above.count("\n") + 1, position - above.rfind("\n"))


def _hint(message: str) -> str:
    if r"'\t'" in message:
        return " (indent with spaces)"
    if "mapping values are not allowed" in message:
        return " (put text with a colon in quotes)"
    if "expected ',' or" in message:
        return " (close the bracket, or put text with brackets in quotes)"
    return " (check quotes, brackets and indentation)"


def _put(root: yaml.MappingNode, setting: str, problems: Problems) -> None:
    """Put the value of `sink.path=here` where the keys lead; `spark.…` is a setting of Spark."""
    name = f"--set {setting}"
    keys, equals, text = setting.partition("=")
    if not equals or not all(path := keys.strip().split(".")):
        raise _fault(Place(name), "not of the form key=value (e.g. --set sink.mode=overwrite)")
    if path[0] == "spark":
        path = ["spark", keys.strip()]
    value = _parse(text, name, problems)
    if value is None:
        raise _fault(Place(name), "gives no value (e.g. --set sink.mode=overwrite)")
    mapping = root
    for key in path[:-1]:
        inner = next((node for known, node in mapping.value if known.value == key), None)
        if not isinstance(inner, yaml.MappingNode):
            inner = yaml.MappingNode("tag:yaml.org,2002:map", [], value.start_mark, value.end_mark)
            _replace(mapping, key, inner)
        mapping = inner
    _replace(mapping, path[-1], value)


def _replace(mapping: yaml.MappingNode, key: str, node: yaml.Node) -> None:
    name = yaml.ScalarNode("tag:yaml.org,2002:str", key, node.start_mark, node.end_mark)
    mapping.value = [*(pair for pair in mapping.value if pair[0].value != key), (name, node)]


def _fault(place: Place, message: str) -> JobFileError:
    return JobFileError([Problem(place, message)])
