"""``evenhand compare`` and the intervals of ``evenhand score``, as commands."""

import json

import pytest
from click.testing import CliRunner

from evenhand.cli import group


@pytest.fixture
def files(tmp_path):
    gold = ["a", "b", "a", "c"] * 30
    a = gold[:100] + ["a"] * 20
    b = gold[:60] + ["b"] * 60
    for name, column in (("gold", gold), ("sys-a", a), ("sys-b", b)):
        (tmp_path / f"{name}.txt").write_text("\n".join(column) + "\n")
    rows = [f"{g},{x},{y},{i // 6},1.5" for i, (g, x, y) in enumerate(zip(gold, a, b, strict=True))]
    (tmp_path / "all.csv").write_text("\n".join(["gold,A,B,doc,w", *rows]) + "\n")
    return tmp_path


def run(*arguments, ok=True):
    result = CliRunner().invoke(group, [str(a) for a in arguments])
    if ok:
        assert result.exit_code == 0, result.output
    return result


def lines(files):
    return [files / f"{name}.txt" for name in ("gold", "sys-a", "sys-b")]


def accuracy(files, system):
    """Share of right predictions, capital letters aside."""
    gold, pred = ((files / f"{name}.txt").read_text().lower().split() for name in ("gold", system))
    return sum(g == p for g, p in zip(gold, pred, strict=True)) / len(gold)


def test_compare_lines(files):
    found = json.loads(run("compare", *lines(files), "--format", "json").stdout)
    assert found["systems"] == ["sys-a", "sys-b"]
    assert found["schema"] == 1 and found["n"] == 120
    assert {p["metric"] for p in found["pairs"]} >= {"macro_f1", "mcc", "accuracy"}
    text = run("compare", *lines(files), "--metric", "macro_f1").stdout
    assert "sys-a is significantly better than sys-b" in text


def test_compare_columns_is_compare_lines(files):
    options = ("--format", "json", "--metric", "macro_f1", "--seed", "7", "--replicates", "300")
    a = json.loads(run("compare", *lines(files), *options).stdout)["pairs"][0]
    columns = ("--true", "gold", "--pred", "A", "--pred", "B")
    b = json.loads(run("compare", files / "all.csv", *columns, *options).stdout)["pairs"][0]
    assert a | {"systems": 0} == b | {"systems": 0}
    c = run("compare", files / "all.csv", *columns, "--cluster", "doc", *options).stdout
    assert json.loads(c)["pairs"][0]["low"] != b["low"]


def test_compare_joins_by_id_in_any_order(files):
    columns = [path.read_text().split() for path in lines(files)]
    for path, column in zip(lines(files), columns, strict=True):
        rows = [f"{i}\t{label}" for i, label in enumerate(column)]
        if path.stem != "gold":
            rows = rows[::-1]
        (files / f"{path.stem}.tsv").write_text("\n".join(["id\tlabel", *rows]) + "\n")
    options = ("--format", "json", "--metric", "macro_f1", "--replicates", "300")
    joined = [path.with_suffix(".tsv") for path in lines(files)]
    found = run("compare", *joined, "--id", "id", "--label", "label", *options).stdout
    wanted = run("compare", *lines(files), *options).stdout
    assert json.loads(found)["pairs"] == json.loads(wanted)["pairs"]


def test_compare_counts_missing_predictions_as_wrong_if_asked(files):
    (files / "gold.csv").write_text("id,label\n1,a\n2,b\n3,a\n")
    (files / "x.csv").write_text("id,label\n1,a\n2,b\n3,a\n")
    (files / "y.csv").write_text("id,label\n3,a\n1,a\n")
    three = [files / f"{name}.csv" for name in ("gold", "x", "y")]
    options = ("--id", "id", "--label", "label", "--metric", "accuracy", "--format", "json")
    assert "lacks 1 id" in run("compare", *three, *options, ok=False).output
    found = json.loads(run("compare", *three, *options, "--missing", "wrong").stdout)
    assert found["pairs"][0]["difference"] == pytest.approx(1 / 3)


def test_compare_renames_labels(files):
    (files / "map.csv").write_text("B,b\n")
    loud = files / "sys-b.txt"
    loud.write_text(loud.read_text().upper())
    options = ("--format", "json", "--metric", "accuracy", "--replicates", "300")
    folded = run("compare", *lines(files), "--ignore-case", *options)
    assert json.loads(folded.stdout)["pairs"][0]["difference"] == pytest.approx(
        accuracy(files, "sys-a") - accuracy(files, "sys-b")
    )
    assert "case" in folded.stderr
    mapped = run("compare", *lines(files), "--map", files / "map.csv", *options)
    assert "map.csv" in mapped.stderr


@pytest.mark.parametrize("style", ["table", "csv", "markdown", "latex"])
def test_compare_in_every_format(files, style):
    out = run("compare", *lines(files), "--metric", "mcc", "--format", style).stdout
    assert "mcc" in out and "sys-a" in out


def test_compare_is_told_what_is_missing(files):
    assert "at least two systems" in run("compare", *lines(files)[:2], ok=False).output
    taken = run("compare", files / "all.csv").output
    assert "as truth" in taken and "are no systems: 'doc', 'w'; name one" in taken
    assert run("compare", ok=False).exit_code == 2
    result = run("compare", *lines(files), "--cluster", "doc", ok=False)
    assert "a column is asked for with --cluster COL" in result.output
    short = files / "short.txt"
    short.write_text("a\n")
    result = run("compare", *lines(files)[:2], short, ok=False)
    assert "120 labels" in result.output


def test_a_system_does_not_differ_from_itself(files):
    twice = ("--pred", "A", "--pred", "A")
    result = run("compare", files / "all.csv", "--true", "gold", *twice, "--format", "json")
    assert {pair["difference"] for pair in json.loads(result.stdout)["pairs"]} == {0.0}


def test_score_intervals(files):
    base = ("score", files / "all.csv", "--true", "gold", "--pred", "A", "--metric", "macro_f1")
    read = lambda *o: json.loads(run(*base, *o, "--format", "json").stdout)["metrics"]["macro_f1"]  # noqa: E731
    assert read()["method"] == "wilson, effective"
    assert read("--interval", "none")["low"] is None
    drawn = read("--interval", "bootstrap", "--replicates", "200", "--seed", "3")
    assert drawn["method"] == "bootstrap" and drawn == read(
        "--interval", "bootstrap", "--replicates", "200", "--seed", "3"
    )
    assert read("--cluster", "doc")["se"] != read()["se"]
    assert read("--interval", "bootstrap", "--weights", "w")["low"] is not None
    assert read("--stratify")["se"] < read()["se"]
    assert read("--level", "0.5")["low"] > read()["low"]


def test_score_refuses_clusters_without_columns(files):
    result = run("score", *lines(files)[:2], "--cluster", "doc", ok=False)
    assert result.exit_code == 2 and "--cluster" in result.output
    result = run("score", "--matrix", "6 1; 2 5", "--interval", "wilson", ok=False)
    assert "wilson is for plain proportions" in result.output
    found = run("score", "--matrix", "6 1; 2 5", "--interval", "bca", "--format", "json").stdout
    assert "bca.95.2000.seed0" in json.loads(found)["signature"]
    assert json.loads(found)["metrics"]["macro_f1"]["low"] is not None


def test_one_file_twice_is_compared_with_itself(files):
    gold, a, _ = lines(files)
    found = json.loads(run("compare", gold, a, a, "--format", "json").stdout)
    assert found["pairs"][0]["systems"] == ["sys-a", "sys-a (again)"]
    assert {p["difference"] for p in found["pairs"]} == {0.0}
