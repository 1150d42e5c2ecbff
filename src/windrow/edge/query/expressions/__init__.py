"""The subset of Spark SQL that nodes compute, over Arrow.

`lexer.py` cuts the text into tokens, `parser.py` makes expressions of them, typed (`kinds.py`)
against the columns in `scope.py`; `values.py` is what an expression is, and what it gives for rows.
`literals.py`, `arithmetic.py`, `comparing.py`, `choosing.py`, `texts.py`, `casting.py` and
`functions.py` are what there is to write.
"""

from windrow.edge.query.expressions.parser import compile_condition, compile_expression
from windrow.edge.query.expressions.scope import Scope
from windrow.edge.query.expressions.values import Evaluation, Expression, Values

__all__ = [
    "Evaluation",
    "Expression",
    "Scope",
    "Values",
    "compile_condition",
    "compile_expression",
]
