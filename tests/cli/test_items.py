"""Which row belongs to which, and which column is what, without an option that says so."""

import json
import random
import shlex

import pytest

LABELS = "abcd"
COMMANDS = ["score", "rank", "compare", "gate", "report"]


@pytest.fixture(scope="module")
def data():
    """True labels by id, and what two systems predict: right on 70 % and on 60 %."""
    rng = random.Random(7)
    gold = {f"t{i}": rng.choice(LABELS) for i in range(300)}
    runs = [
        {i: t if rng.random() < share else rng.choice(LABELS) for i, t in gold.items()}
        for share in (0.6, 0.4)
    ]
    return gold, *runs


def table(rows, *header, mark=",", shuffled=True):
    """Rows of ids and labels as text, in an order of their own."""
    lines = [mark.join(row) for row in rows]
    if shuffled:
        random.Random(3).shuffle(lines)
    return "\n".join([mark.join(header), *lines] if header else lines) + "\n"


@pytest.fixture
def files(write, data):
    gold, one, two = data
    write("gold.csv", table(gold.items(), "id", "label", shuffled=False))
    write("one.csv", table(one.items(), "ID", "label"))
    write("two.csv", table(two.items(), "id", "Prediction"))
    write("bare.csv", table(((label, i) for i, label in one.items())))
    for name, system in (("gold", gold), ("one", one), ("two", two)):
        write(f"{name}.txt", "\n".join(system.values()) + "\n")
    for name, column, system in (("gold", "label", gold), ("one", "prediction", one)):
        lines = [json.dumps({"id": i, column: label}) for i, label in system.items()]
        write(f"{name}.jsonl", "\n".join(lines[::-1] if name == "one" else lines) + "\n")
    return "gold.csv", "one.csv", "two.csv"


def options(command):
    """What a command needs beside its data."""
    few = () if command == "gate" else ("--replicates", 20)
    more = {"gate": ("--margin", 0.5), "report": ("--output", "report.md")}.get(command, ())
    return *few, *more, *(() if command == "report" else ("--format", "json"))


@pytest.fixture
def values(run, here):
    """The macro F1 of each system, and the warnings, whichever command is run."""

    def call(command, *arguments):
        result = run(command, *arguments, "--metric", "macro_f1", *options(command))
        assert result.exit_code == 0, result.output
        if command == "report":
            text = (here / "report.md").read_text()
            return text, result.stderr
        found = json.loads(result.stdout)
        if command == "score":
            return [found["metrics"]["macro_f1"]["value"]], found
        if command == "rank":
            by_name = {s["name"]: s["scores"]["macro_f1"]["value"] for s in found["systems"]}
            return [by_name[name] for name in sorted(by_name)], found
        if command == "compare":
            return found["pairs"][0]["values"], found
        return found["checks"][0]["values"], found

    return call


@pytest.mark.parametrize("command", COMMANDS)
def test_ids_in_both_files_match_the_items(values, files, command):
    runs = files[1:2] if command == "score" else files[1:]
    right, _ = values(command, "gold.txt", *(r.replace("csv", "txt") for r in runs))
    matched, found = values(command, files[0], *runs)
    by_row, other = values(command, files[0], *runs, "--by-row")
    if command == "report":
        assert "items are matched by column 'id' (elsewhere 'ID'), 300 ids in common" in found
        assert "matched" not in other
        return
    assert matched == right
    assert by_row != right
    assert found["read"]["matched_by"] == "id"
    assert found["read"]["columns"]["one.csv"] == {"pred": ["label"], "id": "ID"}
    assert found["read"]["files"] == list(files[: 1 + len(runs)])
    assert found["read"]["layout"]["gold.csv"] == {
        "format": "csv", "header": True, "delimiter": ",", "encoding": "utf-8",
    }  # fmt: skip
    assert other["read"]["matched_by"] == "row"
    codes = {w["code"] for w in found["warning_codes"]}
    assert {"matched_by_id", "columns_taken"} <= codes


def test_the_reproductions(values, files):
    (right,), _ = values("score", "gold.txt", "one.txt")
    asked = ("--true", "label", "--pred", "prediction")
    assert values("score", "gold.jsonl", "one.jsonl", *asked)[0] == [right]
    assert values("score", "gold.jsonl", "one.jsonl")[0] == [right]
    (bare,), found = values("score", "gold.csv", "bare.csv")
    assert bare == right
    assert found["read"]["columns"]["bare.csv"] == {"pred": ["1"], "id": "2"}
    assert "'label' of gold.csv as truth; '1' of bare.csv as predictions" in str(found)


def test_runs_of_every_layout_at_once(values, files):
    right = [values("score", "gold.txt", name)[0][0] for name in ("one.txt", "two.txt")]
    found, board = values("rank", "gold.csv", "bare.csv", "one.csv", "one.txt", "two.csv")
    assert found == [right[0], *[right[0]] * 2, right[1]]
    assert "one.txt: no ids, so rows are matched in the order of gold.csv" in str(board["warnings"])


def test_a_run_that_lacks_items(fails, values, files, write, data):
    write("less.csv", table(list(data[1].items())[:-3], "id", "label"))
    assert fails("score", "gold.csv", "less.csv") == (
        "less.csv lacks 3 ids of gold.csv: 't297', 't298', 't299'; --missing wrong counts them "
        "as errors"
    )
    assert values("score", "gold.csv", "less.csv", "--missing", "wrong")[1]["missing"] == 3


def test_two_columns_that_may_be_ids(fails, values, write, data):
    gold, one, _ = data
    rows = [[(i, i.replace("t", "q"), v) for i, v in side.items()] for side in (gold, one)]
    write("g.csv", table(rows[0], "id", "qid", "label"))
    write("p.csv", table(rows[1], "id", "qid", "label"))
    assert fails("score", "g.csv", "p.csv", "--label", "label") == (
        "g.csv and p.csv can be matched by 'id' or 'qid': evenhand score g.csv p.csv --label label "
        "--id id or evenhand score g.csv p.csv --label label --id qid or evenhand score g.csv "
        "p.csv --label label --by-row"
    )
    write("p.csv", table(rows[1], "id", "text", "label"))
    write("g.csv", table(rows[0], "id", "text", "label"))
    assert values("score", "g.csv", "p.csv")[1]["read"]["matched_by"] == "id"


def test_few_ids_in_common(fails, write, data):
    write("g.csv", table(data[0].items(), "id", "label"))
    other = {i if int(i[1:]) < 30 else f"x{i}": v for i, v in data[1].items()}
    write("p.csv", table(other.items(), "id", "label"))
    assert fails("score", "g.csv", "p.csv") == (
        "g.csv and p.csv share 30 of 300 values of 'id': evenhand score g.csv p.csv --id id or "
        "evenhand score g.csv p.csv --by-row"
    )


def test_ids_that_share_nothing(fails, values, write, data):
    write(
        "p.csv",
        table(((f"0{i[1:]}", v) for i, v in data[1].items()), "id", "label", shuffled=False),
    )
    write("g.csv", table(((i[1:], v) for i, v in data[0].items()), "id", "label", shuffled=False))
    assert fails("score", "g.csv", "p.csv") == (
        "g.csv and p.csv share 0 of 300 values of 'id': g.csv has '0' for '00' of p.csv; an id "
        "must be written alike in both"
    )


def test_the_index_of_pandas_is_no_id_where_there_is_one(values, write, data):
    for name, side in (("g.csv", data[0]), ("p.csv", data[1])):
        rows = list(side.items())
        rows = rows[::-1] if name == "p.csv" else rows
        numbered = [(str(n), *row) for n, row in enumerate(rows)]
        write(name, table(numbered, "", "id", "label", shuffled=False))
    (value,), found = values("score", "g.csv", "p.csv")
    assert found["read"]["matched_by"] == "id"
    write("g.txt", "\n".join(data[0].values()) + "\n")
    write("p.txt", "\n".join(data[1].values()) + "\n")
    assert values("score", "g.txt", "p.txt")[0] == [value]


@pytest.mark.parametrize("truth", ["label", "Gold", "TRUTH", "target", "y_true"])
@pytest.mark.parametrize("pred", ["prediction", "Pred", "answer", "choice", "output", "y_pred"])
def test_columns_of_one_file(values, write, data, truth, pred):
    gold, one, _ = data
    topics = ["law" if i % 2 else "art" for i in range(len(gold))]
    rows = zip(gold, topics, one.values(), gold.values(), strict=True)
    write("x.csv", table(rows, "id", "category", pred, truth))
    (taken,), found = values("score", "x.csv")
    assert found["read"]["columns"]["x.csv"] == {"true": truth, "pred": [pred]}
    assert found["warnings"][0] == (
        f"columns read: {truth!r} of x.csv as truth; {pred!r} of x.csv as predictions"
    )
    assert taken == values("score", "x.csv", "--true", truth.upper(), "--pred", pred)[0][0]


def test_columns_that_fit_more_than_one_reading(fails, write):
    write("x.csv", "one,two\n" + "a,a\nb,a\n" * 4)
    assert fails("score", "x.csv") == (
        "x.csv has columns 'one', 'two': say which with evenhand score x.csv --true one --pred two "
        "or evenhand score x.csv --true two --pred one"
    )
    write("y.csv", "x,y,z\n" + "1,2,p\n3,4,q\n" * 4)
    assert fails("score", "y.csv").endswith("evenhand score y.csv --true COL --pred COL")


@pytest.fixture(scope="module")
def graded():
    """40 questions, 5 samples of 3 models each, as rows."""
    rng = random.Random(5)
    gold = [rng.choice(LABELS) for _ in range(40)]
    share = [rng.random() for _ in gold]
    return [
        (f"q{q}", model, str(sample), gold[q], gold[q] if rng.random() < p else rng.choice(LABELS))
        for model, more in (("x", 0.2), ("y", 0.0), ("z", -0.1))
        for q in range(40)
        for sample in range(5)
        for p in [share[q] + more]
    ]


@pytest.fixture
def long(write, graded):
    return write(
        "long.csv",
        table(graded, "question_id", "model", "sample", "target", "answer", shuffled=False),
    )


SAYS = "--system model --sample sample --id question_id"


@pytest.mark.parametrize("command", COMMANDS)
def test_several_systems_and_samples_are_asked_about(fails, run, long, command):
    verb = "rank" if command == "score" else command
    needed = ("--margin", 0.5) if command == "gate" else ()
    message = fails(command, long, *needed)
    spelled = "".join(f" {word}" for word in needed)
    assert message == (
        "long.csv has several rows per item (3 systems in 'model', 40 values of 'question_id' in "
        f"600 rows): evenhand {verb} long.csv{spelled} --true target --pred answer {SAYS}; "
        "--by-row takes every row for an item"
    )


def test_the_command_that_the_error_shows(fails, run, long, graded):
    name, *words = shlex.split(fails("score", long).split("): ")[1].split(";")[0])
    assert name == "evenhand"
    result = run(*words, "--metric", "accuracy", "--replicates", 20, "--format", "json")
    found = json.loads(result.stdout)
    assert (found["items"], found["samples"]) == (40, 200)
    assert found["varies"] == ["clusters"]
    for system in found["systems"]:
        rows = [row for row in graded if row[1] == system["name"]]
        right = sum(row[3] == row[4] for row in rows) / len(rows)
        assert system["scores"]["accuracy"]["value"] == pytest.approx(right, abs=1e-12)


def test_samples_weigh_as_much_as_their_item(run, fails, write):
    write("s.csv", "id,sample,gold,pred\n1,1,a,a\n1,2,a,b\n1,3,a,b\n2,1,b,b\n3,1,a,a\n")
    assert fails("score", "s.csv") == (
        "s.csv has several rows per item (3 values of 'id' in 5 rows): evenhand score s.csv --true "
        "gold --pred pred --sample sample --id id; --by-row takes every row for an item"
    )
    asked = ("--sample", "sample", "--id", "id", "--metric", "accuracy", "--format", "json")
    found = json.loads(run("score", "s.csv", *asked).stdout)
    assert found["metrics"]["accuracy"]["value"] == pytest.approx((1 / 3 + 1 + 1) / 3)
    assert (found["items"], found["samples"]) == (3, 5)
    assert "--id" in fails("score", "s.csv", "--sample", "sample")


def test_samples_of_items_whose_truth_stands_apart(run, fails, write):
    write("gold.csv", "id,gold\n3,a\n1,a\n2,b\n")
    write("one.csv", "id,sample,pred\n1,1,a\n1,2,b\n2,1,b\n1,3,b\n3,1,a\n")
    write("two.csv", "id,sample,pred\n3,1,b\n1,3,a\n1,2,a\n1,1,a\n2,1,b\n")
    write("few.csv", "id,sample,pred\n3,1,b\n1,3,a\n1,1,a\n2,1,b\n")
    asked = ("--sample", "sample", "--id", "id")
    assert fails("score", "gold.csv", "one.csv") == (
        "one.csv: 'id' comes more than once (3 values in 5 rows): one row per item is expected; if "
        "these are samples of it: evenhand score gold.csv one.csv --sample sample --id id"
    )
    shown = ("--metric", "accuracy", "--format", "json")
    found = json.loads(run("score", "gold.csv", "one.csv", *asked, *shown).stdout)
    assert found["metrics"]["accuracy"]["value"] == pytest.approx((1 / 3 + 1 + 1) / 3)
    assert (found["items"], found["samples"]) == (3, 5)
    board = json.loads(run("rank", "gold.csv", "one.csv", "two.csv", *asked, *shown).stdout)
    values = {s["name"]: s["scores"]["accuracy"]["value"] for s in board["systems"]}
    assert values == pytest.approx({"one": (1 / 3 + 1 + 1) / 3, "two": 2 / 3})
    message = fails("rank", "gold.csv", "one.csv", "few.csv", *asked)
    assert message.startswith("few.csv lacks 1 id of gold.csv: '1'")


def test_an_id_that_repeats_without_samples(run, fails, write):
    write("s.csv", "id,gold,pred\n" + "1,a,a\n1,a,b\n2,b,b\n3,a,a\n")
    assert "--cluster id; --by-row" in fails("score", "s.csv", "--true", "gold", "--pred", "pred")
    assert run("score", "s.csv", "--by-row").exit_code == 0
    assert run("score", "s.csv", "--cluster", "id").exit_code == 0
    write("long.csv", "id,system,gold,pred\n" + "1,x,a,a\n1,x,a,b\n1,y,a,b\n1,y,a,a\n")
    message = fails("rank", "long.csv", "--system", "system", "--id", "id")
    assert message.endswith("--system COL, --sample COL, --run COL|PATTERN or --cluster COL")


@pytest.mark.parametrize("command", ["score", "rank"])
def test_ids_that_have_lost_digits(run, fails, write, command):
    ids = [1_600_000_000_000_000_000 + 7_919_777 * i**3 for i in range(1, 31)]
    labels = [("a", "b", "a")[i % 3] for i in range(30)]
    order = sorted(range(30), key=lambda i: i * 7 % 30)
    write("gold.csv", "id,label\n" + "".join(f"{ids[i]},{labels[i]}\n" for i in range(30)))
    for name, spell in (("short", "{:.5E}"), ("cut", "{}"), ("full", "{}")):
        own = [n // 10_000 * 10_000 if name == "cut" else n for n in ids]
        rows = "".join(f"{spell.format(own[i])},{labels[i]}\n" for i in order)
        write(f"{name}.csv", f"id,prediction\n{rows}")
    runs = ["short.csv", "full.csv"][: 2 if command == "rank" else 1]
    assert fails(command, "gold.csv", *runs) == (
        "short.csv: the ids in 'id' have lost digits, such as '1.60000E+18': a spreadsheet has "
        "taken them for numbers; export them as text; --by-row takes rows as they stand"
    )
    message = fails("score", "gold.csv", "cut.csv")
    assert "an id must be written alike in both, and spreadsheets keep 15 digits" in message
    assert run("score", "gold.csv", "full.csv").exit_code == 0
    write("lines.csv", "label\n" + "".join(f"{v}\n" for v in labels))
    assert run("score", "lines.csv", "short.csv").exit_code == 0


def test_an_id_that_repeats_after_many_rows(run, fails, write):
    rows = [f"t{i},{'ab'[i % 2]},a\n" for i in range(100_050)]
    write("once.csv", "id,gold,pred\n" + "".join(rows))
    assert run("score", "once.csv").exit_code == 0
    write("twice.csv", "id,gold,pred\n" + "".join([*rows, *rows[-40:]]))
    assert fails("score", "twice.csv") == (
        "twice.csv has several rows per item (100,050 values of 'id' in 100,090 rows): evenhand "
        "score twice.csv --true gold --pred pred --cluster id; --by-row takes every row for an item"
    )


def test_a_system_that_is_no_name_of_systems(run, write):
    write("x.csv", "id,gold,system,model\n" + "".join(f"{i},a,a,b\n{i}x,b,a,b\n" for i in range(4)))
    result = run("score", "x.csv", "--true", "gold", "--pred", "system")
    assert result.exit_code == 0, result.output


def test_look_proposes_what_tells_rows_apart(run, long, write):
    found = json.loads(run("look", long, "--format", "json").stdout)
    assert found["command"] == f"evenhand rank long.csv --true target --pred answer {SAYS}"
    write("team.csv", "id,label\n1,a\n2,b\n3,a\n")
    found = json.loads(run("look", "team.csv", "--format", "json").stdout)
    assert found["command"] == "evenhand score GOLD team.csv"
    assert [w["code"] for w in found["warning_codes"]] == ["truth_or_predictions"]
    write("j.csv", "id,category,judge,output,human\n" + "1,x,a,a,a\n2,y,b,a,b\n3,x,a,a,b\n")
    found = json.loads(run("look", "j.csv", "--format", "json").stdout)
    assert found["command"] == "evenhand score j.csv --true human --pred output"
