"""Which rows and columns of a printed table are systems, spreads and classes."""

from __future__ import annotations

import pytest

import evenhand as eh
from evenhand.auditing.reported import read_source
from evenhand.errors import InputError

SPREADS = {
    "latex": r"""\begin{tabular}{lccc}
Model & Macro P & Macro R & Macro F1 \\ \midrule
NB & 66.2 & 62.6 & 61.4 \\
 & (0.4) & (0.6) & (0.5) \\
SVM & 63.6 & 68.7 & 63.4 \\
 & (0.4) & (0.6) & (0.5) \\
\end{tabular}""",
    "text": """Model      Macro P   Macro R   Macro F1
NB         66.2      62.6      61.4
           ±0.4      ±0.6      ±0.5
SVM        63.6      68.7      63.4
           ±0.4      ±0.6      ±0.5
""",
}


@pytest.mark.parametrize("style", SPREADS)
def test_spreads_on_a_line_of_their_own(style: str) -> None:
    source = read_source(SPREADS[style])
    assert [row.name for row in source.rows] == ["NB", "SVM"]
    assert [w.text for w in source.rows[1].scores.values()] == ["63.6", "68.7", "63.4"]
    assert [[w.spread for w in row.scores.values()] for row in source.rows] == [
        ["0.4", "0.6", "0.5"]
    ] * 2


def test_rows_that_are_no_systems() -> None:
    source = read_source("""| Model | Macro P | Macro R | Macro F1 |
|---|---|---|---|
| NB | 66.2 | 62.6 | 61.4 |
| SVM | 63.6 | 68.7 | 63.4 |
| w/o CRF | -1.2 | -0.8 | -1.0 |
| p-value | 0.01 | 0.02 | 0.03 |
| Mean ± SD | 64.9 ± 1.3 | 65.7 ± 3.1 | 62.4 ± 1.0 |
""")
    assert [row.name for row in source.rows] == ["NB", "SVM"]
    assert source.unused == ("row w/o CRF", "row p-value", "row Mean ± SD")
    assert not source.varying


def test_groups_with_names_of_classes_are_classes() -> None:
    """A macro F1 need not be 2PR/(P+R); the F1 of a class must."""
    (system,) = eh.audit(r"""\begin{tabular}{lcccccc}
& \multicolumn{3}{c}{Pos} & \multicolumn{3}{c}{Neg} \\
Model & P & R & F1 & P & R & F1 \\ \midrule
A & 55.6 & 42.0 & 47.9 & 73.4 & 45.2 & 51.9 \\
\end{tabular}""").systems
    assert [(f.column, f.reported) for f in system.findings] == [("f1[Neg]", "51.9")]


def test_an_average_is_not_accused_of_the_class_that_is_wrong() -> None:
    """The precision of class 1 is misprinted; the printed F1s do give the printed averages."""
    report = """              precision    recall  f1-score   support

           0       0.83      0.57      0.68        35
           1       0.77      0.71      0.76        52
           2       0.34      0.73      0.47        15

    accuracy                           0.67       102
   macro avg       0.66      0.67      0.63       102
weighted avg       0.75      0.67      0.69       102
"""
    (system,) = eh.audit(report).systems
    # (35·0.68 + 52·0.76 + 15·0.47)/102 = 0.6899, but (0.83 + 0.77 + 0.34)/3 = 0.647
    assert [f.column for f in system.findings] == ["f1[1]", "macro_precision", "weighted_precision"]
    assert all("without precision[1] the row is consistent" in f.reason for f in system.findings)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("| System | Macro F1 |\n|---|---|\n| A | n/a |\n", "has no number under 'Macro F1'"),
        ("x" * 200_000 + "\n" + "y" * 200_000 + "\n", "has no table"),
    ],
    ids=["blank", "long"],
)
def test_what_has_no_scores_is_refused(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        eh.audit(text)


def test_one_percent_sign_does_not_make_fractions_percentages() -> None:
    """Accuracy is a percentage in one row and a fraction in another, all else fractions."""
    text = (
        "| System | P (a) | R (a) | F1 (a) | P (b) | R (b) | F1 (b) | Acc. |\n"
        "|---|---|---|---|---|---|---|---|\n"
        "| A | .80 | .75 | .77 | .70 | .65 | .67 | 71.2 % |\n"
        "| B | .70 | .75 | .72 | .90 | .65 | .75 | 0.70 |\n"
    )
    found = eh.audit(text, rerank=True)
    assert found.ok
    assert found.ranking is not None
    assert [r.macro_f1 for r in found.ranking] == pytest.approx([0.735, 0.72])
