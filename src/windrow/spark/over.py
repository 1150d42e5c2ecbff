"""`over(df, ...)`: where a query on Spark begins."""

from typing import TYPE_CHECKING, Any

from windrow.windows import Duration, Emit, Order

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from windrow.plan import Sample, Strategy
    from windrow.spark.query import Query

__all__ = ["over"]


def over(
    df: "DataFrame",
    time: Any,
    by: Any = None,
    *,
    lateness: Duration | None = None,
    forget_after: Duration | None = None,
    emit: Emit | str | None = None,
    order: Order | str | None = None,
    strategy: "Strategy | str | None" = None,
    sample: "Sample | str | None" = None,
) -> "Query":
    """Begin a query over a Spark DataFrame, batch or streaming.

    `time` is the event time: a timestamp, timestamp_ntz or date.  `by` is the key, one column or a
    list of them; without it all rows belong together.  Columns are names or expressions.  On a
    stream, `lateness` says how late rows may be, unless the DataFrame has a watermark already.
    `forget_after` drops the state of keys that have had no row for that long, if windows wait for
    the next row (windows of rows, policies, count and punctuated windows); if such a key comes
    back, it starts with an empty window.  A batch is complete and keeps no state, so it ignores
    both.  `sample` says whether the rows of a batch may be sampled while the query is built:
    "auto", "always" or "never".

    ```python
    readings = spark.sql(
        "select timestamp_seconds(id) ts, id % 2 sensor, id * 1.5 temp from range(60)"
    )
    peaks = (
        wr.over(readings, time="ts", by="sensor")
        .window(window.hopping("20 seconds", every="10 seconds"))
        .aggregate(peak=agg.max("temp"), n=agg.count())
    )
    assert peaks.columns == ["window", "sensor", "peak", "n"]
    ```
    """
    try:  # Spark is an extra: the name `over` exists without it
        from windrow.spark.query import Query
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"windrow.over needs the package {str(error.name).partition('.')[0]!r}; "
            "pip install 'windrow[spark]'",
            name=error.name,
        ) from error
    return Query.begin(df, time, by, lateness, forget_after).with_options(
        emit=emit, order=order, strategy=strategy, sample=sample
    )
