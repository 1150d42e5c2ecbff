"""Kernels run as they are until compiling them pays, and are compiled once per machine.

A kernel is a plain function.  Compiling it takes a second or more, loading what was compiled before
takes as long in a new process, since the compiler is loaded with it; a hundred rows take a
millisecond in plain Python.  So a kernel runs interpreted, with the same results to the last bit,
until that has cost about as much as compiling would (interpreted.py); then compiled code is loaded
from disk, or made and put there (native.py).
"""

from collections.abc import Callable
from dataclasses import dataclass
from threading import RLock
from time import perf_counter, thread_time
from typing import Any, Final

from windrow.compiler import cache as disk
from windrow.compiler.fingerprint import fingerprint
from windrow.compiler.interpreted import as_plain, elements, like_compiled
from windrow.compiler.jit import group_of
from windrow.compiler.setting import Compile, setting
from windrow.errors import CompilationError

__all__ = ["AT_ONCE", "CompilationError", "Kernel"]

# How long kernels may run interpreted before compiling is worth a thought: all in this process
# before the compiler is loaded, and each of them before it is compiled.
_PATIENCE_S: Final = 1.0
# One that takes longer than this, in a single call or in many, is worth compiling for by itself.
_LARGE_S: Final = 2.0

#: For kernels that do much work, which cannot be estimated from the sizes of arrays.
AT_ONCE: Final = float("inf")


_WAY_OUT: Final = "Use Amta or ApproximateAmta, which run any function as it is"


@dataclass
class _Ledger:
    """What this process has spent."""

    interpreted_s: float = 0.0
    compiled_s: float = 0.0


_ledger = _Ledger()


class Kernel:
    """One loop, interpreted at first and compiled where that pays.

    It is called with numbers, arrays, and tuples of them.  `plain` does the same in plain Python,
    should the function itself be slower; `element_us` is about how long each element of the arrays
    takes there.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        plain: Callable[..., Any] | None = None,
        element_us: float = 2.5,
    ) -> None:
        self._function = function
        self._plain = plain
        self._element_s = element_us / 1e6
        self._spent_s = 0.0
        self._ask_disk_s = 0.0  # when to look on disk again, by what was spent
        self._native: Any = None
        self._lock = RLock()

    def __call__(self, *arguments: Any) -> Any:
        """Run it."""
        if self._native is None or setting.now is Compile.NEVER:
            return self._chosen(*arguments)(*arguments)
        return self._native(*arguments)  # which calls `_chosen` for arguments of other types

    def _chosen(self, *arguments: Any) -> Callable[..., Any]:
        """What to run for arguments of types that have not been compiled yet."""
        if setting.now is Compile.NEVER or (
            setting.now is Compile.WHEN_IT_PAYS and not self._pays(arguments)
        ):
            return self._interpret
        return self._compile(arguments)

    def _pays(self, arguments: tuple[Any, ...]) -> bool:
        cost_s = self._element_s * max(elements(arguments), 1)
        if self._spent_s + cost_s >= _LARGE_S:
            return True
        if _ledger.interpreted_s + cost_s < _PATIENCE_S:
            return False
        if self._is_on_disk():
            return True
        # Many small calls do not wait for many compilations in a row.
        is_affordable = _ledger.compiled_s <= _ledger.interpreted_s
        return self._spent_s + cost_s >= _PATIENCE_S and is_affordable

    def _is_on_disk(self) -> bool:
        """Whether another process compiled it, for arguments of some types."""
        if self._spent_s < self._ask_disk_s:
            return False
        self._ask_disk_s = 2 * self._spent_s + _PATIENCE_S / 16
        mark = fingerprint(self._function)
        return mark is not None and disk.has_any(group_of(mark))

    def _interpret(self, *arguments: Any) -> Any:
        before = thread_time()
        try:
            if self._plain is not None:
                return self._plain(*arguments)
            with like_compiled():
                return self._function(*map(as_plain, arguments))
        finally:
            spent_s = thread_time() - before
            self._spent_s += spent_s
            _ledger.interpreted_s += spent_s

    def _compile(self, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        from windrow.compiler import native

        before = perf_counter()
        with self._lock:
            ready = self._native or native.prepare(self._function, self._chosen)
            try:
                native.compile_for(ready, arguments)
            except native.ERRORS as error:
                raise CompilationError(f"{error}\n{_WAY_OUT}") from error
            finally:
                _ledger.compiled_s += perf_counter() - before
            self._native = ready
        found: Callable[..., Any] = ready
        return found
