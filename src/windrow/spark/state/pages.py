"""Pages of large windows as entries of Spark's state store."""

import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from windrow.columnar.packs import pack, unpack
from windrow.engines.page_cache import WindowPage
from windrow.errors import SnapshotError
from windrow.spark.state.values import VALUE, from_value, to_value

__all__ = ["StatePages"]


class StatePages:
    """The pages of one key group at a time."""

    def __init__(self, handle: StatefulProcessorHandle) -> None:
        self._pages = handle.getMapState(
            "pages", "paged_window long, level int, number long", VALUE
        )

    def read(self, place: WindowPage, schema: pa.Schema) -> pa.Table:
        """The page at a place, which must exist."""
        stored = self._pages.getValue(place)
        if stored is None:
            raise SnapshotError(
                f"the checkpoint's state lacks page {place.number} of level {place.level} of large "
                f"window {place.paged_window}: it is damaged; use a copy of it, or a new checkpoint"
            )
        return unpack(from_value(stored[0]), schema)

    def write(self, place: WindowPage, page: pa.Table) -> None:
        """Keep a page."""
        self._pages.updateValue(place, to_value(pack(page)))

    def delete(self, place: WindowPage) -> None:
        """Forget a page."""
        self._pages.removeKey(place)
