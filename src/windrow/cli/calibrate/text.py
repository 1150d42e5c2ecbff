"""Constants as text: a line for Spark, and a table of aggregates."""

from windrow.cli.figures import aligned, duration, rounded
from windrow.plan.constants import OTHER, Constants, Price

__all__ = ["text"]

_NS = 1e9


def text(constants: Constants) -> str:
    """All constants, as people read them."""
    spark = ", ".join(
        (
            f"a stage takes {duration(constants.stage)}",
            f"a row to Python {_ns(constants.read)}",
            f"a row or state packed or unpacked {_ns(constants.sent)}",
            f"a result {_ns(constants.result)}",
        )
    )
    names = sorted({*constants.compiled, *constants.interpreted}, key=lambda n: (n == OTHER, n))
    header = ("ns", "lift", "combine", "interpreted lift", "combine")
    lines = [
        (
            "all others" if name == OTHER else name,
            *_cells(constants.compiled.get(name)),
            *_cells(constants.interpreted.get(name)),
        )
        for name in names
    ]
    table = aligned([header, *lines], texts=("ns",))
    return "\n".join([f"constants {constants.source}", spark, *table])


def _ns(seconds: float) -> str:
    return f"{rounded(seconds * _NS)} ns"


def _cells(price: Price | None) -> tuple[str, str]:
    if price is None:
        return ("–", "–")
    return f"{price.lift * _NS:,.1f}", f"{price.combine * _NS:,.1f}"
