"""White space around the labels of a file is no part of them, whatever kind of file it is."""

import json

import numpy as np
import polars as pl
import pytest

import evenhand as eh

GOLD = ["a", "b", "a", "b", "c", "c", "a", "b"]
DATA = {
    "id": list("12345678"),
    "gold": GOLD,
    "A": ["a", "b", None, "b", "c", None, "b", "d"],
    "B": ["a", "a", "a", "b", None, "c", "a", "b"],
    "day": ["x", "y", "x", None, "y", "x", "y", None],
    "group": list("uuvvwwzz"),
    "w": ["1.5", "2", "1", "0.5", "1", "3", "1", "2"],
}
EXPECTED = eh.score(DATA["gold"], DATA["A"])["macro_f1"].value
BLANK = ["", " ", "\u3000 ", "  "]
AROUND = ["{} ", " {}", "{}", "\u00a0{}  "]
KINDS = {
    "csv": {},
    "tsv": {},
    "jsonl": {},
    "parquet": {},
    "arrow": {},
    "category.parquet": {"gold": pl.Categorical, "A": pl.Categorical, "day": pl.Categorical},
    "bytes.parquet": {"gold": pl.Binary, "A": pl.Binary, "B": pl.Binary, "group": pl.Binary},
}
"""Kinds of files, and columns with another type than text."""


def spaced(values, start=0):
    """The same labels with white space around them, and white space for those that are none."""
    return [
        BLANK[i % 4] if value is None else AROUND[i % 4].format(value)
        for i, value in enumerate(values, start)
    ]


def wide(data=DATA, start=0):
    """Items one a row, every column spaced in another way."""
    return pl.DataFrame({c: spaced(v, start + i) for i, (c, v) in enumerate(data.items())})


def long(data=DATA):
    """Items and systems one a row."""
    both = {c: data[c] * 2 for c in ("id", "gold")}
    return {**both, "label": data["A"] + data["B"], "team": ["A"] * 8 + ["B"] * 8}


def clean(data):
    return pl.DataFrame(data).fill_null("")


@pytest.fixture
def everywhere(write):
    """The clean tables as CSV, then the spaced ones as files of every kind."""

    def put(kind, types, *frames):
        for name, frame in zip(("x", "y", "long", "u"), frames, strict=True):
            held = {c: t for c, t in types.items() if c in frame.columns}
            write(f"{name}.{kind}", frame.cast(held), kind.rpartition(".")[2])

    turned = {c: v[::-1] for c, v in DATA.items()}
    unlabelled = {"A": DATA["A"]}
    put("clean.csv", {}, *map(clean, (DATA, turned, long(), unlabelled)))
    for kind, types in KINDS.items():
        put(kind, types, wide(), wide(turned, 1), wide(long(), 2), wide(unlabelled, 3))


DRAWN = ("--replicates", 20)
ONE = ("x", "--true", "gold", "--pred", "A")
TWO = ("x", "x", "--true", "gold", "--pred", "A")
BOTH = ("x", "--true", "gold", "--pred", "A", "--pred", "B", *DRAWN)
LONG = ("long", "--true", "gold", "--pred", "label", "--system", "team", *DRAWN)
WAYS = {
    "one file": ("score", *ONE),
    "slices": ("score", *ONE, "--by", "day"),
    "weights": ("score", *ONE, "--weights", "w"),
    "clusters": ("score", *ONE, "--cluster", "group"),
    "labels given": ("score", *ONE, "--labels", "a,b,c"),
    "two files": ("score", *TWO),
    "two files by id": ("score", "x", "y", "--true", "gold", "--pred", "A", "--id", "id"),
    "two files, clusters": ("score", *TWO, "--cluster", "group", *DRAWN),
    "twins": ("twins", *ONE),
    "calibrate": ("calibrate", *ONE),
    "shift": ("shift", *ONE, "--to", "uniform"),
    "compare": ("compare", *BOTH),
    "compare, weights": ("compare", *BOTH, "--weights", "w"),
    "rank": ("rank", *BOTH),
    "rank, unnamed": ("rank", "x", "--true", "gold", "--id", "id", *DRAWN),
    "rank by slices": ("rank", *BOTH, "--by", "day"),
    "rank long": ("rank", *LONG),
    "rank long by id": ("rank", *LONG, "--id", "id"),
    "unlabelled": ("shift", *ONE, "--unlabelled", "u", *DRAWN),
    "no case": ("score", *ONE, "--ignore-case"),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_every_kind_of_file_gives_the_same_numbers(everywhere, run, way):
    def said(kind):
        files = [f"{a}.{kind}" if a in ("x", "y", "long", "u") else a for a in way]
        result = run(*files, "--format", "json")
        assert result.exit_code == 0, (kind, result.output)
        found = json.loads(result.stdout) | {"read": None}  # which tells files apart
        return json.dumps(found).replace(f".{kind}", "")

    expected = said("clean.csv")
    assert {kind: said(kind) for kind in KINDS} == dict.fromkeys(KINDS, expected)
    if way[0] == "score" and not set(way) & {"--by", "--weights"}:
        found = json.loads(expected)["metrics"]["macro_f1"]["value"]
        assert found == EXPECTED


def test_a_map_is_of_labels_as_files_have_them(everywhere, run, write):
    write("map.json", '{" a": "A ", "b": " B"}')
    write("map.csv", "a,A\nb,B\n")
    for kind in KINDS:
        for name in ("map.json", "map.csv"):
            result = run("score", f"x.{kind}", *ONE[1:], "--map", name, "--format", "json")
            found = json.loads(result.stdout)
            assert [c["label"] for c in found["classes"]] == ["A", "B", "c", "d"]
            assert found["metrics"]["macro_f1"]["value"] == EXPECTED


def test_lines_have_spaces_too(write, run):
    write("g.txt", "".join(f"{v}\n" for v in spaced(GOLD)))
    write("p.txt", "".join(f"{v}\n" for v in GOLD[::-1]))
    write("q.jsonl", pl.DataFrame({"label": GOLD[::-1]}))
    for command in ("score", "twins"):
        lines, objects = (
            json.loads(run(command, *files, "--format", "json").stdout)
            for files in (("g.txt", "p.txt"), ("g.txt", "q.jsonl", "--pred", "label"))
        )
        assert lines | {"read": None} == objects | {"read": None}
    assert lines["macro_f1"] == eh.macro_f1(GOLD, GOLD[::-1])


@pytest.mark.parametrize("kind", KINDS)
def test_a_truth_that_is_blank_is_none(write, count, fails, kind):
    data = {"gold": ["a", " ", "b"], "A": ["a", "a", ""], "B": ["b", "b", "b"]}
    frame = pl.DataFrame(data).cast({c: t for c, t in KINDS[kind].items() if c in data})
    name = write(f"x.{kind}", frame, kind.rpartition(".")[2])
    columns = ("--true", "gold", "--pred", "A")
    for command in (("count", name), ("score", name), ("score", name, name)):
        said = fails(*command, *columns)
        assert f"{name}, column 'gold' must not be null, got 1 null" in said
    found = count(name, *columns, "--drop-null-truth")
    assert found.cells == {("a", "a"): 1, ("b", None): 1}
    assert (found.missing, found.dropped) == (1, 1)
    assert "must not be null" in fails("rank", name, *columns, "--pred", "B")


@pytest.mark.parametrize("kind", KINDS)
def test_blank_ids_clusters_and_systems_are_none(write, fails, kind):
    frame = pl.DataFrame({"gold": ["a", "b"], "A": ["a", "b"], "id": ["1", " "]})
    name = write(f"x.{kind}", frame, kind.rpartition(".")[2])
    columns = ("--true", "gold", "--pred", "A")
    assert fails("score", name, name, *columns, "--id", "id") == (
        f"{name}, column id: 1 row without an id"
    )
    assert "row 2: expected a cluster, got none" in fails(
        "score", name, *columns, "--cluster", "id"
    )
    assert fails("rank", name, *columns, "--system", "id") == (
        f"{name}, column id, row 2: expected a name, got none"
    )


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "arrow"])
def test_lists_of_labels(write, run, fails, kind):
    gold, guess = [[" a", "b", "b "], ["c"], []], [["a"], ["c ", "\u3000b"], [" a "]]
    x = write(f"x.{kind}", pl.DataFrame({"gold": gold, "A": guess}))
    asked = ("score", x, *ONE[1:], "--kind", "multi-label")
    found = json.loads(run(*asked, "--format", "json").stdout)["metrics"]
    sets = [[{v.strip() for v in row} for row in side] for side in (gold, guess)]
    assert found["macro_f1"]["value"] == eh.macro_f1(eh.MultiLabel.from_indicators(*sets))
    guess[1].append(" ")
    x = write(f"x.{kind}", pl.DataFrame({"gold": gold, "A": guess}))
    assert fails(*asked) == (
        f"x.{kind}, column 'A', row 2: expected a list of labels, got ['c', 'b', None]"
    )


def test_types_stay_what_they_are(write, count):
    for values in ([1, 2, 2], [True, False, True], [0.5, 1.5, 1.5]):
        for kind in ("jsonl", "parquet", "arrow"):
            x = write(f"x.{kind}", pl.DataFrame({"gold": values, "A": [" ", "", None]}))
            assert count(x, *ONE[1:]).cells == {(v, None): values.count(v) for v in values}


def test_probabilities_under_spaced_names(write, run):
    write("g.txt", "a\nb\na\nb\n")
    write("p.txt", "a\nb\nb\nb\n")
    write("u.csv", "a,b\n0.5,0.5\n0.25,0.75\n")
    write("v.csv", "a , b\n0.5 , 0.5\n 0.25,0.75\n")
    u, v = (
        json.loads(run("shift", "g.txt", "p.txt", "--unlabelled", f, "--format", "json").stdout)
        for f in ("u.csv", "v.csv")
    )
    assert u == v


def test_data_in_memory_are_taken_as_they_are(here):
    true, pred = ["a", " a", ""], [" a", " a", "a"]
    frame = pl.DataFrame({"t": true, "p": pred})
    frame.write_parquet("x.parquet")
    for table in (
        eh.Confusion.from_labels(true, pred),
        eh.Confusion.from_labels(np.array(true), np.array(pred)),
        eh.Confusion.from_frame(frame, true="t", pred="p"),
        eh.Confusion.from_frame(pl.scan_parquet("x.parquet"), true="t", pred="p"),
    ):
        assert table.labels == ("", " a", "a")
        assert (table.missing, table.outside.sum()) == (0, 0)
    assert eh.Sample.from_labels(true, {"A": pred}).labels == ("", " a", "a")
