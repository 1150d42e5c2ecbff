"""Slide policies are checked as far as a definition can be."""

import dataclasses
import re
from collections.abc import Callable
from operator import itemgetter
from types import SimpleNamespace
from typing import Any

import pytest

from windrow import window
from windrow.algebra.aggregate import Aggregate, several
from windrow.algebra.monoid import Monoid
from windrow.errors import WindowError
from windrow.window import Check
from windrow.windows import Policy

LENGTH: Monoid[int, int] = Monoid(
    name="length", lift=lambda _: 1, combine=lambda a, b: a + b, lower=lambda n: n, identity=0
)
COUNT = Aggregate(LENGTH, ("temp",))


def short(window: Any) -> bool:
    return bool(window.n <= 1000)


def older(evicted: Any, after: Any, before: Any) -> bool:
    return bool(evicted.n < after.n < before.n)


def refusal(make: Callable[..., object], **arguments: Any) -> str:
    with pytest.raises(WindowError) as caught:
        make(**arguments)
    return str(caught.value)


def test_a_policy_holds_its_predicates_and_aggregates() -> None:
    policy = window.policy(keep=short, drop=older, using={"n": COUNT}, check=Check.VERIFY)
    assert policy == Policy(keep=short, drop=older, using=(("n", COUNT),), check=Check.VERIFY)
    assert hash(policy) == hash(dataclasses.replace(policy))
    assert policy != dataclasses.replace(policy, check=Check.TRUST)


def test_one_predicate_is_enough_and_trust_is_the_default() -> None:
    assert window.policy(keep=short, using={"n": COUNT}).drop is None
    assert window.policy(drop=older, using={"n": COUNT}).keep is None
    assert window.policy(short, using={"n": COUNT}).check is Check.TRUST


def test_later_changes_of_the_mapping_do_not_reach_the_policy() -> None:
    using = {"n": COUNT}
    policy = window.policy(keep=short, using=using)
    using["m"] = COUNT
    assert policy.using == (("n", COUNT),)


def test_a_bare_monoid_becomes_an_aggregate() -> None:
    assert window.policy(keep=short, using={"n": LENGTH}).using == (("n", Aggregate(LENGTH)),)


def test_a_policy_reads_like_the_call_that_makes_it() -> None:
    using = {"n": COUNT}
    assert repr(window.policy(keep=short, using=using)) == (
        "policy(keep=short, using={'n': length('temp')})"
    )
    assert repr(window.policy(drop=older, using=using, check=Check.VERIFY)) == (
        "policy(drop=older, using={'n': length('temp')}, check=Check.VERIFY)"
    )
    assert repr(window.policy(keep=lambda w: True, using=using)).startswith("policy(keep=<lambda>,")


def test_a_policy_without_predicates_is_refused() -> None:
    message = refusal(window.policy, using={"n": COUNT})
    assert message.startswith("keep=None and drop=None evict nothing; give at least one")


@pytest.mark.parametrize(
    "keep", [lambda: True, lambda a, b: True, lambda *, w: True, older, lambda w, *, n: True]
)
def test_keep_takes_one_argument(keep: Callable[..., bool]) -> None:
    message = refusal(window.policy, keep=keep, using={"n": COUNT})
    assert re.match(r"keep=\S+ takes \(.*, but is called with 1 positional argument", message)
    assert message.endswith("write keep=lambda window: ...")


@pytest.mark.parametrize("drop", [lambda: True, lambda a, b: True, lambda a, b, c, d: True, short])
def test_drop_takes_three_arguments(drop: Callable[..., bool]) -> None:
    message = refusal(window.policy, drop=drop, using={"n": COUNT})
    assert re.match(r"drop=\S+ takes \(.*, but is called with 3 positional argument", message)
    assert message.endswith("write drop=lambda evicted, after, before: ...")


@pytest.mark.parametrize(
    "keep",
    [
        lambda w, limit=3: w.n <= limit,
        lambda *windows: True,
        SimpleNamespace(short=short).short,
        itemgetter(0),
        bool,
    ],
)
def test_anything_that_can_be_called_with_one_argument_may_keep(keep: Callable[..., bool]) -> None:
    assert window.policy(keep=keep, using={"n": COUNT}).keep is keep


def test_a_predicate_that_cannot_be_called_is_refused() -> None:
    message = refusal(window.policy, keep=1000, using={"n": COUNT})
    assert message == "keep=1000 is not callable; give a function, keep=lambda window: ..."
    message = refusal(window.policy, drop="n", using={"n": COUNT})
    assert message.startswith("drop='n' is not callable; give a function, drop=lambda evicted,")


@pytest.mark.parametrize("using", [COUNT, LENGTH, None, [("n", COUNT)]])
def test_aggregates_without_names_are_refused(using: object) -> None:
    message = refusal(window.policy, keep=short, using=using)
    assert message.startswith(f"using={using!r} is a {type(using).__name__}; ")
    assert message.endswith('e.g. using={"n": agg.count()}')


def test_a_policy_without_aggregates_is_refused() -> None:
    for make, nothing in ((window.policy, {}), (Policy, ())):
        message = refusal(make, keep=short, using=nothing)
        assert message.startswith("using is empty")
        assert message.endswith('e.g. using={"n": agg.count()}')


@pytest.mark.parametrize("name", ["", "2nd", "max temp", "class", "None", "_n", "__class__", 3])
def test_names_that_are_no_plain_attribute_are_refused(name: object) -> None:
    message = refusal(window.policy, keep=short, using={name: COUNT})
    assert message.startswith(f"using has the name {name!r}, ")
    assert "use an identifier that is no keyword and has no leading underscore" in message


def test_names_that_only_look_special_are_fine() -> None:
    using = {"match": COUNT, "n_": COUNT, "größe": COUNT}
    assert dict(window.policy(keep=short, using=using).using) == using


@pytest.mark.parametrize("part", [None, "count", len, several(n=COUNT)])
def test_what_is_no_aggregate_is_refused(part: object) -> None:
    message = refusal(window.policy, keep=short, using={"n": part})
    assert message.startswith(f"using['n']={part!r} is not an aggregate; ")
    assert "agg.count()" in message


@pytest.mark.parametrize("check", [True, None, "later"])
def test_a_check_is_one_of_the_enum(check: object) -> None:
    message = refusal(window.policy, keep=short, using={"n": COUNT}, check=check)
    assert message == (
        f"check={check!r} is not a valid value for check; "
        "use Check.TRUST ('trust') or Check.VERIFY ('verify')"
    )


def test_a_check_may_be_given_as_text() -> None:
    written = window.policy(keep=short, using={"n": COUNT}, check="verify")
    assert written.check is Check.VERIFY


def test_a_definition_takes_a_mapping_as_the_constructor_does() -> None:
    policy = Policy(keep=short, using={"n": COUNT})  # type: ignore[arg-type]
    assert policy == window.policy(keep=short, using={"n": COUNT})
