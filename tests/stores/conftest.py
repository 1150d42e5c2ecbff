"""Every store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stores.support import Recipe
from windrow.stores import MemoryStore, RocksStore, Store


@pytest.fixture(params=["memory", "rocks"])
def recipe(request: pytest.FixtureRequest, tmp_path: Path) -> Recipe:
    if request.param == "memory":
        return Recipe(MemoryStore, lasting=False)
    return Recipe(lambda: RocksStore(tmp_path / "pages"), lasting=True)


@pytest.fixture
def store(recipe: Recipe) -> Iterator[Store]:
    with recipe.make() as store:
        yield store
