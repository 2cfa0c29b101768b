"""Metrics and losses on JAX's arrays: the numbers of eh.score, the slopes of differences."""

import pickle

import numpy as np
import pytest

import evenhand as eh
from evenhand.errors import InputError, MetricError
from tests.bridges.soft import (
    BATCHES,
    CODES,
    LABELS,
    LOGITS,
    MULTI,
    SETS,
    SINGLE,
    K,
    differences,
    soft_macro_f1,
)

pytestmark = pytest.mark.jax

RANDOM = np.random.default_rng(3)
TRUE = RANDOM.integers(0, K, 60)
PRED = np.where(RANDOM.random(60) < 0.6, TRUE, RANDOM.integers(-1, K, 60))


@pytest.fixture
def jax():
    """JAX with 64-bit numbers, which it has only when asked."""
    library = pytest.importorskip("jax")
    before = library.config.jax_enable_x64
    library.config.update("jax_enable_x64", True)
    yield library
    library.config.update("jax_enable_x64", before)


@pytest.fixture
def ours(jax):
    from evenhand.bridges import jax as bridge

    return bridge


def slopes(jax, loss, target, logits):
    """Differences of the loss behind a soft loss, on a stack of batches at once."""
    multi = loss.measure.task == "multi"
    true = target if multi else jax.nn.one_hot(target, K)

    def values(stack):
        scores = jax.numpy.asarray(stack).reshape(-1, *logits.shape)
        scores = jax.nn.sigmoid(scores) if multi else jax.nn.softmax(scores, axis=-1)
        every = jax.numpy.broadcast_to(true.astype(scores.dtype), scores.shape)
        return np.asarray(loss.value(every, scores))

    return differences(values, logits)


@pytest.mark.parametrize("text", SINGLE)
def test_the_numbers_of_score(jax, ours, text):
    def labels(codes):
        return [LABELS[c] if c >= 0 else None for c in codes]

    table = eh.Confusion.from_labels(labels(TRUE), labels(PRED), labels=LABELS)
    wanted = eh.score(table, metrics=text, interval=None)[text].value
    data = (jax.numpy.asarray(TRUE), jax.numpy.asarray(PRED))
    found = ours.measure(*data, metrics=text, labels=LABELS)
    assert float(found) == pytest.approx(wanted, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("text", SINGLE)
def test_the_gradient_is_the_slope(jax, ours, text):
    loss, target = ours.soft_loss(text, labels=LABELS), jax.numpy.asarray(CODES)
    found = np.asarray(jax.grad(loss)(jax.numpy.asarray(LOGITS), target))
    wanted = slopes(jax, loss, target, LOGITS)
    assert found == pytest.approx(wanted, rel=1e-6, abs=1e-8)
    assert np.abs(wanted).max() > 1e-4  # there is a slope to be found


@pytest.mark.parametrize("text", MULTI)
def test_the_gradient_of_label_sets(jax, ours, text):
    loss, target = ours.soft_loss(text, labels=LABELS, task="multi"), jax.numpy.asarray(SETS)
    found = np.asarray(jax.grad(loss)(jax.numpy.asarray(LOGITS), target))
    assert found == pytest.approx(slopes(jax, loss, target, LOGITS), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("text", SINGLE)
def test_classes_that_a_batch_lacks(jax, ours, text):
    """Finite with every worth of 0/0, also where probabilities are exactly 0 and 1."""
    for undefined in (0, 1, "nan"):
        slope = jax.grad(ours.soft_loss(text, labels=LABELS, undefined=undefined))
        for name, codes in BATCHES.items():
            for scale in (1.0, 1000.0):
                logits = jax.numpy.asarray(LOGITS[: len(codes)] * scale)
                found = np.asarray(slope(logits, jax.numpy.asarray(codes)))
                assert np.isfinite(found).all(), (name, scale, undefined)


@pytest.mark.parametrize("codes", [CODES, *BATCHES.values()])
def test_all_classes_whatever_the_batch_holds(jax, ours, codes):
    p = np.random.default_rng(5).dirichlet(np.ones(K), len(codes))
    wanted = 1 - soft_macro_f1(codes, p)
    found = ours.soft_macro_f1_loss(jax.numpy.asarray(p), codes, probabilities=True)
    assert float(found) == pytest.approx(float(wanted), rel=1e-12)


@pytest.mark.parametrize("text", ["macro_f1", "mcc", "f1_of_averages", "macro_f1@uniform", "phi2"])
def test_compiled_and_mapped(jax, ours, text):
    """A compiled step, and several batches at once."""
    loss = ours.soft_loss(text)
    logits, target = jax.numpy.asarray(LOGITS), jax.numpy.asarray(CODES)
    plain = float(loss(logits, target))
    assert float(jax.jit(loss)(logits, target)) == pytest.approx(plain, rel=1e-12)
    both = jax.vmap(loss)(jax.numpy.stack([logits, -logits]), jax.numpy.stack([target, target]))
    assert both.tolist() == pytest.approx([plain, float(loss(-logits, target))], rel=1e-12)

    def measured(true, pred):
        return ours.measure(true, pred, metrics=text, k=K)

    data = (jax.numpy.asarray(TRUE), jax.numpy.asarray(PRED))
    assert float(jax.jit(measured)(*data)) == pytest.approx(float(measured(*data)), rel=1e-12)


def test_inside_a_compiler_other_codes_are_nothing(jax, ours):
    true, pred = jax.numpy.asarray([0, 1, 7, -5]), jax.numpy.asarray([0, 1, 1, 0])
    table = jax.jit(lambda t, p: ours.confusion(t, p, k=2))(true, pred)
    assert table.tolist() == [[1, 0], [0, 1]]


def test_items_left_out_and_weights(jax, ours):
    jnp = jax.numpy
    logits, target = jnp.asarray(LOGITS), jnp.asarray(CODES)
    wanted = float(ours.soft_macro_f1_loss(logits[1:], target[1:]))
    left = ours.soft_macro_f1_loss(logits, target.at[0].set(-1))
    weighed = ours.soft_macro_f1_loss(logits, target, weights=jnp.ones(12).at[0].set(0))
    assert (float(left), float(weighed)) == (pytest.approx(wanted), pytest.approx(wanted))


def test_errors(jax, ours):
    jnp = jax.numpy
    with pytest.raises(InputError, match="y_true must be 0 … 2, got 3 at item 1"):
        ours.measure(jnp.asarray([0, 3]), jnp.asarray([0, 0]), metrics="mcc", k=3)
    with pytest.raises(InputError, match="target must be 0 … 2, got 7 at item 1"):
        ours.soft_mcc_loss(jnp.zeros((2, 3)), jnp.asarray([0, 7]))
    with pytest.raises(InputError, match=r"target must have the shape \(2,\) \(codes\), or"):
        ours.soft_mcc_loss(jnp.zeros((2, 3)), jnp.asarray([0, 1, 1]))
    with pytest.raises(InputError, match="input must be floating point"):
        ours.soft_mcc_loss(jnp.zeros((2, 3), int), jnp.asarray([0, 1]))
    with pytest.raises(MetricError, match="neither high nor low is better"):
        ours.soft_loss("f1_gap")


def test_a_loss_pickles(jax, ours):
    loss = pickle.loads(pickle.dumps(ours.soft_loss("macro_jaccard")))
    assert np.isfinite(float(loss(jax.numpy.asarray(LOGITS), jax.numpy.asarray(CODES))))


@pytest.mark.parametrize("kind", ["int8", "uint8", "int32"])
def test_narrow_codes_are_counted(jax, ours, kind):
    codes = jax.numpy.arange(30).astype(kind)
    assert np.asarray(ours.confusion(codes, codes, k=30)).tolist() == np.eye(30).tolist()


def test_codes_are_whole_numbers(jax, ours):
    with pytest.raises(InputError, match="must be codes, got float64 and int64"):
        ours.confusion(jax.numpy.zeros(2), jax.numpy.zeros(2, int), k=2)
