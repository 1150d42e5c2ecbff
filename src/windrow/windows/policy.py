"""Slide policies: what stays in a window is decided by aggregates over it."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from keyword import iskeyword
from typing import Any, ClassVar, TypeAlias

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.monoid import Monoid
from windrow.arguments import member, shown
from windrow.errors import WindowError
from windrow.windows.options import Check
from windrow.windows.window import Marker, Window

__all__ = ["Drop", "Keep", "Policy", "named_aggregates"]

Keep: TypeAlias = Callable[[Any], bool]
Drop: TypeAlias = Callable[[Any, Any, Any], bool]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Policy(Window):
    """A window that slides by content: after each insert, predicates decide what to evict.

    Two predicates decide, at least one of them given. Their arguments have one attribute for each
    name in `using`: the aggregate of that name over the updates that the argument stands for.

    `keep(window)` is true when the candidate window, a suffix of the updates held, needs no more
    eviction. It is monotone: once true for a window, it is true for every shorter suffix. It may
    empty the window, and is never evaluated on an empty one.

    `drop(evicted, after, before)` is true when at least the candidate prefix `evicted` must go;
    `after` is what would remain, `before` is both together. It is monotone: if true for a prefix,
    it is true for every shorter prefix. It is evaluated on proper prefixes only, so the
    newest update always survives it.

    After each insert everything goes that `keep` refuses or that `drop` condemns: eviction goes
    to the later of the first position from which `keep` holds and the last position up to which
    `drop` holds. A predicate that is not given condemns nothing.

    Predicates see numbers only: an aggregate over nothing but nulls appears as its neutral number
    (count 0, sum and range 0, product 1, max -inf, min +inf, any other NaN).

    With `Check.TRUST` monotone predicates are taken for granted and the eviction point is found
    by search, in a logarithmic number of calls; with `Check.VERIFY` they are verified on the data
    at hand. Examples, for aggregates named `n` and `peak`:

    - `keep=lambda window: window.n <= 1000` holds the last thousand updates;
    - `drop=lambda evicted, after, before: evicted.peak <= after.peak` evicts everything older
      than the maximum;
    - both together hold at most a thousand, and evict what is older than the maximum.
    """

    keep: Keep | None = None
    drop: Drop | None = None
    using: tuple[tuple[str, Aggregate[Any]], ...]
    check: Check = Check.TRUST

    alone: ClassVar[str] = "which rows it holds depends on what it held before"
    per_row: ClassVar[bool] = True
    in_buckets: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.keep is None and self.drop is None:
            raise WindowError(
                "keep=None and drop=None evict nothing; give at least one of them, "
                "e.g. keep=lambda window: window.n <= 1000"
            )
        _require_predicate(self.keep, "keep", ("window",))
        _require_predicate(self.drop, "drop", ("evicted", "after", "before"))
        if not isinstance(self.using, tuple):
            object.__setattr__(self, "using", named_aggregates(self.using))
        _require_named_aggregates(self.using)
        object.__setattr__(self, "check", member(Check, self.check, "check", WindowError))

    @property
    def watched(self) -> tuple[tuple[str, Aggregate[Any]], ...]:
        """What the predicates look at."""
        return self.using

    @property
    def functions(self) -> tuple[Keep | None, Drop | None]:
        """The predicates."""
        return self.keep, self.drop

    def reading(
        self,
        marker: Callable[[str, Marker], Marker],
        aggregate: Callable[[str, Aggregate[Any]], Aggregate[Any]],
    ) -> "Policy":
        """The same with aggregates of other columns."""
        using = tuple((name, aggregate(name, part)) for name, part in self.using)
        return replace(self, using=using)

    def __repr__(self) -> str:
        predicates = (("keep", self.keep), ("drop", self.drop))
        arguments = [f"{name}={_called(p)}" for name, p in predicates if p is not None]
        arguments.append(f"using={dict(self.using)!r}")
        if self.check is not Check.TRUST:
            arguments.append(f"check={self.check}")
        return f"policy({', '.join(arguments)})"


def named_aggregates(
    using: Mapping[str, Aggregate[Any] | Monoid[Any, Any]],
) -> tuple[tuple[str, Aggregate[Any]], ...]:
    """A user's mapping in the immutable form that `Policy` holds; bare monoids are wrapped."""
    if not isinstance(using, Mapping):
        raise WindowError(_no_names(using))
    return tuple(
        (name, Aggregate(part) if isinstance(part, Monoid) else part)
        for name, part in using.items()
    )


def _no_names(using: object) -> str:
    return (
        f"using={shown(using)} is a {type(using).__name__}; "
        'give a mapping of names to aggregates, e.g. using={"n": agg.count()}'
    )


def _require_named_aggregates(using: tuple[tuple[str, Aggregate[Any]], ...]) -> None:
    if not using:
        raise WindowError(
            "using is empty, so the predicates have nothing to look at; "
            'name at least one aggregate, e.g. using={"n": agg.count()}'
        )
    if not all(isinstance(one, tuple) and len(one) == 2 for one in using):
        raise WindowError(_no_names(using))
    for name, part in using:
        if not _is_attribute(name):
            raise WindowError(
                f"using has the name {shown(name)}, which predicates cannot read as an attribute; "
                "use an identifier that is no keyword and has no leading underscore, e.g. 'n'"
            )
        if not isinstance(part, Aggregate):
            raise WindowError(
                f"using[{shown(name)}]={shown(part)} is not an aggregate; "
                "use one of windrow.agg, e.g. agg.count(), or a Monoid"
            )


def _require_predicate(
    predicate: Callable[..., bool] | None, argument: str, parameters: tuple[str, ...]
) -> None:
    """Refuse what cannot be called with these parameters by position."""
    if predicate is None:
        return
    call = f"{argument}=lambda {', '.join(parameters)}: ..."
    if not callable(predicate):
        raise WindowError(f"{argument}={shown(predicate)} is not callable; give a function, {call}")
    try:
        signature = inspect.signature(predicate)
    except (TypeError, ValueError):
        return  # some callables written in C do not tell
    try:
        signature.bind(*parameters)
    except TypeError:
        raise WindowError(
            f"{argument}={_called(predicate)} takes {signature}, but is called with "
            f"{len(parameters)} positional argument(s); write {call}"
        ) from None


def _is_attribute(name: object) -> bool:
    return (
        isinstance(name, str)
        and name.isidentifier()
        and not iskeyword(name)
        and not name.startswith("_")
    )


def _called(predicate: Callable[..., bool]) -> str:
    return getattr(predicate, "__name__", None) or repr(predicate)
