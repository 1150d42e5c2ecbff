"""The operators that the rows of a DataFrame have gone through, read from Spark's own plan.

The plan in words is what classic Spark and Connect both show.  It is the analysed one: the
optimised plan leaves operators out and puts others in.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame

__all__ = ["Operators", "operators_of"]

_LINE = re.compile(r"(?P<branches>[ :|+-]*)[~!']?(?P<name>\w+)(?P<rest>.*)")
_BRANCH = 3  # characters for each level of Spark's drawing

_WATERMARK = "EventTimeWatermark"
# Operators that pass each row on in the micro-batch in which it arrived.  All others, including
# those of future Spark versions, are assumed to hold rows back.
_PASSES_AT_ONCE = frozenset(
    {
        _WATERMARK,
        "CTERelationDef",
        "CollectMetrics",
        "DeserializeToObject",
        "Expand",
        "Filter",
        "Generate",
        "MapElements",
        "MapInArrow",
        "MapInPandas",
        "MapPartitions",
        "PipeOperator",
        "Project",
        "RebalancePartitions",
        "Repartition",
        "RepartitionByExpression",
        "ResolvedHint",
        "Sample",
        "SerializeFromObject",
        "SubqueryAlias",
        "TypedFilter",
        "Union",
        "View",
        "WithCTE",
    }
)
# Operators that may emit nothing before the watermark moves.
_WAITS = re.compile(r"Aggregate|Distinct|Except|FlatMapGroups\w*|Intersect|TransformWithState\w*")
_WITH_STATE = "TransformWithState"


@dataclass(frozen=True)
class _Operator:
    name: str
    rest: str  # of its line
    above: tuple[str, ...]  # the operators that take its rows, the last one of all first
    is_source: bool


@dataclass(frozen=True)
class Operators:
    """The operators of a plan, each before those that it takes rows from."""

    all: tuple[_Operator, ...]

    @property
    def hold_back(self) -> bool:
        """Whether rows may come in a later micro-batch than the rows they are computed from.

        It is safe to say so of an operator that does not, such as a join with a table: no row is
        late by the previous watermark that is not also late by the current one.
        """
        return any(op.name not in _PASSES_AT_ONCE and not op.is_source for op in self.all)

    @property
    def have_state_in_python(self) -> bool:
        """Whether a stateful operator in Python is among them, as windrow's own is."""
        return any(op.name.startswith(_WITH_STATE) for op in self.all)

    @property
    def repeat_results(self) -> bool:
        """Whether such an operator emits results again as they change."""
        return any(op.name.startswith(_WITH_STATE) and ", Update, " in op.rest for op in self.all)

    @property
    def have_watermark(self) -> bool:
        """Whether a watermark is set somewhere."""
        return any(op.name == _WATERMARK for op in self.all)

    @property
    def wait_for_two_watermarks(self) -> bool:
        """Whether a watermark is set on rows that wait for another one: neither would ever move."""
        return any(_is_behind_waiting(op.above) for op in self.all if op.name == _WATERMARK)


def operators_of(df: DataFrame) -> Operators:
    """The operators of Spark's plan of a DataFrame."""
    lines = [line for line in map(_LINE.fullmatch, _analysed(df).splitlines()) if line]
    depths = [len(line["branches"]) // _BRANCH for line in lines]
    return Operators(tuple(_read(lines, depths)))


def _read(lines: list[re.Match[str]], depths: list[int]) -> Iterator[_Operator]:
    path: list[str] = []
    for line, depth, below in zip(lines, depths, [*depths[1:], 0], strict=True):
        del path[depth:]
        yield _Operator(line["name"], line["rest"], tuple(path), below <= depth)
        path.append(line["name"])


def _is_behind_waiting(above: tuple[str, ...]) -> bool:
    if _WATERMARK not in above:
        return False
    return any(_WAITS.fullmatch(name) for name in above[above.index(_WATERMARK) :])


def _analysed(df: DataFrame) -> str:
    classic = getattr(df, "_jdf", None)
    if classic is not None:
        return str(classic.queryExecution().analyzed().toString())
    connected: Any = df
    plans = str(connected._explain_string(extended=True))
    _, _, analysed = plans.partition("== Analyzed Logical Plan ==\n")
    _, _, tree = analysed.partition("== Optimized Logical Plan ==")[0].partition("\n")  # the schema
    return tree
