"""Packs come together again from their chunks, however batches of these are cut."""

from collections.abc import Iterator
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.columnar import chunks
from windrow.columnar.chunks import cut, joined
from windrow.errors import WindrowError

SIZE = 4  # of a chunk, so that short packs have several
PACKS = st.lists(st.binary(max_size=19), max_size=12)


@pytest.fixture(autouse=True, scope="module")
def short_chunks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "CHUNK_BYTES", SIZE)
        yield


def batches_of(packs: list[bytes], cuts: list[int]) -> list[pa.RecordBatch]:
    """Chunks of these packs in batches that begin at these places."""
    found, owners, rests = cut(pa.array(packs, pa.binary()))
    whole = pa.record_batch(
        [found, pa.array(rests), pa.array(owners)], names=["pack", "rest", "owner"]
    )
    bounds = sorted({0, len(found), *(place for place in cuts if place < len(found))})
    return [whole.slice(a, b - a) for a, b in pairwise(bounds)]


@given(PACKS, st.lists(st.integers(0, 60), max_size=4))
def test_what_is_cut_comes_together(packs: list[bytes], cuts: list[int]) -> None:
    found = list(joined(batches_of(packs, cuts)))
    assert [pack.to_pybytes() for _, _, pack in found] == packs
    assert [batch["owner"][last].as_py() for batch, last, _ in found] == list(range(len(packs)))


@given(PACKS, st.integers(0, 12), st.integers(0, 12))
def test_chunks_are_short_and_lie_in_the_memory_of_packs(
    packs: list[bytes], skip: int, take: int
) -> None:
    column = pa.array(packs, pa.binary()).slice(skip, take)
    found, owners, rests = cut(column)
    found.validate(full=True)
    lengths = [len(chunk) for chunk in found.to_pylist()]
    assert all(length <= SIZE for length in lengths)
    assert [n for n, rest in zip(owners.tolist(), rests.tolist(), strict=True) if rest == 0] == (
        list(range(len(column)))
    )
    if len(column):
        assert found.buffers()[2].address == column.buffers()[2].address


@given(PACKS)
def test_columns_for_more_than_2_gib_are_read_too(packs: list[bytes]) -> None:
    wide = [
        pa.record_batch({"pack": batch["pack"].cast(pa.large_binary()), "rest": batch["rest"]})
        for batch in batches_of(packs, [])
    ]
    assert [pack.to_pybytes() for _, _, pack in joined(wide)] == packs


@given(PACKS)
def test_packs_that_were_not_cut_are_whole(packs: list[bytes]) -> None:
    batch = pa.record_batch([pa.array(packs, pa.binary())], names=["pack"])
    assert [pack.to_pybytes() for _, _, pack in joined([batch])] == packs


@pytest.mark.parametrize("missing", [1, 2, 4])
def test_a_chunk_that_got_lost_is_told(missing: int) -> None:
    several = batches_of([b"abcdefghi", b"klmnop"], [1, 2, 3, 4])
    with pytest.raises(WindrowError, match="was lost or reordered between two tasks"):
        list(joined([*several[:missing], *several[missing + 1 :]]))
