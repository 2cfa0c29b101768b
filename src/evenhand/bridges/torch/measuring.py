"""Tables and metrics of tensors, on the device where they lie."""

from __future__ import annotations

from typing import Any

from evenhand.bridges import soft
from evenhand.bridges.tensors import Measuring, paired, within
from evenhand.bridges.tools import tool
from evenhand.errors import InputError

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


measure = Measuring(counted).measure


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
    return soft.soft_table(soft.one_hot(y_true, k, probabilities), probabilities, weights)
