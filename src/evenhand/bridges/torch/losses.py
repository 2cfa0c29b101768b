"""Metrics of torch tensors, and differentiable losses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evenhand.bridges import tensors
from evenhand.bridges.tensors import (
    Loss,
    TensorCounter,
    TensorMetric,
    one_hot,
    paired,
    tool,
    within,
)
from evenhand.catalogue.lists import AnyMetric
from evenhand.core.registry import Task
from evenhand.errors import InputError
from evenhand.options import Classes, Undefined

Tensor = Any


def counted(y_true: Tensor, y_pred: Tensor, *, k: int, weights: Tensor | None = None) -> Tensor:
    """Cells k × (k + 1), the last column predictions of no class (−1); on the same device."""
    torch = tool("torch", "counting tensors", "torch")
    paired(y_true, y_pred)
    true, pred = (x.reshape(-1).to(torch.int64) for x in (y_true, y_pred))
    within(true, 0, k, "y_true")
    within(pred, -1, k, "y_pred")
    place = true * (k + 1) + torch.where(pred < 0, k, pred)
    size = k * (k + 1)
    if weights is not None:
        weights = item_weights(weights, len(true)).to(torch.float64)
    return torch.bincount(place, weights, minlength=size).reshape(k, k + 1)


measure = TensorCounter(counted).measure


def item_weights(weights: Tensor, n: int) -> Tensor:
    """One weight an item, finite and not below 0."""
    weights = weights.reshape(-1)
    if len(weights) != n:
        raise InputError(f"weights must have length {n} (one an item), got {len(weights)}")
    if not bool(((weights >= 0) & (weights < float("inf"))).all()):
        raise InputError("weights must be finite numbers ≥ 0")
    return weights


def confusion(y_true: Tensor, y_pred: Tensor, *, k: int, weights: Tensor | None = None) -> Tensor:
    """The k × k table of true and predicted codes, rows = true, on their device.

    >>> import torch
    >>> confusion(torch.tensor([0, 1, 1]), torch.tensor([0, 1, 0]), k=2)
    tensor([[1, 0],
            [1, 1]])
    """
    within(y_pred, 0, k, "y_pred")
    return counted(y_true, y_pred, k=k, weights=weights)[:, :-1]


def soft_table(y_true: Tensor, probabilities: Tensor, *, weights: Tensor | None = None) -> Tensor:
    """The k × k table of true codes and probabilities (items × classes), with their gradient.

    >>> import torch
    >>> soft_table(torch.tensor([0, 1]), torch.tensor([[0.75, 0.25], [0.5, 0.5]]))
    tensor([[0.7500, 0.2500],
            [0.5000, 0.5000]])
    """
    k = int(probabilities.shape[-1])
    within(y_true, 0, k, "y_true")
    return tensors.soft_table(one_hot(y_true, k, probabilities), probabilities, weights)


# Losses: metrics of the soft table over all classes.

IGNORED = -100
"""The target that torch's own losses leave out."""


@dataclass(frozen=True)
class SoftLoss:
    """A loss, called as torch's own are: with scores of the classes, then the target.

    ``input`` has classes on axis 1, as ``torch.nn.functional.cross_entropy`` has them: logits, or
    probabilities if said so. ``target`` holds codes, or (of the shape of ``input``) class
    probabilities; for label sets, indicators. Items whose code is ``ignore_index`` do not count.
    """

    loss: Loss
    probabilities: bool = False
    ignore_index: int = IGNORED

    def __call__(self, input: Tensor, target: Tensor, *, weights: Tensor | None = None) -> Tensor:
        """The loss of a batch, one number with a gradient."""
        torch = tool("torch", "a soft loss", "torch")
        if input.ndim < 2 or not input.is_floating_point():
            raise InputError(
                "input must be floating point, items × classes, "
                f"got {input.dtype} of shape {tuple(input.shape)}"
            )
        scores = _flat(input)
        if scores.dtype in (torch.float16, torch.bfloat16):
            scores = scores.float()  # sums of many items need more digits
        n, k = scores.shape
        true = self._truth(target, input, scores, k)
        if weights is not None:
            weights = item_weights(weights, n).to(scores.dtype)
        if not self.probabilities:
            several = self.loss.measure.task == "multi"
            scores = torch.sigmoid(scores) if several else torch.softmax(scores, dim=-1)
        return self.loss(true, scores, weights)

    def _truth(self, target: Tensor, input: Tensor, scores: Tensor, k: int) -> Tensor:
        """Items × classes: 1 for the true class, nothing for items that are left out."""
        if target.shape == input.shape:
            return _flat(target).to(scores.dtype)
        shape = (input.shape[0], *input.shape[2:])
        several = self.loss.measure.task == "multi"
        if several or tuple(target.shape) != shape or target.is_floating_point():
            also = "" if several else f" (codes of {tuple(shape)}), or"
            raise InputError(
                f"target must have the shape{also} of input {tuple(input.shape)}, "
                f"got {target.dtype} of {tuple(target.shape)}"
            )
        codes = target.reshape(-1)
        left = codes == self.ignore_index
        within(codes.masked_fill(left, 0), 0, k, "target")
        return one_hot(codes.masked_fill(left, -1), k, scores)


def _flat(x: Tensor) -> Tensor:
    """Items × classes, of classes on axis 1."""
    return x if x.ndim == 2 else x.movedim(1, -1).reshape(-1, x.shape[1])


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
    return SoftLoss(Loss.from_metric(measure), probabilities, ignore_index)


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
