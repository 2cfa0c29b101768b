"""The same kernels on torch and JAX: values, types, shapes, gradients."""

import numpy as np
import pytest

import evenhand as eh
from evenhand.catalogue.lists import table_metrics
from evenhand.catalogue.spelling import Spec
from evenhand.core.contingency import Contingency
from evenhand.core.margins import Counts
from evenhand.core.metrics.macro import pair_terms

ORDINARY = np.array([[6, 1, 1], [1, 5, 2], [2, 3, 7]])
SPECS = [
    *(m.name for m in table_metrics().values() if m.needs != "items" and m.smooth),
    *(f"{name}:distance=quadratic" for name in ("weighted_kappa", "mean_absolute_error")),
    *(f"macro_recall:p={p}" for p in ("-inf", -30, -2, 0, 0.5, 2, 30, "inf")),
    *(f"{name}:beta={b}" for name in ("macro_fbeta", "fbeta_of_averages") for b in (0, 0.5, 2)),
]
# zero cells, an unseen class, a class never predicted, one never true, one of two never hit
SPARSE = {
    "zero cells": [[6, 0, 1], [0, 5, 0], [2, 0, 7]],
    "unseen class": [[6, 1, 0], [1, 5, 0], [0, 0, 0]],
    "never predicted": [[6, 1, 0], [1, 5, 0], [2, 3, 0]],
    "never true": [[6, 1, 1], [1, 5, 2], [0, 0, 0]],
    "never hit": [[0, 1, 1], [1, 5, 2], [2, 3, 7]],
    "no hit": [[0, 1, 1], [1, 0, 2], [2, 3, 0]],
    "one prediction": [[6, 0, 0], [1, 0, 0], [2, 0, 0]],
    "one truth": [[6, 1, 2], [0, 0, 0], [0, 0, 0]],
    "perfect": [[6, 0, 0], [0, 5, 0], [0, 0, 7]],
    "empty": [[0, 0, 0], [0, 0, 0], [0, 0, 0]],
}
TABLES = {"ordinary": ORDINARY, **{name: np.array(cells) for name, cells in SPARSE.items()}}


def kernel(text, cells, **options):
    """The bare kernel on an array of any library, every class averaged."""
    name, _, rest = text.partition(":")
    record = table_metrics()[name]
    given = dict(part.split("=") for part in rest.split(",") if part)
    chosen = {k: v if k in record.choices else float(v) for k, v in given.items()}
    if record.needs in ("cells", "pairs"):
        options.pop("averaged", None)
        worth = options.pop("undefined", 0.0)
        found = record.function(
            Contingency.from_cells(cells, **options).averaging(None, worth), **chosen
        )
    else:
        found = record.function(Counts.from_cells(cells, **options), **chosen)
    return found[..., 0] if record.of_one_class else found


def slope(text, cells):
    """Central differences of the numpy kernel, cell by cell."""
    h = 1e-6
    found = np.zeros(cells.shape)
    for at in np.ndindex(cells.shape):
        step = np.zeros(cells.shape)
        step[at] = h
        found[at] = (kernel(text, cells + step) - kernel(text, cells - step)) / (2 * h)
    return found


def test_the_list_is_whole():
    assert {Spec.parse(s).metric.name for s in SPECS if ":" in s} >= {"macro_recall", "macro_fbeta"}
    assert len(SPECS) >= 24


@pytest.mark.torch
class TestTorch:
    @pytest.fixture
    def torch(self):
        return pytest.importorskip("torch")

    @pytest.mark.parametrize("undefined", [0.0, 1.0, float("nan")])
    @pytest.mark.parametrize("text", SPECS)
    def test_values(self, torch, text, undefined):
        for cells in TABLES.values():
            expected = kernel(text, cells, undefined=undefined)
            for kind, close in (("float32", 2e-6), ("float64", 1e-12), ("int64", 1e-12)):
                t = torch.tensor(cells, dtype=getattr(torch, kind))
                found = kernel(text, t, undefined=undefined)
                wanted = torch.float32 if kind == "float32" else torch.float64
                assert found.dtype == wanted
                assert found.device == t.device
                assert found.item() == pytest.approx(expected, abs=close, rel=close, nan_ok=True)

    @pytest.mark.parametrize("text", SPECS)
    def test_batches_are_loops(self, torch, text):
        stack = np.stack(list(TABLES.values())[:10]).reshape(2, 5, 3, 3)
        found = kernel(text, torch.tensor(stack, dtype=torch.float64))
        assert tuple(found.shape) == (2, 5)
        for at in np.ndindex(2, 5):
            assert found[at].item() == pytest.approx(kernel(text, stack[at]), abs=1e-12)

    @pytest.mark.parametrize("text", SPECS)
    def test_outside_and_averaged(self, torch, text):
        outside, averaged = np.array([2, 0, 3]), np.array([True, False, True])
        for kind in (torch.float64, torch.int64):
            found = kernel(
                text,
                torch.tensor(ORDINARY, dtype=kind),
                outside=torch.tensor(outside, dtype=kind),
                averaged=torch.tensor(averaged),
            )
            expected = kernel(text, ORDINARY, outside=outside, averaged=averaged)
            assert found.item() == pytest.approx(expected, rel=1e-12)

    @pytest.mark.parametrize("text", SPECS)
    def test_gradient_is_the_slope(self, torch, text):
        t = torch.tensor(ORDINARY, dtype=torch.float64, requires_grad=True)
        kernel(text, t).backward()
        expected = slope(text, ORDINARY.astype(float))
        assert t.grad.numpy() == pytest.approx(expected, rel=1e-6, abs=1e-8)

    @pytest.mark.parametrize("undefined", [0.0, 1.0, float("nan")])
    @pytest.mark.parametrize("text", SPECS)
    def test_gradient_is_finite(self, torch, text, undefined):
        for name, cells in SPARSE.items():
            t = torch.tensor(cells, dtype=torch.float64, requires_grad=True)
            kernel(text, t, undefined=undefined).backward()
            assert torch.isfinite(t.grad).all(), name

    def test_gradient_where_a_class_is_unseen(self, torch):
        """The two seen classes have the slope of the 2 × 2 table."""
        for text in ("mcc", "kappa", "accuracy", "bookmaker_gain", "weighted_f1"):
            t = torch.tensor(TABLES["unseen class"], dtype=torch.float64, requires_grad=True)
            kernel(text, t).backward()
            expected = slope(text, np.array([[6.0, 1.0], [1.0, 5.0]]))
            assert t.grad[:2, :2].numpy() == pytest.approx(expected, rel=1e-6, abs=1e-8)

    def test_public_functions_take_tensors(self, torch):
        t = torch.tensor(ORDINARY, dtype=torch.float32, requires_grad=True)
        found = eh.macro_f1(t)
        found.backward()
        assert found.dtype == torch.float32
        assert found.item() == pytest.approx(361 / 561, rel=1e-6)
        assert torch.isfinite(t.grad).all()

    def test_public_functions_average_what_is_seen(self, torch):
        t = torch.tensor(TABLES["unseen class"], dtype=torch.float64)
        assert eh.macro_f1(t).item() == pytest.approx(eh.macro_f1([[6, 1], [1, 5]]), rel=1e-12)

    def test_pair_terms(self, torch):
        found = pair_terms(Counts.from_cells(torch.tensor(ORDINARY, dtype=torch.float64)))
        assert found.numpy() == pytest.approx(pair_terms(Counts.from_cells(ORDINARY)), abs=1e-15)


@pytest.mark.jax
class TestJax:
    @pytest.fixture
    def jax(self):
        return pytest.importorskip("jax")

    @pytest.fixture
    def wide(self, jax):
        """JAX with 64-bit numbers, which it has only when asked."""
        before = jax.config.jax_enable_x64
        jax.config.update("jax_enable_x64", True)
        yield jax
        jax.config.update("jax_enable_x64", before)

    @pytest.mark.parametrize("text", SPECS)
    def test_values(self, jax, text):
        for cells in TABLES.values():
            expected = kernel(text, cells)
            for kind in ("float32", "int32"):
                found = kernel(text, jax.numpy.asarray(cells, kind))
                assert found.dtype == "float32"
                assert float(found) == pytest.approx(expected, abs=2e-6, rel=2e-6)

    @pytest.mark.parametrize("undefined", [0.0, 1.0, float("nan")])
    @pytest.mark.parametrize("text", SPECS)
    def test_wide_values(self, wide, text, undefined):
        for cells in TABLES.values():
            expected = kernel(text, cells, undefined=undefined)
            for kind in ("float64", "int64"):
                found = kernel(text, wide.numpy.asarray(cells, kind), undefined=undefined)
                assert found.dtype == "float64"
                assert float(found) == pytest.approx(expected, abs=1e-12, nan_ok=True)

    @pytest.mark.parametrize("text", SPECS)
    def test_batches_are_loops(self, wide, text):
        stack = np.stack(list(TABLES.values())[:10]).reshape(2, 5, 3, 3)
        found = kernel(text, wide.numpy.asarray(stack, "float64"))
        assert found.shape == (2, 5)
        for at in np.ndindex(2, 5):
            assert float(found[at]) == pytest.approx(kernel(text, stack[at]), abs=1e-12)

    @pytest.mark.parametrize("text", SPECS)
    def test_gradient_is_the_slope(self, wide, text):
        found = wide.grad(lambda x: kernel(text, x))(wide.numpy.asarray(ORDINARY, "float64"))
        expected = slope(text, ORDINARY.astype(float))
        assert np.asarray(found) == pytest.approx(expected, rel=1e-6, abs=1e-8)

    @pytest.mark.parametrize("undefined", [0.0, 1.0, float("nan")])
    @pytest.mark.parametrize("text", SPECS)
    def test_gradient_is_finite(self, wide, text, undefined):
        gradient = wide.grad(lambda x: kernel(text, x, undefined=undefined))
        for name in SPARSE:
            found = gradient(wide.numpy.asarray(TABLES[name], "float64"))
            assert np.isfinite(np.asarray(found)).all(), name

    @pytest.mark.parametrize("text", SPECS)
    def test_compiled(self, jax, text):
        cells = jax.numpy.asarray(ORDINARY, "float32")
        found = jax.jit(lambda x: kernel(text, x))(cells)
        assert float(found) == pytest.approx(kernel(text, ORDINARY), rel=1e-5, abs=1e-6)

    def test_public_functions_take_arrays(self, wide):
        cells = wide.numpy.asarray(ORDINARY, "float64")
        assert float(eh.macro_f1(cells)) == pytest.approx(361 / 561, rel=1e-12)
        found = wide.grad(eh.macro_f1)(cells)
        expected = slope("macro_f1", ORDINARY.astype(float))
        assert np.asarray(found) == pytest.approx(expected, abs=1e-8)
