"""One run over rows and nodes: where the window of each new row begins, and its results."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.aggregators.kernels.when import compiling_now
from windrow.aggregators.rolling.answers import Numbers
from windrow.aggregators.rolling.compiled import CompilationError, slide_columns
from windrow.aggregators.rolling.grouping import Groups
from windrow.aggregators.rolling.task import Task
from windrow.aggregators.rolling.tied import first_tied, last_tied
from windrow.algebra.catalogue import count
from windrow.algebra.monoid import numeric_of
from windrow.slicing.definition import Definition
from windrow.slicing.keyed import spread
from windrow.slicing.lineup import Lineup
from windrow.slicing.summary import Summary
from windrow.slicing.summary_spans import Spans
from windrow.windows import Check, Policy, Ties, TrailingRows, TrailingTime

__all__ = ["Ran", "Running"]

_LOWEST = np.iinfo(np.int64).min


@dataclass(frozen=True)
class Ran:
    """What a run gave, for each new row of a lineup."""

    lineup: Lineup  # with all nodes opened that a window begins with
    fronts: NDArray[
        np.int64
    ]  # the place of its window's oldest row; one further than its own: none
    columns: list[pa.Array]  # results


class Running:
    """Trailing windows and policies over rows and nodes."""

    def __init__(self, definition: Definition) -> None:
        ((_, window),) = definition.windows
        assert isinstance(window, TrailingRows | TrailingTime | Policy)
        self.window = window
        self._results = definition.results
        schema = definition.schema
        self._answered = [
            Summary(part, f"a{k}", schema, result)
            for k, ((_, part), result) in enumerate(
                zip(definition.aggregates, definition.results, strict=True)
            )
        ]
        using = window.using if isinstance(window, Policy) else ()
        self._watched = [
            Summary(part, f"w{k}", schema, pa.float64()) for k, (_, part) in enumerate(using)
        ]
        #: All aggregates that nodes have states of.
        self.summaries = [*self._answered, *self._watched]
        self._compiles: bool | None = None  # not known yet

    @cached_property
    def possible(self) -> bool:
        """Whether nodes will do: states are small, and a policy is asked in compiled runs."""
        if not isinstance(self.window, Policy):
            return all(summary.small for summary in self.summaries)
        is_compiled = all(summary.numbers is not None for summary in self.summaries)
        return is_compiled and self.window.check is Check.TRUST

    def compiles(self, lineup: Lineup) -> bool:
        """Whether the predicates of a policy can be compiled; tried once, on what is at hand."""
        if self._compiles is None:
            try:
                with compiling_now():
                    self.run(lineup)
                self._compiles = True
            except CompilationError:
                self._compiles = False
        return self._compiles

    def run(self, lineup: Lineup) -> Ran:
        """The results of all new rows."""
        if isinstance(self.window, Policy):
            return self._slide(lineup, self.window)
        while True:
            fronts, ends = self._reached(lineup), self._ends(lineup)
            wide = _nodes_at(lineup, fronts if ends is None else np.concatenate([fronts, ends]))
            if not len(wide):
                break
            lineup = lineup.opened(wide)
        spans = Spans(fronts, lineup.new + 1 if ends is None else ends)
        found = [summary.over(lineup.states(summary), spans) for summary in self._answered]
        return Ran(lineup, fronts, found)

    def _scale(self, lineup: Lineup) -> tuple[NDArray[np.int64], int]:
        """On which line windows lie, and how long they are there."""
        if isinstance(self.window, TrailingRows):
            return lineup.positions, self.window.rows
        assert isinstance(self.window, TrailingTime)
        return lineup.ticks, self.window.reach_us

    def _reached(self, lineup: Lineup) -> NDArray[np.int64]:
        scale, width = self._scale(lineup)
        fronts = []
        for start, end, settled in zip(
            lineup.borders[:-1], lineup.borders[1:], lineup.settled, strict=True
        ):
            own = scale[start:end]
            now = own[settled:]
            # The ends of time may be less than a window away.
            early = now < _LOWEST + width
            before = np.where(early, _LOWEST, now - width)
            found = np.searchsorted(own, before, side="right")
            fronts.append(start + np.where(early, 0, found))
        return np.concatenate(fronts)

    def _ends(self, lineup: Lineup) -> NDArray[np.int64] | None:
        """The place after each new row's window; None where that is the one after the row."""
        window = self.window
        if not isinstance(window, TrailingTime):
            return None
        if not window.closed.at_end:
            # A node has the time of its newest row: others in it may be older.
            return first_tied(lineup.ticks, lineup.borders)[lineup.new]
        if window.ties is Ties.TOGETHER:
            return last_tied(lineup.ticks, lineup.borders)[lineup.new] + 1
        return None

    def _slide(self, lineup: Lineup, policy: Policy) -> Ran:
        while True:
            *answers, sizes = self._slid(lineup, policy)
            new = lineup.new
            fronts = new + 1 - sizes.arrays[0][new]
            # What `keep` refuses goes as a whole: of a node that went last, rows may have to stay.
            firsts = np.repeat(lineup.borders[:-1], np.diff(lineup.borders) - lineup.settled)
            wide = _nodes_at(lineup, np.concatenate([fronts, np.maximum(fronts - 1, firsts)]))
            if not len(wide):
                break
            lineup = lineup.opened(wide)
        columns = []
        for summary, answer, result in zip(self._answered, answers, self._results, strict=True):
            assert summary.numbers is not None  # see `possible`
            columns.append(summary.numbers.typed(answer, result, new))
        return Ran(lineup, fronts, columns)

    def _slid(self, lineup: Lineup, policy: Policy) -> list[Numbers]:
        tasks = [
            summary.numbers.task(lineup.states(summary))
            for summary in self.summaries
            if summary.numbers is not None
        ]
        asked, watched = tasks[: len(self._answered)], tasks[len(self._answered) :]
        counted = count()
        form = numeric_of(counted.monoid, ())
        assert form is not None  # of the catalogue
        settled = np.zeros(int(lineup.borders[-1]), np.bool_)
        settled[spread(lineup.borders[:-1], lineup.settled)] = True
        groups = Groups(lineup.borders)
        return slide_columns([*asked, (Task(counted, ()), form)], watched, policy, groups, settled)


def _nodes_at(lineup: Lineup, bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """The nodes at which a window begins or ends: some of their rows may be in it, others not."""
    inside = np.unique(bounds[bounds < len(lineup.levels)])
    wide: NDArray[np.int64] = inside[lineup.levels[inside] > 0]
    return wide
