"""What the nodes of a tree say to each other, as bytes.

    magic | version | length of the head | head (JSON) | body | checksum

A head names the message and its fields, and nothing else is taken: whatever the bytes are, reading
them gives one of the messages below or a `MessageError`.  Who sent a message is not in it: the
carrier knows, and a node believes the carrier alone.

    up    Hello     here I am, begun for the `epoch`-th time
          Frame     all rows with times in [since, to), as states, rows or results
          Late      rows that came when their stretch had been sent already
          Leaving   from these frontiers on my frames go elsewhere
          Status    how I and those below me fare
    down  Welcome   how far you have come here, query by query
          Asking    compute this query
          Dropping  compute it no longer
          Ack       your frames before `frontier` are here; those before `durable` are safe
          LateAck   what came late up to this number is safe
          Resend    frames are missing: send again from here
"""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from math import isfinite
from typing import Any, TypeAlias, get_args, get_origin, get_type_hints
from zlib import crc32

from windrow.errors import MessageError

__all__ = [
    "MOST_HEAD",
    "Ack",
    "Asking",
    "Dropping",
    "Frame",
    "Hello",
    "Late",
    "LateAck",
    "Leaving",
    "Message",
    "Resend",
    "Status",
    "Welcome",
    "decode",
    "encode",
]

_MAGIC = b"wrm1"
_HEAD = struct.Struct("<4sI")
_CHECK = struct.Struct("<I")
MOST_HEAD = 1 << 20  # bytes: a job's text is the longest there is
_DEEPEST = 16  # levels of what nodes say of how they fare


@dataclass(frozen=True)
class Hello:
    """A child says that it is there; its parent answers with a `Welcome`."""

    epoch: int


@dataclass(frozen=True)
class Frame:
    """A stretch [since, to) of event time for one query: no row before `to` will follow.

    `missing` names the leaves and mergers without whose rows it was put together.
    """

    query: str
    since: int
    to: int
    rows: int  # how many rows went into it
    body: bytes = field(repr=False)
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Late:
    """What came after its stretch of time had been merged without it; numbered by who sends it.

    Rows of a leaf, which had promised that none would follow; or, with `since` below `to`, the
    whole frame of a member that its parent had not waited for.
    """

    query: str
    sender: str
    number: int
    rows: int
    body: bytes = field(repr=False)
    since: int = 0
    to: int = 0
    missing: tuple[str, ...] = ()

    @property
    def is_frame(self) -> bool:
        """Whether it is a frame, with states, rows or results as the query's frames have."""
        return self.since < self.to

    @property
    def member(self) -> str:
        """Whose rows they are.

        >>> Late("q", "hall-1 without press", 1, 0, b"", 0, 10).member
        'press'
        """
        return self.sender.rpartition(" without ")[2]


@dataclass(frozen=True)
class Leaving:
    """The sender's frames from these frontiers on, query by query, go to another parent."""

    frontiers: Mapping[str, int]


@dataclass(frozen=True)
class Status:
    """How nodes fare, by name: plain numbers and words."""

    nodes: Mapping[str, Any]


@dataclass(frozen=True)
class Welcome:
    """A parent's answer: all that is asked, and how far it has the child's frames of it.

    A query without a frontier is new.
    """

    queries: tuple[str, ...]
    revision: int  # of what is asked: an older welcome says less than is known
    frontiers: Mapping[str, int]
    durable: Mapping[str, int]  # up to where all is safe: before that nobody asks again
    passed: Mapping[str, int]  # up to where the parent's own frames have gone on
    credit: int


@dataclass(frozen=True)
class Asking:
    """A query that all nodes below shall compute."""

    query: str
    text: str


@dataclass(frozen=True)
class Dropping:
    """A query that nobody asks any more."""

    query: str


@dataclass(frozen=True)
class Ack:
    """Frames up to `frontier` have arrived, and up to `durable` will survive any crash."""

    query: str
    frontier: int
    durable: int
    credit: int  # how many bytes beyond these the sender may have under way


@dataclass(frozen=True)
class LateAck:
    """What a sender has sent late, up to and including this number, will survive any crash."""

    query: str
    sender: str
    number: int


@dataclass(frozen=True)
class Resend:
    """A frame that begins at `since` is missing."""

    query: str
    since: int


Message: TypeAlias = (
    Hello | Frame | Late | Leaving | Status | Welcome | Asking | Dropping | Ack | LateAck | Resend
)

_KINDS = {kind.__name__: kind for kind in get_args(Message)}


def encode(message: Message) -> bytes:
    """A message as bytes.

    >>> decode(encode(Ack("q", 5, 3, 100)))
    Ack(query='q', frontier=5, durable=3, credit=100)
    """
    kind: type = type(message)
    values = {name: getattr(message, name) for name in _types(kind)}
    body = values.pop("body", b"")
    head = json.dumps([kind.__name__, values], separators=(",", ":")).encode()
    content = b"".join([_HEAD.pack(_MAGIC, len(head)), head, body])
    return content + _CHECK.pack(crc32(content))


def decode(content: Any) -> Message:
    """The message that the bytes are."""
    view = memoryview(content)
    if len(view) < _HEAD.size + _CHECK.size:
        raise MessageError(f"{len(view)} bytes are too few for a message; send it again")
    magic, length = _HEAD.unpack_from(view)
    if magic != _MAGIC:
        raise MessageError(
            f"bytes that begin with {bytes(view[:8])!r} are no message of this version of windrow; "
            "run the same version on all nodes"
        )
    if length > min(MOST_HEAD, len(view) - _HEAD.size - _CHECK.size):
        raise MessageError(
            f"a message of {len(view):,} bytes has a head of {length:,}; send it again"
        )
    end = len(view) - _CHECK.size
    if crc32(view[:end]) != _CHECK.unpack_from(view, end)[0]:
        raise MessageError(
            f"a message of {len(view):,} bytes was changed on the way; send it again"
        )
    head = bytes(view[_HEAD.size : _HEAD.size + length])
    try:
        name, values = json.loads(head)
        return _made(name, values, view[_HEAD.size + length : end])
    except (ValueError, TypeError, KeyError, RecursionError) as reason:
        raise MessageError(
            f"a message that begins with {head[:80]!r} is none of ours ({reason}); run the same "
            "version of windrow on all nodes"
        ) from None


def _made(name: str, values: dict[str, Any], body: memoryview) -> Message:
    kind = _KINDS[name]
    types = dict(_types(kind))
    has_body = types.pop("body", None) is not None
    if len(body) and not has_body:
        raise ValueError(f"a {name} has no body")
    if type(values) is not dict or values.keys() != types.keys():
        raise ValueError(f"its fields are not {', '.join(types)}")
    read = {field: _read(values[field], wanted) for field, wanted in types.items()}
    if has_body:
        read["body"] = bytes(body)
    made: Message = kind(**read)
    return made


@cache
def _types(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {one.name: hints[one.name] for one in fields(kind)}


def _read(value: Any, wanted: Any) -> Any:
    """A value of the wanted type as JSON gave it."""
    if wanted is int:
        if type(value) is not int or not -(2**63) <= value < 2**63:
            raise ValueError(f"{value!r} is no whole number of 64 bits")
        return value
    if wanted is str:
        if type(value) is not str:
            raise ValueError(f"{value!r} is no text")
        value.encode()  # JSON has halves of characters, and these are no text: a ValueError
        return value
    if get_origin(wanted) is tuple:
        if type(value) is not list:
            raise ValueError(f"{value!r} is no list")
        return tuple(_read(one, str) for one in value)
    if type(value) is not dict:
        raise ValueError(f"{value!r} is no mapping")
    inner = get_args(wanted)[1]
    if inner is Any:
        return _plain(value, _DEEPEST)
    return {_read(key, str): _read(one, inner) for key, one in value.items()}


def _plain(value: Any, depth: int) -> Any:
    """Numbers and words, nested so little that others can encode them again."""
    if not depth:
        raise ValueError("it is nested too deep")
    if type(value) is dict:
        return {_read(key, str): _plain(one, depth - 1) for key, one in value.items()}
    if type(value) is list:
        return [_plain(one, depth - 1) for one in value]
    if type(value) is float and not isfinite(value):
        raise ValueError(f"{value!r} is no number")
    return _read(value, type(value)) if type(value) in (int, str) else value
