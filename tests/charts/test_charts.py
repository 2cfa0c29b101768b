"""Charts: each draws, says what it shows, saves in every format, and cuts or obeys no label."""

import html
import json
import math
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import evenhand as eh
from evenhand.charts.chart import ENDINGS, NARROW, WIDE, inches, names
from evenhand.errors import InputError
from evenhand.ranking.leaderboard import Standing
from evenhand.results.page import DARK, LIGHT, figure
from tests.reporting.data import HOSTILE, board, charts, sample, table

ROOT = Path(__file__).parents[2]
KINDS = list(charts())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hostile", [False, True], ids=["plain", "hostile"])
def test_every_chart_draws_and_says_what_it_shows(kind, hostile):
    chart = charts(hostile)[kind]
    assert isinstance(chart, eh.plot.Chart)
    assert chart.title
    assert chart.description.endswith(".")
    drawn = chart.to_svg()
    assert drawn.startswith("<svg")
    assert drawn.count("<title>") > 0  # marks say in words what they stand for
    assert "NaN" not in drawn
    assert "style=" not in drawn  # a strict policy would drop it


@pytest.mark.parametrize("kind", KINDS)
def test_a_specification_is_plain_json_and_survives_it(kind):
    chart = charts(True)[kind]
    assert json.loads(chart.to_json()) == json.loads(json.dumps(chart.to_dict()))
    assert "data" in json.dumps(chart.spec)
    assert "http" not in json.dumps(chart.spec)


def drawn_words(svg):
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def test_no_label_is_cut_or_lost():
    drawn = set(drawn_words(charts()["confusion"].to_svg()))
    assert {f"class {i}" for i in range(4)} <= drawn
    drawn = drawn_words(charts(True)["leaderboard"].to_svg())
    assert len([w for w in drawn if "xxx…xxx" in w]) == 2  # two long names stay two
    assert "…" in names(["x" * 200])[0]


def test_words_in_a_drawing_are_left_alone():
    labels = ['v 1.23456 "#ffffff" aria-hidden="true"', "b"]
    drawn = eh.plot.confusion(eh.Confusion.from_labels(labels, labels)).to_svg()
    words = [html.unescape(w) for w in drawn_words(drawn)]
    assert words.count(names(labels, 24)[0]) == 2
    found = re.findall("<title>(.*?)</title>", charts()["leaderboard"].to_svg())
    assert any(re.search(r"rank 1, 0\.\d{4} \[0\.\d{4}, 0\.\d{4}\]", words) for words in found)


def test_names_stay_apart():
    found = names([*HOSTILE, "a (2)", "a"])
    assert len(set(found)) == len(found)
    assert all(v and v.isprintable() for v in found)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_chart_saves_by_its_ending(tmp_path, ending):
    path = tmp_path / f"chart{ending}"
    charts()["confusion"].save(path)
    starts = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF", ".json": b"{"}
    assert path.read_bytes().startswith(starts.get(ending, b"<!doctype html>"))


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"must end in \.svg, .*got '.*chart.gif'"):
        charts()["confusion"].save(tmp_path / "chart.gif")
    with pytest.raises(InputError, match="cannot be written"):
        charts()["confusion"].save(tmp_path / "nowhere" / "chart.json")


def test_a_page_asks_no_more_of_a_chart_than_it_says():
    stub = SimpleNamespace(
        title="<T>", note="<n>", description="a & b", inline="<svg id={}/>".format
    )
    found = figure(stub, "c1")
    assert '<p class="title">&lt;T&gt;</p><p class="note">&lt;n&gt;.</p>' in found
    assert "<svg id=c1/>" in found and "<figcaption>a &amp; b</figcaption>" in found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hostile", [False, True], ids=["plain", "hostile"])
def test_every_chart_is_drawn_for_a_page_and_for_a_phone(kind, hostile):
    drawn = charts(hostile)[kind].inline("c")
    wide, narrow = (float(w) for w in re.findall(r'viewBox="0 0 ([\d.]+)', drawn))
    assert wide <= WIDE.width * 1.06
    assert narrow <= NARROW.width * 1.06  # so that type is hardly shrunk where it is shown
    assert len(re.findall(r"<svg [^>]*class=\"(?:wide|narrow)\"", drawn)) == 2


def scored(*values, **fields):
    standings = [Standing(v, low=v - 0.01, high=v + 0.01, rank=i + 1) for i, v in enumerate(values)]
    systems = tuple(
        replace(board().systems[0], name=f"s{i}", standings={"macro_f1": x})
        for i, x in enumerate(standings)
    )
    return replace(board(), systems=systems, metrics=("macro_f1",), baselines={}, **fields)


def test_the_axis_has_every_system():
    values = (0.83, 0.82, 0.14, float("nan"))
    chart = eh.plot.leaderboard(scored(*values))
    rows = chart.spec["data"]["values"]
    assert [row["value"] for row in rows] == [0.83, 0.82, 0.14, None]
    assert [row["text"] for row in rows] == ["0.830", "0.820", "0.140", "undefined"]


def test_beyond_the_alphabet_letters_are_told_apart_too():
    found = scored(0.9, 0.8, 0.7)
    groups = ("(53)", "(53)(54)", "(54)")
    systems = tuple(
        replace(s, standings={"macro_f1": replace(s.standings["macro_f1"], group=g)})
        for s, g in zip(found.systems, groups, strict=True)
    )
    rows = eh.plot.leaderboard(replace(found, systems=systems)).spec["data"]["values"]
    assert [row["tied"] for row in rows] == [True, True, False]


def test_metrics_that_order_alike_are_drawn_once():
    found = eh.plot.ranks(board(), board().metrics)
    names = found.spec["encoding"]["x"]["scale"]["domain"]
    assert len(names) == len(board().orders)
    assert sum(int((re.search(r"\(\+(\d+)\)", n) or [0, 0])[1]) + 1 for n in names) == len(
        board().metrics
    )
    assert "are one: " in found.description


def test_a_notebook_gets_a_specification_and_a_drawing():
    bundle = charts()["gap"]._repr_mimebundle_()
    assert set(bundle) == {"application/vnd.vegalite.v5+json", "image/svg+xml", "text/plain"}


def test_without_the_converter_an_error_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(InputError, match=r"pip install 'evenhand\[plot\]'"):
        charts()["gap"].to_svg()
    assert charts()["gap"].to_json()


def test_a_wide_table_becomes_its_largest_confusions():
    y = np.arange(60).repeat(3)
    found = eh.plot.confusion(eh.Confusion.from_labels(y, np.roll(y, 1)))
    assert found.title == "Largest confusions"
    fifty = eh.plot.confusion(eh.Confusion.from_labels(y[:150], np.roll(y[:150], 1)))
    assert fifty.title.startswith("Confusions")
    words = drawn_words(fifty.to_svg())
    assert all(words.count(str(i)) == 2 for i in range(50))


@pytest.mark.parametrize(
    ("by", "text"), [("true", "75"), ("pred", "60"), ("all", "30"), (None, "3")]
)
def test_normalising_is_by_row_column_or_all(by, text):
    chart = eh.plot.confusion([[3, 1], [2, 4]], normalise=by)
    first = chart.spec["data"]["values"][0]
    assert (first["true"], first["pred"], first["text"]) == ("0", "0", text)


def test_predictions_outside_have_a_column():
    chart = eh.plot.confusion(eh.Confusion.from_labels(["a", "b"], ["a", None]))
    assert "no class" in chart.spec["layer"][0]["encoding"]["x"]["scale"]["domain"]


def test_a_confusion_has_square_cells_hits_apart_from_errors_and_its_margins():
    chart = eh.plot.confusion([[6, 2], [1, 11]])
    assert chart.spec["width"] == chart.spec["height"]
    cells, true, pred = chart.spec["layer"]
    colour = cells["layer"][1]["encoding"]["fill"]
    assert colour["condition"] == {"test": "datum.hit", "value": LIGHT["blue"]}
    assert colour["value"] == LIGHT["orange"]
    rows = {(v["true"], v["pred"]): v for v in chart.spec["data"]["values"]}
    assert rows["0", "1"]["shade"] == pytest.approx(2 / 8)
    assert [rows["0", "0"]["hit"], rows["0", "1"]["hit"]] == [True, False]
    bars = [[v["size"] for v in side["data"]["values"]] for side in (true, pred)]
    assert bars[0][0] / bars[0][1] == pytest.approx(8 / 12)
    assert bars[1][0] / bars[1][1] == pytest.approx(7 / 13)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", ["column", "page", "3.3in", "84 mm"])
def test_a_chart_for_a_paper_is_as_wide_as_asked_and_its_type_has_eight_points(kind, width):
    chart = charts()[kind]
    drawn = chart.to_svg(width=width)
    size = re.search(r'width="([\d.]+)in" height="[\d.]+in" viewBox="[-\d.]+ 0 ([\d.]+) ', drawn)
    wide, pixels = map(float, size.groups())
    assert wide == pytest.approx(inches(width), rel=1e-5)
    points = {float(s) * wide / pixels * 72 for s in re.findall(r'font-size="([\d.]+)px"', drawn)}
    assert list(points) == [pytest.approx(8, rel=0.005)]
    assert chart.title not in drawn


def test_a_chart_for_a_paper_has_its_size_in_pdf_and_png():
    chart = charts()["confusion"]
    box = re.search(rb"MediaBox \[0 0 ([\d.]+) ", chart.to_pdf(width="3.3in"))[1]
    assert float(box) == pytest.approx(3.3 * 72)
    wide = int.from_bytes(chart.to_png(width="3.3in")[16:20], "big")  # of a PNG's header
    assert wide == pytest.approx(3.3 * 600, abs=2)


@pytest.mark.parametrize("width", ["", "wide", "1in", "3.3", "3.3.3in", "-3in", "900cm"])
def test_a_width_that_is_none_is_refused(width, tmp_path):
    with pytest.raises(InputError, match="a width must be column, page, or 2 to 20 inches"):
        charts()["gap"].to_svg(width=width)
    with pytest.raises(InputError, match=r"\.html has no width"):
        charts()["gap"].save(tmp_path / "a.html", width="page")


def test_differences_say_which_side_is_better_for_whom():
    drawn = eh.plot.differences(eh.compare(list("aabbab"), list("aabbaa"), list("ababab")))
    assert "\u2190 B better \u00b7 A better \u2192" in json.dumps(drawn.spec, ensure_ascii=False)
    lost = eh.compare(
        [0, 0, 1, 1], [0, 0, 1, 0], [0, 1, 0, 1], metrics="macro_absolute_error", distance="ordinal"
    )
    assert "better" not in json.dumps(eh.plot.differences(lost).spec)


def test_reliability_counts_the_probabilities():
    chances = [0.01, 0.02, 0.97]
    drawn = eh.plot.reliability(eh.Sample.from_probabilities([0, 1, 1], {"A": chances}))
    counts = [row["n"] for row in drawn.spec["vconcat"][1]["data"]["values"]]
    assert sum(counts) == 3 and (counts[0], counts[-1]) == (2, 1)  # those of the second class


def test_a_precision_ends_where_nothing_is_predicted():
    p = [[0.9, 0.1], [0.7, 0.3], [0.6, 0.4], [0.2, 0.8], [0.1, 0.9], [0.4, 0.6]]
    found = eh.thresholds([0, 0, 1, 1, 1, 0], p, labels=[0, 1], label=1)
    rows = eh.plot.thresholds(found).spec["data"]["values"]
    last = {row["series"]: row["value"] for row in rows if row["at"] == 1.0}
    assert last["Precision of 1"] is None and last["Recall of 1"] == 0


def test_equal_ranks_get_places_of_their_own():
    chart = eh.plot.ranks(board())
    by: dict[str, list[int]] = {}
    for row in chart.spec["data"]["values"]:
        by.setdefault(row["metric"], []).append(row["place"])
    assert all(sorted(places) == [1, 2, 3, 4, 5] for places in by.values())


@pytest.mark.parametrize(
    "call",
    [
        lambda: eh.plot.confusion(sample().tables()),
        lambda: eh.plot.confusion(table(), normalise="rows"),
        lambda: eh.plot.leaderboard(table()),
        lambda: eh.plot.leaderboard(board(), "nothing"),
        lambda: eh.plot.ranks(board(), ["nothing"]),
        lambda: eh.plot.ranks(board(), 0.5),
        lambda: eh.plot.prevalence(table()),
        lambda: eh.plot.classes(table(), limit=0),
        lambda: eh.plot.confusions(table(), limit=0),
        lambda: eh.plot.panel(sample(), systems=["nobody"]),
    ],
)
def test_what_a_chart_cannot_show_is_an_error(call):
    with pytest.raises(InputError):
        call()


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_are_told_from_the_page(theme):
    paper = luminance(theme["paper"])
    for role in set(theme) - {"paper", "line", "grey"}:
        a, b = sorted([luminance(theme[role]), paper])
        assert (b + 0.05) / (a + 0.05) >= 4.5, role


def test_pictures_of_the_readme_can_be_read_at_800_pixels():
    """Those of the first pages: README's, which has its picture of the web page too, and docs'."""
    pages = [ROOT / "README.md", ROOT / "docs" / "index.md"]
    lines = [(p, x) for p in pages for x in p.read_text(encoding="utf-8").splitlines()]
    shown = [(page, x) for page, x in lines if "pictures/" in x and ".svg)" in x]
    assert shown
    for page, line in shown:
        assert line.startswith("![")  # in a table it would have half the width
        drawn = (page.parent / re.search(r"\((.*?)\)", line)[1]).read_text(encoding="utf-8")
        wide = float(re.search(r'<svg[^>]* width="([\d.]+)"', drawn)[1])
        sizes = [float(s) for s in re.findall(r'font-size="([\d.]+)px"', drawn)]
        assert min(sizes) * min(1, 800 / wide) >= 11


def rows_of(chart, field="metric"):
    """The names of the rows of a chart, in their order."""
    return list(dict.fromkeys(v[field] for v in chart.spec["data"]["values"]))


def test_metrics_have_the_names_that_people_know():
    assert eh.plot.leaderboard(board()).title == "Systems by macro F1"
    assert "Macro F1, 95 % intervals" in eh.plot.leaderboard(board()).to_json()
    assert rows_of(eh.plot.ranks(board()))[0] == "Macro F1 (+8)"
    assert "macro_f1" not in eh.plot.ranks(board()).to_json()


def test_equal_differences_have_one_row_and_gains_none():
    chart = eh.plot.differences(eh.compare(sample(systems=2), replicates=50))
    zero, rows = chart.spec["layer"]
    assert zero["data"]["values"] == [{"at": 0}] and "y" not in zero["encoding"]
    shown = rows["encoding"]["y"]["scale"]["domain"]
    assert shown[0] == "Macro F1" and "Bookmaker gain" not in shown
    assert set(rows_of(chart)) == set(shown)
    (accuracy,) = (name for name in shown if name.startswith("Accuracy"))
    assert accuracy.startswith("Accuracy (+") and "accuracy = micro" in chart.description


def test_equal_metrics_of_another_mix_have_one_row():
    chart = eh.plot.mixes(eh.shift.extrapolate([[80, 20], [10, 90]], to="0=0.1,1=0.9"))
    assert sum(name.startswith(("Accuracy", "Micro")) for name in rows_of(chart)) == 1


def test_the_weakest_class_is_one_whose_f1_is_defined():
    seen = eh.Confusion.from_labels(list("aabb"), list("abbb"), labels=list("xab"))
    scores = eh.score(seen, undefined=math.nan, metrics="macro_f1")
    said = "The lowest F1 is 0.667, that of a (2 true items). It has 50 % of the items."
    assert eh.plot.classes(scores).description == said
    first = eh.plot.classes(scores, limit=2).spec["data"]["values"]
    assert [row["label"] for row in first] == ["a"] * 3 + ["b"] * 3
    nothing = eh.MultiLabel.from_indicators([[0, 0]], [[0, 0]])
    never = eh.score(nothing, undefined=math.nan, metrics="macro_f1")
    assert eh.plot.classes(never).description == "No F1 is defined here."


def test_a_share_of_the_items_is_not_said_of_weights():
    scores = eh.score(list("aabb"), list("abbb"), weights=[10, 10, 10, 30.0], metrics="macro_f1")
    assert eh.plot.classes(scores).description == (
        "The lowest F1 is 0.667, that of a (20 true items)."
    )


def test_a_sweep_is_said_without_where_it_is_undefined():
    how = {"label": 0, "metrics": ["f1:label=0"], "undefined": math.nan}
    found = eh.shift.sweep([[80, 20], [0, 100]], at=[0, 0.5, 1], **how)
    said = eh.plot.prevalence(found).description
    assert said.endswith("F1 of 0 lies between 0.8889 and 0.8889.")
    nowhere = eh.shift.sweep([[80, 20], [0, 100]], at=[0], **how)
    assert eh.plot.prevalence(nowhere).description.endswith("F1 of 0 is undefined at every share.")


def test_a_gap_of_no_pairs_is_refused_for_what_it_is():
    with pytest.raises(InputError, match="limit must be a whole number ≥ 1, got 0"):
        eh.plot.gap(table(), limit=0)


def test_a_curve_is_named_alone_or_in_a_list():
    found = eh.shift.sweep([[80, 20], [10, 90]], label=0, metrics=["accuracy", "mcc"])
    assert eh.plot.prevalence(found, "mcc") == eh.plot.prevalence(found, ["mcc"])


def test_the_cells_of_the_lemma_add_up_to_the_gap():
    cells = [[60, 1, 1, 8], [12, 5, 2, 3], [2, 3, 70, 20], [1, 1, 1, 9]]
    heat, square = eh.plot.lemma(cells).spec["hconcat"]
    rows = heat["data"]["values"]
    assert len(rows) == 12
    largest = max(float(row["text"]) for row in rows)
    whole = sum(row["shade"] for row in rows) / max(row["shade"] for row in rows) * largest
    assert whole == pytest.approx(100 * eh.f1_gap(cells), rel=0.01)
    points = {row["label"]: (row["p"], row["r"]) for row in square["data"]["values"]}
    assert points["1"] == pytest.approx((5 / 10, 5 / 22))
    with pytest.raises(InputError, match="only where 0/0 counts as 0"):
        eh.plot.lemma(cells, undefined=1)


def squares(chart, narrow=False):
    spec = chart.narrow if narrow else chart.spec
    return spec["vconcat" if narrow else "hconcat"]


def test_the_ring_is_the_average_of_the_dots():
    cells = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
    (square,) = squares(eh.plot.ring(cells))
    dots = square["data"]["values"]
    assert [d["r"] for d in dots] == pytest.approx([6 / 8, 5 / 8, 7 / 12])
    assert [d["p"] for d in dots] == pytest.approx([6 / 9, 5 / 9, 7 / 10])
    assert dots[2]["area"] / dots[0]["area"] == pytest.approx(12 / 8)
    layers = {str(x["mark"].get("strokeWidth")): x["data"]["values"] for x in square["layer"]
              if "data" in x}  # fmt: skip
    (centre,) = layers["4"]
    for axis in "rp":
        assert centre[axis] == pytest.approx(sum(d[axis] for d in dots) / 3, abs=1e-15)
    curves = {}
    for row in layers["2"]:
        f1 = 2 * row["r"] * row["p"] / (row["r"] + row["p"])
        curves.setdefault(row["curve"].split(":")[0], f1)
        assert f1 == pytest.approx(curves[row["curve"].split(":")[0]], abs=1e-12)
    assert curves["macro F1"] == pytest.approx(eh.macro_f1(cells), abs=1e-12)
    assert curves["F1 of averages"] == pytest.approx(eh.f1_of_averages(cells), abs=1e-12)


def test_the_dots_are_the_classes_that_are_averaged():
    table = eh.Confusion.from_labels(list("aabbb"), list("abbbx"))  # x is never true
    assert len(squares(eh.plot.ring(table))[0]["data"]["values"]) == 2
    assert len(squares(eh.plot.ring(table, classes="seen"))[0]["data"]["values"]) == 3
    first, second = squares(eh.plot.ring(table, table, systems=("A", "B")))
    assert (first["title"]["text"][0], second["title"]["text"][0]) == ("A", "B")


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("k", [2, 12, 40])
def test_names_at_the_ring_do_not_overlap(k, narrow):
    """Nor hide a dot; the lowest and the highest F1 are named."""
    random = np.random.default_rng(k)
    cells = random.poisson(3, (k, k)) + np.diag(random.integers(5, 200, k))
    table = eh.Confusion.from_matrix(cells, labels=[f"class {i}" for i in range(k)])
    (square,) = squares(eh.plot.ring(table), narrow)
    side, dots = square["width"], square["data"]["values"]
    (words,) = (
        x["data"]["values"] for x in square["layer"]
        if x["mark"]["type"] == "text" and str(x["data"]["values"][:1]).count("class")
    )  # fmt: skip
    assert len(words) >= min(k, 3)
    boxes = [(side * w["r"] / 1.1, side * w["p"] / 1.1, 3.3 * len(w["text"]), 6) for w in words]
    for i, (x, y, w, h) in enumerate(boxes):
        for u, v, wide, high in boxes[:i]:
            assert abs(x - u) >= w + wide or abs(y - v) >= h + high
        for d in dots:
            radius = (d["area"] / np.pi) ** 0.5 - 0.5
            across = abs(x - side * d["r"] / 1.1) - w
            assert max(across, abs(y - side * d["p"] / 1.1) - h) >= radius
    f1 = [2 * d["r"] * d["p"] / ((d["r"] + d["p"]) or 1) for d in dots]
    if k < 40:
        for i in (np.argmin(f1), np.argmax(f1)):
            assert f"class {i}" in {w["text"] for w in words}


def test_the_ring_refuses_what_are_no_names_or_flags():
    table = eh.Confusion.from_matrix([[2, 1], [1, 2]])
    for systems, said in ((None, "a list of names"), (["A"], "name both tables, got 1 name")):
        with pytest.raises(eh.EvenhandError, match=f"systems must .*{said}"):
            eh.plot.ring(table, table, systems=systems)
    with pytest.raises(eh.EvenhandError, match="intervals must be True or False"):
        eh.plot.ring(table, intervals=np.zeros((1, 2, 2)))


def test_the_ring_takes_labels_alone():
    soft = eh.Confusion.from_probabilities(
        list("aba"), [[0.7, 0.3], [0.4, 0.6], [0.5, 0.5]], labels="ab"
    )
    with pytest.raises(TypeError, match="got expected counts of probabilities; predictions"):
        eh.plot.ring(soft)
    assert "expected macro F1" in eh.report(soft).to_markdown()
