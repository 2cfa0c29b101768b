"""Play is alive: it follows the hand, says what is not yet true, and explains itself."""

from urllib.parse import quote

import pytest

import evenhand as eh
from tests.web.browsing import BIRDS, FIRST, Tab, text

pytestmark = pytest.mark.browser
ASKED = "**/api/v1/play*"
AT = "all => all.map(c => [+c.getAttribute('cx'), +c.getAttribute('cy')])"
DRAG = """async () => {
  const shown = document.getElementById("twins-averages");
  const slider = document.querySelector("#sliders input");
  const states = new Set(), replace = history.replaceState.bind(history);
  let frames = 0, addresses = 0, pauses = 0, last = Infinity, fresh = false, moving = true;
  const start = performance.now();
  history.replaceState = (...all) => { addresses += 1; replace(...all); };
  const look = () => {
    frames += fresh; // those that a move came before
    fresh = false;
    states.add(shown.dataset.value);
    if (moving) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  for (let i = 1; i <= 60; i += 1) {
    const before = performance.now();
    slider.value = 20 + i;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    fresh = true;
    pauses += performance.now() - last > 190; // as long as rest is, if not longer
    last = before;
    await new Promise((go) => requestAnimationFrame(() => setTimeout(go, 17)));
  }
  moving = false;
  const seconds = (performance.now() - start) / 1000;
  return { states: states.size, frames, addresses, pauses, seconds };
}"""
COUNT = """() => {
  const ask = fetch;
  window.seen = { asked: 0, failed: 0, together: 0, flying: 0 };
  window.fetch = async (...all) => {
    seen.asked += 1;
    seen.together = Math.max(seen.together, (seen.flying += 1));
    try {
      return await ask(...all);
    } catch (error) {
      seen.failed += 1;
      throw error;
    } finally {
      seen.flying -= 1;
    }
  };
}"""


def test_a_drag_shows_every_frame_and_asks_once_at_rest(tab):
    one = tab()
    one.page.evaluate(COUNT)
    drag = one.page.evaluate(DRAG)
    one.answered()
    requests = one.page.evaluate("seen")
    assert drag["states"] >= max(20, drag["frames"] - 1)
    assert 1 <= requests["asked"] <= 1 + drag["pauses"]
    assert (requests["failed"], requests["together"]) == (0, 1)
    assert drag["addresses"] <= 6 * drag["seconds"]


def test_python_confirms_what_the_browser_shows(tab):
    play = tab()
    play.page.evaluate(DRAG)
    mix = dict(zip(["bird", "cat", "dog"], play.mix(), strict=True))
    table = eh.Confusion.from_matrix(BIRDS, labels=list(mix))
    there = eh.shift.extrapolate(table, to=mix)
    shown = dict(play.page.eval_on_selector_all(
        "#metrics td[data-metric]", "all => all.map(e => [e.dataset.metric, +e.dataset.value])"
    ))  # fmt: skip
    for name in ("macro_f1", "f1_of_averages", "accuracy", "kappa", "mcc", "macro_precision"):
        assert shown[name] == pytest.approx(there[name].value, abs=1e-12)
    assert play.row("macro_f1")[2] == f"{text(there['macro_f1'].low)} \u2013 " + text(
        there["macro_f1"].high
    )
    assert shown["macro_recall"] == pytest.approx(eh.macro_recall(BIRDS), abs=1e-12)  # it stays


def test_what_python_has_not_said_yet_is_dimmed(tab):
    play = tab()
    play.page.evaluate(
        "() => { const ask = fetch, waited = new Promise((go) => { window.go = go; });"
        " window.fetch = async (...all) => { await waited; return ask(...all); }; }"
    )
    play.cell(2, 2).fill("17")
    play.page.wait_for_selector("#play.stale")
    said = play.page.locator("#stale").inner_text()
    assert "the table 6 1 1; 1 5 2; 2 3 7" in said
    now = eh.macro_f1([[6, 1, 1], [1, 5, 2], [2, 3, 17]])
    play.wait_for("macro_f1", text(now))  # the browser's own is not
    opacity = "getComputedStyle(document.querySelector('#metrics td.later')).opacity"
    play.page.wait_for_function(f"() => {opacity} < 0.6")
    play.page.evaluate("go()")
    play.answered()
    assert play.page.locator("#stale, #play.stale").filter(visible=True).count() == 0


def test_a_stopped_server_is_said_in_words(tab):
    play = tab()
    play.page.route(ASKED, lambda r: r.abort())
    play.cell(2, 2).fill("17")
    play.page.get_by_text("Start it again with: evenhand serve").wait_for()
    assert play.page.locator("#play.stale").count() == 1
    play.page.unroute(ASKED)
    play.cell(2, 2).fill("18")
    play.page.wait_for_selector("#play:not(.stale)")
    assert play.page.locator("#play-error").is_hidden()
    play.said[:] = [s for s in play.said if "ERR_FAILED" not in s]


def test_an_empty_table_has_dashes(tab):
    play = tab("play?m=0,0;0,1")
    play.cell(1, 1).fill("0")
    play.page.get_by_text("An empty table has no scores.").first.wait_for()
    play.answered()
    for selector in ("#twins dd", "#metrics td.value", "#metrics td.later", "#bars [data-metric]"):
        assert set(play.page.locator(selector).all_text_contents()) == {"\u2013"}, selector
    numbers = play.page.locator("#play [data-metric]")
    assert set(numbers.evaluate_all("all => all.map(e => e.dataset.value)")) == {""}
    play.cell(1, 1).fill("1")
    play.wait_for("accuracy", "1.0000")


def test_the_first_page_has_table_slider_and_picture(tab):
    play = tab("play-as-it-is")
    assert play.cells() == FIRST
    for selector in ("#bet", "#first", "#pictures svg", "#sliders input", "#twins dd"):
        box = play.page.locator(selector).first.bounding_box()
        assert box["y"] + min(box["height"], 200) < 900, selector


@pytest.mark.parametrize("pick", ["first", "second"])
def test_whoever_bets_is_right(tab, pick):
    play = tab("play-as-it-is")
    assert play.page.locator("#bet-says").inner_text() == ""
    play.page.click(f'[data-bet="{pick}"]')
    assert play.page.locator("#bet-says").inner_text() == (
        "You are right. So is everybody who picked the other one."
    )
    assert play.cells() == [[5, 5], [10, 10]]
    assert play.cells("second") == [[1, 9], [1, 19]]
    play.page.wait_for_selector("#slopes svg")
    assert play.page.locator("#pictures svg").count() == 2
    assert "The lines cross" in play.page.locator("#slopes svg").get_attribute("aria-label")
    sums = play.page.locator("#sums").inner_text()
    assert "first table: macro F1 = (0.400 + 0.571) / 2 = 0.486" in sums
    assert "2 \u00b7 0.589 \u00b7 0.525 / (0.589 + 0.525) = 0.555" in sums
    assert tab().page.locator("#bet").is_hidden()  # a link leads to its table


def test_the_ring_is_drawn_where_the_averages_are(tab):
    play = tab()
    dots, (ring,) = (
        play.page.eval_on_selector_all(f"#pictures .{x}", AT) for x in ("class", "centre")
    )
    assert ring == pytest.approx([sum(d[i] for d in dots) / 3 for i in (0, 1)], abs=1e-9)
    play.page.locator("#sliders input").first.press("ArrowRight")
    play.page.wait_for_selector("#pictures .old")
    moved = play.page.eval_on_selector_all("#pictures .class", AT)
    for before, after in zip(dots, moved, strict=True):
        assert before[0] == pytest.approx(after[0], abs=1e-9)  # up and down only
    assert any(abs(b[1] - a[1]) > 0.01 for b, a in zip(dots, moved, strict=True))
    assert play.page.locator("#at-mix").is_visible()


def test_the_pairs_of_the_lemma_add_up_to_the_gap(tab):
    play = tab("play-as-it-is")
    titles = play.page.eval_on_selector_all("#pairs td[title]", "all => all.map(c => c.title)")
    whole = sum(float(t.rsplit(": ", 1)[1]) for t in titles)
    assert whole == pytest.approx(100 * eh.f1_gap(FIRST), abs=0.5)


def test_strips_have_an_axis_and_intervals_that_show(tab):
    play = tab()
    names = "all => all.map(b => [...b.rows].map(r => r.dataset.metric ?? r.innerText))"
    groups = play.page.eval_on_selector_all("#metrics tbody", names)
    assert {"kappa", "mcc"} <= set(groups[1]) and "macro_f1" in groups[0]
    assert "chance-corrected" in groups[1][0]
    heads = play.page.locator("#metrics .axis .ticks").all_text_contents()
    assert heads[:2] == ["00.250.50.751", "\u22121\u22120.500.51"]
    play.cell(0, 0).fill("60000")  # so many that the interval is no wider than the dot
    play.wait_for("accuracy", text(60012 / 60022))
    play.answered()
    drawn = play.page.locator('#metrics tr[data-metric="accuracy"] .track')
    band, dot = (drawn.locator(f".{part}").bounding_box() for part in ("band", "dot"))
    assert band["height"] > dot["height"]
    order = drawn.evaluate("t => [...t.children].map(c => c.classList[0])")
    assert order.index("band") > order.index("dot")


def test_cells_grow_with_their_digits(tab):
    play = tab()
    play.cell(0, 0).fill("123456789012")
    wide = play.cell(0, 0).evaluate("i => [i.scrollWidth, i.clientWidth]")
    assert wide[0] <= wide[1]


def test_forty_classes_are_shown_and_the_limit_is_named(tab):
    k = 40
    cells = [[90 if i == j else (i * j) % 4 for j in range(k)] for i in range(k)]
    rows = ";".join(",".join(map(str, row)) for row in cells)
    play = tab(f"play?m={quote(rows)}")
    assert play.page.locator("#first input").count() == 0
    assert play.page.locator("#first .heat td[title]").count() == k * k
    assert "at most 12 classes" in play.page.locator("#limit").inner_text()
    assert play.value("macro_f1") == text(eh.macro_f1(cells))
    pasted = "\n".join("\t".join(map(str, row)) for row in cells)
    other = tab()
    other.paste(other.cell(0, 0), pasted)
    other.page.wait_for_selector("#first .heat.many")


def test_classes_are_sorted(tab):
    play = tab()
    names = play.page.locator("#bars tbody th")
    assert names.all_inner_texts() == ["bird", "cat", "dog"]
    play.page.click('[data-sort="f1"]')
    assert names.all_inner_texts()[-1] == "cat"
    assert play.page.locator("#bars th[aria-sort]").get_attribute("aria-sort") == "descending"
    play.page.click('[data-sort="f1"]')
    assert names.all_inner_texts()[0] == "cat"


def test_the_grid_is_one_stop_of_tab(tab):
    play = tab()
    assert play.page.locator("#first [tabindex='0'], #first button:not([tabindex])").count() == 1
    play.cell(1, 1).focus()
    play.page.keyboard.press("Tab")
    assert not play.page.evaluate("document.activeElement.closest('#first') !== null")
    play.page.keyboard.press("Shift+Tab")
    assert play.page.evaluate("document.activeElement.dataset.at") == "1-1"


SMALL = """() => [...document.querySelectorAll('#play :is(button, input, select, summary)')]
  .filter((e) => e.offsetParent && getComputedStyle(e).visibility !== 'hidden')
  .map((e) => [e.id || e.dataset.at || e.textContent, e.getBoundingClientRect()])
  .filter(([, b]) => b.width < 24 || b.height < 24).map(([name]) => name)"""


@pytest.mark.parametrize("width", [390, 1300])
def test_targets_are_large_enough(tab, width):
    assert tab(viewport={"width": width, "height": 844}).page.evaluate(SMALL) == []


def test_forced_colours_keep_the_marks(browser, address):
    one = Tab(browser, address, forced_colors="active").open("play")
    paper = one.page.evaluate("getComputedStyle(document.body).backgroundColor")
    for selector in ("#metrics .track .dot", "#bars .dot"):
        mark = one.page.locator(selector).first
        colour = mark.evaluate("e => getComputedStyle(e).backgroundColor")
        assert colour not in (paper, "rgba(0, 0, 0, 0)")
    stroke = one.page.locator("#pictures .centre").evaluate("e => getComputedStyle(e).stroke")
    assert stroke not in (paper, "none")
    one.context.close()


def test_the_explorer_finds_no_gap_without_skew(tab):
    play = tab()
    for name in ("classSkew", "errorSkew"):
        play.page.locator(f'[data-explore="{name}"]').fill("0")
    play.page.get_by_text("0.00 points apart").wait_for()
    play.page.locator('[data-explore="errorSkew"]').fill("1")
    play.page.locator('[data-explore="k"]').fill("13")
    play.page.get_by_text("of at most 49.7").wait_for()
    assert play.page.locator("#explore-maps svg").count() == 2


def test_intervals_of_the_classes_are_drawn_on_demand(tab):
    play = tab()
    assert play.page.locator("#pictures .bound").count() == 0
    play.page.check("#bounds")
    lines = play.page.locator("#pictures .bound")
    assert lines.count() == 6
    bird = eh.score(BIRDS).classes[0].intervals["recall"]
    ends = [float(lines.first.get_attribute(x)) for x in ("x1", "x2")]
    assert (ends[1] - ends[0]) / 340 * 1.1 == pytest.approx(bird.high - bird.low, abs=1e-9)


def test_the_story_of_a_table_goes_with_it(tab):
    play = tab("play-as-it-is")
    assert "46.5 %" in play.page.locator("#says").inner_text()
    play.cell(0, 0).fill("5")
    assert play.page.locator("#says").is_hidden()
    assert play.page.locator("#preset").input_value() == ""
    play.page.click("#undo")
    assert "46.5 %" in play.page.locator("#says").inner_text()


def test_what_a_story_began_with_stays(tab):
    play = tab("play-as-it-is")
    play.cell(2, 2).fill("9")
    gain = eh.accuracy([[4, 1, 1], [6, 2, 2], [3, 0, 9]]) - eh.accuracy(FIRST)
    play.page.get_by_text(f"\u25b2 {text(gain)}").first.wait_for()
    play.paste(play.cell(0, 0), "\ta\tb\na\t3\t1\nb\t2\t4")
    play.wait_for("accuracy", "0.7000")
    play.cell(0, 0).fill("13")
    play.page.get_by_text(f"\u25b2 {text(17 / 20 - 0.7)}").first.wait_for()


def test_both_tables_move_with_the_class_mix(tab):
    """The flip of tables 1 and 2 stays at a mix: both are moved, in the picture and by Python."""
    play = tab("play-as-it-is")
    play.page.click('[data-bet="first"]')
    play.page.wait_for_selector("#duel:not([hidden])")
    dots = [play.page.eval_on_selector_all(f".picture:nth-child({i}) .class", AT) for i in (1, 2)]
    play.page.locator("#sliders input").first.fill("40")
    play.page.wait_for_function("() => document.querySelectorAll('#pictures .old').length === 4")
    for i, before in zip((1, 2), dots, strict=True):
        after = play.page.eval_on_selector_all(f".picture:nth-child({i}) .class", AT)
        for old, new in zip(before, after, strict=True):
            assert new[0] == pytest.approx(old[0], abs=1e-9)  # up and down only
        assert any(abs(old[1] - new[1]) > 1 for old, new in zip(before, after, strict=True))
    play.answered()
    mix = dict(zip("ab", (0.4, 0.6), strict=True))
    for metric in ("macro_f1", "f1_of_averages", "mcc"):
        one, two = (
            eh.shift.extrapolate(eh.Confusion.from_matrix(m, labels="ab"), to=mix)[metric].value
            for m in ([[5, 5], [10, 10]], [[1, 9], [1, 19]])
        )
        shown = play.page.locator(f'#duels [data-duel="{metric}"] td').all_inner_texts()
        assert (shown[0], shown[2]) == (text(one), text(two))
        assert shown[3] == ("first" if one > two else "second")
    crossing = play.page.locator("#slopes svg").get_attribute("aria-label")
    assert "The lines cross" in crossing
