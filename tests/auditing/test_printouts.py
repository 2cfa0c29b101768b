"""What scikit-learn, PyCM and caret print is audited, and scored where its counts can be known."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.metrics import classification_report, confusion_matrix, f1_score

import evenhand as eh
from evenhand.auditing.reported import read_sources
from evenhand.cli import group
from evenhand.errors import InputError
from evenhand.io.documents import read_printouts
from evenhand.io.printed_tables import recovered

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
PYCM = """\
Predict      cat          hot dog      owl
Actual
cat          21           2            1

hot dog      3            30           2

owl          1            0            12


Overall Statistics :

95% CI                                                            (0.79861,0.95139)
ACC Macro                                                         0.91667
F1 Macro                                                          0.86994
F1 Micro                                                          0.875
Kappa                                                             0.80177
Overall ACC                                                       0.875
Overall MCC                                                       0.80358
PPV Macro                                                         0.85917
TPR Macro                                                         0.88507

Class Statistics :

Classes                                                           cat           hot dog       owl
ACC(Accuracy)      0.90278  0.90278  0.94444
F1(F1 score - harmonic mean of precision and sensitivity)      0.85714       0.89552       0.85714
P(Condition positive or support)      24            35            13
PPV(Precision or positive predictive value)      0.84          0.9375        0.8
TPR(Sensitivity, recall, hit rate, or true positive rate)      0.875         0.85714       0.92308
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


def test_pycm_has_truth_in_rows() -> None:
    (found,) = read_printouts(PYCM, "PyCM")
    assert (found.labels, list(map(list, found.cells))) == (("cat", "hot dog", "owl"), CELLS)
    assert found.scores["accuracy"] == "0.875"
    assert found.scores["macro_f1"] == "0.86994"
    assert found.scores["precision[cat]"] == "0.84"


@pytest.mark.parametrize("text", [CARET, TWO, PYCM], ids=["caret", "two", "PyCM"])
def test_print_outs_are_audited(text: str) -> None:
    """What they print is true; a changed digit is found."""
    assert eh.audit(text).ok
    wrong = (
        text.replace("0.8571 ", "0.8671 ")
        .replace("0.8286", "0.8486")
        .replace("0.85714 ", "0.86714 ")
    )
    assert not eh.audit(wrong).ok


@pytest.mark.parametrize(("text", "ending"), [(CARET, "txt"), (PYCM, "txt"), (PYCM, "out")])
def test_print_outs_are_scored(text: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"printed.{ending}"
    path.write_text(text, encoding="utf-8")
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


@pytest.mark.parametrize("seed", range(60))
def test_a_report_gives_its_own_matrix_or_none(seed: int) -> None:
    """scikit-learn prints it; what comes back is what it was made from, or a refusal."""
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(2, 5)), int(rng.integers(5, 60))
    truth = np.concatenate([np.arange(k), rng.integers(0, k, n)])
    guess = np.where(rng.random(n + k) < 0.8, truth, rng.integers(0, k, n + k))
    guess[:k] = np.arange(k)
    y_true, y_pred = labels_of(confusion_matrix(truth, guess))
    text = classification_report(y_true, y_pred, digits=int(rng.integers(2, 5)))
    try:
        labels, cells = recovered(text, "report")
    except InputError as e:
        assert k > 2 or "more than one table" in str(e)
        return
    assert labels == sorted(set(y_true))
    assert np.array_equal(cells, confusion_matrix(y_true, y_pred))


def test_a_report_of_two_classes_is_scored(tmp_path: Path) -> None:
    y_true, y_pred = labels_of(np.array([[106, 31], [37, 126]]))
    path = tmp_path / "report.txt"
    path.write_text(classification_report(y_true, y_pred, digits=4), encoding="utf-8")
    found = CliRunner().invoke(group, ["score", str(path), "--format", "json"])
    told = json.loads(found.stdout)
    assert told["metrics"]["macro_f1"]["value"] == pytest.approx(
        f1_score(y_true, y_pred, average="macro"), abs=1e-12
    )
    assert "counts_recovered" in [c["code"] for c in told["warning_codes"]]


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
    labels, found = recovered(path.read_text(encoding="utf-8"), "report")
    assert (labels, found) == (["class 0", "class 1"], cells.tolist())
    scored = CliRunner().invoke(group, ["score", str(path), "--format", "json"])
    assert json.loads(scored.stdout)["n"] == 80
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


@pytest.mark.parametrize(
    "text",
    [
        ",precision,recall,f1-score,support\na,0.9,0.9,5\naccuracy,0.9,0.9,0.9,0.9\n",
        ",precision,recall,f1-score,support\na,0.9,x,0.9,5\naccuracy,0.9,0.9,0.9,0.9\n",
        ",precision,recall,f1-score,support\na,0.9,0.9,0.9,5\n",
        ",precision,recall,f1-score,support\naccuracy\n",
    ],
)
def test_a_damaged_frame_is_one_line(text: str) -> None:
    with pytest.raises(InputError, match=r"report: expected|no table of counts"):
        recovered(text, "report")


def test_a_report_that_says_too_little_is_refused(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 3000)
    text = classification_report(truth, np.where(rng.random(3000) < 0.8, truth, (truth + 1) % 3))
    path = tmp_path / "report.txt"
    path.write_text(text, encoding="utf-8")
    found = CliRunner().invoke(group, ["score", str(path)])
    assert (found.exit_code, found.stdout, found.stderr.count("\n")) == (2, "", 1)
    assert "more than one table of counts may have the printed scores" in found.stderr


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
        PYCM.replace("hot dog      3            30           2", "hot dog      3            30"),
    ],
)
def test_damaged_print_outs_are_one_clear_line(text: str) -> None:
    with pytest.raises(InputError, match="line 1: expected a") as caught:
        read_printouts(text, "damaged")
    assert "\n" not in str(caught.value)
