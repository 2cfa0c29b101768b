"""The classification report: scikit-learn's, and on request what it leaves out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from evenhand.bridges.sklearn.averaging import ALL, averaged
from evenhand.bridges.sklearn.options import Average, ZeroDivision, digits_of, flag, worth
from evenhand.bridges.sklearn.reading import targets
from evenhand.bridges.sklearn.targets import Multi, Single, Targets, listed
from evenhand.errors import InputError
from evenhand.results.text import ends, level_text, number, visible
from evenhand.scoring.score import score
from evenhand.scoring.scores import Scores
from evenhand.tables.multilabel import MultiLabel

HEAD = ("precision", "recall", "f1-score", "support")
MORE = {
    "accuracy": "accuracy",
    "macro_f1": "mean of F1s (macro avg)",
    "f1_of_averages": "F1 of mean precision and recall",
}
"""What the report gains, by metric."""


def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    target_names: Iterable[Any] | None = None,
    sample_weight: Any = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: ZeroDivision = "warn",
    intervals: bool = False,
) -> str | dict[str, Any]:
    """Precision, recall, F1 and support of each label, and their averages.

    ``intervals`` is ours: both scores that are called macro F1, accuracy, their 95 % intervals
    and the signature are added below, or under ``"evenhand"``; what stands above stays.

    >>> print(classification_report(["a", "b", "b", "c"], ["a", "b", "c", "c"], intervals=True))
                  precision    recall  f1-score   support
    <BLANKLINE>
               a       1.00      1.00      1.00         1
               b       1.00      0.50      0.67         2
               c       0.50      1.00      0.67         1
    <BLANKLINE>
        accuracy                           0.75         4
       macro avg       0.83      0.83      0.78         4
    weighted avg       0.88      0.75      0.75         4
    <BLANKLINE>
    accuracy                         0.75 [0.30, 0.95]
    mean of F1s (macro avg)          0.78 [0.11, 0.99]
    F1 of mean precision and recall  0.83 [0.12, 0.99]
    95 % intervals; signature: classes:listed.3.a,b,c|undefined:0|...
    """
    places, as_dict = digits_of(digits), flag("output_dict", output_dict)
    worth(zero_division)
    found = targets(y_true, y_pred, sample_weight)
    chosen = found.labels if labels is None else listed(labels)
    names = _names(chosen, target_names, given=labels is not None)
    rows = _rows(found, chosen, names, labels is not None, zero_division)
    more = _scored(found, chosen, zero_division) if flag("intervals", intervals) else None
    if not as_dict:
        return _text(rows, len(names), places) + (_added(more, places) if more else "")
    report: dict[str, Any] = {
        name: dict(zip(HEAD, map(float, row), strict=True)) for name, row in rows
    }
    if "accuracy" in dict(rows[len(names) :]):
        report["accuracy"] = report["accuracy"]["precision"]
    return report if more is None else {**report, "evenhand": more.to_dict()}


def _names(labels: Any, given_names: Iterable[Any] | None, *, given: bool) -> list[Any]:
    if given_names is None:
        return [f"{label}" for label in labels]
    names = list(given_names)
    if len(names) != len(labels):
        words = f"Number of classes, {len(labels)}, does not match size of target_names, "
        words += f"{len(names)}. Try specifying the labels parameter"
        if not given:
            raise InputError(words)
        warnings.warn(words, UserWarning, stacklevel=3)
    return names[: len(labels)]


def _rows(
    found: Targets, labels: Any, names: list[Any], given: bool, zero_division: ZeroDivision
) -> list[tuple[Any, list[Any]]]:
    """Name and numbers of each label, then of each average."""
    how = (1.0, ALL, zero_division)
    *each, support = averaged(found, labels, None, *how)
    rows = [(name, list(row)) for name, *row in zip(names, *each, support, strict=False)]
    multi = isinstance(found, Multi)
    averages: list[Average] = ["micro", "macro", "weighted"]
    averages += ["samples"] if multi else []
    whole = not given or set(labels.tolist()) >= set(found.labels.tolist())
    for average in averages:
        accuracy = average == "micro" and whole and not multi
        values = averaged(found, labels, average, *how)[:3]
        rows.append(("accuracy" if accuracy else f"{average} avg", [*values, np.sum(support)]))
    return rows


def _text(rows: list[tuple[Any, list[Any]]], k: int, digits: int) -> str:
    """As scikit-learn prints it."""
    rows = [(visible(name), row) for name, row in rows]
    width = max(*(len(name) for name, _ in rows[:k]), len("weighted avg"), digits)
    line = "{:>{width}s} " + " {:>9.{digits}f}" * 3 + " {:>9}\n"
    lone = "{:>{width}s} " + " {:>9}" * 2 + " {:>9.{digits}f} {:>9}\n"
    text = ("{:>{width}s} " + " {:>9}" * 4).format("", *HEAD, width=width) + "\n\n"
    for i, (name, row) in enumerate(rows):
        text += "\n" * (i == k)
        if i >= k and name == "accuracy":
            text += lone.format(name, "", "", *row[2:], width=width, digits=digits)
        else:
            text += line.format(name, *row, width=width, digits=digits)
    return text


def _scored(found: Targets, labels: Any, zero_division: ZeroDivision) -> Scores:
    """The same data by our own verb, over the labels of the report."""
    metrics = [m for m in MORE if m != "accuracy" or isinstance(found, Single)]
    known = set(found.labels.tolist())
    classes = [v for v in labels.tolist() if v in known]
    data: Any = found.table if isinstance(found, Single) else _multilabel(found)
    return score(data, metrics=metrics, classes=classes, undefined=worth(zero_division))


def _multilabel(found: Multi) -> MultiLabel:
    dense = (x if isinstance(x, np.ndarray) else x.toarray() for x in (found.true, found.pred))
    true, pred = (x.astype(np.int8) for x in dense)
    return MultiLabel.from_indicators(true, pred, weights=found.weight)


def _added(more: Scores, digits: int) -> str:
    width = max(map(len, MORE.values()))
    lines = [
        f"{MORE[name]:<{width}}  {number(s.value, digits)} {ends(s.low, s.high, digits)}".rstrip()
        for name, s in more.metrics.items()
    ]
    level = level_text(next(iter(more.metrics.values())).level or 0.95)
    return "\n" + "\n".join([*lines, f"{level} intervals; signature: {more.signature}"]) + "\n"
