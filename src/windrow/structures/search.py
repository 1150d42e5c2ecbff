"""Where a slide policy cuts a window, found by descending aligned blocks: O(log n) judgements."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from windrow.algebra.monoid import Monoid
from windrow.structures.contents import Judge

__all__ = ["Block", "cut_position", "suffixed"]

# An aligned block [start, end) of updates, and the state of all the updates after it.
Block = tuple[int, int, Any]


def cut_position(
    judge: Judge,
    monoid: Monoid[Any, Any],
    before: Any,
    blocks: Iterable[Block],
    node: Callable[[int, int], Any],
    inserted: int,
) -> int:
    """The first update that stays.

    `before` is the state of the whole window, `blocks` cover it from the oldest update on until
    `inserted`, and `node(start, end)` is the state of an aligned block.
    """
    combine = monoid.combine

    def prefix_to(start: int, end: int) -> Any:
        return combine(evicted, node(start, end)) if judge.drops else evicted

    def must_go(end: int, prefix: Any, after: Any) -> tuple[bool, bool]:
        """Whether all before `end` must go, and whether that is not even enough for keep."""
        if end == inserted:
            return False, False  # nobody is asked about an empty window
        refused = not judge.keeps(after)
        return refused or judge.condemns(prefix, after, before), refused

    # invariant: all before `start` goes and `evicted` is its state; where keep fails for the
    # rest (`refused`), at least one update more must go
    evicted, refused = monoid.identity, not judge.keeps(before)
    for start, end, after in blocks:
        if not refused and not judge.drops:
            return start
        prefix = prefix_to(start, end)
        goes, still_refused = must_go(end, prefix, after)
        if goes:
            evicted, refused = prefix, still_refused
            continue
        while end - start > 1:
            middle = (start + end) // 2
            later = combine(node(middle, end), after)
            prefix = prefix_to(start, middle)
            goes, still_refused = must_go(middle, prefix, later)
            if goes:
                start, evicted, refused = middle, prefix, still_refused
            else:
                end, after = middle, later
        return start + refused
    raise AssertionError(f"the blocks do not reach the newest update, {inserted - 1}")


def suffixed(
    newest_first: Iterable[tuple[int, int]],
    node: Callable[[int, int], Any],
    monoid: Monoid[Any, Any],
) -> Iterator[Block]:
    """The blocks, oldest first, each with the state of all the updates after it."""
    blocks: list[Block] = []
    after = monoid.identity
    for start, end in newest_first:
        blocks.append((start, end, after))
        after = monoid.combine(node(start, end), after)
    return reversed(blocks)
