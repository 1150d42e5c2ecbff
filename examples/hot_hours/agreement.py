"""Do two results agree? Both are read back from their files and compared window by window."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

WINDOW = ["sensor", "start"]
RESULTS = ["mean", "low", "peak", "n"]


def read_results(folder: Path) -> pd.DataFrame:
    """One row for each window and sensor: `start`, `sensor`, and the results."""
    table = ds.dataset(folder, format="parquet", exclude_invalid_files=True).to_table()
    start = pc.struct_field(table["window"], "start").cast(pa.timestamp("us", tz="UTC"))
    flat = table.drop_columns("window").append_column("start", start)
    frame: pd.DataFrame = flat.to_pandas()
    return frame.sort_values(WINDOW, ignore_index=True)


@dataclass(frozen=True)
class Agreement:
    """How many windows two results share, which only one has, and how far they differ."""

    both: int
    only_first: int
    lost: int  # of those, windows that start no later than others which both have
    only_second: int
    apart: float  # the largest difference of any result of any window
    last_shared: pd.Timestamp

    @property
    def agrees(self) -> bool:
        """Means are sums of floats, in another order: their last digits may differ."""
        return self.lost == 0 and self.only_second == 0 and self.apart < 1e-9


def compare(first: pd.DataFrame, second: pd.DataFrame) -> Agreement:
    merged = first.merge(second, on=WINDOW, how="outer", suffixes=("", "_"), indicator=True)
    shared = merged[merged["_merge"] == "both"]
    differences = [(shared[name] - shared[f"{name}_"]).abs().max() for name in RESULTS]
    unlike = any((shared[n].isna() != shared[f"{n}_"].isna()).any() for n in RESULTS)
    last_shared = shared["start"].max()
    only_first = merged[merged["_merge"] == "left_only"]
    return Agreement(
        both=len(shared),
        only_first=len(only_first),
        # All windows of one start close together: the second may lack only the latest ones.
        lost=int((only_first["start"] <= last_shared).sum()),
        only_second=int((merged["_merge"] == "right_only").sum()),
        apart=float("inf") if unlike else float(max(differences)),
        last_shared=last_shared,
    )
