"""What every generator requires of its arguments, and says when it does not get it."""

from datetime import date, datetime

from windrow.arguments import shown
from windrow.errors import InputError

__all__ = ["require_date", "require_int", "require_share"]


def require_int(number: int, argument: str, *, least: int, most: int) -> None:
    """Refuse anything but an int from `least` to `most`."""
    if isinstance(number, bool) or not isinstance(number, int):
        raise InputError(
            f"{argument}={shown(number)} is a {type(number).__name__}; "
            f"give an int from {least} to {most}"
        )
    if not least <= number <= most:
        raise InputError(
            f"{argument}={shown(number)} is out of bounds; give an int from {least} to {most}"
        )


def require_share(share: float, argument: str) -> None:
    """Refuse anything but a number from 0 to below 1."""
    if isinstance(share, bool) or not isinstance(share, int | float):
        raise InputError(
            f"{argument}={shown(share)} is a {type(share).__name__}; "
            f"give a share from 0 to below 1, e.g. {argument}=0.01"
        )
    if not 0 <= share < 1:  # NaN fails this too
        raise InputError(
            f"{argument}={shown(share)} is not a share; give 0 or more, and less than 1, "
            f"e.g. {argument}=0.01"
        )


def require_date(day: date, argument: str) -> None:
    """Refuse anything but a calendar date, which has no time of day."""
    if isinstance(day, datetime) or not isinstance(day, date):
        raise InputError(
            f"{argument}={shown(day)} is a {type(day).__name__}; "
            f"give a date, e.g. {argument}=date(2024, 6, 21)"
        )
