"""From text to expressions, with the precedence that Spark SQL has.

OR, AND, NOT, a predicate (IS, IN, BETWEEN, LIKE), comparisons, + and -, * / and %,
a sign, ::type, and single values
"""

from collections.abc import Callable
from typing import NoReturn, TypeVar

import pyarrow as pa

from windrow.edge.query.expressions import arithmetic, casting, choosing, comparing, literals
from windrow.edge.query.expressions.functions import FUNCTIONS, call
from windrow.edge.query.expressions.lexer import Token, tokens
from windrow.edge.query.expressions.scope import Scope
from windrow.edge.query.expressions.values import Expression, MismatchError
from windrow.jobs.expressions import ExpressionError
from windrow.jobs.problems import did_you_mean

__all__ = ["compile_condition", "compile_expression"]

_DEEPEST = 30
_KEYWORDS = frozenset({"AND", "OR", "NOT", "IS", "IN", "BETWEEN", "LIKE"}) | {
    *("CASE", "WHEN", "THEN", "ELSE", "END", "NULL", "TRUE", "FALSE"),
}
_COMPARISONS = ("=", "==", "<>", "!=", "<", "<=", ">", ">=", "<=>")
_SUMS = ("+", "-")
_PRODUCTS = ("*", "/", "%")

T = TypeVar("T")


def compile_expression(text: str, scope: Scope) -> Expression:
    """The expression that a text is over these columns.

    >>> import pyarrow as pa
    >>> scope = Scope.of(pa.schema([("temp", pa.float64()), ("n", pa.int32())]))
    >>> compile_expression("temp * 1.8 + 32 > n", scope).written
    '(((`temp` * 1.8) + 32) > `n`)'
    >>> compile_expression("n / 2", scope).kind
    DataType(double)
    >>> compile_expression("mod(n, 2)", scope)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    windrow.jobs.expressions.ExpressionError: nodes know no function 'mod' (known: abs, ceil, ...
    """
    return _Parser(text, scope).whole()


def compile_condition(text: str, scope: Scope) -> Expression:
    """The same, of what is true, false or null."""
    found = compile_expression(text, scope)
    try:
        return comparing.require_boolean(found, "where")
    except MismatchError as error:
        raise ExpressionError(str(error)) from None


class _Parser:
    """Reads an expression from left to right."""

    def __init__(self, text: str, scope: Scope) -> None:
        self._text = text
        self._scope = scope
        self._tokens = tokens(text)
        self._at = 0
        self._depth = 0

    def whole(self) -> Expression:
        """All of the text."""
        found = self._condition()
        if self._token.kind != "end":
            self._refuse(self._token, "an operator or the end")
        return found

    @property
    def _token(self) -> Token:
        return self._tokens[self._at]

    def _next(self) -> Token:
        token = self._token
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def _took(self, *words: str) -> Token | None:
        """The next token, if it is one of these."""
        return self._next() if self._token.says(*words) else None

    def _expect(self, word: str) -> Token:
        token = self._token
        if not token.says(word):
            self._refuse(token, word)
        return self._next()

    def _refuse(self, token: Token, wanted: str) -> NoReturn:
        what = "the end" if token.kind == "end" else repr(self._text[token.at : token.end])
        raise ExpressionError(
            f"{what} where {wanted} is expected (nodes compute with columns, values, "
            f"+ - * / %, comparisons, AND OR NOT, IS NULL, IN, BETWEEN, LIKE, CASE, CAST and "
            f"{', '.join(FUNCTIONS)})",
            token.at,
        )

    def _made(self, at: int, make: Callable[..., T], *given: object) -> T:
        """What is made of parts; types that do not fit are complained about at a place."""
        try:
            return make(*given)
        except MismatchError as error:
            raise ExpressionError(str(error), at) from None

    def _condition(self) -> Expression:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ExpressionError(f"nested deeper than {_DEEPEST} levels", self._token.at)
        found = self._conjunction()
        while token := self._took("OR"):
            found = self._made(token.at, comparing.either, found, self._conjunction())
        self._depth -= 1
        return found

    def _conjunction(self) -> Expression:
        found = self._negation()
        while token := self._took("AND"):
            found = self._made(token.at, comparing.both, found, self._negation())
        return found

    def _negation(self) -> Expression:
        taken = []
        while token := self._took("NOT"):
            taken.append(token)
        found = self._predicate()
        for token in reversed(taken):
            found = self._made(token.at, comparing.opposite, found)
        return found

    def _predicate(self) -> Expression:
        value = self._compared()
        start = self._token
        if self._took("IS"):
            negated = self._took("NOT")
            self._expect("NULL")
            found = comparing.is_null(value)
        else:
            negated = self._took("NOT")
            if self._took("IN"):
                choices = self._list()
                found = self._made(start.at, comparing.among, value, choices)
            elif self._took("BETWEEN"):
                low = self._compared()
                self._expect("AND")
                found = self._made(start.at, comparing.between, value, low, self._compared())
            elif self._took("LIKE"):
                found = self._made(start.at, comparing.like, value, self._compared())
            elif negated:
                self._refuse(self._token, "IN, BETWEEN or LIKE")
            else:
                return value
        return self._made(start.at, comparing.opposite, found) if negated else found

    def _compared(self) -> Expression:
        return self._chain(_COMPARISONS, self._sum, comparing.comparison)

    def _sum(self) -> Expression:
        return self._chain(_SUMS, self._product, arithmetic.binary)

    def _product(self) -> Expression:
        return self._chain(_PRODUCTS, self._signed, arithmetic.binary)

    def _chain(
        self,
        signs: tuple[str, ...],
        part: Callable[[], Expression],
        make: Callable[[str, Expression, Expression], Expression],
    ) -> Expression:
        """Parts joined by signs of one precedence, from left to right."""
        found = part()
        while token := self._took(*signs):
            found = self._made(token.at, make, token.value, found, part())
        return found

    def _signed(self) -> Expression:
        taken = []
        while token := self._took("+", "-"):
            if token.value == "-" and self._token.kind == "number":
                self._at -= 1
                break
            taken.append(token)
        found = self._typed()
        for token in reversed(taken):
            if token.value == "-":
                found = self._made(token.at, arithmetic.negative, found)
        return found

    def _typed(self) -> Expression:
        found = self._single()
        while token := self._took("::"):
            found = self._made(token.at, casting.cast, found, self._type())
        return found

    def _single(self) -> Expression:
        token = self._next()
        if token.says("-"):  # of a number
            return self._made(token.at, literals.number, f"-{self._next().value}")
        if token.kind == "number":
            return self._made(token.at, literals.number, token.value)
        if token.kind == "text":
            return literals.text(token.value)
        if token.says("("):
            found = self._condition()
            self._expect(")")
            return found
        if token.says("NULL"):
            return literals.null()
        if token.says("TRUE", "FALSE"):
            return literals.boolean(token.value.upper())
        if token.says("CASE"):
            return self._case(token)
        if token.kind == "quoted" or (
            token.kind == "name" and token.value.upper() not in _KEYWORDS
        ):
            return self._named(token)
        return self._refuse(token, "a value")

    def _named(self, token: Token) -> Expression:
        """A column, a call, or the type of a text that follows."""
        if token.kind == "name" and self._token.says("("):
            return self._cast() if token.says("CAST") else self._call(token)
        if token.says(*literals.TIMED) and self._token.kind == "text":
            return self._made(token.at, literals.timed, token.value.upper(), self._next().value)
        parts, end = [token.value], token
        while self._took("."):
            end = self._next()
            if end.kind not in {"name", "quoted"}:
                self._refuse(end, "the name of a field")
            parts.append(end.value)
        found = self._scope.find(parts)
        if found is None:
            written = self._text[token.at : end.end]
            raise ExpressionError(
                f"no column {written!r} {did_you_mean('.'.join(parts), self._scope.columns)}",
                token.at,
            )
        return found

    def _call(self, token: Token) -> Expression:
        if token.value.lower() not in FUNCTIONS:
            hint = did_you_mean(token.value, FUNCTIONS)
            raise ExpressionError(f"nodes know no function {token.value!r} {hint}", token.at)
        return self._made(token.at, call, token.value, self._list(least=0))

    def _list(self, least: int = 1) -> list[Expression]:
        self._expect("(")
        found: list[Expression] = []
        if least == 0 and self._took(")"):
            return found
        found.append(self._condition())
        while self._took(","):
            found.append(self._condition())
        self._expect(")")
        return found

    def _cast(self) -> Expression:
        start = self._expect("(")
        value = self._condition()
        self._expect("AS")
        kind = self._type()
        self._expect(")")
        return self._made(start.at, casting.cast, value, kind)

    def _type(self) -> pa.DataType:
        first = last = self._next()
        if first.kind != "name":
            self._refuse(first, "a type")
        if self._took("("):
            while not (last := self._next()).says(")"):
                if last.kind == "end":
                    self._refuse(last, ")")
        return self._made(first.at, casting.kind_called, self._text[first.at : last.end])

    def _case(self, token: Token) -> Expression:
        of = None if self._token.says("WHEN") else self._condition()
        branches = []
        while when := self._took("WHEN"):
            condition = self._condition()
            if of is not None:
                condition = self._made(when.at, comparing.comparison, "=", of, condition)
            self._expect("THEN")
            branches.append((condition, self._condition()))
        if not branches:
            self._refuse(self._token, "WHEN")
        other = self._condition() if self._took("ELSE") else None
        self._expect("END")
        return self._made(token.at, choosing.case, branches, other)
