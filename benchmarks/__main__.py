"""The command line: `python -m benchmarks [--quick] [--only roll,bulk] [--out DIR]`."""

from benchmarks.experiments import EXPERIMENTS
from benchmarks.plots import PLOTS
from benchmarks.runner import Suite

__all__ = ["SUITE", "main"]

# C++ on a similar machine, by others: a place to look up to, not measured here.
_REFERENCES = """\
For comparison, C++ (-O3) on a similar machine, per insert + evict + query: two-stacks 5.1–6.4 ns,
DABA-lite 9–13 ns, FlatFAT 150–480 ns, AMTA 246 ns one by one; AMTA evicts 512K of 2^22 in 7.6 µs.
"""

SUITE = Suite("benchmarks", __doc__, EXPERIMENTS, PLOTS, closing=_REFERENCES)

main = SUITE.main


if __name__ == "__main__":
    main()
