"""Metrics of JAX arrays on their device, and losses made of them, which compile and map.

>>> import jax, jax.numpy as jnp
>>> logits = jnp.array([[2.0, 0.0], [0.0, 1.0], [0.5, 0.0]])
>>> value, slopes = jax.value_and_grad(soft_macro_f1_loss)(logits, jnp.array([0, 1, 1]))
>>> round(float(value), 5), slopes.shape
(0.33882, (3, 2))
>>> measure(jnp.array([0, 1, 1]), jnp.array([0, 1, 0]), metrics="macro_f1", k=2)
Array(0.6667, dtype=float32)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
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

__all__ = [
    "SoftLoss",
    "confusion",
    "measure",
    "soft_f1_of_averages_loss",
    "soft_loss",
    "soft_macro_f1_loss",
    "soft_mcc_loss",
    "soft_table",
]

Array = Any


def _counted(y_true: Array, y_pred: Array, *, k: int, weights: Array | None = None) -> Array:
    """Cells k × (k + 1), the last column predictions of no class (−1)."""
    jnp = tool("jax.numpy", "counting arrays", "jax")
    paired(y_true, y_pred)
    _checked(y_true, 0, k, "y_true")
    _checked(y_pred, -1, k, "y_pred")
    true, pred = jnp.reshape(y_true, -1), jnp.reshape(y_pred, -1)
    outside = (true < 0) | (true >= k)
    there = jnp.where((pred < 0) | (pred >= k), k, pred)
    size = k * (k + 1)
    place = jnp.where(outside, size, true * (k + 1) + there)
    amount = 1 if weights is None else jnp.reshape(weights, -1)
    cells = jnp.zeros(size, jnp.asarray(amount).dtype)
    return cells.at[place].add(amount, mode="drop").reshape(k, k + 1)


measure = TensorCounter(_counted).measure


def _checked(codes: Array, low: int, k: int, what: str) -> None:
    """Codes must be of a class; those that pass through a compiler cannot be looked at."""
    if not isinstance(codes, tool("jax", "checking codes", "jax").core.Tracer):
        within(codes, low, k, what)


def confusion(y_true: Array, y_pred: Array, *, k: int, weights: Array | None = None) -> Array:
    """The k × k table of true and predicted codes, rows = true.

    >>> import jax.numpy as jnp
    >>> confusion(jnp.array([0, 1, 1]), jnp.array([0, 1, 0]), k=2).tolist()
    [[1, 0], [1, 1]]
    """
    _checked(y_pred, 0, k, "y_pred")
    return _counted(y_true, y_pred, k=k, weights=weights)[:, :-1]


def soft_table(y_true: Array, probabilities: Array, *, weights: Array | None = None) -> Array:
    """The k × k table of true codes and probabilities (items × classes), with their gradient.

    >>> import jax.numpy as jnp
    >>> soft_table(jnp.array([0, 1]), jnp.array([[0.75, 0.25], [0.5, 0.5]])).tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """
    k = int(probabilities.shape[-1])
    _checked(y_true, 0, k, "y_true")
    return tensors.soft_table(one_hot(y_true, k, probabilities), probabilities, weights)


@dataclass(frozen=True)
class SoftLoss:
    """A loss of logits (or probabilities) with classes on the last axis, then of the target.

    ``target`` holds codes, or (of the shape of ``input``) class probabilities; for label sets,
    indicators. Items with a code below 0 do not count.
    """

    loss: Loss
    probabilities: bool = False

    def __call__(self, input: Array, target: Array, *, weights: Array | None = None) -> Array:
        """The loss of a batch, one number with a gradient."""
        jax = tool("jax", "a soft loss", "jax")
        jnp, several = jax.numpy, self.loss.measure.task == "multi"
        if input.ndim < 2 or not jnp.issubdtype(input.dtype, jnp.floating):
            raise InputError(
                "input must be floating point, items × classes, "
                f"got {input.dtype} of shape {tuple(input.shape)}"
            )
        k = int(input.shape[-1])
        scores = jnp.reshape(input, (-1, k))
        if scores.dtype in (jnp.float16, jnp.bfloat16):
            scores = scores.astype(jnp.float32)  # sums of many items need more digits
        if target.shape == input.shape:
            true = jnp.reshape(target, (-1, k)).astype(scores.dtype)
        elif several or target.shape != input.shape[:-1]:
            also = "" if several else f" {tuple(input.shape[:-1])} (codes), or"
            raise InputError(
                f"target must have the shape{also} {tuple(input.shape)} of input, "
                f"got {tuple(target.shape)}"
            )
        else:
            codes = jnp.reshape(target, -1)
            _checked(jnp.where(codes < 0, 0, codes), 0, k, "target")
            true = one_hot(codes, k, scores)
        if not self.probabilities:
            scores = jax.nn.sigmoid(scores) if several else jax.nn.softmax(scores, axis=-1)
        if weights is not None:
            weights = jnp.reshape(weights, -1).astype(scores.dtype)
        return self.loss(true, scores, weights)


def soft_loss(
    metric: AnyMetric,
    *,
    labels: Iterable[Any] | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
    task: Task = "single",
    probabilities: bool = False,
) -> SoftLoss:
    """Any metric as a loss: its best value less its value on the soft table of the batch.

    Averages run over all k classes of the model, whether or not the batch has an item of each:
    otherwise the loss would be another function for every batch. ``labels`` names the classes for
    spellings (``f1:label=spam``) and for ``classes``, which lists those to average. With
    ``task="multi"`` logits go through a sigmoid and the target has indicators.

    >>> import jax.numpy as jnp
    >>> loss = soft_loss("f1:label=spam", labels=["ham", "spam"], probabilities=True)
    >>> loss(jnp.array([[0.2, 0.8], [0.6, 0.4]]), jnp.array([1, 0]))  # 1 − 2·0.8 / 2.2
    Array(0.2727, dtype=float32)
    """
    measure = TensorMetric.from_metric(metric, labels, classes, undefined, task)
    return SoftLoss(Loss.from_metric(measure), probabilities)


def soft_macro_f1_loss(
    input: Array, target: Array, *, weights: Array | None = None, **options: Any
) -> Array:
    """1 − the mean of the classes' soft F1; options as :func:`soft_loss` has them.

    >>> import jax.numpy as jnp
    >>> soft_macro_f1_loss(jnp.zeros((4, 2)), jnp.array([0, 0, 0, 1]))  # F1 0.6 and 1/3
    Array(0.5333, dtype=float32)
    """
    return soft_loss("macro_f1", **options)(input, target, weights=weights)


def soft_f1_of_averages_loss(
    input: Array, target: Array, *, weights: Array | None = None, **options: Any
) -> Array:
    """1 − F1 of the mean soft precision and recall; options as :func:`soft_loss` has them.

    >>> import jax.numpy as jnp
    >>> soft_f1_of_averages_loss(jnp.zeros((4, 2)), jnp.array([0, 0, 0, 1]))  # both 1/2
    Array(0.5, dtype=float32)
    """
    return soft_loss("f1_of_averages", **options)(input, target, weights=weights)


def soft_mcc_loss(
    input: Array, target: Array, *, weights: Array | None = None, **options: Any
) -> Array:
    """1 − the Matthews correlation of the soft table; options as :func:`soft_loss` has them.

    >>> import jax.numpy as jnp
    >>> soft_mcc_loss(jnp.zeros((4, 2)), jnp.array([0, 0, 0, 1]))  # no better than chance
    Array(1., dtype=float32)
    """
    return soft_loss("mcc", **options)(input, target, weights=weights)
