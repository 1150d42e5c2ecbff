"""Every aggregator answers as a plain list does, whatever is asked of it and in which order."""

import pytest

from tests.structures.machine import CASES, GROUPS, Case, drive
from tests.structures.support import FOR_ANY_MONOID
from windrow.structures import Aggregator, SubtractOnEvict


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("structure", FOR_ANY_MONOID)
def test_any_sequence_of_calls_agrees_with_a_list(structure: type[Aggregator], case: Case) -> None:
    drive(structure, case)


@pytest.mark.parametrize("case", GROUPS, ids=str)
def test_any_sequence_of_calls_on_a_group_agrees_with_a_list(case: Case) -> None:
    drive(SubtractOnEvict, case)
