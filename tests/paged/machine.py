"""A paged window against the list of what should be in it, through restarts and crashes."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.paged.faulty import FaultyStore
from windrow.paged import PagedAmta

PAGE = 8


class PagedMachine(RuleBasedStateMachine):
    """Subclasses say how a window is made, drawn from, and what it should answer."""

    @initialize()
    def start(self) -> None:
        self.store = FaultyStore()
        self.values: list[Any] = []  # all updates ever
        self.evicted = 0
        self.past = {0: {0}}  # by the number of updates: how many were evicted at that time
        self.window = self.opened()

    def opened(self) -> PagedAmta:
        raise NotImplementedError

    def answer(self, values: list[Any]) -> Any:
        raise NotImplementedError

    def leaving(self, values: list[Any]) -> int:
        raise NotImplementedError

    def note(self) -> None:
        self.past.setdefault(len(self.values), set()).add(self.evicted)

    def inserted(self, values: list[Any]) -> None:
        for value in values:
            self.values.append(value)
            self.note()

    def left(self, count: int) -> None:
        self.evicted += count
        self.note()

    @rule(value=st.integers(-5, 5))
    def insert(self, value: int) -> None:
        self.window.insert(value)
        self.inserted([value])

    @rule(first=st.integers(-5, 5), count=st.sampled_from([2, PAGE, 3 * PAGE + 1, 40 * PAGE]))
    def extend(self, first: int, count: int) -> None:
        values = [(first + 7 * k) % 11 - 5 for k in range(count)]
        self.window.extend(values)
        self.inserted(values)

    @precondition(lambda self: len(self.values) > self.evicted)
    @rule(share=st.floats(0, 1))
    def evict(self, share: float) -> None:
        count = round(share * (len(self.values) - self.evicted))
        self.window.evict(count)
        self.left(count)

    @precondition(lambda self: len(self.values) > self.evicted)
    @rule(count=st.sampled_from([1, 2, PAGE - 1]))
    def evict_one_by_one(self, count: int) -> None:
        for _ in range(min(count, len(self.values) - self.evicted)):
            self.window.evict()
            self.left(1)

    @rule()
    def slide(self) -> None:
        expected = self.leaving(self.values[self.evicted :])
        assert self.window.slide() == expected
        self.left(expected)

    @rule()
    def close_and_open(self) -> None:
        self.window.close()
        self.window = self.opened()
        assert (self.window.inserted, self.window.evicted) == (len(self.values), self.evicted)

    @rule()
    def crash(self) -> None:
        """What was not written is lost; the rest is what the window was at some time."""
        self.window = self.opened()
        inserted, evicted = self.window.inserted, self.window.evicted
        assert evicted in self.past[inserted]
        del self.values[inserted:]
        self.evicted = evicted
        self.past = {n: times for n, times in self.past.items() if n <= inserted}
        self.past[inserted] = {e for e in self.past[inserted] if e <= evicted}

    @invariant()
    def answers_as_it_should(self) -> None:
        held = self.values[self.evicted :]
        assert len(self.window) == len(held)
        assert self.window.query() == self.answer(held)
