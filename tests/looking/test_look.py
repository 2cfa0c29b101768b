"""What a file is, and a next command that works."""

import gzip
import io
import json
import shlex
import tarfile
import zipfile

import polars as pl
import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import group

FRAME = pl.DataFrame(
    {
        "id": [str(i) for i in range(12)],
        "text": [f"word {i}" for i in range(12)],
        "gold": list("abab" * 3),
        "system": list("abba" * 3),
        "weight": [0.5, 1.5, 1.0] * 4,
    }
)
ROLES = {"id": "ids", "text": "", "gold": "truth", "system": "predictions", "weight": "weights"}
KINDS = ["csv", "tsv", "txt", "jsonl", "json", "parquet", "arrow", "xlsx"]


def packed(frame, kind):
    out = io.BytesIO()
    if kind == "json":
        return json.dumps(frame.to_dicts()).encode()
    {
        "csv": frame.write_csv,
        "tsv": lambda file: frame.write_csv(file, separator="\t"),
        "txt": lambda file: frame.write_csv(file, separator="\t"),
        "jsonl": frame.write_ndjson,
        "parquet": frame.write_parquet,
        "arrow": frame.write_ipc,
        "xlsx": lambda file: frame.write_excel(file),
    }[kind](out)
    return out.getvalue()


@pytest.fixture
def look(run):
    def call(*arguments):
        found = run("look", *arguments, "--format", "json")
        assert found.exit_code == 0, found.output
        return json.loads(found.stdout)

    return call


def follow(run, command):
    """Run what was said to run next."""
    name, *arguments = shlex.split(command)
    assert name == "evenhand"
    found = run(*arguments, "--format", "json", "--replicates", "20")
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_and_what_to_run_next(look, run, write, kind):
    found = look(write(f"x.{kind}", packed(FRAME, kind)))
    assert {c["name"]: c["role"] for c in found["columns"]} == ROLES
    assert found["rows"] == 12
    gold = found["columns"][2]
    assert (gold["number"], gold["distinct"], gold["missing"]) == (3, 2, 0)
    assert gold["examples"] == ["a", "b"]
    assert found["command"] == f"evenhand score x.{kind} --true gold --pred system --weights weight"
    assert follow(run, found["command"])["n"] == 12


def test_awkward_text(look, write):
    text = "texte;klasse\n" + "schön;gut\nblöd;schlecht\n" * 6
    found = look(write("x.csv", text.encode("cp1252")))
    assert found["encoding"] == "cp1252"
    assert found["delimiter"] == ";"
    assert found["command"] == "evenhand score x.csv --true COL --pred COL"
    assert look(write("y.csv", text.encode("utf-16")))["encoding"] == "utf-16"


def test_no_header(look, run, write):
    rows = "".join(f"text {i}\t{t}\t{p}\n" for i, (t, p) in enumerate(["aa", "ba", "bb"] * 4))
    found = look(write("x.tsv", rows))
    assert found["header"] is False
    assert [c["role"] for c in found["columns"]] == ["", "truth", "predictions"]
    assert found["command"] == "evenhand score x.tsv --true 2 --pred 3 --no-header"
    assert follow(run, found["command"])["n"] == 12


def test_several_systems_are_ranked(look, run, write):
    found = look(write("x.csv", "gold,x,y\n" + "a,a,b\nb,b,b\n" * 3))
    assert found["command"] == "evenhand rank x.csv --true gold --pred x --pred y"
    assert len(follow(run, found["command"])["systems"]) == 2


def test_a_file_of_truth_alone(look, write):
    rows = "".join(f"{i},{'ab'[i % 2]}\n" for i in range(6))
    found = look(write("gold.csv", f"id,label\n{rows}"))
    assert found["command"] == "evenhand score gold.csv PRED"


def test_a_file_of_predictions_alone(look, write):
    rows = "".join(f"{i},{'ab'[i % 2]}\n" for i in range(6))
    found = look(write("x.csv", f"id,prediction\n{rows}"))
    assert [c["role"] for c in found["columns"]] == ["ids", "predictions"]
    assert found["command"] == "evenhand score GOLD x.csv"


def test_grades(look, run, write):
    one = look(write("one.csv", "id,score\n" + "".join(f"{i},{i % 2}\n" for i in range(9))))
    assert one["command"] == "evenhand score one.csv --score score --id id"
    assert follow(run, one["command"])["metrics"]["mean_score"]["value"] == 4 / 9
    rows = "".join(f"{i},{m},{i % 2}\n" for i in range(9) for m in "xy")
    two = look(write("two.csv", f"id,model,is_correct\n{rows}"))
    assert two["command"] == "evenhand rank two.csv --score is_correct --system model --id id"
    assert len(follow(run, two["command"])["systems"]) == 2


def test_lines_tables_and_archives(look, run, write, lines):
    assert look(lines[0])["command"] == "evenhand score gold.txt PRED"
    assert look(write("gold.txt.gz", gzip.compress(b"a\nb\n")))["rows"] == 2
    run("count", *lines, "--output", "table.json")
    found = look("table.json")
    assert found["kind"] == "a saved table"
    assert found["command"] == "evenhand score table.json"
    with zipfile.ZipFile("runs.zip", "w") as archive:
        archive.writestr("a.txt", "a")
        archive.writestr("b.txt", "b")
    found = look("runs.zip")
    assert found["members"] == ["a.txt", "b.txt"]
    assert found["command"] == "evenhand rank GOLD runs.zip"


def test_standard_input():
    given = "gold,x\n" + "a,a\nb,a\n" * 3
    found = CliRunner().invoke(group, ["look", "-"], input=given)
    assert found.exit_code == 0, found.output
    assert "standard input" in found.stdout
    assert "evenhand score - --true gold --pred x" in found.stdout


def test_for_people(run, write):
    found = run("look", write("x.csv", packed(FRAME, "csv")))
    verdict = "CSV, 12 rows; truth: gold; predictions: system; ids: id; weights: weight"
    assert verdict in found.stdout
    assert "run next\n" in found.stdout


@pytest.mark.parametrize("content", [b"", b"\0\1\2", b"gold,x\na\n"])
def test_what_is_amiss(fails, write, content):
    assert "x.csv" in fails("look", write("x.csv", content))


def test_in_python(write):
    found = eh.look(write("x.csv", packed(FRAME, "csv")))
    assert found.of("truth") == ["gold"]
    assert found.command == ""


def test_a_column_of_this_and_that(here, look):
    (here / "x.jsonl").write_text('{"gold": "a", "p": "a"}\n{"gold": "b", "p": 1}\n')
    found = look("x.jsonl")
    assert [c["type"] for c in found["columns"]] == ["text", "integers and text"]


def rows_of(name, start=0):
    """Lines of an id, a label and a text without a header, in an order of their own."""
    lines = [f"t{i}\t{'ab'[(i + start) % 2]}\tsome words {name} {i}\n" for i in range(8)]
    return "".join(lines[3:] + lines[:3])


@pytest.mark.parametrize("ending", ["zip", "tar.gz"])
def test_an_archive_of_runs_without_a_header(look, run, write, here, ending):
    runs = {f"{name}.tsv": rows_of(name, start) for start, name in enumerate(("one", "two"))}
    if ending == "zip":
        with zipfile.ZipFile("runs.zip", "w") as archive:
            for name, text in runs.items():
                archive.writestr(name, text)
    else:
        with tarfile.open("runs.tar.gz", "w:gz") as archive:
            for name, text in runs.items():
                archive.add(write(name, text))
    found = look(f"runs.{ending}")
    assert found["members"] == ["one.tsv", "two.tsv"]
    assert [c["role"] for c in found["columns"]] == ["ids", "predictions", ""]
    assert found["command"] == f"evenhand rank GOLD runs.{ending}"
    write("gold.tsv", "".join(f"t{i}\t{'ab'[i % 2]}\n" for i in range(8)))
    board = follow(run, found["command"].replace("GOLD", "gold.tsv"))
    scores = {s["name"]: s["scores"]["macro_f1"]["value"] for s in board["systems"]}
    assert scores == {"one": 1.0, "two": 0.0}


def test_an_archive_of_runs_with_a_header(look, here):
    with zipfile.ZipFile("runs.zip", "w") as archive:
        for name in ("x.csv", "y.csv"):
            archive.writestr(name, "id,label\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(6)))
    found = look("runs.zip")
    assert found["command"] == "evenhand rank GOLD runs.zip"


def test_an_archive_of_what_cannot_be_told(look, here):
    with zipfile.ZipFile("runs.zip", "w") as archive:
        for name in ("x.csv", "y.csv"):
            archive.writestr(name, "a,b\nx,y\nx\n")
    assert look("runs.zip")["command"] == "evenhand rank GOLD runs.zip"


def test_several_files_have_one_command_for_all(run, write, look):
    write("gold.csv", "id,label\n1,a\n2,b\n3,a\n")
    for name in ("one.csv", "two.csv"):
        write(name, "id,label\n3,b\n2,b\n1,a\n")
    shown = look("one.csv", "gold.csv", "two.csv")
    assert [f["file"] for f in shown["files"]] == ["one.csv", "gold.csv", "two.csv"]
    assert shown["commands"] == ["evenhand rank gold.csv one.csv two.csv"]
    follow(run, shown["commands"][0])


def test_where_either_file_may_be_the_truth_both_commands_are_shown(write, look):
    write("x.txt", "a\nb\na\n"), write("y.txt", "a\nb\nb\n")
    assert look("x.txt", "y.txt")["commands"] == [
        "evenhand score x.txt y.txt",
        "evenhand score y.txt x.txt",
    ]


def test_a_command_that_would_fail_is_not_proposed(run, write, look):
    """Two columns match the items of these files: each way to read them is shown, and works."""
    write("gold.csv", "id,key,label\n1,x,a\n2,y,b\n3,z,a\n")
    write("run.csv", "id,key,label\n3,x,a\n1,y,b\n2,z,b\n")
    commands = look("gold.csv", "run.csv")["commands"]
    assert len(commands) == 3
    for command in commands:
        follow(run, command)


def test_files_without_a_command_run_what_can_alone_be_meant(run, write):
    write("gold.txt", "a\nb\na\n"), write("y.txt", "a\nb\nb\n")
    ran = run("y.txt", "gold.txt")
    assert ran.exit_code == 0
    assert ran.stderr.startswith("running: evenhand score gold.txt y.txt\n")
    assert ran.stdout == run("score", "gold.txt", "y.txt").stdout


def test_files_without_a_command_are_shown_where_several_can_be_meant(run, write):
    write("x.txt", "a\nb\na\n"), write("y.txt", "a\nb\nb\n")
    shown = run("x.txt", "y.txt")
    assert shown.exit_code == 2
    assert "run one of\n\nevenhand score x.txt y.txt\n\nevenhand score y.txt x.txt" in shown.stdout
    assert "run next\n\nevenhand score x.txt PRED" in run("x.txt").stdout


TABLE = "| System | P | R | Macro F1 |\n| --- | --- | --- | --- |\n| A | 60.1 | 70.2 | 64.8 |\n"
AS_CSV = "system,precision,recall,macro_f1\nA,0.601,0.702,0.648\nB,.5,.5,.5\n"


@pytest.mark.parametrize(
    ("name", "text"), [("paper.md", f"# Results\n\n{TABLE}"), ("t.csv", AS_CSV)]
)
def test_printed_scores_are_audited_and_not_counted_as_labels(run, write, name, text):
    write(name, text)
    assert run("look", name).stdout.endswith(f"run next\n\nevenhand audit {name}\n")
    assert run(name).stdout == run("audit", name).stdout
