"""Metrics of torch tensors, and differentiable losses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evenhand.bridges.tensors import SoftLoss, TensorLibrary, TensorMetric, paired, tool
from evenhand.catalogue.lists import AnyMetric
from evenhand.core.registry import Task
from evenhand.errors import InputError
from evenhand.options import Classes, Undefined

Tensor = Any


@dataclass(frozen=True)
class TorchTensors(TensorLibrary):
    """torch: classes on axis 1, as ``torch.nn.functional.cross_entropy`` has them."""

    class_axis = 1

    def counted(
        self, y_true: Tensor, y_pred: Tensor, *, k: int, weights: Tensor | None = None
    ) -> Tensor:
        torch = tool("torch", "counting tensors", "torch")
        paired(y_true, y_pred)
        true, pred = (x.reshape(-1).to(torch.int64) for x in (y_true, y_pred))
        self.check_codes(true, 0, k, "y_true")
        self.check_codes(pred, -1, k, "y_pred")
        place = true * (k + 1) + torch.where(pred < 0, k, pred)
        size = k * (k + 1)
        if weights is not None:
            weights = self.item_weights(weights, len(true)).to(torch.float64)
        return torch.bincount(place, weights, minlength=size).reshape(k, k + 1)

    def probabilities(self, logits: Tensor, *, several: bool) -> Tensor:
        torch = tool("torch", "a soft loss", "torch")
        return torch.sigmoid(logits) if several else torch.softmax(logits, dim=-1)

    def item_weights(self, weights: Tensor, n: int) -> Tensor:
        """One weight an item, finite and not below 0."""
        weights = weights.reshape(-1)
        if len(weights) != n:
            raise InputError(f"weights must have length {n} (one an item), got {len(weights)}")
        if not bool(((weights >= 0) & (weights < float("inf"))).all()):
            raise InputError("weights must be finite numbers ≥ 0")
        return weights


TORCH = TorchTensors()
measure = TORCH.measure
confusion = TORCH.confusion
soft_table = TORCH.soft_table

# Losses: metrics of the soft table over all classes.

IGNORED = -100
"""The target that torch's own losses leave out."""


def soft_loss(
    metric: AnyMetric,
    *,
    labels: Iterable[Any] | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
    task: Task = "single",
    probabilities: bool = False,
    ignore_index: int = IGNORED,
) -> SoftLoss:
    """Any metric as a loss: its best value less its value on the soft table of the batch.

    Averages run over all k classes of the model, whether or not the batch has an item of each:
    otherwise the loss would be another function for every batch. ``labels`` names the classes for
    spellings (``f1:label=spam``) and for ``classes``, which lists those to average. With
    ``task="multi"`` logits go through a sigmoid and the target has indicators.

    >>> import torch
    >>> loss = soft_loss("f1:label=spam", labels=["ham", "spam"], probabilities=True)
    >>> loss(torch.tensor([[0.2, 0.8], [0.6, 0.4]]), torch.tensor([1, 0]))  # 1 − 2·0.8 / 2.2
    tensor(0.2727)
    """
    measure = TensorMetric.from_metric(metric, labels, classes, undefined, task)
    return SoftLoss.from_metric(TORCH, measure, probabilities, ignore_index)


@lru_cache
def _plain(metric: str) -> SoftLoss:
    return soft_loss(metric)


def _named(metric: str, options: dict[str, Any]) -> SoftLoss:
    """The loss of a metric by name; without options it is made once, not at every step."""
    return soft_loss(metric, **options) if options else _plain(metric)


def soft_macro_f1_loss(
    input: Tensor, target: Tensor, *, weights: Tensor | None = None, **options: Any
) -> Tensor:
    """1 − the mean of the classes' soft F1; options as :func:`soft_loss` has them.

    >>> import torch
    >>> soft_macro_f1_loss(torch.zeros(4, 2), torch.tensor([0, 0, 0, 1]))  # F1 0.6 and 1/3
    tensor(0.5333)
    """
    return _named("macro_f1", options)(input, target, weights=weights)


def soft_f1_of_averages_loss(
    input: Tensor, target: Tensor, *, weights: Tensor | None = None, **options: Any
) -> Tensor:
    """1 − F1 of the mean soft precision and recall; options as :func:`soft_loss` has them.

    >>> import torch
    >>> soft_f1_of_averages_loss(torch.zeros(4, 2), torch.tensor([0, 0, 0, 1]))  # both 1/2
    tensor(0.5000)
    """
    return _named("f1_of_averages", options)(input, target, weights=weights)


def soft_mcc_loss(
    input: Tensor, target: Tensor, *, weights: Tensor | None = None, **options: Any
) -> Tensor:
    """1 − the Matthews correlation of the soft table; options as :func:`soft_loss` has them.

    >>> import torch
    >>> soft_mcc_loss(torch.zeros(4, 2), torch.tensor([0, 0, 0, 1]))  # no better than chance
    tensor(1.)
    """
    return _named("mcc", options)(input, target, weights=weights)
