"""What the tests of stores share: one recipe for each store."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from windrow.paged.stores import Store

ON_REDIS = pytest.mark.xdist_group("redis")  # one process, one server


@dataclass(frozen=True)
class Recipe:
    """How to make a store; where values last, making it again finds them."""

    make: Callable[[], Store]
    lasting: bool
