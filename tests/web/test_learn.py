"""Learn in Chromium: the guided choice, the catalogue, the papers, and the way into Play."""

from itertools import product
from typing import get_args

import pytest

import evenhand as eh
from evenhand.catalogue.lists import table_metrics
from evenhand.papers.claims import all_claims
from evenhand.web.app import Cost, GuideNeed, advice
from tests.web.browsing import FIRST, FIRST_LABELS, HOSTILE, text, until

pytestmark = pytest.mark.browser


def answered(one, *answers):
    for answer in answers:
        one.page.get_by_label(answer, exact=True).check()


def advised(one, name):
    one.page.wait_for_function(
        "name => document.querySelector('.advice.first code')?.textContent === name", arg=name
    )


def test_the_guide_leads_to_a_metric_and_into_play(tab):
    one = tab("learn")
    advised(one, "macro_f1@uniform")
    answered(one, "no, as in the test set")
    advised(one, "macro_f1")
    answered(one, "a miss")
    advised(one, "macro_fbeta:beta=2")
    (wanted, *_) = advice(GuideNeed(mix=False, cost="misses"))
    first = one.page.locator(".advice.first")
    assert wanted["why"] in first.inner_text()
    shown = first.locator(".badges .has").all_inner_texts()
    assert len(shown) == sum(bool(v) for v in wanted["properties"].values())
    first.get_by_text("Try it in Play").click()
    one.page.wait_for_selector('#metrics [data-metric="macro_fbeta:beta=2"]')
    found = eh.score(
        eh.Confusion.from_matrix(FIRST, labels=FIRST_LABELS), metrics=["macro_fbeta:beta=2"]
    )
    assert one.value("macro_fbeta:beta=2") == text(found["macro_fbeta:beta=2"].value)


def test_the_founding_papers_advice_stands_there(tab):
    one = tab("learn")
    answered(one, "no, as in the test set", "only what is found counts")
    advised(one, "macro_recall")
    (wanted, *_) = advice(GuideNeed(mix=False, cost="recall"))
    assert wanted["recommended"]
    for line in wanted["recommended"]:
        assert line in one.page.locator(".advice.first").inner_text()


def test_a_late_answer_to_an_older_question_is_not_shown(tab):
    one = tab("learn")
    advised(one, "macro_f1@uniform")
    late = []
    one.page.route("**/guide?*mix=false&cost=same*", lambda route: late.append(route))
    answered(one, "no, as in the test set", "only what is found counts")
    advised(one, "macro_recall")
    until(one.page, lambda: late)
    with one.page.expect_response("**/guide?*cost=same*") as answer:
        late.pop().continue_()
    answer.value.finished()
    one.page.evaluate("() => new Promise(requestAnimationFrame)")
    advised(one, "macro_recall")


def test_the_catalogue_explains_every_metric(tab):
    one = tab("learn")
    one.page.get_by_text(f"{len(table_metrics())} of {len(table_metrics())} metrics").wait_for()
    one.page.fill("#search", "doppelganger")
    one.page.get_by_text(f"1 of {len(table_metrics())} metrics").wait_for()
    assert one.page.locator("#catalogue summary b").all_inner_texts() == ["f1_of_averages"]
    shown = one.page.locator("#catalogue details[open]").inner_text()
    record = table_metrics()["f1_of_averages"]
    for wanted in (record.formula, record.summary, record.reference, "When to use it"):
        assert wanted in shown


@pytest.mark.parametrize("name", ["kappa", "jaccard", "bookmaker_gain", "entropy_true"])
def test_every_kind_of_metric_can_be_tried(tab, name):
    one = tab(f"learn?metric={name}")
    entry = one.page.locator("#catalogue details", has=one.page.get_by_text(name, exact=True))
    if entry.first.get_attribute("open") is None:
        entry.first.locator("summary").click()
    entry.first.get_by_text("Try it in Play").click()
    spelled = f"macro_{name}" if name == "jaccard" else name
    one.page.wait_for_selector(f'#metrics .focus[data-metric="{spelled}"]')
    found = eh.score(eh.Confusion.from_matrix(FIRST, labels=FIRST_LABELS), metrics=[spelled])
    assert one.value(spelled) == text(found[spelled].value)


def test_the_papers_claims_are_recomputed(tab):
    one = tab("learn")
    one.page.click("#papers-open")
    one.page.wait_for_selector("#papers details", timeout=600_000)
    lines = one.page.locator("#papers summary").all_inner_texts()
    listed = [int(line.split(" claims")[0].split()[-1]) for line in lines]
    assert sum(listed) == len(all_claims()) == one.page.locator("#papers li").count()
    assert any("misprint" in line for line in lines)


def test_a_hostile_search_and_a_hostile_metric_stay_text(tab):
    one = tab("learn")
    one.page.get_by_text(f"{len(table_metrics())} of").wait_for()
    one.page.fill("#search", HOSTILE)
    one.page.get_by_text(f"0 of {len(table_metrics())} metrics").wait_for()
    assert one.page.locator("img").count() == 0
    play = tab("play?focus=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E")
    play.refused = True
    assert play.page.locator("img").count() == 0
    assert play.cells() == FIRST


def test_reasons_differ_and_none_contradicts_the_papers():
    for needed in product((True, False), (True, False), get_args(Cost), (True, False)):
        given = advice(GuideNeed(*needed))
        assert given
        reasons = [part for one in given for part in one["why"].rstrip(".").lower().split("; ")]
        assert len(set(reasons)) == len(reasons), needed
        names = {one["metric"] for one in given}
        assert not any("of_averages" in name for name in names)
        assert "accuracy@uniform" not in names  # that is macro recall


def test_what_guessing_scores_is_said_as_it_is():
    (one,) = advice(GuideNeed(mix=False, chance=True))
    assert "guessing scores at most 1/k" in one["why"]
    first = advice(GuideNeed(mix=False, cost="recall", chance=True))[0]
    assert "guessing scores 1/k on every test set" in first["why"]


def test_the_catalogue_has_families_and_a_word_for_nothing(tab):
    one = tab("learn")
    one.page.fill("#search", "kappa")
    one.page.locator("#catalogue h3", has_text="agreement").wait_for()
    one.page.fill("#search", "mxqz")
    one.page.get_by_text("No metric is called \u201cmxqz\u201d").wait_for()
