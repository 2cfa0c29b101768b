"""Headings of other fields, frames of reports, parts of tables, marks."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.auditing.reported import WeightsAsSizes
from evenhand.cli import group
from evenhand.errors import InputError

REPORT = """              precision    recall  f1-score     support
a              0.900763  0.771242  0.830986  153.000000
b              0.804348  0.813187  0.808743   91.000000
c              0.610390  0.839286  0.706767   56.000000
accuracy       0.796667  0.796667  0.796667    0.796667
macro avg      0.771834  0.807905  0.782165  300.000000
weighted avg   0.817314  0.796667  0.801051  300.000000
"""
ACROSS = """                    a          b          c  accuracy   macro avg  weighted avg
precision    0.900763   0.804348   0.610390  0.796667    0.771834      0.817314
recall       0.771242   0.813187   0.839286  0.796667    0.807905      0.796667
f1-score     0.830986   0.808743   0.706767  0.796667    0.782165      0.801051
support    153.000000  91.000000  56.000000  0.796667  300.000000    300.000000
"""


def taken(text: str) -> dict[str, str]:
    return {c["header"]: c["taken_for"] for c in eh.audit(text).to_dict()["columns"]}


def lines(text: str, between: str, start: str = "", end: str = "") -> str:
    """The report of a library with its cells kept apart in another way."""
    rows = [line.split() for line in text.splitlines()]
    rows = [[" ".join(r[:2]), *r[2:]] if r[1] == "avg" else r for r in rows]
    rows[0] = ["", *rows[0]]
    return "".join(f"{start}{between.join(row)}{end}\n" for row in rows)


@pytest.mark.parametrize(
    ("heads", "means"),
    [
        (("OA (%)", "AA (%)", "Kappa×100", "mF1"),
         ("accuracy", "macro_recall", "kappa", "reported_macro_f1")),
        (("Overall accuracy", "Average accuracy", "κ (×100)", "weighted F1"),
         ("accuracy", "macro_recall", "kappa", "weighted_f1")),
    ],
)  # fmt: skip
def test_headings_of_other_fields(heads: tuple[str, ...], means: tuple[str, ...]) -> None:
    rows = [("Model", *heads), ("one", "80,1", "79,2", "70,3", "74,4"),
            ("two", "82,1", "80,2", "72,3", "75,9")]  # fmt: skip
    text = "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], ["---"] * 5, *rows[1:]])
    assert taken(text) == dict(zip(heads, means, strict=True))


def test_average_accuracy_alone_is_not_guessed() -> None:
    with pytest.raises(InputError, match="'AA'"):
        eh.audit("| Method | AA |\n|---|---|\n| a | 80.1 |\n| b | 70.1 |\n")


@pytest.mark.parametrize(
    "text",
    [
        REPORT,
        ACROSS,
        lines(REPORT, ","),
        lines(REPORT, " & ", end=r" \\"),
        lines(REPORT, " | ", "| ", " |").replace("\n", "\n|---|---|---|---|---|\n", 1),
    ],
    ids=["printed", "across", "csv", "latex", "markdown"],
)
def test_a_frame_of_a_report_is_a_report(text: str) -> None:
    """pd.DataFrame(classification_report(…, output_dict=True)), turned or not."""
    found = eh.audit(text)
    assert (len(found), found.ok, found.formula) == (1, True, "macro_f1")
    (row,) = found.printed
    sizes = {h: n for h, n in row.counts.items() if h.startswith("support")}
    assert list(sizes.values()) == [153, 91, 56]
    assert row.scores["accuracy"].text == "0.796667"
    assert "0.782165" in {v.text for v in row.scores.values()}


def test_weights_are_no_sizes() -> None:
    text = REPORT.replace("153.000000", "152.713000").replace("300.000000", "299.713000")
    found = eh.audit(text)
    (note,) = found.cautions
    assert isinstance(note, WeightsAsSizes)
    assert note.columns == ("support[a]", "support[b]", "support[c]", "n")
    assert not found.printed[0].counts
    assert "not whole numbers" in found.warnings[0]
    wrong = eh.audit(text.replace("0.830986", "0.840986"))
    assert [f.column for s in wrong.systems for f in s.findings] == ["f1[a]"]


@pytest.mark.parametrize(
    "text",
    [
        "Model     Macro-P   Macro-R   Macro-F1\nBaselines\nSVM   0.78   0.70   0.73\n"
        "NB   0.70   0.66   0.67\nTransformers\nBERT   0.81   0.79   0.80\n",
        "| Model | Macro-P | Macro-R | Macro-F1 |\n|---|---|---|---|\n| **Baselines** | | | |\n"
        "| SVM | 0.78 | 0.70 | 0.73 |\n| NB | 0.70 | 0.66 | 0.67 |\n| *Transformers* | | | |\n"
        "| BERT | 0.81 | 0.79 | 0.80 |\n",
        "Model,Macro-P,Macro-R,Macro-F1\nBaselines,,,\nSVM,0.78,0.70,0.73\nNB,0.70,0.66,0.67\n"
        "Transformers,,,\nBERT,0.81,0.79,0.80\n",
    ],
    ids=["text", "markdown", "csv"],
)
def test_headings_of_parts_are_no_systems(text: str) -> None:
    found = eh.audit(text)
    assert list(found) == ["SVM", "NB", "BERT"]
    assert "Macro-F1" in taken(text)


def test_prose_beside_a_table_names_nothing() -> None:
    text = (
        "In this section we show that our way        Model     Macro-P   Macro-R   Macro-F1\n"
        "outperforms all baselines. We use three     BERT      0.81      0.79      0.80\n"
        "data sets and report 5 runs of each.        SVM       0.70      0.61      0.64\n"
    )
    assert list(eh.audit(text)) == ["BERT", "SVM"]


CLASSES = {"a": 120, "b": 60, "c": 40}
RIGHT = {"precision[a]": "82.5", "recall[a]": "98.3", "f1[a]": "89.7", "precision[b]": "96.2",
         "recall[b]": "83.3", "f1[b]": "89.3", "precision[c]": "100.0", "recall[c]": "62.5",
         "f1[c]": "76.9", "macro_f1": "85.3", "accuracy": "87.7"}  # fmt: skip


def test_what_follows_from_a_wrong_cell_is_not_marked() -> None:
    """The macro F1 disagrees with a misprinted F1 of a class, and is right."""
    row = RIGHT | {"f1[a]": "98.7"}
    found = eh.audit([{"name": "s"} | RIGHT, {"name": "s"} | row], support=CLASSES)
    assert found.systems[0].ok
    assert [f.column for f in found.systems[1].findings] == ["f1[a]"]
    assert found.systems[1].suspects == ("f1[a]",)
    page = found.to_markdown()
    assert page.count("✗ |") == 1 and "98.7 ✗" in page  # two rows of one name, one mark


def test_the_mark_is_on_the_cell_that_explains_the_row() -> None:
    """A wrong precision: F1 is where it shows, and only without the precision all agree."""
    row = {"name": "s"} | RIGHT | {"precision[a]": "28.5", "macro_precision": "92.9"}
    found = eh.audit([row], support=CLASSES)
    assert found.systems[0].suspects == ("precision[a]",)
    assert "28.5 ✗" in found.to_markdown()
    assert "89.7 ✗" not in found.to_markdown()


def test_a_class_without_items_is_no_class_left_out() -> None:
    """That averages leave it out is a convention, and the formula stays the mean of F1."""
    rows = [
        {"f1[a]": a, "f1[b]": b, "f1[c]": "0.000", "precision[c]": "0.000", "recall[c]": "0.000",
         "precision[a]": a, "recall[a]": a, "precision[b]": b, "recall[b]": b,
         "macro_f1": f"{(float(a) + float(b)) / 2:.3f}"}
        for a, b in (("0.800", "0.600"), ("0.900", "0.500"), ("0.700", "0.640"))
    ]  # fmt: skip
    found = eh.audit(rows, support={"a": 100, "b": 50, "c": 0}, abstentions=True)
    names = {c.formula for c in found.judgement.candidates}
    assert not any("without c" in name for name in names)
    assert all("macro_f1" in s.formula for s in found.systems)


def test_mp_and_mr_are_macro_averages_beside_a_macro_f1() -> None:
    head = "System,MP,MR,MacF\n"
    rows = "Base,61.2,58.4,59.8\nOurs,74.1,72.6,78.9\n"
    found = eh.audit(head + rows)
    assert [c.taken_for for c in found.columns] == [
        "macro_precision", "macro_recall", "reported_macro_f1"
    ]  # fmt: skip
    assert [s.name for s in found.systems if not s.ok] == ["Ours"]
    assert eh.audit(head.replace("MacF", "Acc") + rows).unused == ("MP", "MR")


def test_columns_that_may_be_precision_or_recall_are_never_passed_over(tmp_path: Path) -> None:
    table = "System,PrX,ReX,MacF\nBase,61.2,58.4,59.8\nOurs,74.1,72.6,78.9\n"
    title = eh.audit(table).content().title
    assert title.startswith("macro F1 of 2 systems not checked, columns not used: PrX, ReX")
    assert "as in PrX=macro_precision" in title
    path = tmp_path / "table.csv"
    path.write_text(table)
    shown = CliRunner().invoke(group, ["audit", str(path)]).stdout
    assert "--map PrX=macro_precision says what a column holds" in shown
    assert not eh.audit(table, meanings={"PrX": "macro_precision", "ReX": "macro_recall"}).ok
    other = table.replace("PrX", "Layers").replace("ReX", "Size")
    assert eh.audit(other).content().title == "nothing suspicious in 2 systems"
