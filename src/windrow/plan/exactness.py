"""How exact results are, and how many buckets that is expected to take."""

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
            "approximate: low and high are where the exact result lies between, null where "
            "nothing is known of it; exact says that value is the exact result",
            *map(_by_methods, query.aggregates),
        )
    sketched = [part.text for part in query.aggregates if part.has_bounds]
    told = [f"{text}: the sketch's own bounds, with a confidence of 0.99" for text in sketched]
    if len(sketched) < len(query.aggregates):
        told.append("nothing is approximated: windows are kept whole, so low = value = high")
    return tuple(told)


def _by_methods(part: Described) -> str:
    methods = " and ".join(repr(method) for method in part.methods)
    return f"{part.text}: by {methods}; expected are {', '.join(map(_expected, part.methods))}"


def _expected(method: Method) -> str:
    match method:
        case Footprint(buckets=buckets):
            return f"at most {buckets:,} buckets for each key"
        case MaxLike():
            return (
                "buckets for candidates alone, a few in a hundred rows on the readings of a server"
            )
        case SumLike(relative=float() | int() as share) if share > 0:
            return (
                f"about {1 / share:,.0f} buckets for each key if values are of one sign (each "
                f"holds about {share:g} of the window), never more than rows"
            )
        case SumLike(absolute=float() | int() as bound):
            return (
                f"buckets that come to about {bound:g} each, so as many for each key as fit into "
                "what its window comes to, never more than rows"
            )
    return "as many buckets as rows"
