"""Bad input ends in one line that names the file, the place and what was expected."""

import polars as pl
import pytest

COLUMNS = ("--true", "gold", "--pred", "system")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "bad.txt is empty"),
        (b"a\n\nb\na\n", "bad.txt, line 2: expected a label, got an empty line"),
        (b"a\n  \nb\na\n", "bad.txt, line 2: expected a label, got an empty line"),
        (b"a\nb\n\xff\na\n", "bad.txt, line 3: expected UTF-8 text, got byte 0xff"),
        (b"a\0b\n", "bad.txt is a binary file, expected text"),
        ("a\nb\n".encode("utf-16-le"), "bad.txt has 2 labels and pred.txt has 4"),
        (b"a\nb\na\n", "bad.txt has 3 labels and pred.txt has 4: they must have one each"),
    ],
    ids=["empty", "empty line", "blank line", "not UTF-8", "binary", "UTF-16", "unequal"],
)
def test_lines(fails, write, lines, content, message):
    assert message in fails("score", write("bad.txt", content), lines[1])


def test_no_such_file(fails, lines):
    message = "nowhere.txt does not exist"
    assert fails("score", "nowhere.txt", lines[1]) == message
    assert fails("score", lines[0], "nowhere.txt") == message
    assert fails("score", "nowhere.txt", *COLUMNS) == message
    assert fails("score", "--matrix", "nowhere.txt") == message


def test_a_directory(fails, here, lines):
    (here / "folder").mkdir()
    message = "folder is a folder without Parquet files: name the files in it, such as folder/*"
    assert fails("score", "folder", lines[1]) == message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "bad.csv is empty"),
        ("gold,system\n", "no rows"),
        ("gold,system\na,a\nb,b,c\n", "bad.csv"),
        ("gold,system\na,a\nb\n", "bad.csv"),
        ('gold,system\n"a,a\nb,b\n', "bad.csv"),
        ("gold,system\na,a\n,b\n", "must not be null, got 1 null"),
        ("gold,other\na,a\n", "bad.csv has columns 'gold', 'other', expected 'system' too"),
        ("gold\na\n", "bad.csv has one column 'gold', expected 'system' too"),
        (b"gold,system\na,a\n\xff,a\n", "bad.csv, line 3: expected UTF-8 text, got byte 0xff"),
        (b"gold,system\n\0\1,a\n", "bad.csv"),
    ],
    ids=[
        "empty", "header only", "too many fields", "too few fields", "open quote", "null truth",
        "no such column", "one column", "not UTF-8", "binary",
    ],
)  # fmt: skip
def test_columns(fails, write, content, message):
    assert message in fails("score", write("bad.csv", content), *COLUMNS)


@pytest.mark.parametrize(
    ("name", "mark", "found"),
    [
        ("bad.csv", ";", "semicolons"),
        ("bad.csv", "\t", "tabs"),
        ("bad.csv", "|", "bars"),
        ("bad.tsv", ";", "semicolons"),
        ("bad.tsv", ",", "commas"),
    ],
)
def test_columns_separated_by_something_else(run, write, name, mark, found):
    write(name, f"gold{mark}system\na{mark}a\nb{mark}a\n")
    said = {"\t": r"\t"}.get(mark, mark)
    note = f"note: file layout: {name} (fields between {found})\n"
    for columns in (COLUMNS, ()):
        result = run("score", name, *columns)
        assert result.exit_code == 0, result.output
        assert note in result.stderr
        assert note not in run("score", name, *columns, "--delimiter", said).stderr


def test_no_hint_where_columns_are_told_apart(fails, write):
    name = write("bad.csv", "a;b,c\n1,2\n")
    message = "bad.csv has columns 'a;b', 'c', expected 'gold', 'system' too"
    assert fails("score", name, *COLUMNS) == message


def test_a_null_truth_names_the_row_and_an_option_that_exists(fails, write):
    message = fails("score", write("bad.csv", "gold,system\na,a\n,b\n"), *COLUMNS)
    assert "drop_null_truth=True" not in message


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ("x", "bad.csv, column w, row 2: expected a number, got 'x'"),
        ("", "bad.csv, column w, row 2: expected a number, got "),
        ("-1", "bad.csv"),
        ("nan", "bad.csv"),
        ("inf", "bad.csv"),
    ],
)
@pytest.mark.parametrize("by", [(), ("--by", "language")])
def test_weights(fails, write, weight, message, by):
    name = write("bad.csv", f"gold,system,w,language\na,a,1,en\nb,b,{weight},de\n")
    assert message in fails("score", name, *COLUMNS, "--weights", "w", *by)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("weight", [-1.0, float("inf"), 1e151, 1e-151])
@pytest.mark.parametrize(
    "command",
    [("score",), ("score", "--by", "gold"), ("score", "--interval", "bootstrap"), ("rank",)],
)
def test_weights_out_of_range_are_told_in_one_way(fails, tmp_path, kind, weight, command):
    if kind == "jsonl" and weight == float("inf"):
        pytest.skip("JSON has no such number")
    labels = {c: ["a", "b"] for c in ("gold", "system", "other")}
    frame = pl.DataFrame({**labels, "w": [1.0, weight]})
    name = tmp_path / f"x.{kind}"
    {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}[kind](
        name
    )
    also = ("--pred", "other") if command == ("rank",) else ()
    message = fails(command[0], name, *COLUMNS, *also, "--weights", "w", *command[1:])
    wanted = "expected a weight that is 0 or from 1e-150 to 1e+150, got"
    assert f"x.{kind}, column w, row 2: {wanted}" in message


@pytest.mark.parametrize(
    "asked",
    [
        ("score", "--metric", "f1:label=a,b"),
        ("score", "--metric", "f1:label=a,b=1"),
        ("score", "--metric", "macro_f1@a,b=0.2,c=0.8"),
        ("shift", "--to", "a,b=0.2,c=0.8"),
        ("calibrate", "--to", "a,b=0.2,c=0.8"),
    ],
)
def test_a_comma_in_a_label(fails, run, write, asked):
    files = [write(name, "a,b\nc\na,b\n") for name in ("g.txt", "p.txt")]
    command, option, text = asked
    assert fails(command, *files, option, text).endswith("; inside a label write \\, for ,")
    right = text.replace("a,b=1", "a,b").replace("a,b", "a\\,b")
    assert run(command, *files, option, right).exit_code == 0


def test_an_equals_sign_in_a_label(fails, write):
    files = [write(name, "a=b\nc\n") for name in ("g.txt", "p.txt")]
    message = fails("shift", *files, "--to", "a=b=0.2,c=0.8")
    assert message.endswith("must be a number, got 'b=0.2'; inside a label write \\= for =")


def test_columns_are_asked_for(fails, run, answers, write):
    for asked in ((answers,), (answers, "--true", "gold"), (answers, answers)):
        assert "'system' of answers.csv as predictions" in run("score", *asked).stderr
    write("x.csv", "x,y\n1,a\n2,b\n3,a\n")
    assert fails("score", "x.csv") == (
        "x.csv has columns 'x', 'y': say which with evenhand score x.csv --true COL --pred COL"
    )


def test_no_such_column(fails, answers):
    for name in ("--true", "--pred", "--weights", "--by"):
        chosen = {"--true": "gold", "--pred": "system", name: "nope"}
        flat = [part for pair in chosen.items() for part in pair]
        assert "expected 'nope' too" in fails("score", answers, *flat)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ("1 2; 3", "matrix, row 2: expected 2 numbers (the matrix has 2 rows), got 1"),
        ("1 2 3 4", "matrix, row 1: expected 1 number"),
        ("1 2; 3 x", "expected a number, got 'x'"),
        ("0x10 2; 3 4", "matrix, row 1: expected a number, got '0x10'"),
        ("1 2; 0x10 4", "matrix, row 2: expected a number, got '0x10'"),
        ("1 1_0 2; 3 4 5; 6 7 8", "matrix, row 1: expected a number, got '1_0'"),
        (f"{'9' * 5000} 2; 3 4", "matrix must hold finite counts, got inf at (0, 0)"),
        ("1 2; 3 -4", "matrix must hold counts ≥ 0, got -4"),
        ("1 2; 3 1e400", "matrix must hold finite counts, got inf at (1, 1)"),
        ("0 0; 0 0", "the table holds no items: there is nothing to score"),
        (";", "matrix is empty, expected rows of numbers"),
        ("", "empty"),
    ],
)
def test_matrix(fails, matrix, message):
    assert message in fails("score", "--matrix", matrix)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n3\n", "m.csv, row 2: expected 2 numbers (the matrix has 2 rows), got 1"),
        (
            ",a,b\na,1,2\nc,3,4\n",
            "m.csv: rows and columns must name the same classes, got 'a', 'c'",
        ),
        (",a,b\na,1,2\nb,3,x\n", "m.csv, row 2: expected a number, got 'x'"),
        ("a,a\n1,2\n3,4\n", "labels must be distinct, got 'a' more than once"),
        ("", "m.csv is empty"),
    ],
)
def test_matrix_file(fails, write, content, message):
    assert message in fails("score", "--matrix", write("m.csv", content))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--metric", "macro_f"), "no metric is called 'macro_f'; did you mean macro_f1"),
        (
            ("--metric", "f1"),
            "f1 is of one class: write f1:label=NAME, or macro_f1 for their mean, got 'f1'",
        ),
        (("--metric", "f1:label=z"), "label of f1 must be among 'a', 'b', got 'z'"),
        (("--metric", "macro_f1@a=1"), "missing 'b', for which 0 is left"),
        (("--classes", "z"), "--classes must be among 'a', 'b', got 'z'"),
        (("--exclude", "z"), "--exclude must be among 'a', 'b', got 'z'"),
        (("--exclude", "a", "--exclude", "b"), "--exclude leaves no class to average over"),
        (("--labels", "a"), "gold.txt must hold only the given labels 'a', got 'b'"),
        (("--labels", "a,b,a"), "labels must be distinct, got 'a' more than once"),
        (("--labels", ""), "labels must name at least one class, got none"),
        (
            ("--undefined", "2"),
            "Invalid value for '--undefined': '2' is not one of '0', '1', 'nan'",
        ),
        (("--interval", "bootstap"), "'none'; did you mean 'bootstrap'? (evenhand score --help)"),
        (("--format", "jsn"), "'html'; did you mean 'json'? (evenhand score --help)"),
        (("--format", "xml"), "Invalid value for '--format': 'xml' is not one of"),
        (("--digits", "x"), "Invalid value for '--digits'"),
        (("--true", "gold"), "gold.txt holds one label per line: it has no columns to name"),
        (
            ("--by", "x"),
            "gold.txt holds one label per line, but a column is asked for with --by COL",
        ),
        (("--rows", "pred"), "--rows says how a --matrix reads"),
        (("--matrix", "1 2; 3 4"), "--matrix takes no label files and no columns"),
        (("--nonsense",), "No such option"),
        (
            ("third.txt",),
            "Expected GOLD PRED, one file with --true and --pred, or --matrix; got 3 files",
        ),
    ],
)
def test_options(fails, lines, options, message):
    assert message in fails("score", *lines, *options)


@pytest.mark.parametrize("option", [("--weights", "w"), ("--by", "w"), ("--true", "g")])
def test_a_matrix_has_no_columns(fails, option):
    assert "no label files and no columns" in fails("score", "--matrix", "1 2; 3 4", *option)


def test_one_file_of_lines_is_not_enough(fails, lines):
    assert "give a file of truth and one of predictions" in fails("score", lines[0])
    assert "nowhere does not exist" in fails("score", "nowhere")
    assert "got 0 files" in fails("score")


def test_a_usage_error_says_where_help_is(fails):
    assert fails("score").endswith("(evenhand score --help)")
    assert "called 'scor'; did you mean 'score'? (evenhand --help)" in fails("scor")


def test_files_without_a_command(fails, tmp_path):
    gold = tmp_path / "gold.txt"
    gold.write_text("a\nb\n")
    assert fails(str(gold), "pred.txt") == "pred.txt does not exist"
    assert "No command or file is called 'golden.txt'" in fails("golden.txt")
    options = fails(str(gold), str(gold), "--metric", "mcc")
    assert f"evenhand score {gold} {gold} --metric mcc" in options


def test_two_files_of_ratings_are_to_be_joined(fails, tmp_path):
    for name in ("anna.txt", "ben.txt"):
        (tmp_path / name).write_text("a\nb\n")
    told = fails("agree", str(tmp_path / "anna.txt"), str(tmp_path / "ben.txt"))
    assert "one file, with a column for each annotator" in told


@pytest.mark.parametrize(
    "asked", [("--classes", "worred"), ("--positive", "worred"), ("--metric", "f1:label=worred")]
)
def test_near_misses_of_labels_are_named(fails, asked):
    matrix = ("--matrix", "8 1; 2 9", "--labels", "calm,worried")
    told = fails("score", *matrix, *asked)
    assert told.endswith("got 'worred'; did you mean 'worried'?")
    assert asked[0] == "--metric" or told.startswith(asked[0])


def test_a_hostile_file_name_does_not_reach_the_terminal(fails):
    assert fails("score", "\x1b]0;x\n", "y") == r"\x1b]0;x\n does not exist"


@pytest.mark.parametrize(
    "option",
    ["--true", "--pred", "--label", "--id", "--weights", "--cluster", "--by"],
)
def test_a_column_without_a_name(fails, answers, option):
    message = f"Invalid value for '{option}': a column must have a name, got an empty text"
    given = {"--true": "gold", "--pred": "system", option: ""}
    assert fails("score", answers, *(x for pair in given.items() for x in pair)).startswith(message)


@pytest.mark.parametrize("command", ["score", "twins", "count", "shift", "calibrate"])
def test_an_option_that_can_be_but_one_thing_is_given_once(fails, answers, command):
    said = fails(command, answers, *COLUMNS, "--true", "gold")
    assert said.startswith("--true is given 2 times, expected once")


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "gold.txt", "pred.txt", "pred.txt", "--cluster", ""),
        ("compare", "answers.csv", "--true", "gold", "--pred", "system", "--pred", ""),
        ("rank", "answers.csv", "--true", "gold", "--system", ""),
        ("rank", "gold.txt", "pred.txt", "--run", ""),
        ("rank", "answers.csv", "--true", "gold", "--by", ""),
        ("report", "gold.txt", "pred.txt", "--id", ""),
        ("count", "gold.txt", "pred.txt", "--weights", ""),
        ("twins", "gold.txt", "pred.txt", "--label", ""),
        ("calibrate", "gold.txt", "pred.txt", "--cluster", ""),
        ("shift", "gold.txt", "pred.txt", "--unlabelled", "pred.txt", "--unlabelled-pred", ""),
    ],
)
def test_a_column_without_a_name_in_every_command(fails, lines, answers, arguments):
    option = arguments[-2]
    message = f"Invalid value for '{option}': a column must have a name, got an empty text"
    assert fails(*arguments).startswith(message)


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "", "pred.txt"),
        ("score", "gold.txt", ""),
        ("score", "", *COLUMNS),
        ("compare", "gold.txt", "", "pred.txt"),
        ("rank", "", "pred.txt"),
        ("rank", "--tables", ""),
        ("report", "gold.txt", ""),
        ("twins", ""),
        ("count", "", *COLUMNS),
        ("merge", ""),
        ("audit", ""),
        ("calibrate", "gold.txt", "pred.txt", "--to", ""),
        ("shift", "gold.txt", "pred.txt", "--to", ""),
        ("shift", "gold.txt", "pred.txt", "--unlabelled", ""),
        ("shift", "gold.txt", "pred.txt", "--sweep", "a", "--against", ""),
        ("score", "gold.txt", "pred.txt", "--map", ""),
        ("score", "--matrix", ""),
    ],
)
def test_a_file_without_a_name(fails, lines, here, arguments):
    assert "a file must have a name, got an empty text" in fails(*arguments)


LISTS = '{"g": ["a"], "p": ["a", "b"], "q": ["b"]}\n{"g": ["b"], "p": ["b"], "q": ["b"]}\n'


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (("compare", "lists.jsonl", "--true", "g", "--pred", "p", "--pred", "q"), "g"),
        (("compare", "lists.jsonl", "lists.jsonl", "lists2.jsonl", "--label", "g"), "g"),
        (("rank", "lists.jsonl", "--true", "g", "--pred", "p", "--pred", "q"), "g"),
        (("rank", "lists.jsonl", "--true", "g"), "g"),
        (("rank", "lists.jsonl", "--true", "t", "--pred", "u", "--pred", "p"), "p"),
    ],
)
def test_lists_of_labels_where_one_is_needed(fails, write, arguments, where):
    write("lists.jsonl", LISTS.replace("{", '{"t": "x", "u": "x", '))
    write("lists2.jsonl", LISTS)
    assert fails(*arguments) == (
        f"lists.jsonl, column {where!r}: every item must have one label here, got List(String); "
        "score takes sets of labels, and --kind tokens one item a token"
    )


def test_columns_of_lists_are_no_systems(run, write):
    write("wide.jsonl", LISTS.replace("{", '{"t": "x", "s": "x", "r": "x", '))
    done = run("rank", "wide.jsonl", "--true", "t", "--replicates", "9")
    assert done.exit_code == 0
    assert "are no systems: 'g', 'p', 'q'; name one" in done.stderr


def test_unlabelled_lists(fails, write, lines):
    write("lists.jsonl", LISTS)
    assert fails("shift", *lines, "--unlabelled", "lists.jsonl", "--unlabelled-pred", "g") == (
        "lists.jsonl, column 'g' must hold one label per item, got List(String)"
    )


def test_labels_of_two_lines(run):
    found = run("score", "--matrix", "1 2; 3 4", "--labels", "a\nb")
    assert (found.exit_code, found.stdout) == (2, "")
    assert "Expected labels separated by commas, got 'a\\nb'" in found.stderr


@pytest.mark.parametrize("command", [("score", *COLUMNS), ("look",), ("agree",), ("plan",)])
def test_json_beyond_all_depth(fails, write, command):
    deep = write("deep.jsonl", '{"a":' * 900 + "1" + "}" * 900 + "\n")
    message = "deep.jsonl: expected JSON, got more than 100 levels of lists and objects"
    assert fails(command[0], deep, *command[1:]) == message


def test_a_table_cut_short_is_no_table_to_audit(fails, write, here):
    pl.DataFrame({"name": ["x"], "macro_f1": [0.5]}).write_parquet(here / "t.parquet")
    cut = write("cut.parquet", (here / "t.parquet").read_bytes()[:-9])
    assert fails("audit", cut).startswith("cut.parquet cannot be read: ")
