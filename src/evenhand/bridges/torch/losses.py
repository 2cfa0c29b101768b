"""Losses: any metric of the soft table, over all classes, whatever the batch holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evenhand.bridges.soft import Loss, one_hot
from evenhand.bridges.tensors import Measure, within
from evenhand.bridges.tools import tool
from evenhand.bridges.torch.measuring import item_weights
from evenhand.catalogue.naming import AnyMetric
from evenhand.catalogue.policy import Undefined
from evenhand.core.registry import Task
from evenhand.errors import InputError
from evenhand.tables.confusion import Classes

Tensor = Any
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
        wanted = (input.shape[0], *input.shape[2:])
        several = self.loss.measure.task == "multi"
        if several or tuple(target.shape) != wanted or target.is_floating_point():
            also = "" if several else f" (codes of {tuple(wanted)}), or"
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
    measure = Measure.of(metric, labels, classes, undefined, task)
    return SoftLoss(Loss.of(measure), probabilities, ignore_index)


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
