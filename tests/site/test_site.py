"""The site: built without a warning, read in Chromium: search, links, no request to elsewhere."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

import pytest

from evenhand.catalogue.lists import table_metrics
from evenhand.cli import every_command
from tests.pages import DOCS, script
from tests.reporting.test_browser import browser  # noqa: F401

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The whole site, built anew; or the one that EVENHAND_SITE names."""
    if built := os.environ.get("EVENHAND_SITE"):
        return Path(built)
    pytest.importorskip("sphinx", reason="make docs installs it")
    out = tmp_path_factory.mktemp("docs")
    done = subprocess.run(
        [sys.executable, str(DOCS / "website.py"), str(out)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return out / "site"


class Page(HTMLParser):
    """The links, sources and places of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.places = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.places.update(filter(None, (given.get("id"), given.get("name"))))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag in ("img", "script", "link", "iframe", "source") and given.get("rel") != "search":
            self.loaded.append(given.get("src") or given.get("href") or "")


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(site):
    pages = {p: Page(p.read_text(encoding="utf-8")) for p in site.rglob("*.html")}
    assert len(pages) > 100
    wrong = []
    for path, page in pages.items():
        for target in [*page.links, *page.loaded]:
            parts = urlparse(target)
            if parts.scheme in ("http", "https", "mailto"):
                if target in page.loaded:
                    wrong.append((path.name, target))
                continue
            name, place = urldefrag(target)
            name = unquote(name.partition("?")[0])
            there = (path.parent / name).resolve() if name else path
            known = pages[there].places if there in pages else None
            if not there.exists() or (place and known is not None and unquote(place) not in known):
                wrong.append((path.name, target))
    assert wrong == []


def test_styles_ask_for_nothing_elsewhere(site):
    for path in [*site.rglob("*.css"), *site.rglob("*.svg")]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"url\(['\"]?https?:|@import ['\"]?https?:|<image", text), path


def test_everything_has_a_page(site):
    for name in table_metrics():
        assert (site / "metrics" / f"{name}.html").exists()
    for name, _ in every_command():
        assert (site / "commands" / f"{name.replace(' ', '-')}.html").exists()
    for path in DOCS.rglob("*.md"):
        assert (site / path.relative_to(DOCS)).with_suffix(".html").exists()
    catalogue = Page((site / "metrics.html").read_text(encoding="utf-8")).links
    assert {f"metrics/{name}.html" for name in table_metrics()} <= set(catalogue)
    text = (site / "python" / "verbs.html").read_text(encoding="utf-8")
    assert "eh.cross_validated" in text
    assert "eh.Confusion" in (site / "python" / "data.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("doppelganger", "opitz-2022.html"),
        ("zero_division", "faq.html"),
        ("noninferior", "gate.html"),
        ("f1_of_averages", "f1_of_averages.html"),
    ],
)
def test_search_finds_pages_from_disk(browser, site, word, page):  # noqa: F811
    tab = browser.new_page()
    asked = []
    tab.on("request", lambda r: asked.append(r.url))
    tab.goto((site / "index.html").as_uri())
    box = tab.locator("input[name=q]").first
    box.fill(word)
    box.press("Enter")
    tab.locator("ul.search li a").first.wait_for()
    found = tab.eval_on_selector_all("ul.search li a", "all => all.map(a => a.href)")
    assert any(page in link for link in found[:20]), found
    assert [a for a in asked if not a.startswith("file:")] == []
    tab.close()


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("macro f1", "metrics/macro_f1.html"),
        ("confidence interval", "intervals.html"),
        ("significance", "tests.html"),
        ("LLM", "logs.html"),
        ("drift", "prevalence.html"),
    ],
)
def test_search_finds_the_page_on_a_subject_first(browser, site, words, page):  # noqa: F811
    tab = browser.new_page()
    tab.goto(f"{(site / 'search.html').as_uri()}?q={words.replace(' ', '+')}")
    tab.locator("ul.search li a").first.wait_for()
    first = tab.eval_on_selector("ul.search li a", "a => a.href")
    assert first.partition("?")[0].partition("#")[0].endswith(f"site/{page}"), first
    tab.close()


def test_the_page_of_a_metric_begins_with_what_matters(site):
    text = (site / "metrics" / "macro_f1.html").read_text(encoding="utf-8")
    order = [
        "<h1>Macro F1",
        'class="formula"',
        'class="chip has">monotonicity',
        "<img",
        "use it where",
        "<h2>Details",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


@pytest.mark.parametrize("width", [390, 1300])
@pytest.mark.parametrize(
    "name", ["index", "tutorials/first-score", "metrics/macro_f1", "commands/score", "json"]
)
def test_a_page_reads_on_a_phone_and_on_a_screen(browser, site, name, width):  # noqa: F811
    tab = browser.new_page(viewport={"width": width, "height": 900})
    said, asked = [], []
    tab.on("console", lambda m: said.append(m.text))
    tab.on("pageerror", lambda e: said.append(str(e)))
    tab.on("request", lambda r: asked.append(r.url))
    tab.goto((site / f"{name}.html").as_uri())
    assert said == []
    assert [a for a in asked if not a.startswith("file:")] == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    broken = tab.evaluate("[...document.images].filter(i => !i.naturalWidth).map(i => i.src)")
    assert broken == []
    tab.close()


def test_a_hundred_columns_fit_on_a_screen(browser, site):  # noqa: F811
    tab = browser.new_page(viewport={"width": 1300, "height": 900})
    tab.goto((site / "concepts.html").as_uri())
    widths = "[...document.querySelectorAll('pre')].map(p => [p.scrollWidth, p.clientWidth])"
    found = tab.evaluate(widths)
    lines = [line for text in tab.locator("pre").all_inner_texts() for line in text.splitlines()]
    assert max(map(len, lines)) > 95
    assert [both for both in found if both[0] > both[1]] == []
    tab.close()


def test_the_site_can_be_built_from_a_copy(tmp_path):
    """Links to files outside docs are led to copies of them."""
    website = script("website")
    website.staged(tmp_path)
    assert (tmp_path / "contributing.md").exists()
    assert "](contributing.md)" in (tmp_path / "index.md").read_text(encoding="utf-8")
    assert (tmp_path / "files" / "CITATION.cff").exists()
