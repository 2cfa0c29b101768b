"""Arguments as scikit-learn takes them: checked, and labels counted."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.core.margins import Counts
from evenhand.data.confusion import Confusion
from evenhand.data.counting import count_labels, item_weights
from evenhand.data.factorize import on_host
from evenhand.data.multilabel import MultiLabel
from evenhand.errors import EvenhandWarning, FormError, InputError, shown

Average: TypeAlias = Literal["micro", "macro", "samples", "weighted", "binary"] | None
ZeroDivision: TypeAlias = float | Literal["warn"]

AVERAGES = ("micro", "macro", "samples", "weighted", "binary", None)


def one_of(name: str, value: Any, allowed: Iterable[Any]) -> None:
    """``value`` must be one of few."""
    known = tuple(allowed)
    if not (value is None or isinstance(value, str)) or value not in known:
        raise FormError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")


def flag(name: str, value: Any) -> bool:
    """``value`` must be true or false."""
    if not isinstance(value, bool | np.bool_):
        raise FormError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def digits_of(value: Any) -> int:
    """A number of digits."""
    if not isinstance(value, Integral) or value < 0:
        raise FormError(f"digits must be a whole number from 0 on, got {value!r}")
    return int(value)


def beta_of(value: Any) -> float:
    """A beta of F: from 0 to infinity."""
    if isinstance(value, Real) and float(value) >= 0:
        return float(value)
    raise FormError(f"beta must be a number from 0 on, got {value!r}")


def positive(value: Any) -> None:
    """A label that may be called positive."""
    if not (value is None or isinstance(value, Real | str | np.bool_)):
        raise FormError(f"pos_label must be a number, text, True, False or None, got {value!r}")


def zero_division_value(zero_division: Any, *, nan: bool = True) -> float:
    """What 0/0 is zero_division_value; with ``"warn"`` it is 0, and said."""
    if isinstance(zero_division, str) and zero_division == "warn":
        return 0.0
    if isinstance(zero_division, Real):
        if zero_division in (0, 1):
            return float(zero_division)
        if nan and math.isnan(zero_division):
            return math.nan
    allowed = "'warn', 0, 1" + " or nan" * nan
    raise FormError(f"zero_division must be {allowed}, got {zero_division!r}")


def warn_undefined(message: str) -> None:
    """Warn in scikit-learn's own class, which filters name; without it, in ours."""
    try:
        from sklearn.exceptions import UndefinedMetricWarning
    except ImportError:
        UndefinedMetricWarning = EvenhandWarning
    warnings.warn(message, UndefinedMetricWarning, stacklevel=4)


# Targets: one counted table, or two indicator matrices.

Numbers: TypeAlias = NDArray[Any]


@dataclass(frozen=True, eq=False)
class SingleLabelTargets:
    """One label an item: the table, and its labels in scikit-learn's order.

    ``order`` says where they stand in the table, ``integral`` that its cells are whole numbers;
    ``true`` are the true labels item by item.
    """

    table: Confusion
    labels: Numbers
    order: Numbers
    integral: bool
    true: Any

    @property
    def binary(self) -> bool:
        """Whether there are at most two labels."""
        return len(self.labels) <= 2

    @property
    def total(self) -> float:
        """All items, or all weight."""
        return self.table.total  # type: ignore[return-value]  # of one table

    def places(self, labels: Any) -> Numbers:
        """Where labels stand in the table, −1 for those that do not occur."""
        own = dict(zip(self.labels.tolist(), self.order.tolist(), strict=True))
        return np.array([own.get(label, -1) for label in listed(labels).tolist()], np.int64)

    def any_true(self, labels: Any) -> bool:
        """Whether some of the labels is true of an item, and be it one that weighs nothing."""
        if self.margins(labels).prevalence.any():
            return True
        return not set(listed(labels).tolist()).isdisjoint(np.asarray(self.true).tolist())

    def margins(self, labels: Any = None) -> Counts:
        """Margins of all labels, or of those wanted."""
        at = self.order if labels is None else self.places(labels)
        table = self.table
        correct, bias, prevalence = (
            np.append(x, 0)[at] for x in (table.correct, table.bias, table.prevalence)
        )
        return Counts(correct, bias, prevalence, np.asarray(table.total))

    def cells(self, labels: Any = None) -> Numbers:
        """The matrix of all labels, or of those wanted; whole numbers stay whole."""
        at = self.order if labels is None else self.places(labels)
        cells = np.zeros((self.table.k + 1,) * 2, self.table.cells.dtype)
        cells[:-1, :-1] = self.table.cells
        matrix = cells[np.ix_(at, at)]
        return np.asarray(np.rint(matrix).astype(np.int64) if self.integral else matrix)


@dataclass(frozen=True, eq=False)
class MultiLabelTargets:
    """Several labels an item, or none: the labels are the columns of the indicators."""

    data: MultiLabel

    binary = False

    @property
    def labels(self) -> Numbers:
        """The columns."""
        return np.arange(self.data.k)

    @property
    def total(self) -> float:
        """All items, or all weight."""
        return self.data.total

    def select(self, labels: Any) -> MultiLabel:
        """All columns, or some of them."""
        data = self.data
        if labels is None:
            return data
        at = listed(labels)
        if at.dtype.kind not in "iu" or at.min() < 0 or at.max() >= data.k:
            columns = f"0 to {data.k - 1}"
            raise InputError(f"labels of indicators must be columns {columns}, got {shown(at)}")
        return MultiLabel(tuple(range(len(at))), data.true[:, at], data.pred[:, at], data.weight)

    def margins(self, labels: Any = None) -> Counts:
        """Margins of every label, or of some."""
        return self.select(labels).counts_over(None, 0.0)


Targets: TypeAlias = SingleLabelTargets | MultiLabelTargets


def listed(labels: Any) -> Numbers:
    """Labels wanted, at least one."""
    if np.isscalar(labels) or not (hasattr(labels, "__len__") or hasattr(labels, "__array__")):
        raise FormError(f"labels must be a list or None, got {labels!r}")
    array = np.asarray(on_host(labels))
    if array.ndim != 1 or not len(array):
        raise InputError("labels must be a list of at least one label")
    return array


# From labels or indicators to targets.


@dataclass(frozen=True, eq=False)
class TargetColumn:
    """One label an item: text as it is, or numbers as integers with the type they had."""

    values: Any
    dtype: np.dtype[Any]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def text(self) -> bool:
        """Whether labels are text."""
        return self.dtype.kind == "U"


def single(y_true: Any, y_pred: Any, sample_weight: Any = None) -> SingleLabelTargets:
    """Targets with one label an item; others are refused."""
    counted = targets(y_true, y_pred, sample_weight)
    if isinstance(counted, MultiLabelTargets):
        raise FormError("targets must have one label an item, got multi-label indicators")
    return counted


def targets(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Targets:
    """Both sides, counted; numbers that are equal are one label, whatever their type."""
    true, pred = _side(y_true, "y_true"), _side(y_pred, "y_pred")
    n, other = _length(true), _length(pred)
    if n != other:
        raise InputError(f"y_true and y_pred must have the same length, got {n:,} and {other:,}")
    if not n:
        raise InputError("y_true must not be empty: there is no item to count")
    weight, integral = _weights(sample_weight, n)
    if isinstance(true, TargetColumn) and isinstance(pred, TargetColumn):
        return _counted(true, pred, weight, integral)
    if isinstance(true, TargetColumn) or isinstance(pred, TargetColumn):
        raise InputError("y_true and y_pred must both be labels, or both indicators")
    if true.shape[1] != pred.shape[1]:
        widths = f"{true.shape[1]} and {pred.shape[1]}"
        raise InputError(f"indicators must have as many columns on both sides, got {widths}")
    return MultiLabelTargets(MultiLabel(tuple(range(true.shape[1])), true, pred, weight))


def _counted(
    true: TargetColumn, pred: TargetColumn, weight: Numbers | None, integral: bool
) -> SingleLabelTargets:
    if true.text != pred.text:
        raise InputError("y_true and y_pred must both be text or both be numbers")
    seen = {*true.values, *pred.values} if true.text else set()
    labels = sorted(seen) if "" in seen else None  # an empty text is a label like any other there
    table = count_labels(true.values, pred.values, labels=labels, weights=weight)
    order = np.array(sorted(range(table.k), key=table.labels.__getitem__), np.int64)
    dtype = true.dtype if true.dtype.kind == pred.dtype.kind else _wider(true, pred)
    classes = np.array([table.labels[i] for i in order])
    names = classes if true.text else classes.astype(dtype)
    return SingleLabelTargets(table, names, order, integral, true.values)


def _wider(true: TargetColumn, pred: TargetColumn) -> np.dtype[Any]:
    """The type of the labels of two sides: the truth's, unless the other has more of them."""
    if np.isin(np.unique(pred.values), np.unique(true.values)).all():
        return true.dtype
    return np.result_type(true.dtype, pred.dtype)


def _length(side: Any) -> int:
    return len(side) if isinstance(side, TargetColumn) else int(side.shape[0])


def _weights(sample_weight: Any, n: int) -> tuple[Numbers | None, bool]:
    """Weights as floats, and whether they, or the items they weigh, are whole numbers."""
    if sample_weight is None:
        return None, True
    if np.isscalar(sample_weight) or not hasattr(sample_weight, "__len__"):
        raise FormError(f"sample_weight must be a list of numbers or None, got {sample_weight!r}")
    weight = item_weights(sample_weight, n)
    if weight is None or not weight.any():
        raise InputError("sample_weight must not be 0 everywhere")
    return weight, np.asarray(on_host(sample_weight)).dtype.kind in "iub"


def _side(y: Any, name: str) -> Any:
    """One side: a column of labels, or sparse indicators."""
    if hasattr(y, "tocsr"):
        return _indicator(y, name)
    if isinstance(y, list | tuple) and set(map(type, y)) == {str}:
        return TargetColumn(y, np.dtype("U"))
    if np.isscalar(y) or y is None or not (hasattr(y, "__len__") or hasattr(y, "__array__")):
        raise FormError(f"{name} must be a list or an array of labels, got {y!r}")
    if not (isinstance(y, Sequence) or hasattr(y, "__array__") or hasattr(y, "detach")):
        raise FormError(f"{name} must be a list or an array of labels, got {type(y).__name__}")
    try:
        array = np.asarray(on_host(y))
    except ValueError:
        raise InputError(f"{name} must be a list of labels, got lists of several lengths") from None
    if not array.ndim:
        raise FormError(f"{name} must be a list or an array of labels, got one number")
    if array.ndim == 2 and array.shape[1] > 1:
        return _indicator(array, name)
    if array.ndim not in (1, 2) or (array.ndim == 2 and not array.shape[1]):
        raise InputError(f"{name} must have one axis of labels, got shape {array.shape}")
    return _column(array.reshape(-1), name)


def _column(array: Numbers, name: str) -> TargetColumn:
    kind = array.dtype.kind
    if kind in "UT":
        return TargetColumn(array, np.dtype("U"))
    if kind == "O" and len(array):
        if not isinstance(array[0], str):
            raise InputError(f"{name} must be text or whole numbers, got {array[0]!r}")
        if not all(isinstance(v, str) for v in set(array.tolist())):
            raise FormError(f"{name} must be all text or all whole numbers, got both")
        return TargetColumn(array, np.dtype("U"))
    if kind == "b":
        return TargetColumn(array.view(np.int8), array.dtype)
    if kind == "f":
        with np.errstate(invalid="ignore"):
            integers = array.astype(np.int64)
        if (integers != array).any():
            raise InputError(f"{name} must be labels, got numbers that are not whole")
        return TargetColumn(integers, array.dtype)
    if kind not in "iuO":
        raise FormError(f"{name} must be text or whole numbers, got {array.dtype}")
    return TargetColumn(array, array.dtype)


def _indicator(y: Any, name: str) -> Any:
    """Whether each item has each label: what is not 0, of at most two different whole numbers."""
    from scipy.sparse import csr_array

    is_sparse = hasattr(y, "tocsr")
    values = y.tocsr().data if is_sparse else y
    if values.dtype.kind not in "biuf":
        raise InputError(f"{name} with several columns must hold 0 and 1, got {values.dtype}")
    if len(y.shape) != 2 or y.shape[1] < 2:
        raise FormError(f"{name} must not be sparse where an item has one label")
    column = _column(np.unique(values), name)
    zeros = is_sparse and not (column.values == 0).any()
    if len(column) + zeros > 2:
        raise InputError(f"{name} with several columns must hold 0 and 1, got more than two values")
    matrix = csr_array(y, copy=True) if is_sparse else csr_array(y != 0)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix.astype(bool)
