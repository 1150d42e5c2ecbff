"""Constants: shipped, measured, kept in the cache folder, and read again."""

import json
from pathlib import Path
from typing import Any

import pytest

from windrow.compiler import cache
from windrow.errors import CacheWarning, InputError
from windrow.plan import calibrated, measured
from windrow.plan.constants import OTHER, Constants, Price
from windrow.plan.shipped import SHIPPED

MEASURED = Constants(
    0.5, 1e-6, 2e-6, 3e-6, {"max": Price(1e-9, 2e-9), OTHER: Price(1e-8, 1e-8)}, {}, "measured"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache"
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(path))
    return path


def test_constants_are_kept_and_forgotten(folder: Path) -> None:
    assert calibrated.constants() is SHIPPED
    assert not folder.exists()  # asking makes no folder
    assert calibrated.keep(MEASURED)
    assert calibrated.constants() == MEASURED
    assert calibrated.forget()
    assert not calibrated.forget()
    assert calibrated.constants() is SHIPPED


def test_constants_of_another_release_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    calibrated.keep(MEASURED)
    monkeypatch.setattr(measured, "__version__", "0.0.0")
    assert calibrated.constants() is SHIPPED


def test_a_damaged_file_is_ignored_with_a_warning(folder: Path) -> None:
    calibrated.keep(MEASURED)
    [file] = folder.iterdir()
    file.write_bytes(file.read_bytes()[:-3])
    with pytest.warns(CacheWarning, match="calibrate --forget removes"):
        assert calibrated.constants() is SHIPPED
    assert calibrated.forget()


def test_a_file_that_others_may_write_is_ignored_with_a_warning(folder: Path) -> None:
    calibrated.keep(MEASURED)
    [file] = folder.iterdir()
    file.chmod(0o666)
    with pytest.warns(CacheWarning, match="others may write"):
        assert calibrated.constants() is SHIPPED


def test_what_is_no_constants_is_ignored_with_a_warning() -> None:
    wrong: Any
    for wrong in ({}, [], MEASURED.as_dict() | {"stage": -1}, MEASURED.as_dict() | {"sent": "1"}):
        cache.save(measured._key("costs"), "costs", json.dumps(wrong).encode())
        with pytest.warns(CacheWarning, match="no constants of windrow"):
            assert calibrated.constants() is SHIPPED


def test_a_folder_that_cannot_be_written_to_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert not calibrated.keep(MEASURED)
    assert calibrated.constants() is SHIPPED
    assert not calibrated.forget()


def test_an_aggregate_without_a_price_costs_as_much_as_others() -> None:
    assert MEASURED.price("max", compiled=True) == Price(1e-9, 2e-9)
    assert MEASURED.price("own", compiled=True) == Price(1e-8, 1e-8)
    with pytest.raises(InputError, match="no price is known of 'max'"):
        MEASURED.price("max", compiled=False)


def test_constants_come_back_from_plain_data() -> None:
    for constants in (MEASURED, SHIPPED):
        assert Constants.from_dict(json.loads(json.dumps(constants.as_dict()))) == constants


def test_shipped_constants_price_everything() -> None:
    for compiled in (True, False):
        price = SHIPPED.price("an aggregate of one's own", compiled=compiled)
        assert 0 < price.lift < 1e-3
        assert 0 < price.combine < 1e-3
