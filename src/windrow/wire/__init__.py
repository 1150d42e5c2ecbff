"""How partial windows travel between processes, and how they lie on disk.

messages.py    what nodes of a tree say to each other, as bytes, and what is refused
tables.py      a table of known columns as the body of a message
log.py         an append-only log: records that survive a crash, whole or not at all
log_files.py   how they lie in files, and how readers find them
consumed.py    how far the readers of a log have come, noted beside it

Nothing here knows what a node does: `windrow.edge` sends, and both it and Spark read what a
landing node has written.
"""
