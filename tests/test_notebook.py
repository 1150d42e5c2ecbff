"""What a notebook shows: well-formed HTML without scripts, with all that a plan runs."""

from html.parser import HTMLParser
from typing import Any

import pytest

from windrow import agg, window
from windrow.plan import Described, Description, choose
from windrow.windows import Window

COUNT = Described("n", "count()", True, True, True, True, True)
PLANS: dict[str, Window] = {
    "native": window.tumbling("1 hour"),
    "slices": window.hopping("1 hour", every="1 minute"),
    "rows": window.trailing("1 hour"),
}


class Page(HTMLParser):
    """Refuses tags that are not closed in turn, and collects boxes and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("kind", PLANS)
def test_a_plan_draws_a_box_for_each_stage(kind: str) -> None:
    plan = choose(Description((("", PLANS[kind]),), (COUNT,), streaming=False, keys=("<k>",)))
    page = Page(plan._repr_html_())
    assert page.tags.count("span") == len(plan.stages)
    assert all(stage.work in page.text for stage in plan.stages)
    assert "by <k> in" in page.text
    assert repr(plan).startswith(f"Plan({plan.strategy.value}: {type(plan.stages[0]).__name__}")


@pytest.mark.parametrize("kind", PLANS)
def test_a_window_says_what_it_is(kind: str) -> None:
    page = Page(PLANS[kind]._repr_html_())
    assert repr(PLANS[kind]) in page.text
    assert page.text.endswith(".")


def test_an_aggregate_says_what_it_is() -> None:
    page = Page(agg.collect("a<b")._repr_html_())
    assert "collect('a<b')" in page.text
    assert "holistic" in page.text
    assert "their own order" in page.text
