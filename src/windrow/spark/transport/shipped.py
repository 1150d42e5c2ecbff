"""Objects shipped to Python workers, and unpickled there once.

Spark sends a function with every task.  Compiled kernels are cached by the identity of the
functions they were made from, so a worker that unpickled a query for every task would look up its
kernels for every task; it caches objects by their content instead.
"""

from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from typing import Any, Generic, TypeVar

from pyspark import cloudpickle

__all__ = ["Shipped"]

T = TypeVar("T")


class Shipped(Generic[T]):
    """The result of `build(*arguments)`, built where it is needed and cached there."""

    def __init__(self, build: Callable[..., T], *arguments: Any) -> None:
        self._content: bytes = cloudpickle.dumps((build, arguments))  # type: ignore[no-untyped-call]
        self.mark = sha256(self._content).hexdigest()

    def get(self) -> T:
        """The object itself; the same one for the same content in this process."""
        built: T = _built(self.mark, self._content)
        return built


@lru_cache(maxsize=64)
def _built(mark: str, content: bytes) -> Any:
    build, arguments = cloudpickle.loads(content)
    return build(*arguments)
