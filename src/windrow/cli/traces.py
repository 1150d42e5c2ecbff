"""Options as they were written, and those of a trace: a file of items, and what its columns are."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, TypeVar

import click

from windrow.cli.options import PATH, with_options
from windrow.cli.quantities import if_given
from windrow.errors import InputError
from windrow.topology import Trace, read_trace

__all__ = ["Given", "trace_options"]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_COLUMNS = (
    click.option("--time", metavar="COLUMN", help="Trace column: when an item arrived."),
    click.option("--device", metavar="COLUMN", help="Trace column: which device sent it."),
    click.option("--bytes", metavar="COLUMN", help="Trace column: its size in bytes."),
    click.option(
        "--period-column", metavar="COLUMN", help="Trace column: the period it belongs to."
    ),
)


def trace_options(what_for: str) -> Callable[[F], F]:
    """Give a command a trace, and the names of its columns."""
    trace = click.option("--trace", type=PATH, help=what_for)
    return lambda command: with_options(command, (trace, *_COLUMNS))


class Given(SimpleNamespace):
    """The options of a command by their names, as they were written; None was not given."""

    def present(self, *names: str) -> list[str]:
        """Those of these options that were given, as they are written; of all, if none is named."""
        found = []
        for name in names or vars(self):
            value = getattr(self, name)
            values = value if isinstance(value, tuple) else (value,)
            found += [f"{_option(name)} {text}" for text in values if text is not None]
        return found

    def read(self, way: Callable[..., T], name: str, *about: Any) -> T | None:
        """What an option says, read so; None if it was not given."""
        return if_given(way, getattr(self, name), _option(name), *about)

    def items(self) -> Trace | None:
        """What the file of a trace has, if one is named."""
        if self.trace is None:
            if columns := self.present("time", "device", "bytes", "period_column"):
                raise InputError(f"{columns[0]} is a column of a trace; say of which, --trace FILE")
            return None
        return read_trace(
            self.trace,
            time=self.time,
            device=self.device,
            size=self.bytes,
            period=self.period_column,
        )


def _option(name: str) -> str:
    """How an option of the command that runs is written."""
    params = click.get_current_context().command.params
    return next(param.opts[0] for param in params if param.name == name)
