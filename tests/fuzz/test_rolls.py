"""Whatever `roll` is given, it answers or refuses with an error of windrow's that helps."""

from random import Random
from typing import Any

import pytest

import windrow as wr
from tests.fuzz.judging import Call, require_helpful
from tests.fuzz.junk import anything, column, table
from windrow import agg, window
from windrow.windows import Order

pytestmark = pytest.mark.xdist_group("fuzz")

ROWS, HOUR = window.trailing(rows=2), window.trailing("1 hour")
ARGUMENTS = ("values", "aggregate", "window", "times", "by", "order")
PARAMETERS: dict[str, tuple[Any, ...]] = {
    "histogram": ([0, 10],),
    "quantile": (0.5,),
    "quantile_sketch": (0.5,),
    "top_k": (2,),
}
AGGREGATES = [name for name in agg.__all__ if name[0].islower() and name not in ("of", "several")]


def drawn_aggregate(rng: Random, name: str | None) -> Any:
    chosen = rng.choice(AGGREGATES)
    columns = [] if name is None else [name] * (1 + (chosen in ("argmax", "argmin")))
    return getattr(agg, chosen)(*PARAMETERS.get(chosen, ()), *columns)


def drawn(seed: int) -> Call:
    """A roll over some columns: few of them valid, since each new kernel takes seconds."""
    rng = Random(seed)
    length = rng.choice((0, 1, 3, 3, 5))
    name = rng.choice((None, None, None, None, "v", "w", "x"))
    given = {
        "values": column(rng, length) if name is None else table(rng, length),
        "aggregate": drawn_aggregate(rng, name),
        "window": rng.choice((ROWS, ROWS, HOUR)),
    }
    if rng.random() < 0.3 or given["window"] is HOUR:
        given["times"] = column(rng, length) if rng.random() < 0.5 else list(range(length))
    if rng.random() < 0.3:
        given["by"] = rng.choice((column, column, column, table))(rng, length)
    if rng.random() < 0.1:
        given["order"] = rng.choice((Order.TIME, Order.ARRIVAL, "time", anything(rng)))
    for argument in ("window", "aggregate"):
        if rng.random() < 0.02:
            given[argument] = anything(rng)
    return Call(wr.roll, given, ARGUMENTS)


def test_rolls_answer_or_help() -> None:
    for seed in range(40):
        require_helpful(drawn(seed), seed)


@pytest.mark.slow
def test_twenty_thousand_rolls_answer_or_help() -> None:
    for seed in range(20_000):
        require_helpful(drawn(seed), seed)
