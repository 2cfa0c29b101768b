"""evenhand inside JAX: a compiled training step on the soft macro F1 of each batch.

python examples/with_jax.py      needs pip install 'evenhand[jax]'
"""

import jax
import jax.numpy as jnp

from evenhand.bridges.jax import measure, soft_macro_f1_loss

SHARES = jnp.array([0.8, 0.15, 0.05])
K, SIDES = len(SHARES), 5


def items(key, n):
    classes, noise = jax.random.split(key)
    y = jax.random.categorical(classes, jnp.log(SHARES), shape=(n,))
    centres = jax.random.normal(jax.random.key(1), (K, SIDES))
    return centres[y] + jax.random.normal(noise, (n, SIDES)), y


def cross_entropy(logits, y):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], axis=1))


def trained(loss, x, y):
    @jax.jit
    def step(weights):
        slopes = jax.grad(lambda w: loss(x @ w[:-1] + w[-1], y))(weights)
        return weights - slopes

    weights = jnp.zeros((SIDES + 1, K))
    for _ in range(300):
        weights = step(weights)
    return weights


x, y = items(jax.random.key(0), 3000)
x_test, y_test = items(jax.random.key(2), 5000)
for name, loss in (("cross-entropy", cross_entropy), ("soft macro F1", soft_macro_f1_loss)):
    weights = trained(loss, x, y)
    said = jnp.argmax(x_test @ weights[:-1] + weights[-1], axis=1)
    found = measure(y_test, said, metrics=["macro_f1", "f1_of_averages", "accuracy"], k=K)
    print(f"{name:16}" + "  ".join(f"{m} {float(v):.4f}" for m, v in found.items()))
