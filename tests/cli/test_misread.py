"""Files that are plain to a person, and once gave a confident wrong number; and their honest likes.

Each case is told apart from one that looks like it and must still be read.
"""

import json

import pandas as pd
import pytest

YES = ["yes", "no", "no", "yes", "yes", "no"] * 5
OTHER = ["yes", "no", "yes", "yes", "no", "no"] * 5


@pytest.fixture
def table(write):
    """Write a CSV file of columns, and give its name."""

    def make(path, /, **columns):
        rows = zip(*columns.values(), strict=True)
        lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
        return write(path, "\n".join(lines) + "\n")

    return make


@pytest.fixture
def answer(run):
    """The JSON that a command gives."""

    def call(*arguments):
        result = run(*arguments, "--format", "json")
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    return call


# agree: spellings, final labels, labels for none


@pytest.mark.parametrize(("zero", "one"), [("0.0", "1.0"), ("0", "1")])
def test_ratings_written_as_decimals_by_one_annotator_are_the_same(table, answer, zero, one):
    first = [i % 2 for i in range(60)]
    table("r.csv", r1=first, r2=[[zero, one][v] for v in first], r3=first)
    found = answer("agree", "r.csv")
    assert found["alpha"]["value"] == 1 and found["labels"] == ["0", "1"]
    assert bool(found["warnings"]) == (zero == "0.0")


def test_ratings_apart_in_case_are_said(table, answer):
    table("r.csv", r1=YES, r2=[v.title() for v in OTHER])
    assert answer("agree", "r.csv")["warnings"] == [
        "'No', 'no', 'Yes', 'yes' differ only in case, spaces or Unicode form, and were counted as "
        "different labels"
    ]
    table("r.csv", r1=YES, r2=OTHER)
    assert answer("agree", "r.csv")["warnings"] == []


@pytest.mark.parametrize("name", ["gold", "adjudicated", "final_label", "Consensus", "majority"])
def test_a_final_label_is_no_annotator(table, answer, name):
    table("r.csv", r1=YES, r2=OTHER, **{name: YES})
    found = answer("agree", "r.csv")
    assert found["annotators"] == ["r1", "r2"]
    assert found["warnings"] == [
        f"'{name}' left out: it looks like the final label (name the annotators to count it)"
    ]
    both = answer("agree", "r.csv", "--pred", "r1", "--pred", "r2", "--pred", name)
    assert both["annotators"] == ["r1", "r2", name]
    table("r.csv", r1=YES, **{name: OTHER})
    assert answer("agree", "r.csv")["annotators"] == ["r1", name]


def test_a_label_that_means_none_is_said(table, answer):
    table("r.csv", r1=YES, r2=[*OTHER[:-2], "NA", "N/A"])
    assert answer("agree", "r.csv")["warnings"] == [
        "'N/A', 'NA' was counted as a label: leave the cell empty where there is no rating"
    ]
    table("r.csv", r1=YES, r2=[*OTHER[:-2], "none", "neutral"])
    assert answer("agree", "r.csv")["warnings"] == []


# Confusion tables: totals, and what the corner says

MARGINS = "true,ham,spam,All\nham,80,20,100\nspam,10,90,100\nAll,90,110,200\n"
LEFT_OUT = "'{}' of the table was left out: it holds the sums of the others"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (MARGINS, "All"),
        (MARGINS.replace("All", "Grand Total"), "Grand Total"),
        ("true,ham,spam,Support\nham,80,20,100\nspam,10,90,100\n", "Support"),
        ("ham,spam,sum\n80,20,100\n10,90,100\n90,110,200\n", "sum"),
    ],
)
@pytest.mark.parametrize("verb", ["score", "twins"])
def test_totals_are_no_class(write, answer, verb, text, name):
    write("m.csv", text)
    found = answer(verb, "--matrix", "m.csv")
    assert found["warnings"] == [LEFT_OUT.format(name)]
    value = found["metrics"]["macro_f1"]["value"] if verb == "score" else found["macro_f1"]
    assert value == pytest.approx(0.849624060150376, abs=1e-12)


def test_a_class_called_all_is_a_class(write, answer):
    write("m.csv", MARGINS.replace("200", "7"))
    found = answer("score", "--matrix", "m.csv")
    assert found["n"] == 607 and found["warnings"] == []


@pytest.mark.parametrize("corner", ["Predicted", "prediction", "pred", r"predicted \ actual"])
def test_the_corner_says_that_rows_are_predicted(write, answer, fails, corner):
    cells = "neg,neu,pos\nneg,50,5,2\nneu,9,40,1\npos,8,3,60\n"
    write("m.csv", f"{corner},{cells}")
    write("plain.csv", f"class,{cells}")
    found = answer("score", "--matrix", "m.csv")
    turned = answer("score", "--matrix", "plain.csv", "--rows", "pred")
    assert found["metrics"] == turned["metrics"]
    assert found["warnings"] == [
        f"rows of the table were taken for predicted classes, as its corner says: {corner!r}"
    ]
    assert answer("score", "--matrix", "m.csv", "--rows", "pred")["metrics"] == turned["metrics"]
    assert fails("score", "--matrix", "m.csv", "--rows", "true") == (
        f"{corner!r} in the corner of the table says what its rows are: leave out --rows true, or "
        "give the corner another name"
    )


@pytest.mark.parametrize("corner", ["class", "true", "actual / predicted", ""])
def test_other_corners_leave_rows_true(write, answer, corner):
    write("m.csv", f"{corner},a,b\na,50,20\nb,10,60\n")
    found = answer("score", "--matrix", "m.csv")
    plain = answer("score", "--matrix", "50 20; 10 60")
    assert found["metrics"] == plain["metrics"] and found["warnings"] == []


# The order of files

X = ["x" if i % 3 else "y" for i in range(100)]
NEAR = [v if i % 7 else "y" for i, v in enumerate(X)]
FAR = ["x" if i % 4 else "y" for i in range(100)]


@pytest.fixture
def lined(write):
    """Write a file of one value a line, and give its name."""
    return lambda name, values: write(name, "".join(f"{v}\n" for v in values))


@pytest.mark.parametrize("name", ["gold.txt", "test-truth.txt", "ref.txt", "answer_key.txt"])
@pytest.mark.parametrize("verb", ["rank", "compare", "report", "gate --margin 0.02"])
def test_the_truth_comes_first(lined, fails, verb, name):
    lined("a.txt", NEAR), lined(name, X), lined("b.txt", FAR)
    verb, *options = verb.split()
    right = " ".join(["evenhand", verb, name, "a.txt", "b.txt", *options])
    line = fails(verb, "a.txt", name, "b.txt", *options)
    assert line.startswith(
        f"the truth comes first, and {name} is named as if it were that: {right}; if it holds "
    )


@pytest.mark.parametrize("name", ["y.txt", "test.txt", "val_labels.txt"])
def test_predictions_do_not_come_first(lined, fails, answer, name):
    lined("preds.txt", NEAR), lined(name, X)
    line = fails("score", "preds.txt", name)
    assert line.startswith(f"the truth comes first, and {name} is named as if it were that: ")
    assert accuracy(answer("score", name, "preds.txt")) == 0.9


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("gold.txt", "key-bert.txt"),
        ("test.txt", "gold.txt"),
        ("dev.txt", "pred_labels.txt"),
        ("a.txt", "goldfish.txt"),
        ("a.txt", "gold=gold.txt"),
        ("a.txt", "reference-model.txt"),
    ],
)
def test_other_names_say_nothing_of_the_order(lined, answer, first, second):
    lined(first, X), lined(second.removeprefix("gold="), NEAR)
    assert answer("score", first, second)["metrics"]["accuracy"]["value"] == 0.9


def test_names_of_columns_show_the_order(table, fails, answer):
    table("a.csv", id=range(100), prediction=NEAR), table("b.csv", id=range(100), label=X)
    assert fails("score", "a.csv", "b.csv") == (
        "the truth comes first, and a.csv has 'prediction', b.csv 'label': evenhand score b.csv "
        "a.csv; else evenhand score a.csv b.csv --true prediction --pred label"
    )
    assert answer("score", "b.csv", "a.csv")["metrics"]["accuracy"]["value"] == 0.9
    table("c.csv", id=range(100), answer=X), table("d.csv", id=range(100), label=NEAR)
    assert answer("score", "c.csv", "d.csv")["metrics"]["accuracy"]["value"] == 0.9


# Several labels, or an id and a label, in one text

SETS = [["a"], ["a", "b"], ["b", "c"], ["c"]]
TRUE_SETS, PRED_SETS = ([SETS[i % n] for i in range(60)] for n in (4, 3))
ALONE = "; texts are taken as they are where --labels A,B,… names the classes"


@pytest.mark.parametrize("written", [str, json.dumps, lambda v: f"{{{', '.join(v)}}}"])
def test_lists_as_text_are_no_labels(write, fails, answer, written):
    rows = zip(TRUE_SETS, PRED_SETS, strict=True)
    quoted = [[written(v).replace('"', '""') for v in row] for row in rows]
    lines = "".join(f'{i},"{t}","{p}"\n' for i, (t, p) in enumerate(quoted))
    write("a.csv", f"id,gold,pred\n{lines}")
    line = fails("score", "a.csv")
    assert line.endswith(f"look like lists: evenhand score a.csv --kind multi-label{ALONE}")
    sets = answer("score", "a.csv", "--kind", "multi-label", "--metric", "micro_f1")
    assert sets["metrics"]["micro_f1"]["value"] == pytest.approx(60 / 114, abs=1e-12)


def test_labels_with_bars_between_are_several(table, fails, answer):
    joined = [["|".join(v) for v in side] for side in (TRUE_SETS, PRED_SETS)]
    table("a.csv", id=range(60), gold=joined[0], pred=joined[1])
    assert fails("score", "a.csv") == (
        f"'a|b' looks like several labels: evenhand score a.csv --separator '|'{ALONE}"
    )
    texts = answer("score", "a.csv", "--labels", "a,a|b,b|c,c")
    assert texts["metrics"]["accuracy"]["value"] == 0.25


@pytest.mark.parametrize(
    "labels",
    [
        ["sport", "sport|football", "sport|tennis", "politics"],
        ["noun|sg", "noun|pl", "verb|sg", "verb|pl"],
        ["[1]", "[2]", "[3]", "{}"],
        ["not hate", "hate", "not sure", "x"],
    ],
)
def test_marks_in_labels_are_part_of_them(lined, answer, labels):
    lined("gold.txt", [labels[i % 4] for i in range(40)])
    lined("a.txt", [labels[i % 8 // 2] for i in range(40)])
    assert len(answer("score", "gold.txt", "a.txt")["labels"]) == 4


def test_an_id_and_a_label_in_a_line_are_two_columns(lined, fails, answer):
    lined("gold.txt", [f"d{i} {v}" for i, v in enumerate(X)])
    lined("a.txt", [f"d{i} {v}" for i, v in enumerate(NEAR)])
    assert fails("score", "gold.txt", "a.txt") == (
        "lines such as 'd0 y' look like an id and a label: evenhand score gold.txt a.txt "
        f"--delimiter ' '{ALONE}"
    )
    found = answer("score", "gold.txt", "a.txt", "--delimiter", " ")
    assert found["metrics"]["accuracy"]["value"] == 0.9
    lined("gold.txt", [f"d{i}:{v}" for i, v in enumerate(X)])
    lined("a.txt", [f"d{i}:{v}" for i, v in enumerate(NEAR)])
    line = fails("score", "gold.txt", "a.txt")
    assert line.startswith("lines such as 'd0:y' look like an id and a label: ")
    found = answer("score", "gold.txt", "a.txt", "--delimiter", ":")
    assert found["metrics"]["accuracy"]["value"] == 0.9


# Files counted twice


def test_copies_of_a_file_are_not_counted_twice(table, run, fails):
    columns = {"id": range(100), "gold": X, "pred": NEAR}
    table("a.csv", **columns), table("b.csv", **columns)
    assert fails("count", "?.csv", "--true", "gold", "--pred", "pred") == (
        "a.csv and b.csv hold the same bytes, and items would count twice: leave one out"
    )
    table("b.csv", **columns | {"id": range(100, 200)})
    assert run("count", "?.csv", "--true", "gold", "--pred", "pred").exit_code == 0
    (
        table("a.csv", gold=["x"] * 50, pred=["x"] * 50),
        table("b.csv", gold=["x"] * 50, pred=["x"] * 50),
    )
    assert run("count", "?.csv", "--true", "gold", "--pred", "pred").exit_code == 0


# Ids: row numbers under the name of ids, keys that are written differently, rows of totals

ORDER = [(i * 37 + 11) % 100 for i in range(100)]
SHUFFLED = [NEAR[i] for i in ORDER]


def accuracy(found):
    return found["metrics"]["accuracy"]["value"]


def test_row_numbers_named_as_ids_are_asked_about(table, fails, answer):
    table("gold.csv", id=range(100), label=X)
    table("a.csv", id=range(100), orig_id=ORDER, label=SHUFFLED)
    assert fails("score", "gold.csv", "a.csv") == (
        "a.csv has 'id' or 'orig_id' for 'id' of gold.csv: call the column of ids 'id' in both; "
        "--by-row takes rows as they stand"
    )
    table("a.csv", index=range(100), id=ORDER, label=SHUFFLED)
    assert accuracy(answer("score", "gold.csv", "a.csv")) == 0.9
    table("a.csv", id=range(100), rank=ORDER, label=NEAR)
    assert accuracy(answer("score", "gold.csv", "a.csv")) == 0.9


@pytest.mark.parametrize("name", ["url", "name", "text", "utterance", "time"])
def test_keys_that_are_written_differently_stop(table, fails, answer, name):
    table("gold.csv", **{name: [f"http:{i}" for i in range(100)], "label": X})
    table("a.csv", **{name: [f"https:{i}" for i in ORDER], "label": SHUFFLED})
    line = fails("score", "gold.csv", "a.csv")
    assert line.startswith(f"gold.csv and a.csv share 0 of 100 values of '{name}', which have ")
    assert line.endswith("are read with evenhand score gold.csv a.csv --by-row")
    table("a.csv", **{name: [f"http:{i}" for i in ORDER], "label": SHUFFLED})
    assert accuracy(answer("score", "gold.csv", "a.csv")) == 0.9


def test_a_last_row_of_totals_is_no_item(table, fails, answer):
    ids = [f"d{i}" for i in range(100)]
    table("gold.csv", id=[*ids, "Total"], label=[*X, "100"])
    table("a.csv", id=[*ids, "Total"], label=[*NEAR, "100"])
    assert fails("score", "gold.csv", "a.csv").startswith(
        "gold.csv, column 'label': the last row (Total, 100) is no item"
    )
    table("gold.csv", id=[*ids, "all"], label=[*X, "x"])
    table("a.csv", id=[*ids, "all"], label=[*NEAR, "x"])
    assert answer("score", "gold.csv", "a.csv")["n"] == 101


def test_rows_copied_several_times_are_no_items(table, fails, answer):
    text = [f"a text no {i}" for i in range(75)]
    columns = {"text": text * 4, "label": X[:75] * 4, "prediction": NEAR[:75] * 4}
    table("a.csv", **columns)
    assert fails("score", "a.csv") == (
        "a.csv has every 'text' 4 times (75 in 300 rows): evenhand score a.csv --cluster text; "
        "--by-row takes every row for an item"
    )
    assert answer("score", "a.csv", "--by-row")["n"] == 300
    once = table("b.csv", text=text, label=X[:75], prediction=NEAR[:75])
    assert answer("score", once)["n"] == 75
    aspect, labels = [i // 75 for i in range(300)], [X[(i + i // 75) % 100] for i in range(300)]
    aspects = table("c.csv", aspect=aspect, **columns | {"label": labels})
    assert answer("score", aspects, "--true", "label", "--pred", "prediction")["n"] == 300


@pytest.mark.parametrize("name", ["prompt", "input", "query"])
def test_prompts_that_several_settings_answer_are_no_items(table, fails, answer, name):
    prompts = {name: [f"what is {i}" for i in range(50)] * 2, "setting": ["a"] * 50 + ["b"] * 50}
    table("a.csv", **prompts, label=X[:50] * 2, prediction=NEAR)
    assert fails("score", "a.csv") == (
        f"a.csv has every {name!r} 2 times (50 in 100 rows): evenhand score a.csv --cluster {name}"
        "; --by-row takes every row for an item"
    )
    assert answer("score", "a.csv", "--cluster", name)["n"] == 100


def test_ids_that_the_truth_has_not_are_said_or_sorted(lined, table, fails, answer):
    lined("gold.txt", X)
    table("a.csv", id=[f"q{i:03d}" for i in ORDER], label=SHUFFLED)
    assert fails("score", "gold.txt", "a.csv") == (
        "a.csv numbers its rows in 'id', which are not in that order, and gold.txt has no ids: "
        "sort a.csv by 'id'; --by-row takes rows as they stand"
    )
    table("a.csv", file=[f"img{i}.png" for i in ORDER], label=SHUFFLED)
    assert fails("score", "gold.txt", "a.csv").startswith("a.csv numbers its rows in 'file', which")
    table("a.csv", id=[f"q{i:03d}" for i in range(100)], label=NEAR)
    assert accuracy(answer("score", "gold.txt", "a.csv")) == 0.9
    table("a.csv", id=[f"{7 * i % 100}-{i}" for i in range(100)], label=NEAR)
    assert (
        "a.csv: its ids are not used, since gold.txt has none: items are matched by row"
        in answer("score", "gold.txt", "a.csv")["warnings"]
    )


# Columns: a copy of the truth, a weak name beside none, scores, counts, bars


@pytest.mark.parametrize("verb", ["score", "rank", "compare", "report"])
def test_a_copy_of_the_truth_beside_a_system_is_asked_about(table, fails, verb):
    table("gold.csv", id=range(100), label=X)
    table("a.csv", id=range(100), label=X, llama3=NEAR)
    table("b.csv", id=range(100), label=NEAR)
    runs = ["a.csv"] if verb == "score" else ["a.csv", "b.csv"]
    more = ["-o", "r.html"] if verb == "report" else []
    line = fails(verb, "gold.csv", *runs, *more)
    assert line.startswith("a.csv has columns 'id', 'label', 'llama3': say which with evenhand ")
    assert line.endswith("--pred llama3")


def test_a_topic_is_not_taken_for_a_truth_that_has_another_name(table, fails, answer):
    table("a.csv", category=X[1:] + X[:1], prediction=NEAR, stance=X)
    line = fails("score", "a.csv")
    assert "--true category --pred prediction or " in line
    assert "--true stance --pred prediction or " in line
    table("a.csv", category=X, prediction=NEAR, age=[20 + i % 60 for i in range(100)])
    assert accuracy(answer("score", "a.csv")) == 0.9


def test_scores_between_two_classes_are_no_labels(table, fails, answer):
    flags = [int(v == "x") for v in X]
    table("gold.csv", id=range(100), label=flags)
    table("a.csv", id=range(100), prediction=[i % 11 / 10 for i in range(100)])
    assert fails("score", "gold.csv", "a.csv") == (
        "a.csv, column 'prediction' shares hardly a label with gold.csv, column 'label': expected "
        "such as '0', '1', got '0', '0.1', '0.2', '0.3', '0.4' and 6 more; numbers for classes are "
        "read with --probabilities A,B,…|PREFIX|COL"
    )
    table("gold.csv", id=range(100), label=[v + 0.5 for v in flags])
    table("a.csv", id=range(100), prediction=[v + 0.5 for v in flags[1:] + flags[:1]])
    assert answer("score", "gold.csv", "a.csv")["n"] == 100


def test_counts_of_pairs_are_no_items(table, fails, answer):
    table("a.csv", gold=list("aabb"), pred=list("abab"), n=[5, 1, 2, 7])
    assert fails("score", "a.csv") == (
        "a.csv has every pair of labels once, with a number in 'n': give counts as a matrix, with "
        "--matrix FILE"
    )
    table("a.csv", gold=list("aabb"), pred=list("abab"), n=[5, 1, 2, 7])
    assert answer("score", "a.csv", "--weights", "n")["n"] == 4
    table("a.csv", gold=list("aabbb"), pred=list("ababb"), n=[5, 1, 2, 7, 7])
    assert answer("score", "a.csv")["n"] == 5


def test_a_rule_of_markdown_is_no_item(write, fails):
    rows = "".join(f"| {t} | {p} |\n" for t, p in zip(X, NEAR, strict=True))
    write("a.md", "| gold | pred |\n|---|---|\n" + rows)
    assert fails("score", "a.md") == "a.md is a table in Markdown: take out the line of dashes"


# Sheets


def test_sheets_with_the_same_columns_are_asked_about(here, fails, answer):
    frame = pd.DataFrame({"id": range(100), "gold": X, "pred": NEAR})
    notes = pd.DataFrame({"note": ["made in May"]})

    def book(**sheets):
        with pd.ExcelWriter(here / "a.xlsx") as file:
            for name, sheet in sheets.items():
                sheet.to_excel(file, sheet_name=name, index=False)

    book(one=frame, two=frame[::-1])
    assert fails("score", "a.xlsx") == (
        "a.xlsx has several sheets with the same columns: say which is meant, 'a.xlsx#one', "
        "'a.xlsx#two'"
    )
    assert accuracy(answer("score", "a.xlsx#two")) == 0.9
    book(cover=pd.DataFrame(), data=frame)
    assert fails("score", "a.xlsx") == (
        "a.xlsx has an empty first sheet: say which is meant, 'a.xlsx#data'"
    )
    book(data=frame, notes=notes, empty=pd.DataFrame())
    assert "a.xlsx: sheet 'data' was read, and not 'notes'" in answer("score", "a.xlsx")["warnings"]
    book(data=frame, empty=pd.DataFrame())
    assert not [w for w in answer("score", "a.xlsx")["warnings"] if "sheet" in w]


def test_ids_in_a_column_without_a_name_are_ids(write, answer):
    for name, values in (("gold.csv", X), ("a.csv", NEAR)):
        pd.Series(values, name="label").to_frame().to_csv(name)
    warnings = answer("score", "gold.csv", "a.csv")["warnings"]
    assert "items are matched by the column without a name, 100 ids in common" in warnings
    assert not [w for w in warnings if "no ids" in w]


# What was taken for what, in JSON


def test_items_matched_by_a_column_without_a_name(write, answer):
    gold = write("gold.csv", ",label\n" + "".join(f"{i},{v}\n" for i, v in enumerate(YES)))
    rows = reversed(list(enumerate(OTHER)))
    pred = write("pred.csv", ",pred\n" + "".join(f"{i},{v}\n" for i, v in rows))
    read = answer("score", gold, pred)["read"]
    assert read["matched_by"] == "" and read["columns"][gold] == {"true": "label", "id": ""}
    assert answer("score", gold, pred, "--by-row")["read"]["matched_by"] == "row"


def test_objects_in_lines_of_a_text_file_are_objects(write, answer):
    gold = [json.dumps({"id": i, "label": v}) for i, v in enumerate(YES)]
    pred = [json.dumps({"label": v, "id": i}) for i, v in reversed(list(enumerate(YES)))]
    files = write("gold.txt", "\n".join(gold)), write("pred.txt", "\n".join(pred))
    assert answer("score", *files)["metrics"]["accuracy"]["value"] == 1


def test_an_answer_may_be_the_truth_or_the_prediction(table, fails):
    questions = [f"What is {i}?" for i in range(60)]
    name = table("a.csv", question=questions, answer=[*YES, *OTHER], prediction=[*OTHER, *YES])
    assert fails("score", name).endswith(
        f"say which with evenhand score {name} --true answer --pred prediction or evenhand score "
        f"{name} --true prediction --pred answer"
    )


def test_labels_written_with_and_without_decimals_in_one_column_are_said(table, answer):
    truth = [f"{i % 2}.0" if i < 30 else f"{i % 2}" for i in range(60)]
    table("a.csv", gold=truth, pred=[i % 2 for i in range(60)])
    found = answer("score", "a.csv", "--metric", "accuracy")
    said = "differ only in decimals, and were counted as different labels"
    assert f"'0', '0.0', '1', '1.0' {said}" in found["warnings"]
    assert found["metrics"]["accuracy"]["value"] == 0.5


@pytest.mark.parametrize("name", ["confidence", "max_prob", "Score"])
def test_rows_sorted_by_how_sure_they_are_stand_in_another_order(lined, table, fails, answer, name):
    lined("gold.txt", X)
    sure = [round(0.999 - i / 500, 3) for i in range(100)]
    for values in (sure, sure[::-1]):
        table("a.csv", label=SHUFFLED, **{name: values})
        assert fails("score", "gold.txt", "a.csv") == (
            f"a.csv is sorted by {name!r}, so its rows are not in the order of gold.txt: bring "
            "them into it, or give both files ids; --by-row takes rows as they stand"
        )
    table("g.csv", text=[f"text {i} of them" for i in range(100)], label=X)
    assert "so its rows are not in the order of g.csv" in fails("score", "g.csv", "a.csv")
    table("a.csv", label=NEAR, **{name: [sure[i] for i in ORDER]})
    assert accuracy(answer("score", "gold.txt", "a.csv")) == 0.9
    table("a.csv", label=NEAR, time=sure[::-1])
    assert accuracy(answer("score", "gold.txt", "a.csv")) == 0.9
