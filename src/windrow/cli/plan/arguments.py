"""From options to a plan."""

from itertools import count
from pathlib import Path

from windrow.cli.plan.nodes import read_nodes
from windrow.cli.plan.options import Given
from windrow.cli.plan.outcome import Outcome
from windrow.cli.plan.senders import measure, read_arrivals, read_class, read_sources
from windrow.cli.plan.wording import told_as_options
from windrow.cli.quantities import read_bytes, read_count, read_seconds, read_share
from windrow.errors import InputError
from windrow.topology import Emission, Plan, Reduction, Routing, Sources, plan, read_plan

__all__ = ["planned", "shown"]


def planned(given: Given) -> Outcome:
    """The plan for what was asked."""
    if given.margin is not None and given.loss is not None:
        raise InputError(
            f"--margin {given.margin} and --loss {given.loss}: the chance of a loss says which "
            "margin is needed; give one of them"
        )
    nodes, trace = read_nodes(given), measure(given)
    sources = read_sources(given) if trace is None else trace.sources
    if trace is not None and nodes[0].limit.items is None and given.bytes is None:
        raise InputError(
            f"--trace {given.trace} does not say how large items are, but nodes have a limit of "
            "bytes; name the column with sizes, --bytes COLUMN, or give a limit of items"
        )
    with told_as_options():
        found = plan(
            sources,
            nodes=nodes,
            reduction=_reduction(given),
            arrivals=read_arrivals(given, sources, trace),
            routing=Routing.ITEM if given.routing is None else Routing(given.routing),
            margin=_share(given.margin, "--margin", "give a share to leave free, such as 10%"),
            loss=_share(given.loss, "--loss", "give a chance, such as 0.001 or 0.1%"),
        )
    return Outcome(found, trace=trace)


def shown(path: Path, new_sources: str | None, given: Given) -> Outcome:
    """The plan of a file, or the one that follows it for other sources."""
    if new_sources is None and not given.classes:
        if others := given.present():
            raise InputError(
                f"{path} and {others[0]}: the file says what its plan is for; leave {path} out to "
                "plan anew, or say what changes with --new-sources"
            )
        return Outcome(read_plan(path))
    unused = Given(**{**vars(given), "classes": ()}).present()
    if unused or (new_sources is not None and given.classes):
        also = [*unused, *given.present("classes")][0]
        asked = "--class" if new_sources is None else f"--new-sources {new_sources}"
        raise InputError(
            f"{asked} and {also}: all but the sources stays as {path} has it; leave {also} out"
        )
    before = read_plan(path)
    new: int | tuple[Sources, ...] = tuple(map(read_class, given.classes, count(1)))
    if new_sources is not None:
        new = _so_many(new_sources, before)
    with told_as_options():
        change = before.adapt(new)
    return Outcome(change.plan, change=change)


def _so_many(text: str, before: Plan) -> int:
    if len(before.sources) > 1:
        raise InputError(
            f"--new-sources {text}: the plan has {len(before.sources)} classes of sources; give "
            'each as it will be, --class "count=100,rate=2/s"'
        )
    return read_count(text, "--new-sources", "950")


def _reduction(given: Given) -> Reduction:
    usual = Reduction()
    return Reduction(
        period_s=_seconds(given.period, "--period") or usual.period_s,
        keys=1 if given.keys is None else read_count(given.keys, "--keys", "1000"),
        hottest=_share(given.hottest, "--hottest", "give the largest key's share, such as 10%"),
        states=1 if given.states is None else read_count(given.states, "--states", "1"),
        state_bytes=None
        if given.state_size is None
        else read_bytes(given.state_size, "--state-size"),
        emission=_emission(given),
        spread_s=_seconds(given.spread, "--spread"),
    )


def _emission(given: Given) -> Emission:
    if given.emit is not None:
        return Emission(given.emit)
    return Emission.ON_CHANGE if given.loss is None else Emission.AT_CLOSE


def _seconds(text: str | None, option: str) -> float | None:
    """A duration above 0, if it is given."""
    if text is None:
        return None
    seconds = read_seconds(text, option)
    if not seconds:
        raise InputError(f"{option} {text}: give a duration above 0, such as 20min")
    return seconds


def _share(text: str | None, option: str, wanted: str) -> float | None:
    return None if text is None else read_share(text, option, wanted)
