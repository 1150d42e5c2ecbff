"""The result of running a plan: a DataFrame that also reports the rates of its nodes."""

from functools import cache
from typing import TYPE_CHECKING, Any

from windrow.errors import InputError
from windrow.spark.result import Windowed
from windrow.spark.topology.rates import Rates, rates_of
from windrow.spark.topology.tally import Tally
from windrow.topology.plan import Plan

if TYPE_CHECKING:
    from pyspark.accumulators import Accumulator

__all__ = ["Layered", "with_rates"]


class Layered(Windowed):
    """One result for each period and key; `explain()`, `plan()` and `late()` as of any query."""

    _layered: "tuple[Plan, int, Accumulator[Tally] | None]"

    def rates(self) -> Rates:
        """What each node has taken in and handed on so far, beside what the plan says.

        A batch counts when it is computed, a stream from its start on.  What Spark computes twice,
        for two actions or after a failure, is counted twice.
        """
        plan, period_us, tally = self._layered
        if tally is None:
            raise InputError(
                "rates() needs accumulators, which Spark Connect does not have; run the plan in "
                "a classic session to measure it"
            )
        return rates_of(plan, tally.value.copy(), period_us)


def with_rates(
    result: Windowed, plan: Plan, period_us: int, tally: "Accumulator[Tally] | None"
) -> Layered:
    """The same DataFrame, with `rates()`."""
    finished: Any = result
    kind: Any = type(finished)
    finished.__class__ = _kind(kind)
    vars(finished)["_layered"] = (plan, period_us, tally)
    layered: Layered = finished
    return layered


@cache
def _kind(windowed: Any) -> Any:
    """A subclass of Spark's own DataFrame class (classic or Connect)."""
    return type("LayeredDataFrame", (Layered, windowed), {"__doc__": Layered.__doc__})
