"""Windows larger than memory, kept in pages in a key-value store.

    from windrow.paged import PagedAmta
    from windrow.paged.stores import RocksStore

Inside this package: `paged_amta.py` is the window; `numbers.py` runs compiled code over the pages
in memory, `objects.py` runs `Amta` over any states; `page_store.py` reads the pages of one
window, ahead of their use, and writes them through the queue of `write_behind.py`; `stores` are the
stores.
"""

from typing import TYPE_CHECKING

from windrow.arguments import loaded_later

if TYPE_CHECKING:
    from windrow.paged.paged_amta import PagedAmta
    from windrow.paged.write_behind import Outage

__all__ = ["Outage", "PagedAmta"]

# The compiler takes a while to load: only who keeps such windows needs it.
__getattr__, __dir__ = loaded_later(
    __name__,
    __all__,
    {"Outage": "windrow.paged.write_behind", "PagedAmta": "windrow.paged.paged_amta"},
)
