"""What scikit-learn and caret print is audited, and what caret prints is scored."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.metrics import classification_report

import evenhand as eh
from evenhand.auditing.reported import read_sources
from evenhand.cli import group
from evenhand.errors import InputError
from evenhand.io.documents import read_printouts

CARET = """\
## Confusion Matrix and Statistics
##
##             Reference
## Prediction   cat hot dog owl 2
##   cat         21       3     1
##   hot dog      2      30     0
##   owl 2        1       2    12
##
## Overall Statistics
##
##                Accuracy : 0.875
##                  95% CI : (0.7759, 0.9412)
##     No Information Rate : 0.4861
##     P-Value [Acc > NIR] : 1.213e-11
##
##                   Kappa : 0.8018
##
##  Mcnemar's Test P-Value : 0.5062
##
## Statistics by Class:
##
##                      Class: cat Class: hot dog Class: owl 2
## Sensitivity              0.8750         0.8571       0.9231
## Specificity              0.9167         0.9459       0.9492
## Pos Pred Value           0.8400         0.9375       0.8000
## Neg Pred Value           0.9362         0.8750       0.9825
## Balanced Accuracy        0.8958         0.9015       0.9361
"""
CELLS = [[21, 2, 1], [3, 30, 2], [1, 0, 12]]
"""The same with rows of true items."""

TWO = """\
Confusion Matrix and Statistics

          Reference
Prediction no yes
       no  40   6
       yes  5  29

               Accuracy : 0.8625
                 95% CI : (0.7673, 0.9293)

                  Kappa : 0.7197
            Sensitivity : 0.8889
            Specificity : 0.8286
         Pos Pred Value : 0.8696
         Neg Pred Value : 0.8529
             Prevalence : 0.5625
      Balanced Accuracy : 0.8587

       'Positive' Class : no
"""


def test_caret_has_predictions_in_rows() -> None:
    (found,) = read_printouts(CARET, "caret")
    assert found.labels == ("cat", "hot dog", "owl 2")
    assert np.array_equal(np.array(found.cells).T, CELLS)
    assert found.scores["recall[hot dog]"] == "0.8571"
    assert found.scores["precision[owl 2]"] == "0.8000"
    assert "balanced_accuracy" not in found.scores  # which are of one class each


def test_caret_with_two_classes() -> None:
    (found,) = read_printouts(TWO, "caret")
    assert found.cells == ((40, 6), (5, 29))
    assert found.scores == {
        "accuracy": "0.8625", "kappa": "0.7197", "balanced_accuracy": "0.8587",
        "recall[no]": "0.8889", "recall[yes]": "0.8286", "precision[no]": "0.8696",
        "precision[yes]": "0.8529",
    }  # fmt: skip


def test_caret_in_two_blocks() -> None:
    labels = [f"c{i}" for i in range(6)]
    cells = np.arange(36).reshape(6, 6)
    blocks = "\n".join(
        "          Reference\nPrediction  " + "  ".join(labels[part]) + "\n"
        + "\n".join(f"        {v} " + "  ".join(map(str, row[part])) for v, row in
                    zip(labels, cells, strict=True))
        for part in (slice(0, 4), slice(4, 6))
    )  # fmt: skip
    text = f"Confusion Matrix and Statistics\n\n{blocks}\n\nOverall Statistics\n"
    (found,) = read_printouts(text, "caret")
    assert np.array_equal(found.cells, cells)


@pytest.mark.parametrize("text", [CARET, TWO], ids=["caret", "two"])
def test_print_outs_are_audited(text: str) -> None:
    """What they print is true; a changed digit is found."""
    assert eh.audit(text).ok
    wrong = text.replace("0.8571 ", "0.8671 ").replace("0.8286", "0.8486")
    assert not eh.audit(wrong).ok


@pytest.mark.parametrize("ending", ["txt", "out"])
def test_print_outs_are_scored(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"printed.{ending}"
    path.write_text(CARET, encoding="utf-8")
    found = CliRunner().invoke(group, ["score", str(path), "--format", "json"])
    told = json.loads(found.stdout)
    assert told["n"] == 72
    assert [[c["correct"], c["bias"], c["prevalence"]] for c in told["classes"]] == [
        [21, 25, 24], [30, 32, 35], [12, 15, 13]
    ]  # fmt: skip


def labels_of(cells: np.ndarray) -> tuple[list[str], list[str]]:
    names = [f"class {i}" for i in range(len(cells))]
    pairs = [(t, p) for t, row in enumerate(cells) for p, n in enumerate(row) for _ in range(n)]
    return [names[t] for t, _ in pairs], [names[p] for _, p in pairs]


@pytest.mark.parametrize("turned", [True, False])
@pytest.mark.parametrize(("decimals", "mark"), [(None, ","), (None, "\t"), (2, ","), (3, ";")])
@pytest.mark.parametrize("index", ["", "class"])
def test_a_frame_of_a_report_is_read_as_the_report_is(
    turned: bool, decimals: int | None, mark: str, index: str, tmp_path: Path
) -> None:
    """Written as CSV, zeros at the end left out, the accuracy under every heading."""
    cells = np.array([[36, 4], [5, 35]])  # 0.9 of a class, 0.8875 of all
    y_true, y_pred = labels_of(cells)
    frame = pd.DataFrame(classification_report(y_true, y_pred, output_dict=True))
    frame = frame.T if turned else frame
    path = tmp_path / ("report.tsv" if mark == "\t" else "report.csv")
    (frame if decimals is None else frame.round(decimals)).to_csv(path, sep=mark, index_label=index)
    scored = CliRunner().invoke(group, ["score", str(path)])
    assert (scored.exit_code, scored.stdout) == (2, "")
    assert "is a report of scores" in scored.stderr
    audited = eh.audit(str(path))
    assert audited.ok
    assert {c.taken_for for c in audited.columns} >= {"recall[class 0]", "accuracy", "n"}


@pytest.mark.parametrize("kind", ["to_string", "to_html"])
def test_a_printed_frame_may_have_an_accuracy_of_few_digits(kind: str) -> None:
    y_true, y_pred = labels_of(np.array([[7, 0, 1], [0, 13, 0], [1, 1, 7]]))
    frame = pd.DataFrame(classification_report(y_true, y_pred, output_dict=True)).T
    text = getattr(frame, kind)()
    assert "0.900000" in text
    found = eh.audit(text)
    assert (found.ok, found.formula) == (True, "macro_f1")


@pytest.mark.parametrize("k", [2, 3])
def test_a_report_is_not_scored(tmp_path: Path, k: int) -> None:
    truth = np.arange(60) % k
    path = tmp_path / "report.txt"
    path.write_text(classification_report(truth, truth[::-1]), encoding="utf-8")
    found = CliRunner().invoke(group, ["score", str(path)])
    assert (found.exit_code, found.stdout, found.stderr.count("\n")) == (2, "", 1)
    assert "is a report of scores, which tables of several counts may have" in found.stderr


@pytest.mark.parametrize("digits", [2, 3, 5])
def test_a_report_is_audited(digits: int) -> None:
    rng = np.random.default_rng(digits)
    truth = rng.integers(0, 4, 400)
    guess = np.where(rng.random(400) < 0.7, truth, rng.integers(0, 4, 400))
    text = classification_report(truth, guess, digits=digits)
    (source,) = read_sources(text)
    assert {c.taken_for for c in source.columns.values()} >= {
        "precision[0]", "recall[3]", "f1[2]", "support[1]", "accuracy", "macro_precision", "n",
        "weighted_f1",
    }  # fmt: skip
    assert eh.audit(text).ok


@pytest.mark.parametrize(
    "text",
    [
        "Confusion Matrix and Statistics\n\nnothing\n",
        CARET.replace("21 ", "x "),
    ],
)
def test_damaged_print_outs_are_one_clear_line(text: str) -> None:
    with pytest.raises(InputError, match="line 1: expected a") as caught:
        read_printouts(text, "damaged")
    assert "\n" not in str(caught.value)
