"""How exact results are, and how many buckets to expect."""

from windrow.approximate.footprint import Footprint
from windrow.approximate.max_like import MaxLike
from windrow.approximate.method import Method
from windrow.approximate.sum_like import SumLike
from windrow.plan.description import Described, Description

__all__ = ["exactness"]


def exactness(query: Description) -> tuple[str, ...]:
    """What intervals promise; nothing where results are none."""
    if not query.intervals:
        return ()
    if query.in_buckets:
        return (
            "approximate: the exact result lies between low and high, which are null if "
            "nothing is known about it; exact says that value is the exact result",
            *map(_by_methods, query.aggregates),
        )
    sketched = [part.text for part in query.aggregates if part.has_bounds]
    lines = [f"{text}: the sketch's own bounds, with a confidence of 0.99" for text in sketched]
    if len(sketched) < len(query.aggregates):
        lines.append("nothing is approximated: windows are kept whole, so low = value = high")
    return tuple(lines)


def _by_methods(part: Described) -> str:
    methods = " and ".join(repr(method) for method in part.methods)
    return f"{part.text}: by {methods}; expect {', '.join(map(_expected, part.methods))}"


def _expected(method: Method) -> str:
    match method:
        case Footprint(buckets=buckets):
            return f"at most {buckets:,} buckets for each key"
        case MaxLike():
            return (
                "buckets only for candidates, a few per hundred rows in a server's memory readings"
            )
        case SumLike(relative=float() | int() as share) if share > 0:
            return (
                f"about {1 / share:,.0f} buckets for each key if values are of one sign (each "
                f"holds about {share:g} of the window), never more than rows"
            )
        case SumLike(absolute=float() | int() as bound):
            return (
                f"buckets that add up to about {bound:g} each: for each key as many as fit into "
                "the total of its window, never more than rows"
            )
    return "as many buckets as rows"
