"""Job files: a query with its source and its sink, as YAML.

`read_job` reads one, in this order: `document` parses, `entry` reads single values, `ends`,
`windows`, `expressions`, `bounds` and `edge` read the parts, `checks` looks at the whole.
`pointing` finds the entry that a refused query is about.
"""

from windrow.jobs.checks import check_columns
from windrow.jobs.edge import Edge, Merging
from windrow.jobs.job import AVAILABLE_NOW, Job, Sink, Source
from windrow.jobs.pointing import pointing
from windrow.jobs.problems import JobFileError, Place, Problem
from windrow.jobs.read import read_job

__all__ = [
    "AVAILABLE_NOW",
    "Edge",
    "Job",
    "JobFileError",
    "Merging",
    "Place",
    "Problem",
    "Sink",
    "Source",
    "check_columns",
    "pointing",
    "read_job",
]
