"""Types of metrics and verbs, written by tests/structure/stub.py."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from evenhand.auditing.audit import Audit, Audits
from evenhand.catalogue.lists import AnyMetric, Metrics
from evenhand.comparing.compare import Comparison
from evenhand.core.margins import Counts
from evenhand.data.arguments import Accumulator
from evenhand.data.confusion import Confusion
from evenhand.data.multilabel import MultiLabel
from evenhand.data.sample import Sample, SoftSample
from evenhand.deciding.gate import Gate
from evenhand.deciding.plan import LabelPlan, Plan
from evenhand.looking import Look
from evenhand.options import Classes, Rates, Undefined
from evenhand.ranking.leaderboard import Leaderboard
from evenhand.reporting.report import Report
from evenhand.scoring.agreement import Agreement
from evenhand.scoring.groups import Groups
from evenhand.scoring.macro_f1_gap import Twins
from evenhand.scoring.scores import Scores
from evenhand.scoring.thresholds import Thresholds
from evenhand.validating import CrossValidated

_Values = NDArray[np.float64]
_Tables = Confusion | Sample | SoftSample | Counts
_Matrix = Sequence[Sequence[float]]

class _Metric(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
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
        data: Accumulator | MultiLabel | _Matrix,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
    ) -> float: ...
    @overload
    def __call__(
        self, data: _Tables | NDArray[Any], /, *, classes: Classes = ..., undefined: Undefined = ...
    ) -> float | _Values: ...
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
    ) -> float | _Values: ...

class _OfClass(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
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
        data: Accumulator | MultiLabel | _Matrix,
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: _Tables | NDArray[Any],
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
    ) -> float | _Values: ...
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
    ) -> float | _Values: ...
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> _Values: ...
    @overload
    def __call__(
        self,
        data: Accumulator | MultiLabel | _Matrix,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
    ) -> _Values: ...
    @overload
    def __call__(
        self, data: _Tables | NDArray[Any], /, *, classes: Classes = ..., undefined: Undefined = ...
    ) -> _Values: ...
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
    ) -> _Values: ...

class _BetaOfClass(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
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
        data: Accumulator | MultiLabel | _Matrix,
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
        data: _Tables | NDArray[Any],
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
    ) -> float | _Values: ...
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
    ) -> float | _Values: ...
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> _Values: ...
    @overload
    def __call__(
        self,
        data: Accumulator | MultiLabel | _Matrix,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
    ) -> _Values: ...
    @overload
    def __call__(
        self,
        data: _Tables | NDArray[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
    ) -> _Values: ...
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
    ) -> _Values: ...

class _PMetric(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
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
        data: Accumulator | MultiLabel | _Matrix,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        p: float = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: _Tables | NDArray[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        p: float = ...,
    ) -> float | _Values: ...
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
    ) -> float | _Values: ...

class _BetaMetric(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
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
        data: Accumulator | MultiLabel | _Matrix,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: _Tables | NDArray[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        beta: float = ...,
    ) -> float | _Values: ...
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
    ) -> float | _Values: ...

class _AlphaBetaOfClass(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        alpha: float = ...,
        beta: float = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: Accumulator | MultiLabel | _Matrix,
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        alpha: float = ...,
        beta: float = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: _Tables | NDArray[Any],
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        alpha: float = ...,
        beta: float = ...,
    ) -> float | _Values: ...
    @overload
    def __call__(
        self,
        frame: Any,
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        alpha: float = ...,
        beta: float = ...,
        true: str,
        pred: str | Sequence[str],
        labels: Iterable[Any] | None = ...,
        weights: str | None = ...,
        by: str | Sequence[str] | None = ...,
        drop_null_truth: bool = ...,
    ) -> float | _Values: ...
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        alpha: float = ...,
        beta: float = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> _Values: ...
    @overload
    def __call__(
        self,
        data: Accumulator | MultiLabel | _Matrix,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        alpha: float = ...,
        beta: float = ...,
    ) -> _Values: ...
    @overload
    def __call__(
        self,
        data: _Tables | NDArray[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        alpha: float = ...,
        beta: float = ...,
    ) -> _Values: ...
    @overload
    def __call__(
        self,
        frame: Any,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        alpha: float = ...,
        beta: float = ...,
        true: str,
        pred: str | Sequence[str],
        labels: Iterable[Any] | None = ...,
        weights: str | None = ...,
        by: str | Sequence[str] | None = ...,
        drop_null_truth: bool = ...,
    ) -> _Values: ...

class _AlphaOfClass(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        alpha: float = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: Accumulator | MultiLabel | _Matrix,
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        alpha: float = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: _Tables | NDArray[Any],
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        alpha: float = ...,
    ) -> float | _Values: ...
    @overload
    def __call__(
        self,
        frame: Any,
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        alpha: float = ...,
        true: str,
        pred: str | Sequence[str],
        labels: Iterable[Any] | None = ...,
        weights: str | None = ...,
        by: str | Sequence[str] | None = ...,
        drop_null_truth: bool = ...,
    ) -> float | _Values: ...
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        alpha: float = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> _Values: ...
    @overload
    def __call__(
        self,
        data: Accumulator | MultiLabel | _Matrix,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        alpha: float = ...,
    ) -> _Values: ...
    @overload
    def __call__(
        self,
        data: _Tables | NDArray[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        alpha: float = ...,
    ) -> _Values: ...
    @overload
    def __call__(
        self,
        frame: Any,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        alpha: float = ...,
        true: str,
        pred: str | Sequence[str],
        labels: Iterable[Any] | None = ...,
        weights: str | None = ...,
        by: str | Sequence[str] | None = ...,
        drop_null_truth: bool = ...,
    ) -> _Values: ...

class _DistanceMetric(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        distance: str = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: Accumulator | MultiLabel | _Matrix,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        distance: str = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: _Tables | NDArray[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        distance: str = ...,
    ) -> float | _Values: ...
    @overload
    def __call__(
        self,
        frame: Any,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        distance: str = ...,
        true: str,
        pred: str | Sequence[str],
        labels: Iterable[Any] | None = ...,
        weights: str | None = ...,
        by: str | Sequence[str] | None = ...,
        drop_null_truth: bool = ...,
    ) -> float | _Values: ...

class _DistanceBetaMetric(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        distance: str = ...,
        beta: float = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: Accumulator | MultiLabel | _Matrix,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        distance: str = ...,
        beta: float = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: _Tables | NDArray[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        distance: str = ...,
        beta: float = ...,
    ) -> float | _Values: ...
    @overload
    def __call__(
        self,
        frame: Any,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        distance: str = ...,
        beta: float = ...,
        true: str,
        pred: str | Sequence[str],
        labels: Iterable[Any] | None = ...,
        weights: str | None = ...,
        by: str | Sequence[str] | None = ...,
        drop_null_truth: bool = ...,
    ) -> float | _Values: ...

class _WOfClass(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        w: float = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: Accumulator | MultiLabel | _Matrix,
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        w: float = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: _Tables | NDArray[Any],
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        w: float = ...,
    ) -> float | _Values: ...
    @overload
    def __call__(
        self,
        frame: Any,
        /,
        *,
        label: Any,
        classes: Classes = ...,
        undefined: Undefined = ...,
        w: float = ...,
        true: str,
        pred: str | Sequence[str],
        labels: Iterable[Any] | None = ...,
        weights: str | None = ...,
        by: str | Sequence[str] | None = ...,
        drop_null_truth: bool = ...,
    ) -> float | _Values: ...
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Iterable[Any],
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        w: float = ...,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        drop_null_truth: bool = ...,
    ) -> _Values: ...
    @overload
    def __call__(
        self,
        data: Accumulator | MultiLabel | _Matrix,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        w: float = ...,
    ) -> _Values: ...
    @overload
    def __call__(
        self,
        data: _Tables | NDArray[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        w: float = ...,
    ) -> _Values: ...
    @overload
    def __call__(
        self,
        frame: Any,
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        w: float = ...,
        true: str,
        pred: str | Sequence[str],
        labels: Iterable[Any] | None = ...,
        weights: str | None = ...,
        by: str | Sequence[str] | None = ...,
        drop_null_truth: bool = ...,
    ) -> _Values: ...

class _AverageMaxFprScoreMetric(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Any,
        /,
        *,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        label: Any = ...,
        average: str = ...,
        max_fpr: float = ...,
    ) -> float: ...
    @overload
    def __call__(
        self, sample: SoftSample, /, *, label: Any = ..., average: str = ..., max_fpr: float = ...
    ) -> float | list[float]: ...

class _AverageScoreMetric(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Any,
        /,
        *,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        label: Any = ...,
        average: str = ...,
    ) -> float: ...
    @overload
    def __call__(
        self, sample: SoftSample, /, *, label: Any = ..., average: str = ...
    ) -> float | list[float]: ...

class _ScaleScoreMetric(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Any,
        /,
        *,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        label: Any = ...,
        scale: str = ...,
    ) -> float: ...
    @overload
    def __call__(
        self, sample: SoftSample, /, *, label: Any = ..., scale: str = ...
    ) -> float | list[float]: ...

class _ScoreMetric(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Any,
        /,
        *,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        label: Any = ...,
    ) -> float: ...
    @overload
    def __call__(self, sample: SoftSample, /, *, label: Any = ...) -> float | list[float]: ...

class _BinsScoreMetric(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Any,
        /,
        *,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        label: Any = ...,
        bins: float = ...,
    ) -> float: ...
    @overload
    def __call__(
        self, sample: SoftSample, /, *, label: Any = ..., bins: float = ...
    ) -> float | list[float]: ...

class _KScoreMetric(Protocol):
    __name__: str
    @overload
    def __call__(
        self,
        y_true: Iterable[Any],
        y_pred: Any,
        /,
        *,
        labels: Iterable[Any] | None = ...,
        weights: Any = ...,
        label: Any = ...,
        k: float = ...,
    ) -> float: ...
    @overload
    def __call__(
        self, sample: SoftSample, /, *, label: Any = ..., k: float = ...
    ) -> float | list[float]: ...

accuracy: _Metric
micro_precision: _Metric
micro_recall: _Metric
micro_f1: _Metric
precision: _OfClass
recall: _OfClass
f1: _OfClass
fbeta: _BetaOfClass
macro_f1: _Metric
averaged_f1: _Metric
mean_of_f1: _Metric
f1_of_averages: _Metric
macro_f1_prime: _Metric
macro_f1_star: _Metric
f1_gap: _Metric
macro_precision: _Metric
macro_recall: _PMetric
macro_accuracy: _PMetric
balanced_accuracy: _PMetric
geometric_macro_recall: _Metric
harmonic_macro_recall: _Metric
macro_fbeta: _BetaMetric
fbeta_of_averages: _BetaMetric
class_balance_accuracy: _Metric
macro_csi: _Metric
adjusted_balanced_accuracy: _Metric
weighted_precision: _Metric
weighted_recall: _Metric
weighted_f1: _Metric
weighted_f1_of_averages: _Metric
kappa: _Metric
cohen_kappa: _Metric
mcc: _Metric
matthews_correlation: _Metric
chance_accuracy: _Metric
scott_pi: _Metric
bennett_s: _Metric
gwet_ac1: _Metric
krippendorff_alpha: _Metric
aickin_alpha: _Metric
pabak: _Metric
bangdiwala_b: _Metric
no_information_rate: _Metric
p_above_no_information_rate: _Metric
entropy_true: _Metric
entropy_pred: _Metric
cross_entropy: _Metric
kl_divergence: _Metric
joint_entropy: _Metric
conditional_entropy: _Metric
mutual_information: _Metric
relative_classifier_information: _Metric
confusion_entropy: _Metric
modified_confusion_entropy: _Metric
specificity: _OfClass
npv: _OfClass
false_negative_rate: _OfClass
false_positive_rate: _OfClass
false_discovery_rate: _OfClass
false_omission_rate: _OfClass
class_accuracy: _OfClass
class_balanced_accuracy: _OfClass
class_mcc: _OfClass
jaccard: _OfClass
tversky: _AlphaBetaOfClass
gmean: _OfClass
fowlkes_mallows: _OfClass
informedness: _OfClass
markedness: _OfClass
iba: _AlphaOfClass
classification_success: _OfClass
phi2: _Metric
chi2: _Metric
cramers_v: _Metric
pearson_c: _Metric
lambda_a: _Metric
lambda_b: _Metric
adjusted_rand_index: _Metric
weighted_kappa: _DistanceMetric
krippendorff_alpha_interval: _Metric
krippendorff_alpha_ordinal: _Metric
mean_absolute_error: _DistanceMetric
macro_absolute_error: _DistanceMetric
mean_cost: _DistanceMetric
off_by_one_accuracy: _DistanceMetric
hierarchical_precision: _DistanceMetric
hierarchical_recall: _DistanceMetric
hierarchical_f1: _DistanceMetric
hierarchical_fbeta: _DistanceBetaMetric
bookmaker_gain: _Metric
positive_likelihood_ratio: _OfClass
negative_likelihood_ratio: _OfClass
diagnostic_odds_ratio: _OfClass
yule_q: _OfClass
yule_y: _OfClass
d_prime: _OfClass
lift: _OfClass
information_score: _OfClass
net_benefit: _WOfClass
bookmaker_odds: _OfClass
subset_accuracy: _Metric
hamming_loss: _Metric
samples_precision: _Metric
samples_recall: _Metric
samples_jaccard: _Metric
samples_f1: _Metric
roc_auc: _AverageMaxFprScoreMetric
average_precision: _AverageScoreMetric
pr_auc_trapezoid: _AverageScoreMetric
brier: _ScaleScoreMetric
brier_miscalibration: _ScaleScoreMetric
brier_discrimination: _ScaleScoreMetric
brier_uncertainty: _ScaleScoreMetric
log_loss: _ScoreMetric
ece: _BinsScoreMetric
top_k_accuracy: _KScoreMetric
mean_score: _ScoreMetric

def agree(
    ratings: Any,
    *,
    level: float = ...,
    distance: Any = ...,
    item: str | None = ...,
    annotator: str | None = ...,
    label: str | None = ...,
    labels: Iterable[Any] | None = ...,
) -> Agreement: ...
def audit(
    data: Any,
    *,
    support: Mapping[str, int] | None = ...,
    meanings: Mapping[str, str] | None = ...,
    runs: int | None = ...,
    multilabel: bool | None = ...,
    abstentions: bool = ...,
    complete: bool = ...,
    rerank: bool = ...,
    limit: int = ...,
    progress: Callable[[int, int], None] | None = ...,
) -> Audit: ...
def audits(
    data: Any,
    *,
    support: Mapping[str, int] | None = ...,
    meanings: Mapping[str, str] | None = ...,
    runs: int | None = ...,
    multilabel: bool | None = ...,
    abstentions: bool = ...,
    complete: bool = ...,
    rerank: bool = ...,
    limit: int = ...,
    progress: Callable[[int, int], None] | None = ...,
) -> Audits: ...
def compare(
    *data: Any,
    metrics: Metrics | None = ...,
    distance: Any = ...,
    classes: Classes = ...,
    undefined: Undefined = ...,
    level: float = ...,
    replicates: int = ...,
    seed: int = ...,
    judge: Any = ...,
    label_probability: Any = ...,
    judge_table: Any = ...,
    tests: str | Iterable[str] = ...,
    margin: float | None = ...,
    baseline: str | None = ...,
    y_true: Any = ...,
    y_pred: Any = ...,
    true: str | None = ...,
    pred: str | Sequence[str] | None = ...,
    labels: Iterable[Any] | None = ...,
    weights: Any = ...,
    cluster: Any = ...,
    by: Any = ...,
    probabilities: bool | str | Sequence[str] | None = ...,
    drop_null_truth: bool = ...,
    by_row: bool = ...,
) -> Comparison: ...
def cross_validated(
    *data: Any,
    metrics: Metrics | None = ...,
    distance: Any = ...,
    classes: Classes = ...,
    undefined: Undefined = ...,
    level: float = ...,
    fold: Any,
    repeat: Any = ...,
    train: float | None = ...,
    y_true: Any = ...,
    y_pred: Any = ...,
    true: str | None = ...,
    pred: str | Sequence[str] | None = ...,
    labels: Iterable[Any] | None = ...,
    weights: Any = ...,
    probabilities: bool | str | Sequence[str] | None = ...,
    drop_null_truth: bool = ...,
) -> CrossValidated: ...
def gate(
    *data: Any,
    metrics: Metrics | None = ...,
    distance: Any = ...,
    classes: Classes = ...,
    undefined: Undefined = ...,
    level: float = ...,
    judge: Any = ...,
    label_probability: Any = ...,
    judge_table: Any = ...,
    margin: float,
    slice_margins: Mapping[Any, float] | None = ...,
    min_items: int = ...,
    test: Literal["noninferior", "superior", "equivalent"] = ...,
    baseline: str | None = ...,
    y_true: Any = ...,
    y_pred: Any = ...,
    true: str | None = ...,
    pred: str | Sequence[str] | None = ...,
    labels: Iterable[Any] | None = ...,
    weights: Any = ...,
    cluster: Any = ...,
    by: Any = ...,
    probabilities: bool | str | Sequence[str] | None = ...,
    drop_null_truth: bool = ...,
    by_row: bool = ...,
) -> Gate: ...
def groups(
    *data: Any,
    metrics: Metrics | None = ...,
    distance: Any = ...,
    classes: Classes = ...,
    undefined: Undefined = ...,
    level: float = ...,
    y_true: Any = ...,
    y_pred: Any = ...,
    true: str | None = ...,
    pred: str | Sequence[str] | None = ...,
    labels: Iterable[Any] | None = ...,
    weights: Any = ...,
    cluster: Any = ...,
    by: Any = ...,
    probabilities: bool | str | Sequence[str] | None = ...,
    drop_null_truth: bool = ...,
) -> Groups: ...
def look(
    file: Any, *, no_header: bool = ..., delimiter: str | None = ..., encoding: str | None = ...
) -> Look: ...
def plan(
    *data: Any,
    metrics: Metrics | None = ...,
    distance: Any = ...,
    classes: Classes = ...,
    undefined: Undefined = ...,
    level: float = ...,
    positive: Any = ...,
    judge: Any = ...,
    label_probability: Any = ...,
    judge_table: Any = ...,
    width: float | None = ...,
    difference: float | None = ...,
    margin: float | None = ...,
    power: float = ...,
    recalls: Rates | float | None = ...,
    mix: Rates | None = ...,
    correlation: float = ...,
    design_effect: float = ...,
    y_true: Any = ...,
    y_pred: Any = ...,
    true: str | None = ...,
    pred: str | Sequence[str] | None = ...,
    labels: Iterable[Any] | None = ...,
    weights: Any = ...,
    cluster: Any = ...,
    probabilities: bool | str | Sequence[str] | None = ...,
    drop_null_truth: bool = ...,
) -> Plan | LabelPlan: ...
def rank(
    *data: Any,
    metrics: Metrics | None = ...,
    distance: Any = ...,
    classes: Classes = ...,
    undefined: Undefined = ...,
    level: float = ...,
    replicates: int = ...,
    seed: int = ...,
    by_metric: AnyMetric | None = ...,
    runs: Mapping[str, Iterable[str]] | str | None = ...,
    progress: Callable[[int], None] | None = ...,
    judge: Any = ...,
    label_probability: Any = ...,
    judge_table: Any = ...,
    y_true: Any = ...,
    y_pred: Any = ...,
    true: str | None = ...,
    pred: str | Sequence[str] | None = ...,
    labels: Iterable[Any] | None = ...,
    weights: Any = ...,
    cluster: Any = ...,
    by: Any = ...,
    probabilities: bool | str | Sequence[str] | None = ...,
    drop_null_truth: bool = ...,
    by_row: bool = ...,
) -> Leaderboard: ...
def report(
    *data: Any,
    metrics: Metrics | None = ...,
    distance: Any = ...,
    classes: Classes = ...,
    undefined: Undefined = ...,
    level: float = ...,
    replicates: int = ...,
    seed: int = ...,
    by_metric: AnyMetric | None = ...,
    runs: Mapping[str, Iterable[str]] | str | None = ...,
    progress: Callable[[int], None] | None = ...,
    title: str | None = ...,
    y_true: Any = ...,
    y_pred: Any = ...,
    true: str | None = ...,
    pred: str | Sequence[str] | None = ...,
    labels: Iterable[Any] | None = ...,
    weights: Any = ...,
    cluster: Any = ...,
    by: Any = ...,
    probabilities: bool | str | Sequence[str] | None = ...,
    drop_null_truth: bool = ...,
    by_row: bool = ...,
) -> Report: ...
def score(
    *data: Any,
    metrics: Metrics | None = ...,
    distance: Any = ...,
    positive: Any = ...,
    classes: Classes = ...,
    undefined: Undefined = ...,
    interval: str | None = ...,
    level: float = ...,
    replicates: int = ...,
    seed: int = ...,
    judge: Any = ...,
    label_probability: Any = ...,
    judge_table: Any = ...,
    transform: str | None = ...,
    stratify: bool = ...,
    expected: bool = ...,
    y_true: Any = ...,
    y_pred: Any = ...,
    true: str | None = ...,
    pred: str | Sequence[str] | None = ...,
    labels: Iterable[Any] | None = ...,
    weights: Any = ...,
    cluster: Any = ...,
    by: Any = ...,
    probabilities: bool | str | Sequence[str] | None = ...,
    drop_null_truth: bool = ...,
    by_row: bool = ...,
) -> Scores: ...
def thresholds(
    *data: Any,
    classes: Classes = ...,
    undefined: Undefined = ...,
    interval: str | None = ...,
    level: float = ...,
    label: Any,
    by_metric: AnyMetric = ...,
    metrics: Metrics | None = ...,
    at: Iterable[float] | None = ...,
    seed: int = ...,
    labels: Iterable[Any] | None = ...,
    weights: Any = ...,
    cluster: Any = ...,
    probabilities: bool | str | Sequence[str] | None = ...,
) -> Thresholds: ...
def twins(
    *data: Any,
    classes: Classes = ...,
    undefined: Undefined = ...,
    pairs: int | None = ...,
    y_true: Any = ...,
    y_pred: Any = ...,
    true: str | None = ...,
    pred: str | Sequence[str] | None = ...,
    labels: Iterable[Any] | None = ...,
    weights: Any = ...,
    by: Any = ...,
    probabilities: bool | str | Sequence[str] | None = ...,
    drop_null_truth: bool = ...,
    by_row: bool = ...,
) -> Twins: ...
