"""Every Python example in the documents runs, and says what it should give; no link is dead.

The examples of one document run in order and share their names.  Each of them either shows results
after `>>>` or holds an `assert`: an example that claims nothing could be wrong unnoticed.
"""

import ast
import doctest
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]

FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>```+|~~~+) *(?P<language>\w*)[^\n]*\n(?P<code>.*?)^ *(?P=fence) *$",
    re.MULTILINE | re.DOTALL,
)
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
NAMES_OF_USERS = {"job.py"}  # files that readers write themselves
DOCTEST_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Example(NamedTuple):
    """The code of one fenced block, and the number of lines before it."""

    code: str
    lines_before: int


def examples(markdown: str) -> Iterator[Example]:
    for block in FENCE.finditer(markdown):
        if block["language"].lower() in {"python", "py", "pycon", "python3"}:
            yield Example(
                textwrap.dedent(block["code"]), markdown.count("\n", 0, block.start("code"))
            )


def run_document(path: Path) -> None:
    run_examples(path.read_text(encoding="utf-8"), path, {"__name__": "__main__"})


def run_examples(markdown: str, path: Path, names: dict[str, Any]) -> None:
    for example in examples(markdown):
        if re.search(r"^\s*>>> ", example.code, re.MULTILINE):
            _run_session(example, path, names)
        else:
            _run_script(example, path, names)


def _run_session(example: Example, path: Path, names: dict[str, Any]) -> None:
    session = doctest.DocTestParser().get_doctest(
        example.code, names, path.name, str(path), example.lines_before
    )
    if not any(step.want for step in session.examples):
        _claims_nothing(example, path)
    session.globs = names  # a DocTest copies them; the next example needs the new names
    report: list[str] = []
    doctest.DocTestRunner(optionflags=DOCTEST_FLAGS).run(
        session, out=report.append, clear_globs=False
    )
    if report:
        pytest.fail("".join(report), pytrace=False)


def _run_script(example: Example, path: Path, names: dict[str, Any]) -> None:
    # The empty lines make a traceback point into the document.
    tree = ast.parse("\n" * example.lines_before + example.code, filename=str(path))
    if not any(isinstance(node, ast.Assert) for node in ast.walk(tree)):
        _claims_nothing(example, path)
    exec(compile(tree, str(path), "exec"), names)


def _claims_nothing(example: Example, path: Path) -> NoReturn:
    pytest.fail(
        f"{path.name}:{example.lines_before + 1}: this example claims nothing; "
        "show a result after >>> or add an assert",
        pytrace=False,
    )


# Those with examples on Spark run where there is one: tests/spark/test_documents.py.
ON_SPARK = [
    path
    for path in DOCUMENTS
    if "pyspark" in "".join(e.code for e in examples(path.read_text(encoding="utf-8")))
]
WITHOUT_SPARK = [path for path in DOCUMENTS if path not in ON_SPARK]


@pytest.mark.parametrize("path", WITHOUT_SPARK, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_examples_of_a_document_hold(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # whatever an example writes
    run_document(path)


def test_examples_share_their_names(tmp_path: Path) -> None:
    document = tmp_path / "right.md"
    document.write_text(
        "```python\nx = 1\nassert x\n```\n"
        "- in a list:\n  ```python\n  >>> y = x + 1\n  >>> y\n  2\n  ```\n"
        "```text\nnot Python\n```\n"
        "```python\nassert (x, y) == (1, 2)\n```\n"
    )
    run_document(document)


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (">>> 1 + 1\n3", "Expected:\n    3\nGot:\n    2"),
        (">>> 1 + 1", r"wrong\.md:4: this example claims nothing"),
        ("1 + 1", r"wrong\.md:4: this example claims nothing"),
    ],
)
def test_a_wrong_or_empty_example_is_caught(tmp_path: Path, wrong: str, complaint: str) -> None:
    document = tmp_path / "wrong.md"
    document.write_text(f"# Title\n\n```python\n{wrong}\n```\n")
    with pytest.raises(pytest.fail.Exception, match=complaint):
        run_document(document)


def test_a_failing_assert_is_caught(tmp_path: Path) -> None:
    document = tmp_path / "wrong.md"
    document.write_text("```python\nassert 1 + 1 == 3\n```\n")
    with pytest.raises(AssertionError):
        run_document(document)


def test_every_page_is_in_the_navigation() -> None:
    listed = re.findall(r"^ *- (?:[^:\n]+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M)
    pages = [str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")]
    assert sorted(listed) == sorted(pages)


def test_every_module_that_a_document_names_exists() -> None:
    modules = [f"/{path.relative_to(ROOT)}" for path in ROOT.glob("[!.]*/**/*.py")]
    assert [
        f"{path.relative_to(ROOT)}: {named}"
        for path in DOCUMENTS
        for named in re.findall(r"(?<![\w/.])[\w/]*\w\.py\b", path.read_text(encoding="utf-8"))
        if named not in NAMES_OF_USERS and not any(m.endswith(f"/{named}") for m in modules)
    ] == []


def test_every_link_leads_to_a_file() -> None:
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("benchmarks/*.md")]
    assert [
        f"{path.relative_to(ROOT)}: {target}"
        for path in documents
        for target in LINK.findall(path.read_text(encoding="utf-8"))
        if not Path(path.parent, target).exists()
    ] == []
