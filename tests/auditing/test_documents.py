"""Documents through the command line: what is read, what is shown of it, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from evenhand.auditing.headers import meaning, read_heading, segmented
from evenhand.auditing.numbers import PrintedValue, read_value
from evenhand.cli import group
from evenhand.errors import InputError
from evenhand.io.documents import tables_of

TWO = r"""
\begin{table}\caption{First}\begin{tabular}{lccc}
Model & P & R & F1 \\ \hline
A & 70.0 & 50.0 & 58.0 \\
\end{tabular}\end{table}
\begin{table}\caption{Second}\begin{tabular}{lccc}
Model & P & R & F1 \\ \hline
A & 70.0 & 50.0 & 90.0 \\
\end{tabular}\end{table}
"""


def run(*args: str, text: str | None = None) -> Result:
    return CliRunner().invoke(group, ["audit", *args], input=text)


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_several_tables(tmp_path: Path) -> None:
    path = write(tmp_path / "paper.tex", TWO)
    found = run(path)
    assert found.exit_code == 1
    assert found.stdout.startswith(f"{path}: 1 of 2 tables is suspicious\n")
    assert "First: nothing suspicious in 1 system" in found.stdout
    assert "Second: 1 of 1 system is suspicious" in found.stdout
    told = json.loads(run(path, "--format", "json").stdout)
    assert [t["caption"] for t in told["tables"]] == ["First", "Second"]
    assert [t["systems"][0]["ok"] for t in told["tables"]] == [True, False]
    with pytest.raises(InputError, match="has 2 tables: 'First', 'Second'"):
        eh.audit(path)
    assert [a.ok for a in eh.audits(path).values()] == [True, False]


def test_parts_of_the_data_are_tables(tmp_path: Path) -> None:
    text = (
        "             Dev              Test\n"
        "Model    Acc.  Macro-F1    Acc.  Macro-F1\n"
        "A        80.1    70.2      79.9    69.1\n"
    )
    found = eh.audits(text)
    assert list(found) == ["Dev", "Test"]
    assert [[c.taken_for for c in one.columns] for one in found.values()] == [
        ["accuracy", "reported_macro_f1"]
    ] * 2


def test_a_report_whose_spaces_are_lost() -> None:
    text = (
        "precision recall f1-score support\n0 0.80 0.80 0.80 5\n1 0.83 0.83 0.83 6\n"
        "accuracy 0.82 11\nmacro avg 0.82 0.82 0.82 11\n"
    )
    (one,) = eh.audits(text).values()
    assert {c.taken_for for c in one.columns} >= {"accuracy", "n", "support[1]", "recall[0]"}
    assert one.ok
    with pytest.raises(InputError, match="line 3: expected 5 fields as in the other rows, got 4"):
        eh.audits(text.replace("1 0.83 0.83 0.83 6", "1 0.83 0.83 6"))


def test_captions_that_come_twice_are_numbered() -> None:
    assert list(eh.audits(TWO.replace("Second", "First"))) == ["First", "First (2)"]


def test_standard_input() -> None:
    found = run("-", text="Model   Macro P  Macro R  Macro F1\nA   70.0   50.0   90.0\n")
    assert (found.exit_code, found.stdout[:14]) == (1, "standard input")


def test_what_columns_were_taken_for_stands_before_the_findings(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.md", "|Model|Acc.|Pos P|Pos R|Pos F|\n|-|-|-|-|-|\n|A|.7|.5|.5|.9|\n"
    )
    text = run(path).stdout
    assert text.index("Read as") < text.index("Cannot be reproduced")
    lines = [line.split() for line in text.splitlines()]
    assert ["Acc.", "accuracy"] in lines
    assert ["Pos", "P", "precision[Pos]"] in lines
    told = json.loads(run(path, "--format", "json").stdout)
    assert told["columns"] == [
        {"header": "Acc.", "taken_for": "accuracy"},
        {"header": "Pos P", "taken_for": "precision[Pos]"},
        {"header": "Pos R", "taken_for": "recall[Pos]"},
        {"header": "Pos F", "taken_for": "f1[Pos]"},
    ]


@pytest.mark.parametrize(
    ("row", "taken", "columns"),
    [
        (".900|.700|.500|.550", "macro", ["accuracy", "macro_precision", "macro_recall"]),
        (".900|.700|.500|.583", "one", ["accuracy", "precision[?]", "recall[?]", "f1[?]"]),
        (".500|.700|.500|.550", "weighted", ["accuracy", "weighted_precision", "weighted_recall"]),
    ],
)
def test_an_average_without_a_name_is_told_by_what_it_does(
    tmp_path: Path, row: str, taken: str, columns: list[str]
) -> None:
    """F1 of 2PR/(P+R) is of one class as well as of averages: that accuses nobody."""
    path = write(tmp_path / "t.md", f"|Model|Acc|P|R|F1|\n|-|-|-|-|-|\n|A|{row}|\n")
    found = run(path, "--format", "json")
    told = json.loads(found.stdout)
    (code,) = told["warning_codes"]
    assert (code["columns"], code["taken"]) == (["P", "R", "F1"], taken)
    assert [c["taken_for"] for c in told["columns"]][: len(columns)] == columns
    assert told["summary"]["formula"] != "f1_of_averages"
    assert "'P', 'R', 'F1': the headings do not say which average" in found.stderr


def test_one_class_with_a_slip_is_no_f1_of_averages(tmp_path: Path) -> None:
    """Nine rows of 2PR/(P+R) and one slip may be of one class; named, they are what they are."""
    rows = [(70 + i, 50 + i) for i in range(9)]
    lines = [f"|s{p}|{p}.00|{r}.00|{2 * p * r / (p + r):.2f}|" for p, r in rows]
    text = "\n".join(["|Model|P|R|F1|", "|-|-|-|-|", *lines, "|slip|70.00|50.00|57.00|", ""])
    told = json.loads(run(write(tmp_path / "t.md", text), "--format", "json").stdout)
    assert told["summary"]["formula"] is None
    named = text.replace("|P|R|F1|", "|Macro P|Macro R|Macro F1|")
    told = json.loads(run(write(tmp_path / "n.md", named), "--format", "json").stdout)
    assert told["summary"]["formula"] == "f1_of_averages"


def test_a_named_average_is_not_warned_of(tmp_path: Path) -> None:
    named = write(tmp_path / "n.md", "|Model|Macro P|Macro R|Macro F1|\n|-|-|-|-|\n|A|.7|.5|.58|\n")
    assert run(named).stderr == ""


def test_an_average_without_a_name_gives_way_to_one_with(tmp_path: Path) -> None:
    """As where a table has the scores of the positive class, and macro F1."""
    path = write(tmp_path / "t.md", "|Model|P|R|F1|Macro F1|\n|-|-|-|-|-|\n|A|.7|.5|.58|.64|\n")
    told = json.loads(run(path, "--format", "json").stdout)
    assert [c["header"] for c in told["columns"]] == ["Macro F1"]
    assert told["summary"]["unused"] == ["P", "R", "F1"]


def test_another_score_among_classes_is_no_class(tmp_path: Path) -> None:
    text = (
        "|Class|Precision|Recall|F1|Support|\n|-|-|-|-|-|\n|a|.80|.80|.80|5|\n|b|.83|.83|.83|6|\n"
        "|**Accuracy**|||.82|11|\n|Weighted F1|||.82||\n|Macro F1|||.82||\n"
        "|ROC-AUC (OvR)|||.999*||\n"
    )
    told = json.loads(run(write(tmp_path / "t.md", text), "--format", "json").stdout)
    assert [c["taken_for"] for c in told["columns"] if "f1" in c["taken_for"]] == [
        "f1[a]", "f1[b]", "weighted_f1", "reported_macro_f1"
    ]  # fmt: skip
    assert told["summary"]["unused"] == ["row ROC-AUC (OvR)"]
    assert told["systems"][0]["ok"]


def test_beside_classes_an_average_without_a_name_is_not_used(tmp_path: Path) -> None:
    """It may be weighted: the mean of .5 and .9 is not .85, and that is nobody's fault."""
    path = write(tmp_path / "t.csv", "name,P (a),P (b),P\nx,.5,.9,.85\n")
    found = run(path)
    assert found.exit_code == 0
    assert "Columns not used: P." in found.stdout


def test_spreads_make_means_of_runs(tmp_path: Path) -> None:
    """0.3333 is no share of 100 items; of runs on 100 items, a mean may be."""
    table = "name;accuracy;n\nx;0.3333{};100\n"
    assert run(write(tmp_path / "a.csv", table.format(""))).exit_code == 1
    path = write(tmp_path / "b.csv", table.format(" ± 0.02"))
    found = run(path)
    assert found.exit_code == 0
    assert "'accuracy': values with ± were taken as means over runs" in found.stderr
    assert "each row is the mean of some runs" in found.stdout
    assert run(path, "--runs", "1").exit_code == 1
    assert run(path, "--runs", "3").exit_code == 0
    assert run(path, "--runs", "3").stderr == ""


def test_map_says_what_headings_mean(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "name,Alpha,Beta,Gamma\nx,0.7,0.5,0.9\n")
    refused = run(path)
    assert (refused.exit_code, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert "--map HEADING=macro_f1 says what a heading means" in refused.stderr
    found = run(path, "--map", "alpha=macro_precision,Beta=macro_recall", "--map", "Gamma=macro_f1")
    assert found.exit_code == 1
    unused = run(path, "--map", "Alpha=macro_precision,Beta=macro_recall,Gamma=-")
    assert unused.exit_code == 0
    assert "Columns not used: Gamma." in unused.stdout


def test_map_goes_before_what_would_be_guessed(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "name,F1,Acc\nx,0.7,0.8\n")
    told = json.loads(run(path, "--map", "F1=weighted_f1", "--format", "json").stdout)
    assert [c["taken_for"] for c in told["columns"]] == ["weighted_f1", "accuracy"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--map", "F"), "--map takes HEADING=SCORE"),
        (("--map", "F=beauty"), "'beauty' is nothing that an audit knows"),
        (("--map", "Z=accuracy"), "has no heading 'Z'"),
    ],
)
def test_bad_words_about_headings(tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    found = run(write(tmp_path / "t.csv", "name,F\nx,0.7\n"), *options)
    assert (found.exit_code, found.stdout) == (2, "")
    assert message in found.stderr


def test_excel(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    frame = pl.DataFrame({"Model": ["a", "b"], "Acc.": [0.75, 0.5], "micro F1": [0.75, 0.25]})
    frame.write_excel(path)
    told = json.loads(run(str(path), "--format", "json").stdout)
    assert [(s["name"], s["ok"]) for s in told["systems"]] == [("a", True), ("b", False)]


def test_json_and_parquet(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"Model": ["a", "b"], "Acc.": ["0.75", "0.50"], "micro F1": ["0.75", "0.25"]}
    )
    frame.write_ndjson(tmp_path / "t.jsonl")
    frame.write_json(tmp_path / "t.json")
    frame.write_parquet(tmp_path / "t.parquet")
    for name in ("t.jsonl", "t.json", "t.parquet"):
        assert [s.ok for s in eh.audit(tmp_path / name).systems] == [True, False]


@pytest.mark.parametrize(
    "end",
    [r"\\", r"\\ \hline", r"\\\hline % x", r"\\[2pt] \cmidrule(lr){2-3}", r"\tabularnewline"],
)
def test_rows_of_latex_however_they_end(end: str) -> None:
    rows = ("Model & P & R & F1", "x & .50 & .60 & .55", "y & .40 & .60 & .48")
    (table,) = tables_of("\n".join(f"{row} {end}" for row in rows), "the text")
    assert table.rows == tuple(tuple(row.split(" & ")) for row in rows)


def test_latex_that_begins_with_a_brace(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.txt", "{\\small\nModel & Acc & micro F1 \\\\\nx & .50 & .60 \\\\ }\n"
    )
    assert run(path).exit_code == 2
    path = write(tmp_path / "t.txt", "{\\small\\begin{tabular}{lcc}\nModel & Acc & micro F1 \\\\\n"
                 "x & .50 & .60 \\\\ \\end{tabular}}\n")  # fmt: skip
    assert run(path).exit_code == 1


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.tex", r"\begin{tabular}{l} {a & b \\ 1 & 2 \\ \end{tabular}", "never closed"),
        ("t.tex", r"\begin{tabular}{l} a} & b \\ \end{tabular}", "closed that was never opened"),
        ("t.tex", r"\begin{tabular}{l} a & b \\", "is never ended"),
        ("t.tex", r"\begin{tabular}{l a & b \\ \end{tabular}", "never closed"),
        ("t.tex", r"\begin{tabular}{l}" + "{" * 99 + "}" * 99 + r" & b \\ \end{tabular}", "deep"),
        ("t.tex", r"\begin{tabular}{l}\multicolumn{x}{c}{P} & b \\ \end{tabular}", "a number in"),
        ("t.tex", r"\begin{tabular}{l}\multicolumn{9999}{c}{P} & b \\ \end{tabular}", "columns"),
        ("t.tex", "no table here", "has no table"),
        ("t.html", "<table>" * 99, "has no table"),
        ("t.html", "<p>nothing</p>", "has no table"),
        ("t.md", "# A heading\n\nand words", "has no table"),
        ("t.md", "|a|b|\n|-|-|\n|1|2|\n", "expected scores such as macro_f1"),
        ("t.md", "|Model|Acc|\n|-|-|\n|x|\x1b[31mgood|\n", "line 3, column Acc: expected a number"),
        ("t.md", "|Model|F1|F1|\n|-|-|-|\n|x|1|2|\n", "expected each column once, got 'F1'"),
        ("t.txt", "Model  P  R\nx  1\ny  1  2  3  4  5\n", "expected"),
        (
            "t.txt",
            "spam         ham\nModel   P    R    P    R\nx     0.5  0.6  0.5  0.6\n",
            "line 1: expected headings over the columns that they are of, got 'spam', 'ham'",
        ),
        ("t.txt", "words and\nmore words\n", "has no table"),
        ("t.txt", "\0\0", "binary"),
    ],
)
def test_what_is_no_table_is_one_clear_line(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    found = run(write(tmp_path / name, text))
    assert (found.exit_code, found.stdout, found.stderr.count("\n")) == (2, "", 1)
    assert message in found.stderr
    assert "\x1b" not in found.stderr


def test_a_table_in_a_table_is_one_of_its_own(tmp_path: Path) -> None:
    inner = "<table><tr><th>Model<th>Acc<th>micro F1<tr><td>x<td>.50<td>.60</table>"
    page = f"<table><tr><td>menu</td><td>{inner}</td></tr></table>"
    assert [a.ok for a in eh.audits(f"<html>\n{page}").values()] == [False]


def test_one_table_that_cannot_be_read_does_not_hide_the_others(tmp_path: Path) -> None:
    path = write(tmp_path / "t.tex", TWO.replace("58.0", "fine"))
    told = json.loads(run(path, "--format", "json").stdout)
    (code,) = [c for c in told["warning_codes"] if c["code"] == "table_not_read"]
    assert (code["caption"], "expected a number" in code["reason"]) == ("First", True)


@pytest.mark.parametrize(
    "text",
    [
        "&" + "\\\\[" * 20_000 + "\\\\\n",
        "{}" * 400_000 + " & b \\\\\nx & 1 \\\\\n",
        "\\begin{tabular}{l}" + "a & " * 3 + "\\\\ \n" * 20_000 + "\\end{tabular}",
        "|" + "*" * 200_000 + "|b|\n|-|-|\n|x|1|\n",
        "<table>" + "<tr><td rowspan=9999 colspan=9>1" * 300 + "</table>",
        ("a  " * 600 + "\n") * 50 + ("1  " * 600 + "\n") * 50,
        "Model  Acc\n" + "x  0.5\n" * 2_000,
    ],
    ids=["brackets", "braces", "rows", "stars", "spans", "columns", "lines"],
)
def test_hostile_documents_end(text: str) -> None:
    """Whatever comes of them: an answer or one clear line."""
    try:
        eh.audits(f"{text}\n", limit=1)
    except InputError as e:
        assert "\n" not in str(e)


WORDS = [
    "", "Model", "Class", "P", "R", "F1", "Macro F1", "Acc.", "support", "#", "accuracy",
    "macro avg", "weighted avg", "avg / total", "Average", "spam", "ham F1", "n",
    "κ", "Dev", "Test", "Metric",
    "0.5", ".75", "75,2", "75.2%", "75.2 ± 0.3", "3", "1,234", "–", "n/a", "x", "[0.1, 0.2]",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(150))
def test_whatever_a_table_holds_is_an_answer_or_one_line(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(1, 7)), int(rng.integers(1, 7))
    table = [[str(rng.choice(WORDS)) for _ in range(columns)] for _ in range(rows)]
    texts = [
        "\n".join(f"|{'|'.join(r)}|" for r in [table[0], ["-"] * columns, *table[1:]]) + "\n",
        "\\\\\n".join(" & ".join(r).replace("%", r"\%") for r in table) + "\\\\\n",
        "\n".join("   ".join(r) for r in table) + "\n",
        "\n".join("\t".join(r) for r in table) + "\n",
    ]
    for text in texts:
        try:
            assert list(eh.audits(text, limit=5))
        except InputError as e:
            assert "\n" not in str(e)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("75.2 ± 0.4", PrintedValue("75.2", "0.4")),
        ("75.2±0.4%", PrintedValue("75.2%", "0.4")),
        ("75.2 (0.4)", PrintedValue("75.2", "0.4")),
        ("75.2 (3)", PrintedValue("75.2")),
        ("64.7(103)", PrintedValue("64.7", "10.3")),
        ("0.752(4)", PrintedValue("0.752", "0.004")),
        ("75.2 [74.1, 76.3]*", PrintedValue("75.2", "", ("74.1", "76.3"))),
        ("(75.2)", PrintedValue("75.2")),
        ("†.752", PrintedValue(".752")),
        ("75.2¹", PrintedValue("75.2")),
        ("–", PrintedValue("–")),
        ("out of memory", PrintedValue("out of memory")),
    ],
)
def test_values(cell: str, value: PrintedValue) -> None:
    assert read_value(cell) == value


@pytest.mark.parametrize(
    ("heading", "taken"),
    [
        ("P", "macro_precision"), ("Prec.", "macro_precision"), ("Rec.", "macro_recall"),
        ("Acc.", "accuracy"), ("w-F1", "weighted_f1"), ("F1 (weighted)", "weighted_f1"),
        ("micro F", "micro_f1"), ("κ", "kappa"), ("Cohen’s kappa", "kappa"), ("MCC", "mcc"),
        ("UAR", "macro_recall"), ("Bal. Acc.", "balanced_accuracy"), ("F1 (spam)", "f1[spam]"),
        ("spam-F1", "f1[spam]"), ("P[a b]", "precision[a b]"), ("n", "n"),
        ("mAP", "other"), ("P@1", "other"), ("R²", "other"), ("F0.5", "other"), ("F2", "other"),
        ("AUC", "other"), ("Dev F1", "other"), ("PR-AUC", "other"), ("p-value", "other"),
        ("95% CI (Macro F1)", "other"), ("Val Loss", "other"), ("Test Accuracy", "accuracy"),
        ("Params", "other"), ("M", "other"), ("min_samples", "other"), ("Batch size", "other"),
        ("Size", "other"), ("Samples", "n"),
    ],
)  # fmt: skip
def test_headings(heading: str, taken: str) -> None:
    assert meaning([heading]).taken_for == taken


@pytest.mark.parametrize(
    "heading",
    ["F1", "F", "F-score", "F₁", "F-1", "macro-F1", "Macro F", "mF1", "Ma-F1", "F1-macro",
     "F1 (macro)", "Macro-averaged F1-score", "Macro avg. F1", "Avg. F1", "F1 ↑", "F1 (%)†",
     "Macro-F1 [95% CI]", "macro F1 (± std)", "eval/f1_macro", "test_f1_macro"],
)  # fmt: skip
def test_the_question_in_many_words(heading: str) -> None:
    assert meaning([heading]).name == meaning(["macro_f1"]).name


def test_headings_above_each_other() -> None:
    assert meaning(["Macro", "P"]).name == "macro_precision"
    assert meaning(["Weighted avg.", "F1"]).name == "weighted_f1"
    assert meaning(["not spam", "Rec."]).taken_for == "recall[not spam]"
    assert read_heading("weighted avg").average == "weighted"


def test_headings_run_together() -> None:
    words = "Model Acc. Macro Prec. Macro Rec. F1"
    assert segmented(words, 5) == ["Model", "Acc.", "Macro Prec.", "Macro Rec.", "F1"]


def test_a_word_in_parentheses_ends_a_heading() -> None:
    text = "Rank Team F1 (macro) Precision (macro) Recall (macro) Accuracy"
    parts = ["Rank", "Team", "F1 (macro)", "Precision (macro)", "Recall (macro)", "Accuracy"]
    assert segmented(text, 6) == parts


def test_classes_over_their_columns_and_one_average_in_text_of_a_pdf() -> None:
    text = """
              Good                Bad                 Macro
Model         P     R     F1      P     R     F1      F1
ours          50.0  50.0  50.0   75.0  75.0  75.0   62.5
theirs        60.0  60.0  60.0   70.0  70.0  70.0   65.0
"""
    (found,) = eh.audits(text).values()
    taken = [c.taken_for for c in found.columns]
    parts = ("precision", "recall", "f1")
    of_classes = [f"{part}[{label}]" for label in ("Good", "Bad") for part in parts]
    assert taken == [*of_classes, "reported_macro_f1"]


def test_tables_without_a_score_are_passed_over() -> None:
    text = "| Split | a | Total |\n|---|---|---|\n| test | 5 | 9 |\n"
    scores = "\n| Model | Acc |\n|---|---|\n| ours | 0.7 |\n"
    assert len(eh.audits(text + scores)) == 1
    with pytest.raises(InputError, match="expected scores such as"):
        eh.audits(text)


def test_what_is_no_table_does_not_hide_those_that_are() -> None:
    """Prose with numbers at the ends of its lines, before a table of a paper."""
    text = (
        "we find  that the  systems of 2019\nand then  4.2  0.75  12\n"
        "as was  seen 0.3  0.4  0.5  0.6  0.7\n\n"
        "Table 1: Results.\n"
        "System      macro P  macro R  macro F1\n"
        "A           77.42    76.13    76.77\n"
        "B           77.49    73.64    75.52\n"
    )
    found = eh.audits(text)
    assert [list(one) for one in found.values()] == [["A", "B"]]


def test_the_words_of_a_print_out_in_prose_are_none() -> None:
    table = "| System | P | R | macro F1 |\n|--|--|--|--|\n| A | 77.42 | 76.13 | 76.77 |\n"
    found = eh.audit(f"Predict what is\nActual\nthen, and not before.\n\n{table}")
    assert list(found) == ["A"]


def test_bars_without_outer_bars_or_a_rule_are_a_table() -> None:
    text = (
        "System | Prec. | Rec. | F1-macro\nBase | 61,2 | 58,4 | 59,8\nOurs | 74,1 | 72,6 | 78,9\n"
    )
    found = eh.audit(text)
    assert [c.taken_for for c in found.columns] == [
        "macro_precision", "macro_recall", "reported_macro_f1"
    ]  # fmt: skip
    assert [s.name for s in found.systems if not s.ok] == ["Ours"]
    prose = "see a | b\nand c | d\n\nSystem  P  R  F1\nx  61.2  58.4  59.8\ny  71.2  68.4  69.8\n"
    assert list(eh.audit(prose)) == ["x", "y"]
