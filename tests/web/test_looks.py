"""All parts, wide, on a phone and dark: nothing is cut off, axe finds nothing."""

import os
import re
from pathlib import Path

import pytest

from tests.reporting.test_widths import CUT
from tests.web.browsing import Tab, serving
from tests.web.test_audit import TABLE
from tests.web.test_evaluate import GOLD, RUNS, lines

pytestmark = pytest.mark.browser
FRAMES = ".scroll, nav ul, pre"
ALL_FRAMES = f"{FRAMES}, .frame, select:not(.scroll *), .unseen"


def play(one):
    one.page.select_option("#preset", label="accuracy stays, macro F1 falls")
    one.page.wait_for_selector("#duel:not([hidden])")
    one.page.click("#all-metrics")
    one.cell(0, 0).fill("900")
    one.page.wait_for_function("() => document.querySelector('#metrics .down')")
    one.page.click("#even")
    one.answered()  # what is dimmed has less contrast


def evaluate(one):
    one.drop("#drop-gold", ("gold.txt", lines(GOLD)))
    one.drop("#drop-runs", *((f"{name}.txt", lines(run)) for name, run in RUNS.items()))
    one.page.wait_for_selector("#runs-is:not([hidden])")
    one.page.click("#run")
    one.page.wait_for_selector("#evaluated:not([hidden])")


def audit(one):
    one.page.fill("#table", TABLE)
    one.page.get_by_role("button", name="Audit", exact=True).click()
    one.page.wait_for_selector("#audit-result mark")


def learn(one):
    one.page.wait_for_selector(".advice.first")
    one.page.fill("#search", "macro")
    one.page.locator("#catalogue summary").first.click()


PARTS = {f.__name__: f for f in (play, evaluate, audit, learn)}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1300])
@pytest.mark.parametrize("part", PARTS)
def test_nothing_is_cut_off_and_axe_finds_nothing(tab, part, width, scheme):
    axe = os.environ.get("EVENHAND_AXE")
    viewport = {"width": width, "height": 900}
    one = tab(part, viewport=viewport, color_scheme=scheme, bypass_csp=True)
    PARTS[part](one)
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    assert one.page.evaluate(CUT.replace(FRAMES, ALL_FRAMES)) == []
    paper = one.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", paper)[:3])) > 380) == (scheme == "light")
    if not axe:
        pytest.skip("EVENHAND_AXE names no axe.min.js; make browser does")
    one.page.evaluate(Path(axe).read_text(encoding="utf-8"))
    found = one.page.evaluate("axe.run().then(r => r.violations)")
    assert [(v["id"], v["help"], [n["html"][:160] for n in v["nodes"][:3]]) for v in found] == []


WIDER = """frames => [...document.querySelectorAll(frames)]
  .filter(f => f.offsetParent && f.scrollWidth > f.clientWidth + 1)
  .map(f => [f.id || f.getAttribute("aria-label"), f.scrollWidth, f.clientWidth])"""
"""Frames whose content is wider than they are."""


def test_what_fits_on_a_phone_is_seen_at_once(tab):
    """The table, its totals, the mixes side by side, and the boxes for files."""
    one = tab("play", viewport={"width": 390, "height": 844})
    assert one.page.evaluate(WIDER, ".tables .frame, .frame:has(#mixed)") == []
    one.page.goto(f"{one.address}#evaluate")
    one.drop("#drop-gold", ("a-file-with-a-long-name-of-its-own.txt", lines(GOLD)))
    one.drop("#drop-runs", *((f"{name}.txt", lines(run)) for name, run in RUNS.items()))
    one.page.wait_for_selector("#runs-is:not([hidden])")
    assert one.page.evaluate(WIDER, ".drop") == []


AT_REST = """id => {
  const { y } = document.getElementById(id).getBoundingClientRect();
  const still = window.last === y;
  window.last = y;
  return still && y >= 0 && y < 100;
}"""
"""Whether an element is at the top of the window, which scrolls smoothly, and stays there."""


def test_a_long_result_is_read_from_its_top_on_a_phone(tab):
    one = tab("evaluate", viewport={"width": 390, "height": 900})
    evaluate(one)
    one.page.wait_for_function(AT_REST, arg="evaluated")


def test_two_tables_are_compared_on_one_axis_for_each_range(tab):
    one = tab("play")
    one.page.select_option("#preset", label="tables 1 and 2: the flip")
    one.page.wait_for_selector("#duel:not([hidden])")
    groups = one.page.locator("#duels tbody")
    heads = [g.locator(".axis").inner_text().split() for g in groups.all()]
    assert [h[-1] for h in heads] == ["1", "1"]
    assert [h[-5] for h in heads] == ["0", "\u22121"]
    corrected = groups.last.locator("[data-duel]")
    names = corrected.evaluate_all("all => all.map(r => r.dataset.duel)")
    assert sorted(names) == ["kappa", "mcc"]


@pytest.mark.parametrize("width", [390, 1300])
def test_the_documentation_of_the_api(tab, width):
    one = tab("learn", bypass_csp=True, viewport={"width": width, "height": 844})
    one.page.get_by_role("link", name="API").click()
    one.page.get_by_role("heading", name="POST /api/v1/score").wait_for()
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    assert one.page.evaluate(WIDER, ".frame") == []
    one.page.get_by_role("link", name="sweep", exact=True).click()
    there = "() => Math.abs(document.getElementById('sweep').getBoundingClientRect().y - 50) < 80"
    one.page.wait_for_function(there)  # it scrolls smoothly
    if axe := os.environ.get("EVENHAND_AXE"):
        one.page.evaluate(Path(axe).read_text(encoding="utf-8"))
        found = one.page.evaluate("axe.run().then(r => r.violations)")
        assert [(v["id"], v["nodes"][0]["html"][:160]) for v in found] == []


@pytest.mark.parametrize("part", PARTS)
def test_the_parts_are_reached_by_keyboard(tab, part):
    one = tab("play")
    one.page.get_by_role("link", name="evenhand").focus()
    for _ in range(1 + list(PARTS).index(part)):
        one.page.keyboard.press("Tab")
    one.page.keyboard.press("Enter")
    one.page.wait_for_selector(f"#{part}:not([hidden])")
    assert one.page.title() == f"{part.capitalize()} \u2013 evenhand"
    assert one.page.locator("main > section:visible").count() == 1


def test_what_is_switched_off_is_not_shown(browser):
    with serving(audit=0, evaluate=0) as (address, _):
        one = Tab(browser, address).open("audit")
        assert one.page.locator("[data-part]").all_inner_texts() == ["Play", "Learn"]
        one.page.wait_for_selector("#metrics tbody tr[data-metric]")
        one.context.close()
        assert one.said == []
