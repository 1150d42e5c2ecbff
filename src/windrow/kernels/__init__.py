"""Loops over whole columns, specialised for the operator they run.

`operator.py` makes one operator of several numeric monoids; `cells.py` is the raw memory that
structures live in. Whole columns: `grouping.py` sorts rows by key, `folding.py` folds segments,
`trailing.py` and `sliding.py` run windows (`policy.py` is a compiled slide policy), `hopping.py`
finds which rows or slices are in each, `multiset.py` counts. One window: `forest.py` is AMTA in
cells, `pages.py` the same with pages of a store, `steps.py` its operations.
"""
