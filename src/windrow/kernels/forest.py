"""AMTA compiled: the forest of `windrow.structures.amta` in one piece of memory.

    header   evicted, split, inserted, the stack's depth, the capacity, whether a slide has turned
             back to front, whether it still had to go on, the stack's positions
    ends     the aggregates of front and back, and of a slide under way those of what it has
             evicted and of all there was before: 4 cells for each field of a state
    stack    the aggregates of the front's suffixes: a cell for each field and entry
    nodes    the forest itself: all of it (below), or what is near both ends (`pages`)

All of it is 2 · capacity cells for each field, one field after the other, in which level l is a
ring of `capacity >> l` nodes, from `2 · capacity - (2 · capacity >> l)` on.  The functions are
those of `Amta`, in the same order and shape, with one difference: whoever calls must make room
(`larger_forest`) when there is none, and bring the nodes that are not at hand.
"""

from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from windrow.algebra.numeric import Dtypes, State
from windrow.kernels.cells import read_int, write_int

__all__ = [
    "Cells",
    "Combined",
    "ForestCode",
    "NodeCode",
    "first_node_of",
    "forest_code",
    "larger_forest",
    "new_forest",
    "size_of",
    "whole_nodes",
]

# The memory of a forest; compiled code gets its address.
Cells: TypeAlias = NDArray[np.int64]

EVICTED, SPLIT, INSERTED, DEPTH, CAPACITY, TURNED, REFUSED = range(7)
POSITIONS = 8
DEEPEST = 128  # a stack holds at most two blocks of each size, and sizes are powers of two
_ENDS = POSITIONS + DEEPEST
FRONT, BACK, GONE, BEFORE = _WHOLE = range(4)


class Combined(Protocol):
    """What a forest needs of an operator."""

    @property
    def state(self) -> Dtypes: ...

    @property
    def identity(self) -> State: ...

    @property
    def combine(self) -> Any: ...

    @property
    def load_cells(self) -> Any: ...

    @property
    def store_cells(self) -> Any: ...


class NodeCode(NamedTuple):
    """Where the nodes of a forest lie."""

    get: Any  # get(forest, level, index) → a state near the window's ends
    find: Any  # find(forest, level, index) → any state; misses what is not at hand
    put: Any  # put(forest, level, index, state): the newest node of a level
    has_room: Any  # has_room(forest) → whether one more update may come
    reaches: Any  # reaches(forest, position) → whether updates may be evicted up to there
    missed: Any  # missed(forest) → whether something was not at hand


class ForestCode(NamedTuple):
    """What kernels call, specialised for one operator; a forest is an address."""

    reset: Any  # reset(forest)
    has_room: Any  # has_room(forest) → whether one more update may come
    insert: Any  # insert(forest, state)
    reaches: Any  # reaches(forest, position) → whether updates may be evicted up to there
    evict_to: Any  # evict_to(forest, position)
    rebuild_front: Any  # rebuild_front(forest, position): all from there on is the front
    total: Any  # total(forest) → state
    node: Any  # node(forest, start, end) → the state of an aligned block
    missed: Any  # missed(forest) → whether a node or an eviction was not at hand
    stacked: Any  # stacked(forest, depth) → a position on the stack, and the suffix from there
    back: Any  # back(forest) → the state of the back
    note: Any  # note(forest, gone, before, refused): a slide that has turned back to front
    noted: Any  # noted(forest) → what was noted


def new_forest(operator: Combined, capacity: int) -> Cells:
    """An empty forest with room for `capacity` updates, a power of two; reset it before use."""
    cells = np.zeros(first_node_of(operator) + 2 * capacity * len(operator.state), np.int64)
    cells[CAPACITY] = capacity
    return cells


def size_of(cells: Cells) -> int:
    """How many updates the window holds."""
    return cells.item(INSERTED) - cells.item(EVICTED)


def larger_forest(operator: Combined, cells: Cells) -> Cells:
    """The same window with twice the room."""
    old = int(cells[CAPACITY])
    new = new_forest(operator, 2 * old)
    first = first_node_of(operator)
    new[:first] = cells[:first]
    new[CAPACITY] = 2 * old
    evicted, inserted = int(cells[EVICTED]), int(cells[INSERTED])
    for level in range(old.bit_length()):
        alive = np.arange(-(-evicted >> level), inserted >> level)
        source = 2 * old - (2 * old >> level) + (alive & ((old >> level) - 1))
        target = 4 * old - (4 * old >> level) + (alive & ((2 * old >> level) - 1))
        for field in range(len(operator.state)):
            new[first + field * 4 * old + target] = cells[first + field * 2 * old + source]
    return new


def first_node_of(operator: Combined) -> int:
    """The cell where the nodes begin."""
    return _ENDS + len(operator.state) * (len(_WHOLE) + DEEPEST)


def whole_nodes(operator: Combined) -> NodeCode:
    """All nodes in memory: only room can be missing."""
    load, store, first_node = operator.load_cells, operator.store_cells, first_node_of(operator)

    def get(forest: Any, level: Any, index: Any) -> Any:
        size = 2 * read_int(forest, CAPACITY)
        slot = size - (size >> level) + (index & ((size >> (level + 1)) - 1))
        return load(forest, first_node + slot, size)

    def put(forest: Any, level: Any, index: Any, state: Any) -> None:
        size = 2 * read_int(forest, CAPACITY)
        slot = size - (size >> level) + (index & ((size >> (level + 1)) - 1))
        store(forest, first_node + slot, size, state)

    def has_room(forest: Any) -> Any:
        size = read_int(forest, INSERTED) - read_int(forest, EVICTED)
        return size < read_int(forest, CAPACITY)

    def reaches(forest: Any, position: Any) -> Any:
        return True

    def missed(forest: Any) -> Any:
        return False

    return NodeCode(get, get, put, has_room, reaches, missed)


def forest_code(operator: Combined, nodes: NodeCode | None = None) -> ForestCode:
    """The functions of a forest for one operator, to be compiled into a kernel."""
    get_node, find_node, put_node, has_room, reaches, missed = nodes or whole_nodes(operator)
    identity, combine = operator.identity, operator.combine
    load, store = operator.load_cells, operator.store_cells
    ends = len(_WHOLE)
    first_end, first_stacked = _ENDS, _ENDS + ends * len(operator.state)

    def get_end(forest: Any, end: Any) -> Any:
        return load(forest, first_end + end, ends)

    def put_end(forest: Any, end: Any, state: Any) -> None:
        store(forest, first_end + end, ends, state)

    def stacked(forest: Any, depth: Any) -> Any:
        position = read_int(forest, POSITIONS + depth)
        return position, load(forest, first_stacked + depth, DEEPEST)

    def push(forest: Any, depth: Any, position: Any, suffix: Any) -> None:
        write_int(forest, POSITIONS + depth, position)
        store(forest, first_stacked + depth, DEEPEST, suffix)

    def level_of(size: Any) -> Any:
        level = 0
        while size >> (level + 1) > 0:
            level += 1
        return level

    def node(forest: Any, start: Any, end: Any) -> Any:
        level = level_of(end - start)
        return find_node(forest, level, start >> level)

    def back(forest: Any) -> Any:
        return get_end(forest, BACK)

    def reset(forest: Any) -> None:
        for counter in (EVICTED, SPLIT, INSERTED, DEPTH):
            write_int(forest, counter, 0)
        put_end(forest, FRONT, identity)
        put_end(forest, BACK, identity)

    def insert(forest: Any, state: Any) -> None:
        number, evicted = read_int(forest, INSERTED), read_int(forest, EVICTED)
        put_end(forest, BACK, combine(get_end(forest, BACK), state))
        put_node(forest, 0, number, state)
        write_int(forest, INSERTED, number + 1)
        level = 0
        while number & 1 == 1 and (number - 1) << level >= evicted:
            state = combine(get_node(forest, level, number - 1), state)
            number >>= 1
            level += 1
            put_node(forest, level, number, state)

    def evict_to(forest: Any, position: Any) -> None:
        if position < read_int(forest, SPLIT):
            advance_front(forest, position)
        else:
            rebuild_front(forest, position)
        write_int(forest, EVICTED, position)

    def advance_front(forest: Any, position: Any) -> None:
        start, depth = read_int(forest, EVICTED), read_int(forest, DEPTH)
        end, after = read_int(forest, SPLIT), identity
        while depth > 0:
            end, after = stacked(forest, depth - 1)
            if end > position:
                break
            depth -= 1
            start = end
            put_end(forest, FRONT, after)
            end, after = read_int(forest, SPLIT), identity
        if start < position:
            level = level_of(end - start)
            while start < position:
                level -= 1
                middle = start + (1 << level)
                if position < middle:
                    after = combine(get_node(forest, level, middle >> level), after)
                    push(forest, depth, middle, after)
                    depth += 1
                else:
                    start = middle
            put_end(forest, FRONT, combine(get_node(forest, level, start >> level), after))
        write_int(forest, DEPTH, depth)

    def rebuild_front(forest: Any, position: Any) -> None:
        end = read_int(forest, INSERTED)
        write_int(forest, SPLIT, end)
        depth, suffix = 0, identity
        while end > position:
            level = 0
            while (end >> level) & 1 == 0 and 2 << level <= end - position:
                level += 1
            end -= 1 << level
            suffix = combine(get_node(forest, level, end >> level), suffix)
            push(forest, depth, end, suffix)
            depth += 1
        # The oldest suffix is the front itself, not an entry of the stack.
        write_int(forest, DEPTH, max(depth - 1, 0))
        put_end(forest, FRONT, suffix)
        put_end(forest, BACK, identity)

    def total(forest: Any) -> Any:
        return combine(get_end(forest, FRONT), get_end(forest, BACK))

    def note(forest: Any, gone: Any, before: Any, refused: Any) -> None:
        put_end(forest, GONE, gone)
        put_end(forest, BEFORE, before)
        write_int(forest, REFUSED, 1 if refused else 0)
        write_int(forest, TURNED, 1)

    def noted(forest: Any) -> Any:
        refused = read_int(forest, REFUSED) != 0
        return get_end(forest, GONE), get_end(forest, BEFORE), refused

    return ForestCode(
        reset,
        has_room,
        insert,
        reaches,
        evict_to,
        rebuild_front,
        total,
        node,
        missed,
        stacked,
        back,
        note,
        noted,
    )
