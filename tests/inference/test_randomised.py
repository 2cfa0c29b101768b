"""Randomisation: errors after each swap, what has no test, how many draws are made."""

from dataclasses import replace

import numpy as np
import pytest

import evenhand as eh
import evenhand.comparing.tests as tested
import evenhand.inference.permutation as randomisation
from evenhand.catalogue.binding import bind, bind_all
from evenhand.inference.permutation import (
    PairedPermutations,
    Randomisation,
    pair_of,
)
from evenhand.inference.rows import rows_of

RANDOM = np.random.default_rng(8)
TRUE = RANDOM.integers(0, 3, 80)
ONE, OTHER = (np.where(RANDOM.random(80) < r, TRUE, RANDOM.integers(0, 3, 80)) for r in (0.7, 0.5))


def soft():
    rng = np.random.default_rng(1)
    p = {s: rng.dirichlet(np.ones(3), 80) for s in "AB"}
    return eh.Sample.from_probabilities(TRUE, p, labels=[0, 1, 2])


def hard(**beside):
    return eh.Sample.from_labels(TRUE, {"A": ONE, "B": OTHER}, **beside)


SAMPLES = {
    "plain": hard(),
    "weighted": hard(weights=RANDOM.choice([0.5, 1.0, 3.0], 80)),
    "clustered": hard(cluster=np.arange(80) // 4),
    "soft": soft(),
    "with abstentions": eh.Sample.from_labels(
        TRUE.tolist(), {"A": [None, *ONE[1:].tolist()], "B": OTHER.tolist()}
    ),
}


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "mcc", "macro_f1@uniform", "f1_gap"])
def test_errors_after_each_swap_are_those_of_the_swapped_rows(kind, metric):
    pair = pair_of(rows_of(SAMPLES[kind]), 0, 1)
    kernel = bind(metric, SAMPLES[kind].tables())
    swaps = PairedPermutations.from_pair(pair)
    ways = np.random.default_rng(2).binomial(swaps.units, 0.5, (5, len(swaps.units)))
    weights = swaps.weights(ways)
    gaps, errors = swaps.differences([kernel], weights)
    assert weights.sum(axis=1) == pytest.approx(pair.weight.sum())
    for w, gap, error in zip(weights, gaps[:, 0], errors[:, 0], strict=True):
        doubled = swaps.rows
        rows = replace(doubled, weight=w)
        first, second = rows.values([kernel], w[None])[0][0]
        assert gap == pytest.approx(first - second, abs=1e-14)
        psi = np.subtract(*rows.influences([kernel])[0])
        psi = psi - psi @ w / w.sum()
        if rows.cluster is None:
            wanted = (psi**2 * w * swaps.item_weight).sum()
        else:
            wanted = (np.bincount(rows.cluster, psi * w) ** 2).sum() * 20 / 19
        assert error == pytest.approx(np.sqrt(wanted), rel=1e-9)


def test_draws_come_in_any_blocks_and_go_on_where_they_ended(monkeypatch):
    pair = pair_of(rows_of(SAMPLES["plain"]), 0, 1)
    kernels = bind_all(["macro_f1", "kappa"], SAMPLES["plain"].tables())
    whole = Randomisation(pair, kernels, seed=3)
    whole.draw(120)
    monkeypatch.setattr(randomisation, "BLOCK", 700)
    parts = Randomisation(pair, kernels, seed=3)
    for count in (50, 40, 120):
        parts.draw(count)
    assert parts.draws == whole.draws == 120
    assert np.allclose(parts.statistics, whole.statistics, rtol=1e-12)
    assert parts.p == pytest.approx(whole.p)


def test_an_infinite_slope_has_no_test_and_no_interval():
    true = np.repeat([0, 1, 2], [200, 200, 10])
    trained = np.where(true == 2, 0, true)
    guesses = np.random.default_rng(0).integers(0, 3, 410)
    metrics = ["geometric_macro_recall", "macro_recall"]
    found = eh.compare(true, {"trained": trained, "guesses": guesses}, metrics=metrics, tests="all")
    lost, kept = found.pairs
    assert lost.values[0] == 0 and lost.values[1] > 0.2
    assert lost.p["randomisation"] is lost.p["delta"] is lost.p_adjusted is lost.low is None
    assert "no test between trained and guesses on geometric macro recall" in found.verdict[0]
    assert kept.p_adjusted < 0.01 and kept.low > 0
    same = eh.compare(true, trained, trained.copy(), metrics=metrics)
    assert [p.p_adjusted for p in same.pairs] == [1.0, 1.0]


def test_always_right_and_always_wrong_are_told_apart():
    true = np.arange(60) % 3
    found = eh.compare(true, true, (true + 1) % 3, metrics=["accuracy", "macro_f1"])
    raw = [p.p["randomisation"] for p in found.pairs]
    assert raw == pytest.approx([2 / 2**60] * 2, rel=1e-9, abs=0)
    mid = [1 / 2**60, 2 / 2**60]  # of accuracy McNemar's
    assert [p.p_adjusted for p in found.pairs] == pytest.approx(mid, rel=1e-9, abs=0)
    words = "A is significantly better than B (accuracy +100.0 points, p < 0.0001)."
    assert found.verdict[0].endswith(words)


def test_four_systems_on_all_metrics_are_told_apart_at_the_defaults():
    rng = np.random.default_rng(4)
    true = rng.integers(0, 3, 300)
    systems = {"perfect": true, "majority": np.zeros(300, int)}
    systems |= {s: np.where(rng.random(300) < 0.6, true, rng.integers(0, 3, 300)) for s in "xy"}
    found = eh.compare(true, systems)
    words = "perfect is significantly better than majority"
    assert sum(s.startswith(f"{words} (macro F1 +") for s in found.verdict) == 1
    assert any(s.startswith(f"{words} on 14 of 15 other metrics") for s in found.verdict)
    assert all(found.testable(p) for p in found.pairs if p.p_adjusted is not None)


def test_few_replicates_are_made_more_where_the_correction_needs_them(monkeypatch):
    rng = np.random.default_rng(1)
    true = rng.integers(0, 5, 900)
    systems = {"A": true, "B": rng.integers(0, 5, 900), "C": np.where(true < 3, true, 0)}
    how = {"metrics": ["kappa"], "replicates": 30}
    found = eh.compare(true, systems, **how)
    assert {p.p["randomisation"] for p in found.pairs} == {1 / 121}  # 2 · 3 pairs / 5 %
    assert {p.p_adjusted for p in found.pairs} == {3 / 121}
    monkeypatch.setattr(tested, "BUDGET", 0)
    poor = eh.compare(true, systems, **how)
    assert {p.p_adjusted for p in poor.pairs} == {3 / 31}
    reason = "on Cohen's kappa: too few answers differ, or too few replicates are drawn."
    assert poor.verdict[1] == f"No difference between A and B could be significant {reason}"
    assert not any("no significant" in s.lower() for s in poor.verdict)


def test_too_few_answers_that_differ_are_said():
    true = list("aabbab")
    found = eh.compare(true, true, list("ababab"), metrics=["accuracy"])
    assert found["accuracy"].p["randomisation"] == 0.5 and found["accuracy"].p_least == 0.25
    assert "no difference between A and B could be significant on accuracy" in found.verdict[0]


def test_nobody_is_better_on_the_gap():
    rng = np.random.default_rng(0)
    true = rng.choice(3, 3000, p=[0.6, 0.3, 0.1])
    lazy = np.where(rng.random(3000) < 0.75, 0, true)
    found = eh.compare(true, lazy, true, metrics=["f1_gap"])
    assert found["f1_gap"].p_adjusted < 0.01
    assert "level: significant difference between A and B (F1 gap +" in found.verdict[0]


def test_names_with_braces_are_said_as_they_are():
    true = np.arange(60) % 3
    found = eh.compare(true, {"{both}": true, "{0}": (true + 1) % 3}, metrics=["accuracy"])
    assert "{both} is significantly better than {0} (accuracy +" in found.verdict[0]
