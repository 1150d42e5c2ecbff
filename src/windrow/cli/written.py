"""Options as they were written, which is how errors name them."""

from dataclasses import dataclass, fields
from typing import ClassVar

__all__ = ["Written"]


@dataclass(frozen=True)
class Written:
    """The options of a command, each a field."""

    #: Options that may be given several times, by the name of the field that has them all.
    repeated: ClassVar[dict[str, str]] = {}

    def present(self, *names: str) -> list[str]:
        """Those of these options that were given, as they are written; of all, if none is named."""
        found = []
        for name in names or [field.name for field in fields(self)]:
            value = getattr(self, name)
            values = value if isinstance(value, tuple) else (value,)
            option = f"--{self.repeated.get(name, name).replace('_', '-')}"
            found += [f"{option} {text}" for text in values if text is not None]
        return found
