"""Docstrings as Markdown: examples after `>>>` become code blocks of the reference."""

import doctest
from itertools import groupby
from typing import Any

from griffe import Extension, Object

# Where the docstring of a package turns to those who read its code.
_FOR_READERS_OF_CODE = "\nInside this package"


class FencedDoctests(Extension):
    """Puts each run of doctest examples between fences, where Markdown would see quotes."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of a module, class, function or attribute."""
        if obj.docstring is None:
            return
        text = obj.docstring.value
        if obj.is_module:
            text, _, _ = text.partition(_FOR_READERS_OF_CODE)
        obj.docstring.value = fenced(text)


def fenced(text: str) -> str:
    """The text with a fence around every run of examples."""
    code = {
        line
        for example in doctest.DocTestParser().get_examples(text)
        for line in range(
            example.lineno, example.lineno + example.source.count("\n") + example.want.count("\n")
        )
    }
    runs = groupby(enumerate(text.splitlines()), key=lambda line: line[0] in code)
    return "\n".join(
        "\n".join(["```pycon", *lines, "```"] if is_code else lines)
        for is_code, lines in ((is_code, [line for _, line in run]) for is_code, run in runs)
    )
