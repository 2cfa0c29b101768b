"""The accumulator as torchmetrics has its metrics: alone, in collections, over processes."""

import copy
import math
import pickle
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest

import evenhand as eh
from evenhand.errors import InputError, MetricError

pytestmark = pytest.mark.torch

RANDOM = np.random.default_rng(8)
LABELS = ("ant", "bee", "cat")
TRUE = RANDOM.integers(0, 3, 90)
PRED = np.where(RANDOM.random(90) < 0.7, TRUE, RANDOM.integers(-1, 3, 90))
WEIGHTS = RANDOM.integers(1, 9, 90) / 4
SPELLINGS = ["macro_f1", "f1_of_averages", "mcc", "f1:label=cat", "macro_f1@uniform", "phi2"]


@pytest.fixture
def torch():
    pytest.importorskip("torchmetrics")
    return pytest.importorskip("torch")


@pytest.fixture
def accumulator(torch):
    from evenhand.bridges.torch import Accumulator

    return Accumulator


def table(true=TRUE, pred=PRED, weights=None):
    named = [LABELS[p] if p >= 0 else None for p in pred]
    return eh.Confusion.from_labels([LABELS[t] for t in true], named, labels=LABELS,
                                    weights=weights)  # fmt: skip


def same(found, wanted):
    """The same labels, cells and outside column (a prediction of −1 is not a missing one)."""
    assert found.labels == wanted.labels
    assert found.data.weight.tolist() == wanted.data.weight.tolist()


def batches(torch, size=25):
    for i in range(0, len(TRUE), size):
        yield torch.tensor(PRED[i : i + size]), torch.tensor(TRUE[i : i + size])


@pytest.mark.parametrize("text", SPELLINGS)
def test_one_metric(torch, accumulator, text):
    counter = accumulator(text, labels=LABELS)
    for batch in batches(torch):
        counter.update(*batch)
    wanted = eh.score(table(), metrics=text, interval=None)[text].value
    assert counter.compute().item() == pytest.approx(wanted, rel=1e-12)
    same(counter.table, table())
    assert counter.higher_is_better is True
    counter.reset()
    counter.update(torch.tensor([0, 1]), torch.tensor([0, 1]))
    assert counter.table.n == 2


def test_several_with_intervals(torch, accumulator):
    counter = accumulator(SPELLINGS, labels=LABELS, intervals=True, level=0.9)
    for batch in batches(torch):
        counter.update(*batch)
    scores = eh.score(table(), metrics=SPELLINGS, level=0.9)
    found = counter.compute()
    assert list(found)[:3] == ["macro_f1", "macro_f1_low", "macro_f1_high"]
    for name in SPELLINGS:
        wanted = [scores[name].value, scores[name].low, scores[name].high]
        wanted = [np.nan if v is None else v for v in wanted]
        ends = [found[name + end].item() for end in ("", "_low", "_high")]
        assert ends == pytest.approx(wanted, nan_ok=True)


def test_both_macro_f1s_unless_told(torch, accumulator):
    counter = accumulator(k=3)
    counter.update(*next(batches(torch, 90)))
    assert list(counter.compute()) == ["macro_f1", "f1_of_averages"]
    assert counter.table.labels == (0, 1, 2)


def test_scores_of_classes(torch, accumulator):
    """On axis 1, as torchmetrics has them, also of pictures."""
    scores = torch.nn.functional.one_hot(torch.tensor(np.maximum(PRED, 0)), 3).float()
    flat, pictures = accumulator("mcc", k=3), accumulator("mcc", k=3)
    flat.update(scores, torch.tensor(TRUE))
    pictures.update(scores.reshape(10, 9, 3).movedim(-1, 1), torch.tensor(TRUE).reshape(10, 9))
    assert flat.table.cells.tolist() == pictures.table.cells.tolist()
    assert flat.compute().item() == pytest.approx(eh.mcc(table(pred=np.maximum(PRED, 0))))


def test_weights(torch, accumulator):
    counter = accumulator("macro_f1", labels=LABELS, weighted=True, intervals=True)
    for i in range(0, 90, 30):
        at = slice(i, i + 30)
        counter.update(torch.tensor(PRED[at]), torch.tensor(TRUE[at]), torch.tensor(WEIGHTS[at]))
    wanted = eh.score(table(weights=WEIGHTS), metrics="macro_f1")["macro_f1"]
    found = {name: value.item() for name, value in counter.compute().items()}
    assert found == {
        "macro_f1": pytest.approx(wanted.value, rel=1e-12),
        "macro_f1_low": pytest.approx(wanted.low, rel=1e-9),
        "macro_f1_high": pytest.approx(wanted.high, rel=1e-9),
    }
    assert counter.table.n == 90


def test_ignored_items(torch, accumulator):
    target = torch.tensor(TRUE)
    target[:40] = -100
    counter = accumulator("mcc", labels=LABELS, ignore_index=-100)
    counter.update(torch.tensor(PRED), target)
    same(counter.table, table(TRUE[40:], PRED[40:]))


SETS = RANDOM.random((90, 3)) < 0.4
SAID = np.where(RANDOM.random((90, 3)) < 0.8, SETS, ~SETS)
OF_SETS = ["macro_f1", "micro_f1", "samples_f1", "subset_accuracy", "f1:label=cat"]


@pytest.mark.parametrize("weighted", [False, True])
def test_label_sets(torch, accumulator, weighted):
    """As eh.score has them, averages by items and intervals included; kept apart by batches."""
    weights = WEIGHTS if weighted else None
    how = {"labels": LABELS, "task": "multi", "weighted": weighted}
    plain, sure = accumulator(OF_SETS, **how), accumulator(OF_SETS, intervals=True, **how)
    for i in range(0, 90, 40):
        at = slice(i, i + 40)
        batch = [torch.tensor(SAID[at]), torch.tensor(SETS[at])]
        for counter in (plain, sure):
            counter.update(*batch, *([torch.tensor(WEIGHTS[at])] if weighted else []))
    multi = eh.MultiLabel.from_indicators(SETS, SAID, labels=LABELS, weights=weights)
    scores = eh.score(multi, metrics=OF_SETS)
    found = sure.compute()
    for name in OF_SETS:
        assert plain.compute()[name].item() == pytest.approx(scores[name].value, rel=1e-12)
        ends = [found[name + end].item() for end in ("", "_low", "_high")]
        wanted = [scores[name].value, scores[name].low, scores[name].high]
        assert ends == pytest.approx(wanted, rel=1e-9)
    for counter in (plain, sure):
        counter.reset()
        assert not len(counter.sets)
    with warnings.catch_warnings(action="ignore"):  # of torchmetrics: compute before update
        assert all(math.isnan(v) for v in sure.compute().values())
        assert plain.compute()["macro_f1"].item() == 0
    plain.update(torch.tensor(SAID[:2]).int(), torch.tensor(SETS[:2]).int())
    assert plain.table.n == 2


def test_label_sets_merged_and_in_a_collection(torch, accumulator):
    from torchmetrics import MetricCollection
    from torchmetrics.classification import MultilabelF1Score

    names = ("macro_f1", "samples_f1")
    collection, other = (
        MetricCollection({m: accumulator(m, k=3, task="multi") for m in names}
                         | {"theirs": MultilabelF1Score(3)})
        for _ in range(2)
    )  # fmt: skip
    collection.update(torch.tensor(SAID[:50]).int(), torch.tensor(SETS[:50]).int())
    first = collection["samples_f1"].compute().item()
    other.update(torch.tensor(SAID[50:]).int(), torch.tensor(SETS[50:]).int())
    alone = collection["macro_f1"].clone()
    alone.merge_state(other["macro_f1"])
    multi = eh.MultiLabel.from_indicators(SETS, SAID)
    assert alone.compute().item() == pytest.approx(eh.macro_f1(multi), rel=1e-12)
    half = eh.MultiLabel.from_indicators(SETS[:50], SAID[:50])
    assert first == pytest.approx(eh.score(half, metrics="samples_f1")["samples_f1"].value)
    found = collection.compute()
    assert found["macro_f1"].item() == pytest.approx(found["theirs"].item(), rel=1e-6)


def test_label_sets_that_are_none(torch, accumulator):
    counter = accumulator("macro_f1", k=3, task="multi")
    for preds, target in (
        (torch.zeros(2, 3) + 0.3, torch.zeros(2, 3)),
        (torch.zeros(2, 3), torch.zeros(3, 3)),
        (torch.tensor([0, 1]), torch.tensor([0, 1])),
        (torch.tensor(0), torch.tensor(0)),
    ):
        with pytest.raises(InputError, match="must be 0 or 1 for each of 3 classes"):
            counter.update(preds, target)
    with pytest.raises(InputError, match="ignore_index is a code"):
        accumulator("macro_f1", k=3, task="multi", ignore_index=-100)
    with pytest.raises(MetricError, match="mcc"):
        accumulator("mcc", k=3, task="multi")


def test_forward_gives_the_batch_and_keeps_the_whole(torch, accumulator):
    counter = accumulator("accuracy", labels=LABELS)
    for pred, true in batches(torch):
        assert counter(pred, true).item() == pytest.approx((pred == true).double().mean().item())
    same(counter.table, table())


def test_merged(torch, accumulator):
    """Into one that has been computed before, and into one that has counted nothing."""
    counter, other, fresh = (accumulator("macro_f1", labels=LABELS) for _ in range(3))
    counter.update(torch.tensor(PRED[:40]), torch.tensor(TRUE[:40]))
    other.update(torch.tensor(PRED[40:]), torch.tensor(TRUE[40:]))
    before = counter.compute().item()
    counter.merge_state(other)
    assert counter.compute().item() == pytest.approx(eh.macro_f1(table()), rel=1e-12) != before
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fresh.merge_state(other)
        assert fresh.compute().item() == other.compute().item()
    with pytest.raises(InputError, match="labels must be 'ant', 'bee', 'cat' to be merged"):
        counter.merge_state(accumulator("macro_f1", k=3))


def test_in_a_collection(torch, accumulator):
    """With torchmetrics' own beside it; what has the same table is counted once."""
    from torchmetrics import MetricCollection
    from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score

    collection = MetricCollection(
        {
            "macro_f1": accumulator("macro_f1", k=3),
            "f1_of_averages": accumulator("f1_of_averages", k=3),
            "theirs": MulticlassF1Score(3, average="macro"),
            "accuracy": MulticlassAccuracy(3, average="micro"),
        },
        prefix="val_",
    )
    said = np.maximum(PRED, 0)
    for i in range(0, 90, 30):
        collection.update(torch.tensor(said[i : i + 30]), torch.tensor(TRUE[i : i + 30]))
    found = {name: value.item() for name, value in collection.compute().items()}
    assert found["val_macro_f1"] == pytest.approx(found["val_theirs"], rel=1e-6)
    assert found["val_f1_of_averages"] == pytest.approx(eh.f1_of_averages(table(pred=said)))
    groups = [set(names) for names in collection.compute_groups.values()]
    assert {"macro_f1", "f1_of_averages"} in groups
    again = collection.clone(prefix="test_")
    again.reset()
    assert collection["macro_f1"].table.n == 90


def test_copies_and_checkpoints(torch, accumulator):
    counter = accumulator(["macro_f1", "macro_jaccard"], labels=LABELS)
    counter.update(*next(batches(torch)))
    for other in (copy.deepcopy(counter), pickle.loads(pickle.dumps(counter)), counter.clone()):
        assert {n: v.item() for n, v in other.compute().items()} == {
            n: v.item() for n, v in counter.compute().items()
        }
    counter.persistent(True)
    other = accumulator(["macro_f1", "macro_jaccard"], labels=LABELS)
    other.load_state_dict(counter.state_dict())
    assert other.table == counter.table


def test_precision_of_a_model_leaves_counts_alone(torch, accumulator):
    counter = accumulator("macro_f1", k=3).half()
    counter.update(*next(batches(torch, 90)))
    assert counter.cells.dtype == torch.int64


def test_errors(torch, accumulator):
    counter = accumulator("mcc", k=3)
    with pytest.raises(InputError, match="k must say how many classes"):
        accumulator("mcc")
    with pytest.raises(InputError, match="labels must have length 2"):
        accumulator("mcc", k=2, labels=LABELS)
    with pytest.raises(InputError, match="preds must have 3 classes, got 5"):
        counter.update(torch.zeros(2, 5), torch.tensor([0, 1]))
    with pytest.raises(InputError, match="preds must be codes of the shape of target"):
        counter.update(torch.zeros(2), torch.tensor([0, 1]))
    with pytest.raises(InputError, match="y_true must be 0 … 2, got 3"):
        counter.update(torch.tensor([0]), torch.tensor([3]))
    with pytest.raises(InputError, match="weighted=True"):
        counter.update(torch.tensor([0]), torch.tensor([1]), torch.tensor([1.0]))
    with pytest.raises(MetricError, match="depends on the number of items"):
        accumulator("krippendorff_alpha", k=3, weighted=True)


WORKER = """
import sys
import torch
import torch.distributed as dist
import evenhand as eh
from evenhand.bridges.torch import Accumulator

rank, file = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
true, pred = torch.tensor([0, 1, 2, 2, 1, 0, 1]), torch.tensor([0, 1, 1, 2, 1, 2, -1])
mine = slice(0, 3) if rank == 0 else slice(3, 7)  # of unequal size
counter = Accumulator(["macro_f1", "mcc"], k=3)
counter.update(pred[mine], true[mine])
weighed = Accumulator("macro_f1", k=3, weighted=True, intervals=True)
weighed.update(pred[mine], true[mine], torch.arange(1, 8)[mine] / 2)
found = {n: v.item() for n, v in counter.compute().items()}
sure = {n: v.item() for n, v in weighed.compute().items()}
sets = Accumulator("samples_f1", k=3, task="multi")
sets.update((pred[:, None] == torch.arange(3))[mine], (true[:, None] == torch.arange(3))[mine])
sets = sets.compute().item()
with counter.sync_context():
    whole = counter.table.cells.tolist()
own = counter.table.n
dist.destroy_process_group()
print([found, sure, whole, int(own), sets])
"""


def test_summed_over_two_processes(torch, accumulator, tmp_path):
    """Two real processes over gloo: each ends with the scores of all items, and its own counts."""
    script = tmp_path / "worker.py"
    script.write_text(textwrap.dedent(WORKER))
    started = [
        subprocess.Popen(
            [sys.executable, str(script), str(rank), str(tmp_path / "meeting")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in (0, 1)
    ]
    said = [process.communicate(timeout=300) for process in started]
    assert [p.returncode for p in started] == [0, 0], said
    first, second = (eval(out) for out, _ in said)
    true, pred = [0, 1, 2, 2, 1, 0, 1], [0, 1, 1, 2, 1, 2, None]
    assert first[:3] == second[:3]
    assert (first[3], second[3]) == (3, 4)
    assert first[4] == second[4] == pytest.approx(4 / 7)  # of one label each: accuracy
    counted = eh.Confusion.from_labels(true, pred, labels=range(3))
    assert first[2] == counted.cells.tolist()
    assert first[0] == {
        "macro_f1": pytest.approx(eh.macro_f1(counted)),
        "mcc": pytest.approx(eh.mcc(counted)),
    }
    weights = np.arange(1, 8) / 2
    wanted = eh.score(true, pred, metrics="macro_f1", weights=weights)["macro_f1"]
    ends = [wanted.value, wanted.low, wanted.high]
    assert list(first[1].values()) == pytest.approx(ends)
