"""Objects shipped to Python workers, and unpacked there once.

Spark sends a function anew with every task.  Compiled kernels hang on the identity of the
functions they were made of, so a worker that unpacked a query for every task would look its
kernels up for every task; it keeps them by content instead.
"""

from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from typing import Any, Generic, TypeVar

from pyspark import cloudpickle

__all__ = ["Shipped"]

T = TypeVar("T")


class Shipped(Generic[T]):
    """What `build(*arguments)` makes, made where it is needed and kept there."""

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
