"""Pages on a server that many machines reach: Redis, or a Redis cluster."""

try:
    from windrow.paged.stores.redis.store import RedisStore
except ModuleNotFoundError as error:  # an extra
    raise ModuleNotFoundError(
        f"RedisStore needs the package {error.name!r}; pip install 'windrow[redis]'",
        name=error.name,
    ) from error

__all__ = ["RedisStore"]
