"""Types of Spark and of Arrow, as Spark itself translates them where rows go to Python and back."""

from collections.abc import Mapping

import pyarrow as pa
from pyspark.sql import types as spark
from pyspark.sql.pandas.types import from_arrow_type

from windrow.errors import InputError

__all__ = ["arrow_schema", "arrow_type", "spark_schema", "spark_type"]

_ATOMS: dict[type[spark.DataType], pa.DataType] = {
    spark.BooleanType: pa.bool_(),
    spark.ByteType: pa.int8(),
    spark.ShortType: pa.int16(),
    spark.IntegerType: pa.int32(),
    spark.LongType: pa.int64(),
    spark.FloatType: pa.float32(),
    spark.DoubleType: pa.float64(),
    spark.StringType: pa.string(),
    spark.CharType: pa.string(),
    spark.VarcharType: pa.string(),
    spark.BinaryType: pa.binary(),
    spark.DateType: pa.date32(),
    spark.TimestampNTZType: pa.timestamp("us"),
    spark.DayTimeIntervalType: pa.duration("us"),
    spark.NullType: pa.null(),
}


_BYTES = "UTF8_BINARY"  # the collation of text that is compared byte by byte


# pyspark's own function differs between its releases in arguments, and writes the session's zone
# into the type: Arrow does not know all that Spark takes ("GMT+8"), and instants need none.
def arrow_type(kind: spark.DataType) -> pa.DataType:
    """The Arrow type in which we keep a column; timestamps are instants, in UTC."""
    if isinstance(kind, spark.StringType) and kind.collation != _BYTES:
        raise InputError(
            f"it has type {kind.simpleString()}, and Python compares text byte by byte; "
            "normalise it first, e.g. F.lower(...).cast('string')"
        )
    if type(kind) in _ATOMS:
        return _ATOMS[type(kind)]
    match kind:
        case spark.TimestampType():
            return pa.timestamp("us", tz="UTC")
        case spark.DecimalType():
            return pa.decimal128(kind.precision, kind.scale)
        case spark.ArrayType():
            element = arrow_type(kind.elementType)
            return pa.list_(pa.field("element", element, nullable=kind.containsNull))
        case spark.MapType():
            key, value = arrow_type(kind.keyType), arrow_type(kind.valueType)
            return pa.map_(
                pa.field("key", key, nullable=False),
                pa.field("value", value, nullable=kind.valueContainsNull),
            )
        case spark.StructType():
            return pa.struct(list(arrow_schema(kind)))
    raise InputError(f"it has type {kind.simpleString()}, which has no Arrow type; cast it first")


def arrow_schema(schema: spark.StructType, written: Mapping[str, str] | None = None) -> pa.Schema:
    """The Arrow schema in which we keep rows; messages call columns as they were `written`."""
    names = written or {}
    return pa.schema([_field(field, names.get(field.name, field.name)) for field in schema])


def _field(field: spark.StructField, written: str) -> pa.Field:
    try:
        kind = arrow_type(field.dataType)
    except InputError as error:
        raise InputError(f"column {written!r}: {error}") from None
    return pa.field(field.name, kind, nullable=field.nullable)


def spark_type(kind: pa.DataType) -> spark.DataType:
    """The Spark type of a result of this Arrow type."""
    return from_arrow_type(kind, prefer_timestamp_ntz=True)


def spark_schema(schema: pa.Schema) -> spark.StructType:
    """The Spark schema of a table of this Arrow schema."""
    return spark.StructType([spark.StructField(f.name, spark_type(f.type), True) for f in schema])
