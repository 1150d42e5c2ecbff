"""Whatever somebody writes into a store, reading it ends in an error of ours, never in a crash."""

import ast
import subprocess
import sys

import pytest

from tests.paged.crafted import KINDS
from windrow.errors import InputError
from windrow.paged.checks import require_shape

pytestmark = pytest.mark.xdist_group("paged")


def outcomes(kind: str, times: int, seed: int) -> dict[str, int]:
    """What became of crafted values in a process of their own, which survives them."""
    command = [sys.executable, "-m", "tests.paged.crafted", kind, str(times), str(seed)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3_000:]
    found: dict[str, int] = ast.literal_eval(done.stdout)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_crafted_values_end_in_an_error_or_in_nothing_bad(kind: str) -> None:
    found = outcomes(kind, 40, 0)
    assert sum(found.values()) == 40
    assert found["DamagedPageError"] > 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.parametrize("kind", KINDS)
def test_thousands_of_crafted_values_do_nothing_bad(kind: str, seed: int) -> None:
    assert sum(outcomes(kind, 3_000, seed).values()) == 3_000


@pytest.mark.parametrize(
    ("counters", "positions"),
    [
        ((0, 0, 0), []),
        ((5, 5, 9), []),
        ((0, 8, 8), []),
        ((3, 8, 9), [4]),
        ((1, 14, 20), [12, 8, 4, 2]),
        ((0, 64, 64), [32]),
    ],
)
def test_shapes_that_windows_have_are_let_pass(
    counters: tuple[int, int, int], positions: list[int]
) -> None:
    require_shape(*counters, positions)


@pytest.mark.parametrize(
    ("counters", "positions"),
    [
        ((1, 0, 0), []),
        ((-1, 0, 0), []),
        ((0, 9, 8), []),
        ((0, 0, 2**62), []),
        ((True, 1, 1), []),
        ((0, 8.0, 8), []),
        ((3, 8, 9), []),  # no block
        ((0, 8, 9), [4, 4]),
        ((0, 8, 9), [2, 4]),
        ((5, 5, 9), [3]),
        ((2, 6, 9), []),  # of four, but not aligned
        ((0, 4, 4), [3, 2, 1]),  # more than two of a size
        ((0, 14, 14), [12, 8, 6, 4]),  # growing again
    ],
)
def test_shapes_that_no_window_has_are_refused(
    counters: tuple[int, int, int], positions: list[int]
) -> None:
    with pytest.raises(InputError):
        require_shape(*counters, positions)
