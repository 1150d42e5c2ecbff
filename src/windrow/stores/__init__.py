"""Where windows larger than memory keep their pages."""

from windrow.stores.base import Batch, Key, Shelf, Span, Store
from windrow.stores.memory import MemoryStore

__all__ = ["Batch", "Key", "MemoryStore", "Shelf", "Span", "Store"]
