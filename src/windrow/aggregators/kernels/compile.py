"""Kernels compile once per machine: the code of each specialisation is kept on disk.

numba's own cache cannot tell kernels apart that close over different operators, and two processes
may overwrite each other's entries; here each specialisation has a file of its own, named by the
fingerprint of the kernel and all it calls, its argument types and the processor.
"""

import pickle
from collections.abc import Callable
from typing import Any

import llvmlite
import numba
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.errors import NumbaError, UnsupportedBytecodeError
from numba.core.serialize import dumps

from windrow.algebra import disk
from windrow.algebra.fingerprint import fingerprint
from windrow.algebra.jit import jit

__all__ = ["CompilationError", "kernel"]

# What a kernel raises when it is first called with a user's function that cannot be compiled.
CompilationError = (NumbaError, UnsupportedBytecodeError)


def kernel(function: Callable[..., Any]) -> Any:
    """The function compiled for speed, from disk where this machine compiled it before."""
    compiled = jit(function)
    mark = fingerprint(function)
    if mark is not None:
        compiled._cache = _OnDisk(mark)
    return compiled


class _OnDisk(_Cache):
    """The compiled specialisations of one kernel."""

    def __init__(self, mark: str) -> None:
        self._mark = mark

    @property
    def cache_path(self) -> str:
        return str(disk.cache_folder())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        content = disk.load(self._key(sig, target_context.codegen()), "kernel")
        if content is None:
            return None
        rebuild: Any = CompileResult._rebuild
        return rebuild(target_context, *pickle.loads(content))

    def save_overload(self, sig: Any, data: Any) -> None:
        if not data.lifted and not data.library.has_dynamic_globals:
            content = dumps(data._reduce())  # type: ignore[no-untyped-call]
            disk.save(self._key(sig, data.codegen), "kernel", content)

    def enable(self) -> None:
        """Always on."""

    def disable(self) -> None:
        """Always on."""

    def flush(self) -> None:
        """Nothing is held back."""

    def _key(self, sig: Any, codegen: Any) -> str:
        versions = (numba.__version__, llvmlite.__version__)
        return repr((self._mark, sig, codegen.magic_tuple(), versions))
