"""Names that do not exist: those of other libraries lead to ours, and messages name none."""

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import windrow as wr
from windrow import agg, window
from windrow.algebra.lookup import registered
from windrow.algebra.other_names import OTHER_NAMES
from windrow.errors import AggregateError

PACKAGE = Path(wr.__file__).parent
NAMED = re.compile(r"(?<![\w.])(agg|window|wr|windrow)\.([a-z_]\w*)")
MODULES: dict[str, ModuleType] = {"agg": agg, "window": window, "wr": wr, "windrow": wr}


def texts() -> Iterator[tuple[str, str]]:
    """Every text of the package but its documents, and where it stands."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and id(node) not in documents:
                text = str(node.value)
                if "lambda window" not in text:  # predicates call what they look at a window too
                    yield f"{path.relative_to(PACKAGE)}:{node.lineno}", text


def exists(module: str, name: str) -> bool:
    known = MODULES[module]
    if hasattr(known, name):
        return True
    return known is wr and importlib.util.find_spec(f"windrow.{name}") is not None


def test_every_name_that_a_message_recommends_exists() -> None:
    assert [
        f"{where}: {module}.{name}"
        for where, text in texts()
        for module, name in NAMED.findall(text)
        if not exists(module, name)
    ] == []


def test_a_name_that_does_not_exist_would_be_found() -> None:
    assert NAMED.findall("say agg.monoid(...), or windrow.agg") == [
        ("agg", "monoid"),
        ("windrow", "agg"),
    ]
    assert not exists("agg", "monoid")
    assert exists("windrow", "paged")


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_what_an_aggregate_is_called_elsewhere_leads_to_ours(name: str) -> None:
    assert OTHER_NAMES[name] in registered()
    with pytest.raises(AttributeError, match=rf"'{name}'; .*agg\.{OTHER_NAMES[name]}\b"):
        getattr(agg, name)
    assert not hasattr(agg, name)


@pytest.mark.parametrize(
    ("module", "name", "said"),
    [
        (agg, "AVG", r"here it is agg\.mean"),
        (agg, "monoid", r"make one with windrow\.monoid\(\.\.\.\), and .* agg\.of"),
        (agg, "mode", r"windrow\.monoid"),
        (agg, "varience", r"did you mean agg\.variance\?"),
        (window, "sliding", r"window\.hopping.*window\.trailing"),
        (window, "rolling", r"window\.trailing"),
        (window, "tumble", r"window\.tumbling"),
        (window, "hop", r"window\.hopping"),
        (window, "sesion", r"did you mean window\.session\?"),
        (wr, "rol", r"did you mean windrow\.roll\?"),
        (agg, "qqq", "has no attribute 'qqq'$"),
    ],
)
def test_names_that_do_not_exist_lead_on(module: ModuleType, name: str, said: str) -> None:
    with pytest.raises(AttributeError, match=said):
        getattr(module, name)
    assert not hasattr(module, name)


@pytest.mark.parametrize(
    ("make", "arguments", "said"),
    [
        (agg.quantile, ("temp", 0.99), r"did you mean agg\.quantile\(0\.99, 'temp'\)\?"),
        (agg.quantile_sketch, ("temp", 0.5), r"agg\.quantile_sketch\(0\.5, 'temp'\)\?"),
        (agg.top_k, ("temp", 3), r"did you mean agg\.top_k\(3, 'temp'\)\?"),
        (agg.histogram, ("temp", [0, 1]), r"agg\.histogram\(\[0, 1\], 'temp'\)\?"),
        (agg.quantile, ("temp",), r"^q='temp' is not between 0 and 1; use q=0\.5"),
    ],
)
def test_swapped_arguments_are_told(make: Any, arguments: tuple[Any, ...], said: str) -> None:
    with pytest.raises(AggregateError, match=said):
        make(*arguments)
