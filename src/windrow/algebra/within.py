"""How far a result may be from the exact one: what `Aggregate.within` was given."""

from dataclasses import dataclass

from windrow.arguments import finite, shown
from windrow.errors import InputError

__all__ = ["CONFIDENCE", "Within", "require_confidence"]

CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True)
class Within:
    """A bound on the error of each result, as a share of it or in its own units.

    Where bounds rest on predictions, these are made at a level of confidence; without any bound,
    they are all there is to say.

    >>> Within(relative=0.001)
    within(relative=0.001, confidence=0.95)
    """

    relative: float | None = None
    absolute: float | None = None
    confidence: float = CONFIDENCE

    def __post_init__(self) -> None:
        if self.relative is not None and self.absolute is not None:
            raise InputError(
                f"within(relative={shown(self.relative)}, absolute={shown(self.absolute)}): "
                "give one of them"
            )
        for name in ("relative", "absolute"):
            bound = getattr(self, name)
            number = finite(bound)
            if bound is not None and (number is None or number < 0):
                raise InputError(f"within: {name}={shown(bound)}; give a number of 0 or more")
        require_confidence(self.confidence)

    @property
    def bounds(self) -> bool:
        """Whether it bounds the error itself."""
        return self.relative is not None or self.absolute is not None

    def __repr__(self) -> str:
        given = (("relative", self.relative), ("absolute", self.absolute))
        given_bounds = [f"{name}={bound!r}" for name, bound in given if bound is not None]
        return f"within({', '.join([*given_bounds, f'confidence={self.confidence!r}'])})"


def require_confidence(confidence: object) -> None:
    """Refuse what is no level of confidence."""
    if not isinstance(confidence, float) or not 0 < 1 - confidence < 1:
        raise InputError(
            f"confidence={shown(confidence)}: give a number between 0 and 1, such as 0.95"
        )
