"""Stores bring their packages only when they are used, and say which one is missing."""

import subprocess
import sys

import pytest

import windrow.paged.stores

DATABASES = ("redis", "rocksdict")


def run(code: str) -> str:
    """What a new process prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_stores_and_keeping_pages_in_memory_loads_no_database() -> None:
    code = f"""
import sys
from windrow.paged.stores import Key, MemoryStore
MemoryStore().open("w").put_many({{Key("x", 0): b"."}})
print([name for name in {DATABASES} if name in sys.modules])
"""
    assert run(code) == "[]"


@pytest.mark.parametrize(
    ("store", "package", "extra"),
    [("RocksStore", "rocksdict", "rocksdb"), ("RedisStore", "redis", "redis")],
)
def test_a_missing_package_is_named_with_the_extra_that_brings_it(
    store: str, package: str, extra: str
) -> None:
    code = f"""
import sys
sys.modules[{package!r}] = None
try:
    from windrow.paged.stores import {store}
except ImportError as error:
    print(error)
"""
    advice = f"{store} needs the package {package!r}; pip install 'windrow[{extra}]'"
    assert run(code) == advice


def test_all_names_exist() -> None:
    assert sorted(windrow.paged.stores.__all__) == list(windrow.paged.stores.__all__)
    for name in windrow.paged.stores.__all__:
        assert getattr(windrow.paged.stores, name).__name__ == name
    assert not hasattr(windrow.paged.stores, "FloppyStore")
