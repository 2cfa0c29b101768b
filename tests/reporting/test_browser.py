"""The report in Chromium: no errors, no network, all drawn, sorting, copying, accessible."""

import os
import shutil
from pathlib import Path

import pytest

from tests.reporting.data import PAGES, page

pytestmark = pytest.mark.browser

PATIENCE = 600_000
"""Milliseconds that a browser may take for what takes none where the machine is not busy."""
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    found = next((p for p in map(shutil.which, ("chromium", "chromium-browser")) if p), None)
    if found is None:
        pytest.skip("no chromium: apt-get install chromium")
    with playwright.sync_playwright() as p:
        opened = p.chromium.launch(executable_path=found, args=QUIET, timeout=PATIENCE)
        yield opened
        opened.close()


@pytest.fixture(params=PAGES)
def opened(browser, request, tmp_path):
    """A page from disk, with what it said and asked for."""
    path = tmp_path / "report.html"
    path.write_text(page(*PAGES[request.param]), encoding="utf-8")
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    context.set_default_timeout(PATIENCE)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab = context.new_page()
    said, asked = [], []
    tab.on("console", lambda m: said.append(m.text))
    tab.on("pageerror", lambda e: said.append(str(e)))
    tab.on("dialog", lambda d: (said.append(f"dialog {d.message}"), d.dismiss()))
    tab.on("request", lambda r: asked.append(r.url))
    tab.goto(path.as_uri())
    yield tab, said, asked
    context.close()


def test_no_errors_no_network_every_chart_drawn(opened):
    tab, said, asked = opened
    assert said == []
    assert [a for a in asked if not a.startswith("file:")] == []
    sizes = tab.eval_on_selector_all(
        "figure svg.wide",
        "all => all.map("
        "s => [s.getBoundingClientRect().width, s.querySelectorAll('title').length])",
    )
    assert len(sizes) >= 5
    assert all(width > 80 and marks > 0 for width, marks in sizes)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 1200


def test_tables_sort_by_mouse_and_keyboard(opened):
    tab, said, _ = opened
    table = tab.locator("table.sortable").first
    column = table.locator("th.right").last
    place = column.evaluate("th => th.cellIndex")

    def values():
        return table.evaluate(
            "(t, i) => [...t.tBodies[0].rows].map(r => r.cells[i].dataset.sort)"
            ".filter(v => v !== undefined).map(Number)",
            place,
        )

    column.locator("button").click()
    assert column.get_attribute("aria-sort") == "descending"
    assert values() == sorted(values(), reverse=True)
    column.locator("button").focus()
    tab.keyboard.press("Enter")
    assert column.get_attribute("aria-sort") == "ascending"
    assert values() == sorted(values())
    assert said == []


def test_copying_gives_what_is_embedded(opened):
    tab, said, _ = opened
    for name, at in (("JSON", "json"), ("CSV", "copy-csv"), ("LaTeX", "copy-latex")):
        tab.get_by_role("button", name=f"Copy {name}").click()
        tab.get_by_text(f"Copy {name}: done").wait_for()
        copied = tab.evaluate("navigator.clipboard.readText()")
        assert copied == tab.evaluate(f"document.getElementById('{at}').textContent")
    assert said == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["several", "many", "one, hostile"])
def test_axe_finds_nothing(browser, tmp_path, kind, scheme):
    axe = os.environ.get("EVENHAND_AXE")
    if not axe:
        pytest.skip("EVENHAND_AXE names no axe.min.js; make browser does")
    path = tmp_path / "report.html"
    path.write_text(page(*PAGES[kind]), encoding="utf-8")
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    context.set_default_timeout(PATIENCE)
    tab = context.new_page()
    tab.goto(path.as_uri())
    tab.evaluate(Path(axe).read_text(encoding="utf-8"))
    found = tab.evaluate("axe.run().then(r => r.violations)")
    context.close()
    short = [(v["id"], v["help"], [n["html"][:120] for n in v["nodes"][:3]]) for v in found]
    assert short == []
