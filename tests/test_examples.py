"""`HYPOTHESIS_PROFILE` reaches every property test."""

from pathlib import Path

from hypothesis import settings

from tests.examples import QUICK, USUAL, examples, until_caught

HERE = Path(__file__).parent


def test_a_profile_that_looks_longer_lets_every_test_look_longer() -> None:
    drawn = settings().max_examples
    assert examples(10).max_examples == max(10 * drawn // USUAL, 1)
    assert examples(10, stateful_step_count=7).stateful_step_count == 7


def test_no_run_is_so_quick_that_a_test_draws_nothing_or_misses_what_is_broken() -> None:
    drawn = settings().max_examples
    assert examples(1).max_examples >= 1
    assert until_caught(200).max_examples == max(200, 200 * drawn // USUAL)
    assert settings.get_profile("quick").max_examples == QUICK < USUAL


def test_no_test_says_for_itself_how_long_it_looks() -> None:
    allowed = {HERE / "conftest.py", HERE / "examples.py", HERE / "test_examples.py"}
    said = [path for path in HERE.rglob("*.py") if "max_examples" in path.read_text("utf-8")]
    assert set(said) <= allowed
