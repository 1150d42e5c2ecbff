"""What was chosen for a query, and everything worth saying about it."""

from dataclasses import dataclass
from textwrap import TextWrapper
from typing import Any

from windrow.planning.strategy import Assembly, Strategy

__all__ = ["Plan"]

_WRAP = TextWrapper(width=96, initial_indent="  - ", subsequent_indent="    ")


@dataclass(frozen=True)
class Plan:
    """How a query runs."""

    query: str
    strategy: Strategy
    assembly: Assembly | None  # for panes
    reasons: tuple[str, ...]
    in_spark: tuple[str, ...]
    in_python: tuple[str, ...]
    state: tuple[str, ...]
    shuffled: tuple[str, ...]
    cheaper: tuple[str, ...]
    exactness: tuple[str, ...] = ()  # of results that are intervals
    sampled: tuple[str, ...] = ()  # what was looked at beforehand, or why nothing was

    def explain(self) -> str:
        """The plan in plain words."""
        lines = [f"{self.query}", f"Strategy: {self.strategy.value}"]
        for title, sentences in self._sections():
            lines.append(f"{title}:")
            lines += [_WRAP.fill(sentence) for sentence in sentences or ("nothing",)]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """The plan as plain data, for JSON."""
        return {
            "query": self.query,
            "strategy": self.strategy.value,
            "assembly": self.assembly.value if self.assembly else None,
            "reasons": list(self.reasons),
            "in_spark": list(self.in_spark),
            "in_python": list(self.in_python),
            "state": list(self.state),
            "shuffled": list(self.shuffled),
            "cheaper": list(self.cheaper),
            "exactness": list(self.exactness),
            "sampled": list(self.sampled),
        }

    def _sections(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        told = (("How exact", self.exactness),) if self.exactness else ()
        sampled = (("Sampled beforehand", self.sampled),) if self.sampled else ()
        return (
            ("Why", self.reasons),
            *told,
            *sampled,
            ("Computed by Spark, in the JVM", self.in_spark),
            ("Computed in Python", self.in_python),
            ("Kept in state", self.state),
            ("Shuffled", self.shuffled),
            ("What would make it cheaper", self.cheaper),
        )
