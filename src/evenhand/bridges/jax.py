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

from evenhand.bridges.tensors import SoftLoss, TensorLibrary, TensorMetric, paired, tool
from evenhand.catalogue.lists import AnyMetric
from evenhand.core.registry import Task
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


@dataclass(frozen=True)
class JaxArrays(TensorLibrary):
    """JAX: classes on the last axis; codes that pass through a compiler cannot be looked at."""

    class_axis = -1

    def counted(
        self, y_true: Array, y_pred: Array, *, k: int, weights: Array | None = None
    ) -> Array:
        jnp = tool("jax.numpy", "counting arrays", "jax")
        paired(y_true, y_pred)
        self.check_codes(y_true, 0, k, "y_true")
        self.check_codes(y_pred, -1, k, "y_pred")
        true, pred = jnp.reshape(y_true, -1), jnp.reshape(y_pred, -1)
        outside = (true < 0) | (true >= k)
        column = jnp.where((pred < 0) | (pred >= k), k, pred)
        size = k * (k + 1)
        place = jnp.where(outside, size, true * (k + 1) + column)
        amount = 1 if weights is None else self.item_weights(weights, len(true))
        cells = jnp.zeros(size, jnp.asarray(amount).dtype)
        return cells.at[place].add(amount, mode="drop").reshape(k, k + 1)

    def probabilities(self, logits: Array, *, several: bool) -> Array:
        nn = tool("jax.nn", "a soft loss", "jax")
        return nn.sigmoid(logits) if several else nn.softmax(logits, axis=-1)

    def item_weights(self, weights: Array, n: int) -> Array:
        return weights.reshape(-1)

    def is_known(self, codes: Array) -> bool:
        return not isinstance(codes, tool("jax", "a soft loss", "jax").core.Tracer)


JAX = JaxArrays()
measure = JAX.measure
confusion = JAX.confusion
soft_table = JAX.soft_table


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
    return SoftLoss.from_metric(JAX, measure, probabilities)


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
