"""Rows as JSON that Spark reads back with a schema, value for value."""

from base64 import b64encode
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

__all__ = ["as_json"]


def as_json(value: Any) -> Any:
    """A value in the form in which Spark's JSON reader expects it; NaN and infinities stay.

    >>> as_json({"at": datetime(2024, 7, 1, 12, tzinfo=UTC), "price": Decimal("1.10")})
    {'at': '2024-07-01T12:00:00Z', 'price': '1.10'}
    """
    if isinstance(value, Mapping):
        return {name: as_json(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(part) for part in value]
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return b64encode(value).decode()
    return str(value) if isinstance(value, Decimal) else value
