"""States as bytes: plain values come back as they were, and any other bytes are refused."""

import math
import os
import pickle
import struct
import tracemalloc
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from functools import reduce
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from tests.examples import examples
from windrow import agg
from windrow.algebra.canonical import NAN
from windrow.algebra.codec import StateCodec, decode, encode, require_codec
from windrow.algebra.lookup import registered
from windrow.algebra.monoid import Codec
from windrow.algebra.rope import Rope
from windrow.errors import AggregateError, SnapshotError
from windrow.testing import columns_for

ZONES = st.sampled_from(
    [
        None,
        UTC,
        timezone(timedelta(hours=-3, seconds=7)),
        ZoneInfo("Europe/Berlin"),
        ZoneInfo("UTC"),
    ]
)
CODEPOINTS = st.sampled_from("aé€𝄞\0\ud800\udc00")  # of each width, and halves of pairs

leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(1 << 200), 1 << 200),
    st.floats(),
    st.text(CODEPOINTS),
    st.binary(),
    st.decimals(),
    st.dates(),
    st.times(timezones=st.none() | st.just(UTC)),
    st.datetimes(timezones=ZONES),
    st.timedeltas(),
    st.just(NAN),
)
hashables = st.recursive(
    leaves.filter(
        lambda value: not isinstance(value, float | Decimal) or not Decimal(value).is_nan()
    ),
    lambda inner: st.lists(inner, max_size=6).map(tuple) | st.frozensets(inner, max_size=6),
    max_leaves=8,
)


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(inner, max_size=8)
    return st.one_of(
        lists,
        lists.map(tuple),
        lists.map(Rope),
        st.sets(hashables, max_size=6),
        st.frozensets(hashables, max_size=6),
        st.dictionaries(hashables, inner, max_size=6),
        st.lists(st.tuples(inner, inner), max_size=8),
        st.lists(st.fixed_dictionaries({"a": inner, 7: inner}), max_size=8),
        *(st.lists(one, min_size=4, max_size=8) for one in (st.integers(), st.floats())),
        *(st.lists(one, min_size=4, max_size=8) for one in (st.text(CODEPOINTS), st.binary())),
    )


plain = st.recursive(leaves, containers, max_leaves=10)


def same(one: Any, other: Any) -> bool:
    """Equal, of the same types all the way down, to the last bit of a float."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return struct.pack("<d", one) == struct.pack("<d", other)
    if isinstance(one, Decimal):
        return str(one) == str(other)
    if isinstance(one, datetime | time):
        zones = str(one.tzinfo) == str(other.tzinfo)
        return (
            zones
            and one.fold == other.fold
            and one.replace(tzinfo=None) == other.replace(tzinfo=None)
        )
    if isinstance(one, dict):
        pairs = zip(one.items(), other.items(), strict=True)
        return len(one) == len(other) and all(same(a, b) for a, b in pairs)
    if isinstance(one, set | frozenset):
        return one == other and {type(item) for item in one} == {type(item) for item in other}
    if isinstance(one, list | tuple | Rope):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


@given(plain)
def test_plain_values_come_back_as_they_were(value: Any) -> None:
    assert same(decode(encode(value)), value)


@pytest.mark.parametrize(
    "value",
    [
        struct.unpack("<d", bytes.fromhex("efbeadde0000f87f"))[0],  # NaN with a payload
        -0.0,
        Decimal("-0.00"),
        Decimal("sNaN123"),
        [10**5000],  # more digits than Python reads from text
        datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=ZoneInfo("Europe/Berlin")),
        [(), (), (), ()],
        [{}, {}, {}, {}],
        [1, 2, 3, 1 << 64],
        {(): [], (1,): ()},
    ],
)
def test_what_is_easily_lost_is_not(value: Any) -> None:
    assert same(decode(encode(value)), value)


@given(plain, st.data())
def test_damaged_bytes_are_a_value_or_refused(value: Any, data: st.DataObject) -> None:
    content = encode(value)
    damaged = bytearray(content)
    match data.draw(st.sampled_from(["flip", "cut", "more", "count"])):
        case "flip":
            at = data.draw(st.integers(0, len(damaged) - 1))
            damaged[at] ^= data.draw(st.integers(1, 255))
        case "cut":
            del damaged[data.draw(st.integers(0, len(damaged) - 1)) :]
        case "more":
            damaged += data.draw(st.binary(min_size=1))
        case "count":
            at = data.draw(st.integers(0, max(len(damaged) - 4, 0)))
            damaged[at : at + 4] = data.draw(st.sampled_from([b"\xff\xff\xff\xff", b"\0\0\0\x7f"]))
    try:
        decode(bytes(damaged))
    except SnapshotError as error:
        assert "is damaged" in str(error)  # noqa: PT017


@given(st.binary(max_size=64))
def test_any_bytes_are_a_value_or_refused(content: bytes) -> None:
    try:
        decode(content)
    except SnapshotError:
        return


@pytest.mark.parametrize("way", "*giubtm")
@pytest.mark.parametrize("letter", "tlsfmr")
def test_a_count_beyond_the_bytes_is_refused_before_anything_is_made(letter: str, way: str) -> None:
    content = letter.encode() + struct.pack("<IB", (1 << 32) - 1, ord(way)) + bytes(64)
    tracemalloc.start()
    try:
        with pytest.raises(SnapshotError):
            decode(content)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def nested(depth: int) -> Any:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_values_nest_as_deep_as_is_said_and_no_deeper() -> None:
    assert decode(encode(nested(100))) == nested(100)
    with pytest.raises(AggregateError, match="more than 100 deep"):
        encode(nested(102))
    with pytest.raises(SnapshotError, match="more than 100 deep"):
        decode(b"l\x01\0\0\0*" * 5_000 + b"N")


def test_a_list_that_holds_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(AggregateError, match="in themselves"):
        encode(endless)


@pytest.mark.parametrize("name", list(registered()))
def test_every_state_of_the_catalogue_is_kept_without_a_codec(name: str) -> None:
    entry = registered()[name]
    monoid = entry.example.bound()

    def kept(values: list[Any]) -> None:
        state = reduce(monoid.combine, map(monoid.lift, values), monoid.identity)
        again = decode(encode(state))
        assert type(again) is type(state)
        results = monoid.lower(again), monoid.lower(state)
        assert repr(results[0]) == repr(results[1])

    for strategy in columns_for(entry).values():
        examples(20)(given(st.lists(strategy, max_size=5))(kept))()


class Reading:
    """A state that is no plain value."""

    def __init__(self, level: float = -math.inf) -> None:
        self.level = level


def highest(codec: Codec | None = None, **more: Any) -> Any:
    return wr.monoid(
        lift=Reading,
        combine=lambda older, newer: max(older, newer, key=lambda state: state.level),
        lower=lambda state: state.level,
        identity=Reading(),
        name="highest",
        codec=codec,
        **more,
    )


def test_an_object_is_refused_by_name_and_type_with_a_way_out() -> None:
    with pytest.raises(AggregateError, match=r"highest .* type .*\.Reading,.*codec=\(encode, "):
        StateCodec.of(highest()).encode(Reading(1.0))


@pytest.mark.parametrize("kind", [type("Sub", (dict,), {}), type("Sub", (int,), {})])
def test_a_subclass_is_not_taken_for_its_base(kind: type) -> None:
    with pytest.raises(AggregateError, match="Sub"):
        encode(kind())


def test_a_codec_makes_plain_values_of_objects() -> None:
    codec = StateCodec.of(highest((lambda state: state.level, Reading)))
    assert codec.decode(codec.encode(Reading(4.5))).level == 4.5
    assert codec.decode(codec.encode(None)) is None


def test_a_codec_that_cannot_read_is_named() -> None:
    wrote = StateCodec.of(highest((lambda state: str(state.level), Reading)))
    read = StateCodec.of(highest((lambda state: state.level, lambda level: Reading(level + 1))))
    with pytest.raises(SnapshotError, match="the codec of highest cannot read"):
        read.decode(wrote.encode(Reading(4.5)))


@pytest.mark.parametrize("codec", [3, (len,), (len, 3), "pickle", pickle])
def test_what_is_no_codec_is_refused(codec: Any) -> None:
    with pytest.raises(AggregateError, match="is no pair of functions"):
        highest(codec)


def test_another_codec_is_another_aggregate() -> None:
    marks = {highest(codec).mark for codec in (None, wr.unsafe_pickle)}
    assert len(marks) == 2


def test_parts_of_a_product_keep_their_codecs() -> None:
    both = agg.several(n=agg.count(), peak=highest((lambda state: state.level, Reading)))
    monoid = both.bound()
    state = monoid.combine(monoid.lift(2.0), monoid.lift(1.0))
    codec = StateCodec.of(monoid)
    assert monoid.lower(codec.decode(codec.encode(state))) == {"n": 2, "peak": 2.0}


class Planted:
    """A pickle whose reading makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


def test_pickles_are_never_read_unless_asked_for(tmp_path: Path) -> None:
    planted = pickle.dumps(Planted(tmp_path / "made"))
    for content in (planted, b"b" + struct.pack("<I", len(planted)) + planted):
        for monoid in (highest(), agg.collect().monoid, agg.distinct().monoid):
            codec = StateCodec.of(monoid)
            try:
                assert codec.decode(content) == planted
            except SnapshotError:
                continue
    assert not (tmp_path / "made").exists()


def test_who_asks_for_pickles_gets_them(tmp_path: Path) -> None:
    codec = StateCodec.of(highest(wr.unsafe_pickle))
    assert codec.decode(codec.encode(Reading(4.5))).level == 4.5
    codec.decode(encode(pickle.dumps(Planted(tmp_path / "made"))))
    assert (tmp_path / "made").exists()  # which is why it is called that


def test_numbers_of_numpy_become_python_s() -> None:
    values = [np.float64(0.1), np.float32(0.5), np.int8(-3), np.uint64((1 << 64) - 1), np.bool_(1)]
    again = decode(encode(values))
    assert again == values
    assert [type(value) for value in again] == [float, float, int, int, bool]
    with pytest.raises(AggregateError, match=r"numpy\.ndarray"):
        encode(np.zeros(3))


def test_days_and_times_need_no_zone() -> None:
    values = [date(1, 1, 1), date.max, time(23, 59, 59, 999_999), datetime.max, timedelta.min]
    assert decode(encode(values)) == values


def test_an_identity_that_is_no_plain_value_is_refused_when_a_query_is_built() -> None:
    with pytest.raises(AggregateError, match=r"highest .*\.Reading"):
        require_codec(highest())
    require_codec(highest((lambda state: state.level, Reading)))
    require_codec(replace(highest(), identity=object()))  # a mark, which is never written
