"""Topologies measured: the published figures re-made in simulation, and how far plans reach.

`published` has what the paper says, `drops`, `retransmission`, `sizes` and `scale` the experiments.
"""
