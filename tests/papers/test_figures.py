"""Figures: data, specifications and pictures, with the printed numbers beside ours."""

import csv
import io
import json
import re
import struct

import numpy as np
import pytest
from click.testing import CliRunner

from evenhand.charts.chart import config
from evenhand.cli import group
from evenhand.papers import figures as redraw
from evenhand.papers import recompute
from evenhand.papers.claims import correlation_p_value, figure_1a, grid, peaks, spearman
from evenhand.papers.figures import figures
from evenhand.papers.overview import COLUMNS, RANKS, correlation

NAMES = [
    "000-figure-1a",
    "000-figure-1b",
    "000-figure-2a",
    "000-figure-2b",
    "000-figure-3a",
    "000-figure-3b",
    "003-figure-2",
    "003-table-5",
    "003-table-8",
]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    arguments = ["papers", "figures", "--output", str(folder), "--draws", "3", "--format", "json"]
    result = CliRunner().invoke(group, arguments)
    assert result.exit_code == 0, result.stderr
    return folder, json.loads(result.stdout)


def test_every_figure_has_data_and_a_specification(drawn):
    folder, found = drawn
    for name in NAMES:
        spec = json.loads((folder / f"{name}.vl.json").read_text())
        rows = list(csv.DictReader(io.StringIO((folder / f"{name}.csv").read_text())))
        assert len(rows) == len(spec["data"]["values"]) > 0
        assert str(folder / f"{name}.csv") in found["files"]


def test_figures_are_drawn_as_every_chart_is(drawn):
    for name in NAMES:
        spec = json.loads((drawn[0] / f"{name}.vl.json").read_text())
        assert spec["config"] == config()
        assert spec["title"]["text"] and spec["description"].endswith(".")


def test_pictures_are_drawn(drawn):
    pytest.importorskip("vl_convert")
    folder, found = drawn
    assert found["notes"] == []
    for name in NAMES:
        assert (folder / f"{name}.svg").read_text().startswith("<svg")
        picture = (folder / f"{name}.png").read_bytes()
        width, height = struct.unpack(">II", picture[16:24])
        assert picture[1:4] == b"PNG" and width > 400 and height > 200


def test_without_the_renderer_one_line_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(redraw.chart, "available", lambda: False)
    result = CliRunner().invoke(
        group, ["papers", "figures", "--output", str(tmp_path), "--draws", "1"]
    )
    assert result.exit_code == 0
    assert "vl-convert-python is not installed" in result.stderr
    assert result.stderr.count("\n") == 1
    assert not list(tmp_path.glob("*.png")) and len(list(tmp_path.glob("*.csv"))) == len(NAMES)


def test_one_figure_alone_from_a_seed(tmp_path):
    def drawn(seed):
        where = str(tmp_path / seed)
        arguments = ["papers", "figure", "3a", "--output", where, "--draws", "2", "--seed", seed]
        assert CliRunner().invoke(group, arguments).exit_code == 0
        return (tmp_path / seed / "000-figure-3a.csv").read_text()

    one, two = drawn("1"), drawn("2")
    assert one != two and one == drawn("1")
    assert {p.name.partition(".")[0] for p in (tmp_path / "1").iterdir()} == {"000-figure-3a"}


def test_a_figure_without_a_directory_is_what_is_said_of_it():
    result = CliRunner().invoke(group, ["papers", "figure", "3a"])
    assert result.exit_code == 0 and "up to 0.8 percentage points" in result.stdout


def test_figures_need_a_directory(tmp_path):
    run = CliRunner().invoke
    file = tmp_path / "file"
    file.write_text("")
    result = run(group, ["papers", "figures", "--output", str(file / "x"), "--draws", "1"])
    assert result.exit_code == 2 and "cannot be made" in result.stderr


def test_printed_statistics_stand_beside_ours(drawn):
    found = {(s["figure"], s["what"]): s for s in drawn[1]["statistics"]}
    assert found["000-figure-1a", "Pearson"]["printed"] == "0.72"
    assert found["000-figure-3b", "largest gap, points"]["printed"] == "up to 1.7"


def test_figure_1a_is_as_printed():
    runs = [figure_1a(1, run) for run in range(10)]
    assert np.mean([r["f1_of_averages"] for r in runs]) == pytest.approx(0.56, abs=0.015)
    assert np.mean([r["macro_f1"] for r in runs]) == pytest.approx(0.41, abs=0.01)
    assert np.mean([r["rms"] for r in runs]) == pytest.approx(0.13, abs=0.005)
    assert np.mean([r["pearson"] for r in runs]) == pytest.approx(0.72, abs=0.02)
    assert np.mean([r["spearman"] for r in runs]) == pytest.approx(0.69, abs=0.03)


def test_a_claim_and_its_figure_say_the_same():
    mean, single = peaks(grid(3, 4, seed=0))
    said = recompute(["000-figure-3a"]).judged[0].outcome.computed
    (statistic,) = figures(["3a"])[0].statistics
    for number in (f"{100 * mean:.2f}", f"{100 * single:.2f}"):
        assert number in said and number in statistic[2]
    assert mean == pytest.approx(0.0078, abs=0.0002)


def test_surfaces_are_in_points_as_the_text_is():
    (figure,) = figures(["3a"])
    mean, _ = peaks(grid(3, 4, seed=0))
    assert max(r["gap in points"] for r in figure.rows) == pytest.approx(100 * mean)
    assert {r["accuracy"] for r in figure.rows if r["gap in points"] == 0} == {1.0}


def test_table_5_has_the_rows_of_the_paper_and_says_where_it_differs():
    (figure,) = figures(["table", "5"])
    metrics = list(dict.fromkeys(r["metric"] for r in figure.rows))
    assert metrics == [
        "macro_recall", "macro_precision", "macro_f1", "f1_of_averages", "kappa", "mcc", "accuracy",
        "accuracy@uniform (Macro Acc.)", "micro_f1 (Micro F1)",
    ]  # fmt: skip
    assert "✓ 1/n, strict" in {r["text"] for r in figure.rows}
    assert list(figure.statistics) == [
        ("accuracy, IV invariant", "✗", "✗ (✓)"),
        ("micro_f1 (Micro F1), IV invariant", "✗", "✗ (✓)"),
    ]
    assert [r["text"] for r in figure.rows if "≠" in r["text"]] == ["✗ (✓) ≠ ✗"] * 2


def test_one_figure_is_one_picture(tmp_path):
    pytest.importorskip("vl_convert")
    path = tmp_path / "x.svg"
    result = CliRunner().invoke(group, ["papers", "000-figure-1a", "--output", str(path)])
    assert result.exit_code == 0 and path.read_text().startswith("<svg")
    assert "Spearman" in path.read_text()
    several = CliRunner().invoke(group, ["papers", "figure", "2", "--output", str(path)])
    assert several.exit_code == 2 and "name it" in several.stderr


def test_table_8_is_bold_where_the_paper_is():
    (figure,) = figures(["table", "8"])
    bold = {(r["system"], r["metric"]) for r in figure.rows if r["bold"]}
    assert len(bold) == 12 and ("E", "macro_f1") in bold and ("B", "macro_f1") not in bold


def test_peaks_of_a_grid():
    gaps = np.array([[[0.1, 0.4]], [[0.3, 0.0]], [[0.2, 0.0]]])
    assert peaks(gaps) == pytest.approx((0.2, 0.3))


def test_the_chance_of_a_correlation():
    from scipy.stats import pearsonr

    x, y = np.random.default_rng(0).normal(size=(2, 50))
    r, p = pearsonr(x, y)
    assert correlation_p_value(r, 50) == pytest.approx(p, rel=1e-9)


def test_ranks_and_correlations():
    from scipy.stats import spearmanr

    x = np.array([3.0, 1, 4, 1, 5, 9, 2, 6])
    y = np.array([2.0, 7, 1, 8, 2, 8, 1, 8])
    assert spearman(x, y) == pytest.approx(spearmanr(x, y)[0])
    assert np.allclose([correlation(c, c) for c in COLUMNS], 100)
    assert RANKS[:2, COLUMNS.index("macro_recall")].tolist() == [1.5, 1.5]


def test_colour_bars_are_labelled_at_their_ends(drawn):
    for number, name in (("2", "000-figure-2a"), ("3", "000-figure-3b")):
        specs = [
            json.loads((drawn[0] / f"000-figure-{number}{x}.vl.json").read_text()) for x in "ab"
        ]
        shade = specs[name.endswith("b")]["layer"][0]["encoding"]["fill"]
        gaps = [row[shade["field"]] for spec in specs for row in spec["data"]["values"]]
        assert len(specs[0]["encoding"]["x"]["axis"]["values"]) == 5
        assert shade["scale"]["domain"] == [0, max(gaps)]
        labelled = shade["legend"]["values"]
        assert (labelled[0], labelled[-1]) == (0, max(gaps))
        words = re.findall(r"<text[^>]*>([^<]*)</text>", (drawn[0] / f"{name}.svg").read_text())
        assert {"0.00", f"{max(gaps):.2f}"} <= set(words)


def test_one_figure_is_drawn_alone_by_its_name(tmp_path):
    arguments = ["papers", "figure", "table", "8", "--output", str(tmp_path)]
    assert CliRunner().invoke(group, arguments).exit_code == 0
    assert {p.name.partition(".")[0] for p in tmp_path.iterdir()} == {"003-table-8"}


def test_figure_1b_takes_mixes_of_ones_own(tmp_path):
    run = CliRunner().invoke
    mixes = ["--mix", "90:10", "--mix", "1:1:1"]
    where = ["--output", str(tmp_path)]
    assert run(group, ["papers", "figure", "1b", *mixes, *where]).exit_code == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "000-figure-1b.csv").read_text())))
    gaps = {}
    for row in rows:
        gaps.setdefault(row["classes"], []).append(float(row["gap"]))
    assert list(gaps) == ["2 classes, 90 : 10", "3 classes, 1 : 1 : 1"]
    uneven, even = (np.mean(x) for x in gaps.values())
    assert len(rows) == 2000 and uneven > 10 * even
    for arguments, words in (
        (
            ["figure", "2a", *mixes, *where],
            "class mixes are of 000-figure-1b, not of 000-figure-2a",
        ),
        (["figure", "1b", "--mix", "90", *where], "two shares or more"),
        (["figure", "1b", "--mix", "90:x", *where], "--mix takes A:B:… such as 70:30, got '90:x'"),
        (["figure", "1b", *mixes], "--mix draws figure 1b: say where to with --output"),
    ):
        refused = run(group, ["papers", *arguments])
        assert refused.exit_code == 2 and words in refused.stderr
