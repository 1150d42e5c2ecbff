"""The stores that windows in pages are kept in."""

from tests.paged.stores.conftest import prefix, recipe, redis_server, store

__all__ = ["prefix", "recipe", "redis_server", "store"]
