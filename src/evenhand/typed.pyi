"""Types of the metric functions, written from the registry by tests/structure/stub.py."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from evenhand.catalogue.policy import Undefined
from evenhand.core.counts import Counts
from evenhand.count.accumulate import Accumulator
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.multilabel import MultiLabel
from evenhand.tables.sample import Sample, SoftSample

Values = NDArray[np.float64]
Tables = Confusion | Sample | SoftSample | Counts
Matrix = Sequence[Sequence[float]]

__all__ = [
    "accuracy",
    "averaged_f1",
    "balanced_accuracy",
    "bookmaker_gain",
    "cohen_kappa",
    "f1",
    "f1_gap",
    "f1_of_averages",
    "fbeta",
    "fbeta_of_averages",
    "geometric_macro_recall",
    "hamming_loss",
    "harmonic_macro_recall",
    "kappa",
    "macro_accuracy",
    "macro_f1",
    "macro_f1_prime",
    "macro_f1_star",
    "macro_fbeta",
    "macro_precision",
    "macro_recall",
    "matthews_correlation",
    "mcc",
    "mean_of_f1",
    "micro_f1",
    "micro_precision",
    "micro_recall",
    "precision",
    "recall",
    "samples_f1",
    "samples_precision",
    "samples_recall",
    "subset_accuracy",
    "weighted_f1",
    "weighted_f1_of_averages",
    "weighted_precision",
    "weighted_recall",
]

class Metric(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        classes: Classes = ...,
        undefined: Undefined = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: Accumulator | MultiLabel | Matrix,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: Tables | NDArray[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
    ) -> float | Values: ...
    @overload
    def __call__(
        self,
        frame: Any,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        true: str,
        pred: str | Sequence[str],
        labels: Iterable[Any] | None = ...,
        weights: str | None = ...,
        by: str | Sequence[str] | None = ...,
        drop_null_truth: bool = ...,
    ) -> float | Values: ...

class OfClass(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: Accumulator | MultiLabel | Matrix,
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: Tables | NDArray[Any],
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
    ) -> float | Values: ...
    @overload
    def __call__(
        self,
        frame: Any,
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        true: str,
        pred: str | Sequence[str],
        labels: Iterable[Any] | None = ...,
        weights: str | None = ...,
        by: str | Sequence[str] | None = ...,
        drop_null_truth: bool = ...,
    ) -> float | Values: ...
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> Values: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        classes: Classes = ...,
        undefined: Undefined = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> Values: ...
    @overload
    def __call__(
        self,
        data: Accumulator | MultiLabel | Matrix,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
    ) -> Values: ...
    @overload
    def __call__(
        self,
        data: Tables | NDArray[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
    ) -> Values: ...
    @overload
    def __call__(
        self,
        frame: Any,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        true: str,
        pred: str | Sequence[str],
        labels: Iterable[Any] | None = ...,
        weights: str | None = ...,
        by: str | Sequence[str] | None = ...,
        drop_null_truth: bool = ...,
    ) -> Values: ...

class BetaOfClass(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: Accumulator | MultiLabel | Matrix,
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: Tables | NDArray[Any],
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
    ) -> float | Values: ...
    @overload
    def __call__(
        self,
        frame: Any,
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
        true: str,
        pred: str | Sequence[str],
        labels: Iterable[Any] | None = ...,
        weights: str | None = ...,
        by: str | Sequence[str] | None = ...,
        drop_null_truth: bool = ...,
    ) -> float | Values: ...
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> Values: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> Values: ...
    @overload
    def __call__(
        self,
        data: Accumulator | MultiLabel | Matrix,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
    ) -> Values: ...
    @overload
    def __call__(
        self,
        data: Tables | NDArray[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
    ) -> Values: ...
    @overload
    def __call__(
        self,
        frame: Any,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
        true: str,
        pred: str | Sequence[str],
        labels: Iterable[Any] | None = ...,
        weights: str | None = ...,
        by: str | Sequence[str] | None = ...,
        drop_null_truth: bool = ...,
    ) -> Values: ...

class PMetric(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        p: float = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        classes: Classes = ...,
        undefined: Undefined = ...,
        p: float = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: Accumulator | MultiLabel | Matrix,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        p: float = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: Tables | NDArray[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        p: float = ...,
    ) -> float | Values: ...
    @overload
    def __call__(
        self,
        frame: Any,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        p: float = ...,
        true: str,
        pred: str | Sequence[str],
        labels: Iterable[Any] | None = ...,
        weights: str | None = ...,
        by: str | Sequence[str] | None = ...,
        drop_null_truth: bool = ...,
    ) -> float | Values: ...

class BetaMetric(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        *,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: Accumulator | MultiLabel | Matrix,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: Tables | NDArray[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
    ) -> float | Values: ...
    @overload
    def __call__(
        self,
        frame: Any,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
        true: str,
        pred: str | Sequence[str],
        labels: Iterable[Any] | None = ...,
        weights: str | None = ...,
        by: str | Sequence[str] | None = ...,
        drop_null_truth: bool = ...,
    ) -> float | Values: ...

accuracy: Metric
micro_precision: Metric
micro_recall: Metric
micro_f1: Metric
precision: OfClass
recall: OfClass
f1: OfClass
fbeta: BetaOfClass
macro_f1: Metric
averaged_f1: Metric
mean_of_f1: Metric
f1_of_averages: Metric
macro_f1_prime: Metric
macro_f1_star: Metric
f1_gap: Metric
macro_precision: Metric
macro_recall: PMetric
macro_accuracy: PMetric
balanced_accuracy: PMetric
geometric_macro_recall: Metric
harmonic_macro_recall: Metric
macro_fbeta: BetaMetric
fbeta_of_averages: BetaMetric
weighted_precision: Metric
weighted_recall: Metric
weighted_f1: Metric
weighted_f1_of_averages: Metric
kappa: Metric
cohen_kappa: Metric
mcc: Metric
matthews_correlation: Metric
bookmaker_gain: Metric
subset_accuracy: Metric
hamming_loss: Metric
samples_precision: Metric
samples_recall: Metric
samples_f1: Metric
