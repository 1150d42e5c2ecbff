"""How one writes a setting: in a table, in a query, and as a structure."""

import json
from typing import Any, NamedTuple

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.within import CONFIDENCE
from windrow.approximate.footprint import Footprint
from windrow.approximate.max_like import MaxLike
from windrow.approximate.method import Method
from windrow.approximate.sum_like import SumLike
from windrow.cli.tune.findings import Asked

__all__ = ["named"]


class Named(NamedTuple):
    """A method, its setting, and both as code of a query on Spark and of a structure."""

    method: str
    setting: str
    query: str | None  # None if a query cannot ask for it
    structure: str

    @property
    def title(self) -> str:
        """Both in a sentence."""
        return f"{self.method}({self.setting})" if self.setting else "an exact window"


def named(method: Method | None, asked: Asked) -> Named:
    """A setting for what was asked; None is the exact window."""
    column, bare = _written(asked.aggregate, reads=True), _written(asked.aggregate, reads=False)
    match method:
        case None:
            return Named("exact", "", column, f"CompiledAmta({bare})")
        case Footprint(buckets):
            query = f".window(window.{asked.window!r}).approximate(max_buckets={buckets})"
            return Named("Footprint", f"{buckets}", query, _kept(bare, "Footprint", f"{buckets}"))
        case SumLike(relative=bound, confidence=confidence):
            setting = f"relative={bound!r}"
            given = ", ".join([setting, *_unusual(confidence)])
            return Named(
                "SumLike", setting, f"{column}.within({given})", _kept(bare, "SumLike", given)
            )
        case MaxLike(block="auto", confidence=confidence):
            given = ", ".join(_unusual(confidence))
            query = f"{column}.within({given})"
            return Named("MaxLike", "auto", query, _kept(bare, "MaxLike", given))
        case MaxLike(block=block, confidence=confidence):
            setting = f"block={block}"
            given = ", ".join([setting, *_unusual(confidence)])
            return Named("MaxLike", setting, None, _kept(bare, "MaxLike", given))
    raise TypeError(f"{method!r} has no name here")


def _kept(bare: str, method: str, given: str) -> str:
    return f"ApproximateAmta({bare}, {method}({given}))"


def _unusual(confidence: float) -> list[str]:
    return [] if confidence == CONFIDENCE else [f"confidence={confidence!r}"]


def _written(aggregate: Aggregate[Any], *, reads: bool) -> str:
    """The aggregate as code: `agg.mean("temp")`, or `agg.mean()` of the update itself."""
    columns = [json.dumps(column, ensure_ascii=False) for column in aggregate.columns if reads]
    given = [*columns, *filter(None, [aggregate.monoid.parameters])]
    return f"agg.{aggregate.monoid.name}({', '.join(given)})"
