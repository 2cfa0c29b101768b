"""Files that fit together and can hardly be meant: the truth as a run, other labels, headers."""

import json
import os

import pytest

GOLD = ["a", "b", "c", "a", "b", "c", "a", "b", "a", "b"]
A = ["a", "b", "c", "a", "b", "a", "a", "c", "a", "b"]
B = ["a", "c", "c", "a", "b", "c", "b", "b", "a", "a"]
UPPER = [v.upper() for v in A]
FINE = [f"{v}.1" for v in A]


def lines(labels):
    return "\n".join(labels) + "\n"


@pytest.fixture(autouse=True)
def folder(write):
    named = {"gold": GOLD, "a": A, "b": B, "upper": UPPER, "fine": FINE, "copy": GOLD}
    for name, labels in named.items():
        write(f"{name}.txt", lines(labels))
    rows = zip(range(10), GOLD, A, B, UPPER, GOLD, strict=True)
    header = "id,gold,a,b,upper,copy\n"
    write("wide.csv", header + "".join(",".join(map(str, row)) + "\n" for row in rows))


DRAWN = ("--replicates", "50")
SEVERAL = {
    "compare": ("compare", *DRAWN),
    "rank": ("rank", *DRAWN),
    "report": ("report", "--format", "markdown", "--output", "-", *DRAWN),
}
several = pytest.mark.parametrize("command", SEVERAL.values(), ids=SEVERAL)
ONE = {
    "score": ("score",),
    "twins": ("twins",),
    "calibrate": ("calibrate",),
    "shift": ("shift", "--to", "uniform"),
    "report": ("report", "--format", "markdown", "--output", "-"),
}
one = pytest.mark.parametrize("command", ONE.values(), ids=ONE)


@pytest.fixture(params=["same", "other spelling", "symbolic link", "hard link"])
def truth(request, here):
    """The truth by another name of its file."""
    if request.param == "symbolic link":
        os.symlink("gold.txt", "link.txt")
    if request.param == "hard link":
        os.link("gold.txt", "link.txt")
    names = {"same": "gold.txt", "other spelling": f"../{here.name}/gold.txt"}
    return names.get(request.param, "link.txt")


@several
def test_the_truth_is_no_run(fails, run, command, truth):
    files = ("gold.txt", "a.txt", "b.txt", truth)
    message = f"{truth} is the truth itself, expected predictions"
    assert fails(*command, *files) == f"{message}; --keep-going goes on without it"
    result = run(*command, *files, "--keep-going")
    name = "link" if "link" in truth else "gold"
    assert result.exit_code == 1
    assert f"left out {name}: {message}\n" in result.stderr
    assert "warning" not in result.stderr.replace("warning: left out", "") or "few" in result.stderr


@one
def test_the_truth_is_no_run_of_one_system(fails, command, truth):
    message = fails(*command, "gold.txt", truth)
    assert message == f"{truth} is the truth itself, expected predictions"


def test_the_truth_is_not_counted_against_itself(fails):
    assert fails("count", "gold.txt", "gold.txt").startswith("gold.txt is the truth itself")


def test_another_column_of_the_file_of_the_truth(run, fails):
    files = ("score", "wide.csv", "wide.csv", "--id", "id", "--true", "gold", "--pred")
    assert run(*files, "a").exit_code == 0
    message = fails(*files, "gold")
    assert message == "wide.csv, column 'gold' is the truth itself, expected predictions"


@several
def test_a_copy_of_the_truth_is_named(run, command):
    result = run(*command, "gold.txt", "a.txt", "copy.txt")
    assert result.exit_code == 0
    assert "warning: copy: no errors at all; is it a copy" in result.stderr
    if command[0] == "report":
        assert "copy: no errors at all" in result.stdout.lower()


@several
def test_a_column_that_copies_the_truth_is_named(run, command):
    result = run(*command, "wide.csv", "--true", "gold", "--pred", "a", "--pred", "copy")
    assert "warning: copy: no errors at all" in result.stderr


@one
def test_a_copy_of_the_truth_alone(run, command):
    result = run(*command, "gold.txt", "copy.txt")
    assert result.exit_code == 0
    assert "warning: copy: no errors at all" in result.stderr


def test_a_copy_as_a_fact(run):
    result = run("rank", "gold.txt", "a.txt", "copy.txt", *DRAWN, "--format", "json")
    notes = json.loads(result.stdout)["warning_codes"]
    assert {"code": "equal_to_truth", "systems": ["copy"]} in notes


def test_one_slip_is_no_copy(run, write):
    write("slip.txt", lines([*GOLD[:-1], "a"]))
    assert "every label" not in run("score", "gold.txt", "slip.txt").stderr
    sets = '{"l": ["a"]}\n{"l": ["a", "b"]}\n'
    files = write("x.jsonl", sets), write("y.jsonl", sets.replace('"a", "b"', '"b"'))
    assert "every label" not in run("score", *files, "--label", "l").stderr


CASE = (
    "{} shares no label with {}: expected such as 'a', 'b', 'c', got 'A', 'B', 'C'; they differ in "
    "case, which --ignore-case ignores"
)
OTHER = (
    "{} shares no label with {}: expected such as 'a', 'b', 'c', got 'a.1', 'b.1', 'c.1'; --map "
    "FILE gives labels other names"
)


@several
def test_a_run_of_other_labels(fails, run, command):
    assert fails(*command, "gold.txt", "a.txt", "fine.txt") == OTHER.format("fine.txt", "gold.txt")
    files = ("gold.txt", "a.txt", "upper.txt", "b.txt", "fine.txt")
    message = fails(*command, *files)
    assert message.startswith("2 of 4 files cannot be read: ")
    for text, name in ((CASE, "upper.txt"), (OTHER, "fine.txt")):
        assert text.format(name, "gold.txt") in message
    result = run(*command, *files, "--keep-going")
    assert result.exit_code == 1
    assert f"left out upper: {CASE.format('upper.txt', 'gold.txt')}\n" in result.stderr
    assert f"left out fine: {OTHER.format('fine.txt', 'gold.txt')}\n" in result.stderr
    assert "never occur" not in result.stderr


@several
def test_a_column_of_other_labels(fails, run, command):
    asked = [*command, "wide.csv", "--true", "gold"]
    asked += [part for c in ("upper", "a", "b") for part in ("--pred", c)]
    message = CASE.format("wide.csv, column 'upper'", "wide.csv, column 'gold'")
    assert fails(*asked) == message
    assert fails(*asked, "--keep-going") == message
    assert run(*asked, "--ignore-case").exit_code == 0


def test_columns_with_other_names_are_systems(run, write):
    asked = ("rank", "wide.csv", "--true", "gold", "--id", "id", *DRAWN, "--format", "json")

    def names(*more):
        return [s["name"] for s in json.loads(run(*asked, *more).stdout)["systems"]]

    assert "upper" not in names()
    assert "upper" in names("--ignore-case")
    assert "upper" in names("--map", write("map.csv", "A,a\n"))


def test_systems_of_a_long_file_with_other_labels(fails, write):
    rows = [
        f"{i},{g},{p},{team}\n"
        for team, run in (("s/1", A), ("s/2", UPPER), ("t/1", B), ("u/1", FINE), ("v/1", A))
        for i, (g, p) in enumerate(zip(GOLD, run, strict=True))
    ]
    name = write("long.csv", "id,gold,label,team,run\n" + "".join(rows).replace("/", ","))
    asked = ("rank", name, "--true", "gold", "--pred", "label", "--system", "team", "--run", "run")
    message = fails(*asked, "--id", "id", *DRAWN, "--keep-going")
    assert "long.csv, column 'label', system 's/2' shares no label with" in message


@one
def test_one_system_of_other_labels(fails, run, command):
    assert fails(*command, "gold.txt", "upper.txt") == CASE.format("upper.txt", "gold.txt")
    assert fails(*command, "gold.txt", "fine.txt") == OTHER.format("fine.txt", "gold.txt")
    assert run(*command, "gold.txt", "upper.txt", "--ignore-case").exit_code == 0


def test_other_spaces(fails, write):
    gold = write("g.txt", "not spam\nspam\n")
    message = fails("score", gold, write("p.txt", "notspam\nnotspam\n"))
    assert message.endswith("differ in spaces or Unicode form; --map FILE gives labels other names")


def test_too_few_are_left(fails):
    message = fails("rank", "gold.txt", "a.txt", "upper.txt", "--keep-going")
    assert message.startswith("only 'a' is left: upper: upper.txt shares no label")
    message = fails("compare", "gold.txt", "fine.txt", "upper.txt", "--keep-going")
    assert message.startswith("no system is left: fine: fine.txt shares no label")


def test_a_class_that_is_listed_is_known(run, fails, write):
    gold, pred = write("g.txt", lines("aab")), write("p.txt", lines("ccc"))
    assert run("score", gold, pred, "--labels", "a,b,c").exit_code == 0
    assert fails("score", gold, pred, "--labels", "a,b").startswith(
        "p.txt shares no label with g.txt: expected such as 'a', 'b', got none of the classes"
    )


def test_label_sets_of_other_labels(fails, write):
    gold = write("g.jsonl", '{"l": ["a", "b"]}\n{"l": ["b"]}\n')
    pred = write("p.jsonl", '{"l": ["A"]}\n{"l": ["B", "A"]}\n')
    assert "differ in case, which --ignore-case ignores" in fails(
        "score", gold, pred, "--label", "l"
    )


def test_parts_of_a_count_may_look_strange(run, write):
    """A shard of a log may have one true class and another predicted."""
    for i, row in enumerate(("a,b", "b,a", "a,a")):
        write(f"part{i}.csv", f"gold,system\n{row}\n")
    result = run("count", "part*.csv", "--true", "gold", "--pred", "system")
    assert (result.exit_code, result.stderr) == (0, "")


HEADER = "warning: line 1 of {} occurs nowhere else: if it is a header, remove it\n"


def test_a_header_of_the_truth_alone(fails, run, write):
    gold = write("g.txt", lines(["label", *GOLD]))
    pred = write("p.txt", lines(["a", *A]))
    assert fails("score", gold, pred).startswith(
        "g.txt has 10 labels and p.txt has 11: they must have one each"
    )
    gold = write("g.txt", lines(["klasse", *GOLD]))
    assert HEADER.format("g.txt ('klasse')") in run("score", gold, pred).stderr


@pytest.mark.parametrize("command", [("score",), ("twins",), ("count",), ("calibrate",)])
def test_headers_of_both_files(run, write, command):
    for header in ("label", "prediction"):
        gold = write("g.txt", lines(["label", *GOLD]))
        pred = write("p.txt", lines([header, *A, *A][:11]))
        said = run(*command, gold, pred).stderr
        layout = "g.txt, p.txt (with a header ('label'))"
        if header != "label":
            layout = f"g.txt (with a header ('label')); p.txt (with a header ({header!r}))"
        assert f"note: file layout: {layout}\n" in said
        gold = write("g.txt", lines(["klasse", *GOLD]))
        pred = write("p.txt", lines(["klasse", *A, *A][:11]))
        assert (
            HEADER.format("g.txt ('klasse'), p.txt ('klasse')") in run(*command, gold, pred).stderr
        )


def test_headers_of_many_files(run, write):
    for header in ("label", "klasse"):
        files = [
            write(f"{n}.txt", lines([header, *GOLD[i:], *GOLD[:i]])) for i, n in enumerate("gxyz")
        ]
        said = run("rank", *files, *DRAWN).stderr
        if header == "label":
            assert "layout: g.txt, x.txt, y.txt, z.txt (with a header ('label'))\n" in said
        else:
            assert HEADER.format(", ".join(f"{n}.txt ('klasse')" for n in "gxyz")) in said


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ("abcabcab", "abcabcab"),
        ("xabcabab", "aabcabab"),  # a rare class among others
        ("xabababa", "axbababa"),  # predicted elsewhere
        ("xababxab", "aabababa"),  # twice
        ("xabababa", "abababax"),
    ],
)
def test_no_header(run, write, gold, pred):
    said = run("score", write("g.txt", lines(gold)), write("p.txt", lines(pred))).stderr
    assert "header" not in said


def test_a_first_label_that_both_files_share_is_none_where_others_stand_alone_too(run, write):
    done = run("score", write("g.txt", "a\nb\nc\n"), write("p.txt", "a\nb\nb\n"))
    assert done.exit_code == 0
    assert "header" not in done.stderr
