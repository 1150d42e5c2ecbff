"""A state machine that drives any aggregator against a plain list and a fold of it."""

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.examples import examples
from tests.structures.support import (
    FREE,
    Slide,
    Structure,
    from_maximum,
    last,
    last_from_maximum,
    total_up_to,
)
from windrow import agg
from windrow.structures import Aggregator, SubtractOnEvict

__all__ = ["CASES", "GROUPS", "Case", "drive"]


@dataclass(frozen=True)
class Case:
    """An aggregate, values for it, and its result over a list in plain Python."""

    name: str
    aggregate: Any
    expected: Callable[[Sequence[Any]], Any]
    values: st.SearchStrategy[Any]
    invertible: bool = False

    def __str__(self) -> str:
        return self.name


DIGITS = st.integers(0, 9)

CASES = [
    Case("free", FREE, lambda values: "".join(map(str, values)), DIGITS, invertible=True),
    Case("sum", agg.sum(), lambda values: sum(values) if values else None, DIGITS, invertible=True),
    Case("max", agg.max(), lambda values: max(values, default=None), DIGITS),
    Case("first", agg.first(), lambda values: values[0] if values else None, DIGITS),
    Case("collect", agg.collect(), list, DIGITS),
    Case(
        "several",
        agg.several(n=agg.count(), low=agg.min(), last=agg.last()),
        lambda values: {
            "n": len(values),
            "low": min(values, default=None),
            "last": values[-1] if values else None,
        },
        DIGITS,
    ),
]
GROUPS = [case for case in CASES if case.invertible]


class WindowMachine(RuleBasedStateMachine):
    """One window, and the list of what should be in it."""

    def __init__(self, structure: Structure, case: Case) -> None:
        super().__init__()
        self.structure = structure
        self.case = case
        self.values: list[Any] = []

    @initialize(slide=st.sampled_from(["none", "last", "total", "maximum", "both"]))
    def build(self, slide: str) -> None:
        # A structure for groups slides by groups only.
        by_groups: dict[str, Slide | None] = {"last": last(5), "total": total_up_to(12)}
        any_of_them = {"maximum": from_maximum(), "both": last_from_maximum(6), **by_groups}
        subtracts = isinstance(self.structure, type) and issubclass(self.structure, SubtractOnEvict)
        slides = by_groups if subtracts else any_of_them
        self.slide = slides.get(slide)
        self.window = self.fresh()

    def fresh(self) -> Aggregator:
        policy = None if self.slide is None else self.slide.policy()
        return self.structure(self.case.aggregate, policy)

    @rule(data=st.data())
    def insert(self, data: st.DataObject) -> None:
        value = data.draw(self.case.values)
        self.window.insert(value)
        self.values.append(value)

    @rule(data=st.data(), repeat=st.integers(2, 40))
    def insert_many(self, data: st.DataObject, repeat: int) -> None:
        value = data.draw(self.case.values)
        for step in range(repeat):
            self.window.insert((value + step) % 10)
            self.values.append((value + step) % 10)

    @precondition(lambda self: self.values)
    @rule()
    def evict(self) -> None:
        self.window.evict()
        del self.values[0]

    @rule(data=st.data())
    def evict_many(self, data: st.DataObject) -> None:
        count = data.draw(st.integers(0, len(self.values)))
        self.window.evict(count)
        del self.values[:count]

    @precondition(lambda self: self.slide is not None)
    @rule()
    def enforce_the_policy(self) -> None:
        assert self.slide is not None
        leaving = self.slide.leaving(self.values)
        assert self.window.slide() == leaving
        del self.values[:leaving]

    @rule()
    def restart(self) -> None:
        snapshot = pickle.loads(pickle.dumps(self.window.snapshot()))
        self.window.insert(self.values[0] if self.values else 0)  # must not reach the snapshot
        self.window = self.fresh()
        self.window.restore(snapshot)

    @invariant()
    def agrees_with_the_list(self) -> None:
        assert len(self.window) == len(self.values)
        assert self.window.query() == self.case.expected(self.values)


def drive(structure: Structure, case: Case, drawn: settings | None = None) -> None:
    """Run the machine; raises what the first wrong answer raises."""

    class Machine(WindowMachine):
        def __init__(self) -> None:
            super().__init__(structure, case)

    run_state_machine_as_test(Machine, settings=drawn or examples(25, stateful_step_count=30))
