"""Every store, and a Redis server for the one that needs it."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from benchmarks.redis_server import RedisServer
from tests.paged.stores.support import ON_REDIS, Recipe
from windrow.paged.stores import MemoryStore, RedisStore, RocksStore, Store

_number = count()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def prefix() -> str:
    """A place on the server that no other test uses."""
    return f"test {next(_number)}"


@pytest.fixture(params=["memory", "rocks", pytest.param("redis", marks=ON_REDIS)])
def recipe(request: pytest.FixtureRequest, tmp_path: Path, prefix: str) -> Recipe:
    if request.param == "memory":
        return Recipe(MemoryStore, lasting=False)
    if request.param == "rocks":
        return Recipe(lambda: RocksStore(tmp_path / "pages"), lasting=True)
    url = request.getfixturevalue("redis_server").url
    return Recipe(lambda: RedisStore(url, prefix=prefix), lasting=True)


@pytest.fixture
def store(recipe: Recipe) -> Iterator[Store]:
    with recipe.make() as store:
        yield store
