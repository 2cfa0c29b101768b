"""Types of metrics and verbs, written by tests/structure/stub.py."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from evenhand.catalogue.lists import AnyMetric, Metrics
from evenhand.comparing.compare import Comparison
from evenhand.core.margins import Counts
from evenhand.data.arguments import Accumulator
from evenhand.data.confusion import Confusion
from evenhand.data.multilabel import MultiLabel
from evenhand.data.sample import Sample, SoftSample
from evenhand.deciding.gate import Gate
from evenhand.deciding.plan import Plan
from evenhand.options import Classes, Rates, Undefined
from evenhand.ranking.leaderboard import Leaderboard
from evenhand.reporting.report import Report
from evenhand.scoring.groups import Groups
from evenhand.scoring.macro_f1_gap import Twins
from evenhand.scoring.scores import Scores
from evenhand.scoring.thresholds import Thresholds
from evenhand.validating import CrossValidated

Values = NDArray[np.float64]
Tables = Confusion | Sample | SoftSample | Counts
Matrix = Sequence[Sequence[float]]

__all__ = [
    "accuracy",
    "adjusted_balanced_accuracy",
    "adjusted_rand_index",
    "aickin_alpha",
    "average_precision",
    "averaged_f1",
    "balanced_accuracy",
    "bangdiwala_b",
    "bennett_s",
    "bookmaker_gain",
    "bookmaker_odds",
    "brier",
    "brier_discrimination",
    "brier_miscalibration",
    "brier_uncertainty",
    "chance_accuracy",
    "chi2",
    "class_accuracy",
    "class_balance_accuracy",
    "class_balanced_accuracy",
    "class_mcc",
    "classification_success",
    "cohen_kappa",
    "compare",
    "conditional_entropy",
    "confusion_entropy",
    "cramers_v",
    "cross_entropy",
    "cross_validated",
    "d_prime",
    "diagnostic_odds_ratio",
    "ece",
    "entropy_pred",
    "entropy_true",
    "f1",
    "f1_gap",
    "f1_of_averages",
    "false_discovery_rate",
    "false_negative_rate",
    "false_omission_rate",
    "false_positive_rate",
    "fbeta",
    "fbeta_of_averages",
    "fowlkes_mallows",
    "gate",
    "geometric_macro_recall",
    "gmean",
    "groups",
    "gwet_ac1",
    "hamming_loss",
    "harmonic_macro_recall",
    "hierarchical_f1",
    "hierarchical_fbeta",
    "hierarchical_precision",
    "hierarchical_recall",
    "iba",
    "information_score",
    "informedness",
    "jaccard",
    "joint_entropy",
    "kappa",
    "kl_divergence",
    "krippendorff_alpha",
    "krippendorff_alpha_interval",
    "krippendorff_alpha_ordinal",
    "lambda_a",
    "lambda_b",
    "lift",
    "log_loss",
    "macro_absolute_error",
    "macro_accuracy",
    "macro_csi",
    "macro_f1",
    "macro_f1_prime",
    "macro_f1_star",
    "macro_fbeta",
    "macro_precision",
    "macro_recall",
    "markedness",
    "matthews_correlation",
    "mcc",
    "mean_absolute_error",
    "mean_cost",
    "mean_of_f1",
    "mean_score",
    "micro_f1",
    "micro_precision",
    "micro_recall",
    "modified_confusion_entropy",
    "mutual_information",
    "negative_likelihood_ratio",
    "net_benefit",
    "no_information_rate",
    "npv",
    "off_by_one_accuracy",
    "p_above_no_information_rate",
    "pabak",
    "pearson_c",
    "phi2",
    "plan",
    "positive_likelihood_ratio",
    "pr_auc_trapezoid",
    "precision",
    "rank",
    "recall",
    "relative_classifier_information",
    "report",
    "roc_auc",
    "samples_f1",
    "samples_jaccard",
    "samples_precision",
    "samples_recall",
    "score",
    "scott_pi",
    "specificity",
    "subset_accuracy",
    "thresholds",
    "top_k_accuracy",
    "tversky",
    "twins",
    "weighted_f1",
    "weighted_f1_of_averages",
    "weighted_kappa",
    "weighted_precision",
    "weighted_recall",
    "yule_q",
    "yule_y",
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

class AlphaBetaOfClass(Protocol):
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
        alpha: float = ...,
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
        alpha: float = ...,
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
        alpha: float = ...,
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
        alpha: float = ...,
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
        alpha: float = ...,
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
        alpha: float = ...,
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
        alpha: float = ...,
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
        alpha: float = ...,
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
        alpha: float = ...,
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
        alpha: float = ...,
        beta: float = ...,
        true: str,
        pred: str | Sequence[str],
        labels: Iterable[Any] | None = ...,
        weights: str | None = ...,
        by: str | Sequence[str] | None = ...,
        drop_null_truth: bool = ...,
    ) -> Values: ...

class AlphaOfClass(Protocol):
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
        alpha: float = ...,
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
        alpha: float = ...,
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
        alpha: float = ...,
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
        alpha: float = ...,
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
        alpha: float = ...,
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
        alpha: float = ...,
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
        alpha: float = ...,
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
        alpha: float = ...,
    ) -> Values: ...
    @overload
    def __call__(
        self,
        data: Tables | NDArray[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        alpha: float = ...,
    ) -> Values: ...
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
    ) -> Values: ...

class DistanceMetric(Protocol):
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
        distance: str = ...,
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
        distance: str = ...,
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
        distance: str = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        data: Tables | NDArray[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        distance: str = ...,
    ) -> float | Values: ...
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
    ) -> float | Values: ...

class DistanceBetaMetric(Protocol):
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
        distance: str = ...,
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
        distance: str = ...,
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
        distance: str = ...,
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
        distance: str = ...,
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
        distance: str = ...,
        beta: float = ...,
        true: str,
        pred: str | Sequence[str],
        labels: Iterable[Any] | None = ...,
        weights: str | None = ...,
        by: str | Sequence[str] | None = ...,
        drop_null_truth: bool = ...,
    ) -> float | Values: ...

class WOfClass(Protocol):
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
        w: float = ...,
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
        w: float = ...,
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
        w: float = ...,
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
        w: float = ...,
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
        w: float = ...,
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
        w: float = ...,
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
        w: float = ...,
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
        w: float = ...,
    ) -> Values: ...
    @overload
    def __call__(
        self,
        data: Tables | NDArray[Any],
        /,
        *,
        classes: Classes = ...,
        undefined: Undefined = ...,
        w: float = ...,
    ) -> Values: ...
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
    ) -> Values: ...

class AverageMaxFprScoreMetric(Protocol):
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
        self,
        sample: SoftSample,
        /,
        *,
        label: Any = ...,
        average: str = ...,
        max_fpr: float = ...,
    ) -> float | list[float]: ...

class AverageScoreMetric(Protocol):
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
        self,
        sample: SoftSample,
        /,
        *,
        label: Any = ...,
        average: str = ...,
    ) -> float | list[float]: ...

class ScaleScoreMetric(Protocol):
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
        self,
        sample: SoftSample,
        /,
        *,
        label: Any = ...,
        scale: str = ...,
    ) -> float | list[float]: ...

class ScoreMetric(Protocol):
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
    def __call__(
        self,
        sample: SoftSample,
        /,
        *,
        label: Any = ...,
    ) -> float | list[float]: ...

class BinsScoreMetric(Protocol):
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
        self,
        sample: SoftSample,
        /,
        *,
        label: Any = ...,
        bins: float = ...,
    ) -> float | list[float]: ...

class KScoreMetric(Protocol):
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
        self,
        sample: SoftSample,
        /,
        *,
        label: Any = ...,
        k: float = ...,
    ) -> float | list[float]: ...

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
class_balance_accuracy: Metric
macro_csi: Metric
adjusted_balanced_accuracy: Metric
weighted_precision: Metric
weighted_recall: Metric
weighted_f1: Metric
weighted_f1_of_averages: Metric
kappa: Metric
cohen_kappa: Metric
mcc: Metric
matthews_correlation: Metric
chance_accuracy: Metric
scott_pi: Metric
bennett_s: Metric
gwet_ac1: Metric
krippendorff_alpha: Metric
aickin_alpha: Metric
pabak: Metric
bangdiwala_b: Metric
no_information_rate: Metric
p_above_no_information_rate: Metric
entropy_true: Metric
entropy_pred: Metric
cross_entropy: Metric
kl_divergence: Metric
joint_entropy: Metric
conditional_entropy: Metric
mutual_information: Metric
relative_classifier_information: Metric
confusion_entropy: Metric
modified_confusion_entropy: Metric
specificity: OfClass
npv: OfClass
false_negative_rate: OfClass
false_positive_rate: OfClass
false_discovery_rate: OfClass
false_omission_rate: OfClass
class_accuracy: OfClass
class_balanced_accuracy: OfClass
class_mcc: OfClass
jaccard: OfClass
tversky: AlphaBetaOfClass
gmean: OfClass
fowlkes_mallows: OfClass
informedness: OfClass
markedness: OfClass
iba: AlphaOfClass
classification_success: OfClass
phi2: Metric
chi2: Metric
cramers_v: Metric
pearson_c: Metric
lambda_a: Metric
lambda_b: Metric
adjusted_rand_index: Metric
weighted_kappa: DistanceMetric
krippendorff_alpha_interval: Metric
krippendorff_alpha_ordinal: Metric
mean_absolute_error: DistanceMetric
macro_absolute_error: DistanceMetric
mean_cost: DistanceMetric
off_by_one_accuracy: DistanceMetric
hierarchical_precision: DistanceMetric
hierarchical_recall: DistanceMetric
hierarchical_f1: DistanceMetric
hierarchical_fbeta: DistanceBetaMetric
bookmaker_gain: Metric
positive_likelihood_ratio: OfClass
negative_likelihood_ratio: OfClass
diagnostic_odds_ratio: OfClass
yule_q: OfClass
yule_y: OfClass
d_prime: OfClass
lift: OfClass
information_score: OfClass
net_benefit: WOfClass
bookmaker_odds: OfClass
subset_accuracy: Metric
hamming_loss: Metric
samples_precision: Metric
samples_recall: Metric
samples_jaccard: Metric
samples_f1: Metric
roc_auc: AverageMaxFprScoreMetric
average_precision: AverageScoreMetric
pr_auc_trapezoid: AverageScoreMetric
brier: ScaleScoreMetric
brier_miscalibration: ScaleScoreMetric
brier_discrimination: ScaleScoreMetric
brier_uncertainty: ScaleScoreMetric
log_loss: ScoreMetric
ece: BinsScoreMetric
top_k_accuracy: KScoreMetric
mean_score: ScoreMetric

def compare(
    *data: Any,
    metrics: Metrics | None = ...,
    distance: Any = ...,
    classes: Classes = ...,
    undefined: Undefined = ...,
    level: float = ...,
    replicates: int = ...,
    seed: int = ...,
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
    drop_null_truth: bool = ...,
) -> CrossValidated: ...
def gate(
    *data: Any,
    metrics: Metrics | None = ...,
    distance: Any = ...,
    classes: Classes = ...,
    undefined: Undefined = ...,
    level: float = ...,
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
    drop_null_truth: bool = ...,
) -> Groups: ...
def plan(
    *data: Any,
    metrics: Metrics | None = ...,
    distance: Any = ...,
    classes: Classes = ...,
    undefined: Undefined = ...,
    level: float = ...,
    positive: Any = ...,
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
    drop_null_truth: bool = ...,
) -> Plan: ...
def rank(
    *data: Any,
    metrics: Metrics | None = ...,
    distance: Any = ...,
    classes: Classes = ...,
    undefined: Undefined = ...,
    level: float = ...,
    replicates: int = ...,
    seed: int = ...,
    by_metric: AnyMetric = ...,
    runs: Mapping[str, Iterable[str]] | str | None = ...,
    progress: Callable[[int], None] | None = ...,
    y_true: Any = ...,
    y_pred: Any = ...,
    true: str | None = ...,
    pred: str | Sequence[str] | None = ...,
    labels: Iterable[Any] | None = ...,
    weights: Any = ...,
    cluster: Any = ...,
    by: Any = ...,
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
    by_metric: AnyMetric = ...,
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
    transform: str | None = ...,
    stratify: bool = ...,
    expected: bool = ...,
    judge: Any = ...,
    label_probability: Any = ...,
    y_true: Any = ...,
    y_pred: Any = ...,
    true: str | None = ...,
    pred: str | Sequence[str] | None = ...,
    labels: Iterable[Any] | None = ...,
    weights: Any = ...,
    cluster: Any = ...,
    by: Any = ...,
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
    drop_null_truth: bool = ...,
    by_row: bool = ...,
) -> Twins: ...
