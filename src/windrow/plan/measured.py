"""What was measured on this machine: kept in the cache folder as JSON, and read from there.

Files that others may write, or that are damaged, are not used, as of compiled code.
"""

import json
import os
import platform
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from windrow.compiler.cache import exists, load, remove, save
from windrow.compiler.user_warnings import level_of_the_user
from windrow.errors import CacheWarning, InputError
from windrow.version import __version__

__all__ = ["forget", "keep", "kept"]

_Value = TypeVar("_Value")


def kept(
    what: str, ending: str, read: Callable[[Any], _Value], unused: str, way_out: str
) -> _Value | None:
    """What was kept, as `read` makes it of plain data; None if nothing was, or nothing of use.

    `read` refuses other data with an InputError; a warning says what is unused, and a way out.
    """
    key = _key(what)
    if not exists(key, ending):
        return None
    content = load(key, ending)
    problem = "it is damaged, or others may write it"
    if content is not None:
        try:
            return read(json.loads(content))
        except (InputError, ValueError) as error:
            problem = str(error)
    warnings.warn(
        f"{unused} in windrow's cache folder are not used: {problem}; {way_out}",
        CacheWarning,
        stacklevel=level_of_the_user(),
    )
    return None


def keep(what: str, ending: str, plain: Any) -> bool:
    """Keep plain data for later; whether it could be written."""
    key = _key(what)
    save(key, ending, json.dumps(plain).encode())
    return load(key, ending) is not None


def forget(what: str, ending: str) -> bool:
    """Remove what was kept; whether anything was."""
    return remove(_key(what), ending)


def _key(what: str) -> str:
    """One for each release and machine; containers of one host differ in their cores."""
    cores = os.cpu_count()
    return f"{what} {__version__} {platform.node()} {platform.machine()} {cores}"
