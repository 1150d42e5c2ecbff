"""What the state of a stream says of itself, so that others than its query can read it."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from windrow.errors import SnapshotError

__all__ = ["About"]

_UNREADABLE = (AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError)

# Another number whenever `shards` or `waiting` write something else: `windrow state` reads both.
_FORMAT = "windrow state 3"


@dataclass(frozen=True)
class About:
    """The query, the names of its keys, and the schemas of what is kept."""

    query: str
    keys: tuple[str, ...]  # as the user calls them: those after the hash, in order
    kept: Mapping[str, pa.Schema]
    waiting: pa.Schema  # of rows that wait for their turn

    def written(self) -> bytes:
        """As bytes to keep."""
        kept = {name: _text(schema) for name, schema in self.kept.items()}
        told = {"format": _FORMAT, "query": self.query, "keys": self.keys, "kept": kept}
        return json.dumps({**told, "waiting": _text(self.waiting)}).encode()

    @classmethod
    def read(cls, content: bytes) -> "About":
        """What was written."""
        try:
            told = json.loads(content)
            if told["format"] != _FORMAT:
                raise SnapshotError(
                    f"the checkpoint's state is of format {told['format']!r}, and this version "
                    f"of windrow reads {_FORMAT!r}"
                )
            kept = {name: _schema(text) for name, text in told["kept"].items()}
            keys = tuple(map(str, told["keys"]))
            return cls(str(told["query"]), keys, kept, _schema(told["waiting"]))
        except SnapshotError:
            raise
        except (*_UNREADABLE, pa.ArrowException) as reason:
            raise SnapshotError(
                f"what the checkpoint's state says of itself is damaged ({reason}); use a copy of "
                "it, or a new checkpoint"
            ) from None


def _text(schema: pa.Schema) -> str:
    return base64.b64encode(schema.serialize()).decode()


def _schema(text: str) -> pa.Schema:
    return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(text)))
