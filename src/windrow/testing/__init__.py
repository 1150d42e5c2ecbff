"""For testing aggregates and queries, one's own included.

Of aggregates: the laws, sample values, and the fold of a window.  Of queries: what they must answer
(`expected`, `check_rows`), and a stream to feed by hand (`Feed`).
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
