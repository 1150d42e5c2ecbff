"""One run over rows and nodes: where the window of each new row begins, and its results."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra.catalogue import count
from windrow.algebra.monoid import numeric_of
from windrow.columnar.answers import Numbers
from windrow.columnar.grouping import Groups
from windrow.columnar.keyed import spread
from windrow.columnar.loops import CompilationError, slide_columns
from windrow.columnar.order import first_tied, last_tied
from windrow.columnar.spans import Spans
from windrow.columnar.states import Summary
from windrow.columnar.task import Task
from windrow.compiler.setting import compiling_now
from windrow.engines.answers import side_by_side
from windrow.engines.definition import Definition
from windrow.engines.run_input import RunInput
from windrow.windows import Check, Policy, Window

__all__ = ["Ran", "Running"]

_LOWEST = np.iinfo(np.int64).min


@dataclass(frozen=True)
class Ran:
    """What a run gave, for each new row of a run input."""

    run_input: RunInput  # with all nodes opened that a window begins with
    # The place of the oldest row in any of its windows; one further than its own: none.
    fronts: NDArray[np.int64]
    columns: Sequence[pa.Array]  # results


class Running:
    """Trailing windows and policies over rows and nodes."""

    def __init__(self, definition: Definition) -> None:
        _, window = definition.windows[0]
        self._definition = definition
        self._policy = window if isinstance(window, Policy) else None
        self._results = definition.results
        schema = definition.schema
        self._answered = [
            Summary(part, f"a{k}", schema, result)
            for k, ((_, part), result) in enumerate(
                zip(definition.aggregates, definition.results, strict=True)
            )
        ]
        self._watched = [
            Summary(part, f"w{k}", schema, pa.float64())
            for k, (_, part) in enumerate(window.watched)
        ]
        #: All aggregates that nodes have states of.
        self.summaries = [*self._answered, *self._watched]
        self._compiles: bool | None = None  # not known yet

    @cached_property
    def possible(self) -> bool:
        """Whether nodes can be used: states are small, and the policy can be compiled."""
        if self._policy is None:
            return all(summary.small for summary in self.summaries)
        is_compiled = all(summary.numbers is not None for summary in self.summaries)
        return is_compiled and self._policy.check is Check.TRUST

    def compiles(self, run_input: RunInput) -> bool:
        """Whether the predicates of a policy can be compiled; tried once, on what is at hand."""
        if self._compiles is None:
            try:
                with compiling_now():
                    self.run(run_input)
                self._compiles = True
            except CompilationError:
                self._compiles = False
        return self._compiles

    def run(self, run_input: RunInput) -> Ran:
        """The results of all new rows."""
        if self._policy is not None:
            return self._slide(run_input, self._policy)
        while True:
            spans = [_spans(run_input, window) for window in self._definition.trailing]
            # New rows are no nodes: only ends before them matter.
            ends = [np.minimum(own.until, run_input.new) for own in spans]
            starts = [own.since for own in spans]
            wide = _nodes_at(run_input, np.concatenate([*starts, *ends]))
            if not len(wide):
                break
            run_input = run_input.opened(wide)
        states = [run_input.states(summary) for summary in self._answered]
        found = [
            [summary.over(own, span) for summary, own in zip(self._answered, states, strict=True)]
            for span in spans
        ]
        fronts = np.min(starts, axis=0)
        return Ran(run_input, fronts, side_by_side(found, self._definition))

    def _slide(self, run_input: RunInput, policy: Policy) -> Ran:
        while True:
            *answers, sizes = self._slid(run_input, policy)
            new = run_input.new
            fronts = new + 1 - sizes.arrays[0][new]
            # `keep` refuses whole nodes: some rows of the last one that was refused may have to
            # stay.
            firsts = np.repeat(
                run_input.borders[:-1], np.diff(run_input.borders) - run_input.settled
            )
            wide = _nodes_at(run_input, np.concatenate([fronts, np.maximum(fronts - 1, firsts)]))
            if not len(wide):
                break
            run_input = run_input.opened(wide)
        columns = []
        for summary, answer, result in zip(self._answered, answers, self._results, strict=True):
            assert summary.numbers is not None  # see `possible`
            columns.append(summary.numbers.typed(answer, result, new))
        return Ran(run_input, fronts, columns)

    def _slid(self, run_input: RunInput, policy: Policy) -> list[Numbers]:
        tasks = [
            summary.numbers.task(run_input.states(summary))
            for summary in self.summaries
            if summary.numbers is not None
        ]
        asked, watched = tasks[: len(self._answered)], tasks[len(self._answered) :]
        counted = count()
        form = numeric_of(counted.monoid, ())
        assert form is not None  # of the catalogue
        settled = np.zeros(int(run_input.borders[-1]), np.bool_)
        settled[spread(run_input.borders[:-1], run_input.settled)] = True
        groups = Groups(run_input.borders)
        return slide_columns([*asked, (Task(counted, ()), form)], watched, policy, groups, settled)


def _spans(run_input: RunInput, window: Window) -> Spans:
    """From which place to which the window of each new row goes."""
    since, until = _reached(run_input, window), run_input.new + 1
    if not window.holds_own_time:
        # A node has the time of its newest row: others in it may be older.
        until = first_tied(run_input.ticks, run_input.borders)[run_input.new]
    elif window.ties_together:
        until = last_tied(run_input.ticks, run_input.borders)[run_input.new] + 1
    return Spans(since, until)


def _reached(run_input: RunInput, window: Window) -> NDArray[np.int64]:
    """The place with which the window of each new row begins."""
    if window.reach_rows is not None:
        scale, width = run_input.positions, window.reach_rows
    else:
        assert window.reach_us is not None
        scale, width = run_input.ticks, window.reach_us
    fronts = []
    for start, end, settled in zip(
        run_input.borders[:-1], run_input.borders[1:], run_input.settled, strict=True
    ):
        own = scale[start:end]
        now = own[settled:]
        # The ends of time may be less than a window away.
        early = now < _LOWEST + width
        before = np.where(early, _LOWEST, now - width)
        found = np.searchsorted(own, before, side="right")
        fronts.append(start + np.where(early, 0, found))
    return np.concatenate(fronts)


def _nodes_at(run_input: RunInput, bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """The nodes at which a window begins or ends: some of their rows may be in it, others not."""
    inside = np.unique(bounds[bounds < len(run_input.levels)])
    wide: NDArray[np.int64] = inside[run_input.levels[inside] > 0]
    return wide
