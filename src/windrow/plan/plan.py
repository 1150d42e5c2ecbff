"""A physical plan: what runs, and why."""

from dataclasses import dataclass
from textwrap import TextWrapper
from typing import Any

from windrow.notebook import boxes, code, preformatted, section
from windrow.parallel.methods import Method
from windrow.plan.answers import Assembly, Slicing, State, Strategy
from windrow.plan.estimate import Comparison
from windrow.plan.micro_batch import Predicted
from windrow.plan.stages import Stage

__all__ = ["Plan"]

_METHODS = "Methods compared"

_ITEM = TextWrapper(width=96, initial_indent="  - ", subsequent_indent="    ")


@dataclass(frozen=True, repr=False)
class Plan:
    """How a query runs: `stages` in order is all that runs."""

    query: str  # in one sentence
    strategy: Strategy
    slicing: Slicing
    ownership: Method
    assembly: Assembly
    state: State
    stages: tuple[Stage, ...]
    reasons: tuple[str, ...]
    kept: tuple[str, ...]  # in state
    cheaper: tuple[str, ...]  # what would cost less
    exactness: tuple[str, ...] = ()  # of results that are intervals
    sampled: tuple[str, ...] = ()  # what was looked at beforehand, or why nothing was
    compared: Comparison | None = None  # what each method was predicted to cost
    uncompared: str | None = None  # why methods were not compared
    micro_batch: Predicted | None = None  # what one of a stream should take

    def explain(self) -> str:
        """The plan in plain words."""
        lines = [self.query, f"Strategy: {self.strategy.value}", self._answers()]
        for title, sentences in self._sections():
            lines.append(f"{title}:")
            if title == _METHODS and self.compared is not None:
                lines += [f"  {line}" for line in self.compared.lines()]
            lines += [_ITEM.fill(sentence) for sentence in sentences or ("nothing",)]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """The plan as plain data, for JSON."""
        return {
            "query": self.query,
            "strategy": self.strategy.value,
            "slicing": self.slicing.value,
            "ownership": self.ownership.value,
            "assembly": self.assembly.value,
            "state": self.state.value,
            "stages": [
                {
                    "name": type(stage).__name__,
                    "runs_in": stage.runs_in,
                    "operators": list(stage.operators),
                    "work": stage.work,
                    "shuffled": stage.shuffled,
                    "seconds": stage.seconds,
                }
                for stage in self.stages
            ],
            "reasons": list(self.reasons),
            "kept": list(self.kept),
            "cheaper": list(self.cheaper),
            "exactness": list(self.exactness),
            "sampled": list(self.sampled),
            "compared": None if self.compared is None else self.compared.as_dict(),
            "uncompared": self.uncompared,
            "micro_batch": None if self.micro_batch is None else self.micro_batch.as_dict(),
        }

    def __repr__(self) -> str:
        stages = " → ".join(type(stage).__name__ for stage in self.stages)
        return f"Plan({self.strategy.value}: {stages})"

    def _repr_html_(self) -> str:
        drawing = boxes((stage.runs_in, stage.work) for stage in self.stages)
        kept = section("Kept in state", self.kept)
        why = section("Why", self.reasons)
        timed = "".join(section(*titled) for titled in self._timed())
        return f"<p>{code(self.query)}</p>{drawing}{why}{self._methods_as_html()}{timed}{kept}"

    def _methods_as_html(self) -> str:
        if self.compared is None:
            return section(_METHODS, () if self.uncompared is None else (self.uncompared,))
        others = section("Why not the others", self.compared.reasons())
        drawn = preformatted("\n".join(self.compared.lines()))
        return f"{section(_METHODS, (self.compared.rows,))}{drawn}{others}"

    def _answers(self) -> str:
        return (
            f"Sliced by: {self.slicing.value} · owned by: {self.ownership.value} · "
            f"assembled by: {self.assembly.value} · state: {self.state.value}"
        )

    def _sections(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        exactness = (("How exact", self.exactness),) if self.exactness else ()
        sampled = (("Sampled beforehand", self.sampled),) if self.sampled else ()
        return (
            ("Why", self.reasons),
            *exactness,
            *sampled,
            *self._methods(),
            *self._timed(),
            ("Stages, in order", tuple(stage.explain() for stage in self.stages)),
            ("Kept in state", self.kept),
            ("What would make it cheaper", self.cheaper),
        )

    def _methods(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        if self.compared is not None:
            return ((_METHODS, (*self.compared.reasons(), self.compared.rows)),)
        return ((_METHODS, (self.uncompared,)),) if self.uncompared is not None else ()

    def _timed(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        one = self.micro_batch
        return () if one is None else (("Micro-batches", one.sentences()),)
