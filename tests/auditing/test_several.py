"""Tables of items with several labels: recognised, and held only against what holds for them."""

import numpy as np
import pytest
from sklearn.metrics import classification_report, precision_recall_fscore_support

import evenhand as eh
from evenhand.auditing.reported import SeveralLabels

AVERAGES = ("micro", "macro", "weighted")
PARTS = ("precision", "recall", "f1")


def labels(rng: np.random.Generator, k: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    true = rng.random((n, k)) < rng.uniform(0.1, 0.6, k)
    true[:2] = [[True], [False]]
    wrong = rng.random((n, k)) < rng.uniform(0.02, 0.3, k)
    return true, true ^ wrong


def printed(
    true: np.ndarray, pred: np.ndarray, decimals: int, *, sized: bool = False
) -> dict[str, str]:
    """A row with all averages and classes, as scikit-learn has them."""
    row = {}
    for average in AVERAGES:
        values = precision_recall_fscore_support(true, pred, average=average, zero_division=0)
        row |= {f"{average}_{p}": v for p, v in zip(PARTS, values, strict=False)}
    each = precision_recall_fscore_support(true, pred, zero_division=0)
    row |= {f"{p}[{c}]": v for p, vs in zip(PARTS, each, strict=False) for c, v in enumerate(vs)}
    row["accuracy"] = (true == pred).all(1).mean()
    found = {name: f"{value:.{decimals}f}" for name, value in row.items()}
    if sized:
        found |= {f"support[{c}]": str(s) for c, s in enumerate(each[3])} | {"n": str(len(true))}
    return found


@pytest.mark.parametrize("seed", range(30))
def test_true_tables_of_several_labels_have_no_findings(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, decimals = int(rng.integers(2, 8)), int(rng.integers(2, 5))
    n, sized = int(rng.integers(20, 400)), bool(seed % 2)
    rows = [printed(*labels(rng, k, n), decimals, sized=sized) for _ in range(3)]
    found = eh.audit(rows, multilabel=True)
    assert found.ok, [f for s in found.systems for f in s.findings]
    assert found.formula in ("macro_f1", None)  # none where the two differ by less than digits show


@pytest.mark.parametrize("seed", range(10))
def test_a_report_of_several_labels_is_recognised(seed: int) -> None:
    rng = np.random.default_rng(seed)
    true, pred = labels(rng, 4, 300)
    text = classification_report(true, pred, digits=3, zero_division=0)
    found = eh.audit(text)
    assert found.ok
    assert SeveralLabels() in found.cautions
    assert "samples avg" not in str(found.columns)  # the mean over items is no class
    assert not eh.audit(text, multilabel=False).ok


def test_what_holds_for_several_labels_is_still_checked() -> None:
    row = {"micro_precision": "0.600", "micro_recall": "0.800", "micro_f1": "0.686"}  # 24/35
    assert eh.audit([row]).ok
    (finding,) = eh.audit([row | {"micro_f1": "0.700"}]).systems[0].findings
    assert finding.column == "micro_f1"
    assert finding.low <= 0.96 / 1.4 <= finding.high
    # micro recall is the recalls' mean by size: (30·0.5 + 10·0.9)/40 = 0.6
    sized = {"recall[a]": "0.500", "recall[b]": "0.900", "support[a]": "30", "support[b]": "10"}
    apart = {"micro_precision": "0.700", "micro_recall": "0.600"}
    assert eh.audit([sized | apart]).ok
    (finding,) = eh.audit([sized | apart | {"micro_recall": "0.650"}]).systems[0].findings
    assert finding.column == "micro_recall"


def test_one_slip_among_rows_is_no_sign_of_several_labels() -> None:
    same = {"accuracy": "0.80", "micro_f1": "0.80"}
    found = eh.audit([same, same, same | {"micro_f1": "0.70"}])
    assert [s.ok for s in found.systems] == [True, True, False]
    assert not found.cautions or SeveralLabels() not in found.cautions
    assert not eh.audit([{"accuracy": "0.80", "micro_f1": "0.70"}]).ok


def test_accuracy_that_is_never_micro_f1_is_of_several_labels() -> None:
    rows = [{"accuracy": a, "micro_f1": f} for a, f in (("0.40", "0.70"), ("0.45", "0.74"))]
    found = eh.audit(rows)
    assert found.ok and SeveralLabels() in found.cautions
    assert not eh.audit(rows, multilabel=False).ok


@pytest.mark.parametrize(
    ("cell", "ok"),
    [
        ("0.813 [0.692, 0.735]", False),
        ("0.713 [0.692, 0.735]", True),
        ("0.735 (0.692–0.735)", True),
        ("71,3 (69,2; 73,5)", True),
        ("81,3 (69,2-73,5)", False),
        ("81.3 [69.2,73.5]", False),
        ("0.74 [0.692, 0.735]", True),  # it may be 0.735
        ("0.75 [0.692, 0.735]", False),
        ("75 [0.692, 0.735]", True),  # of another unit: nothing is said
    ],
)
def test_a_value_outside_its_own_interval_is_found(cell: str, ok: bool) -> None:
    found = eh.audit([{"name": "a", "accuracy [95% CI]": cell}])
    assert found.ok == ok
    assert all(
        "outside its own printed interval" in f.message for s in found.systems for f in s.findings
    )
    assert all(f.strength == "weak" for s in found.systems for f in s.findings)


def test_the_table_as_printed_has_what_stands_beside_its_values() -> None:
    row = {"name": "a", "accuracy": "0.813 [0.692, 0.735]", "kappa": "0.5 ± 0.1"}
    page = eh.audit([row]).to_markdown()
    assert "0.813 [0.692, 0.735]" in page.replace("\\", "")
    assert "0.5 ± 0.1" in page
