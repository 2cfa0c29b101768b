"""Drift: when it alarms, what it says, and what it leaves open."""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import group
from evenhand.shift.estimators import saerens, temperature_of

TABLE = [[400, 80, 20], [30, 240, 30], [20, 40, 140]]
SAME = {0: 450, 1: 360, 2: 190}
MOVED = {0: 200, 1: 300, 2: 500}


def test_a_mix_that_moved_far_is_an_alarm():
    drift = eh.shift.drift(TABLE, MOVED, alert=0.05)
    estimate = eh.shift.estimate_prevalence(TABLE, predicted=MOVED)
    assert drift.verdict == "changed" and drift.alarm
    assert drift.most.label == 2 and drift.most.low > 0.05
    for c in drift.classes:
        assert c.live == pytest.approx(estimate.prevalence[c.label])
        assert c.change == pytest.approx(c.live - c.reference)
        assert c.low < c.change < c.high
    assert [c.reference for c in drift.classes] == [0.5, 0.3, 0.2]
    assert drift.observed["accuracy"] == pytest.approx(0.78)
    expected = drift.estimate.metrics["accuracy"]
    recalls = np.array([0.8, 0.8, 0.7])
    assert expected.value == pytest.approx(recalls @ [c.live for c in drift.classes])
    assert drift.message.startswith(
        "changed: the class mix has changed by more than 5.0 points; 2 "
    )


def test_the_same_mix_is_unchanged_or_unclear_by_the_alert():
    assert eh.shift.drift(TABLE, SAME, alert=0.2).verdict == "unchanged"
    unclear = eh.shift.drift(TABLE, SAME, alert=0.02)
    assert unclear.verdict == "unclear" and not unclear.alarm
    assert (
        "too few items to say whether a class has moved by more than 2.0 points" in unclear.message
    )
    assert eh.shift.drift(TABLE, SAME).alert == 0.02


def test_an_estimate_says_whether_the_mix_has_changed():
    same = eh.shift.estimate_prevalence(TABLE, predicted=SAME)
    moved = eh.shift.estimate_prevalence(TABLE, predicted=MOVED)
    assert same.verdict.startswith("no change of the class mix is shown: share of ")
    assert moved.verdict.startswith("the class mix has changed: share of 2 0.2000 here, 0.")
    assert moved.changes == eh.shift.drift(TABLE, MOVED).classes
    shares = eh.shift.estimate_prevalence(np.array(TABLE) * 0.37, predicted=MOVED)
    assert shares.verdict.startswith("share of 2 ")  # without an interval, neither


def test_intervals_of_all_classes_hold_together():
    """Wider than that of one class alone, and of both samples: a larger live sample helps."""
    together = eh.shift.drift(TABLE, MOVED)
    alone = eh.shift.estimate_prevalence(TABLE, predicted=MOVED)
    for c, own in zip(together.classes, alone.classes, strict=True):
        share = own.shares["likelihood"]
        assert c.high - c.low > share.high - share.low
    more = eh.shift.drift(TABLE, {label: 50 * n for label, n in MOVED.items()})
    assert more[2].high - more[2].low < together[2].high - together[2].low


def test_more_than_the_mix_is_an_alarm_where_it_can_be_seen():
    """Abstentions make it testable: here no mix gives so many of them."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, 600)
    pred = [None if r < 0.05 else int(t) for r, t in zip(rng.random(600), true, strict=True)]
    live = [None] * 300 + [0] * 150 + [1] * 150
    drift = eh.shift.drift(true.tolist(), pred, live, alert=0.02)
    assert drift.verdict == "more than the mix changed" and drift.alarm
    assert "not to be trusted" in drift.message
    quiet = eh.shift.drift(TABLE, SAME)
    assert "cannot be tested: some class mix explains any such predictions" in str(quiet)
    assert "no proof" in str(quiet)


def test_what_it_takes_and_refuses():
    true, pred = [0, 1] * 200, [0, 1] * 180 + [1, 0] * 20
    assert (
        eh.shift.drift(true, pred, pred).verdict
        == eh.shift.drift(eh.Confusion.from_labels(true, pred), pred).verdict
    )
    with pytest.raises(eh.InputError, match="then the live predictions"):
        eh.shift.drift(TABLE)
    with pytest.raises(eh.InputError, match="alert must be between 0 and 1, got 2"):
        eh.shift.drift(TABLE, SAME, alert=2)
    shares = eh.shift.drift(TABLE, {0: 0.2, 1: 0.3, 2: 0.5})
    assert shares.estimate.n_unlabelled is None and shares.verdict == "changed"


def test_weighted_tables_have_no_verdict_of_their_own():
    table = eh.Confusion.from_matrix(np.array(TABLE) * 0.37)
    drift = eh.shift.drift(table, MOVED)
    assert drift.verdict == "unclear" and drift.most.low is None
    assert any("forgotten its items" in w for w in drift.warnings)


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)

    def answers(mix, n):
        true = rng.choice(list("xyz"), n, p=mix)
        return true, np.where(rng.random(n) < 0.85, true, "x")

    true, pred = answers([0.5, 0.3, 0.2], 1000)
    files = {"gold": true, "pred": pred, "live": answers([0.2, 0.3, 0.5], 800)[1]}
    files["quiet"] = answers([0.5, 0.3, 0.2], 800)[1]
    for name, labels in files.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(labels) + "\n")
    words = ["shift", "gold.txt", "pred.txt", "--unlabelled"]
    loud = CliRunner().invoke(group, [*words, "live.txt", "--alert", "2%", "--format", "json"])
    found = json.loads(loud.stdout)
    assert loud.exit_code == 1 and found["alarm"] and found["most"] in "xz"
    assert found["verdict"] == "changed" and found["alert"] == 0.02
    assert set(found["metrics"]["macro_f1"]) == {"observed", "expected"}
    assert set(found["classes"][0]) == {"label", "reference", "live", "change", "low", "high"}
    quiet = CliRunner().invoke(group, [*words, "quiet.txt", "--alert", "0.02"])
    assert quiet.exit_code == 0 and re.search("^unclear: ", quiet.stdout, re.M)
    for wrong, why in (
        (
            ["shift", "gold.txt", "pred.txt", "--to", "uniform", "--alert", "0.1"],
            "need --unlabelled",
        ),
        ([*words, "live.txt", "--to", "uniform", "--alert", "0.1"], "leave out --to"),
        ([*words, "live.txt", "--alert", "0"], "not in the range"),
    ):
        refused = CliRunner().invoke(group, wrong)
        assert refused.exit_code == 2 and why in refused.stderr


# Probabilities that are too sure.


def labelled(rng, n, mix, scale):
    """Labels and a posterior for the mix .5, .3, .2, its logits ``scale`` times as large."""
    true = rng.choice(3, n, p=mix)
    logits = scale * (1.5 * (rng.normal(size=(n, 3)) + 1.5 * np.eye(3)[true]) + np.log([5, 3, 2]))
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    return true, p / p.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0])
def test_a_temperature_is_fitted_on_labelled_probabilities(scale):
    rng = np.random.default_rng(2)
    true, p = labelled(rng, 2000, [0.5, 0.3, 0.2], scale)
    _, new = labelled(rng, 2000, [0.2, 0.3, 0.5], scale)
    options = {"method": "saerens", "metrics": "accuracy", "replicates": 50}
    estimate = eh.shift.estimate_prevalence(true, p, predicted=new, **options)
    assert estimate.temperature == pytest.approx(scale, rel=0.15)
    assert list(estimate.prevalence.values()) == pytest.approx([0.2, 0.3, 0.5], abs=0.05)
    assert f"{estimate.temperature:.2f}, fitted on the labelled items" in str(estimate)
    assert not any("calibrated" in w for w in estimate.warnings)
    alone = eh.shift.estimate_prevalence(true, p.argmax(axis=1), predicted=new, **options)
    assert alone.temperature is None
    assert any("which labels do not show" in w for w in alone.warnings)
    if scale == 2:
        assert abs(alone.prevalence[2] - 0.5) > 2 * abs(estimate.prevalence[2] - 0.5)


def test_the_error_of_a_temperature_is_drawn_along():
    """Four times the labelled items halve it; without it, Saerens' intervals are too narrow."""
    rng = np.random.default_rng(4)
    p = rng.dirichlet([1.0, 1.0], 200)
    true = (rng.random(200) < p[:, 1]).astype(int)
    one = temperature_of(p, true, None, np.ones(2))
    four = temperature_of(np.tile(p, (4, 1)), np.tile(true, 4), None, np.ones(2))
    assert four == pytest.approx((one[0], one[1] / 2), rel=1e-3)
    weights, prior = np.ones((2, 200)), np.full(2, 0.5)
    mixes = saerens(p, weights, prior, np.array([1.0, 0.5]))
    assert mixes[0] == pytest.approx(saerens(p, weights[0], prior))
    flatter = p**0.5 / (p**0.5).sum(axis=1, keepdims=True)
    assert mixes[1] == pytest.approx(saerens(flatter, weights[0], prior))


def test_a_mix_that_probabilities_were_made_for_is_no_temperature():
    """Made for another mix they are calibrated here only after that is taken into account."""
    rng = np.random.default_rng(3)
    true, p = labelled(rng, 3000, [0.2, 0.3, 0.5], 1.0)
    estimate = eh.shift.estimate_prevalence(
        true, p, predicted=p, trained_on={0: 0.5, 1: 0.3, 2: 0.2}, metrics="accuracy", replicates=20
    )
    assert estimate.temperature == pytest.approx(1, rel=0.1)


def test_a_quiet_check_is_no_proof():
    assert "no proof" in str(eh.shift.estimate_prevalence(TABLE, predicted=SAME, replicates=20))
