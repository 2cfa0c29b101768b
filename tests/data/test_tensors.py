"""Tensors are counted where they lie: the same table as from lists."""

import numpy as np
import pytest

from evenhand import Accumulator, Confusion, InputError

RANDOM = np.random.default_rng(0)
TRUE = RANDOM.integers(-3, 4, 500)
PRED = RANDOM.integers(-3, 4, 500)
WEIGHTS = RANDOM.integers(0, 8, 500) / 4


@pytest.fixture(params=[pytest.param(name, marks=getattr(pytest.mark, name)) for name in
                        ("torch", "jax")])  # fmt: skip
def tensor(request):
    """Make a tensor of this library from a numpy array."""
    library = pytest.importorskip(request.param)
    return library.from_numpy if request.param == "torch" else library.numpy.asarray


def by_hand(true, pred, weights=None):
    labels = sorted({*true.tolist(), *pred.tolist()})
    cells = np.zeros((len(labels), len(labels)))
    at = {v: i for i, v in enumerate(labels)}
    for t, p, w in zip(true.tolist(), pred.tolist(), np.ones(len(true)) if weights is None
                       else weights, strict=True):  # fmt: skip
        cells[at[t], at[p]] += w
    return tuple(labels), cells.tolist()


def found(table):
    return table.labels, table.cells.tolist()


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint8", "int64"])
def test_integers(tensor, dtype):
    true, pred = (np.abs(x).astype(dtype) for x in (TRUE, PRED))
    assert found(Confusion.from_labels(tensor(true), tensor(pred))) == by_hand(true, pred)


def test_negative_integers(tensor):
    assert found(Confusion.from_labels(tensor(TRUE), tensor(PRED))) == by_hand(TRUE, PRED)


def test_a_tensor_against_an_array_and_a_list(tensor):
    expected = by_hand(TRUE, PRED)
    assert found(Confusion.from_labels(tensor(TRUE), PRED)) == expected
    assert found(Confusion.from_labels(TRUE.tolist(), tensor(PRED))) == expected


def test_weights(tensor):
    expected = by_hand(TRUE, PRED, WEIGHTS)
    for weights in (WEIGHTS, tensor(WEIGHTS.astype("float32"))):
        table = Confusion.from_labels(tensor(TRUE), tensor(PRED), weights=weights)
        assert found(table) == expected
        assert table.squares.sum() == (WEIGHTS**2).sum()


def test_booleans_and_floats_keep_their_type(tensor):
    true, pred = TRUE > 0, PRED > 0
    table = Confusion.from_labels(tensor(true), tensor(pred))
    assert found(table) == by_hand(true, pred)
    assert table.labels == (False, True)
    floats = Confusion.from_labels(*(tensor((x / 2).astype("float32")) for x in (TRUE, PRED)))
    assert floats.labels == tuple(v / 2 for v in range(-3, 4))


def test_parts_of_a_larger_tensor(tensor):
    whole = tensor(np.stack([TRUE, PRED, TRUE], axis=1))
    table = Confusion.from_labels(whole[:, 0], whole[:, 1])
    assert found(table) == by_hand(TRUE, PRED)
    every = Confusion.from_labels(whole[::3, 2], whole[::3, 1])
    assert found(every) == by_hand(TRUE[::3], PRED[::3])


def test_more_axes_than_one_are_refused(tensor):
    with pytest.raises(InputError, match="y_pred must be one-dimensional, got shape"):
        Confusion.from_labels(tensor(TRUE), tensor(np.stack([PRED, PRED])))


def test_an_accumulator(tensor):
    counter = Accumulator()
    for i in range(0, 500, 64):
        counter.update(tensor(TRUE[i : i + 64]), tensor(PRED[i : i + 64]))
    assert found(counter.table) == by_hand(TRUE, PRED)


@pytest.mark.torch
def test_memory_is_shared_not_copied():
    torch = pytest.importorskip("torch")
    from evenhand.data.counting import _integer_array

    tensor = torch.arange(10)
    assert np.shares_memory(_integer_array(tensor), tensor.numpy())


@pytest.mark.torch
def test_what_requires_a_gradient():
    torch = pytest.importorskip("torch")
    true, pred = (torch.tensor(x.astype(float), requires_grad=True) for x in (TRUE, PRED))
    assert Confusion.from_labels(true, pred).correct.sum() == (TRUE == PRED).sum()
    weights = torch.tensor(WEIGHTS, requires_grad=True)
    table = Confusion.from_labels(torch.tensor(TRUE), torch.tensor(PRED), weights=weights)
    assert table.total == WEIGHTS.sum()


@pytest.mark.torch
def test_half_precision():
    torch = pytest.importorskip("torch")
    halves = torch.tensor([0.5, 1.5, 0.5], dtype=torch.bfloat16)
    assert Confusion.from_labels(halves, halves).labels == (0.5, 1.5)


@pytest.mark.torch
def test_scalars_of_a_loop():
    torch = pytest.importorskip("torch")
    table = Confusion.from_labels(list(torch.tensor([1, 0, 1])), [1, 1, 1])
    assert (table.labels, table.correct.tolist()) == ((0, 1), [0, 2])
