"""Slices with clusters, scored as one stack: what each would be alone."""

import numpy as np
import pytest

import evenhand as eh
from evenhand.data.sample import SampleSlices
from evenhand.records import MEASURED
from evenhand.scoring import score as scoring


def sample(seed=0, weights=False, n=400):
    """Slices of different size; one has a single cluster, one a class that is never true."""
    rng = np.random.default_rng(seed)
    by = rng.choice(["big", "small", "alone", "other"], n, p=[0.6, 0.1, 0.05, 0.25])
    true = rng.choice(list("abc"), n)
    true[(by == "other") & (true == "c")] = "a"
    pred = np.where(rng.random(n) < 0.7, true, rng.choice(list("abcd"), n)).astype(object)
    pred[rng.random(n) < 0.05] = None
    cluster = np.where(by == "alone", 0, rng.integers(0, 40, n))
    return eh.Sample.from_labels(
        true.tolist(),
        {"s": pred.tolist()},
        weights=rng.choice([0.5, 1.0, 3.0], n) if weights else None,
        cluster=cluster,
        by=by.tolist(),
    )


def same(ours, theirs):
    """One number with its interval, to what the order of addition leaves."""
    ours, theirs = ({f: getattr(s, f) for f in MEASURED.split()} for s in (ours, theirs))
    known = [name for name, x in theirs.items() if x is not None and name != "method"]
    assert ours["method"] == theirs["method"]
    assert [n for n, x in ours.items() if x is not None and n != "method"] == known
    for name in known:
        assert ours[name] == pytest.approx(theirs[name], rel=1e-11, abs=1e-11, nan_ok=True)


def alike(found, wanted):
    assert list(found.metrics) == list(wanted.metrics)
    for name, one in wanted.metrics.items():
        same(found.metrics[name], one)
        assert found.metrics[name].signature == one.signature
    for ours, theirs in zip(found.classes, wanted.classes, strict=True):
        assert list(ours.intervals) == list(theirs.intervals)
        for name, one in theirs.intervals.items():
            same(ours.intervals[name], one)
    assert found.signature == wanted.signature
    assert set(found.cautions) == set(wanted.cautions)
    assert (found.n, found.outside, found.missing) == (wanted.n, wanted.outside, wanted.missing)


def mine(c):
    return c.mean(c.correct / (c.prevalence + 1))


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"classes": "seen", "undefined": 1},
        {"interval": "delta", "level": 0.8, "transform": "range"},
        {"metrics": ["macro_f1", "f1:label=b", mine]},
        {"metrics": ["macro_f1@uniform", "accuracy"]},
        {"interval": "bootstrap", "replicates": 30, "metrics": "macro_f1"},
        {"interval": None},
    ],
)
def test_a_slice_is_what_it_is_alone(how, weights):
    whole = sample(weights=weights)
    if "@uniform" in str(how):  # which needs every class in every slice
        whole = eh.Sample.from_labels(
            list("abab") * 20, {"s": list("abba") * 20}, cluster=list(range(20)) * 4,
            by=["x"] * 40 + ["y"] * 40,
        )  # fmt: skip
    found = eh.score(whole, **how)
    assert [s.key for s in found.slices] == [key for key, _ in whole.slices]
    for part, (key, alone) in zip(found.slices, whole.slices, strict=True):
        if key != "alone":
            alike(part, eh.score(alone, **how))


def test_one_cluster_has_no_interval_and_a_note():
    found = eh.score(sample(), metrics="macro_f1")
    (alone,) = [s for s in found.slices if s.key == "alone"]
    assert alone["macro_f1"].low is None
    assert [n.clusters for n in alone.cautions if n.code == "few_clusters"] == [1]
    (told,) = [n for n in found.cautions if getattr(n, "of", "") == "few_clusters"]
    assert "alone" in [key for key, _ in told.slices]


def test_blocks_change_nothing(monkeypatch):
    whole = eh.score(sample(1, weights=True))
    monkeypatch.setattr(scoring, "BLOCK", 8)  # two slices of four classes
    assert eh.score(sample(1, weights=True)) == whole


def test_a_stack_of_slices_has_their_tables():
    whole = sample(2, weights=True)
    slices = SampleSlices(whole.slices)
    for table, (_, part) in zip(slices.tables(), whole.slices, strict=True):
        one = part.table("s")
        np.testing.assert_allclose(table.cells, one.cells, atol=1e-12)
        np.testing.assert_allclose(table.squares, one.squares, atol=1e-12)
        assert (table.n, table.missing) == (one.n, one.missing)
    clusters = [slices.cluster[slices.slice == i] for i in range(len(whole.slices))]
    assert [len(np.unique(codes)) for codes in clusters] == [
        len(set(part.cluster.tolist())) for _, part in whole.slices
    ]


def test_many_slices_are_one_evaluation(monkeypatch):
    calls = []
    inner = scoring.estimates
    monkeypatch.setattr(scoring, "estimates", lambda *a: calls.append(1) or inner(*a))
    n = 2000
    rng = np.random.default_rng(3)
    true = rng.choice(list("ab"), n).tolist()
    eh.score(true, true[::-1], cluster=rng.integers(0, 90, n), by=np.arange(n) % 200)
    assert len(calls) == 2  # all items, all slices
