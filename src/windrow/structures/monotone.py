"""The checked mode of slide policies: find two windows on which a policy contradicts itself.

Costs a scan of the window for each slide; meant for trying a policy out on real data.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from windrow.errors import PolicyError
from windrow.structures.contents import Judge

__all__ = ["verify"]


def verify(judge: Judge, combine: Callable[[Any, Any], Any], leaves: Sequence[Any]) -> None:
    """Raise if `keep` or `drop` is not monotone over the suffixes and prefixes of this window."""
    if not leaves:
        return
    # suffixes[k] is the window without its k oldest updates, prefixes[k] those k oldest and one.
    newest_first = accumulate(reversed(leaves), lambda newer, older: combine(older, newer))
    suffixes = list(newest_first)[::-1]
    prefixes = list(accumulate(leaves, combine))
    _verify_keep(judge, suffixes)
    if judge.drops:
        _verify_drop(judge, prefixes, suffixes)


def _verify_keep(judge: Judge, suffixes: Sequence[Any]) -> None:
    kept = None
    for oldest, suffix in enumerate(suffixes):
        keeps = judge.keeps(suffix)
        if kept is not None and not keeps:
            raise PolicyError(
                "policy keep= is not monotone: it holds for the newest "
                f"{len(suffixes) - kept} updates {judge.view(suffixes[kept])} but not for the "
                f"newest {len(suffixes) - oldest} of them {judge.view(suffix)}; once true for a "
                "window it must be true for every shorter suffix"
            )
        if keeps and kept is None:
            kept = oldest


def _verify_drop(judge: Judge, prefixes: Sequence[Any], suffixes: Sequence[Any]) -> None:
    before = suffixes[0]
    spared = None
    for length in range(1, len(prefixes)):
        condemned = judge.condemns(prefixes[length - 1], suffixes[length], before)
        if condemned and spared is not None:
            raise PolicyError(
                f"policy drop= is not monotone: it holds for the oldest {length} updates "
                f"{judge.view(prefixes[length - 1])} but not for the oldest {spared} of them "
                f"{judge.view(prefixes[spared - 1])}; if true for a prefix it must be true for "
                "every shorter prefix"
            )
        if not condemned and spared is None:
            spared = length
