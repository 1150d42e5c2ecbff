"""The log: records survive a crash whole or not at all, and damage is never taken for an end."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from windrow.errors import DamagedPageError, StoreError
from windrow.wire.log import Log
from windrow.wire.log_files import records_of

RECORDS = [b"", b"a", b"\0" * 20, b"second", bytes(range(256)), b"last one"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "log"


def _written(folder: Path, records: list[bytes], file_bytes: int = 1 << 20) -> Log:
    log = Log(folder, file_bytes=file_bytes)
    for record in records:
        log.append(record)
    log.sync()
    return log


def _contents(records: Iterator[tuple[int, bytes]]) -> list[bytes]:
    return [content for _, content in records]


def _copies(folder: Path, name: str) -> Path:
    copy = folder.with_name(name)
    shutil.copytree(folder, copy)
    return copy


def test_records_come_back_with_their_numbers(folder: Path) -> None:
    log = _written(folder, RECORDS)
    assert [*log.records()] == [*enumerate(RECORDS)]
    assert [*log.records(4)] == [*enumerate(RECORDS)][4:]
    log.close()
    again = Log(folder)
    assert (again.first, again.end) == (0, len(RECORDS))
    assert [*again.records()] == [*enumerate(RECORDS)]
    assert again.append(b"more") == len(RECORDS)
    again.close()


@pytest.mark.parametrize("file_bytes", [1 << 20, 40])  # one file, and one for every record or two
def test_a_crash_at_any_byte_costs_the_last_record_alone(folder: Path, file_bytes: int) -> None:
    before = _written(folder, RECORDS[:-1], file_bytes)
    before.close()
    whole = _copies(folder, "before")
    _written(folder, [RECORDS[-1]], file_bytes).close()
    newest = max(folder.glob("*.log"))
    written = newest.read_bytes()
    kept = whole / newest.name
    begun = kept.stat().st_size if kept.exists() else 0
    for length in range(begun, len(written)):
        copy = _copies(folder, f"cut-{length}")
        (copy / newest.name).write_bytes(written[:length])
        assert _contents(records_of(copy)) == RECORDS[:-1]  # a reader while it is being written
        log = Log(copy, file_bytes=file_bytes)
        assert _contents(log.records()) == RECORDS[:-1]
        assert log.append(b"anew") == len(RECORDS) - 1
        log.close()
        assert _contents(records_of(copy)) == [*RECORDS[:-1], b"anew"]


def test_a_log_cut_anywhere_holds_the_records_before_the_cut(folder: Path) -> None:
    _written(folder, RECORDS).close()
    (only,) = folder.glob("*.log")
    written = only.read_bytes()
    ends = [0]
    for record in RECORDS:
        ends.append(ends[-1] + 12 + len(record))
    for length in range(len(written) + 1):
        only.write_bytes(written[:length])
        whole = sum(end <= length for end in ends[1:])
        log = Log(folder)
        assert _contents(log.records()) == RECORDS[:whole]
        assert log.size == ends[whole]
        log.close()


def test_a_tail_of_zeros_is_cut_off(folder: Path) -> None:
    """Some file systems give a file its length before its content."""
    _written(folder, RECORDS).close()
    (only,) = folder.glob("*.log")
    written = only.read_bytes()
    for count in (1, 7, 8, 9, 100, 5_000):
        only.write_bytes(written + bytes(count))
        log = Log(folder)
        assert _contents(log.records()) == RECORDS
        log.close()


def test_damage_in_the_middle_is_an_error(folder: Path) -> None:
    """Every bit of all records before the last is watched over; nothing is lost without a word."""
    records = [b"first record", b"", b"second", b"the last"]
    _written(folder, records).close()
    (only,) = folder.glob("*.log")
    written = only.read_bytes()
    last = len(written) - 12 - len(records[-1])
    for place in range(last):
        for bit in range(8):
            changed = bytearray(written)
            changed[place] ^= 1 << bit
            only.write_bytes(changed)
            with pytest.raises(DamagedPageError, match="restore the file from a copy"):
                Log(folder)
            with pytest.raises(DamagedPageError):
                _contents(records_of(folder))


def test_a_file_before_the_last_may_not_end_within_a_record(folder: Path) -> None:
    _written(folder, RECORDS, 40).close()
    first, *_ = sorted(folder.glob("*.log"))
    first.write_bytes(first.read_bytes()[:-1])
    log = Log(folder)
    with pytest.raises(DamagedPageError):
        _contents(log.records())


def test_a_missing_file_in_the_middle_is_an_error(folder: Path) -> None:
    log = _written(folder, [b"x" * 50] * 5, 40)
    log.close()
    _, second, *_ = sorted(folder.glob("*.log"))
    second.unlink()
    with pytest.raises(DamagedPageError):
        _contents(records_of(folder))


def test_files_are_begun_when_one_is_full_and_dropped_when_no_longer_needed(folder: Path) -> None:
    log = _written(folder, [b"x" * 50] * 5, 100)
    assert len([*folder.glob("*.log")]) == 3
    size = log.size
    log.drop_before(1)  # in the first file there is a record that is needed
    assert (log.first, log.size) == (0, size)
    log.drop_before(3)
    assert (log.first, log.end) == (2, 5)
    assert [number for number, _ in log.records()] == [2, 3, 4]
    log.drop_before(5)  # the file that is written stays
    assert [number for number, _ in log.records()] == [4]
    log.close()
    assert (Log(folder).first, Log(folder).end) == (4, 5)


def test_a_reader_sees_what_was_flushed_and_goes_on_from_there(folder: Path) -> None:
    log = Log(folder, file_bytes=60)
    seen: list[tuple[int, bytes]] = []
    for number in range(20):
        log.append(b"record %d" % number)
        log.flush()
        seen += records_of(folder, len(seen))
        assert [place for place, _ in seen] == [*range(number + 1)]
    log.close()


def test_a_reader_of_a_log_of_which_the_beginning_is_gone_sees_the_rest(folder: Path) -> None:
    log = _written(folder, [b"x" * 50] * 5, 40)
    log.drop_before(3)
    assert [number for number, _ in records_of(folder, 1)] == [3, 4]
    log.close()


def test_a_folder_of_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "events.log").write_text("hello")
    with pytest.raises(StoreError, match="a folder of its own"):
        Log(tmp_path)


class LogMachine(RuleBasedStateMachine):
    """A log beside a list; crashes tear what was not synced."""

    @initialize(file_bytes=st.sampled_from((30, 100, 1 << 20)))
    def begin(self, file_bytes: int) -> None:
        import tempfile

        self.place = tempfile.TemporaryDirectory()
        self.folder = Path(self.place.name)
        self.file_bytes = file_bytes
        self.log = Log(self.folder, file_bytes=file_bytes)
        self.kept: list[bytes] = []
        self.synced = 0

    @rule(records=st.lists(st.binary(max_size=40), min_size=1, max_size=4))
    def append(self, records: list[bytes]) -> None:
        for record in records:
            assert self.log.append(record) == len(self.kept)
            self.kept.append(record)

    @rule()
    def sync(self) -> None:
        self.log.sync()
        self.synced = len(self.kept)

    @rule(share=st.floats(0, 1))
    def drop(self, share: float) -> None:
        number = int(share * len(self.kept))
        self.log.drop_before(number)
        assert self.log.first <= max(number, self.log.first)

    @rule(torn=st.integers(0, 200))
    def crash(self, torn: int) -> None:
        """What was synced is there; of the rest any beginning may be."""
        self.log.flush()
        newest = max(self.folder.glob("*.log"), default=None)
        if newest is not None:
            unsynced = sum(12 + len(record) for record in self.kept[self.synced :])
            size = newest.stat().st_size
            with newest.open("r+b") as file:
                file.truncate(size - min(torn, unsynced, size))
        self.log.close()
        self.log = Log(self.folder, file_bytes=self.file_bytes)
        assert self.synced <= self.log.end <= len(self.kept)
        del self.kept[self.log.end :]
        self.synced = len(self.kept)

    @rule()
    def open_again(self) -> None:
        self.log.close()
        self.log = Log(self.folder, file_bytes=self.file_bytes)
        self.synced = len(self.kept)

    @precondition(lambda self: hasattr(self, "log"))
    @invariant()
    def what_is_read_is_what_was_written(self) -> None:
        first = self.log.first
        assert self.log.end == len(self.kept)
        assert [*self.log.records()] == [*enumerate(self.kept)][first:]
        middle = (first + self.log.end) // 2
        assert [*records_of(self.folder, middle)] == [*enumerate(self.kept)][middle:]
        assert self.log.size == sum(path.stat().st_size for path in self.folder.glob("*.log"))

    def teardown(self) -> None:
        if hasattr(self, "log"):
            self.log.close()
            self.place.cleanup()


TestLog = LogMachine.TestCase
TestLog.settings = settings(stateful_step_count=25)
