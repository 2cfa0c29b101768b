"""Metrics of torch tensors on their device, losses made of them, and an accumulator.

>>> import torch
>>> logits = torch.tensor([[2.0, 0.0], [0.0, 1.0], [0.5, 0.0]], requires_grad=True)
>>> loss = soft_macro_f1_loss(logits, torch.tensor([0, 1, 1]))
>>> loss.backward()
>>> round(loss.item(), 6), logits.grad.shape
(0.338822, torch.Size([3, 2]))
>>> measure(torch.tensor([0, 1, 1]), torch.tensor([0, 1, 0]), metrics="macro_f1", k=2)
tensor(0.6667, dtype=torch.float64)
>>> spam = soft_loss("f1:label=spam", labels=["ham", "spam"], probabilities=True)
>>> spam(torch.tensor([[0.2, 0.8], [0.6, 0.4]]), torch.tensor([1, 0]))  # 1 − 2·0.8 / 2.2
tensor(0.2727)
>>> even, codes = torch.zeros(4, 2), torch.tensor([0, 0, 0, 1])
>>> soft_macro_f1_loss(even, codes)  # F1 0.6 and 1/3
tensor(0.5333)
>>> soft_f1_of_averages_loss(even, codes), soft_mcc_loss(even, codes)  # both 1/2; chance
(tensor(0.5000), tensor(1.))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evenhand.bridges.tensors import SoftLoss, TensorLibrary, tool
from evenhand.errors import InputError

__all__ = [
    "Accumulator",
    "SoftLoss",
    "confusion",
    "measure",
    "soft_f1_of_averages_loss",
    "soft_loss",
    "soft_macro_f1_loss",
    "soft_mcc_loss",
    "soft_table",
]

Tensor = Any


@dataclass(frozen=True)
class TorchTensors(TensorLibrary):
    """torch: classes on axis 1, as ``torch.nn.functional.cross_entropy`` has them."""

    package = "torch"
    arrays = "tensors"
    class_axis = 1
    ignored = -100

    def sums(self, places: Tensor, weights: Tensor | None, size: int) -> Tensor:
        if weights is not None:
            weights = weights.double()
        return self.module("counting tensors").bincount(places, weights, minlength=size)

    def probabilities(self, logits: Tensor, *, several: bool) -> Tensor:
        torch = self.module("a soft loss")
        return torch.sigmoid(logits) if several else torch.softmax(logits, dim=-1)

    def item_weights(self, weights: Tensor, n: int) -> Tensor:
        """One weight an item, finite and not below 0."""
        weights = weights.reshape(-1)
        if len(weights) != n:
            raise InputError(f"weights must have length {n} (one per item), got {len(weights)}")
        if not bool(((weights >= 0) & (weights < float("inf"))).all()):
            raise InputError("weights must be finite numbers ≥ 0")
        return weights


TORCH = TorchTensors()
confusion, measure, soft_table = TORCH.confusion, TORCH.measure, TORCH.soft_table
soft_loss, soft_macro_f1_loss = TORCH.soft_loss, TORCH.soft_macro_f1_loss
soft_f1_of_averages_loss, soft_mcc_loss = TORCH.soft_f1_of_averages_loss, TORCH.soft_mcc_loss


def __getattr__(name: str) -> Any:
    """The accumulator is a metric of torchmetrics, which is imported with it."""
    if name != "Accumulator":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    tool("torch", name, "torchmetrics")
    tool("torchmetrics", name, "torchmetrics")
    from evenhand.bridges.torch.accumulator import Accumulator

    return Accumulator
