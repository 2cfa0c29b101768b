"""The examples run as they are, on the real tools."""

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import duckdb
import pytest

import evenhand as eh

EXAMPLES = Path(__file__).parents[2] / "examples"
SQL = (EXAMPLES / "sql" / "evenhand.sql").read_text()


def ran(name, *arguments, strict=True):
    how = ["-W", "error"] if strict else []
    done = subprocess.run(
        [sys.executable, *how, str(EXAMPLES / name), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_with_sklearn(tmp_path):
    text = ran("with_sklearn.py", tmp_path)
    assert "F1 of mean precision and recall" in text
    assert "plain − balanced" in text
    assert (tmp_path / "confusion.svg").read_text().startswith("<svg")


def test_with_duckdb(tmp_path):
    text = ran("with_duckdb.py", tmp_path)
    assert "1,000,000 items, 3 classes" in text
    assert "the same table from the rows: True" in text
    pairs = re.findall(r"(\w+) in SQL: (\S+), in evenhand: (\S+)", text)
    assert [name for name, *_ in pairs] == ["accuracy", "macro_f1", "f1_of_averages"]
    assert all(sql == ours for _, sql, ours in pairs)
    assert re.search(r"^de 0\.\d{4}$", text, re.MULTILINE)


@pytest.mark.engine
@pytest.mark.xdist_group("spark")
def test_with_spark(tmp_path):
    text = ran("with_spark.py", strict=False)  # PySpark itself warns
    assert "200,000 items, 3 classes" in text
    assert "the same table from the rows: True" in text
    assert re.search(r"^\W*de 0\.\d{4}$", text, re.MULTILINE)


def test_a_release(tmp_path):
    plugin = ["-p", "evenhand.bridges.pytest"]
    named = "pytest11" in str(metadata.distribution("evenhand").read_text("entry_points.txt"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *([] if named else plugin),
         "--rootdir", str(tmp_path), str(EXAMPLES / "test_release.py")],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        env=os.environ | {"PYTEST_ADDOPTS": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    table = done.stdout.partition("= evenhand =")[2]
    assert table.count("\npassed  ") == 3
    assert "recall:label=worried is at least 0.5" in table


def test_leaderboards(tmp_path):
    text = ran("to_leaderboards.py", tmp_path)
    assert len(list(tmp_path.rglob("data/*/*/*/*.json"))) == 2
    assert "macro_f1" in text


def test_codabench(tmp_path):
    done = subprocess.run(
        ["bash", str(EXAMPLES / "codabench.sh"), str(tmp_path / "task"), "--no-wheels"],
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "scored balanced.txt: 2,000 items" in done.stdout
    assert "short.txt: This submission cannot be scored: " in done.stdout


ROWS = [
    ("a", "a"), ("a", "b"), ("a", None), ("b", "b"), ("b", "c"), ("c", "a"), ("b", "z"),
]  # fmt: skip


@pytest.mark.parametrize("rows", [ROWS, [("a", "b"), ("b", "a")], [("a", "a")]])
def test_the_macros_say_what_evenhand_says(rows):
    with duckdb.connect() as connection:
        connection.execute(SQL)
        connection.execute("CREATE TABLE items (gold TEXT, answer TEXT)")
        connection.executemany("INSERT INTO items VALUES (?, ?)", rows)
        connection.execute("CREATE TABLE cells AS FROM eh_confusion(items, gold, answer)")
        cells = connection.sql("FROM cells")
        table = eh.Confusion.from_frame(cells, true="truth", pred="prediction", counts="n")
        assert table == eh.Confusion.from_labels(*map(list, zip(*rows, strict=True)))
        ((accuracy, macro_f1, f1_of_averages),) = connection.sql("FROM eh_scores(cells)").fetchall()
        found = eh.score(table, metrics=["accuracy", "macro_f1", "f1_of_averages"], interval=None)
        assert [accuracy, macro_f1, f1_of_averages] == pytest.approx(
            list(map(float, found.values()))
        )
        by_class = {c.label: c for c in found.classes}
        for label, *said in connection.sql("FROM eh_classes(cells)").fetchall():
            c = by_class[label]
            wanted = [c.correct, c.bias, c.prevalence, c.precision, c.recall, c.f1]
            assert said == pytest.approx(wanted)


@pytest.mark.torch
def test_with_torch():
    """The soft loss beats both others on macro F1: the interval of each difference is above 0."""
    pytest.importorskip("torch")
    lines = ran("with_torch.py").splitlines()
    at = lines.index("macro F1 of soft macro F1, less that of")
    for line in lines[at + 1 :]:
        low, high = map(float, re.search(r"\[(-?[\d.]+), (-?[\d.]+)\]", line).groups())
        assert 0 < low < high, line
    assert [line.split("  ")[0] for line in lines[at + 1 :]] == [
        "cross-entropy",
        "weighted cross-entropy",
    ]


@pytest.mark.jax
def test_with_jax():
    pytest.importorskip("jax")
    plain, soft = (
        dict(zip(words[::2], map(float, words[1::2]), strict=True))
        for words in (line[16:].split() for line in ran("with_jax.py").splitlines())
    )
    assert soft["macro_f1"] > plain["macro_f1"]
