"""What Python workers need not look through for garbage.

A worker of Spark looks for garbage after every task, among all that it has imported: with compilers
and Arrow that takes 50 ms, longer than many a task of a stream.
"""

import gc

__all__ = ["spare_what_is_loaded"]

# A task leaves fewer objects behind than this, and imports make many times as many.
_MANY = 20_000


def spare_what_is_loaded() -> None:
    """Look no more for garbage among what is there now, if it is much; call it after a task.

    Whatever a task has made and still holds would be spared too, so this is not done every time.
    """
    if len(gc.get_objects()) > _MANY:
        gc.collect()
        gc.freeze()
