"""What every definition requires of its arguments, and says when it does not get it."""

from windrow.arguments import shown
from windrow.errors import WindowError
from windrow.windows.durations import MAX_US, describe

__all__ = ["require_count", "require_duration_us", "require_us"]


def require_us(us: int, argument: str) -> None:
    """Refuse anything but an int of microseconds that fits event time."""
    if isinstance(us, bool) or not isinstance(us, int):
        raise WindowError(
            f"{argument}_us={shown(us)} is a {type(us).__name__}; give whole microseconds as an "
            'int, or call windrow.window, which reads durations such as "1 hour"'
        )
    if abs(us) > MAX_US:
        raise WindowError(
            f"{argument}_us={shown(us)} exceeds 2^63 - 1 microseconds; give at most 106751991 days"
        )


def require_duration_us(us: int, argument: str) -> None:
    """Refuse anything but a positive int of microseconds."""
    require_us(us, argument)
    if us <= 0:
        raise WindowError(
            f"{argument}={describe(us)!r} is not positive; "
            f'give a duration above zero, e.g. {argument}="1 minute"'
        )


def require_count(number: int, argument: str) -> None:
    """Refuse anything but a positive int."""
    if isinstance(number, bool) or not isinstance(number, int):
        raise WindowError(
            f"{argument}={shown(number)} is a {type(number).__name__}; "
            f"give a positive int, e.g. {argument}=1000"
        )
    if number <= 0:
        raise WindowError(
            f"{argument}={shown(number)} is not positive; give at least 1, e.g. {argument}=1000"
        )
    if number > MAX_US:
        raise WindowError(
            f"{argument}={shown(number)} exceeds 2^63 - 1; give fewer, e.g. {argument}=1000"
        )
