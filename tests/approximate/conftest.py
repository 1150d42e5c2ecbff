"""Windows of buckets lie in the stores that have tests of their own."""

from tests.paged.stores.conftest import prefix, recipe, redis_server, store

__all__ = ["prefix", "recipe", "redis_server", "store"]
