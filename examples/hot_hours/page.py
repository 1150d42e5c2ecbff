"""The page that the demo leaves behind: one file, with everything in it."""

from collections.abc import Sequence
from html import escape
from string import Template
from typing import NamedTuple

PAGE = Template("""\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>windrow: $title</title>
<style>
  body { margin: 0 auto; padding: 2.5rem 1.5rem 4rem; max-width: 60rem; color: #1e293b;
         background: #fff; font: 16px/1.55 system-ui, "Segoe UI", Roboto, sans-serif; }
  h1 { margin: 0; font-size: 1.9rem; letter-spacing: -.02em; }
  h2 { margin: 3rem 0 .4rem; font-size: 1.2rem; }
  p { margin: .4rem 0 1rem; max-width: 46rem; color: #475569; }
  img { display: block; width: 100%; height: auto; }
  .facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr));
           gap: 1rem; margin: 2rem 0 0; padding: 0; }
  .facts div { padding: 1rem 1.2rem; background: #f8fafc; border: 1px solid #e2e8f0;
               border-radius: .6rem; }
  .facts dt { color: #64748b; font-size: .8rem; }
  .facts dd { margin: 0; font-size: 1.55rem; font-weight: 650; letter-spacing: -.02em; }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
  th, td { padding: .35rem 1.6rem .35rem 0; border-bottom: 1px solid #e2e8f0; text-align: right; }
  th:first-child, td:first-child { text-align: left; }
  th { color: #64748b; font-weight: 500; font-size: .9rem; }
  pre { margin: .6rem 0; padding: 1rem 1.2rem; overflow-x: auto; background: #f8fafc;
        border: 1px solid #e2e8f0; border-radius: .6rem; font-size: .85rem; line-height: 1.5; }
  footer { margin-top: 3rem; color: #64748b; font-size: .85rem; }
</style>
<h1>$title</h1>
<p>$lead</p>
<dl class="facts">$facts</dl>
$sections
<footer>$footer</footer>
</html>
""")


class Section(NamedTuple):
    """A heading, a few words, and pieces of HTML."""

    title: str
    words: str
    pieces: Sequence[str]


def page(
    title: str,
    lead: str,
    facts: Sequence[tuple[str, str]],
    sections: Sequence[Section],
    footer: str,
) -> str:
    return PAGE.substitute(
        title=escape(title),
        lead=escape(lead),
        facts="".join(
            f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts
        ),
        sections="\n".join(
            "\n".join((f"<h2>{escape(s.title)}</h2>", f"<p>{escape(s.words)}</p>", *s.pieces))
            for s in sections
        ),
        footer=escape(footer),
    )


def picture(address: str, words: str) -> str:
    return f'<img src="{address}" alt="{escape(words)}">'


def code(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

    return f"<table>{line(head, 'th')}{''.join(line(row, 'td') for row in rows)}</table>"
