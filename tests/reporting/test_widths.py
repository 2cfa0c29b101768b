"""The report at the widths of a phone, a tablet and a screen, dark and printed: nothing is cut off.

Every mark and every word must lie inside the window and inside its drawing, or in a frame that
scrolls and shows that it does; the page itself never scrolls sideways.
"""

import re
import zlib

import pytest

from evenhand.results.document import Content, Table
from evenhand.results.page import written
from evenhand.text import Grid
from tests.reporting.data import PAGES, page
from tests.reporting.test_browser import PATIENCE
from tests.reporting.test_browser import browser as browser

pytestmark = pytest.mark.browser

WIDTHS = [390, 800, 1400]

CUT = """() => {
  const wide = document.documentElement.clientWidth, found = [];
  const scrolls = (e) => e.closest(".scroll, nav ul, pre");
  const check = (e, box, frame, what) => {
    const slack = 1.5;
    if (box.left < frame.left - slack || box.right > frame.right + slack
        || box.top < frame.top - slack || box.bottom > frame.bottom + slack)
      found.push([what, (e.textContent || e.outerHTML).slice(0, 60), box.left, box.right]);
  };
  const page = { left: 0, right: wide, top: -Infinity, bottom: Infinity };
  const shown = (e) => e.checkVisibility() && e.getBoundingClientRect().width > 0;
  for (const svg of document.querySelectorAll("svg")) {
    if (!shown(svg)) continue;
    const frame = svg.getBoundingClientRect();
    check(svg, frame, page, "drawing");
    for (const mark of svg.querySelectorAll("text, path, rect, circle, line"))
      if (mark.getBoundingClientRect().width + mark.getBoundingClientRect().height > 0)
        check(mark, mark.getBoundingClientRect(), frame, mark.tagName);
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest("svg, script, .skip") || !shown(parent)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    if (!scrolls(parent)) check(node, range.getBoundingClientRect(), page, "words");
  }
  for (const frame of document.querySelectorAll(".scroll, nav ul, pre"))
    if (shown(frame)) check(frame, frame.getBoundingClientRect(), page, "frame");
  return found;
}"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Each page on disk, written once."""
    folder = tmp_path_factory.mktemp("pages")
    made = {}

    def of(kind):
        if kind not in made:
            made[kind] = folder / f"{len(made)}.html"
            made[kind].write_text(page(*PAGES[kind]), encoding="utf-8")
        return made[kind].as_uri()

    return of


@pytest.fixture
def opened(browser, files):
    """A page at a width, closed when the test is over."""
    contexts = []

    def of(kind, width=1400, **how):
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, **how))
        contexts[-1].set_default_timeout(PATIENCE)
        tab = contexts[-1].new_page()
        tab.goto(files(kind))
        return tab

    yield of
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", PAGES)
def test_nothing_is_cut_off(opened, kind, width, scheme):
    tab = opened(kind, width, color_scheme=scheme)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.evaluate(CUT) == []
    paper = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", paper)[:3])) > 380) == (scheme == "light")


def test_the_check_finds_what_is_cut_off(opened):
    tab = opened("one", 390, bypass_csp=True)
    tab.add_style_tag(content=".canvas svg { max-width: none !important; width: 900px !important }")
    assert "drawing" in {what for what, *_ in tab.evaluate(CUT)}
    tab = opened("one", 390)
    tab.evaluate("document.querySelector('svg.narrow text').setAttribute('x', 400)")
    assert [what for what, *_ in tab.evaluate(CUT)] == ["text"]
    tab = opened("one", 390)
    tab.evaluate("document.querySelector('.verdict p').style.whiteSpace = 'nowrap'")
    assert "words" in {what for what, *_ in tab.evaluate(CUT)}


@pytest.mark.parametrize("kind", PAGES)
def test_type_in_charts_can_be_read(opened, kind):
    def sizes(width):
        return opened(kind, width).evaluate(
            "[...document.querySelectorAll('svg')].filter(s => s.checkVisibility()).flatMap("
            "s => [...s.querySelectorAll('text')].map(t => parseFloat(getComputedStyle(t).fontSize)"
            " * s.getBoundingClientRect().width / s.viewBox.baseVal.width))"
        )

    for width, least, usual in ((390, 7.5, 11), (800, 7.5, 11), (1400, 10, 15)):
        found = sorted(sizes(width))
        assert found[0] >= least
        assert found[len(found) * 3 // 4] >= usual


def test_charts_use_the_width_of_the_column(opened):
    for width in WIDTHS:
        tab = opened("several", width)
        column = tab.evaluate("document.querySelector('main h2').getBoundingClientRect().width")
        chart = tab.locator("#leaderboard svg:visible").bounding_box()["width"]
        assert 0.9 * column <= chart <= column + 1


@pytest.mark.parametrize("kind", ["one", "several", "many"])
def test_headings_of_tables_are_read_whole_on_a_phone(opened, kind):
    tab = opened(kind, 390)
    for words in tab.locator("caption span").filter(visible=True).all():
        box = words.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390, words.inner_text()


@pytest.mark.parametrize("kind", ["one", "several", "many"])
def test_pictures_are_as_wide_as_the_page(opened, kind):
    # but for metrics that order alike, which are as many columns as there are orders, and for the
    # square of the ring and the dots, which would be higher than a screen
    tab = opened(kind, 1400)
    column = tab.evaluate("document.querySelector('main h2').getBoundingClientRect().width")
    boxes = tab.evaluate(
        "[...document.querySelectorAll('section:not(#agreement) svg')]"
        ".filter(s => s.checkVisibility()).map(s => s.getBoundingClientRect())"
        ".map(box => [box.width, box.height])"
    )
    assert boxes and all(w >= 0.72 * column or h >= max(w, 0.5 * column) for w, h in boxes)


def test_every_system_has_its_dot_on_a_phone(opened):
    tab = opened("many", 390)
    drawing = tab.locator("#leaderboard svg:visible")
    assert drawing.get_attribute("class") == "narrow"
    dots = drawing.evaluate(
        "s => [...s.querySelectorAll('path[d*=A]')].map(c => c.getBoundingClientRect().x)"
    )
    assert len(dots) == 30
    assert all(0 < x < 390 for x in dots)


@pytest.mark.parametrize("kind", ["several", "many", "several, hostile"])
def test_a_table_shows_that_it_scrolls_and_keeps_its_key(opened, kind):
    tab = opened(kind, 390)
    frame = tab.locator(".scroll:has(table.filtered)").first
    assert frame.evaluate("f => f.scrollWidth > f.clientWidth")
    assert "gradient" in frame.evaluate("f => getComputedStyle(f).backgroundImage")
    frame.evaluate("f => f.scrollTo(f.scrollWidth, 0)")
    left, box = frame.evaluate(
        "f => [f.querySelector('tbody .key').getBoundingClientRect().left,"
        " f.getBoundingClientRect().left]"
    )
    assert left == pytest.approx(box, abs=2)


@pytest.mark.parametrize("kind", PAGES)
def test_no_table_is_cut_beside_empty_margins(opened, kind):
    tab = opened(kind, 1400)
    for frame in tab.locator(".scroll").all():
        whole = frame.evaluate("f => f.scrollWidth <= f.clientWidth")
        assert whole or frame.bounding_box()["width"] > 1300, frame.inner_text()[:80]


def test_systems_are_searched_ordered_and_columns_hidden(opened):
    tab = opened("many")
    table = tab.locator("table.filtered").first
    bar = tab.locator(".filters").first
    bar.get_by_label("Search systems").fill("TEAM 07")
    shown = table.locator("tbody tr:visible .key")
    assert shown.all_inner_texts() == ["team 07"]
    assert bar.locator("output").inner_text() == "1 of 30"
    bar.get_by_label("Search systems").fill("")
    assert shown.count() == 30

    bar.get_by_text("Columns").click()
    box = bar.get_by_role("checkbox", name="rank interval")
    box.uncheck()
    assert "rank interval" not in table.locator("th:visible").all_inner_texts()
    box.check()
    assert table.get_by_role("columnheader", name="rank interval").is_visible()


def test_systems_are_ordered_by_any_metric(opened):
    tab = opened("many")
    scores = tab.locator("table.filtered", has_text="Accuracy").last
    scores.locator("th button", has_text=re.compile("^Cohen's kappa$")).click()
    at = scores.locator("thead th").all_inner_texts().index("Cohen's kappa")
    cells = [float(r.locator("th, td").nth(at).get_attribute("data-sort"))
             for r in scores.locator("tbody tr").all()]  # fmt: skip
    assert cells == sorted(cells, reverse=True)


def test_without_a_script_the_page_reads(opened):
    tab = opened("several", java_script_enabled=False)
    assert tab.locator(".filters, button:visible").count() == 0
    assert tab.locator("table.filtered tbody tr").first.is_visible()
    assert tab.locator("#verdict").inner_text()


def printed(tab):
    """The words that a printed page shows, as strings of glyphs: a list for each sheet of paper."""
    file = tab.pdf(format="A4")
    parts = {
        int(n): body for n, body in re.findall(rb"\n(\d+) 0 obj\s(.*?)\nendobj", file, re.DOTALL)
    }
    sheets = []
    for body in parts.values():
        if not re.search(rb"/Type\s*/Page\b", body):
            continue
        inside = parts[int(re.search(rb"/Contents (\d+) 0 R", body)[1])]
        stream = re.search(rb"stream\r?\n(.*)\r?\nendstream", inside, re.DOTALL)[1]
        sheets.append(re.findall(rb"<([0-9A-F]+)> Tj", zlib.decompress(stream)))
    return sheets


def test_headers_are_printed_on_every_sheet(browser):
    def sheets(*head):
        rows = [[f"row {i:03d}", i / 997] for i in range(160)]
        content = Content("Long", [Table(Grid(head, rows))], lambda: Grid([], []))
        tab = browser.new_page()
        tab.set_content(written(content))
        found = printed(tab)
        tab.close()
        return found

    plain = {glyphs for sheet in sheets("-", "-") for glyphs in sheet}
    headed = sheets("QZX", "ZQX")
    assert len(headed) >= 3
    assert all(set(sheet) - plain for sheet in headed)  # nothing but the header has such letters


@pytest.mark.parametrize("kind", PAGES)
def test_paper_is_used_and_nothing_to_copy_is_on_it(opened, kind):
    tab = opened(kind, 800)
    sheets = printed(tab)
    glyphs = [sum(map(len, s)) for s in sheets]
    assert min(glyphs) > 400  # no sheet with a heading or the last line alone
    tab.emulate_media(media="print")
    tab.set_viewport_size({"width": 700, "height": 900})
    assert tab.locator("#data, nav, .filters, .copy").filter(visible=True).count() == 0
    assert tab.evaluate(CUT) == []
