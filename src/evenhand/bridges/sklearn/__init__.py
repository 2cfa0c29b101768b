"""scikit-learn's classification metrics by their names, signatures, defaults and results.

A script that changes ``from sklearn.metrics import f1_score`` into ``from
evenhand.bridges.sklearn import f1_score`` keeps its numbers. They are counted and scored here;
scikit-learn itself is needed for scorers and models only.

>>> f1_score([0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1], average="macro")
0.26666666666666666
"""

from __future__ import annotations

from evenhand.bridges.sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    cohen_kappa_score,
    confusion_matrix,
    f1_score,
    fbeta_score,
    hamming_loss,
    jaccard_score,
    matthews_corrcoef,
    multilabel_confusion_matrix,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
    zero_one_loss,
)
from evenhand.bridges.sklearn.report import (
    classification_report,
    cross_validated,
    scorer,
)

__all__ = [
    "accuracy_score",
    "balanced_accuracy_score",
    "classification_report",
    "cohen_kappa_score",
    "confusion_matrix",
    "cross_validated",
    "f1_score",
    "fbeta_score",
    "hamming_loss",
    "jaccard_score",
    "matthews_corrcoef",
    "multilabel_confusion_matrix",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
    "scorer",
    "zero_one_loss",
]
