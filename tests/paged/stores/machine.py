"""A Hypothesis state machine that compares a store with plain dictionaries, step by step."""

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.paged.stores.support import Recipe
from windrow.paged.stores import Batch, Key, Span, StoredWindow

# Few, so that steps meet, and at the ends of what a machine's numbers hold.
EDGES = [0, 1, 2, 3, 4, 255, 256, 300, 2**32 - 1, 2**32, 2**32 + 1, 2**53, 2**63 - 1]

names = st.sampled_from(["a", "a:b", "{a}"])
spaces = st.sampled_from(["x", "xx", "window", "0"])
keys = st.builds(Key, spaces, st.sampled_from(EDGES))
spans = st.builds(
    lambda space, ends: Span(space, min(ends), max(ends)),
    spaces,
    st.tuples(*[st.sampled_from([*EDGES, 2**63])] * 2),
)
batches = st.builds(
    Batch,
    st.dictionaries(keys, st.binary(max_size=20), max_size=6),
    st.lists(spans, max_size=3),
)
ALL_KEYS = [Key(space, number) for space in ("x", "xx", "window", "0") for number in EDGES]


def machine_of(recipe: Recipe) -> type[RuleBasedStateMachine]:
    """Machines that share no values: each begins and ends with nothing."""

    class Machine(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.store = recipe.make()
            self.stored_windows: dict[str, StoredWindow] = {}
            self.model: dict[str, dict[Key, bytes]] = {}
            assert self.store.names() == []

        @rule(name=names, batch=batches)
        def write(self, name: str, batch: Batch) -> None:
            self.stored_window(name).write(batch)
            values = self.model[name]
            for space, first, end in batch.deleted:
                for key in list(values):
                    if key.space == space and first <= key.number < end:
                        del values[key]
            values.update(batch.puts)

        @rule(name=names, wanted=st.lists(keys, max_size=8))
        def read(self, name: str, wanted: list[Key]) -> None:
            found = self.stored_window(name).get_many(wanted)
            assert found == [self.model[name].get(key) for key in wanted]

        @rule(name=names)
        def close(self, name: str) -> None:
            if name in self.stored_windows:
                self.stored_windows.pop(name).close()

        @rule(name=names)
        def delete(self, name: str) -> None:
            self.close(name)
            self.store.delete(name)
            self.model.pop(name, None)

        @rule()
        def make_again(self) -> None:
            if recipe.lasting:
                self.store.close()
                self.store = recipe.make()
                self.stored_windows.clear()

        @invariant()
        def the_windows_are_those_of_the_model(self) -> None:
            assert self.store.names() == sorted(self.model)
            for name, stored_window in self.stored_windows.items():
                assert stored_window.get_many(ALL_KEYS) == [
                    self.model[name].get(key) for key in ALL_KEYS
                ]

        def stored_window(self, name: str) -> StoredWindow:
            if name not in self.stored_windows:
                self.stored_windows[name] = self.store.open(name)
                self.model.setdefault(name, {})
            return self.stored_windows[name]

        def teardown(self) -> None:
            for name in list(self.model):
                self.delete(name)
            self.store.close()

    return Machine
