"""What a window of buckets is asked for, and what of it makes no sense."""

from collections.abc import Sequence

from windrow.aggregators.approximate.footprint import Footprint
from windrow.aggregators.contents import require_policy
from windrow.aggregators.paged.courier import Outage
from windrow.aggregators.paged.settings import require_codec, require_store
from windrow.arguments import shown
from windrow.errors import InputError, WindowError
from windrow.windows.check import Check
from windrow.windows.policy import Policy

__all__ = ["require_methods", "require_place"]


def require_methods(methods: Sequence[object], policy: Policy | None) -> None:
    """Refuse methods that are none, and policies that ask about every update."""
    require_policy(policy)
    if not methods:
        raise InputError(
            "methods: ApproximateAmta without a method keeps every update; give one, such as "
            "SumLike(relative=0.001), or use Amta"
        )
    for method in methods:
        if isinstance(method, type) or not hasattr(method, "grouper"):
            raise InputError(
                f"methods: {shown(method)} is no method; give one such as SumLike(relative=0.001), "
                "MaxLike(), Hop() or Footprint(1000)"
            )
    if sum(isinstance(method, Footprint) for method in methods) > 1:
        raise InputError(f"several of {methods} limit the footprint; give one of them")
    if policy is not None and policy.check is Check.VERIFY:
        raise WindowError(
            "check=Check.VERIFY looks at every update, which a window of buckets does not "
            "hold; use Amta to verify"
        )


def require_place(
    store: object,
    name: object,
    codec: object,
    outage: Outage,
    methods: Sequence[object],
) -> None:
    """Refuse half of a place to keep buckets in, and outages that nothing can be done about."""
    if store is None:
        for argument, value, unused in (
            ("name", name, name is None),
            ("codec", codec, codec is None),
            ("outage", outage, outage is Outage.RAISE),
        ):
            if not unused:
                raise InputError(
                    f"{argument}={shown(value)} is for a window in a store; give store=... and "
                    "name=... too, or leave it out"
                )
        return
    require_store(store)
    require_codec(codec)
    if name is None:
        raise InputError(f"store={shown(store)} keeps windows by name; give name='...' too")
    if outage is Outage.SHRINK and not any(isinstance(one, Footprint) for one in methods):
        raise InputError(
            f"outage={outage} makes buckets fewer, and only a footprint allows that; give "
            "Footprint(...) among the methods, or Outage.BUFFER"
        )
