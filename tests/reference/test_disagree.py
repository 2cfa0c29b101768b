"""What docs/disagree.md says of other libraries, held against them."""

import math

import numpy as np
import pycm
import pytest
import sklearn.metrics as sk

import evenhand as eh

TRUE = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2])
PRED = np.array([0, 0, 1, 3, 1, 1, 0, 2, 2, 1, 2, 2])
"""Class 3 is predicted once and never true."""


def test_scikit_learn():
    seen = sk.f1_score(TRUE, PRED, average="macro")
    assert seen == pytest.approx(eh.macro_f1(TRUE, PRED, classes="seen"))
    assert eh.macro_f1(TRUE, PRED, classes="true") == pytest.approx(4 / 3 * seen)
    with pytest.warns(UserWarning):  # it says that a class is never true
        balanced = sk.balanced_accuracy_score(TRUE, PRED)
    assert balanced == pytest.approx(eh.macro_recall(TRUE, PRED, classes="true"))
    both = eh.mutual_information(TRUE, PRED) * math.log(2)
    assert sk.mutual_info_score(TRUE, PRED) == pytest.approx(both)
    pairs = sk.fowlkes_mallows_score(TRUE, PRED)
    assert abs(pairs - eh.fowlkes_mallows(TRUE, PRED, label=0)) > 0.01
    assert sk.hamming_loss(TRUE, PRED) == pytest.approx(1 - eh.accuracy(TRUE, PRED))
    with pytest.warns(UserWarning):
        alone = sk.cohen_kappa_score([1, 1], [1, 1])
    assert math.isnan(alone) and eh.kappa([1, 1], [1, 1]) == 0
    adjusted = sk.adjusted_mutual_info_score(TRUE, PRED)
    assert abs(adjusted - eh.relative_classifier_information(TRUE, PRED)) > 0.01


@pytest.mark.torch
def test_torchmetrics():
    tm = pytest.importorskip("torchmetrics.functional.classification")
    import torch

    true, pred = torch.as_tensor(TRUE), torch.as_tensor(PRED)
    mean = float(tm.multiclass_accuracy(pred, true, num_classes=4))
    assert mean != pytest.approx(eh.accuracy(TRUE, PRED), abs=0.01)
    assert mean == pytest.approx(eh.macro_recall(TRUE, PRED, classes="seen"))
    f1 = float(tm.multiclass_f1_score(pred, true, num_classes=4, average="macro"))
    assert f1 == pytest.approx(eh.macro_f1(TRUE, PRED, classes="seen"))
    hamming = float(tm.multiclass_hamming_distance(pred, true, num_classes=4))
    assert hamming == pytest.approx(1 - mean)


def test_pycm():
    cm = pycm.ConfusionMatrix(TRUE.tolist(), PRED.tolist())
    assert cm.F1_Macro == pytest.approx(eh.macro_f1(TRUE, PRED, classes="seen"))
    assert cm.AUC[0] == pytest.approx(eh.class_balanced_accuracy(TRUE, PRED, label=0))
    assert cm.G[0] == pytest.approx(eh.fowlkes_mallows(TRUE, PRED, label=0))
    assert cm.GM[0] == pytest.approx(eh.gmean(TRUE, PRED, label=0))
    rare = pycm.ConfusionMatrix(matrix={0: {0: 1, 1: 9}, 1: {0: 8, 1: 2}})
    assert rare.aickin_alpha() < 0 == eh.aickin_alpha([[1, 9], [8, 2]])


def test_what_r_calls_balanced_accuracy():
    """caret and yardstick: the mean of sensitivity and specificity, 0.8948 of iris's flowers."""
    table = eh.Confusion.from_matrix([[17, 0, 0], [0, 9, 2], [0, 1, 13]], rows="pred")
    each = [eh.class_balanced_accuracy(table, label=i) for i in range(3)]
    assert eh.macro_class_balanced_accuracy(table) == pytest.approx(np.mean(each))
    assert abs(eh.macro_class_balanced_accuracy(table) - eh.macro_recall(table)) > 0.01
