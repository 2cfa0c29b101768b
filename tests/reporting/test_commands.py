"""``evenhand report`` and ``--plot``."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from evenhand.cli import group

EXAMPLE = Path(__file__).parents[2] / "examples" / "shared-task"
GOLD, ONE, TWO = (
    str(EXAMPLE / p) for p in ("gold.txt", "systems/balanced.txt", "systems/eager.txt")
)


def run(*words):
    return CliRunner().invoke(group, list(map(str, words)))


def test_one_system(tmp_path):
    path = tmp_path / "r.html"
    done = run("report", GOLD, ONE, "--output", path, "--title", "<b>Mine</b>")
    assert done.exit_code == 0, done.output
    assert f"wrote {path}" in done.stderr
    text = path.read_text()
    assert "&lt;b&gt;Mine&lt;/b&gt;" in text
    assert 'id="scores"' in text


def test_several_systems(tmp_path):
    path = tmp_path / "r.html"
    systems = sorted((EXAMPLE / "systems").glob("*.txt"))
    done = run("report", GOLD, *systems, "--replicates", 50, "--output", path)
    assert done.exit_code == 0, done.output
    assert 'id="leaderboard"' in path.read_text()
    assert path.stat().st_size < 800_000


@pytest.mark.parametrize(
    "source",
    [
        ["--matrix", "6 1; 2 5"],
        [GOLD, ONE],
        [GOLD, ONE, TWO],
        [EXAMPLE / "all.csv", "--true", "gold", "--pred", "eager"],
        [EXAMPLE / "all.csv", "--true", "gold", "--pred", "eager", "--pred", "balanced"],
        [EXAMPLE / "all.csv", "--true", "gold", "--id", "id", "--metric", "accuracy"],
        [GOLD, ONE, "--metric", "mcc", "--undefined", "nan", "--exclude", "neutral"],
    ],
    ids=["matrix", "score", "compare", "column", "columns", "wide", "one metric"],
)
def test_markdown_of_every_input(source):
    done = run("report", *source, "--replicates", 20, "--format", "markdown", "--output", "-")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("# ")
    assert "## Method and signature" in done.stdout


def test_tables_alone(tmp_path):
    for name, system in (("a", ONE), ("b", TWO)):
        assert run("count", GOLD, system, "--output", tmp_path / f"{name}.json").exit_code == 0
    saved = [tmp_path / "a.json", tmp_path / "b.json"]
    done = run("report", "--tables", *saved, "--format", "markdown", "--output", "-")
    assert done.exit_code == 0, done.output
    assert "Tables alone say nothing of how ranks vary" in done.stdout


def test_bad_input_is_one_line(tmp_path):
    done = run("report", "--output", tmp_path / "r.html")
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "words",
    [
        ["score", GOLD, ONE],
        ["score", GOLD, ONE, "--chart", "counts"],
        ["score", GOLD, ONE, "--chart", "classes"],
        ["score", GOLD, ONE, "--chart", "gap"],
        ["score", GOLD, ONE, "--chart", "lemma"],
        ["score", GOLD, ONE, "--chart", "ring"],
        ["twins", GOLD, ONE],
        ["twins", GOLD, ONE, "--chart", "lemma"],
        ["twins", GOLD, ONE, "--chart", "ring"],
        ["compare", GOLD, ONE, TWO, "--replicates", "20"],
        ["compare", GOLD, ONE, TWO, "--replicates", "20", "--chart", "ring"],
        ["rank", GOLD, ONE, TWO, "--replicates", "20"],
        ["rank", GOLD, ONE, TWO, "--replicates", "20", "--chart", "ranks"],
        ["shift", GOLD, ONE, "--sweep", "worried", "--against", TWO],
        ["shift", GOLD, ONE, "--to", "uniform"],
        ["shift", GOLD, ONE, "--unlabelled", TWO, "--replicates", "20"],
    ],
    ids=lambda w: " ".join(x for x in w if not x.startswith("/")),
)
def test_plot_writes_a_chart_beside_the_result(tmp_path, words):
    path = tmp_path / "chart.json"
    done = run(*words, "--plot", path)
    assert done.exit_code == 0, done.output
    assert "macro_f1" in done.stdout or "macro F1" in done.stdout
    assert json.loads(path.read_text())["$schema"].startswith("https://vega.github.io")


def test_the_gap_is_drawn_over_the_classes_that_are_scored(tmp_path):
    gold, pred, path = (tmp_path / name for name in ("gold.txt", "pred.txt", "gap.json"))
    gold.write_text("a\na\na\nb\nb\nb\nc\nc\nc\n")
    pred.write_text("a\na\nb\nb\nb\nb\nc\nx\nx\n")  # x is never true
    words = ["score", gold, pred, "--chart", "gap", "--plot", path, "--format", "json"]
    for rule in ("task", "seen"):
        done = run(*words, "--average", rule)
        twins = json.loads(done.stdout)["twins"]
        said = f"mean of F1 {twins['macro_f1']:.4f}, F1 of averages {twins['f1_of_averages']:.4f}"
        assert said in json.loads(path.read_text())["description"]
    done = run(*words, "--undefined", "nan")
    assert done.exit_code == 2
    assert "only where 0/0 counts as 0" in done.stderr


def test_a_wrong_ending_is_refused_before_the_work(tmp_path):
    done = run("score", "no such file", "no such file", "--plot", tmp_path / "chart.gif")
    assert done.exit_code == 2
    assert "must end in" in done.stderr


@pytest.mark.slow
def test_twenty_systems_on_fifty_thousand_items(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 20, 50_000)
    files = []
    for i in range(21):
        p = y if i == 0 else np.where(rng.random(len(y)) < 0.6 + 0.01 * i, y, rng.permutation(y))
        files.append(tmp_path / f"{i:02d}.txt")
        files[-1].write_text("".join(f"class {c}\n" for c in p))
    done = run("report", *files, "--output", tmp_path / "r.html")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "r.html").stat().st_size < 1_500_000
