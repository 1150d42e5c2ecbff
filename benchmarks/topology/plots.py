"""Pictures: what is missing in results, what is delayed, how large plans are."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.drawing import INK, row_of_panels, save
from benchmarks.findings import chosen
from benchmarks.measure import Measured
from benchmarks.topology.published import DELAYED_SHARE, LONGEST_DELAY_S, WIDTHS

__all__ = ["PLOTS"]

_THEIRS = "#d55e00"
_SHADES = ("#0a4f7d", "#56a0d3", "#009e73", "#e69f00", "#c4528f", "#6b8e23", "#888888")


def _drops(measured: Sequence[Measured], path: Path) -> None:
    sendings = list(dict.fromkeys(str(one.case["sending"]) for one in measured))
    figure, grid = _panels("What each layer drops of what it is offered", len(sendings))
    for axes, sending in zip(grid, sendings, strict=True):
        own = chosen(measured, sending=sending)
        names = [f"{one.contender}\n{one.median:.2g} % missing" for one in own]
        for layer in range(max(len(_dropped(one)) for one in own)):
            shares = [dict(enumerate(_dropped(one))).get(layer, 0.0) for one in own]
            places = [place + 0.13 * (layer - 2) for place in range(len(own))]
            shade = _SHADES[layer % len(_SHADES)]
            label = f"layer {layer + 1}" if any(shares) else None
            axes.bar(places, shares, width=0.12, color=shade, label=label)
        axes.set_xticks(range(len(own)), names, fontsize=8)
        axes.set_title(f"sources send {sending}", loc="left", fontsize=11, color=INK)
        axes.set_ylabel("dropped, %", fontsize=9, color=INK)
        axes.legend(fontsize=8, frameon=False, labelcolor=INK)
    save(figure, path)


def _dropped(one: Measured) -> list[float]:
    return [100 * float(share) for share in str(one.case["dropped"]).split()]


def _retransmission(measured: Sequence[Measured], path: Path) -> None:
    figure, (share, delay) = _panels("Refused items sent again, to one shard", 2)
    counts = [int(one.case["gateways"]) for one in measured]
    share.plot(counts, [one.median for one in measured], "o-", color=_SHADES[0], label="ours")
    share.plot(counts[-1:], [100 * DELAYED_SHARE], "D", color=_THEIRS, label="published")
    share.set_title("delayed items, %", loc="left", fontsize=11, color=INK)
    for rank, shade in zip(("max", "p99", "p50"), _SHADES, strict=False):
        delays = [(one.percentiles or {}).get(rank, 0.0) for one in measured]
        delay.plot(counts, delays, "o-", color=shade, label="longest" if rank == "max" else rank)
    delay.plot(counts[-1:], [LONGEST_DELAY_S], "D", color=_THEIRS, label="longest, published")
    delay.set_title("until they are taken, s", loc="left", fontsize=11, color=INK)
    for axes in (share, delay):
        axes.set_xlabel("gateways", fontsize=9, color=INK)
        axes.legend(fontsize=8, frameon=False, labelcolor=INK)
    save(figure, path)


def _sizes(measured: Sequence[Measured], path: Path) -> None:
    figure, [axes] = _panels("Nodes of a plan against gateways", 1)
    for name, shade, style in (("CSA", _SHADES[0], "o-"), ("optimum", _SHADES[2], ".--")):
        own = chosen(measured, contender=name)
        counts = [int(one.case["gateways"]) for one in own]
        axes.plot(counts, [one.median for one in own], style, color=shade, label=name)
    axes.plot(
        list(WIDTHS), [sum(widths) for widths in WIDTHS.values()], "D", color=_THEIRS,
        mfc="none", ms=9, label="published",
    )  # fmt: skip
    axes.set_xlabel("gateways of 0.5 items a second, shards of 20", fontsize=9, color=INK)
    axes.legend(fontsize=8, frameon=False, labelcolor=INK)
    save(figure, path)


def _scale(measured: Sequence[Measured], path: Path) -> None:
    figure, (size, time) = _panels("From a thousand to a hundred million devices", 2)
    for name, shade in zip(("CSA", "optimum", "with a margin"), _SHADES[::2], strict=False):
        own = chosen(measured, contender=name)
        devices = [int(one.case["devices"]) for one in own]
        size.plot(devices, [int(one.case["nodes"]) for one in own], "o-", color=shade, label=name)
        time.plot(devices, [one.median / 1e6 for one in own], "o-", color=shade, label=name)
    size.set_title("nodes", loc="left", fontsize=11, color=INK)
    time.set_title("time to plan, ms", loc="left", fontsize=11, color=INK)
    for axes in (size, time):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("devices", fontsize=9, color=INK)
        axes.legend(fontsize=8, frameon=False, labelcolor=INK)
    save(figure, path)


def _panels(title: str, count: int) -> tuple[Figure, list[Axes]]:
    return row_of_panels(title, count, 6.5, 4.5)


PLOTS: Mapping[str, Callable[[Sequence[Measured], Path], None]] = {
    "drops": _drops,
    "retransmission": _retransmission,
    "sizes": _sizes,
    "scale": _scale,
}
