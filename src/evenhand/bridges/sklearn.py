"""scikit-learn's classification metrics by their names, signatures, defaults and results.

A script that changes ``from sklearn.metrics import f1_score`` into ``from
evenhand.bridges.sklearn import f1_score`` keeps its numbers. They are counted and scored here;
scikit-learn itself is needed for scorers and models only.

>>> f1_score([0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1], average="macro")
0.26666666666666666
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand import validating
from evenhand.bridges.tensors import alone, tool
from evenhand.catalogue.binding import bind_all, values_of
from evenhand.catalogue.lists import Metrics, as_spec, named, several
from evenhand.catalogue.spelling import Spec
from evenhand.core.arrays import exact
from evenhand.core.margins import Counts
from evenhand.core.metrics import items
from evenhand.core.metrics.accuracy import accuracy
from evenhand.core.metrics.agreement import kappa, mcc
from evenhand.core.metrics.macro import macro_recall
from evenhand.core.metrics.per_class import f1, fbeta, precision, recall
from evenhand.core.ratio import ratio
from evenhand.data.arguments import VerbArguments, table_of
from evenhand.data.confusion import Confusion
from evenhand.data.counting import item_weights
from evenhand.data.factorize import array_of, on_host
from evenhand.data.multilabel import MultiLabel
from evenhand.errors import EvenhandWarning, FormError, InputError, MetricError, shown, warn
from evenhand.options import CLASSES, UNDEFINED, Classes, Undefined
from evenhand.results.result import ALONE
from evenhand.scoring.score import score
from evenhand.scoring.scores import Scores
from evenhand.text import ends, level_text, number, visible
from evenhand.validating import CrossValidated

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

Average: TypeAlias = Literal["micro", "macro", "samples", "weighted", "binary"] | None
ZeroDivision: TypeAlias = float | Literal["warn"]
Numbers: TypeAlias = NDArray[Any]
Check: TypeAlias = tuple[Callable[[Any], bool], str]
warn_user = partial(warn, kind=UserWarning)


# Targets: a counted table of one label per item, or label sets.


@dataclass(frozen=True, eq=False)
class Targets:
    """True and predicted labels, counted, in scikit-learn's order.

    ``labels`` are those of the data as scikit-learn has them, of indicators their columns;
    ``integral`` says that cells are whole numbers; ``true`` are the true labels item by item.
    """

    data: Confusion | MultiLabel
    labels: Numbers
    integral: bool
    true: Any = ()

    @property
    def multi(self) -> bool:
        """Whether an item has any number of labels."""
        return isinstance(self.data, MultiLabel)

    @property
    def table(self) -> Confusion:
        """The table of targets with one label per item."""
        if isinstance(self.data, MultiLabel):
            raise FormError("targets must have one label per item, got multi-label indicators")
        return self.data

    def places(self, labels: Any) -> Numbers:
        """Where labels stand in the data, −1 for those that do not occur."""
        if labels is None:
            return np.arange(self.data.k)
        chosen, k = listed(labels), self.data.k
        if self.multi and (chosen.dtype.kind not in "iu" or chosen.min() < 0 or chosen.max() >= k):
            raise InputError(
                f"labels of indicators must be columns 0 to {k - 1}, got {shown(chosen)}"
            )
        own = {label: i for i, label in enumerate(self.labels.tolist())}
        return np.array([own.get(label, -1) for label in chosen.tolist()], np.int64)

    def margins(self, labels: Any = None) -> Counts:
        """Margins of all labels, or of those wanted."""
        at, data = self.places(labels), self.data
        margins = (data.correct, data.bias, data.prevalence)
        correct, bias, prevalence = (np.append(x, 0)[at] for x in margins)
        return Counts(correct, bias, prevalence, np.asarray(data.total))

    def cells(self, labels: Any = None) -> Numbers:
        """The matrix of all labels, or of those wanted; whole numbers stay whole."""
        cells, at = np.pad(self.table.cells, (0, 1)), self.places(labels)
        matrix = cells[np.ix_(at, at)]
        never = labels is not None and not self.margins(labels).prevalence.any()
        if never and set(listed(labels).tolist()).isdisjoint(np.asarray(self.true).tolist()):
            raise InputError("At least one label specified must be in y_true")
        _warn_of_one(len(at))
        return np.asarray(np.rint(matrix).astype(np.int64) if self.integral else matrix)

    def item_margins(self, labels: Any, option: str) -> Counts:
        """Margins of each item over its labels, for an option that is about items."""
        data, at = self.data, self.places(labels)
        if not isinstance(data, MultiLabel):
            raise InputError(f"{option} is for multi-label indicators")
        sets = MultiLabel(tuple(range(len(at))), data.true[:, at], data.pred[:, at], data.weight)
        x, w = sets.items(), sets.amount
        return Counts(x.correct * w, x.predicted * w, x.true * w, x.classes * w)


def listed(labels: Any) -> Numbers:
    """Labels wanted, at least one."""
    array = np.asarray(on_host(labels))
    if array.ndim != 1 or not len(array):
        raise FormError(f"labels must be a list of at least one label or None, got {labels!r}")
    return array


def targets(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Targets:
    """Both sides, counted; numbers that are equal are one label, whatever their type."""
    (true, kind), (pred, pred_kind) = _side(y_true, "y_true"), _side(y_pred, "y_pred")
    n, other = (np.shape(side)[0] for side in (true, pred))
    if n != other:
        raise InputError(f"y_true and y_pred must have the same length, got {n:,} and {other:,}")
    if not n:
        raise InputError("y_true must not be empty: there is no item to count")
    weight = item_weights(sample_weight, n)
    if weight is not None and not weight.any():
        raise InputError("sample_weight must not be 0 everywhere")
    integral = weight is None or np.asarray(on_host(sample_weight)).dtype.kind in "iub"
    if kind is None and pred_kind is None:
        if true.shape != pred.shape:
            widths = f"{true.shape[1]} and {pred.shape[1]}"
            raise InputError(f"indicators must have as many columns on both sides, got {widths}")
        columns = np.arange(true.shape[1])
        sets = MultiLabel(tuple(columns.tolist()), true, pred, weight)
        return Targets(sets, columns, integral)
    if kind is None or pred_kind is None or (kind.kind == "U") != (pred_kind.kind == "U"):
        raise InputError("y_true and y_pred must both be text, both numbers or both indicators")
    seen = {*true, *pred} if kind.kind == "U" else set()
    labels = sorted(seen) if "" in seen else None  # an empty text is a label like any other there
    table = Confusion.from_labels(true, pred, labels=labels, weights=weight)
    if sorted(table.labels) != list(table.labels):  # numbers as text stand in order of text there
        table = table.select(sorted(table.labels))
    if kind.kind != pred_kind.kind and not np.isin(np.unique(pred), np.unique(true)).all():
        kind = np.result_type(kind, pred_kind)
    return Targets(table, np.array(table.labels).astype(kind), integral, true)


def _side(y: Any, name: str) -> tuple[Any, np.dtype[Any] | None]:
    """One side: labels, numbers as integers, with the type they had; or indicators without one."""
    if isinstance(y, list | tuple) and set(map(type, y)) == {str}:
        return y, np.dtype("U")
    array = y if hasattr(y, "tocsr") else array_of(y, name)
    if hasattr(y, "tocsr") or (array.ndim == 2 and array.shape[1] > 1):
        return _indicators(array, name), None
    if array.ndim != 1 and array.shape[1:] != (1,):
        got = f"shape {array.shape}" if array.ndim else repr(y)
        raise FormError(f"{name} must be a list or an array of labels, got {got}")
    return _column(array.reshape(-1), name)


def _column(array: Numbers, name: str) -> tuple[Numbers, np.dtype[Any]]:
    kind = array.dtype.kind
    if kind in "UT" or (kind == "O" and all(isinstance(v, str) for v in array.tolist())):
        return array, np.dtype("U")
    if kind == "b":
        return array.view(np.int8), array.dtype
    if kind == "f":
        with np.errstate(invalid="ignore"):
            integers = array.astype(np.int64)
        if (integers != array).any():
            raise InputError(f"{name} must be labels, got numbers that are not whole")
        return integers, array.dtype
    if kind not in "iu":
        raise FormError(f"{name} must be all text or all whole numbers, got {shown(array[:1])}")
    return array, array.dtype


def _indicators(y: Any, name: str) -> Any:
    """Whether each item has each label: what is not 0, of at most two different whole numbers."""
    from scipy.sparse import csr_array

    if y.dtype.kind not in "biuf" or y.ndim != 2 or y.shape[1] < 2:
        raise FormError(f"{name} with several columns must hold 0 and 1, got {y.dtype} {y.shape}")
    matrix = csr_array(y, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    values, _ = _column(np.unique(matrix.data), name)
    if len(values) + (matrix.nnz < math.prod(y.shape)) > 2:
        raise InputError(f"{name} with several columns must hold 0 and 1, got more than two values")
    return matrix.astype(bool)


# Functions of targets and options as scikit-learn has them.


def _one_of(*words: str | None) -> Check:
    return lambda v: isinstance(v, str | None) and v in words, f"one of {shown(words, len(words))}"


CHECKS: dict[str, Check] = {
    "adjusted": (lambda v: isinstance(v, bool | np.bool_), "True or False"),
    "average": _one_of("micro", "macro", "samples", "weighted", "binary", None),
    "beta": (lambda v: isinstance(v, Real) and float(v) >= 0, "a number from 0 on"),
    "digits": (lambda v: isinstance(v, Integral) and int(v) >= 0, "a whole number from 0 on"),
    "normalize": _one_of("true", "pred", "all", None),
    "pos_label": (lambda v: isinstance(v, Real | str | np.bool_ | None), "a label or None"),
    "replace_undefined_by": (
        lambda v: isinstance(v, Real) and (math.isnan(v) or abs(float(v)) <= 1),
        "from -1 to 1 or nan",
    ),
    "weights": _one_of("linear", "quadratic", None),
    "zero_division": (
        lambda v: isinstance(v, Real | str) and (v in ("warn", 0, 1) or v != v),
        "'warn', 0, 1 or nan",
    ),
}
"""What each option takes, and that in words; one that is on or off takes what ``adjusted`` does."""


def drop_in(
    true: str = "y_true", pred: str = "y_pred", /, **defaults: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function of targets scikit-learn's of its name: its signature, and checks of options.

    Options are the function's own, those of ``defaults`` and the weights of items.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        own = [p for p in signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
        options = {p.name: p.default for p in own} | defaults
        parameters = {**options, "sample_weight": None}.items()
        full = Signature(
            [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in (true, pred)]
            + [Parameter(name, Parameter.KEYWORD_ONLY, default=value) for name, value in parameters]
        )

        @wraps(function)
        def call(*positional: Any, **keywords: Any) -> Any:
            bound = full.bind(*positional, **keywords)
            bound.apply_defaults()
            arguments = bound.arguments
            for name, default in options.items():
                option, value = "adjusted" if isinstance(default, bool) else name, arguments[name]
                fits, words = CHECKS.get(option, (None, ""))
                if fits is not None and not fits(value):
                    raise FormError(f"{name} must be {words}, got {value!r}")
            data = targets(*(arguments.pop(name) for name in (true, pred, "sample_weight")))
            return function(data, **arguments)

        call.__signature__ = full  # type: ignore[attr-defined]
        return call

    return decorate


# Precision, recall, F and Jaccard, averaged in scikit-learn's ways.

ALL = ("precision", "recall", "f-score")
"""What :func:`averaged` gives, by the names in its warnings."""
AVERAGING = {"labels": None, "pos_label": 1, "average": "binary", "zero_division": "warn"}


def averaged(
    data: Targets,
    labels: Any,
    average: Average,
    zero_division: ZeroDivision,
    pos_label: Any = 1,
    beta: float = 1.0,
    warn_for: Collection[str] = ALL,
) -> tuple[Any, Any, Any, Any]:
    """Precision, recall and F of each label with its support, or averaged without."""
    c = margins(data, labels, average, zero_division, pos_label)
    if zero_division == "warn":
        for name, modifier, size in (
            ("precision", "predicted", c.bias),
            ("recall", "true", c.prevalence),
            ("f-score", "true nor predicted", c.bias + c.prevalence),
        ):
            if name in warn_for and not (name == "f-score" and beta in (0, np.inf)):
                warn_of_nothing(name, modifier, size, average)
    # at the ends of beta F is precision or recall, with their 0/0
    ends: dict[float, Callable[[Counts], Any]] = {0: precision, 1: f1, np.inf: recall}
    f = ends.get(beta, partial(fbeta, beta=float(beta)))
    each = (mean_of(data, c, x(c), average) for x in (precision, recall, f))
    return (*each, c.prevalence if average is None else None)


def margins(
    data: Targets, labels: Any, average: Average, zero_division: ZeroDivision, pos_label: Any
) -> Counts:
    """Margins to average: of labels, of items, or of all labels together."""
    labels = scored_labels(data, labels, pos_label, average)
    by_item = average == "samples"
    c = data.item_margins(labels, "average='samples'") if by_item else data.margins(labels)
    if average == "micro":
        sides = (c.correct, c.bias, c.prevalence)
        correct, bias, prevalence = (x.sum(keepdims=True) for x in sides)
        c = Counts(correct, bias, prevalence, c.total)
    return c.averaging(None, 0.0 if zero_division == "warn" else float(zero_division))


def mean_of(data: Targets, c: Counts, x: Any, average: Average) -> Any:
    """The mean that was asked for; where all weights are 0, each weighs the same."""
    if average is None:
        return np.asarray(x)
    weights = {"weighted": c.prevalence, "samples": getattr(data.data, "weight", None)}.get(average)
    if weights is not None and not np.where(np.isnan(x), 0, weights).any():
        weights = None
    return float(c.mean(x, weights))


def scored_labels(data: Targets, labels: Any, pos_label: Any, average: Average) -> Any:
    """The labels that are scored: one of two, those given, or all."""
    if average != "binary":
        if pos_label not in (None, 1):
            warn_user(
                f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' "
                f"(got {average!r}). You may use labels=[pos_label] to specify a single positive "
                "class."
            )
        return labels
    if data.multi or len(data.labels) > 2:
        kind = "multilabel-indicator" if data.multi else "multiclass"
        raise InputError(
            f"Target is {kind} but average='binary'. Please choose another average setting"
        )
    if pos_label is None:
        raise FormError("pos_label must be a label where average='binary', got None")
    present = data.labels.tolist()
    if pos_label not in present and len(present) >= 2:
        raise InputError(f"pos_label={pos_label!r} is not a valid label: it must be in {present}")
    return [pos_label]


def warn_of_nothing(name: str, modifier: str, size: Numbers, average: Average) -> None:
    """Say where a score is 0/0."""
    if np.all(size):
        return
    one, each = ("label", "sample") if average == "samples" else ("sample", "label")
    where = "due to" if len(size) == 1 else f"in {each}s with"
    warn_undefined(
        f"{name.capitalize()} is ill-defined and being set to 0.0 {where} no {modifier} "
        f"{one}s. Use `zero_division` parameter to control this behavior."
    )


def warn_undefined(message: str) -> None:
    """Warn in scikit-learn's own class, which filters name; without it, in ours."""
    try:
        from sklearn.exceptions import UndefinedMetricWarning
    except ImportError:
        UndefinedMetricWarning = EvenhandWarning
    warn(message, UndefinedMetricWarning)


@drop_in(**{**AVERAGING, "average": None}, beta=1.0, warn_for=ALL)
def precision_recall_fscore_support(data: Targets, **options: Any) -> tuple[Any, Any, Any, Any]:
    """Precision, recall and F of each label with its support, or averaged without.

    >>> precision_recall_fscore_support([0, 1, 1], [0, 1, 0], average="macro")
    (0.75, 0.75, 0.6666666666666666, None)
    """
    return averaged(data, **options)


@drop_in(**AVERAGING)
def precision_score(data: Targets, **options: Any) -> Any:
    """Share of the predictions of a label that are right: hits / predicted.

    >>> precision_score([0, 1, 1], [1, 1, 0])
    0.5
    """
    return averaged(data, **options, warn_for=("precision",))[0]


@drop_in(**AVERAGING)
def recall_score(data: Targets, **options: Any) -> Any:
    """Share of the items of a label that are found: hits / true.

    >>> recall_score([0, 1, 1], [1, 1, 1])
    1.0
    """
    return averaged(data, **options, warn_for=("recall",))[1]


@drop_in(**AVERAGING)
def f1_score(data: Targets, **options: Any) -> Any:
    """F1 of the positive label, of each, or averaged; ``"macro"`` is the mean of F1s.

    >>> f1_score(["a", "b", "b"], ["a", "b", "a"], average="macro")
    0.6666666666666666
    """
    return averaged(data, **options, warn_for=("f-score",))[2]


@drop_in(**AVERAGING, beta=Parameter.empty)
def fbeta_score(data: Targets, **options: Any) -> Any:
    """Weighted harmonic mean of precision and recall; beta > 1 favours recall.

    >>> round(fbeta_score([0, 1, 1, 1], [1, 1, 0, 0], beta=2), 4)
    0.3571
    """
    return averaged(data, **options, warn_for=("f-score",))[2]


@drop_in(**AVERAGING)
def jaccard_score(data: Targets, **options: Any) -> Any:
    """Hits of a label as a share of the items that have it on either side.

    >>> jaccard_score([0, 1, 1], [1, 1, 0])
    0.3333333333333333
    """
    c, average = margins(data, **options), options["average"]
    if math.isnan(c.undefined):
        raise FormError("zero_division must be 'warn', 0 or 1, got nan")
    either = c.bias + c.prevalence - c.correct
    if options["zero_division"] == "warn":
        warn_of_nothing("jaccard", "true or predicted", either, average)
    return mean_of(data, c, ratio(c.correct, either, c.undefined), average)


# Accuracy and losses.


@drop_in()
def accuracy_score(data: Targets, *, normalize: bool = True) -> float:
    """Share of items that are right, or their number; of indicators, all labels at once.

    >>> accuracy_score([0, 2, 1, 3], [0, 1, 2, 3]), accuracy_score([0, 1], [0, 0], normalize=False)
    (0.5, 1.0)
    """
    if not normalize and not data.multi:
        return float(np.sum(data.data.correct))
    return _share_right(data) * (1 if normalize else float(data.data.total))


@drop_in()
def zero_one_loss(data: Targets, *, normalize: bool = True) -> float:
    """Share of items that are wrong, or their number.

    >>> zero_one_loss([1, 2, 3, 4], [2, 2, 3, 4])
    0.25
    """
    return (1 - _share_right(data)) * (1 if normalize else float(data.data.total))


@drop_in()
def hamming_loss(data: Targets) -> float:
    """Share of items that are wrong; of indicators, of decisions.

    >>> import numpy as np
    >>> hamming_loss(np.array([[0, 1], [1, 1]]), np.zeros((2, 2)))
    0.75
    """
    if isinstance(data.data, MultiLabel):
        return float(items.hamming_loss(data.data.items()))
    return 1 - _share_right(data)


def _share_right(data: Targets) -> float:
    if isinstance(data.data, MultiLabel):
        return float(items.subset_accuracy(data.data.items()))
    return float(accuracy(data.margins()))


# Confusion matrices, kappa, MCC and balanced accuracy.


@drop_in()
def confusion_matrix(data: Targets, *, labels: Any = None, normalize: str | None = None) -> Numbers:
    """Items of each true label (rows) by predicted label (columns), or their shares.

    >>> confusion_matrix([2, 0, 2, 2, 0, 1], [0, 0, 2, 2, 0, 2])
    array([[2, 0, 0],
           [0, 0, 1],
           [1, 0, 2]])
    """
    cells = data.cells(labels)
    if normalize is None:
        return cells
    axis = {"true": 1, "pred": 0, "all": None}[normalize]
    return np.asarray(ratio(cells, cells.sum(axis=axis, keepdims=True)))


def _warn_of_one(k: int) -> None:
    """One label makes no matrix, nor anything that is made of one."""
    if k == 1:
        warn_user(
            "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have "
            "the correct shape, use the 'labels' parameter to pass all known labels."
        )


@drop_in()
def multilabel_confusion_matrix(
    data: Targets, *, labels: Any = None, samplewise: bool = False
) -> Numbers:
    """For each label, or each item, the two by two table of having and being given it.

    >>> multilabel_confusion_matrix(["a", "b", "a"], ["a", "b", "b"])[0]
    array([[1, 0],
           [1, 1]])
    """
    c = data.item_margins(labels, "samplewise") if samplewise else data.margins(labels)
    false_positives, false_negatives = c.bias - c.correct, c.prevalence - c.correct
    true_negatives = c.total - c.correct - false_positives - false_negatives
    tables = [true_negatives, false_positives, false_negatives, c.correct]
    return np.stack(tables, axis=-1).reshape(-1, 2, 2)


@drop_in("y1", "y2")
def cohen_kappa_score(
    data: Targets,
    *,
    labels: Any = None,
    weights: str | None = None,
    replace_undefined_by: float = math.nan,
) -> float:
    """Agreement beyond chance, (observed − expected) / (1 − expected), or weighted by distance.

    >>> round(cohen_kappa_score(["a", "b", "a"], ["a", "b", "b"]), 6)
    0.4
    """
    cells = data.cells(labels)
    value = float(kappa(Counts.from_cells(cells, undefined=math.nan)))
    if weights is not None:  # 1 − observed / expected disagreement, by a power of the distance
        place = np.arange(len(cells), dtype=np.float64)
        apart = abs(place[:, None] - place) ** (1 if weights == "linear" else 2)
        true, pred = exact(cells).sum(axis=1), exact(cells).sum(axis=0)
        chance = np.sum(apart * np.outer(ratio(true, true.sum()), pred))
        value = float(1 - ratio(np.sum(apart * cells), chance, math.nan))
    if math.isnan(value):
        warn_undefined(
            "`y1`, `y2` and `labels` have too little in common. `cohen_kappa_score` is undefined "
            f"and set to `replace_undefined_by`, which is {replace_undefined_by}."
        )
        return replace_undefined_by
    return value


@drop_in()
def matthews_corrcoef(data: Targets) -> float:
    """Matthews correlation of any number of labels; 0 where one side has but one.

    >>> round(matthews_corrcoef([1, 1, 1, 0], [1, 0, 1, 1]), 6)
    -0.333333
    """
    _warn_of_one(data.table.k)
    return float(mcc(data.table.counts_over(None, 0.0)))


@drop_in()
def balanced_accuracy_score(data: Targets, *, adjusted: bool = False) -> float:
    """Mean recall of the labels that are true; adjusted, so that chance is 0.

    >>> balanced_accuracy_score([0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1])
    0.625
    """
    _warn_of_one(data.table.k)
    c = data.margins()
    true = c.prevalence > 0
    if not true.all():
        warn_user("y_pred contains classes not in y_true")
    score = float(macro_recall(replace(c, averaged=true)))
    chance = 1 / np.count_nonzero(true) if adjusted else 0.0
    return float(ratio(score - chance, 1 - chance, math.nan))


# The classification report.

HEAD = ("precision", "recall", "f1-score", "support")
MORE = {
    "accuracy": "accuracy",
    "macro_f1": "mean of F1s (macro avg)",
    "f1_of_averages": "F1 of mean precision and recall",
}
"""What the report gains, by metric."""


@drop_in()
def classification_report(
    data: Targets,
    *,
    labels: Any = None,
    target_names: Iterable[Any] | None = None,
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
    chosen = data.labels if labels is None else listed(labels)
    names = list(map(str, chosen) if target_names is None else target_names)
    if len(names) != len(chosen):
        words = f"Number of classes, {len(chosen)}, does not match size of target_names, "
        words += f"{len(names)}. Try specifying the labels parameter"
        if labels is None:
            raise InputError(words)
        warn_user(words)
        names = names[: len(chosen)]
    rows = _rows(data, chosen, names, zero_division)
    more = _scored(data, chosen, zero_division) if intervals else None
    if not output_dict:
        return _text(rows, len(names), digits) + (_added(more, digits) if more else "")
    numbers = {name: dict(zip(HEAD, map(float, row), strict=True)) for name, row in rows}
    report: dict[str, Any] = dict(numbers)
    if "accuracy" in dict(rows[len(names) :]):
        report["accuracy"] = report["accuracy"]["precision"]
    return report if more is None else {**report, "evenhand": more.to_dict()}


def _rows(
    data: Targets, labels: Any, names: list[Any], zero_division: ZeroDivision
) -> list[tuple[Any, list[Any]]]:
    """Name and numbers of each label, then of each average."""
    *each, support = averaged(data, labels, None, zero_division)
    rows = [(name, list(row)) for name, *row in zip(names, *each, support, strict=False)]
    averages: list[Average] = ["micro", "macro", "weighted", "samples"]
    for average in averages if data.multi else averages[:3]:
        scores = averaged(data, labels, average, zero_division)[:3]
        every = average == "micro" and set(labels.tolist()) >= set(data.labels.tolist())
        name = "accuracy" if every and not data.multi else f"{average} avg"
        rows.append((name, [*scores, np.sum(support)]))
    return rows


def _text(rows: list[tuple[Any, list[Any]]], k: int, digits: int) -> str:
    """As scikit-learn prints it."""
    cells = [[f"{x:.{digits}f}" for x in row[:3]] + [row[3]] for _, row in rows]
    names = [visible(name) for name, _ in rows]
    width = max(*map(len, names[:k]), len("weighted avg"), digits)
    if "accuracy" in names[k:]:
        cells[k][:2] = "", ""
    lines = [f"{name:>{width}s} " + "".join(f" {x:>9}" for x in row)
             for name, row in zip(["", *names], [HEAD, *cells], strict=True)]  # fmt: skip
    return "\n".join([lines[0], "", *lines[1 : k + 1], "", *lines[k + 1 :], ""])


def _scored(data: Targets, labels: Any, zero_division: ZeroDivision) -> Scores:
    """The same data by our own verb, over the labels of the report."""
    known = set(data.labels.tolist())
    return score(
        data.data,
        metrics=[m for m in MORE if m != "accuracy" or not data.multi],
        classes=[v for v in labels.tolist() if v in known],
        undefined=0 if zero_division == "warn" else zero_division,
    )


def _added(more: Scores, digits: int) -> str:
    width, lines = max(map(len, MORE.values())), [""]
    for name, s in more.metrics.items():
        interval = f"{number(s.value, digits)} {ends(s.low, s.high, digits)}"
        lines.append(f"{MORE[name]:<{width}}  {interval}".rstrip())
    level = level_text(next(iter(more.metrics.values())).level or 0.95)
    return "\n".join([*lines, f"{level} intervals; signature: {more.signature}", ""])


# Cross-validation of scikit-learn's models.


def cross_validated(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    groups: Any = None,
    **options: Any,
) -> CrossValidated:
    """Train and test a model, or a mapping of names to models, on the same folds.

    ``cv`` is what ``cross_validate`` takes: a number of folds or a splitter, repeated or not. Other
    options are those of ``eh.cross_validated``.

    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = np.zeros((12, 1)), ["a", "a", "b"] * 4
    >>> cross_validated(DummyClassifier(), X, y, cv=3, metrics="accuracy")["accuracy"].folds
    (0.75, 0.75, 0.5)
    """
    sklearn = partial(tool, user="cross_validated", extra="sklearn")
    clone = sklearn("sklearn.base").clone
    check_cv = sklearn("sklearn.model_selection").check_cv
    rows_of = sklearn("sklearn.utils")._safe_indexing
    models = estimators if isinstance(estimators, Mapping) else {ALONE: estimators}
    splits = list(check_cv(cv, y, classifier=True).split(X, y, groups))
    predictions: dict[str, list[Any]] = {name: [] for name in models}
    for train, test in splits:
        for name, model in models.items():
            fitted = clone(model).fit(rows_of(X, train), rows_of(y, train))
            predictions[name].extend(np.asarray(fitted.predict(rows_of(X, test))).tolist())
    tests = [test for _, test in splits]
    rows = np.concatenate(tests)
    return validating.cross_validated(
        np.asarray(rows_of(y, rows)).tolist(),
        predictions,
        fold=np.repeat(np.arange(len(tests)), list(map(len, tests))).tolist(),
        repeat=_repeats(rows, len(y)),
        train=float(np.mean([len(train) for train, _ in splits])),
        **options,
    )


def _repeats(rows: Any, n: int) -> list[int] | None:
    """The repetition of each row, where every item is tested once in each of several."""
    times, rest = divmod(len(rows), n)
    complete = not rest and all(len(np.unique(part)) == n for part in np.split(rows, times))
    return np.repeat(np.arange(times), n).tolist() if complete and times > 1 else None


# Scorers: any metric for ``scoring=``.


@dataclass(frozen=True)
class MetricScorer:
    """Metrics of true and predicted labels, counted once for all; one alone is a number."""

    metrics: tuple[Any, ...]
    classes: Any
    undefined: float
    alone: bool

    def __call__(self, y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> Any:
        """The value, or the values by name; lower is better with its sign turned."""
        table: Any = table_of(VerbArguments("scorer", (y_true, y_pred), weights=sample_weight))
        kernels = bind_all(self.metrics, table, classes=self.classes, undefined=self.undefined)
        values = values_of(kernels, table)
        scores = {
            name: float(v) * (-1 if k.record.better == "lower" else 1)
            for (name, _), k, v in zip(named(self.metrics), kernels, values, strict=True)
        }
        return next(iter(scores.values())) if self.alone else scores

    @property
    def __name__(self) -> str:
        return ", ".join(name for name, _ in named(self.metrics))


@dataclass(frozen=True)
class SeveralScorers:
    """A scorer of several metrics: a fitted model predicts once, its labels are counted once."""

    measure: MetricScorer

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """The scores of a fitted model by name."""
        return self.measure(y, estimator.predict(X), sample_weight=sample_weight)


def scorer(metrics: Metrics, *, classes: Classes = "task", undefined: Undefined = 0) -> Any:
    """A scorer for ``cross_validate``, ``GridSearchCV`` and the like, of any metric and spelling.

    A list of metrics makes one scorer that gives them all by name: ``GridSearchCV(...,
    scoring=scorer(["macro_f1", "mcc"]), refit="macro_f1")``. Metrics of which lower values are
    better have their sign turned, as scikit-learn's losses have. The classes of an average are
    those of the fold's truth unless they are listed.

    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier().fit([[0], [0], [0]], ["a", "a", "b"])
    >>> scorer("macro_recall")(model, [[0], [0]], ["a", "b"])
    0.5
    """
    specs = tuple(as_spec(m) for m in several(metrics, list))
    if not specs:
        raise InputError("scorer takes a metric or a list of them, got none")
    for spec in specs:
        if isinstance(spec, Spec) and spec.metric.better == "neither":
            raise MetricError(f"{spec} cannot be a scorer: neither high nor low is better")
    rule = CLASSES.check(classes)
    averaged_classes = rule if isinstance(rule, str) else tuple(rule)
    measure = MetricScorer(specs, averaged_classes, UNDEFINED.check(undefined), alone(metrics))
    if not measure.alone:
        return SeveralScorers(measure)
    return tool("sklearn.metrics", "scorer", "sklearn").make_scorer(measure)
