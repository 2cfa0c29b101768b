"""Each file's own layout: found in every command, or set for one file."""

import gzip
import io
import json
import random
import zipfile

import polars as pl
import pytest
from click.testing import CliRunner

from evenhand.cli import group
from evenhand.errors import InputError
from evenhand.io.delimited import parse_name
from evenhand.io.detection import Preview, find_delimiter, guess_encoding, has_header
from evenhand.web.app import create_app
from evenhand.web.work import Settings
from tests.web.client import Client

SIZE = 300
FEW = ("--replicates", "20")
NUMBERS = ("--no-header", "--true", "3", "--pred", "2", "--id", "1")


def answers(seed, gold, right):
    draw = random.Random(seed)
    return [v if draw.random() < right else draw.choice(["pos", "neg", "neu"]) for v in gold]


GOLD = answers(0, ["pos", "neg", "neu"] * 100, 0.9)
ONE, TWO = answers(1, GOLD, 0.6), answers(2, GOLD, 0.5)
ORDER = random.Random(3).sample(range(SIZE), SIZE)


def rows(labels, mark=",", header="id,label"):
    """A run in another order than the truth."""
    lines = [header.replace(",", mark)] * bool(header)
    lines += [f"t{i}{mark}{labels[i]}" for i in ORDER]
    return "\n".join(lines) + "\n"


@pytest.fixture
def task(write):
    """Gold with a header and texts, runs without."""
    texts = "".join(f't{i},"a, ""text"" {i}",{v}\n' for i, v in enumerate(GOLD))
    write("gold.csv", f"id,text,label\n{texts}")
    write("gold.txt", "".join(f"{v}\n" for v in GOLD))
    for name, labels in (("one", ONE), ("two", TWO)):
        write(f"{name}.txt", "".join(f"{v}\n" for v in labels))
        write(f"{name}.csv", rows(labels, header=""))


@pytest.fixture
def macro_f1(run, here):
    """The macro F1 of each system by name, or where it is called otherwise of each in order."""

    def call(command, *arguments):
        form = ("--format", "markdown", "-o", "-") if command == "report" else ("--format", "json")
        margin = ("--margin", "0.5") if command == "gate" else ()
        few = () if command in ("score", "gate") else FEW
        found = run(command, *arguments, "--metric", "macro_f1", *form, *margin, *few)
        assert found.exit_code in ((0, 1) if command == "gate" else (0,)), found.output
        if command == "report":
            return [line for line in found.stdout.splitlines() if "| one" in line], found.stderr
        facts = json.loads(found.stdout)
        if command == "score":
            return facts["metrics"]["macro_f1"]["value"], found.stderr
        if command == "rank":
            systems = {s["name"]: s["scores"]["macro_f1"]["value"] for s in facts["systems"]}
            return systems, found.stderr
        each = facts["pairs"] if command == "compare" else facts["checks"]
        return each[0]["values"], found.stderr

    return call


@pytest.mark.parametrize("command", ["score", "rank", "compare", "gate", "report"])
@pytest.mark.parametrize("options", [(), NUMBERS, ("--id", "id", "--label", "label")])
def test_a_header_in_the_truth_and_none_in_the_runs(macro_f1, task, command, options):
    runs = ("one",) if command == "score" else ("one", "two")
    right, _ = macro_f1(command, "gold.txt", *(f"{run}.txt" for run in runs))
    value, said = macro_f1(command, "gold.csv", *(f"{run}.csv" for run in runs), *options)
    assert value == right
    runs_said = ", ".join(f"{run}.csv" for run in runs)
    files = "gold.csv (with a header)" if "--no-header" in options else f"{runs_said} (no header)"
    assert f"note: file layout: {files}\n" in said


def test_the_page_finds_layouts_too(macro_f1, task, here):
    right, _ = macro_f1("rank", "gold.txt", "one.txt", "two.txt")
    files = [("gold", "gold.csv", (here / "gold.csv").read_bytes())]
    files += [("runs", name, (here / name).read_bytes()) for name in ("one.csv", "two.csv")]
    found = Client(create_app(Settings())).send("/api/v1/evaluate", {"format": "json"}, files)
    assert found.status == 200, found.text
    systems = found.json["systems"]
    assert {s["name"]: s["scores"]["macro_f1"]["value"] for s in systems} == right


@pytest.fixture
def mixed(write, here, task):
    """Runs of the same labels in every layout."""
    (here / "runs").mkdir()
    plain = rows(ONE)
    lines = "".join(f"{v}\n" for v in ONE)
    for name, content in {
        "comma.csv": plain,
        "semicolon.csv": rows(ONE, ";"),
        "tab.csv": rows(ONE, "\t"),
        "tab.txt": rows(ONE, "\t"),
        "tab.tsv": rows(ONE, "\t", header=""),
        "bar.txt": rows(ONE, "|"),
        "cp1252.csv": "id;label;größe\n" + "".join(f"t{i};{ONE[i]};größer\n" for i in ORDER),
        "utf16.csv": plain.encode("utf-16"),
        "utf16-unmarked.csv": plain.encode("utf-16-le"),
        "mark.csv": b"\xef\xbb\xbf" + plain.encode(),
        "bare.csv": rows(ONE, header=""),
        "labels.txt": lines,
        "labels-headed.txt": "Prediction\n" + lines,
        "labels.csv": lines,
        "labels-headed.csv": "Prediction\n" + lines,
        "capital.csv": rows(ONE, header="ID,Prediction"),
        "packed.csv.gz": gzip.compress(rows(ONE, ";").encode()),
        "object.json": json.dumps({f"t{i}": ONE[i] for i in ORDER}, indent=2),
    }.items():
        raw = content if isinstance(content, bytes) else content.encode(
            "cp1252" if name.startswith("cp") else "utf-8"
        )  # fmt: skip
        write(f"runs/{name}", raw)
    frame = pl.DataFrame({"id": [f"t{i}" for i in ORDER], "label": [ONE[i] for i in ORDER]})
    for name, header in (("sheet.xlsx", True), ("sheet-bare.xlsx", False)):
        buffer = io.BytesIO()
        frame.write_excel(buffer, include_header=header)
        write(f"runs/{name}", buffer.getvalue())
    with zipfile.ZipFile("runs/archive.zip", "w") as archive:
        archive.writestr("inner.csv", rows(ONE, ";", header=""))
    return sorted(f"runs/{path.name}" for path in (here / "runs").iterdir())


def test_runs_of_mixed_layouts(macro_f1, mixed):
    right, _ = macro_f1("score", "gold.txt", "one.txt")
    values, said = macro_f1("rank", "gold.csv", *mixed)
    assert set(values.values()) == {right}
    assert len(values) == len(mixed) == 21
    (line,) = (line for line in said.splitlines() if "layout" in line)
    for part in (
        "runs/bar.txt (fields between bars)",
        "runs/cp1252.csv (fields between semicolons, text in cp1252)",
        "runs/archive.zip/inner.csv (no header, fields between semicolons)",
        "runs/utf16-unmarked.csv (text in utf-16-le)",
        "runs/labels-headed.txt (with a header ('Prediction'))",
    ):
        assert part in line


@pytest.mark.parametrize("options", [(), ("--id", "id"), ("--label", "label", "--id", "id")])
def test_labels_alone_are_in_the_order_of_the_truth(macro_f1, fails, task, write, options):
    right, _ = macro_f1("score", "gold.txt", "one.txt")
    value, said = macro_f1("score", "gold.csv", "one.txt", *options)
    assert value == right
    assert "one.txt: no ids, so rows are matched in the order of gold.csv\n" in said.replace(
        "'", ""
    )
    write("short.txt", "pos\nneg\n")
    assert fails("score", "gold.csv", "short.txt", *options).startswith(
        "gold.csv has 300 labels and short.txt has 2: they must have one each"
    )


def test_options_apply_to_the_files_they_fit(macro_f1, mixed):
    right, _ = macro_f1("score", "gold.txt", "one.txt")
    options = ("--delimiter", ";", "--encoding", "cp1252", "--id", "id", "--label", "label")
    values, _ = macro_f1("rank", "gold.csv", *mixed, *options)
    assert set(values.values()) == {right}
    assert len(values) == len(mixed)


def test_a_layout_and_a_name_for_one_file(macro_f1, task, write):
    write("odd.csv", rows(ONE, ":", header=""))
    right, _ = macro_f1("rank", "gold.txt", "one.txt", "two.txt")
    files = ("BERT=odd.csv::delimiter=:::header=no", "T 5=two.csv::header=no")
    values, said = macro_f1("rank", "gold.csv", *files)
    assert values == {"BERT": right["one"], "T 5": right["two"]}
    assert "layout" not in said
    write("cp.csv", rows(ONE).replace("neu", "nöu").encode("cp1252"))
    named = ("--labels", "pos,neg,neu")
    assert macro_f1("score", "gold.csv", "cp.csv::encoding=cp1252", *named)[0] < right["one"]


def test_a_real_file_comes_first(macro_f1, task, write):
    write("a=one.txt", "".join(f"{v}\n" for v in TWO))
    write("two.txt::header=no", "".join(f"{v}\n" for v in ONE))
    right, _ = macro_f1("rank", "gold.txt", "one.txt", "two.txt")
    values, _ = macro_f1("rank", "gold.txt", "a=one.txt", "two.txt::header=no")
    assert sorted(values.values()) == sorted(right.values())
    assert "a=one" in values
    assert parse_name("x=a=one.txt").name == "a=one.txt"


def test_what_cannot_be_set(fails, task):
    assert fails("score", "gold.csv", "one.csv::mark=;") == (
        "one.csv takes ::delimiter=CHAR, ::header=yes|no and ::encoding=NAME, got '::mark=;'"
    )
    error = fails("score", "gold.csv", "one.csv::header=1")
    assert error == "one.csv: expected header=yes or header=no, got '1'"
    assert "'::'" in fails("score", "gold.csv", "one.csv::delimiter=::")
    assert "is not known" in fails("score", "gold.csv", "one.csv::encoding=elvish")
    assert fails("rank", "gold.csv", "X=one.csv", "X=two.csv") == (
        "a system must be named once, got 'X', 'X'"
    )


def test_all_files_that_cannot_be_read_are_named(fails, macro_f1, task, write):
    write("short.csv", "id,label\nt0,pos\nt1\n")
    write("long.csv", "id,label\nt0,pos,x\n")
    files = ("gold.csv", "one.csv", "two.csv", "short.csv", "long.csv", "none.csv")
    assert fails("rank", *files) == (
        "3 of 5 files cannot be read: short.csv, line 3: expected 2 fields as in the header, "
        "got 1; long.csv, line 2: expected 2 fields as in the header, got 3; none.csv does not "
        "exist; --keep-going goes on without them"
    )
    assert fails("rank", *files[:4]) == (
        "short.csv, line 3: expected 2 fields as in the header, got 1"
    )


def test_a_header_among_the_rows(fails, run, write):
    gold = "".join(f"{i},{'ab'[i % 2]}\n" for i in range(6))
    write("gold.csv", f"id,label\n{gold}id,label\n")
    write("run.txt", "a\nb\n" * 3 + "b\n")
    assert fails("score", "gold.csv", "run.txt") == (
        "gold.csv, column 'label': the heading is a true label too, of 1 item: take out the "
        "header among the rows, or say that it is a label with gold.csv::header=yes"
    )
    found = run("score", "gold.csv::header=yes", "run.txt", "--format", "json")
    assert json.loads(found.stdout)["n"] == 7


def test_a_first_row_that_may_be_both(fails, run, write):
    write("x.csv", "text,spam\n" + "one,spam\ntwo,ham\n" * 3)
    error = fails("score", "x.csv", "--true", "2", "--pred", "1")
    assert error == (
        "x.csv: its first row ('text', 'spam') may be a header or data: say which with "
        "x.csv::header=yes or x.csv::header=no"
    )
    found = run("score", "x.csv::header=yes", "--true", 2, "--pred", 2, "--format", "json")
    assert "cannot hold both" in found.stderr


@pytest.mark.parametrize(
    ("rows", "header"),
    [
        (["id,label", "1,a", "2,b"], True),
        (["1,a", "2,b", "3,a"], False),
        (["t1,x", "t2,a", "t3,b"], False),
        (["nummer,klasse", "1,a", "2,b"], True),
        (["text,klasse", "hallo,a", "du,b"], True),
        (["hallo,a", "du,b", "ja,a"], False),
        ([",0", "0,a", "1,b"], True),
        (["id,0,1", "x,0.2,0.8", "y,0.5,0.5"], True),
        (["0,1", "0.2,0.8", "0.5,0.5"], True),
        (["0.1,0.9", "0.2,0.8", "0.5,0.5"], False),
        (["17,answer", "18,question", "19,other"], None),
        (["1,gut", "2,schlecht"], False),
        (["id,spam", "1,spam", "2,ham"], True),
        (["label", "a", "b"], True),
        (["a", "b", "a"], False),
    ],
)
def test_whether_the_first_row_is_a_header(rows, header):
    table = [row.split(",") for row in rows]
    if header is None:
        with pytest.raises(InputError, match="may be a header or data"):
            has_header(table, "x.csv", None)
        assert not has_header(table, "x.csv", False)
    else:
        assert has_header(table, "x.csv", None) is header


def test_the_file_of_the_truth_tells_too():
    table = [["Anna", "rare"], ["Bert", "a"], ["Carl", "b"]]
    assert has_header(table, "x.csv", None)
    gold = Preview(frozenset({"name", "class"}), frozenset({"Anna", "Bert", "a", "b", "rare"}))
    assert not has_header(table, "x.csv", None, (), gold)
    assert has_header([["name", "answer"], *table], "x.csv", None, (), gold)
    assert has_header([["Anna", "b"], ["x", "y"]], "x.csv", None, ["B"])


def test_what_separates_fields():
    assert find_delimiter(b"id;text\n1;a, b\n2;c, d\n", ",") == ";"
    assert find_delimiter(b"label\na;b\nc;d\n", ",") == ","
    assert find_delimiter(b"a,b\n1,2\n", ",", ";") == ","
    assert find_delimiter(b"a:b\n1:2\n", ",", ":") == ":"


def test_what_text_is_in():
    assert guess_encoding("schön\n".encode()) is None
    assert guess_encoding("schön\n".encode("cp1252")) == "cp1252"
    assert guess_encoding("schön\n".encode() + b"\xff\n") is None
    assert guess_encoding("schön\n".encode("utf-16-be")) == "utf-16-be"
    assert guess_encoding(b"\0\1\2\3") is None


OBJECTS = {
    "columns": {"classes": list("ab"), "labels": list("aabb"), "predictions": list("abbb")},
    "records": {"model": "m", "rows": [
        {"label": t, "prediction": p} for t, p in zip("aabb", "abbb", strict=True)]},
    "keys": {f"q{i}": {"label": t, "prediction": p}
             for i, (t, p) in enumerate(zip("aabb", "abbb", strict=True))},
}  # fmt: skip


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("form", OBJECTS)
def test_an_object_of_items(run, write, form, indent):
    write("x.json", json.dumps(OBJECTS[form], indent=indent))
    found = run("score", "x.json", "--metric", "accuracy", "--format", "json")
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["metrics"]["accuracy"]["value"] == 0.75


def test_nested_fields_of_an_object(run, fails, write):
    columns = {"run": {"data": {"gold": list("aabb"), "guess": list("abbb")}, "seed": 1}}
    records = {"rows": [{"id": i, "doc": {"gold": t}, "guess": p}
                        for i, (t, p) in enumerate(zip("aabb", "abbb", strict=True))]}  # fmt: skip
    for content, *fields in (
        (columns, "run.data.gold", "run.data.guess"),
        (records, "doc.gold", "guess"),
    ):
        write("x.json", json.dumps(content, indent=1))
        asked = ("--true", fields[0], "--pred", fields[1], "--metric", "accuracy")
        found = run("score", "x.json", *asked, "--format", "json")
        assert json.loads(found.stdout)["metrics"]["accuracy"]["value"] == 0.75, found.stderr
    write("x.json", json.dumps({"a": [{"x": 1}], "b": {"c": [{"x": 1}]}}, indent=1))
    assert fails("score", "x.json") == (
        "x.json has several lists of objects, 'a', 'b.c': expected one in a file"
    )


def test_objects_one_after_the_other(run, fails, write):
    each = [{"gold": t, "pred": p} for t, p in zip("aabb", "abbb", strict=True)]
    write("x.jsonl", "\n".join(json.dumps(row, indent=2) for row in each))
    found = run("score", "x.jsonl", "--metric", "accuracy", "--format", "json")
    assert json.loads(found.stdout)["metrics"]["accuracy"]["value"] == 0.75
    write("bad.json", '{\n  "labels": ["a"\n  "b": 1\n}\n')
    assert fails("score", "bad.json") == (
        "bad.json: expected JSON, got Expecting ',' delimiter (line 3, character 3)"
    )


@pytest.mark.parametrize("first", range(3))
@pytest.mark.parametrize("files", [("gold.txt", "-"), ("-", "gold.txt")])
def test_labels_that_look_like_json(write, files, first):
    labels = ["{}", "[1]", "{0}"]
    text = "".join(f"{v}\n" for v in (labels[first:] + labels[:first]) * 2)
    write("gold.txt", text)
    asked = ["score", *files, "--metric", "accuracy", "--format", "json"]
    found = CliRunner().invoke(group, asked, input=text)
    assert found.exit_code == 0, found.output
    facts = json.loads(found.stdout)
    assert (facts["n"], facts["metrics"]["accuracy"]["value"]) == (6, 1.0)
    assert facts["labels"] == sorted(labels)
