"""Event times as people write them, and as windows count them."""

from datetime import UTC, date, datetime, time, timedelta
from typing import TypeAlias

from windrow.arguments import shown
from windrow.errors import InputError

__all__ = ["Moment", "as_moment", "has_zone", "moment_of", "since_epoch"]

Moment: TypeAlias = datetime | date
"""With a zone: an instant.  Without one: what a clock on the wall shows.  A date: its midnight."""

_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)


def since_epoch(moment: Moment) -> int:
    """Microseconds since 1970-01-01 00:00, of UTC or of the clock on the wall.

    >>> since_epoch(datetime(1970, 1, 1, 0, 0, 1)), since_epoch(date(1969, 12, 31))
    (1000000, -86400000000)
    """
    return (_without_zone(moment) - _EPOCH) // _MICROSECOND


def moment_of(time_us: int, like: Moment) -> datetime:
    """The moment this many microseconds after the epoch: in UTC if `like` has a zone."""
    try:
        moment = _EPOCH + time_us * _MICROSECOND
    except OverflowError:
        raise InputError(
            f"a window has a bound {time_us} microseconds from 1970, where Python has no datetime; "
            "leave out rows whose windows reach beyond the years 1 to 9999"
        ) from None
    return moment.replace(tzinfo=UTC) if has_zone(like) else moment


def as_moment(moment: object, argument: str) -> Moment:
    """Read a moment given as one, or as text in ISO's form."""
    if isinstance(moment, str):
        try:
            return datetime.fromisoformat(moment)
        except ValueError:
            pass
    if isinstance(moment, date):
        return moment
    raise InputError(
        f"{argument}={shown(moment)} is no time; give a datetime, or text such as "
        '"2024-07-01 12:00" or "2024-07-01T12:00Z"'
    )


def has_zone(moment: Moment) -> bool:
    """Whether a moment is an instant, whatever clocks on walls show."""
    return isinstance(moment, datetime) and moment.tzinfo is not None


def _without_zone(moment: Moment) -> datetime:
    if not isinstance(moment, datetime):
        return datetime.combine(moment, time())
    # Only in UTC does subtracting tell how much time has passed, summer time or not.
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
