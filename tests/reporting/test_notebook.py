"""Notebooks: parts of results are tables, and nothing scrolls sideways."""

import shutil

import pytest

import evenhand as eh
from evenhand.scoring.scores import ClassScore
from tests.reporting.test_browser import browser as browser
from tests.results.samples import FRIENDLY, HOSTILE, every_result

QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
NARROW = 780
"""Pixels that an output of a notebook has on a laptop, in type of 13 pixels."""


def parts(labels):
    """Single entries of results, by name."""
    found = every_result(tuple(labels))
    first = labels[0]
    return {
        "score": found["scores"]["macro_f1"],
        "class": found["scores"].classes[0],
        "system": found["board"][first],
        "standing": found["board"][first]["macro_f1"],
        "pair": next(iter(found["comparison"].values())),
        "audited": found["audit"][first],
        "check": next(iter(found["gate"].values())),
    }


@pytest.mark.parametrize("name", parts(FRIENDLY))
def test_single_entries_are_tables(name):
    part = parts(HOSTILE)[name]
    text = part._repr_html_()
    rows = [row for row in part.grid().rows if row[0] != "signature"]  # which folds
    assert text.count("<table>") == 1 and text.count("<tr>") == 1 + len(rows)
    assert ("<details>" in text) == (name in ("score", "system"))
    assert "<script" not in text and "\x1b" not in text


def test_an_entry_has_the_facts_of_its_json():
    score = eh.score([[6, 1], [1, 5]])["macro_f1"]
    told = dict(score.grid().rows)
    assert {k: v for k, v in score.to_dict().items() if k != "method"}.items() <= told.items()
    assert told["metric"] == "macro_f1" and told["signature"] == str(score.signature)


def test_unknown_facts_are_left_out():
    bare = ClassScore("a", 1, 2, 3, 0.5, 1 / 3, 0.4)
    assert [row[0] for row in bare.grid().rows] == list(bare.to_dict())
    assert eh.score([[6, 1], [1, 5]], interval=None)["mcc"].grid().rows[1][0] == "value"


def test_metrics_stand_above_classes():
    text = eh.score([[6, 1], [1, 5]])._repr_html_()
    assert text.index("macro_f1 ") < text.index(">accuracy") < text.index(">Classes<")


def test_long_signatures_fold():
    scores = eh.score([[6, 1], [1, 5]])
    assert f"{scores.signature}</code></details>" in scores._repr_html_()


@pytest.mark.browser
@pytest.mark.parametrize("labels", [FRIENDLY, HOSTILE], ids=["friendly", "hostile"])
def test_nothing_scrolls_sideways(labels):
    playwright = pytest.importorskip("playwright.sync_api")
    found = next((p for p in map(shutil.which, ("chromium", "chromium-browser")) if p), None)
    if found is None:
        pytest.skip("no chromium: apt-get install chromium")
    shown = {**every_result(tuple(labels)), **parts(labels)}
    wide = {}
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=found, args=QUIET)
        page = browser.new_page(viewport={"width": NARROW, "height": 800})
        for name, result in shown.items():
            shell = "<!doctype html><body style='margin:0;font:13px sans-serif'>"
            page.set_content(shell + result._repr_html_())
            across = page.evaluate("document.documentElement.scrollWidth")
            wide |= {name: across} if across > NARROW else {}
        browser.close()
    assert not wide


def test_a_system_has_equal_metrics_in_one_row():
    board = eh.rank(list("abcabc"), {"A": list("abcaba"), "B": list("acbabc")}, replicates=9)
    names = [row[0] for row in board["A"].grid().rows]
    (one,) = (n for n in names if n.split(" = ")[0] == "accuracy")
    assert {"micro_f1", "micro_recall"} <= set(one.split(" = ")) and "mcc" in names


def test_facts_with_parts_say_their_numbers():
    pair = eh.compare(list("ab" * 20), list("ab" * 19 + "aa"), list("aa" * 20))["accuracy"]
    told = dict(pair.grid().rows)
    assert told["values"] == "0.9750, 0.5000" and told["p"].startswith("randomisation 0.0")


def test_twins_have_as_many_digits_as_eyes_compare():
    found = eh.twins([[8, 2], [40, 50]])._repr_html_()
    assert f"{eh.macro_f1([[8, 2], [40, 50]]):.4f}<" in found and "0.12569384" not in found


def test_intervals_have_bars_and_confusions_shades():
    text = eh.score([[60, 10], [10, 50]])._repr_html_()
    sure = eh.score([[60, 10], [10, 50]])["macro_f1"]
    low, wide = 100 * sure.low, 100 * (sure.high - sure.low)
    assert f'<b style="margin-left:{low:.1f}%;width:{wide:.1f}%"></b>' in text
    table = eh.Confusion.from_matrix([[6, 2], [0, 0]])._repr_html_()
    assert '<td class="right" style="background:rgb(43 123 208/0.45)">6</td>' in table
    assert '<td class="right" style="background:rgb(226 102 31/0.15)">2</td>' in table
    assert table.count("/0.00)") == 2  # a class that is never true


@pytest.mark.browser
@pytest.mark.parametrize(("ink", "paper"), [("#222", "#fff"), ("#ddd", "#111")])
def test_the_style_is_its_own_in_light_and_dark(browser, ink, paper):
    page = browser.new_page()
    shell = f"<!doctype html><body style='background:{paper};color:{ink}'><table><td id=x>1</table>"
    page.set_content(shell + eh.score([[60, 10], [10, 50]])._repr_html_())
    look = (
        "s => { const c = getComputedStyle(document.querySelector(s));"
        " return [c.color, c.borderBottomWidth]; }"
    )
    colour, line = page.evaluate(look, ".evenhand td")
    assert colour == page.evaluate("getComputedStyle(document.body).color") and line == "1px"
    assert page.evaluate(look, "#x")[1] == "0px"  # what is not ours stays as it is
    page.close()
