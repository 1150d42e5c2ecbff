"""Space, by counting: how many states a window keeps alive."""

import gc
from collections.abc import Iterator

import pytest

from tests.structures.counting import SIZES, logarithm
from windrow.algebra.monoid import Monoid
from windrow.structures import Aggregator, Amta, Daba, FlatFat, LogMta, TwoStacks


class Node:
    """A state that counts how many of its kind are alive."""

    alive = 0

    def __init__(self) -> None:
        Node.alive += 1

    def __del__(self) -> None:
        type(self).alive -= 1


ALIVE: Monoid[Node, None] = Monoid(
    name="alive",
    lift=lambda value: Node(),
    combine=lambda older, newer: Node(),
    lower=lambda state: None,
    identity=Node(),
)


@pytest.fixture(autouse=True, scope="module")
def _only_what_comes_is_collected() -> Iterator[None]:
    """Other tests of the process leave millions of objects, which nobody needs to look through."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize("size", [*SIZES, 20_000])
@pytest.mark.parametrize("structure", [TwoStacks, Daba, LogMta, Amta])
def test_a_window_stores_two_states_for_each_update(structure: type[Aggregator], size: int) -> None:
    gc.collect()
    others = Node.alive
    window = structure(ALIVE)
    for number in range(2 * size + 100):
        window.insert(None)
        if number >= size:
            window.evict()
    assert Node.alive - others <= 2 * size + 6 * logarithm(size) + 6


@pytest.mark.parametrize("structure", [TwoStacks, Daba, FlatFat, LogMta, Amta])
def test_a_window_that_shrank_lets_its_past_go(structure: type[Aggregator]) -> None:
    gc.collect()
    others = Node.alive
    window = structure(ALIVE)
    for _ in range(10_000):
        window.insert(None)
    window.evict(9_990)
    for _ in range(200):
        window.insert(None)
        window.evict()
    assert Node.alive - others <= 100
