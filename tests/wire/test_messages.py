"""Messages: what is sent is read, and whatever else comes is refused, with MessageError alone."""

import json
import struct
from dataclasses import fields
from typing import Any, get_args
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from windrow.errors import MessageError
from windrow.wire.messages import (
    MOST_HEAD,
    Ack,
    Asking,
    Dropping,
    Frame,
    Hello,
    Late,
    LateAck,
    Leaving,
    Message,
    Resend,
    Status,
    Welcome,
    decode,
    encode,
)

_numbers = st.integers(-(2**63), 2**63 - 1)
_names = st.text(max_size=8)
_bodies = st.binary(max_size=40)
_frontiers = st.dictionaries(_names, _numbers, max_size=3)
_several = st.lists(_names, max_size=3).map(tuple)
_plain = st.recursive(
    st.none() | st.booleans() | _numbers | _names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3),
    max_leaves=5,
)

KINDS: dict[type, st.SearchStrategy[Any]] = {
    Hello: st.builds(Hello, _numbers),
    Frame: st.builds(Frame, _names, _numbers, _numbers, _numbers, _bodies, _several),
    Late: st.builds(
        Late, *(_names, _names, _numbers, _numbers, _bodies, _numbers, _numbers), _several
    ),
    Leaving: st.builds(Leaving, _frontiers),
    Status: st.builds(Status, st.dictionaries(_names, _plain, max_size=3)),
    Welcome: st.builds(Welcome, _several, _numbers, _frontiers, _frontiers, _frontiers, _numbers),
    Asking: st.builds(Asking, _names, _names),
    Dropping: st.builds(Dropping, _names),
    Ack: st.builds(Ack, _names, _numbers, _numbers, _numbers),
    LateAck: st.builds(LateAck, _names, _names, _numbers),
    Resend: st.builds(Resend, _names, _numbers),
}
_messages = st.one_of(*KINDS.values())
_FRAME = Frame("q" * 16, -5, 10**15, 3, b"body", ("leaf 1", "ü"))


def _as_message(head: bytes, body: bytes = b"") -> bytes:
    """Bytes that are whole and checked, whatever they say."""
    content = struct.pack("<4sI", b"wrm1", len(head)) + head + body
    return content + struct.pack("<I", crc32(content))


def _refused(content: bytes) -> str:
    with pytest.raises(MessageError) as refusal:
        decode(content)
    return str(refusal.value)


def test_every_kind_of_message_is_drawn_here() -> None:
    assert set(KINDS) == set(get_args(Message))


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_is_read_as_it_was_sent(kind: type) -> None:
    @examples(100)
    @given(KINDS[kind])
    def same(message: Message) -> None:
        content = encode(message)
        assert decode(content) == message
        assert decode(memoryview(bytearray(content))) == message

    same()


def test_every_truncation_of_a_message_is_refused() -> None:
    content = encode(_FRAME)
    for length in range(len(content)):
        _refused(content[:length])
        _refused(content[length + 1 :])


def test_every_change_of_a_byte_is_refused() -> None:
    content = encode(_FRAME)
    for place in range(len(content)):
        for flipped in (*(1 << bit for bit in range(8)), 0xFF):
            changed = bytearray(content)
            changed[place] ^= flipped
            _refused(bytes(changed))


@examples(300)
@given(st.binary(max_size=200), st.booleans())
def test_bytes_of_anything_are_refused(content: bytes, whole: bool) -> None:
    _refused(_as_message(content) if whole else content)


@examples(300)
@given(_messages, st.data())
def test_a_head_with_a_value_of_any_other_kind_gives_a_message_or_an_error(
    message: Message, data: st.DataObject
) -> None:
    """Whatever is read as a message is one that could have been sent."""
    names = [one.name for one in fields(message) if one.name != "body"]
    values: dict[str, Any] = {name: getattr(message, name) for name in names}
    values[data.draw(st.sampled_from(names))] = data.draw(_plain | st.floats())
    head = json.dumps([type(message).__name__, values]).encode()
    try:
        read = decode(_as_message(head, getattr(message, "body", b"")))
    except MessageError:
        return
    assert decode(encode(read)) == read


@pytest.mark.parametrize(
    "head",
    [
        b"[" * 100_000,
        b'["Status",{"nodes":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}]",
        b'["Hello",{"epoch":' + b"9" * 5_000 + b"}]",
        b'["Hello",{"epoch":9223372036854775808}]',
        b'["Hello",{"epoch":1.0}]',
        b'["Hello",{"epoch":1e400}]',
        b'["Hello",{"epoch":NaN}]',
        b'["Hello",{"epoch":true}]',
        b'["Hello",{"epoch":"1"}]',
        b'["Hello",{"epoch":null}]',
        b'["Hello",{}]',
        b'["Hello",{"epoch":1,"body":"x"}]',
        b'["Hello",{"epoch":1,"others":2}]',
        b'["Hello",[["epoch",1]]]',
        b'["Hello"]',
        b'["Hello",{"epoch":1},3]',
        b'["hello",{"epoch":1}]',
        b'["Message",{}]',
        b'["__class__",{}]',
        b'[["Hello"],{"epoch":1}]',
        b'[{},{"epoch":1}]',
        b"[null,null]",
        b"null",
        b"1",
        b'"Hello"',
        b'{"Hello":{"epoch":1}}',
        b"",
        b"\xff\xfe",
        b'["Dropping",{"query":"\xed\xa0\x80"}]',
        b'["Dropping",{"query":["q"]}]',
        b'["Leaving",{"frontiers":[]}]',
        b'["Leaving",{"frontiers":{"q":"1"}}]',
        b'["Leaving",{"frontiers":{"q":true}}]',
        b'["Status",{"nodes":[1]}]',
        b'["Status",{"nodes":{"a":' + b"[" * 17 + b"]" * 17 + b"}}]",
        b'["Status",{"nodes":{"a":1e400}}]',
        b'["Status",{"nodes":{"a":NaN}}]',
        b'["Status",{"nodes":{"a":' + b"9" * 30 + b"}}]",
        b'["Status",{"nodes":{"\\ud800":1}}]',
        b'["Leaving",{"frontiers":{"\\ud800":1}}]',
        b'["Welcome",{"queries":"q","revision":1,"frontiers":{},"durable":{},"passed":{},"credit":1}]',
        b'["Welcome",{"queries":[1],"revision":1,"frontiers":{},"durable":{},"passed":{},"credit":1}]',
        b'["Frame",{"query":"q","since":0,"to":1,"rows":0,"body":"","missing":[]}]',
    ],
    ids=lambda head: repr(head[:40]),
)
def test_hostile_heads_are_refused(head: bytes) -> None:
    assert "none of ours" in _refused(_as_message(head))


def test_a_body_where_none_belongs_is_refused() -> None:
    assert "has no body" in _refused(_as_message(b'["Hello",{"epoch":1}]', b"body"))


def test_a_head_longer_than_any_is_refused_before_it_is_read() -> None:
    assert "has a head of" in _refused(_as_message(b" " * (MOST_HEAD + 1)))


def test_a_head_that_reaches_beyond_its_message_is_refused() -> None:
    content = struct.pack("<4sI", b"wrm1", 50) + b"{}"
    assert "has a head of 50" in _refused(content + struct.pack("<I", crc32(content)))


def test_another_version_is_told_as_such() -> None:
    assert "run the same version" in _refused(b"wrm2" + encode(_FRAME)[4:])
