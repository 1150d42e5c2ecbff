"""Constants that were measured on this machine, if any were."""

from windrow.plan import measured
from windrow.plan.constants import Constants
from windrow.plan.shipped import SHIPPED

__all__ = ["constants", "forget", "keep"]

_COSTS, _ENDING = "costs", "costs"
_WAY_OUT = "windrow calibrate measures them again, windrow calibrate --forget removes them"


def constants() -> Constants:
    """Those of this machine and this release if they were measured, else the shipped ones."""
    unused = "the measured costs"
    return measured.kept(_COSTS, _ENDING, Constants.from_dict, unused, _WAY_OUT) or SHIPPED


def keep(found: Constants) -> bool:
    """Keep constants for later queries; whether they could be written."""
    return measured.keep(_COSTS, _ENDING, found.as_dict())


def forget() -> bool:
    """Go back to the shipped constants; whether any were kept."""
    return measured.forget(_COSTS, _ENDING)
