"""No command writes over what it reads, however the two are named."""

import os
import shutil

import pytest

from evenhand.cli import COMMANDS, every_command
from evenhand.cli import options as names

ROWS = "id,gold,a,b,team,weight\n1,x,x,y,t,1\n2,y,y,y,t,2\n3,x,y,x,t,1\n4,y,y,x,t,1\n"
LONG = "id,gold,label,team\n" + "".join(
    f"{i},{gold},{pred},{team}\n"
    for team in "ts"
    for i, (gold, pred) in enumerate(["xx", "yy", "xy", "yx"])
)
COLUMNS = ("--true", "gold", "--pred", "a")
BOTH = ("--true", "gold", "--pred", "a", "--pred", "b")
DRAWN = ("--replicates", "20")

READ = {
    "score lines": (("score", "gold.txt", "a.txt"), ("gold.txt", "a.txt")),
    "score columns": (("score", "rows.csv", *COLUMNS), ("rows.csv",)),
    "score pattern": (("score", "row?.csv", *COLUMNS), ("rows.csv",)),
    "score saved": (("score", "saved.json"), ("saved.json",)),
    "score matrix": (("score", "--matrix", "matrix.txt"), ("matrix.txt",)),
    "score map": (("score", "gold.txt", "a.txt", "--map", "map.csv"), ("map.csv",)),
    "score items": (
        ("score", "rows.csv", *COLUMNS, "--cluster", "team", "--interval", "none"),
        ("rows.csv",),
    ),
    "compare": (("compare", "gold.txt", "a.txt", "b.txt", *DRAWN), ("gold.txt", "a.txt", "b.txt")),
    "compare columns": (("compare", "rows.csv", *BOTH, *DRAWN), ("rows.csv",)),
    "compare map": (
        ("compare", "gold.txt", "a.txt", "b.txt", "--map", "map.csv", *DRAWN),
        ("map.csv",),
    ),
    "gate": (
        ("gate", "gold.txt", "a.txt", "b.txt", "--margin", "0.9"),
        ("gold.txt", "a.txt", "b.txt"),
    ),
    "gate columns": (("gate", "rows.csv", *BOTH, "--margin", "0.9"), ("rows.csv",)),
    "plan": (("plan", "gold.txt", "a.txt", "--width", "0.1"), ("gold.txt", "a.txt")),
    "plan matrix": (("plan", "--matrix", "matrix.txt", "--width", "0.1"), ("matrix.txt",)),
    "rank": (("rank", "gold.txt", "a.txt", "b.txt", *DRAWN), ("gold.txt", "a.txt", "b.txt")),
    "rank wide": (("rank", "rows.csv", *BOTH, *DRAWN), ("rows.csv",)),
    "rank long": (
        ("rank", "long.csv", "--true", "gold", "--pred", "label", "--system", "team", *DRAWN),
        ("long.csv",),
    ),
    "rank tables": (
        ("rank", "--tables", "saved.json", "matrix.txt", *DRAWN),
        ("saved.json", "matrix.txt"),
    ),
    "report one": (
        ("report", "gold.txt", "a.txt", "--format", "markdown"),
        ("gold.txt", "a.txt"),
    ),
    "report several": (
        ("report", "gold.txt", "a.txt", "b.txt", "--format", "markdown", *DRAWN),
        ("gold.txt", "a.txt", "b.txt"),
    ),
    "report matrix": (
        ("report", "--matrix", "matrix.txt", "--format", "markdown"),
        ("matrix.txt",),
    ),
    "calibrate": (("calibrate", "gold.txt", "a.txt"), ("gold.txt", "a.txt")),
    "calibrate mix": (("calibrate", "gold.txt", "a.txt", "--to", "mix.csv"), ("mix.csv",)),
    "shift mix": (("shift", "gold.txt", "a.txt", "--to", "mix.csv"), ("gold.txt", "mix.csv")),
    "shift sweep": (
        ("shift", "gold.txt", "a.txt", "--sweep", "x", "--against", "b.txt"),
        ("gold.txt", "a.txt", "b.txt"),
    ),
    "shift estimate": (
        ("shift", "gold.txt", "a.txt", "--unlabelled", "new.txt", *DRAWN),
        ("gold.txt", "new.txt"),
    ),
    "shift trained": (
        ("shift", "gold.txt", "a.txt", "--unlabelled", "new.txt", "--trained-on", "mix.csv"),
        ("mix.csv",),
    ),
    "twins": (("twins", "gold.txt", "a.txt"), ("gold.txt", "a.txt")),
    "twins matrix": (("twins", "--matrix", "matrix.txt"), ("matrix.txt",)),
    "count": (("count", "gold.txt", "a.txt"), ("gold.txt", "a.txt")),
    "count columns": (("count", "rows.csv", "more.csv", *COLUMNS), ("rows.csv", "more.csv")),
    "count pattern": (("count", "[mr]o*.csv", *COLUMNS), ("more.csv", "rows.csv")),
    "count map": (("count", "gold.txt", "a.txt", "--map", "map.csv"), ("map.csv",)),
    "merge": (("merge", "saved.json", "other.json"), ("saved.json", "other.json")),
    "look": (("look", "rows.csv"), ("rows.csv",)),
    "audit": (("audit", "reported.csv"), ("reported.csv",)),
    "agree": (("agree", "rows.csv", "--pred", "gold", "--pred", "a"), ("rows.csv",)),
}
NOTHING_TO_READ = {"which", "properties", "signature", "papers", "metrics", "serve"}
INTO_A_FOLDER = {"publish"}
PLOTTED = [name for name in READ if name.split()[0] in ("score", "compare", "rank", "shift")]


@pytest.fixture(autouse=True)
def files(here, write, run):
    for name, text in {
        "gold.txt": "x\ny\nx\ny\n",
        "a.txt": "x\ny\ny\ny\n",
        "b.txt": "y\ny\nx\nx\n",
        "x.txt": "x\n",
        "y.txt": "x\n",
        "new.txt": "x\nx\ny\n",
        "rows.csv": ROWS,
        "more.csv": ROWS,
        "long.csv": LONG,
        "matrix.txt": "x y\n6 1\n1 5\n",
        "map.csv": "x,X\n",
        "mix.csv": "x,0.25\ny,0.75\n",
        "reported.csv": "name,macro_f1\nA,0.5\n",
    }.items():
        write(name, text)
    (here / "folder").mkdir()
    assert run("count", "gold.txt", "a.txt", "--output", "saved.json").exit_code == 0
    assert run("count", "x.txt", "y.txt", "--output", "other.json").exit_code == 0


def everything(folder):
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_every_command_is_here():
    assert {name.split()[0] for name in READ} == (set(COMMANDS) - NOTHING_TO_READ - INTO_A_FOLDER)


def test_every_word_for_a_file_is_known_as_one():
    for name, command in every_command():
        for param in command.params:
            described = f"{param.metavar} {' '.join(param.opts)}"
            renewed = param.name == "baseline_out"  # which may be the baseline that was read
            if not renewed and any(word in described for word in ("FILE", "GOLD", "TABLE")):
                assert isinstance(param.type, names.InputPath | names.OutputPath), (
                    name,
                    param.name,
                )


@pytest.mark.parametrize("name", READ)
def test_an_input_is_not_overwritten(name, run, fails, here):
    arguments, inputs = READ[name]
    for path in inputs:
        before = everything(here)
        for spelled in (path, f"./{path}", f"folder/../{path}", str(here / path)):
            message = f"{spelled} is one of the files to read: name another to write"
            assert fails(*arguments, "--output", spelled) == message
        (here / "soft").symlink_to(here / path)
        os.link(here / path, here / "hard")
        for spelled in ("soft", "hard"):
            message = f"{spelled} is one of the files to read: name another to write"
            assert fails(*arguments, "--output", spelled) == message
        os.unlink("soft")
        os.unlink("hard")
        assert everything(here) == before
    assert run(*arguments, "--output", "fresh.json").exit_code in (0, 1)


@pytest.mark.parametrize("name", PLOTTED)
def test_a_chart_does_not_replace_an_input(name, fails, here):
    arguments, inputs = READ[name]
    for path in inputs:
        shutil.copy(path, "kept")
        os.link(path, "chart.svg")
        message = "chart.svg is one of the files to read: name another to write"
        assert fails(*arguments, "--plot", "chart.svg") == message
        assert (here / path).read_bytes() == (here / "kept").read_bytes()
        os.unlink("chart.svg")


def test_the_place_of_a_report_by_default(fails, here):
    for style, name in (("markdown", "report.md"), ("html", "report.html")):
        shutil.copy("a.txt", name)
        message = f"{name} is one of the files to read: name another to write"
        assert fails("report", "gold.txt", name, "--format", style) == message
        assert (here / name).read_bytes() == (here / "a.txt").read_bytes()


def test_a_column_may_be_called_like_the_output(run, here):
    for _ in range(2):
        assert run("score", "rows.csv", *COLUMNS, "--output", "gold").exit_code == 0
