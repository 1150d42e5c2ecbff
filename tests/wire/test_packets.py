"""Parcels come together again from their packets, however batches of these are cut."""

from collections.abc import Iterator
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.errors import WindrowError
from windrow.wire import packets
from windrow.wire.packets import cut, joined

SIZE = 4  # of a packet, so that short parcels have several
PARCELS = st.lists(st.binary(max_size=19), max_size=12)


@pytest.fixture(autouse=True, scope="module")
def short_packets() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packets, "PACKET_BYTES", SIZE)
        yield


def batches_of(parcels: list[bytes], cuts: list[int]) -> list[pa.RecordBatch]:
    """Packets of these parcels in batches that begin at these places."""
    found, owners, rests = cut(pa.array(parcels, pa.binary()))
    whole = pa.record_batch(
        [found, pa.array(rests), pa.array(owners)], names=["parcel", "rest", "owner"]
    )
    bounds = sorted({0, len(found), *(place for place in cuts if place < len(found))})
    return [whole.slice(a, b - a) for a, b in pairwise(bounds)]


@given(PARCELS, st.lists(st.integers(0, 60), max_size=4))
def test_what_is_cut_comes_together(parcels: list[bytes], cuts: list[int]) -> None:
    found = list(joined(batches_of(parcels, cuts)))
    assert [parcel.to_pybytes() for _, _, parcel in found] == parcels
    assert [batch["owner"][last].as_py() for batch, last, _ in found] == list(range(len(parcels)))


@given(PARCELS, st.integers(0, 12), st.integers(0, 12))
def test_packets_are_short_and_lie_in_the_memory_of_parcels(
    parcels: list[bytes], skip: int, take: int
) -> None:
    column = pa.array(parcels, pa.binary()).slice(skip, take)
    found, owners, rests = cut(column)
    found.validate(full=True)
    lengths = [len(packet) for packet in found.to_pylist()]
    assert all(length <= SIZE for length in lengths)
    assert [n for n, rest in zip(owners.tolist(), rests.tolist(), strict=True) if rest == 0] == (
        list(range(len(column)))
    )
    if len(column):
        assert found.buffers()[2].address == column.buffers()[2].address


@given(PARCELS)
def test_columns_for_more_than_2_gib_are_read_too(parcels: list[bytes]) -> None:
    wide = [
        pa.record_batch({"parcel": batch["parcel"].cast(pa.large_binary()), "rest": batch["rest"]})
        for batch in batches_of(parcels, [])
    ]
    assert [parcel.to_pybytes() for _, _, parcel in joined(wide)] == parcels


@given(PARCELS)
def test_parcels_that_were_not_cut_are_whole(parcels: list[bytes]) -> None:
    batch = pa.record_batch([pa.array(parcels, pa.binary())], names=["parcel"])
    assert [parcel.to_pybytes() for _, _, parcel in joined([batch])] == parcels


@pytest.mark.parametrize("missing", [1, 2, 4])
def test_a_packet_that_got_lost_is_told(missing: int) -> None:
    several = batches_of([b"abcdefghi", b"klmnop"], [1, 2, 3, 4])
    with pytest.raises(WindrowError, match="got lost between two tasks"):
        list(joined([*several[:missing], *several[missing + 1 :]]))
