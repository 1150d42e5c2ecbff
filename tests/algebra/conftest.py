"""What tests of monoids that compile have in common."""

import warnings
from collections.abc import Iterator

import pytest

from windrow.errors import CompilationWarning


@pytest.fixture
def compiled_only() -> Iterator[None]:
    """Fails where a function runs interpreted."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", CompilationWarning)
        yield
