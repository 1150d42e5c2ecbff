"""What a tree of nodes has sent, as a source of Spark: `spark.read.format("windrow").load(spool)`.

spool.py    which queries a landing's spool holds, and its records between two offsets
marks.py    how columns say that they come from a tree
shape.py    what a query's frames are as rows of Spark: rows, states in a hidden column, or results
tree.py     the source itself, for batches and streams
"""
