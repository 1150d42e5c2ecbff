"""Spark SQL cut into tokens, as far as nodes read it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from windrow.jobs.expressions import ExpressionError

__all__ = ["Token", "name_parts", "tokens"]

_LONGEST = 10_000

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?(?:bd|BD|[lLsSyYdDfF])?(?!\w))
    | (?P<name>[^\W\d]\w*)
    | (?P<quoted>`(?:[^`]|``)+`)
    | (?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    | (?P<sign><=>|<=|>=|<>|!=|==|::|[-+*/%<>=(),.])
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "'": "'", '"': '"', "\\": "\\"}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text: its kind, what it says, and where it begins and ends."""

    kind: str  # number, name, quoted (a name), text, sign; end
    value: str
    at: int
    end: int

    def says(self, *words: str) -> bool:
        """Whether it is one of these signs, or of these keywords in any case."""
        if self.kind == "name":
            return self.value.upper() in words
        return self.kind == "sign" and self.value in words


def tokens(text: str) -> list[Token]:
    """All tokens, and one for the end.

    >>> [token.value for token in tokens("temp * 1.8 >= `my column`")]
    ['temp', '*', '1.8', '>=', 'my column', '']
    """
    if len(text) > _LONGEST:
        raise ExpressionError(f"more than {_LONGEST:,} characters (derive columns one by one)")
    return [*_tokens(text), Token("end", "", len(text), len(text))]


def name_parts(text: str) -> tuple[str, ...]:
    """The parts of a name such as `place.height`, without the quotes that some may have."""
    found = tokens(text)[:-1]
    names, dots = found[::2], found[1::2]
    if not all(token.kind in {"name", "quoted", "number"} for token in names) or not all(
        token.says(".") for token in dots
    ):
        return (text,)
    return tuple(token.value for token in names)


def _tokens(text: str) -> Iterator[Token]:
    at, end = 0, len(text.rstrip())
    before = None
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            raise _unreadable(text, at)
        kind = str(match.lastgroup)
        value = match[kind]
        start = match.start(kind)
        if kind == "sign" and text.startswith("--", start):
            raise ExpressionError("-- begins a comment (put a space in between)", start)
        if kind == "quoted":
            value = value[1:-1].replace("``", "`")
        if kind == "text":
            if before == "text":
                raise ExpressionError(
                    "two texts side by side (write concat(a, b), and a quote as \\')", start
                )
            value = _unescaped(value[1:-1], start + 1)
        yield Token(kind, value, start, match.end())
        at, before = match.end(), kind


def _unescaped(text: str, start: int) -> str:
    parts, at = [], 0
    while (slash := text.find("\\", at)) >= 0:
        sign = text[slash + 1]
        if sign not in _ESCAPES and sign not in "%_":
            raise ExpressionError(
                f"the escape \\{sign} (nodes know \\n \\t \\r \\' \\\" \\\\)", start + slash
            )
        # what stands for itself in a pattern stays escaped
        parts += [text[at:slash], _ESCAPES.get(sign, "\\" + sign)]
        at = slash + 2
    return "".join([*parts, text[at:]])


def _unreadable(text: str, at: int) -> ExpressionError:
    at += len(text[at:]) - len(text[at:].lstrip())
    if text[at] in "'\"`":
        return ExpressionError(f"a quote {text[at]} without its end", at)
    return ExpressionError(
        f"{text[at]!r} is nothing that nodes compute with (compute it where rows are made, or run "
        "the job on Spark alone)",
        at,
    )
