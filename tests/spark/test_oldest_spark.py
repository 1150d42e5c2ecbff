"""The oldest Spark that is promised is the one that is tested."""

import tomllib
from pathlib import Path

import pyspark
import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parent.parent.parent


def pinned(file: str) -> Version:
    pins = dict(line.split("==") for line in (ROOT / file).read_text().split())
    return Version(pins["pyspark"])


def test_the_floor_is_the_first_release_of_the_oldest_line_tested() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    (promised,) = (Requirement(r) for r in extras["spark"] if r.startswith("pyspark"))
    oldest = pinned("constraints-oldest.txt")
    assert str(promised.specifier) == f">={oldest.major}.{oldest.minor}"
    assert oldest < pinned("constraints.txt")


@pytest.mark.spark_floor
def test_this_is_a_release_that_is_pinned() -> None:
    assert Version(pyspark.__version__) in {
        pinned("constraints.txt"),
        pinned("constraints-oldest.txt"),
    }
