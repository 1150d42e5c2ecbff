"""A description of a stream's state, stored with it, so that other tools can read it."""

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
        document = {"format": _FORMAT, "query": self.query, "keys": self.keys, "kept": kept}
        return json.dumps({**document, "waiting": _text(self.waiting)}).encode()

    @classmethod
    def read(cls, content: bytes) -> "About":
        """What was written."""
        try:
            document = json.loads(content)
            if document["format"] != _FORMAT:
                raise SnapshotError(
                    f"the checkpoint's state is of format {document['format']!r}, and this version "
                    f"of windrow reads {_FORMAT!r}"
                )
            kept = {name: _schema(text) for name, text in document["kept"].items()}
            keys = tuple(map(str, document["keys"]))
            return cls(str(document["query"]), keys, kept, _schema(document["waiting"]))
        except SnapshotError:
            raise
        except (*_UNREADABLE, pa.ArrowException) as reason:
            raise SnapshotError(
                f"the description of the checkpoint's state is damaged ({reason}); restore the "
                "checkpoint from a copy, or use a new one"
            ) from None


def _text(schema: pa.Schema) -> str:
    return base64.b64encode(schema.serialize()).decode()


def _schema(text: str) -> pa.Schema:
    return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(text)))
