"""For testing aggregates, one's own included: the laws, sample values, and a recomputing oracle."""

from windrow.testing.laws import check_monoid_laws
from windrow.testing.oracle import fold
from windrow.testing.samples import columns_for, strategy_for

__all__ = ["check_monoid_laws", "columns_for", "fold", "strategy_for"]
