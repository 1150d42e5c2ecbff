"""Windows of buckets, step by step: what compiled approximate windows call."""

from typing import Any, NamedTuple

from windrow.aggregators.kernels.buckets.method_cells import Kinds
from windrow.aggregators.kernels.buckets.operator import BucketOperator
from windrow.aggregators.kernels.buckets.sliding import slide_code
from windrow.aggregators.kernels.buckets.window import LEAST, MOST, WindowCode, window_code
from windrow.aggregators.kernels.compile import kernel
from windrow.aggregators.kernels.memory import read_int, write_byte, write_float, write_int
from windrow.algebra.hot import hot
from windrow.algebra.jit import define
from windrow.algebra.numeric import FLOAT

__all__ = ["BucketSteps", "make_bucket_steps"]


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


def make_bucket_steps(operator: BucketOperator, kinds: Kinds) -> BucketSteps:
    """The kernels.

    `out` are addresses, four for each part: of values, of low ends, of high ends, of statuses.
    """
    functions = window_code(operator, kinds)
    insert, trim, has_room = functions.insert, functions.trim, functions.has_room
    lift = operator.lift
    slides = operator.watch.keeps is not None
    slide = slide_code(operator, functions, limited=kinds.limited) if slides else _stay
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
        reset=kernel(functions.reset),
        roll=kernel(roll, element_us=40.0),
        evict=kernel(functions.evict),
        slide=kernel(slide) if slides else None,
        shrink=kernel(functions.shrink),
        answer=kernel(answer_once),
        buckets=kernel(functions.buckets),
        refill=kernel(functions.refill),
    )


def _stay(window: Any, forest: Any) -> None:
    """Without a policy nothing slides."""


def _answer(operator: BucketOperator, functions: WindowCode) -> Any:
    """The intervals of all parts, into one row of the arrays."""
    names: dict[str, Any] = {
        "ends": functions.ends,
        "slides": operator.watch.keeps is not None,
        "started": functions.started,
        "combine": operator.combine,
        "read_int": read_int,
        "write_byte": write_byte,
        "write_float": write_float,
        "write_int": write_int,
    }
    source = (
        "def answer(window, forest, out, row):\n"
        f"    least, most = read_int(window, {LEAST}), read_int(window, {MOST})\n"
        "    oldest, rest = ends(window)\n"
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
