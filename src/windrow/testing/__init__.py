"""Tools for testing your own aggregates and queries.

For aggregates: their laws (`check_monoid_laws`), sample values, the result of a window (`fold`).
For queries: the results they must give (`expected`, `check_rows`), and a stream that you fill by
hand (`Feed`).
"""

from windrow.testing.comparison import check_rows
from windrow.testing.feed import Feed, Run
from windrow.testing.laws import check_monoid_laws
from windrow.testing.oracle import expected
from windrow.testing.recompute import fold
from windrow.testing.samples import columns_for, strategy_for

__all__ = [
    "Feed",
    "Run",
    "check_monoid_laws",
    "check_rows",
    "columns_for",
    "expected",
    "fold",
    "strategy_for",
]
