"""When kernels are compiled: where it pays, unless `WINDROW_COMPILE` says otherwise."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from functools import cached_property

from windrow.errors import InputError

__all__ = ["Compile", "compiling", "compiling_now", "setting"]


class Compile(Enum):
    """When a kernel is compiled."""

    ALWAYS = "always"  # before it first runs: what benchmarks want
    NEVER = "never"
    WHEN_IT_PAYS = "when-it-pays"


class _Setting:
    """What holds now; the environment is asked once."""

    @cached_property
    def now(self) -> Compile:
        named = os.environ.get("WINDROW_COMPILE") or Compile.WHEN_IT_PAYS.value
        try:
            return Compile(named)
        except ValueError:
            raise InputError(
                f"WINDROW_COMPILE={named!r}; set it to {', '.join(c.value for c in Compile)}"
            ) from None


setting = _Setting()


@contextmanager
def compiling(when: Compile) -> Iterator[None]:
    """Another setting for a while, in all threads."""
    before = setting.now
    setting.now = when
    try:
        yield
    finally:
        setting.now = before


@contextmanager
def compiling_now() -> Iterator[None]:
    """Do not wait until it pays, for a while."""
    is_waiting = setting.now is Compile.WHEN_IT_PAYS
    with compiling(Compile.ALWAYS if is_waiting else setting.now):
        yield
