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
    ├── MessageError          bytes from another node are no message of ours     (ValueError)
    ├── WorkerError           Spark's Python workers cannot run windrow          (RuntimeError)
    └── StoreError            a store of pages cannot do what it was asked
        ├── StoreUnreachableError  a store does not answer                       (ConnectionError)
        ├── StoreBusyError         another holds the window, or the whole store
        └── DamagedPageError       a page is not what was written

    CacheWarning              the cache, or a file in it, is not used, and why   (UserWarning)
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
    "MessageError",
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
    """The root of all errors raised by windrow.

    >>> issubclass(WindowError, WindrowError) and issubclass(StoreError, WindrowError)
    True
    """


class AggregateError(WindrowError, ValueError):
    """An aggregate or monoid is defined wrongly.

    >>> from windrow import agg
    >>> agg.quantile(2, "temp")
    Traceback (most recent call last):
    windrow.errors.AggregateError: ...
    """


class NotInvertibleError(AggregateError, TypeError):
    """An operator that cannot subtract was asked to.

    >>> from windrow import agg, structures
    >>> structures.SubtractOnEvict(agg.max())
    Traceback (most recent call last):
    windrow.errors.NotInvertibleError: ...
    """


class WindowError(WindrowError, ValueError):
    """A window is defined wrongly.

    >>> from windrow import window
    >>> window.tumbling("0 s")
    Traceback (most recent call last):
    windrow.errors.WindowError: ...
    """


class PolicyError(WindowError):
    """A slide policy contradicts itself on the data at hand.

    >>> from windrow import agg, roll, window
    >>> using = {"sum": agg.sum()}
    >>> odd = window.policy(keep=lambda w: w.sum >= 0, using=using, check="verify")
    >>> roll([5, -1], agg.sum(), odd)  # both together may stay, the newer alone may not
    Traceback (most recent call last):
    windrow.errors.PolicyError: ...
    """


class InputError(WindrowError, ValueError):
    """Columns or values do not fit the request.

    >>> from windrow import agg, roll, window
    >>> roll(["a", "b"], agg.sum(), window.trailing(rows=2))
    Traceback (most recent call last):
    windrow.errors.InputError: ...
    """


class ResultOverflowError(InputError, OverflowError):
    """A result does not fit its column's type.

    >>> from windrow import agg, roll, window
    >>> roll([2**62, 2**62], agg.sum(), window.trailing(rows=2))
    Traceback (most recent call last):
    windrow.errors.ResultOverflowError: ...
    """


class CompilationError(WindrowError, TypeError):
    """A user's function cannot be compiled, and must be where it was given.

    >>> issubclass(CompilationError, TypeError)
    True
    """


class EmptyWindowError(WindrowError, IndexError):
    """More updates were evicted than the window holds.

    >>> from windrow import agg, structures
    >>> structures.Amta(agg.sum()).evict()
    Traceback (most recent call last):
    windrow.errors.EmptyWindowError: ...
    """


class SnapshotError(WindrowError, ValueError):
    """A snapshot does not belong to this structure.

    >>> from windrow import agg, structures
    >>> structures.Amta(agg.sum()).restore(structures.Amta(agg.max()).snapshot())
    Traceback (most recent call last):
    windrow.errors.SnapshotError: ...
    """


class MessageError(WindrowError, ValueError):
    """Bytes that came from another node, or from its log, are no message of ours.

    >>> from windrow.wire.messages import decode
    >>> decode(b"not a message")
    Traceback (most recent call last):
    windrow.errors.MessageError: ...
    """


class WorkerError(WindrowError, RuntimeError):
    """Spark's Python workers cannot run windrow.

    >>> issubclass(WorkerError, RuntimeError)
    True
    """


class StoreError(WindrowError):
    """A store of pages cannot do what it was asked.

    >>> [kind.__name__ for kind in StoreError.__subclasses__()]
    ['StoreUnreachableError', 'StoreBusyError', 'DamagedPageError']
    """

    #: Where `advance` failed on its way: the results of the updates that it had taken until then.
    results: object = None


class StoreUnreachableError(StoreError, ConnectionError):
    """A store does not answer.

    >>> issubclass(StoreUnreachableError, ConnectionError)
    True
    """


class StoreBusyError(StoreError):
    """Another holds the window, or the whole store.

    >>> from windrow.paged.stores import MemoryStore
    >>> store = MemoryStore()
    >>> first = store.open("turbine 7")
    >>> store.open("turbine 7")
    Traceback (most recent call last):
    windrow.errors.StoreBusyError: ...
    """


class DamagedPageError(StoreError):
    """A page is not what was written.

    >>> issubclass(DamagedPageError, StoreError)
    True
    """


class CacheWarning(UserWarning):
    """The cache is not the user's own, or a file damaged; the message says what is used instead.

    >>> issubclass(CacheWarning, UserWarning)
    True
    """


class CompilationWarning(UserWarning):
    """A user's function runs interpreted; the message says why.

    >>> issubclass(CompilationWarning, UserWarning)
    True
    """
