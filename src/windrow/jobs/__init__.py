"""Job files: a query with its source and its sink, as YAML.

`read_job` reads one, in this order: `document` parses, `entry` reads single values, `ends`,
`windows`, `expressions` and `bounds` read the parts, `checks` looks at the whole.
"""

from windrow.jobs.checks import check_columns
from windrow.jobs.job import AVAILABLE_NOW, Job, Sink, Source
from windrow.jobs.problems import JobFileError, Place, Problem
from windrow.jobs.read import read_job

__all__ = [
    "AVAILABLE_NOW",
    "Job",
    "JobFileError",
    "Place",
    "Problem",
    "Sink",
    "Source",
    "check_columns",
    "read_job",
]
