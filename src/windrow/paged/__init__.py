"""Windows larger than memory: their forest is kept as pages in a key-value store.

    from windrow.paged import PagedAmta
    from windrow.paged.stores import RocksStore

`paged_amta.py` is the window; `numbers.py` runs compiled code over the pages at hand, `objects.py`
runs `Amta` over any states; `page_store.py` brings pages to and from a store, reading ahead and
written by `write_behind.py`; `stores` are the stores.
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
