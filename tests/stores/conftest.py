"""Every store."""

from collections.abc import Iterator

import pytest

from tests.stores.support import Recipe
from windrow.stores import MemoryStore, Store


@pytest.fixture(params=["memory"])
def recipe() -> Recipe:
    return Recipe(MemoryStore, lasting=False)


@pytest.fixture
def store(recipe: Recipe) -> Iterator[Store]:
    with recipe.make() as store:
        yield store
