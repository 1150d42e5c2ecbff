"""Windows of one key on many units: the published figures predicted, and what blocks cost.

`published` has what the document ran, `prediction` how counts become times; `throughput`, `latency`
and `blocks` are the experiments.
"""
