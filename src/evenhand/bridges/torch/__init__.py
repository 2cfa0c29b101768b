"""Metrics of torch tensors on their device, losses made of them, and an accumulator.

>>> import torch
>>> logits = torch.tensor([[2.0, 0.0], [0.0, 1.0], [0.5, 0.0]], requires_grad=True)
>>> loss = soft_macro_f1_loss(logits, torch.tensor([0, 1, 1]))
>>> loss.backward()
>>> round(loss.item(), 6), logits.grad.shape
(0.338822, torch.Size([3, 2]))
>>> measure(torch.tensor([0, 1, 1]), torch.tensor([0, 1, 0]), metrics="macro_f1", k=2)
tensor(0.6667, dtype=torch.float64)
"""

from __future__ import annotations

from typing import Any

from evenhand.bridges.tensors import SoftLoss
from evenhand.bridges.torch.losses import (
    confusion,
    measure,
    soft_f1_of_averages_loss,
    soft_loss,
    soft_macro_f1_loss,
    soft_mcc_loss,
    soft_table,
)

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


def __getattr__(name: str) -> Any:
    """The accumulator is a metric of torchmetrics, which is imported with it."""
    if name != "Accumulator":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from evenhand.bridges.tensors import tool

    tool("torch", name, "torchmetrics")
    tool("torchmetrics", name, "torchmetrics")
    from evenhand.bridges.torch.accumulator import Accumulator

    return Accumulator
