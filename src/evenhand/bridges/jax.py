"""Metrics of JAX arrays on their device, and losses made of them, which compile and map.

>>> import jax, jax.numpy as jnp
>>> logits = jnp.array([[2.0, 0.0], [0.0, 1.0], [0.5, 0.0]])
>>> value, slopes = jax.value_and_grad(soft_macro_f1_loss)(logits, jnp.array([0, 1, 1]))
>>> round(float(value), 5), slopes.shape
(0.33882, (3, 2))
>>> measure(jnp.array([0, 1, 1]), jnp.array([0, 1, 0]), metrics="macro_f1", k=2)
Array(0.6667, dtype=float32)
>>> spam = soft_loss("f1:label=spam", labels=["ham", "spam"], probabilities=True)
>>> spam(jnp.array([[0.2, 0.8], [0.6, 0.4]]), jnp.array([1, 0]))  # 1 − 2·0.8 / 2.2
Array(0.2727, dtype=float32)
>>> even, codes = jnp.zeros((4, 2)), jnp.array([0, 0, 0, 1])
>>> soft_macro_f1_loss(even, codes)  # F1 0.6 and 1/3
Array(0.5333, dtype=float32)
>>> soft_f1_of_averages_loss(even, codes), soft_mcc_loss(even, codes)  # both 1/2; chance
(Array(0.5, dtype=float32), Array(1., dtype=float32))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evenhand.bridges.tensors import SoftLoss, TensorLibrary

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

    package = "jax"
    arrays = "arrays"
    class_axis = -1

    def sums(self, places: Array, weights: Array | None, size: int) -> Array:
        jnp, amount = self.module("counting arrays", ".numpy"), 1 if weights is None else weights
        cells = jnp.zeros(size, jnp.asarray(amount).dtype)
        return cells.at[places].add(amount, mode="drop")

    def probabilities(self, logits: Array, *, several: bool) -> Array:
        nn = self.module("a soft loss", ".nn")
        return nn.sigmoid(logits) if several else nn.softmax(logits, axis=-1)

    def item_weights(self, weights: Array, n: int) -> Array:
        return weights.reshape(-1)

    def is_known(self, codes: Array) -> bool:
        return not isinstance(codes, self.module("a soft loss").core.Tracer)


JAX = JaxArrays()
confusion, measure, soft_table = JAX.confusion, JAX.measure, JAX.soft_table
soft_loss, soft_macro_f1_loss = JAX.soft_loss, JAX.soft_macro_f1_loss
soft_f1_of_averages_loss, soft_mcc_loss = JAX.soft_f1_of_averages_loss, JAX.soft_mcc_loss
