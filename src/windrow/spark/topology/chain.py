"""The layers of a plan as a chain of Spark's shuffles: a partition is a node."""

from dataclasses import replace
from itertools import pairwise

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from windrow.engines.aligned import AlignedWindows
from windrow.spark.analysis.resolve import Request
from windrow.spark.batch import engine
from windrow.spark.state.key_groups import key_groups_of
from windrow.spark.stream import stateful
from windrow.spark.topology.relay import Routed, Stop, deal, relay, settle
from windrow.spark.topology.tally import Tell
from windrow.spark.transport.hashed import HASH_KEY, hashed, hashed_rows, made_here, without_hash
from windrow.spark.transport.packing import PACKS, Work, result_schema
from windrow.spark.transport.shipped import Shipped
from windrow.spark.transport.transit import arrived, sent
from windrow.spark.transport.workers import in_workers
from windrow.topology.model import Routing
from windrow.topology.plan import Plan

__all__ = ["Chain"]

# Which source a row is of is not known here: all are alike.
_ROUTED = {Routing.KEY: Routed.BY_KEY}


class Chain:
    """The layers of a plan over the rows of a request, which must not depend on their order."""

    def __init__(self, plan: Plan, request: Request, period_us: int, tell: Tell) -> None:
        self._request, self._period_us, self._tell = request, period_us, tell
        self._inner = hashed(request.definition)
        self._engine = Shipped(AlignedWindows, self._inner)
        self._stops = [
            Stop(number, layer.width, layer.width, _ROUTED.get(layer.routing, Routed.EVENLY))
            for number, layer in enumerate(plan.layers, 1)
        ]
        # A period has one result only where all its states of a key meet.
        self._stops[-1] = replace(self._stops[-1], routed=Routed.BY_KEY)

    def at_once(self) -> DataFrame:
        """A batch: the sink puts packs in the order of time, and answers."""
        *between, sink = self._stops
        sink = replace(sink, key_groups=sink.width * engine.KEY_GROUPS_PER_TASK)
        if between:
            packs, rows = self._between([*between, sink]), None
        else:
            packs, rows = self._dealt(self._inner.schema, "t", sink), self._inner.schema
        found = engine.run_over_slices(arrived(packs, sink.width), self._inner, rows)
        results = result_schema(self._engine.get().schema, HASH_KEY)
        return found.select(*without_hash(self._request.definition, results))

    def streamed(self) -> DataFrame:
        """A stream: the sink merges what a micro-batch brought, and key groups keep it."""
        request, sink = self._request, self._stops[-1]
        packs = self._between(self._stops)
        carried = self._carried if len(self._stops) == 1 else self._engine.get().partials
        labels = key_groups_of(packs.sparkSession)
        work = settle(self._engine, carried, sink.layer, labels, request.late_by, self._tell)
        return stateful.run(in_workers(self._at(sink, packs), work, PACKS), request)

    def _between(self, stops: list[Stop]) -> DataFrame:
        """Packs for the last of these layers."""
        carried = self._carried
        packs = self._dealt(carried, "n", stops[0])
        for here, to in pairwise(stops):
            work = relay(self._engine, carried, self._period_us, to, self._tell)
            packs = self._sent(self._at(here, packs), work)
            carried = self._engine.get().partials
        return packs

    def _dealt(self, carried: pa.Schema, rank: str, to: Stop) -> DataFrame:
        """Rows as packs for the first layer."""
        rows = hashed_rows(self._request.rows, self._request.definition)
        return self._sent(rows, deal(self._inner.schema, carried, rank, to, self._tell))

    def _sent(self, rows: DataFrame, work: Work) -> DataFrame:
        """Packs on their way; those of a stream stay whole, as Spark would not sort chunks."""
        if self._request.streaming:
            return in_workers(rows, work, PACKS)
        return sent(rows, work)

    def _at(self, stop: Stop, packs: DataFrame) -> DataFrame:
        """Packs in the partitions of their nodes."""
        if self._request.streaming:
            return packs.repartitionById(stop.width, F.col("key_group"))
        return arrived(packs, stop.width)

    @property
    def _carried(self) -> pa.Schema:
        """What nodes need of rows: not what they can make themselves."""
        needed = {column for _, part in self._inner.aggregates for column in part.columns}
        left = made_here(self._inner.schema) | ({"n"} - needed)
        return pa.schema([field for field in self._inner.schema if field.name not in left])
