"""Compiling plain functions: numba sees through the plain functions they call.

numba is imported on first use only: importing windrow compiles nothing and loads no compiler.
"""

from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from types import CellType, CodeType, FunctionType
from typing import Any
from uuid import uuid4

from windrow.compiler.fingerprint import Fingerprints
from windrow.compiler.marks import is_hot, native_of

__all__ = ["compiler_version", "define", "group_of", "jit", "reason"]


@cache
def compiler_version() -> str:
    """What compiled code depends on besides its source; found without loading the compiler."""
    return f"numba {version('numba')} llvmlite {version('llvmlite')}"


def jit(function: Callable[..., Any]) -> Any:
    """The function ready for compilation, together with every plain function it refers to.

    What it refers to is compiled as it is now: a global that changed makes it another function.
    """
    if not isinstance(function, FunctionType):
        return function  # a builtin, or compiled already
    marks = Fingerprints()
    return _jit(function, marks.of(function), marks, called_from_python=True)


_ready: dict[tuple[FunctionType, str | None, bool], Any] = {}


def _jit(
    function: FunctionType, mark: str | None, marks: Fingerprints, *, called_from_python: bool
) -> Any:
    key = function, mark, called_from_python
    if key not in _ready:
        _ready[key] = _made_ready(function, mark, marks, called_from_python=called_from_python)
    return _ready[key]


def _made_ready(
    function: FunctionType, mark: str | None, marks: Fingerprints, *, called_from_python: bool
) -> Any:
    native = native_of(function)
    if native is not None:
        made = native()
        if not isinstance(made, FunctionType):
            return made
        return _jit(made, mark, marks, called_from_python=False)

    import numba

    def ready(thing: Any) -> Any:
        # Functions that call each other in a circle stay plain: the compiler will say so.
        if not isinstance(thing, FunctionType) or _reaches(thing, function, set()):
            return thing
        return _jit(thing, marks.of(thing), marks, called_from_python=False)

    copy = FunctionType(
        function.__code__,
        {**function.__globals__, **{n: ready(f) for n, f in _named(function).items()}},
        function.__name__,
        function.__defaults__,
        tuple(CellType(ready(cell.cell_contents)) for cell in function.__closure__ or ()),
    )
    # Compiled code is linked by name with all that this process compiled or found on disk, and by
    # default a name ends in a number that is unique only to the process that compiled it.
    copy.__name__ = copy.__qualname__ = f"{function.__name__}_{mark or uuid4().hex}"
    # What only compiled code calls needs no way in from Python, which is half of its compilation.
    ways_in = ("no_cpython_wrapper", "no_cfunc_wrapper")
    options: dict[str, Any] = dict.fromkeys(() if called_from_python else ways_in, True)
    return numba.njit(copy, nogil=True, forceinline=is_hot(function), **options)


def _named(function: FunctionType) -> dict[str, FunctionType]:
    """The plain functions among the globals that a function names."""
    known = ((name, function.__globals__.get(name)) for name in _names(function.__code__))
    return {name: thing for name, thing in known if isinstance(thing, FunctionType)}


def _names(code: CodeType) -> set[str]:
    inner = (c for c in code.co_consts if isinstance(c, CodeType))  # lambdas and comprehensions
    return set(code.co_names).union(*map(_names, inner))


def _reaches(start: FunctionType, goal: FunctionType, seen: set[FunctionType]) -> bool:
    """Whether calls from one plain function can lead to another."""
    if start is goal:
        return True
    seen.add(start)
    cells = [cell.cell_contents for cell in start.__closure__ or ()]
    called = [*_named(start).values(), *(c for c in cells if isinstance(c, FunctionType))]
    return any(_reaches(f, goal, seen) for f in called if f not in seen)


def define(name: str, source: str, **names: Any) -> Callable[..., Any]:
    """A function from source text, for code whose shape depends on a number of fields.

    >>> define("third", "def third(row): return row[index]", index=2)("abc")
    'c'
    """
    namespace = dict(names)
    exec(compile(source, f"<windrow {name}>", "exec"), namespace)
    function: Callable[..., Any] = namespace[name]
    return function


def reason(error: Exception) -> str:
    """The line of the compiler's report that says what it stumbled on."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("Failed in", "During", "File", "-"))]
    first = (telling or lines or [type(error).__name__])[0]
    # Where the report stops at a call, the call is on a line of its own.
    call = next((line.removeprefix(">>>") for line in lines if line.startswith(">>>")), "")
    return first + call if first.endswith(":") else first


def group_of(mark: str) -> str:
    """What the files of a kernel have in common, as far as it is known without the compiler."""
    return f"{mark} {compiler_version()}"
