"""Nodes with the limits that their makers document; `dataclasses.replace` adjusts them.

Prices differ by region and by contract, so none is here: give `price` to have costs.
"""

from windrow.planning.topology.model import Limit, Node

__all__ = ["GATEWAY", "KAFKA_PARTITION", "KINESIS_SHARD", "PRESETS"]

#: A shard takes 1,000 records and 1 MB a second.
KINESIS_SHARD = Node(Limit(items=1_000, bytes=1_000_000), delay_s=0.2, name="shard")

#: Kafka itself has no limit; managed clusters allow about 5 MB a second into a partition.
KAFKA_PARTITION = Node(Limit(bytes=5_000_000), delay_s=0.05, name="partition")

#: One connection to a message broker: 100 messages and 512 KiB a second.
GATEWAY = Node(Limit(items=100, bytes=524_288), delay_s=0.05, name="gateway")

PRESETS = {"kinesis": KINESIS_SHARD, "kafka": KAFKA_PARTITION, "gateway": GATEWAY}
