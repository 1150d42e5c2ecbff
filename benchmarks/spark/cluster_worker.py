"""Windows of one key on a small cluster, by every method: what its tasks did, as JSON lines."""

import argparse
import json
import time
from collections.abc import Iterator
from statistics import mean
from typing import Any

from pyspark.sql import SparkSession

import windrow as wr
from benchmarks.spark.contenders import write
from benchmarks.spark.data import cached, readings
from benchmarks.spark.session import session
from windrow import agg, window
from windrow.parallel import Method

__all__ = ["main"]

_HOUR = window.hopping("1 hour", every="1 minute")


def main() -> None:
    """Run each method twice, and tell of the second time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--master", required=True)
    parser.add_argument("--rows", type=int, required=True)
    options = parser.parse_args()
    methods = [method.value for method in Method if method is not Method.AUTO]
    with session(master=options.master) as spark, cached(readings(options.rows, 1)) as df:
        for method in methods:
            query = wr.over(df, time="ts").parallel(method).window(_HOUR)
            for _ in range(2):
                known = {stage.stageId() for stage in _stages(spark)}
                start = time.perf_counter()
                write(query.aggregate(rise=agg.longest_increasing_run("value")))
                seconds = time.perf_counter() - start
            ran = [stage for stage in _stages(spark) if stage.stageId() not in known]
            told = {"method": method, "seconds": seconds, **_told(spark, ran)}
            print(json.dumps(told), flush=True)


def _told(spark: SparkSession, stages: list[Any]) -> dict[str, float]:
    """How many bytes were shuffled, and how long the tasks took that computed windows."""
    last = max(
        (stage for stage in stages if stage.shuffleReadBytes()), key=lambda stage: stage.stageId()
    )
    times = list(_task_seconds(spark, last))
    return {
        "shuffled": sum(stage.shuffleWriteBytes() for stage in stages),
        "tasks": len(times),
        "longest": max(times),
        "mean": mean(times),
    }


def _stages(spark: SparkSession) -> list[Any]:
    """All stages that Spark knows of."""
    context: Any = spark.sparkContext
    none = context._gateway.new_array(context._gateway.jvm.double, 0)
    statuses = context._gateway.jvm.java.util.ArrayList()
    found = _store(spark).stageList(None, False, False, none, statuses)
    return [found.apply(place) for place in range(found.size())]


def _task_seconds(spark: SparkSession, stage: Any) -> Iterator[float]:
    found = _store(spark).taskList(stage.stageId(), stage.attemptId(), 1_000)
    for place in range(found.size()):
        yield found.apply(place).taskMetrics().get().executorRunTime() / 1e3


def _store(spark: SparkSession) -> Any:
    context: Any = spark.sparkContext
    return context._jsc.sc().statusStore()


if __name__ == "__main__":
    main()
