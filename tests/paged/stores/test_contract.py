"""What every store promises, each promise on every store."""

from typing import Any

import pytest

from tests.paged.stores.support import Recipe
from windrow.errors import InputError, StoreBusyError, StoreError
from windrow.paged.stores import Batch, Key, Span, Store

# Names that a careless layout of keys would mix up.
NAMES = [
    "a", "a:", "a:b", "{a}", "{a", "a}", "{}", "a/0", "a/", "/a", "a%3A", "a%", "%61", "*", "a*",
    "[a]", "?", "\\", " ", "a ", "A", "ä", "a\u0308", "\x00", "a\x00", "\x00a", "\n", "\ud800",
    "lease", "window", "a}:window", "a:lease", "a}:space:{x", "…", "名前", "🌾", "w", "p", "next",
    "layout", "x" * 1000,
]  # fmt: skip

LAST = 2**63 - 1


def test_values_come_in_the_order_of_their_keys(store: Store) -> None:
    with store.open("w") as stored_window:
        stored_window.put_many({Key("x", 1): b"one", Key("y", 1): b"other", Key("x", 2): b""})
        keys = [Key("x", 2), Key("y", 2), Key("x", 1), Key("z", 1), Key("y", 1), Key("x", 1)]
        assert stored_window.get_many(keys) == [b"", None, b"one", None, b"other", b"one"]
        assert stored_window.get_many([]) == []


def test_putting_again_replaces_a_value(store: Store) -> None:
    with store.open("w") as stored_window:
        stored_window.put_many({Key("x", 1): b"old"})
        stored_window.put_many({Key("x", 1): b"new"})
        assert stored_window.get_many([Key("x", 1)]) == [b"new"]


def test_what_is_deleted_goes_before_what_is_put(store: Store) -> None:
    with store.open("w") as stored_window:
        stored_window.put_many({Key("x", number): b"old" for number in range(4)})
        stored_window.write(Batch({Key("x", 1): b"new", Key("x", 7): b"new"}, [Span("x", 0, 3)]))
        found = stored_window.get_many([Key("x", number) for number in (0, 1, 2, 3, 7)])
        assert found == [None, b"new", None, b"old", b"new"]


@pytest.mark.parametrize(
    ("first", "end"),
    [
        (2, 2),
        (2, 3),
        (0, 2**63),
        (2, 2**63),
        (0, 3),
        (2**32 - 1, 2**32 + 1),
        (2, 10_000),
        (3, 2**53),
    ],
)
def test_a_span_has_its_first_number_and_not_its_end(store: Store, first: int, end: int) -> None:
    numbers = [0, 1, 2, 3, 255, 256, 9_999, 10_000, 2**32 - 1, 2**32, 2**32 + 1, 2**53, LAST]
    keys = [Key(space, number) for space in ("x", "xx", "w") for number in numbers]
    with store.open("w") as stored_window:
        stored_window.put_many(dict.fromkeys(keys, b"."))
        stored_window.delete_range(Span("xx", first, end))
        assert stored_window.get_many(keys) == [
            None if space == "xx" and first <= number < end else b"." for space, number in keys
        ]


def test_many_values_and_wide_spans_fit_into_one_batch(store: Store) -> None:
    keys = [Key("x", number) for number in range(100_000)]
    with store.open("w") as stored_window:
        stored_window.put_many(dict.fromkeys(keys, b"."))
        assert stored_window.get_many(keys) == [b"."] * 100_000
        stored_window.write(
            Batch({Key("y", 0): b"y"}, [Span("x", 10, 50_000), Span("x", 50_001, 99_999)])
        )
        left = [
            key.number
            for key, value in zip(keys, stored_window.get_many(keys), strict=True)
            if value
        ]
        assert left == [*range(10), 50_000, 99_999]


def test_large_values_come_back_whole(store: Store) -> None:
    large = bytes(range(256)) * 32_768  # 8 MB
    with store.open("w") as stored_window:
        stored_window.put_many({Key("x", 0): large, Key("x", 1): large[::-1]})
    with store.open("w") as stored_window:
        assert stored_window.get_many([Key("x", 1), Key("x", 0)]) == [large[::-1], large]


@pytest.mark.parametrize(
    ("puts", "deleted"),
    [
        ({Key("x", 2): "text"}, []),
        ({Key("x", 2): bytearray(b"changes")}, []),
        ({Key("x", 2): None}, []),
        ({Key("x", -1): b""}, []),
        ({Key("x", 2**63): b""}, []),
        ({Key("x", 2.0): b""}, []),  # type: ignore[arg-type]
        ({Key("", 2): b""}, []),
        ({Key("X", 2): b""}, []),
        ({Key("x:y", 2): b""}, []),
        ({Key("x\n", 2): b""}, []),
        ({Key("x" * 65, 2): b""}, []),
        ({}, [Span("x", 1, 0)]),
        ({}, [Span("x", -1, 1)]),
        ({}, [Span("x", 0, 2**63 + 1)]),
        ({}, [Span("x y", 0, 1)]),
    ],
)
def test_a_batch_that_cannot_be_kept_changes_nothing(
    store: Store, puts: dict[Key, Any], deleted: list[Span]
) -> None:
    with store.open("w") as stored_window:
        stored_window.put_many({Key("x", 0): b"old"})
        batch = Batch(
            {Key("x", 0): b"new", Key("x", 1): b"new"} | puts, [Span("x", 0, 1), *deleted]
        )
        with pytest.raises(InputError, match=r".*; .*"):
            stored_window.write(batch)
        assert stored_window.get_many([Key("x", 0), Key("x", 1)]) == [b"old", None]
        for key in puts.keys() - {Key("x", 2)}:
            with pytest.raises(InputError):
                stored_window.get_many([key])


def test_an_empty_batch_changes_nothing(store: Store) -> None:
    with store.open("w") as stored_window:
        stored_window.put_many({Key("x", 0): b"old"})
        stored_window.write(Batch())
        stored_window.put_many({})
        stored_window.delete_range(Span("never", 0, 2**63))
        assert stored_window.get_many([Key("x", 0)]) == [b"old"]


def test_windows_do_not_touch_whatever_their_names(store: Store) -> None:
    stored_windows = {name: store.open(name) for name in NAMES}
    for name, stored_window in stored_windows.items():
        mark = name.encode("utf-8", "surrogatepass")
        stored_window.put_many({Key("x", 0): mark, Key("window", 0): mark})
    assert store.names() == sorted(NAMES)
    for name, stored_window in stored_windows.items():
        mark = name.encode("utf-8", "surrogatepass")
        assert stored_window.get_many([Key("x", 0), Key("window", 0)]) == [mark, mark]
        stored_window.delete_range(Span("x", 0, 2**63))
        assert stored_window.get_many([Key("x", 0), Key("window", 0)]) == [None, mark]
        stored_window.close()
    for done, name in enumerate(NAMES, 1):
        store.delete(name)
        assert store.names() == sorted(NAMES[done:])
    for name in NAMES:
        with store.open(name) as stored_window:
            assert stored_window.get_many([Key("window", 0)]) == [None]


@pytest.mark.parametrize("name", ["", None, 7, b"w"])
def test_what_is_no_name_is_refused(store: Store, name: Any) -> None:
    for action in (store.open, store.delete):
        with pytest.raises(InputError, match=r"name=.* does not name a window; give text"):
            action(name)


def test_an_open_window_is_refused_to_others(store: Store) -> None:
    with store.open("w") as stored_window, store.open("other"):
        stored_window.put_many({Key("x", 0): b"kept"})
        for action in (store.open, store.delete):
            with pytest.raises(StoreBusyError, match=r"name='w' is open already .*close"):
                action("w")
        assert stored_window.get_many([Key("x", 0)]) == [b"kept"]
    with store.open("w") as stored_window:
        assert stored_window.get_many([Key("x", 0)]) == [b"kept"]
    store.delete("w")
    assert store.names() == ["other"]


def test_a_window_is_there_from_its_first_opening_until_it_is_deleted(store: Store) -> None:
    assert store.names() == []
    store.delete("w")
    with store.open("w"):
        assert store.names() == ["w"]
    with store.open("w") as stored_window:
        stored_window.put_many({Key("x", 0): b"old"})
        stored_window.delete_range(Span("x", 0, 1))
    assert store.names() == ["w"]
    store.delete("w")
    assert store.names() == []


def test_a_deleted_window_begins_empty(store: Store) -> None:
    with store.open("w") as stored_window:
        stored_window.put_many({Key("x", 0): b"old", Key("y", 1): b"old"})
    store.delete("w")
    with store.open("w") as stored_window:
        assert stored_window.get_many([Key("x", 0), Key("y", 1)]) == [None, None]


def test_a_closed_stored_window_refuses_and_closing_it_again_does_nothing(store: Store) -> None:
    stored_window = store.open("w")
    stored_window.close()
    with store.open("w") as successor:
        stored_window.close()
        with pytest.raises(StoreError, match="name='w' is closed; open it again"):
            stored_window.get_many([Key("x", 0)])
        with pytest.raises(StoreError, match="name='w' is closed; open it again"):
            stored_window.put_many({Key("x", 0): b"late"})
        assert successor.get_many([Key("x", 0)]) == [None]


def test_a_closed_store_refuses_and_so_do_its_stored_windows(recipe: Recipe) -> None:
    store = recipe.make()
    stored_window = store.open("w")
    store.close()
    store.close()
    stored_window.close()
    for action in (lambda: store.open("w"), store.names, lambda: store.delete("w")):
        with pytest.raises(StoreError, match="is closed; make it again"):
            action()
    with pytest.raises(StoreError, match="is closed; open it again"):
        stored_window.get_many([])


def test_lasting_values_are_there_when_the_store_is_made_again(recipe: Recipe) -> None:
    if not recipe.lasting:
        with recipe.make() as store, store.open("w"):
            pass
        with recipe.make() as store:
            assert store.names() == []
        return
    with recipe.make() as store:
        store.open("w").put_many({Key("x", 3): b"kept", Key("y", LAST): b"too"})
    with recipe.make() as store:
        assert store.names() == ["w"]
        with store.open("w") as stored_window:
            found = stored_window.get_many([Key("x", 3), Key("y", LAST), Key("y", 3)])
            assert found == [b"kept", b"too", None]
