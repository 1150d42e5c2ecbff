"""Which strategy runs a query, and why: the choice as data and in plain words."""

from windrow.planning.choose import choose
from windrow.planning.description import Described, Description
from windrow.planning.plan import Plan
from windrow.planning.sample import Sample
from windrow.planning.strategy import Assembly, Strategy

__all__ = ["Assembly", "Described", "Description", "Plan", "Sample", "Strategy", "choose"]
