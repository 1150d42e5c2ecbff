"""Constants that were measured on this machine: kept in the cache folder, and read from there."""

import json
import os
import platform
import warnings

from windrow.compiler.cache import exists, load, remove, save
from windrow.compiler.user_warnings import level_of_the_user
from windrow.errors import CacheWarning, InputError
from windrow.plan.constants import Constants
from windrow.plan.shipped import SHIPPED
from windrow.version import __version__

__all__ = ["constants", "forget", "keep"]

_ENDING = "costs"


def constants() -> Constants:
    """Those of this machine and this release if they were measured, else the shipped ones."""
    key = _key()
    if not exists(key, _ENDING):
        return SHIPPED
    content = load(key, _ENDING)
    problem = "it is damaged, or others may write it"
    if content is not None:
        try:
            return Constants.from_dict(json.loads(content))
        except (InputError, ValueError) as error:
            problem = str(error)
    warnings.warn(
        f"the measured costs in windrow's cache folder are not used: {problem}; windrow calibrate "
        "measures them again, windrow calibrate --forget removes them",
        CacheWarning,
        stacklevel=level_of_the_user(),
    )
    return SHIPPED


def keep(measured: Constants) -> bool:
    """Keep constants for later queries; whether they could be written."""
    save(_key(), _ENDING, json.dumps(measured.as_dict()).encode())
    return load(_key(), _ENDING) is not None


def forget() -> bool:
    """Go back to the shipped constants; whether any were kept."""
    return remove(_key(), _ENDING)


def _key() -> str:
    """One for each release and machine; containers of one host differ in their cores."""
    cores = os.cpu_count()
    return f"costs {__version__} {platform.node()} {platform.machine()} {cores}"
