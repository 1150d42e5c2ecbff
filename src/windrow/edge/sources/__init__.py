"""Where the rows of a leaf come from; each source has threads of its own, the core has one.

inlet.py     the way from a source to the core: batches in, and whether they are safe
rows.py      bytes as rows of known columns: JSON lines, JSON, Arrow
rejects.py   rows that were refused, with the reason, in a file that does not grow for ever
http.py      POST, answered when the rows are safe
mqtt.py      topics of a broker, acknowledged when the rows are safe
files.py     the files of a folder
lines.py     standard input
opened.py    the source that an entry of `tree.yaml` describes
"""
