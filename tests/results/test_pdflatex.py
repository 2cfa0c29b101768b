"""Every LaTeX output in pdflatex: it compiles, and nothing stands out of the column."""

import csv
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand
from evenhand.cli import COMMANDS, group
from evenhand.results.document import Content, Table
from evenhand.results.latex import written
from evenhand.text import Grid
from tests.results.samples import FRIENDLY, HOSTILE, every_result

EXAMPLE = Path(evenhand.__file__).parents[2] / "examples" / "shared-task"
SYSTEMS = ("balanced", "detectors", "eager", "majority")
BEYOND = 5.0
"""Points that a box may be too wide or too high."""
TOO_MUCH = re.compile(r"^Overfull \\[hv]box \(([0-9.]+)pt too (?:wide|high)\)", re.M)
AVERAGES = "system,macro P,macro R,macro F1\nA,0.7,0.5,0.9\n"
PAGE = r"""\documentclass{article}
\usepackage{booktabs,graphicx}
\begin{document}
%s
\end{document}
"""

pytestmark = [
    pytest.mark.latex,
    pytest.mark.skipif(
        not shutil.which("pdflatex"), reason="apt-get install texlive-latex-recommended"
    ),
]


def compiled(text, folder):
    """What pdflatex says of a one-column article of this."""
    (folder / "page.tex").write_text(PAGE % text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120)
    log = (folder / "page.log").read_text(encoding="utf-8", errors="replace")
    errors = [line for line in log.splitlines() if line.startswith("!")]
    assert done.returncode == 0, f"{errors} in\n{text[-2000:]}"
    return [float(points) for points in TOO_MUCH.findall(log)]


@pytest.mark.parametrize("columns", [4, 8, 9, 14])
def test_a_table_fits_its_column(columns, tmp_path):
    grid = Grid([f"c{i}" for i in range(columns)], [[0.1234] * columns] * 3)
    text = written(Content("Numbers", [Table(grid)], lambda: grid))
    assert compiled(text, tmp_path) == []


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    """The example task, and the same with hostile names of classes and systems."""
    folder = tmp_path_factory.mktemp("task")
    lines = (EXAMPLE / "gold.txt").read_text().splitlines()[:400]
    other = dict(
        zip(sorted(set(lines)), [h for h in HOSTILE if h.isprintable() and h], strict=False)
    )
    for kind, names in (("plain", {v: v for v in other}), ("hostile", other)):
        there = folder / kind
        there.mkdir()
        (there / "gold.txt").write_text("".join(f"{names[v]}\n" for v in lines))
        for i, system in enumerate(SYSTEMS):
            answers = (EXAMPLE / "systems" / f"{system}.txt").read_text().splitlines()[:400]
            called = system if kind == "plain" else f"{i}_&%$#{{}}^~−日本"
            text = "".join(f"{names[v]}\n" for v in answers)
            (there / f"{called}.txt").write_text(text)
        with (there / "ratings.csv").open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["half", "gold", "last"])
            halves = [sorted(names.values())[i // 200] for i in range(400)]
            rows.writerows(zip(halves, (names[v] for v in lines), text.splitlines(), strict=True))
    (folder / "averages.csv").write_text(AVERAGES)
    return folder


def lines_of(folder, kind):
    """A command line or more for each command that has a LaTeX output."""
    gold = str(folder / kind / "gold.txt")
    systems = sorted(map(str, set((folder / kind).glob("*.txt")) - {folder / kind / "gold.txt"}))
    first, second = systems[:2]
    label = Path(gold).read_text().splitlines()[0]
    few = ["--replicates", "50"]
    ratings = str(folder / kind / "ratings.csv")
    columns = ["--true", "gold", "--pred", "last", "--by", "half", "--groups"]
    return {
        "score": [["score", gold, first], ["score", gold, first, "--all", "--explain"],
                  ["score", ratings, *columns]],
        "agree": [["agree", ratings, "--pred", "gold", "--pred", "last"]],
        "gate": [["gate", gold, first, second, "--metric", "macro_f1", "--margin", "0.05"]],
        "plan": [["plan", gold, first, second, "--margin", "0.05"]],
        "compare": [
            ["compare", gold, *systems, "--metric", "macro_f1", *few],
            ["compare", gold, first, second, "--layout", "paper", *few],
        ],
        "rank": [
            ["rank", gold, *systems, *few],
            ["rank", gold, *systems, "--layout", "paper", *few],
            ["rank", gold, *systems, "--layout", "paper", "--intervals", "small", *few],
        ],
        "calibrate": [["calibrate", gold, first]],
        "shift": [["shift", gold, first, "--to", "uniform"],
                  ["shift", gold, first, "--sweep", label],
                  ["shift", gold, first, "--unlabelled", second, *few]],
        "twins": [["twins", gold, first]],
        "look": [["look", gold]],
        "audit": [["audit", str(folder / "averages.csv")]],
        "which": [["which", "--precision", "0.725", "--recall", "0.5667", "--f1", "0.6042"]],
        "signature": [["signature", "metric:macro_f1|classes:true.3|undefined:0"]],
        "properties": [["properties", "mcc"], ["properties", "accuracy", "kappa"]],
        "papers": [["papers", "000"], ["papers", "000-theorem-2"], ["papers", "--errata"]],
        "metrics": [["metrics"], ["metrics", "macro_f1"]],
    }  # fmt: skip


WITHOUT = {"report", "count", "merge", "serve", "publish"}
"""Commands that write no LaTeX."""


def test_every_command_is_here(tmp_path):
    (tmp_path / "plain").mkdir()
    for name in ("gold", "a", "b"):
        (tmp_path / "plain" / f"{name}.txt").write_text("x\n")
    assert set(lines_of(tmp_path, "plain")) == set(COMMANDS) - WITHOUT


@pytest.mark.parametrize("kind", ["plain", "hostile"])
@pytest.mark.parametrize("command", sorted(set(COMMANDS) - WITHOUT))
def test_commands_compile(task, kind, command, tmp_path):
    for line in lines_of(task, kind)[command]:
        done = CliRunner().invoke(group, [*line, "--format", "latex"], prog_name="evenhand")
        assert done.exit_code in (0, 1) and done.stdout, (line, done.output)
        too_much = compiled(done.stdout, tmp_path)
        assert max(too_much, default=0) <= BEYOND, (line, too_much)


@pytest.mark.parametrize("labels", [FRIENDLY, HOSTILE], ids=["friendly", "hostile"])
def test_results_compile(labels, tmp_path):
    wide = {}
    for name, result in every_result(tuple(labels)).items():
        too_much = compiled(result.to_latex(), tmp_path)
        wide |= {name: too_much} if max(too_much, default=0) > BEYOND else {}
    assert not wide
