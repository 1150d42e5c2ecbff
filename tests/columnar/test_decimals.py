"""Trailing windows of an engine over decimals as wide as they can be."""

from decimal import Context, Decimal

import pyarrow as pa

from windrow import agg, window
from windrow.columnar.result_types import result_type
from windrow.engines.definition import Definition
from windrow.engines.engines import engine_for

WIDE = Context(prec=60)
MOST = Decimal(10**38 - 1).scaleb(-10, WIDE)
LEAST = MOST.copy_negate()


def test_sums_on_the_way_may_have_more_digits_than_results() -> None:
    kind = pa.decimal128(38, 10)
    schema = pa.schema(
        [pa.field(name, pa.int64(), nullable=False) for name in ("t", "n")] + [("v0", kind)]
    )
    values = [LEAST, MOST, MOST, LEAST, MOST, LEAST, LEAST, MOST]
    part = agg.sum("v0")
    made = Definition(
        (("", window.trailing(rows=3)),), (("sum", part),), schema, (result_type(part, [kind]),)
    )
    engine = engine_for(made)
    places = list(range(len(values)))
    rows = pa.table([places, places, pa.array(values, kind)], schema=schema)
    step = engine.advance({n: s.empty_table() for n, s in engine.kept.items()}, rows, None)
    found = pa.concat_tables(step.results).columns[-1].to_pylist()
    assert found == [LEAST, 0, MOST, MOST, MOST, LEAST, LEAST, LEAST]
