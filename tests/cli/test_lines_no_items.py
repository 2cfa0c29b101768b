"""Lines that are no items, though every file has them, and advice that can be followed."""

import json

import pytest

TRUE = ["pos" if k % 3 else "neg" for k in range(24)]
FLIP = {"pos": "neg", "neg": "pos"}
SIDES = {
    "gold": TRUE,
    "a": [FLIP[v] if k % 6 == 0 else v for k, v in enumerate(TRUE)],
    "b": [FLIP[v] if k % 4 == 0 else v for k, v in enumerate(TRUE)],
}
IDS = [f"q{k:02}" for k in range(24)]


def halves(between, labels, first=(), last=()):
    return [*first, *labels[:12], *between, *labels[12:], *last]


def items(labels):
    return [f"{i},{v}" for i, v in zip(IDS, labels, strict=True)]


HEAD = ["id,label"]
CASES = {
    "a heading among lines": ("txt", lambda _, v: halves(["label"], v, ["label"]), "'label'"),
    "headings of each file": (
        "txt",
        lambda n, v: halves([h := "label" if n == "gold" else "pred"], v, [h]),
        "'label'",
    ),
    "a comment among lines": ("txt", lambda _, v: halves(["# part 2"], v), "'# part 2'"),
    "a comment among rows": (
        "csv",
        lambda _, v: halves(["# part 2,# part 2"], items(v), HEAD),
        "'# part 2'",
    ),
    "a heading among rows": ("csv", lambda _, v: halves(HEAD, items(v)), "'label'"),
    "sums of classes": ("csv", lambda _, v: [*HEAD, *items(v), "pos:,16", "neg:,8"], "'16', '8'"),
    "a rule and a number": ("txt", lambda _, v: [*v, "---", "24 rows"], "'---', '24 rows'"),
    "marks around lines": ("txt", lambda _, v: ["BEGIN", *v, "END"], "'BEGIN', 'END'"),
}


def written(write, ending, lines):
    return [write(f"{n}.{ending}", "\n".join(lines(n, v)) + "\n") for n, v in SIDES.items()]


@pytest.mark.parametrize("command", ["score", "rank"])
@pytest.mark.parametrize("name", CASES)
def test_lines_that_every_file_has_are_no_items(write, fails, command, name):
    ending, lines, strays = CASES[name]
    files = written(write, ending, lines)
    message = fails(command, *(files if command == "rank" else files[:2]))
    assert message.startswith(f"gold.{ending}")
    assert f": {strays} is no item, and every system has it on the same rows" in message


def test_such_labels_can_be_named(write, run):
    files = written(write, "txt", lambda _, v: halves(["# part 2"], v))
    done = run("score", *files[:2], "--labels", "pos,neg,# part 2", "--format", "json")
    assert json.loads(done.stdout)["n"] == 25


def test_a_class_of_that_name_is_one(write, run):
    gold = write("g.txt", "pos\nneg\nlabel\n" * 8)
    pred = write("p.txt", "pos\nlabel\nlabel\nneg\nneg\nlabel\n" * 4)
    assert json.loads(run("score", gold, pred, "--format", "json").stdout)["n"] == 24
    few = [*TRUE, "label", "label"], [*TRUE, "label", "pos"]
    names = [write(f"{i}.txt", "\n".join(side) + "\n") for i, side in enumerate(few)]
    assert json.loads(run("score", *names, "--format", "json").stdout)["n"] == 26


@pytest.mark.parametrize("command", ["score", "rank"])
@pytest.mark.parametrize(("pos", "neg"), [("+1", "-1"), ("01", "00")])
def test_numbers_written_differently_are_mapped(write, fails, run, command, pos, neg):
    new = {"pos": pos, "neg": neg}
    old = {"pos": "1", "neg": str(int(neg))}
    files = [
        write(f"{n}.csv", "\n".join([*HEAD, *items([(old if n == "gold" else new)[v] for v in s])]))
        for n, s in SIDES.items()
    ][: 2 if command == "score" else 3]
    message = fails(command, *files)
    assert "--map FILE" in message
    assert "--labels" not in message
    assert "--probabilities" not in message
    names = write("map.csv", f"{pos},1\n{neg},{old['neg']}\n")
    done = run(command, *files, "--map", names, "--metric", "accuracy", "--format", "json")
    assert "0.8333" in done.stdout


@pytest.mark.parametrize("command", ["score", "rank"])
def test_columns_set_apart_by_spaces(write, fails, command):
    def lines(_, v):
        return [f"{i:<12}{x:<12}" for i, x in zip(["id", *IDS], ["label", *v], strict=True)]

    files = written(write, "txt", lines)[: 2 if command == "score" else 3]
    message = fails(command, *files)
    assert "look like columns set apart by spaces" in message
    assert "--delimiter" not in message


LINED = {
    "elements": lambda i, v: f'<item id="{i}" label="{v}"/>',
    "row names": lambda i, v: f'"{i}" {i}{i} "{v}"',
    "rows below a heading": lambda i, v: f"{i},{v},0.5" if i else "@relation news",
    "paths": lambda i, v: f"{v}/image{i}.png",
}


@pytest.mark.parametrize("command", ["score", "rank"])
@pytest.mark.parametrize("name", LINED)
def test_lines_that_hardly_come_again_are_no_labels(write, fails, run, command, name):
    for side, labels in SIDES.items():
        lines = [LINED[name](i, v) for i, v in enumerate(labels)]
        write(f"{side}.xml", "\n".join(lines) + "\n")
    files = [f"{side}.xml" for side in SIDES][: 2 if command == "score" else 3]
    message = fails(command, *files)
    assert message.startswith("gold.xml has lines such as ")
    assert "that hardly come again, as labels do: give a table with a column of labels" in message


@pytest.mark.parametrize("command", ["score", "rank"])
def test_pairs_in_json(write, fails, command):
    files = [
        write(f"{n}.json", json.dumps(list(map(list, zip(IDS, v, strict=True)))))
        for n, v in SIDES.items()
    ]
    message = fails(command, *(files if command == "rank" else files[:2]))
    assert "gold.json and a.json hold pairs of an id and a label" in message
    assert "--kind" not in message


@pytest.mark.parametrize("command", ["score", "rank"])
def test_probabilities_with_a_decimal_comma(write, run, command):
    def lines(name, labels):
        if name == "gold":
            return ["id;label", *(f"{i};{v}" for i, v in zip(IDS, labels, strict=True))]
        shares = {"pos": "0,9;0,1", "neg": "0,2;0,8"}
        return ["id;pos;neg", *(f"{i};{shares[v]}" for i, v in zip(IDS, labels, strict=True))]

    files = written(write, "csv", lines)[: 2 if command == "score" else 3]
    done = run(command, *files, "--true", "label", "--probabilities", "neg,pos",
               "--metric", "accuracy", "--format", "json")  # fmt: skip
    assert "0.8333" in done.stdout


SHEETS = {
    "a title": (
        lambda rows: [["Gold 2024", None], [None, None], *rows],
        "gold.xlsx: its second row ('id', 'label') names the columns",
    ),
    "merged cells": (
        lambda rows: [[i, v if k in (0, 1, 13) else None] for k, (i, v) in enumerate(rows)],
        "gold.xlsx, column 'label' has no label in 22 rows: of merged cells only the first",
    ),
    "blank rows": (
        lambda rows: [row for pair in rows for row in (pair, [None, None])],
        "gold.xlsx, row 1: expected an item, got an empty row",
    ),
}


@pytest.mark.parametrize("command", ["score", "rank"])
@pytest.mark.parametrize("name", SHEETS)
def test_sheets_for_people(tmp_path, monkeypatch, fails, command, name):
    import xlsxwriter

    monkeypatch.chdir(tmp_path)
    change, message = SHEETS[name]
    files = [f"{side}.xlsx" for side in SIDES][: 2 if command == "score" else 3]
    for file, labels in zip(files, SIDES.values(), strict=False):
        rows = [["id", "label"], *map(list, zip(IDS, labels, strict=True))]
        with xlsxwriter.Workbook(file) as book:
            sheet = book.add_worksheet()
            for k, row in enumerate(change(rows) if file == "gold.xlsx" else rows):
                sheet.write_row(k, 0, row)
    assert message in fails(command, *files)


@pytest.mark.parametrize("command", ["score", "rank"])
def test_a_table_beside_the_items(tmp_path, monkeypatch, write, run, command):
    import xlsxwriter

    monkeypatch.chdir(tmp_path)
    gold = write("gold.csv", "\n".join([*HEAD, *items(TRUE)]))
    for file in ("a.xlsx", "b.xlsx")[: 1 if command == "score" else 2]:
        with xlsxwriter.Workbook(file) as book:
            sheet = book.add_worksheet()
            sheet.write_row(0, 0, ["id", "label", None, "class", "count"])
            for k, (i, v) in enumerate(zip(IDS, SIDES[file[0]], strict=True), 1):
                sheet.write_row(k, 0, [i, v])
            sheet.write_row(1, 3, ["pos", 16])
    done = run(command, gold, *(["a.xlsx"] if command == "score" else ["a.xlsx", "b.xlsx"]))
    assert "dtype" not in done.stderr + done.stdout
    assert "__UNNAMED" not in done.stderr + done.stdout
