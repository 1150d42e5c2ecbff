"""The states of one aggregate as bytes: by its own codec if it has one, else as plain values."""

from enum import Enum
from typing import Any

from windrow.algebra.codec.reading import decode
from windrow.algebra.codec.writing import encode
from windrow.algebra.monoid import Codec, Monoid
from windrow.errors import SnapshotError, WindrowError

__all__ = ["StateCodec", "require_codec"]


class StateCodec:
    """From states to bytes and back; None stays None, whatever the codec."""

    def __init__(self, name: str, codec: Codec | None) -> None:
        self._name, self._codec = name, codec

    @classmethod
    def of(cls, monoid: Monoid[Any, Any]) -> "StateCodec":
        """How the states of a monoid are kept."""
        return cls(monoid.name, monoid.codec)

    def encode(self, state: Any) -> bytes:
        """A state as bytes."""
        return encode(self.to_plain(state), self._name)

    def decode(self, content: bytes) -> Any:
        """The state that these bytes were made of."""
        return decode(content) if self._codec is None else self.from_plain(decode(content))

    def to_plain(self, state: Any) -> Any:
        """What the codec makes of a state: a plain value, or an error later."""
        return state if state is None or self._codec is None else self._codec[0](state)

    def from_plain(self, value: Any) -> Any:
        """The state that the codec made such a value of."""
        if value is None or self._codec is None:
            return value
        try:
            return self._codec[1](value)
        except WindrowError:
            raise
        except Exception as reason:
            raise SnapshotError(
                f"the codec of {self._name} cannot read a state that was kept "
                f"({type(reason).__name__}: {reason}); was it written by another version of it?"
            ) from reason


def require_codec(monoid: Monoid[Any, Any]) -> None:
    """Refuse a monoid whose identity shows that its states are no plain values.

    An identity may be a mark of its own, which is never written: of such states nothing is known
    before the first one.
    """
    identity = monoid.identity
    if monoid.codec is None and type(identity) is not object and not isinstance(identity, Enum):
        StateCodec.of(monoid).encode(identity)
