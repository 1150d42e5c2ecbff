"""The layers of a plan as a chain of Spark's shuffles: a partition is a node."""

from dataclasses import replace
from itertools import pairwise

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from windrow.planning.topology.model import Routing
from windrow.planning.topology.plan import Plan
from windrow.slicing.aligned import AlignedWindows
from windrow.slicing.flow import Flow
from windrow.spark import kernel, stateful
from windrow.spark.buckets import buckets_of
from windrow.spark.hashed import HASH_KEY, hashed, hashed_rows, made_here, without_hash
from windrow.spark.layered.relay import Routed, Stop, deal, relay, settle
from windrow.spark.layered.tally import Tell
from windrow.spark.packing import PARCELS, Work, told
from windrow.spark.request import Request
from windrow.spark.shipped import Shipped
from windrow.spark.transit import arrived, sent
from windrow.spark.workers import in_workers

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
        """A batch: the sink puts parcels in the order of time, and answers."""
        *between, sink = self._stops
        sink = replace(sink, lanes=sink.width * kernel.LANES_PER_TASK)
        if between:
            parcels, carried = self._between([*between, sink]), self._engine.get().partials
        else:
            parcels, carried = self._dealt(self._inner.schema, "t", sink), self._inner.schema
        found = kernel.windows_from_parcels(parcels, self._inner, sink.width, carried)
        results = told(self._engine.get().schema, HASH_KEY)
        return found.select(*without_hash(self._request.definition, results))

    def streamed(self) -> DataFrame:
        """A stream: the sink merges what a micro-batch brought, and buckets keep it."""
        request, sink = self._request, self._stops[-1]
        parcels = self._between(self._stops)
        carried = self._carried if len(self._stops) == 1 else self._engine.get().partials
        labels = buckets_of(parcels.sparkSession)
        work = settle(self._engine, carried, sink.layer, labels, request.late_by, self._tell)
        flow = Shipped(Flow, self._inner, request.emit, request.forget_us)
        return stateful.answered(self._at(sink, parcels), work, flow, request)

    def _between(self, stops: list[Stop]) -> DataFrame:
        """Parcels for the last of these layers."""
        carried = self._carried
        parcels = self._dealt(carried, "n", stops[0])
        for here, to in pairwise(stops):
            work = relay(self._engine, carried, self._period_us, to, self._tell)
            parcels = self._sent(self._at(here, parcels), work)
            carried = self._engine.get().partials
        return parcels

    def _dealt(self, carried: pa.Schema, rank: str, to: Stop) -> DataFrame:
        """Rows as parcels for the first layer."""
        rows = hashed_rows(self._request.rows, self._request.definition)
        return self._sent(rows, deal(self._inner.schema, carried, rank, to, self._tell))

    def _sent(self, rows: DataFrame, work: Work) -> DataFrame:
        """Parcels on their way; those of a stream stay whole, as Spark would not sort packets."""
        if self._request.streaming:
            return in_workers(rows, work, PARCELS)
        return sent(rows, work)

    def _at(self, stop: Stop, parcels: DataFrame) -> DataFrame:
        """Parcels in the partitions of their nodes."""
        if self._request.streaming:
            return parcels.repartitionById(stop.width, F.col("lane"))
        return arrived(parcels, stop.width)

    @property
    def _carried(self) -> pa.Schema:
        """What nodes need of rows: not what they can make themselves."""
        needed = {column for _, part in self._inner.aggregates for column in part.columns}
        left = made_here(self._inner.schema) | ({"n"} - needed)
        return pa.schema([field for field in self._inner.schema if field.name not in left])
