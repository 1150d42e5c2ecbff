"""Windows of buckets, step by step: what compiled approximate windows call."""

import dis
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from windrow.algebra.numeric import FLOAT
from windrow.approximate.compiled.operator import BucketOperator, BucketPart, make_bucket_operator
from windrow.approximate.compiled.watched import (
    WatchCode,
    nothing_watched,
    policy_watched,
    time_watched,
)
from windrow.approximate.compiled.window import DURATION, LEAST, MOST, CellsCode, cells_code
from windrow.approximate.method import Kind
from windrow.compiler.jit import define
from windrow.compiler.kernel import Kernel
from windrow.compiler.marks import hot
from windrow.kernels.cells import read_int, write_byte, write_float, write_int
from windrow.kernels.operator import Part, make_operator
from windrow.kernels.policy import Watched, judge_code

__all__ = ["bucket_code"]


class BucketSteps(NamedTuple):
    """The kernels of one kind of windows; a window and its forest are addresses."""

    reset: Any  # reset(window, forest)
    # roll(columns, masks, row, end, window, forest, at_most, out) → the row to go on with, or end:
    # insert, slide, evict down to `at_most`, and answer; below 0, only insert
    roll: Any
    evict: Any  # evict(window, forest, count)
    slide: Any  # slide(window, forest); None without a policy
    shrink: Any  # shrink(window, forest, buckets)
    answer: Any  # answer(window, forest, out)
    buckets: Any  # buckets(window, forest) → how many there are
    refill: Any  # refill(window, forest, leaves, evicted, split)


def make_bucket_steps(operator: BucketOperator, kinds: tuple[Kind, ...]) -> BucketSteps:
    """The kernels.

    `out` are addresses, four for each part: of values, of low ends, of high ends, of statuses.
    """
    functions = cells_code(operator, kinds)
    window_of, has_room = functions.window, functions.has_room
    insert, trim = window_of.insert, window_of.trim
    lift = operator.lift
    slides = operator.watch.policy is not None
    slide = functions.slide
    answer = _answer(operator, functions)

    def roll(
        columns: Any,
        masks: Any,
        row: Any,
        end: Any,
        window: Any,
        forest: Any,
        at_most: Any,
        out: Any,
    ) -> Any:
        while row < end and has_room(forest):
            insert(window, forest, lift(columns, masks, row))
            if at_most >= 0:
                if slides:
                    slide(window, forest)
                trim(window, forest, at_most)
                answer(window, forest, out, row)
            row += 1
        return row

    def answer_once(window: Any, forest: Any, out: Any) -> None:
        answer(window, forest, out, 0)

    return BucketSteps(
        reset=Kernel(window_of.reset),
        roll=Kernel(roll, element_us=40.0),
        evict=Kernel(window_of.evict),
        slide=Kernel(slide) if slides else None,
        shrink=Kernel(window_of.shrink),
        answer=Kernel(answer_once),
        buckets=Kernel(window_of.buckets),
        refill=Kernel(functions.refill),
    )


def _answer(operator: BucketOperator, functions: CellsCode) -> Any:
    """The intervals of all parts, into one row of the arrays."""
    names: dict[str, Any] = {
        "ends": functions.memory.ends,
        "slides": operator.watch.policy is not None,
        "started": functions.window.started,
        "read_int": read_int,
        "combine": operator.combine,
        "write_byte": write_byte,
        "write_float": write_float,
        "write_int": write_int,
    }
    source = (
        "def answer(window, forest, out, row):\n"
        f"    least, most = read_int(window, {LEAST}), read_int(window, {MOST})\n"
        "    oldest, rest = ends(window, forest)\n"
        "    if slides and least < 0:\n"
        "        oldest, rest, least, most = started(window, forest)\n"
        "    whole = oldest[0] == least\n"
        "    if whole and least > 0:\n"
        "        rest = combine(oldest, rest)\n"
    )
    for number, part in enumerate(operator.parts):
        names |= {
            f"own{number}": operator.own[number],
            f"answer{number}": part.code.answer,
            f"interval{number}": part.code.interval,
        }
        value, low, high, status = (f"{kind}{number}" for kind in ("v", "l", "h", "s"))
        is_float = part.code.result == FLOAT
        write = "write_float" if is_float else "write_int"
        unsigned = " + 0.0" if is_float else ""  # as `Interval.unsigned`: -0.0 + 0.0 is 0.0
        source += (
            "    if whole:\n"
            f"        {value}, {status} = answer{number}(own{number}(rest))\n"
            f"        {low} = {high} = {value}\n"
            "    else:\n"
            f"        {value}, {low}, {high}, {status} = interval{number}(\n"
            f"            own{number}(oldest), own{number}(rest), oldest[0], least, most)\n"
            f"    {write}(out[{4 * number}], row, {value}{unsigned})\n"
            f"    {write}(out[{4 * number + 1}], row, {low}{unsigned})\n"
            f"    {write}(out[{4 * number + 2}], row, {high}{unsigned})\n"
            f"    write_byte(out[{4 * number + 3}], row, {status})\n"
        )
    return hot(define("answer", source, **names))


@lru_cache(maxsize=256)
def bucket_code(
    parts: tuple[BucketPart, ...],
    kinds: tuple[Kind, ...],
    watched: tuple[Any, ...],
    keep: Callable[..., bool] | None,
    drop: Callable[..., bool] | None,
    time_column: int | None,
    mark: str | None,  # what the predicates are now: what they refer to may change
) -> tuple[BucketOperator, BucketSteps]:
    """What windows of the same aggregates, methods and policy share."""
    operator = make_bucket_operator(parts, _watch(watched, keep, drop, time_column))
    return operator, make_bucket_steps(operator, kinds)


def _watch(
    watched: tuple[Any, ...],
    keep: Callable[..., bool] | None,
    drop: Callable[..., bool] | None,
    time_column: int | None,
) -> WatchCode:
    if time_column is not None:
        return time_watched(time_column, DURATION)
    if not watched:
        return nothing_watched()
    places = sorted({place for _, _, own, _ in watched for place in own})
    parts = tuple(
        Part(
            numeric,
            tuple(places.index(place) for place in own),
            places.index(own[0]) if own else None,
        )
        for _, numeric, own, _ in watched
    )
    operator = make_operator(parts)
    seen = [Watched(name, k, neutral) for k, (name, _, _, neutral) in enumerate(watched)]
    judge = judge_code(operator, seen, keep, drop)
    return policy_watched(operator, judge, places, looks_before=_looks_before(drop))


def _looks_before(drop: Callable[..., bool] | None) -> bool:
    """Whether a predicate may look at its third argument."""
    code = getattr(drop, "__code__", None)
    if drop is None or code is None:
        return drop is not None
    name = code.co_varnames[2] if code.co_argcount > 2 else None
    return name is None or any(
        instruction.argval == name
        or (isinstance(instruction.argval, tuple) and name in instruction.argval)
        for instruction in dis.get_instructions(code)
    )
