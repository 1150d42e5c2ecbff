"""From the text of a job file to a tree of YAML nodes that know their lines."""

from collections.abc import Sequence
from pathlib import Path

import yaml

from windrow.cli.job.problems import JobFileError, Place, Problem

__all__ = ["compose"]


def compose(path: Path, settings: Sequence[str] = ()) -> yaml.MappingNode:
    """The tree of a job file, with `key=value` settings of the command line put in."""
    root = _parse(_text_of(path), str(path))
    if root is None:
        root = yaml.MappingNode("tag:yaml.org,2002:map", [], yaml.Mark(str(path), 0, 0, 0, "", 0))
    if not isinstance(root, yaml.MappingNode):
        raise _fault(
            Place.of(root.start_mark), "a job is a mapping (write keys such as source: and time:)"
        )
    for setting in settings:
        _put(root, setting)
    return root


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise _fault(Place(str(path)), f"{error.strerror} (give the path of a job file)") from None
    except UnicodeDecodeError:
        raise _fault(Place(str(path)), "not UTF-8 (a job file is YAML text)") from None


def _parse(text: str, name: str) -> yaml.Node | None:
    try:
        # Only here: a reader told its characters one by one would not know the file's name.
        loader = yaml.SafeLoader(text)
        loader.name = name
        return loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place.of(mark) if mark else Place(name)
        message = " ".join(filter(None, (error.context, error.problem)))
        raise _fault(place, f"not YAML: {message}{_hint(message)}") from None
    except yaml.YAMLError as error:
        raise _fault(Place(name), f"not YAML: {error}") from None


def _hint(message: str) -> str:
    if r"'\t'" in message:
        return " (indent with spaces)"
    if "mapping values are not allowed" in message:
        return " (put text with a colon in quotes)"
    if "expected ',' or" in message:
        return " (close the bracket, or put text with brackets in quotes)"
    return ""


def _put(root: yaml.MappingNode, setting: str) -> None:
    """Put the value of `sink.path=here` where the keys lead; `spark.…` is a setting of Spark."""
    name = f"--set {setting}"
    keys, equals, text = setting.partition("=")
    if not equals or not all(path := keys.strip().split(".")):
        raise _fault(Place(name), "not of the form key=value (e.g. --set sink.mode=overwrite)")
    if path[0] == "spark":
        path = ["spark", keys.strip()]
    value = _parse(text, name)
    if value is None:
        raise _fault(Place(name), "gives no value (e.g. --set sink.mode=overwrite)")
    mapping = root
    for step, key in enumerate(path, 1):
        found = [pair for pair in mapping.value if pair[0].value == key]
        if step == len(path):
            mapping.value[:] = [pair for pair in mapping.value if pair not in found]
            mapping.value.append((_key(key, value), value))
        elif found and isinstance(found[0][1], yaml.MappingNode):
            mapping = found[0][1]
        else:
            inner = yaml.MappingNode("tag:yaml.org,2002:map", [], value.start_mark, value.end_mark)
            mapping.value[:] = [pair for pair in mapping.value if pair not in found]
            mapping.value.append((_key(key, value), inner))
            mapping = inner


def _key(name: str, value: yaml.Node) -> yaml.ScalarNode:
    return yaml.ScalarNode("tag:yaml.org,2002:str", name, value.start_mark, value.end_mark)


def _fault(place: Place, message: str) -> JobFileError:
    return JobFileError([Problem(place, message)])
