"""The reference: every public name has a page, and a docstring whose example runs.

Examples after `>>>` run as doctests, with all others.  Those that need Spark stand between fences,
as in documents, and run in tests/spark/test_documents.py.
"""

import doctest
import importlib
import inspect
import re
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from tests.test_docs import ROOT, examples
from tests.test_layout import modules

PUBLIC = [
    "windrow",
    "windrow.agg",
    "windrow.approximate",
    "windrow.datasets",
    "windrow.errors",
    "windrow.paged",
    "windrow.paged.stores",
    "windrow.structures",
    "windrow.testing",
    "windrow.topology",
    "windrow.topology.simulation",
    "windrow.window",
]


def public_names(module: str) -> Iterator[tuple[str, Any]]:
    exported = importlib.import_module(module)
    for name in exported.__all__:
        value = getattr(exported, name)
        if not inspect.ismodule(value) and not name.startswith("__"):
            yield name, value


def on_spark() -> dict[str, str]:
    """The docstrings with examples between fences, by the names that they are of."""
    named = {f"{module}.{name}": value for module in PUBLIC for name, value in public_names(module)}
    docstrings = {name: inspect.getdoc(value) or "" for name, value in named.items()}
    return {name: text for name, text in docstrings.items() if any(examples(text))}


def has_example(docstring: str) -> bool:
    shown = doctest.DocTestParser().get_examples(docstring)
    return any(step.want for step in shown) or any(examples(docstring))


def mentions(docstring: str | None, name: str) -> bool:
    shown = doctest.DocTestParser().get_examples(docstring or "")
    return any(re.search(rf"\b{name}\b", step.source) for step in shown)


def is_shown_by_module(name: str, value: Any) -> bool:
    """Whether a module that has the name shows it: constants have no docstring of their own."""
    return any(mentions(home.__doc__, name) for home in modules() if vars(home).get(name) is value)


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_has_an_example(module: str) -> None:
    assert [
        name
        for name, value in public_names(module)
        if not (inspect.isclass(value) or inspect.isroutine(value))
        or not has_example(inspect.getdoc(value) or "")
        if not is_shown_by_module(name, value)
    ] == []


def test_an_example_that_shows_nothing_is_none() -> None:
    assert has_example("Adds.\n\n>>> 1 + 1\n2")
    assert has_example("Adds.\n\n```python\nassert 1 + 1 == 2\n```\n")
    assert not has_example("Adds.\n\n>>> x = 1 + 1")
    assert not has_example("Adds.")


def test_every_public_name_is_on_a_page_of_the_reference() -> None:
    pages = [path.read_text() for path in (ROOT / "docs" / "reference").glob("*.md")]
    homes = [(module.__name__, vars(module)) for module in modules()]
    assert [
        f"{module}.{name}"
        for module in PUBLIC
        for name, value in public_names(module)
        if not is_shown_by_module(name, value)
        if not any(
            shows(page, home, name)
            for home, names in homes
            if home == module or names.get(name) is value
            for page in pages
        )
    ] == []


def shows(page: str, home: str, name: str) -> bool:
    """Whether a page shows a name alone, with all others of its module, or with some of them."""
    if f"::: {home}.{name}\n" in page:
        return True
    of_module = re.search(rf"^::: {re.escape(home)}\n((?:    .*\n)*)", page, re.MULTILINE)
    if of_module is None or is_module(f"{home}.{name}"):
        return False  # of two things with one path, the site shows the module
    options = of_module[1]
    is_chosen = re.search(rf"members: \[.*\b{name}\b.*\]|^ +- {name}$", options, re.MULTILINE)
    return "members:" not in options or bool(is_chosen)


def is_module(path: str) -> bool:
    try:
        return find_spec(path) is not None
    except ModuleNotFoundError:  # what is above it is no package
        return False


def test_a_name_that_no_page_shows_is_missed() -> None:
    assert shows("::: a.b\n", "a", "b")
    assert shows("::: a\n", "a", "b")
    assert shows("::: a\n    options:\n      members: [c, b]\n", "a", "b")
    assert not shows("::: a\n    options:\n      members: [c]\n", "a", "b")
    assert not shows("::: c\n", "a", "b")
    assert not shows("::: windrow.topology\n", "windrow.topology", "csa")
    assert shows("::: windrow.topology.csa.csa\n", "windrow.topology.csa", "csa")
