"""Expressions of nodes: what is computed, what is refused, and that Spark computes the same."""

from collections.abc import Sequence
from decimal import Decimal
from math import inf, isnan, nan
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tests.examples import examples
from windrow.edge.query.expressions import Evaluation, Scope, compile_condition, compile_expression
from windrow.jobs.expressions import ExpressionError
from windrow.spark.analysis.types import arrow_type

SCHEMA = pa.schema(
    [
        ("b", pa.int8()),
        ("i", pa.int32()),
        ("l", pa.int64()),
        ("f", pa.float32()),
        ("d", pa.float64()),
        ("e", pa.float64()),
        ("de", pa.decimal128(10, 2)),
        ("dw", pa.decimal128(30, 10)),
        ("s", pa.string()),
        ("u", pa.string()),
        ("o", pa.bool_()),
        ("p", pa.bool_()),
        ("at", pa.timestamp("us", tz="UTC")),
        ("in", pa.struct([("Side", pa.int32()), ("deep", pa.struct([("er", pa.float64())]))])),
        ("a.b", pa.int32()),
    ]
)
SCOPE = Scope.of(SCHEMA)

Outcome = tuple[Any, str | None]


def computed(text: str, rows: Sequence[dict[str, Any]]) -> list[Outcome]:
    """For each row a value, or the reason why there is none."""
    table = pa.Table.from_pylist(list(rows), schema=SCHEMA)
    columns = {name: table[name].combine_chunks() for name in table.column_names}
    expression = compile_expression(text, SCOPE)
    evaluation = Evaluation(columns, table.num_rows)
    values = evaluation.of(expression)
    assert values.array.type == expression.kind
    codes = [0] * len(rows) if values.failures is None else values.failures.tolist()
    reasons = [None if code == 0 else evaluation.reasons[code - 1] for code in codes]
    found = values.array.to_pylist()
    assert all(value is None for value, reason in zip(found, reasons, strict=True) if reason)
    return list(zip(found, reasons, strict=True))


def one(text: str, **row: Any) -> Any:
    """The value for one row, which has one."""
    ((value, reason),) = computed(text, [row])
    assert reason is None
    return value


def refusal(text: str) -> ExpressionError:
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text, SCOPE)
    return caught.value


@pytest.mark.parametrize(
    ("text", "row", "expected"),
    [
        ("i + 1", {"i": 1}, 2),
        ("i / 2", {"i": 1}, 0.5),
        ("-i % 3", {"i": 7}, -1),
        ("i * 1.5", {"i": 3}, Decimal("4.5")),
        ("d * 1.8 + 32", {"d": 100.0}, 212.0),
        ("1 + 2 * 3 - 4", {}, 3),
        ("- i * 2", {"i": 3}, -6),
        ("2 -1", {}, 1),
        ("not o and p", {"o": False, "p": True}, True),
        ("o or p and not o", {"o": True}, True),
        ("not i = 1", {"i": 2}, True),
        ("i is null", {}, True),
        ("i is not null", {}, False),
        ("i in (1, 2)", {"i": 2}, True),
        ("i not in (1, null)", {"i": 2}, None),
        ("i between 1 and 3 and o", {"i": 2, "o": True}, True),
        ("i not between 1 and 3", {"i": 2}, False),
        ("s like 'a%\\_'", {"s": "abc_"}, True),
        ("s not like '_'", {"s": "é"}, False),
        ("case when i > 1 then 'many' when i = 1 then 'one' end", {"i": 1}, "one"),
        ("CASE i WHEN 1 THEN 'one' ELSE 'other' END", {"i": 5}, "other"),
        ("cast(s as int) + 1", {"s": " +7 "}, 8),
        ("s::double::int", {"s": "7.9"}, 7),
        ("if(o, i, 0)", {"o": None, "i": 4}, 0),
        ("d = e", {"d": nan, "e": nan}, True),
        ("d > 1e300", {"d": nan}, True),
        ("d <=> e", {}, True),
        ("isnan(d)", {}, False),
        ("`a.b` + 1", {"a.b": 1}, 2),
        ("`in`.side", {"in": {"Side": 3}}, 3),
        ("`in`.deep.er", {"in": {"deep": {"er": 0.5}}}, 0.5),
        ("I", {"i": 3}, 3),
        ("at >= timestamp '1970-01-01 01:00:00+01:00'", {"at": 0}, True),
        ("cast(i as timestamp) = at", {"i": 60, "at": 60_000_000}, True),
        ("cast(at as bigint)", {"at": -1}, -1),
        ("substring(s, 2)", {"s": "aéz"}, "éz"),
        ("substring(s, -5, 4)", {"s": "ab"}, "a"),
        ("upper(s)", {"s": "straße"}, "STRASSE"),
        ("concat(s, '\\'', \"x\")", {"s": "a"}, "a'x"),
        ("round(d, 2)", {"d": 0.285}, 0.29),
        ("round(d)", {"d": -2.5}, -3.0),
        ("floor(d)", {"d": nan}, 0),
        ("cast(d as bigint)", {"d": 2.0**63}, 2**63 - 1),
        ("cast(d as decimal(9, 2))", {"d": inf}, None),
        ("greatest(i, d, null)", {"i": 3, "d": None}, 3.0),
        ("coalesce(i, b, 0)", {"b": 4}, 4),
    ],
)
def test_expressions_give_what_sql_gives(text: str, row: dict[str, Any], expected: Any) -> None:
    found = one(text, **row)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("text", "row", "reason"),
    [
        ("i / 0", {"i": 1}, "(`i` / 0): division by zero"),
        ("i % 0", {"i": 1}, "(`i` % 0): division by zero"),
        ("d / e", {"d": 1.0, "e": 0.0}, "(`d` / `e`): division by zero"),
        ("i + 1", {"i": 2**31 - 1}, "(`i` + 1): does not fit int"),
        ("l * l", {"l": 2**40}, "(`l` * `l`): does not fit bigint"),
        ("abs(b)", {"b": -128}, "abs(`b`): does not fit tinyint"),
        ("ceil(d)", {"d": 2.0**63}, "ceil(`d`): does not fit bigint"),
        ("cast(d as decimal(9, 2))", {"d": 1e300}, "does not fit decimal(9,2)"),
        ("cast(s as int)", {"s": "1.5"}, "CAST(`s` AS int): does not fit int"),
        ("cast(d as int)", {"d": nan}, "CAST(`d` AS int): does not fit int"),
        ("cast(de as decimal(3, 2))", {"de": Decimal(10)}, "does not fit decimal(3,2)"),
    ],
)
def test_a_row_that_cannot_be_computed_has_a_reason(
    text: str, row: dict[str, Any], reason: str
) -> None:
    good, bad = computed(text, [{}, row])
    assert good == (None, None)
    assert bad[0] is None
    assert reason in str(bad[1])


@pytest.mark.parametrize(
    "text",
    [
        "i <> 0 and 1 / i > 0",
        "i = 0 or 1 / i > 0",
        "case when i = 0 then 0 else 1 / i end",
        "if(i = 0, 0, 1 / i)",
        "coalesce(i, 1 / i)",
        "i in (0, 1 / i)",
        "case i when 0 then 1 else 1 / i end",
    ],
)
def test_what_is_not_looked_at_cannot_fail(text: str) -> None:
    ((_, reason),) = computed(text, [{"i": 0}])
    assert reason is None


@pytest.mark.parametrize(
    ("text", "offset", "message"),
    [
        ("mod(i, 2)", 0, "nodes know no function 'mod' (known: abs, ceil, coalesce"),
        ("1 + rund(d)", 4, "nodes know no function 'rund' (did you mean 'round'?)"),
        ("tempp + 1", 0, "no column 'tempp'"),
        ("i + s", 2, "+ takes numbers, and not string (cast it, e.g. x::double)"),
        ("i = s", 2, "= of int and string (cast one of them"),
        ("i +", 3, "the end where a value is expected (nodes compute with columns"),
        ("(i", 2, "the end where ) is expected"),
        ("i i", 2, "'i' where an operator or the end is expected"),
        ("'abc", 0, "a quote ' without its end"),
        ("i & 1", 2, "'&' is nothing that nodes compute with"),
        ("i -- 1", 2, "-- begins a comment"),
        ("cast(at as string)", 4, "it depends on the zone of a session of Spark"),
        ("d::string", 1, "versions of Java write numbers differently"),
        ("i::map", 3, "no cast to 'map' (there are boolean"),
        ("timestamp '2024-07-01 12:00:00'", 0, "is no time with a zone (write e.g. TIMESTAMP"),
        ("at > '2024-07-01'", 3, "> of timestamp and string"),
        ("s like u", 2, "LIKE takes a pattern in quotes"),
        ("not i", 0, "NOT takes a condition, and not int"),
        ("round(d, i)", 0, "round takes a whole number of digits"),
        ("if(o, 1)", 0, "if takes 3 arguments, and not 2"),
        ("null + null", 5, "+ takes numbers, and not null"),
        ("(" * 31 + "i" + ")" * 31, 30, "nested deeper than 30 levels"),
        ("i" + "+ 1" * 300, 598, "nested deeper than 200 levels"),
        ("i + " * 5_000 + "i", 0, "more than 10,000 characters"),
        ("case end", 5, "'end' where a value is expected"),
        ("in.side", 0, "'in' where a value is expected"),
        ("", 0, "the end where a value is expected"),
    ],
)
def test_anything_else_is_refused_at_its_place(text: str, offset: int, message: str) -> None:
    error = refusal(text)
    assert message in str(error)
    assert error.offset == offset


def test_a_condition_is_true_false_or_null() -> None:
    assert compile_condition("null", SCOPE).kind == pa.bool_()
    with pytest.raises(ExpressionError, match="where takes a condition, and not int"):
        compile_condition("i", SCOPE)


def test_spaces_and_the_case_of_keywords_are_not_part_of_an_expression() -> None:
    texts = ("i>1 and not o", "  I > 1\n AND NOT (O)")
    one_way, other_way = (compile_expression(text, SCOPE).written for text in texts)
    assert one_way == other_way


# Against Spark -------------------------------------------------------------------------------

_NUMBERS = ["b", "i", "l", "f", "d", "e", "de", "dw"]
_WHOLE = [0, 1, -1, 2, 7, 100, 127, -128, 2**31 - 1, -(2**31), 2**62, 2**63 - 1, -(2**63)]
_LITERALS = "0 1 -1 2 10 -128 3000000000 9223372036854775807 0.5 1.5 -2.25 100.00 1e0 2.5e-1 1e18"
_STRINGS = ["", "a", "abz", "é", "Straße", "12", " -7 ", "1.5", "true", "NaN", "1e3", "a_%"]
_floats = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.5, 0.285, 2.5, 1e9, 1e300, nan, inf, -inf]),
    st.integers(-4000, 4000).map(lambda n: n / 16),
)


def _whole(bits: int) -> st.SearchStrategy[int]:
    limit = 1 << bits - 1
    extreme = [n for n in _WHOLE if -limit <= n < limit]
    return st.one_of(st.sampled_from(extreme), st.integers(-20, 20))


_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "b": _whole(8),
    "i": _whole(32),
    "l": _whole(64),
    "f": st.one_of(
        st.sampled_from([0.0, -0.0, nan, inf]), st.integers(-99, 99).map(lambda n: n / 4)
    ),
    "d": _floats,
    "e": _floats,
    "de": st.integers(-(10**10) + 1, 10**10 - 1).map(lambda n: Decimal(n).scaleb(-2)),
    "dw": st.one_of(st.integers(-99, 99), st.integers(-(10**30) + 1, 10**30 - 1)).map(
        lambda n: Decimal(f"{n}E-10")  # scaleb would round to 28 digits
    ),
    "s": st.sampled_from(_STRINGS),
    "u": st.sampled_from(_STRINGS),
    "o": st.booleans(),
    "p": st.booleans(),
    "at": st.integers(-(10**15), 10**15),
}
_rows = st.lists(
    st.fixed_dictionaries({name: st.none() | own for name, own in _VALUES.items()}),
    min_size=8,
    max_size=8,
)


def _call(name: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map(lambda given: f"{name}({', '.join(given)})")


def _infix(signs: str, part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(part, st.sampled_from(signs.split()), part).map(
        lambda given: f"({given[0]} {given[1]} {given[2]})"
    )


@st.composite
def _kinds(draw: st.DrawFn, kind: str, depth: int) -> str:
    """An expression of numbers, of conditions or of text."""
    numbers, truths, texts = (_kinds(own, depth - 1) for own in ("number", "truth", "text"))
    if kind == "number":
        leaf = st.sampled_from([*_NUMBERS, *_NUMBERS, *_LITERALS.split()])
        inner = [
            _infix("+ - * / %", numbers),
            _call("abs", numbers),
            _call("floor", numbers),
            _call("ceil", numbers),
            _call("sqrt", numbers),
            _call("coalesce", numbers, numbers),
            _call("greatest", numbers, numbers),
            _call("least", numbers, numbers, numbers),
            _call("nullif", numbers, numbers),
            _call("if", truths, numbers, numbers),
            _call("length", texts),
            _call("round", numbers, st.sampled_from(["0", "1", "2", "-1"])),
            numbers.map(lambda x: f"(- {x})"),
            st.tuples(truths, numbers, numbers).map(
                lambda x: f"case when {x[0]} then {x[1]} else {x[2]} end"
            ),
            st.tuples(
                numbers, st.sampled_from(["int", "bigint", "double", "tinyint", "decimal(12,3)"])
            ).map(lambda x: f"cast({x[0]} as {x[1]})"),
            st.tuples(texts, st.sampled_from(["int", "bigint", "double"])).map(
                lambda x: f"cast({x[0]} as {x[1]})"
            ),
            truths.map(lambda x: f"({x})::int"),
            st.just("at::bigint"),
            st.just("at::double"),
        ]
    elif kind == "truth":
        leaf = st.sampled_from(["o", "p", "true", "false", "cast(null as boolean)"])
        inner = [
            _infix("= <> < <= > >= <=>", numbers),
            _infix("= <> < <= > >= <=>", texts),
            _infix("= < <=>", truths),
            _infix("and or", truths),
            _infix("and or", truths),
            truths.map(lambda x: f"(not {x})"),
            st.one_of(numbers, texts, truths).map(lambda x: f"({x} is null)"),
            st.one_of(numbers, texts).map(lambda x: f"({x} is not null)"),
            st.tuples(numbers, numbers, numbers).map(lambda x: f"({x[0]} in ({x[1]}, {x[2]}))"),
            st.tuples(texts, texts).map(lambda x: f"({x[0]} not in ({x[1]}, 'a', null))"),
            st.tuples(numbers, numbers, numbers).map(
                lambda x: f"({x[0]} between {x[1]} and {x[2]})"
            ),
            st.tuples(texts, st.sampled_from(["a%", "_", "%z", "%\\_%", ""])).map(
                lambda x: f"({x[0]} like '{x[1]}')"
            ),
            st.sampled_from(["isnan(d)", "isnan(f)", "at > timestamp '2001-02-03T04:05:06Z'"]),
            texts.map(lambda x: f"cast({x} as boolean)"),
            numbers.map(lambda x: f"cast({x} as boolean)"),
        ]
    else:
        leaf = st.sampled_from(["s", "u", "''", "'ab'", "'É'"])
        inner = [
            _call("upper", texts),
            _call("lower", texts),
            _call("concat", texts, texts),
            _call("substring", texts, st.sampled_from(["0", "1", "2", "-2", "b"])),
            _call(
                "substring",
                texts,
                st.sampled_from(["1", "-3", "b"]),
                st.sampled_from(["0", "1", "2", "b"]),
            ),
            _call("coalesce", texts, texts),
            _call("if", truths, texts, texts),
            _call("greatest", texts, texts),
            truths.map(lambda x: f"cast({x} as string)"),
            st.sampled_from(["cast(i as string)", "cast(de as string)"]),
        ]
    found: str = draw(leaf if depth == 0 else st.one_of(leaf, *inner))
    return found


_expressions = st.sampled_from(["number", "truth", "text"]).flatmap(lambda kind: _kinds(kind, 2))


def _compiles(text: str) -> bool:
    try:
        compile_expression(text, SCOPE)
    except ExpressionError:
        return False
    return True


def _alike(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, float) and isinstance(theirs, float):
        return ours == theirs or (isnan(ours) and isnan(theirs))
    return bool(ours == theirs) and type(ours) is type(theirs)


# Without what Spark simplifies before it computes, by which some of what would fail is left out.
_SIMPLIFIED = ",".join(
    f"org.apache.spark.sql.catalyst.optimizer.{rule}"
    for rule in (
        "ConstantFolding",
        "NullPropagation",
        "BooleanSimplification",
        "SimplifyConditionals",
        "SimplifyBinaryComparison",
        "SimplifyCasts",
        "OptimizeIn",
        "NullDownPropagation",
        "UnwrapCastInBinaryComparison",
        "PushFoldableIntoBranches",
        "ConvertToLocalRelation",
        "ReplaceNullWithFalseInPredicate",
        "SimplifyConditionalsInPredicate",
        "LikeSimplification",
        "RemoveDispatchExpressions",
        "CombineConcats",
        "ReorderAssociativeOperator",
    )
)


@given(
    st.lists(_expressions.filter(_compiles), min_size=6, max_size=6),
    _rows,
)
@examples(15, phases=[Phase.explicit, Phase.reuse, Phase.generate])
def test_spark_computes_the_same(
    spark: SparkSession, texts: list[str], rows: list[dict[str, Any]]
) -> None:
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    failed: list[tuple[str, int]] = []
    for text in texts:
        found = computed(text, rows)
        good = [at for at, (_, reason) in enumerate(found) if reason is None]
        failed += [(text, at) for at, (_, reason) in enumerate(found) if reason is not None]
        result = spark.createDataFrame(table.take(pa.array(good, pa.int64()))).selectExpr(
            f"{text} AS x"
        )
        assert arrow_type(result.schema[0].dataType) == compile_expression(text, SCOPE).kind, text
        theirs = [row["x"] for row in result.collect()]
        for at, own in zip(good, theirs, strict=True):
            assert _alike(found[at][0], own), (text, rows[at], found[at][0], own)
    spark.conf.set("spark.sql.optimizer.excludedRules", _SIMPLIFIED)
    try:
        for text, at in failed[:3]:
            asked = spark.createDataFrame(table.slice(at, 1)).selectExpr(f"{text} AS x")
            with pytest.raises(PySparkException):
                pytest.fail(f"{text} of {rows[at]} is {asked.collect()}")
    finally:
        spark.conf.unset("spark.sql.optimizer.excludedRules")
