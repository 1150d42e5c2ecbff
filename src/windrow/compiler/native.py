"""Kernels compiled, once per machine: the code of each specialisation is kept on disk.

numba's own cache cannot tell kernels apart that close over different operators, and two processes
may overwrite each other's entries; here each specialisation has a file of its own, named by the
fingerprint of the kernel and all it calls, its argument types and the processor.  Processes that
need the same one at the same time compile it once: the others wait for it.
"""

import pickle
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.errors import NumbaError, UnsupportedBytecodeError
from numba.core.serialize import dumps

from windrow.compiler import cache as disk
from windrow.compiler.fingerprint import fingerprint
from windrow.compiler.jit import compiler_version, group_of, jit

__all__ = ["ERRORS", "compile_for", "prepare"]

# What the compiler raises for a user's function that cannot be compiled.
ERRORS = (NumbaError, UnsupportedBytecodeError)


def prepare(function: Callable[..., Any], chosen: Callable[..., Any]) -> Any:
    """The function ready for compilation; `chosen` says what to run for types not compiled yet."""
    ready = jit(function)
    mark = fingerprint(function)
    if mark is not None:
        ready._cache = _OnDisk(mark)
    # numba calls this where it would compile, and then what it returns.
    ready._compile_for_args = chosen
    return ready


def compile_for(ready: Any, arguments: tuple[Any, ...]) -> None:
    """Compile for the types of these arguments, or find that on disk."""
    try:
        type(ready)._compile_for_args(ready, *arguments)
    finally:
        if isinstance(ready._cache, _OnDisk):
            ready._cache.alone.close()


class _OnDisk(_Cache):
    """The compiled specialisations of one kernel."""

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._group = group_of(mark)
        self.alone = ExitStack()  # while compiling: the lock on what is compiled

    @property
    def cache_path(self) -> str:
        return str(disk.cache_folder())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        parts = self._kept(key)
        if parts is None:
            self.alone.enter_context(disk.locked(key))
            parts = self._kept(key)
        rebuild: Any = CompileResult._rebuild
        return None if parts is None else rebuild(target_context, *parts)

    def _kept(self, key: str) -> Any:
        content = disk.load(key, "kernel", self._group)
        try:
            return None if content is None else pickle.loads(content)
        except ImportError:  # the same code came from another module then
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if not data.lifted and not data.library.has_dynamic_globals:
            content = dumps(data._reduce())  # type: ignore[no-untyped-call]
            disk.save(self._key(sig, data.codegen), "kernel", content, self._group)

    def enable(self) -> None:
        """Always on."""

    def disable(self) -> None:
        """Always on."""

    def flush(self) -> None:
        """Nothing is held back."""

    def _key(self, sig: Any, codegen: Any) -> str:
        return repr((self._mark, sig, codegen.magic_tuple(), compiler_version()))
