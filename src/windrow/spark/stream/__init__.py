"""The stages of a stream, on Spark's stateful operator.

`stateful.py` packs rows, which `row_counts.py` counts, and runs `processor.py` over them, which
loads state, calls the engine and saves state; `late_stream.py` gives the rows that came too late.
"""
