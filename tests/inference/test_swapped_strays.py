"""Swapping answers between systems: a stray answer is an error wherever it goes."""

import numpy as np

import evenhand as eh


def test_micro_averages_are_tested_as_the_accuracy_that_they_are():
    rng = np.random.default_rng(4)
    truth = rng.choice(list("abc"), 120).tolist()
    one = [t if rng.random() < 0.8 else "x" for t in truth]  # which is never true
    other = [t if rng.random() < 0.7 else rng.choice(list("abc")) for t in truth]
    names = ["accuracy", "micro_precision", "micro_recall", "micro_f1"]
    found = eh.compare(truth, one, other, metrics=names, replicates=400)
    assert {p.values for p in found.pairs} == {found["accuracy"].values}
    assert {p.p["randomisation"] for p in found.pairs} == {found["accuracy"].p["randomisation"]}
