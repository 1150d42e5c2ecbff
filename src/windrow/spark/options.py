"""Options that control how a query runs."""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from windrow.arguments import member, shown
from windrow.errors import InputError
from windrow.plan import Sample, Strategy
from windrow.windows import Emit, Order

__all__ = ["Options"]

_KINDS: dict[str, type[Enum]] = {
    "emit": Emit,
    "order": Order,
    "strategy": Strategy,
    "sample": Sample,
}


@dataclass(frozen=True)
class Options:
    """When results are emitted, in which order rows are applied, and a forced strategy, if any."""

    emit: Emit = Emit.ON_CLOSE
    order: Order = Order.TIME
    strategy: Strategy | None = None
    sample: Sample | None = None  # None: as the session says
    given: frozenset[str] = frozenset()

    def updated(self, **given: Any) -> "Options":
        """These options and the given ones, where not None; refuses contradictions."""
        members: dict[str, Any] = {
            name: member(_KINDS[name], value, name)
            for name, value in given.items()
            if value is not None
        }
        for name, value in members.items():
            before = getattr(self, name)
            if name in self.given and before is not value:
                raise InputError(
                    f"{name}={value.value!r} contradicts {name}={before.value!r}; give it once"
                )
        return replace(self, **members, given=self.given | members.keys())

    @staticmethod
    def require_known(given: dict[str, Any]) -> None:
        """Refuse what is no option."""
        for name, value in given.items():
            if name not in _KINDS:
                raise InputError(
                    f"{name}={shown(value)} is not an option of a query; the options are "
                    f"{', '.join(_KINDS)}"
                )

    @staticmethod
    def split(named: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The options among named aggregates or windows, recognised by the type of their value."""
        options = {
            name: value
            for name, value in named.items()
            if name in _KINDS and isinstance(value, str | Enum)
        }
        return options, {name: value for name, value in named.items() if name not in options}
