"""What a file is, and a next command that works."""

import gzip
import io
import json
import shlex
import tarfile
import zipfile

import pandas as pd
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


# The command without a name, on files of which people know more than they show

IDS = [f"q{i:02d}" for i in range(24)]
TRUTH = ["pos" if i % 3 else "neg" for i in range(24)]
FIRST = [{"pos": "neg", "neg": "pos"}[v] if i % 6 == 0 else v for i, v in enumerate(TRUTH)]
SECOND = [{"pos": "neg", "neg": "pos"}[v] if i % 4 == 0 else v for i, v in enumerate(TRUTH)]


@pytest.fixture
def bare(run, write):
    """What the command without a name says of tables of columns, which it must not score."""

    def call(**tables):
        names = [f"{name}.csv" for name in tables]
        for name, columns in zip(names, tables.values(), strict=True):
            write(name, pd.DataFrame(columns).to_csv(index=False))
        result = run(*names)
        assert result.exit_code == 2 and "running" not in result.stderr, result.output
        commands = [x for x in result.stdout.splitlines() if x.startswith("evenhand ")]
        for command in commands:
            assert run(*shlex.split(command)[1:]).exit_code == 0
        return commands, result.stderr

    return call


@pytest.mark.parametrize(
    "ids", [[f"#{i}" for i in IDS], [*IDS[:10], *(f"z{i}" for i in range(14))]]
)
def test_items_are_not_matched_by_row_unless_that_is_said(bare, ids):
    gold, run = {"id": IDS, "label": TRUTH}, {"id": ids[::-1], "prediction": FIRST[::-1]}
    commands, why = bare(gold=gold, a=run)
    assert commands == [] and "share" in why and "evenhand score gold.csv a.csv --by-row" in why


def test_two_columns_of_one_name_are_shown_by_their_numbers(bare, write, run):
    gold = pd.DataFrame({"id": IDS, "label": TRUTH, "other": SECOND})
    write("gold.csv", gold.to_csv(index=False, header=["id", "label", "label"]))
    write("a.csv", pd.DataFrame({"id": IDS, "prediction": FIRST}).to_csv(index=False))
    found = run("gold.csv", "a.csv")
    assert found.exit_code == 2 and "more than one reading fits" in found.stderr
    commands = [x for x in found.stdout.splitlines() if x.startswith("evenhand ")]
    assert commands == [f"evenhand score gold.csv a.csv --true {n} --pred prediction" for n in "23"]
    assert follow(run, commands[0])["metrics"]["accuracy"]["value"] == pytest.approx(20 / 24)


def test_two_tasks_in_both_files_are_a_choice(bare):
    swapped = {"pos": "news", "neg": "sports"}
    gold = {"id": IDS, "polarity": TRUTH, "stance": [swapped[v] for v in SECOND]}
    run = {"id": IDS, "polarity": FIRST, "stance": [swapped[v] for v in TRUTH]}
    commands, why = bare(gold=gold, a=run)
    assert "'polarity', 'stance'" in why
    assert "--true polarity --pred polarity" in "".join([*commands, why])


def test_an_answer_beside_a_category_and_a_response_may_be_the_truth(bare, run):
    commands, _ = bare(all={"category": TRUTH, "answer": SECOND, "response": FIRST})
    assert "evenhand score all.csv --true answer --pred response" in commands
    assert "evenhand score all.csv --true category --pred response" in commands
    for verb in ("score", "rank", "report"):
        assert run(verb, "all.csv").exit_code == 2


def test_a_majority_of_annotators_is_the_first_to_be_taken_for_truth(bare):
    labels = {"ann1": SECOND, "ann2": FIRST[::-1], "majority": TRUTH, "bert": FIRST}
    commands, why = bare(all={"id": IDS, **labels})
    assert "evenhand score all.csv --true majority --pred bert" in commands[:3]
    assert all("--true majority" in command for command in commands[:3])
    assert "more than one reading fits" in why


def test_labels_before_and_after_a_correction_are_a_choice(bare):
    texts = [f"text {i}" for i in IDS]
    commands, _ = bare(all={"text": texts, "label": FIRST, "corrected_label": TRUTH})
    assert len(commands) == 2


@pytest.mark.parametrize("epochs", [{}, {"epoch": [0] * 24 + [1] * 24}])
def test_items_that_come_twice_are_not_pooled(bare, epochs):
    labels = {"gold": TRUTH * 2, "prediction": FIRST + SECOND}
    commands, why = bare(all={"text": [f"text {i}" for i in IDS] * 2, **epochs, **labels})
    assert commands == [] and "evenhand score all.csv --cluster text" in why


@pytest.mark.parametrize("column", ["model", "system", "run"])
def test_systems_beside_a_truth_of_its_own_are_not_only_samples(bare, run, column):
    systems = {"id": IDS * 2, column: ["x"] * 24 + ["y"] * 24, "prediction": FIRST + SECOND}
    commands, why = bare(gold={"id": IDS, "label": TRUTH}, a=systems)
    assert commands == [] and "expected a file for each, or one file that has the truth" in why
    assert f"--system {column}; if" in why and f"--sample {column} and --id id" in why
    scored = run("score", "gold.csv", "a.csv", "--sample", column, "--id", "id")
    assert scored.exit_code == 0


def test_numbers_of_predicted_labels_are_no_ids(run, write):
    numbers = {"label_id": [TRUTH.index(v) for v in TRUTH], "pred_label": FIRST}
    columns = {"text": IDS, "label": TRUTH, **numbers, "pred_id": [TRUTH.index(v) for v in FIRST]}
    write("all.csv", pd.DataFrame(columns).to_csv(index=False))
    ran = run("all.csv")
    assert ran.stderr.startswith("running: evenhand score all.csv --true label --pred pred_label\n")
    assert follow(run, "evenhand score all.csv")["metrics"]["accuracy"]["value"] == pytest.approx(
        20 / 24
    )


def test_labels_by_id_beside_other_keys_are_read(run, write):
    gold, first = dict(zip(IDS, TRUTH, strict=True)), dict(zip(IDS[::-1], FIRST[::-1], strict=True))
    write("gold.json", json.dumps({"gold": gold, "meta": {"n": 24}}))
    write("a.json", json.dumps({"predictions": first, "meta": {"n": 24}}))
    write("all.json", json.dumps({"gold": gold, "pred": first}))
    for files in (["gold.json", "a.json"], ["all.json"]):
        assert run(*files).exit_code == 0
        found = follow(run, shlex.join(["evenhand", "score", *files]))
        assert found["metrics"]["accuracy"]["value"] == pytest.approx(20 / 24)


def test_advice_names_the_command_and_its_options(bare):
    again = {"id": IDS * 2, "prediction": FIRST + SECOND}
    commands, why = bare(gold={"id": IDS, "label": TRUTH}, a=again)
    assert commands == [] and "evenhand score gold.csv a.csv --sample COL --id id" in why


def test_no_option_is_advised_twice(run, write):
    long = {"gold": [v for v in TRUTH for _ in "ab"], "setting": ["a", "b"] * 24}
    long["answer"] = [v for pair in zip(FIRST, SECOND, strict=True) for v in pair]
    write("all.csv", pd.DataFrame(long).to_csv(index=False))
    why = run("score", "all.csv", "--true", "gold", "--pred", "answer").stderr
    assert "evenhand rank all.csv --true gold --pred answer --system setting" in why
