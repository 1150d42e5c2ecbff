"""Tries settings of approximate windows on a sample, and recommends one.

`settings` says what is tried, `trial` runs it and `measured` holds what came out; `recommend`
leaves out what others beat, and picks one.  Only who tries something needs the compiler: `trial` is
imported where it is used.
"""

from windrow.approximate.tuning.measured import Measured
from windrow.approximate.tuning.recommend import (
    Recommendation,
    Target,
    Why,
    frontier,
    knee,
    recommend,
)
from windrow.approximate.tuning.settings import settings_for

__all__ = [
    "Measured",
    "Recommendation",
    "Target",
    "Why",
    "frontier",
    "knee",
    "recommend",
    "settings_for",
]
