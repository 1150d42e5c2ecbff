"""What one unit of work costs, in seconds: shipped with windrow, or measured on this machine."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import Any

from windrow.arguments import shown
from windrow.errors import InputError

__all__ = ["OTHER", "Constants", "Price"]

#: Stands for all aggregates that have no price of their own, such as users' monoids.
OTHER = "*"


@dataclass(frozen=True)
class Price:
    """Seconds for folding a row into a state, and for combining two states."""

    lift: float
    combine: float


@dataclass(frozen=True)
class Constants:
    """Seconds for each unit of work of one task; prices of aggregates by their names."""

    stage: float  # starting a stage whose tasks run Python
    read: float  # a row from Spark to Python
    sent: float  # a row or state packed by one task, or unpacked by another
    result: float  # a result from Python to Spark
    compiled: Mapping[str, Price]
    interpreted: Mapping[str, Price]
    source: str = "shipped with windrow"

    def price(self, name: str, *, compiled: bool) -> Price:
        """What an aggregate costs, or, if it has no price, others that run the same way."""
        prices = self.compiled if compiled else self.interpreted
        found = prices.get(name) or prices.get(OTHER)
        if found is None:
            raise InputError(
                f"no price is known of {name!r}, and none of other aggregates ({OTHER!r}); "
                "windrow calibrate measures them"
            )
        return found

    def as_dict(self) -> dict[str, Any]:
        """The same as plain data, for JSON."""
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        for kind in ("compiled", "interpreted"):
            plain[kind] = {name: asdict(price) for name, price in plain[kind].items()}
        return plain

    @classmethod
    def from_dict(cls, plain: Any) -> "Constants":
        """What `as_dict` gave; anything else is refused."""
        try:
            return cls(
                stage=_seconds(plain["stage"]),
                read=_seconds(plain["read"]),
                sent=_seconds(plain["sent"]),
                result=_seconds(plain["result"]),
                compiled=_prices(plain["compiled"]),
                interpreted=_prices(plain["interpreted"]),
                source=str(plain["source"]),
            )
        except (AttributeError, KeyError, TypeError, ValueError) as problem:
            raise InputError(
                f"these are no constants of windrow ({type(problem).__name__}: {problem}); "
                "windrow calibrate measures them anew"
            ) from None


def _prices(plain: Any) -> Mapping[str, Price]:
    return {
        str(name): Price(_seconds(price["lift"]), _seconds(price["combine"]))
        for name, price in plain.items()
    }


def _seconds(value: object) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not isfinite(value) or value < 0:  # type: ignore[arg-type, operator]
        raise ValueError(f"{shown(value)} is not a number of seconds")
    return float(value)  # type: ignore[arg-type]
