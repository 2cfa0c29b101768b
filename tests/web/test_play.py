"""Play in Chromium: every number on the page is the library's."""

import io
import json
from contextlib import redirect_stdout
from importlib.resources import files

import pytest

import evenhand as eh
from evenhand.papers import two_macro_f1
from evenhand.papers.notes import TABLE as ANIMALS
from evenhand.papers.overview import TABLE_2, TABLE_4
from evenhand.scoring.macro_f1_gap import extremal
from tests.web.browsing import BIRDS, FIRST, HOSTILE, LABELS, START, Tab, text, until

pytestmark = pytest.mark.browser
CHANGED = [[6, 1, 1], [1, 5, 2], [2, 3, 17]]


def scored(cells, labels=LABELS):
    return eh.score(eh.Confusion.from_matrix(cells, labels=labels))


def ends(s):
    return f"{text(s.low)} \u2013 {text(s.high)}"


def test_every_number_is_the_librarys(tab):
    play = tab()
    play.page.click("#all-metrics")
    found, more = scored(BIRDS), scored([[10 * x for x in row] for row in BIRDS])
    rows = play.page.locator("#metrics tbody tr[data-metric]").all()
    names = [r.get_attribute("data-metric") for r in rows]
    assert len(names) >= 14
    for name in names:
        assert play.row(name) == (
            text(found[name].value), "", ends(found[name]), ends(more[name])
        )  # fmt: skip
    shown = play.page.locator("#twins dd").all_inner_texts()
    assert shown == [text(found.twins.parts[m]) for m in ("macro_f1", "f1_of_averages", "gap")]
    (one, two, share), *_ = found.twins.pairs
    said = play.page.locator("#twins p").inner_text()
    assert said == (
        f"They differ by {text(found.twins.gap)}. {100 * share:.0f} % of that comes from "
        f"{one} and {two}."
    )
    lines = play.page.locator("#bars tbody tr").all_inner_texts()
    for line, c in zip(lines, found.classes, strict=True):
        rates = (text(x, 3) for x in (c.precision, c.recall, c.f1))
        assert line.split() == [str(c.label), *rates, f"{c.prevalence:g}"]
    for metric, value in play.page.eval_on_selector_all(
        "#play [data-metric]", "all => all.map(e => [e.dataset.metric, e.dataset.value])"
    ):
        if ":label=" not in metric and metric != "f1_gap":
            assert float(value) == pytest.approx(found[metric].value, abs=1e-12)


def test_a_cell_changes_every_metric_and_says_by_how_much(tab):
    play = tab()
    play.cell(2, 2).click()
    play.page.keyboard.type("17")
    was, now = scored(BIRDS), scored(CHANGED)
    play.wait_for("macro_f1", text(now["macro_f1"].value))
    assert play.cells() == CHANGED
    for name in ("accuracy", "macro_f1", "kappa"):
        gain = now[name].value - was[name].value
        assert play.row(name)[:2] == (text(now[name].value), f"\u25b2 {text(gain)}")
    assert play.page.locator("#first [data-all]").inner_text() == "38"
    assert play.page.locator('#first [data-sum="2"]').inner_text() == "20"


def test_accuracy_stays_while_macro_f1_falls(tab):
    play = tab()
    play.page.select_option("#preset", label="accuracy stays, macro F1 falls")
    play.answered()
    rows = {r.get_attribute("data-duel"): r for r in play.page.locator("#duels [data-duel]").all()}
    assert rows["accuracy"].locator("td").all_inner_texts()[-1] == "neither"
    assert rows["macro_f1"].locator("td").all_inner_texts()[-1] == "first"
    first, second = (
        scored(t, ["common", "rare"]) for t in ([[925, 25], [15, 35]], [[950, 0], [40, 10]])
    )
    for name, row in rows.items():
        one, _, two, prefers = row.locator("td").all_inner_texts()
        assert (one, two) == (text(first[name].value), text(second[name].value))
        gain = first[name].value - second[name].value
        assert prefers == ("neither" if abs(gain) < 1e-12 else "first" if gain > 0 else "second")
    assert "It depends on the metric" in play.page.locator("#duel-status").inner_text()


PRESETS = json.loads(files("evenhand.web").joinpath("page/presets.json").read_text("utf-8"))


@pytest.mark.parametrize("preset", PRESETS, ids=lambda p: p["name"])
def test_every_preset_shows_its_table(tab, preset):
    play = tab()
    play.page.select_option("#preset", label=preset["name"])
    found = scored(preset["first"], preset["labels"])
    play.wait_for("macro_f1", text(found["macro_f1"].value))
    assert play.cells() == preset["first"]
    assert play.labels() == preset["labels"]
    assert play.page.locator("#says").inner_text() == preset["says"]
    assert play.page.locator("#second").is_visible() == (preset["second"] is not None)
    if preset["second"] is not None:
        assert play.cells("second") == preset["second"]


def test_presets_are_the_tables_of_the_papers():
    tables = {p["name"]: (p["first"], p["second"]) for p in PRESETS}
    flip, one_kind = "tables 1 and 2: the flip", "table 3: errors of one kind, and of both"
    scaling = "prevalence scaling: b twice as frequent"
    assert tables["cat, fish, hen"][0] == ANIMALS
    assert tables[flip] == (two_macro_f1.TABLE_1, two_macro_f1.TABLE_2)
    assert tables[one_kind] == (two_macro_f1.TABLE_3, two_macro_f1.TABLE_4)
    assert tables[scaling] == (TABLE_2.tolist(), TABLE_4.tolist())
    for k in (2, 3, 4):
        assert tables[f"extremal: {k} classes"][0] == extremal(k, z=1000).cells.tolist()


def test_keys_move_as_in_a_spreadsheet(tab):
    play = tab()
    play.cell(0, 0).focus()
    press = play.page.keyboard.press

    def here():
        return play.page.evaluate("document.activeElement.dataset.at")

    for key, at in [
        ("ArrowRight", "0-1"), ("ArrowDown", "1-1"), ("Enter", "2-1"), ("Shift+Enter", "1-1"),
        ("ArrowLeft", "1-0"), ("ArrowUp", "0-0"), ("ArrowUp", "0-0"), ("ArrowLeft", "0-remove"),
        ("ArrowLeft", "0-name"), ("ArrowDown", "1-name"), ("ArrowUp", "0-name"),
        ("ArrowRight", "0-remove"), ("ArrowRight", "0-0"),
    ]:  # fmt: skip
        press(key)
        assert here() == at, key
    play.page.keyboard.type("42")
    press("Enter")
    assert (here(), play.cells()[0][0]) == ("1-0", 42)


def test_paste_from_a_spreadsheet(tab):
    play = tab()
    play.paste(play.cell(1, 1), "9\t8\n7\t6\n")
    assert play.cells() == [[6, 1, 1], [1, 9, 8], [2, 7, 6]]
    play.paste(play.cell(0, 0), "1\t2\t3\t4\n5\t6\t7\t8\n9\t10\t11\t12\n13\t14\t15\t16\n")
    wanted = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]
    assert play.cells() == wanted
    assert play.labels() == [*LABELS, "class 4"]
    play.wait_for("accuracy", text(34 / 136))
    play.paste(play.cell(0, 0), "\tham\tspam\nham\t90\t10\nspam\t5\t15\n")
    assert (play.labels(), play.cells()) == (["ham", "spam"], [[90, 10], [5, 15]])
    play.paste(play.cell(0, 0), "1 2; 3 4")
    assert play.cells() == [[1, 2], [3, 4]]
    play.paste(play.cell(0, 0), "1\tmany\n2\t3\n")
    assert "expected numbers in what is pasted, got many" in (
        play.page.locator("#play-error").inner_text()
    )
    play.paste(play.cell(1, 1), "1\t2\n3\t4\n")
    assert "does not fit here" in play.page.locator("#play-error").inner_text()
    assert play.cells() == [[1, 2], [3, 4]]


def test_undo_and_redo(tab):
    play = tab()
    assert play.page.locator("#undo").is_disabled()
    play.cell(2, 2).fill("17")
    play.page.click("#add-class")
    assert len(play.cells()) == 4
    play.page.keyboard.press("Control+z")
    assert play.cells() == CHANGED
    play.page.click("#undo")
    assert play.cells() == BIRDS
    play.wait_for("macro_f1", text(scored(BIRDS)["macro_f1"].value))
    assert play.page.locator("#undo").is_disabled()
    play.page.keyboard.press("Control+Shift+z")
    assert play.cells() == CHANGED
    play.page.click("#redo")
    assert len(play.cells()) == 4
    assert play.page.locator("#redo").is_disabled()
    play.wait_for("accuracy", text(29 / 39))


def test_a_table_between_two_slides_is_a_step_of_its_own(tab):
    play = tab()
    slider = play.page.locator('#sliders [data-class="0"]')
    slider.press("ArrowRight")
    play.page.select_option("#preset", "accuracy stays, macro F1 falls")
    slider.press("ArrowRight")
    play.page.wait_for_function("() => location.hash.includes('mix=')")
    play.page.click("#undo")
    assert play.cells() == [[925, 25], [15, 35]]
    play.page.wait_for_function("() => !location.hash.includes('mix=')")


def test_classes_are_added_renamed_and_removed(tab):
    play = tab()
    play.page.click("#add-class")
    name = play.page.get_by_label("name of class 4")
    name.fill("fish")
    name.press("Tab")
    assert play.labels() == [*LABELS, "fish"]
    play.page.get_by_label("remove class cat").click()
    assert play.labels() == ["bird", "dog", "fish"]
    assert play.cells() == [[6, 1, 0], [2, 7, 0], [0, 0, 1]]
    play.page.get_by_label("name of class 1").fill("dog")
    play.page.get_by_label("name of class 1").press("Tab")
    assert "cannot both be called dog" in play.page.locator("#play-error").inner_text()
    assert play.labels() == ["bird", "dog", "fish"]
    for _ in range(9):
        play.page.click("#add-class")
    assert len(play.labels()) == 12
    assert play.page.locator("#add-class").is_disabled()
    play.wait_for("accuracy", text(23 / 26))


@pytest.mark.parametrize("given", ["-1", "many", "1e13", "NaN"])
def test_what_is_no_count_is_said(tab, given):
    play = tab()
    play.cell(0, 0).fill(given)
    assert f"got {given}" in play.page.locator("#play-error").inner_text()
    assert play.cell(0, 0).get_attribute("aria-invalid") is not None
    play.cell(0, 0).fill("6")
    assert play.page.locator("#play-error").is_hidden()


def test_a_slider_moves_the_class_mix(tab):
    play = tab()
    slider = play.page.locator('#sliders [data-class="0"]')
    slider.focus()
    for _ in range(10):
        play.page.keyboard.press("ArrowRight")
    play.page.wait_for_function(
        "() => document.querySelector('#sliders output').textContent != '28.6 %'"
    )
    shares = play.mix()
    assert shares[0] > 0.3
    assert sum(shares) == pytest.approx(1, abs=1e-5)
    assert shares[2] / shares[1] == pytest.approx(12 / 8, rel=1e-4)
    table = eh.Confusion.from_matrix(BIRDS, labels=LABELS)
    mix = dict(zip(LABELS, shares, strict=True))
    there = eh.shift.extrapolate(table, to=mix, interval=None)
    even = eh.shift.extrapolate(table, to="uniform", interval=None)
    mixed = '#mixed [data-mixed="macro_f1"] td:nth-of-type(3)'
    wanted = text(there["macro_f1"].value)
    play.page.wait_for_function(
        "([at, v]) => document.querySelector(at).textContent === v", arg=[mixed, wanted]
    )
    for row in play.page.locator("#mixed tbody tr").all():
        name = row.get_attribute("data-mixed")
        assert row.locator("td").all_inner_texts() == [
            text(scored(BIRDS)[name].value), text(even[name].value), text(there[name].value)
        ]  # fmt: skip
    play.page.click("#as-observed")
    play.page.wait_for_function("() => !location.hash.includes('mix=')")
    play.page.click("#even")
    assert play.mix() == pytest.approx([1 / 3] * 3)


def test_an_address_holds_what_is_shown(tab):
    play = tab()
    play.page.get_by_label("name of class 1").fill("100 % & <b>%41</b>?#\u00e9")
    play.page.get_by_label("name of class 1").press("Tab")
    play.cell(2, 2).fill("17")
    play.page.check("#two")
    play.cell(0, 0, "second").fill("9")
    play.page.click("#even")
    play.page.evaluate("navigator.clipboard.writeText('')")
    play.page.click("#copy-link")
    play.page.wait_for_function("() => navigator.clipboard.readText()")
    shared = play.page.evaluate("navigator.clipboard.readText()")
    other = tab(shared.split("#", 1)[1])
    assert other.labels() == ["100 % & <b>%41</b>?#\u00e9", "cat", "dog"]
    assert other.cells() == CHANGED
    assert other.cells("second") == [[9, 1, 1], *CHANGED[1:]]
    assert other.mix() == pytest.approx([1 / 3] * 3)
    even = eh.shift.extrapolate(CHANGED, to="uniform")["macro_f1"]
    gain = even.value - scored(BIRDS)["macro_f1"].value
    assert other.row("macro_f1")[1:3] == (f"\u25b2 {text(gain)}", ends(even))


@pytest.mark.parametrize(
    "given", ["m=1,2;3", "m=1,-2;3,4", "m=x", "m=1,2;3,4&mix=2,-1", "m=" + ";".join(["1"] * 99)]
)
def test_a_bad_address_is_said_and_harmless(tab, given):
    play = tab(f"play?{given}")
    assert play.cells() == FIRST


def test_a_link_that_is_followed_while_the_page_loads(browser, address):
    play = Tab(browser, address)
    held = []
    play.page.route("**/presets.json", lambda route: held.append(route))
    play.page.goto(f"{address}#play?m=1,2;3,4")
    assert play.page.locator("#play").get_attribute("inert") is not None
    play.page.evaluate(f"location.hash = 'play?{START}'")
    until(play.page, lambda: held)
    held.pop().continue_()
    play.answered()
    assert play.cells() == BIRDS
    play.context.close()
    assert play.said == []


@pytest.mark.parametrize("goal", ["disagree", "alike"])
def test_tables_are_found(tab, goal):
    play = tab()
    play.page.select_option("#find-goal", goal)
    play.page.click("#find button")
    play.page.wait_for_selector("#second:not([hidden]) input")
    first, second = (scored(play.cells(w)) for w in ("first", "second"))
    accuracy = first["accuracy"].value - second["accuracy"].value
    macro = first["macro_f1"].value - second["macro_f1"].value
    if goal == "alike":
        assert accuracy == pytest.approx(0, abs=1e-12)
        assert macro > 0.1
    else:
        assert accuracy > 0.02
        assert macro < -0.02


def test_taking_it_along(tab):
    play = tab()
    play.cell(2, 2).fill("17")
    found = scored(CHANGED)
    for form, name, wanted in (
        ("csv", "scores.csv", found.to_csv()),
        ("latex", "scores.tex", found.to_latex()),
        ("markdown", "scores.md", found.to_markdown()),
    ):
        named, content = play.download(f'#take [data-form="{form}"]')
        assert (named, content.decode()) == (name, wanted)
    assert play.download('#take [data-form="png"]')[1].startswith(b"\x89PNG")
    assert play.download('#take [data-form="svg"]')[1].startswith(b"<svg")


def test_the_python_gives_the_same_numbers(tab):
    play = tab()
    name = play.page.get_by_label("name of class 1")
    name.fill('a "quote", a \\ and \'')
    name.press("Tab")
    play.page.check("#two")
    play.page.click("#even")
    play.wait_for("macro_f1", text(eh.shift.extrapolate(BIRDS, to="uniform")["macro_f1"].value))
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(play.page.locator("#code").inner_text(), {})
    labels = ['a "quote", a \\ and \'', "cat", "dog"]
    table = eh.Confusion.from_matrix(BIRDS, labels=labels)
    even = eh.shift.extrapolate(table, to=dict.fromkeys(labels, 1 / 3)).to_markdown()
    both = 2 * f"{eh.score(table).to_markdown()}\n"
    assert printed.getvalue() == both + 2 * f"{even}\n"
    assert play.value("macro_f1") in even


def test_a_hostile_label_stays_text(tab):
    play = tab()
    name = play.page.get_by_label("name of class 1")
    name.fill(HOSTILE)
    name.press("Tab")
    play.page.check("#two")
    play.page.click("#even")
    play.page.wait_for_selector("#duel:not([hidden])")
    play.answered()
    assert play.labels()[0] == HOSTILE
    assert play.page.locator("img").count() == 0
    assert HOSTILE in play.page.locator("#bars").inner_text()
