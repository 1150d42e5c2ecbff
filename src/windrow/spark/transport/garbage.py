"""What Python workers need not look through for garbage.

A worker of Spark looks for garbage after every task, among all that it has imported: with compilers
and Arrow that takes 50 ms, longer than many a task of a stream.
"""

import gc

__all__ = ["spare_what_is_loaded"]

# A task leaves fewer objects behind than this, and imports make many times as many.
_MANY = 20_000


def spare_what_is_loaded() -> None:
    """Leave what there is now out of garbage collection, if it is much; call it after a task.

    That includes whatever the task made and still holds, so it is not done after every task.
    """
    if len(gc.get_objects()) > _MANY:
        gc.collect()
        gc.freeze()
