"""Nodes as processes: the cores, with a clock, a disk and a network.

process.py   the loop that all share: wait, take what has come, let the core go on, send
leaf.py      sources in, frames to the parent
merger.py    frames of children in, frames to the parent
landing.py   frames of children in, a spool out, and with a root in the same process results
root.py      a spool in, results out
results.py   results as files, each row once
spool.py     a spool that forgets what has become results
members.py   children come and go;  moving.py  a leaf gets another parent
control.py   questions and orders from the same machine
warming.py   what is loaded before the first row comes
starting.py  the process that `tree.yaml` describes
embedded.py  a leaf inside a program of one's own
"""
