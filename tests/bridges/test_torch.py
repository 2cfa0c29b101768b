"""Metrics and losses on torch's tensors: the numbers of eh.score, the slopes of differences."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

import evenhand as eh
from evenhand.catalogue.spelling import Spec
from evenhand.errors import InputError, MetricError
from tests.bridges.soft import (
    BATCHES,
    CODES,
    LABELS,
    LOGITS,
    MULTI,
    NOT_LOSSES,
    SETS,
    SINGLE,
    K,
    differences,
    soft_macro_f1,
)

pytestmark = pytest.mark.torch


@pytest.fixture
def torch():
    library = pytest.importorskip("torch")
    library.set_num_threads(1)  # tensors are small, and tests run side by side
    return library


def slopes(torch, loss, target, logits):
    """Differences of the loss behind a soft loss, on a stack of batches at once."""
    true = torch.nn.functional.one_hot(target, K) if target.ndim == 1 else target

    def values(stack):
        turn = torch.sigmoid if loss.measure.task == "multi" else torch.Tensor.softmax
        scores = torch.tensor(stack).reshape(-1, *logits.shape)
        scores = turn(scores) if turn is torch.sigmoid else turn(scores, -1)
        return loss.value(true.to(scores.dtype).expand(scores.shape), scores).numpy()

    return differences(values, logits)


@pytest.fixture
def ours(torch):
    from evenhand.bridges import torch as bridge

    return bridge


RANDOM = np.random.default_rng(3)
TRUE = RANDOM.integers(0, K, 60)
PRED = np.where(RANDOM.random(60) < 0.6, TRUE, RANDOM.integers(-1, K, 60))
WEIGHTS = RANDOM.integers(1, 9, 60) / 4
VALUES = [
    *SINGLE,
    *(
        m.name
        for m in NOT_LOSSES
        if "single" in m.tasks and not m.of_one_class and m.needs != "items"
    ),
]


def labels(codes):
    return [LABELS[c] if c >= 0 else None for c in codes]


class TestMeasure:
    @pytest.mark.parametrize("text", VALUES)
    def test_the_numbers_of_score(self, torch, ours, text):
        """Also where a class is never true, and one is never predicted."""
        cases = ((TRUE, PRED), (TRUE % 3, PRED), (TRUE, np.minimum(PRED, 2)))
        for true, pred in cases[:1] if "=0.1" in text else cases:  # a mix needs every class
            table = eh.Confusion.from_labels(labels(true), labels(pred), labels=LABELS)
            wanted = eh.score(table, metrics=text, interval=None)[text].value
            found = ours.measure(
                torch.tensor(true), torch.tensor(pred), metrics=text, labels=LABELS
            )
            assert found.dtype == torch.float64
            assert found.item() == pytest.approx(wanted, rel=1e-12, abs=1e-12)

    @pytest.mark.parametrize("classes", ["task", "true", "seen", ["ant", "dog"]])
    @pytest.mark.parametrize("undefined", [0, 1, "nan"])
    def test_classes_and_undefined(self, torch, ours, classes, undefined):
        table = eh.Confusion.from_labels(labels(TRUE % 3), labels(PRED), labels=LABELS)
        how = {"classes": classes, "undefined": undefined}
        wanted = eh.score(table, metrics=["macro_f1", "micro_f1"], interval=None, **how)
        found = ours.measure(
            torch.tensor(TRUE % 3),
            torch.tensor(PRED),
            metrics=["macro_f1", "micro_f1"],
            labels=LABELS,
            **how,
        )
        assert list(found) == ["macro_f1", "micro_f1"]
        for name, value in found.items():
            assert value.item() == pytest.approx(wanted[name].value, rel=1e-12)

    def test_weights(self, torch, ours):
        wanted = eh.macro_f1(TRUE.tolist(), [p if p >= 0 else None for p in PRED.tolist()],
                             weights=WEIGHTS, labels=range(K))  # fmt: skip
        data = (torch.tensor(TRUE), torch.tensor(PRED))
        how = {"k": K, "weights": torch.tensor(WEIGHTS)}
        assert ours.measure(*data, metrics="macro_f1", **how).item() == pytest.approx(wanted)
        with pytest.raises(MetricError, match="depends on the number of items"):
            ours.measure(*data, metrics="krippendorff_alpha", **how)

    @pytest.mark.parametrize("text", MULTI)
    def test_label_sets(self, torch, ours, text):
        said = RANDOM.random(SETS.shape) < 0.5
        table = eh.MultiLabel.from_indicators(SETS, said, labels=LABELS)
        wanted = eh.score(table, metrics=text, interval=None)[text].value
        data = (torch.tensor(SETS), torch.tensor(said))
        found = ours.measure(*data, metrics=text, labels=LABELS, task="multi")
        assert found.item() == pytest.approx(wanted, rel=1e-12)

    def test_a_column_that_nobody_has_is_a_class_of_the_task(self, torch, ours):
        true, said = torch.tensor([[1, 0, 0], [1, 1, 0]]), torch.tensor([[1, 0, 0], [1, 0, 0]])
        for classes, wanted in (("task", 1 / 3), ("seen", 1 / 2), ([0, 2], 1 / 2)):
            found = ours.measure(true, said, metrics="macro_f1", task="multi", classes=classes)
            assert found.item() == pytest.approx(wanted, rel=1e-12)
            table = eh.MultiLabel.from_indicators(true.numpy(), said.numpy())
            assert eh.macro_f1(table, classes=classes) == pytest.approx(wanted, rel=1e-12)

    def test_a_function_of_ones_own(self, torch, ours):
        def hits(c):
            return c.sum(c.correct) / c.total

        table = torch.tensor([[3.0, 1.0], [0.0, 4.0]])
        assert ours.measure(table, metrics=hits).item() == pytest.approx(7 / 8)

    @pytest.mark.parametrize("text", VALUES)
    def test_it_stays_on_its_device(self, torch, ours, text):
        """A device without data: whatever went through the processor would fail there."""
        if not Spec.parse(text).metric.smooth:
            pytest.skip("computed by the processor, then put back")
        table = torch.zeros((K, K), dtype=torch.float64, device="meta")
        found = ours.measure(table, metrics=text, labels=LABELS)
        assert (found.device.type, found.shape) == ("meta", ())

    def test_tables_in_a_stack(self, torch, ours):
        stack = torch.tensor([[[3, 1], [0, 4]], [[1, 1], [1, 1]]])
        assert ours.measure(stack, metrics="accuracy").tolist() == [7 / 8, 1 / 2]
        outside = torch.tensor([[3, 0, 1], [0, 4, 0]])  # the last column is no class
        assert ours.measure(outside, metrics="accuracy").item() == 7 / 8

    def test_confusion(self, torch, ours):
        found = ours.confusion(torch.tensor([2, 0, 2]), torch.tensor([2, 1, 0]), k=3)
        assert found.tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 1]]
        assert found.dtype == torch.int64

    def test_errors(self, torch, ours):
        t = torch.tensor
        with pytest.raises(InputError, match=r"y_true must be 0 … 2, got 3 at item 1"):
            ours.measure(t([0, 3]), t([0, 0]), metrics="mcc", k=3)
        with pytest.raises(InputError, match=r"y_pred must be -1 … 2, got -2 at item 0"):
            ours.measure(t([0, 1]), t([-2, 0]), metrics="mcc", k=3)
        with pytest.raises(InputError, match="y_pred must be 0 … 2, got -1 at item 1"):
            ours.confusion(t([0, 1]), t([0, -1]), k=3)
        with pytest.raises(InputError, match=r"same shape, got \(2,\) and \(1,\)"):
            ours.measure(t([0, 1]), t([0]), metrics="mcc", k=3)
        with pytest.raises(InputError, match="k must say how many"):
            ours.measure(t([0, 1]), t([0, 1]), metrics="mcc")
        with pytest.raises(InputError, match=r"labels must have length 3 .*, got 2"):
            ours.measure(t([0, 1]), t([0, 1]), metrics="mcc", k=3, labels=["a", "b"])
        with pytest.raises(InputError, match=r"a table must be k × k .*, got shape \(2, 5\)"):
            ours.measure(torch.zeros(2, 5), metrics="mcc")
        with pytest.raises(InputError, match="weights must be finite"):
            ours.measure(t([0]), t([0]), metrics="mcc", k=1, weights=t([-1.0]))


class TestLoss:
    @pytest.mark.parametrize("text", SINGLE)
    def test_the_gradient_is_the_slope(self, torch, ours, text):
        loss = ours.soft_loss(text, labels=LABELS)
        target = torch.tensor(CODES)
        logits = torch.tensor(LOGITS, requires_grad=True)
        loss(logits, target).backward()
        wanted = slopes(torch, loss, target, LOGITS)
        assert logits.grad.numpy() == pytest.approx(wanted, rel=1e-6, abs=1e-8)
        assert np.abs(wanted).max() > 1e-4  # there is a slope to be found

    @pytest.mark.parametrize("text", MULTI)
    def test_the_gradient_of_label_sets(self, torch, ours, text):
        loss = ours.soft_loss(text, labels=LABELS, task="multi")
        target = torch.tensor(SETS)
        logits = torch.tensor(LOGITS, requires_grad=True)
        loss(logits, target).backward()
        wanted = slopes(torch, loss, target, LOGITS)
        assert logits.grad.numpy() == pytest.approx(wanted, rel=1e-6, abs=1e-8)

    @pytest.mark.parametrize("undefined", [0, 1, "nan"])
    @pytest.mark.parametrize("text", SINGLE)
    def test_classes_that_a_batch_lacks(self, torch, ours, text, undefined):
        """Finite, and the slope where the loss is smooth there."""
        loss = ours.soft_loss(text, labels=LABELS, undefined=undefined)
        for name, codes in BATCHES.items():
            for scale in (1.0, 1000.0):  # probabilities of exactly 0 and 1
                logits = torch.tensor(LOGITS[: len(codes)] * scale, requires_grad=True)
                value = loss(logits, torch.tensor(codes))
                value.backward()
                assert torch.isfinite(logits.grad).all(), (name, scale)

    def test_slopes_with_an_empty_class(self, torch, ours):
        codes = torch.tensor(BATCHES["a class is never true"])
        for text in ("macro_f1", "f1_of_averages", "mcc", "kappa", "macro_f1@uniform"):
            loss = ours.soft_loss(text)
            logits = torch.tensor(LOGITS, requires_grad=True)
            loss(logits, codes).backward()
            wanted = slopes(torch, loss, codes, LOGITS)
            assert logits.grad.numpy() == pytest.approx(wanted, rel=1e-6, abs=1e-8)

    @pytest.mark.parametrize("codes", [CODES, *BATCHES.values()])
    def test_all_classes_whatever_the_batch_holds(self, torch, ours, codes):
        p = np.random.default_rng(5).dirichlet(np.ones(K), len(codes))
        wanted = 1 - soft_macro_f1(codes, p)
        found = ours.soft_macro_f1_loss(torch.tensor(p), torch.tensor(codes), probabilities=True)
        assert found.item() == pytest.approx(float(wanted), rel=1e-12)

    def test_by_hand(self, torch, ours):
        """Halves of every item: precision is the share of the class, recall 1/2."""
        logits, target = torch.zeros(4, 2), torch.tensor([0, 0, 0, 1])
        f1 = 1 - Fraction(1, 2) * (Fraction(3, 5) + Fraction(1, 3))
        assert ours.soft_macro_f1_loss(logits, target).item() == pytest.approx(float(f1))
        assert ours.soft_f1_of_averages_loss(logits, target).item() == pytest.approx(1 / 2)
        assert ours.soft_mcc_loss(logits, target).item() == pytest.approx(1)

    def test_certain_probabilities_are_decisions(self, torch, ours):
        """At probabilities of 0 and 1 a loss over all classes is one less the score."""
        sure = torch.nn.functional.one_hot(torch.tensor(np.maximum(PRED, 0)), K).double()
        for text in ("macro_f1", "f1_of_averages", "mcc", "accuracy"):
            score = eh.score(TRUE.tolist(), np.maximum(PRED, 0).tolist(), metrics=text,
                             labels=range(K), interval=None)[text].value  # fmt: skip
            loss = ours.soft_loss(text, probabilities=True)(sure, torch.tensor(TRUE))
            assert loss.item() == pytest.approx(1 - score, abs=1e-12)

    def test_lower_is_better_and_no_end(self, torch, ours):
        logits, target = torch.tensor(LOGITS), torch.tensor(CODES)
        table = ours.soft_table(target, torch.softmax(logits, -1))
        error = ours.measure(table, metrics="mean_absolute_error")
        assert ours.soft_loss("mean_absolute_error")(logits, target).item() == error.item()
        bits = ours.measure(table, metrics="mutual_information")
        assert ours.soft_loss("mutual_information")(logits, target).item() == -bits.item()

    @pytest.mark.parametrize("metric", NOT_LOSSES, ids=lambda m: m.name)
    def test_what_cannot_be_a_loss(self, ours, metric):
        text = f"{metric.name}:label=bee" if metric.of_one_class else metric.name
        task = "multi" if metric.needs == "items" else "single"
        with pytest.raises(MetricError, match=r"cannot be a loss: (neither high|it has no grad)"):
            ours.soft_loss(text, labels=LABELS, task=task)

    def test_weights_and_ignored_items(self, torch, ours):
        """An item of weight 2 is two items; one of weight 0, or ignored, is none."""
        logits, target = torch.tensor(LOGITS), torch.tensor(CODES)
        twice = ours.soft_macro_f1_loss(
            torch.cat([logits, logits[:1]]), torch.cat([target, target[:1]])
        )
        weights = torch.ones(12)
        weights[0] = 2
        found = ours.soft_macro_f1_loss(logits, target, weights=weights)
        assert found.item() == pytest.approx(twice.item(), rel=1e-12)
        left = target.clone()
        left[0] = -100
        found = ours.soft_macro_f1_loss(logits, left)
        assert found.item() == pytest.approx(ours.soft_macro_f1_loss(logits[1:], target[1:]).item())

    def test_classes_on_axis_1_as_torch_has_them(self, torch, ours):
        logits, target = torch.tensor(LOGITS), torch.tensor(CODES)
        images = logits.reshape(3, 2, 2, K).movedim(-1, 1)  # 3 images of 2 × 2 pixels
        found = ours.soft_mcc_loss(images, target.reshape(3, 2, 2))
        assert found.item() == pytest.approx(ours.soft_mcc_loss(logits, target).item(), rel=1e-12)

    def test_targets_may_be_probabilities(self, torch, ours):
        logits, target = torch.tensor(LOGITS), torch.tensor(CODES)
        hot = torch.nn.functional.one_hot(target, K).double()
        found = ours.soft_macro_f1_loss(logits, hot)
        assert found.item() == pytest.approx(ours.soft_macro_f1_loss(logits, target).item())

    @pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64"])
    def test_precision(self, torch, ours, kind):
        many = torch.zeros(70_000, 2, dtype=getattr(torch, kind), requires_grad=True)
        loss = ours.soft_macro_f1_loss(many, torch.zeros(70_000, dtype=torch.int64))
        loss.backward()
        assert loss.item() == pytest.approx(1 - (2 / 3) / 2, rel=1e-5)
        assert many.grad.dtype == many.dtype

    def test_errors(self, torch, ours):
        logits = torch.zeros(2, 3)
        with pytest.raises(InputError, match="target must be 0 … 2, got 7 at item 1"):
            ours.soft_mcc_loss(logits, torch.tensor([0, 7]))
        with pytest.raises(InputError, match=r"input must be floating point.*int64 of shape"):
            ours.soft_mcc_loss(torch.tensor([1]), torch.tensor([0]))
        with pytest.raises(InputError, match=r"target must have the shape .*\(2,\)"):
            ours.soft_mcc_loss(logits, torch.tensor([0, 1, 1]))
        with pytest.raises(InputError, match="labels must have length 3"):
            ours.soft_loss("mcc", labels=["a", "b"])(logits, torch.tensor([0, 1]))
        with pytest.raises(InputError, match="must be among 'a', 'b', got 'c'"):
            ours.soft_loss("f1:label=c", labels=["a", "b"])
        with pytest.raises(MetricError, match="no metric is called"):
            ours.soft_loss("macro_f")
        with pytest.raises(MetricError, match="is for multi-label data"):
            ours.soft_loss("samples_f1")(logits, torch.tensor([0, 1]))

    def test_a_loss_pickles(self, torch, ours):
        for text in ("macro_jaccard", "f1:label=1"):
            loss = ours.soft_loss(text)
            again = pickle.loads(pickle.dumps(loss))
            data = (torch.tensor(LOGITS), torch.tensor(CODES))
            assert again(*data).item() == loss(*data).item()
