"""What is computed: monoids, aggregates of columns, and the catalogue.

`monoid.py` is the algebra (lift, combine, lower), `aggregate.py` a monoid over columns,
`product.py` several at once.  `catalogue/` has one file for each family of aggregates, entered in
`registry.py` and found by `lookup.py`; `user.py` makes a user's functions a monoid.  `numeric.py`
is the form that compiled code runs, `inference.py` finds it for users' monoids.  `codec/` writes
states as bytes. Values are compared and rounded by `canonical.py`, `ordering.py` and `rounding.py`;
`rope.py` is the state of some aggregates.
"""
