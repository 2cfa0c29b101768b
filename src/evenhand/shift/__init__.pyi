"""Types of shift, written by tests/structure/stub.py."""

from collections.abc import Iterable, Sequence
from typing import Any

from evenhand.catalogue.lists import Metrics
from evenhand.options import Classes, Mix, Undefined
from evenhand.shift.estimation import ClassDrift as ClassDrift
from evenhand.shift.estimation import Drift as Drift
from evenhand.shift.estimation import NewClass as NewClass
from evenhand.shift.estimation import PrevalenceEstimate as PrevalenceEstimate
from evenhand.shift.extrapolation import ClassShift as ClassShift
from evenhand.shift.extrapolation import Extrapolation as Extrapolation
from evenhand.shift.sweeps import Crossing as Crossing
from evenhand.shift.sweeps import Sweep as Sweep

def drift(
    *data: Any,
    metrics: Metrics | None = ...,
    distance: Any = ...,
    classes: Classes = ...,
    undefined: Undefined = ...,
    level: float = ...,
    replicates: int = ...,
    seed: int = ...,
    alert: float = ...,
    method: str | None = ...,
    trained_on: Mix = ...,
    y_true: Any = ...,
    y_pred: Any = ...,
    true: str | None = ...,
    pred: str | Sequence[str] | None = ...,
    labels: Iterable[Any] | None = ...,
    weights: Any = ...,
    cluster: Any = ...,
    probabilities: bool | str | Sequence[str] | None = ...,
    drop_null_truth: bool = ...,
) -> Drift: ...
def estimate_prevalence(
    *data: Any,
    metrics: Metrics | None = ...,
    distance: Any = ...,
    classes: Classes = ...,
    undefined: Undefined = ...,
    level: float = ...,
    replicates: int = ...,
    seed: int = ...,
    predicted: Any,
    method: str | None = ...,
    to: Mix = ...,
    trained_on: Mix = ...,
    y_true: Any = ...,
    y_pred: Any = ...,
    true: str | None = ...,
    pred: str | Sequence[str] | None = ...,
    labels: Iterable[Any] | None = ...,
    weights: Any = ...,
    cluster: Any = ...,
    probabilities: bool | str | Sequence[str] | None = ...,
    drop_null_truth: bool = ...,
) -> PrevalenceEstimate: ...
def extrapolate(
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
    to: Mix = ...,
    predicted: Any = ...,
    y_true: Any = ...,
    y_pred: Any = ...,
    true: str | None = ...,
    pred: str | Sequence[str] | None = ...,
    labels: Iterable[Any] | None = ...,
    weights: Any = ...,
    cluster: Any = ...,
    probabilities: bool | str | Sequence[str] | None = ...,
    drop_null_truth: bool = ...,
) -> Extrapolation: ...
def sweep(
    *data: Any,
    metrics: Metrics | None = ...,
    distance: Any = ...,
    classes: Classes = ...,
    undefined: Undefined = ...,
    interval: str | None = ...,
    level: float = ...,
    label: Any,
    against: Any = ...,
    names: tuple[str, str] = ...,
    at: Iterable[float] | None = ...,
    y_true: Any = ...,
    y_pred: Any = ...,
    true: str | None = ...,
    pred: str | Sequence[str] | None = ...,
    labels: Iterable[Any] | None = ...,
    weights: Any = ...,
    cluster: Any = ...,
    probabilities: bool | str | Sequence[str] | None = ...,
    drop_null_truth: bool = ...,
) -> Sweep: ...
