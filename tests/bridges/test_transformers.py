"""Hugging Face: compute_metrics called as a Trainer calls it, and by a real one."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import evenhand as eh
from evenhand.bridges.transformers import compute_metrics
from evenhand.errors import InputError

RANDOM = np.random.default_rng(4)
LABELS = ["ham", "spam", "other"]
LOGITS = RANDOM.normal(size=(80, 3))
TRUE = np.where(RANDOM.random(80) < 0.6, LOGITS.argmax(1), RANDOM.integers(0, 3, 80))
NAMES = ["macro_f1", "f1_of_averages", "accuracy"]


def wanted(true, pred, **options):
    scores = eh.score(true, pred, metrics=NAMES, **options)
    return {
        name + end: getattr(scores[name], part)
        for name in NAMES
        for end, part in (("", "value"), ("_low", "low"), ("_high", "high"))
    }


def named(codes):
    return [LABELS[c] for c in codes]


def test_both_macro_f1s_with_intervals():
    compute = compute_metrics(labels=LABELS)
    found = compute((LOGITS, TRUE))
    assert found == pytest.approx(wanted(named(TRUE), named(LOGITS.argmax(1)), labels=LABELS))
    assert list(found)[:4] == ["macro_f1", "macro_f1_low", "macro_f1_high", "f1_of_averages"]
    assert all(type(v) is float for v in found.values())
    assert (
        compute.scores["macro_f1"].signature
        == eh.score(named(TRUE), named(LOGITS.argmax(1)), labels=LABELS, metrics="macro_f1")[
            "macro_f1"
        ].signature
    )


def test_hidden_states_stand_behind_the_logits():
    compute = compute_metrics(labels=LABELS)
    assert compute(((LOGITS, np.zeros((80, 2))), TRUE)) == compute((LOGITS, TRUE))


def test_batch_by_batch_is_the_whole():
    compute = compute_metrics(labels=LABELS)
    whole = compute((LOGITS, TRUE))
    assert compute((LOGITS[:50], TRUE[:50]), compute_result=False) == {}
    assert compute((LOGITS[50:], TRUE[50:]), compute_result=True) == whole
    assert compute((LOGITS, TRUE)) == whole  # nothing is left of the batches


def test_tokens_are_clustered_by_sequence():
    logits = RANDOM.normal(size=(20, 6, 3))
    truth = np.where(RANDOM.random((20, 6)) < 0.5, logits.argmax(-1), 0)
    truth[:, 4:] = -100  # padding
    kept = truth != -100
    found = compute_metrics(labels=LABELS)((logits, truth))
    true, pred = named(truth[kept]), named(logits.argmax(-1)[kept])
    cluster = np.repeat(np.arange(20), 4)
    assert found == pytest.approx(wanted(true, pred, labels=LABELS, cluster=cluster))
    assert found != pytest.approx(wanted(true, pred, labels=LABELS))
    parts = compute_metrics(labels=LABELS)
    parts((logits[:7], truth[:7]), compute_result=False)
    assert parts((logits[7:], truth[7:])) == pytest.approx(found)


def test_label_sets():
    truth = RANDOM.random((40, 3)) < 0.4
    logits = np.where(RANDOM.random((40, 3)) < 0.8, truth, ~truth) - 0.5
    found = compute_metrics(["macro_f1", "samples_f1"], labels=LABELS, task="multi")(
        (logits, truth.astype(float))
    )
    multi = eh.MultiLabel.from_indicators(truth, logits > 0, labels=LABELS)
    scores = eh.score(multi, metrics=["macro_f1", "samples_f1"])
    assert found["macro_f1"] == scores["macro_f1"].value
    assert found["samples_f1_low"] == scores["samples_f1"].low


def test_errors():
    with pytest.raises(InputError, match="labels must have length 3"):
        compute_metrics(labels=["a", "b"])((LOGITS, TRUE))
    with pytest.raises(InputError, match="predictions must be logits"):
        compute_metrics()((LOGITS, TRUE[:, None]))
    with pytest.raises(InputError, match="label ids must be 0 … 2, got -5 at item 1"):
        compute_metrics(labels=list("abc"))((np.array([0, 1]), np.array([0, -5])))
    with pytest.raises(InputError, match="predictions must be -1 … 2, got -3 at item 0"):
        compute_metrics(labels=list("abc"))((np.array([-3, 1]), np.array([0, 1])))
    with pytest.raises(InputError, match="task 'multi' takes"):
        compute_metrics(task="multi")((LOGITS, TRUE))


@pytest.mark.transformers
def test_a_real_trainer(tmp_path):
    """A tiny model with random weights, trained and evaluated; see the example."""
    example = Path(__file__).parents[2] / "examples" / "with_transformers.py"
    done = subprocess.run(
        [sys.executable, str(example), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "eval_macro_f1_low" in done.stdout
    assert "the same, batch by batch: True" in done.stdout
    assert "best step by eval_f1_of_averages" in done.stdout
