"""What docs/migrating.md says of other libraries, held against them."""

import re

import numpy as np
import pycm
import pytest
import sklearn.metrics as sk

import evenhand as eh
from evenhand.catalogue.lists import table_metrics
from tests.pages import DOCS

SEEDS = range(25)


def labels(seed, k=4, n=30):
    """True and predicted numbers; in some, a class is never true, or never predicted."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, k - seed % 2, n)
    pred = np.where(rng.random(n) < 0.5, true, rng.integers(0, k - seed % 3, n))
    return true, pred


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")
def test_scikit_learn(seed):
    true, pred = labels(seed)
    seen = {"classes": "seen"}
    for zero in (0, 1):
        how = {"average": "macro", "zero_division": zero}
        ours = {"undefined": zero, **seen}
        assert eh.macro_f1(true, pred, **ours) == pytest.approx(sk.f1_score(true, pred, **how))
        found = sk.precision_score(true, pred, **how)
        assert eh.macro_precision(true, pred, **ours) == pytest.approx(found)
    if set(pred) <= set(true):
        found = sk.f1_score(true, pred, average="macro")
        assert eh.macro_f1(true, pred) == pytest.approx(found)
    assert eh.micro_f1(true, pred) == pytest.approx(sk.f1_score(true, pred, average="micro"))
    found = sk.f1_score(true, pred, average="weighted")
    assert eh.weighted_f1(true, pred) == pytest.approx(found)
    assert eh.f1(true, pred) == pytest.approx(sk.f1_score(true, pred, average=None))
    found = sk.f1_score(true, pred, labels=[1, 2], average="macro")
    assert eh.macro_f1(true, pred, classes=[1, 2]) == pytest.approx(found)
    if set(pred) <= set(true):  # they warn otherwise
        found = sk.balanced_accuracy_score(true, pred)
        assert eh.balanced_accuracy(true, pred) == pytest.approx(found)
    assert eh.kappa(true, pred) == pytest.approx(sk.cohen_kappa_score(true, pred))
    assert eh.mcc(true, pred) == pytest.approx(sk.matthews_corrcoef(true, pred))
    counted = np.asarray(eh.Confusion.from_labels(true, pred))
    assert np.array_equal(counted[:, : len(counted)], sk.confusion_matrix(true, pred))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.filterwarnings("ignore")
def test_pycm(seed):
    true, pred = labels(seed)
    cm = pycm.ConfusionMatrix(actual_vector=list(true), predict_vector=list(pred))
    pairs = [
        (cm.F1_Macro, eh.macro_f1),
        (cm.PPV_Macro, eh.macro_precision),
        (cm.TPR_Macro, eh.macro_recall),
        (cm.Overall_ACC, eh.accuracy),
        (cm.Kappa, eh.kappa),
        (cm.Overall_MCC, eh.mcc),
    ]
    for found, ours in pairs:
        if found != "None":
            assert ours(true, pred, classes="seen") == pytest.approx(found)
    if not set(true) <= set(pred):
        assert cm.PPV_Macro == "None"


@pytest.mark.filterwarnings("ignore")
def test_pycm_has_what_the_page_names():
    cm = pycm.ConfusionMatrix(actual_vector=[0, 0, 1, 1, 2], predict_vector=[0, 3, 1, 1, 0])
    page = (DOCS / "migrating.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`cm\.(\w+)", page))
    assert {"PI", "F1_Macro", "Overall_CEN"} < named
    assert [name for name in named if not hasattr(cm, name)] == []


@pytest.mark.torch
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.filterwarnings("ignore")
def test_torchmetrics(seed):
    torch = pytest.importorskip("torch")
    theirs = pytest.importorskip("torchmetrics.classification")
    true, pred = labels(seed)
    given = torch.tensor(pred), torch.tensor(true)
    f1 = theirs.MulticlassF1Score(num_classes=8, average="macro")(*given)
    assert eh.macro_f1(true, pred, classes="seen") == pytest.approx(float(f1), abs=1e-6)
    usual = theirs.MulticlassAccuracy(num_classes=8)(*given)
    assert eh.macro_recall(true, pred, classes="seen") == pytest.approx(float(usual), abs=1e-6)
    micro = theirs.MulticlassAccuracy(num_classes=8, average="micro")(*given)
    assert eh.accuracy(true, pred) == pytest.approx(float(micro), abs=1e-6)
    kappa = theirs.MulticlassCohenKappa(num_classes=8)(*given)
    assert eh.kappa(true, pred) == pytest.approx(float(kappa), abs=1e-6)
    mcc = theirs.MulticlassMatthewsCorrCoef(num_classes=8)(*given)
    assert eh.mcc(true, pred) == pytest.approx(float(mcc), abs=1e-6)


def test_names_of_pycm_find_ours():
    found = table_metrics()
    for name in ("Overall CEN", "Scott PI"):
        from evenhand.catalogue.names import record_of

        assert record_of(name).name in found
