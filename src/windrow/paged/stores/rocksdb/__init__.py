"""Pages on the local disk, in RocksDB."""

try:
    from windrow.paged.stores.rocksdb.store import RocksStore
except ModuleNotFoundError as error:  # an extra
    raise ModuleNotFoundError(
        f"RocksStore needs the package {error.name!r}; pip install 'windrow[rocksdb]'",
        name=error.name,
    ) from error

__all__ = ["RocksStore"]
