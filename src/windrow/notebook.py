"""HTML for notebooks: one look for queries, plans, windows and aggregates, without scripts."""

from collections.abc import Iterable
from html import escape

__all__ = ["boxes", "code", "preformatted", "section"]

_BOX = (
    "display:inline-block;vertical-align:middle;max-width:16em;margin:.2em;padding:.4em .6em;"
    "border:1px solid currentColor;border-radius:.4em;font-size:90%"
)


def code(text: str) -> str:
    """Text as code."""
    return f"<code>{escape(text)}</code>"


def preformatted(text: str) -> str:
    """Lines as they are, such as those of a table."""
    return f"<pre>{escape(text)}</pre>"


def section(title: str, sentences: Iterable[str]) -> str:
    """A title, and a list below it; nothing if there is nothing to list."""
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f"<p><b>{escape(title)}</b></p><ul>{items}</ul>" if items else ""


def boxes(steps: Iterable[tuple[str, str]]) -> str:
    """Steps from left to right, each a title and what it does, with arrows between them."""
    drawn = (
        f'<span style="{_BOX}"><b>{escape(title)}</b><br>{escape(text)}</span>'
        for title, text in steps
    )
    return f"<div>{' → '.join(drawn)}</div>"
