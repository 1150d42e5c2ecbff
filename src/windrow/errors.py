"""Everything windrow raises or warns with, in one tree.

    WindrowError
    ├── AggregateError        an aggregate or monoid is defined wrongly          (ValueError)
    │   └── NotInvertibleError    an operator without subtraction was asked to subtract  (TypeError)
    ├── WindowError           a window is defined wrongly                        (ValueError)
    │   └── PolicyError           a slide policy contradicts itself on the data at hand
    ├── InputError            columns or values do not fit the request           (ValueError)
    │   └── ResultOverflowError   a result does not fit its column's type        (OverflowError)
    ├── CompilationError      a function that must be compiled cannot be         (TypeError)
    ├── EmptyWindowError      more updates were evicted than the window holds    (IndexError)
    ├── SnapshotError         a snapshot does not belong to this structure       (ValueError)
    ├── WorkerError           Spark's Python workers cannot run windrow          (RuntimeError)
    └── StoreError            a store of pages cannot do what it was asked
        ├── StoreUnreachableError  a store does not answer                       (ConnectionError)
        ├── StoreBusyError         another holds the window, or the whole store
        └── DamagedPageError       a page is not what was written

    CacheWarning              the kernel cache is not safe to use, and why       (UserWarning)
    CompilationWarning        a user's function runs interpreted, and why        (UserWarning)

Each message says what was wrong, names the argument and its value, and ends with a way out.
"""

__all__ = [
    "AggregateError",
    "CacheWarning",
    "CompilationError",
    "CompilationWarning",
    "DamagedPageError",
    "EmptyWindowError",
    "InputError",
    "NotInvertibleError",
    "PolicyError",
    "ResultOverflowError",
    "SnapshotError",
    "StoreBusyError",
    "StoreError",
    "StoreUnreachableError",
    "WindowError",
    "WindrowError",
    "WorkerError",
]


class WindrowError(Exception):
    """The root of all errors raised by windrow."""


class AggregateError(WindrowError, ValueError):
    """An aggregate or monoid is defined wrongly."""


class NotInvertibleError(AggregateError, TypeError):
    """An operator that cannot subtract was asked to."""


class WindowError(WindrowError, ValueError):
    """A window is defined wrongly."""


class PolicyError(WindowError):
    """A slide policy contradicts itself on the data at hand."""


class InputError(WindrowError, ValueError):
    """Columns or values do not fit the request."""


class ResultOverflowError(InputError, OverflowError):
    """A result does not fit its column's type."""


class CompilationError(WindrowError, TypeError):
    """A user's function cannot be compiled, and must be where it was given."""


class EmptyWindowError(WindrowError, IndexError):
    """More updates were evicted than the window holds."""


class SnapshotError(WindrowError, ValueError):
    """A snapshot does not belong to this structure."""


class WorkerError(WindrowError, RuntimeError):
    """Spark's Python workers cannot run windrow."""


class StoreError(WindrowError):
    """A store of pages cannot do what it was asked."""

    #: Where `advance` failed on its way: the results of the updates that it had taken until then.
    results: object = None


class StoreUnreachableError(StoreError, ConnectionError):
    """A store does not answer."""


class StoreBusyError(StoreError):
    """Another holds the window, or the whole store."""


class DamagedPageError(StoreError):
    """A page is not what was written."""


class CacheWarning(UserWarning):
    """The kernel cache is not the user's own; the message says why, and what is used instead."""


class CompilationWarning(UserWarning):
    """A user's function runs interpreted; the message says why."""
