"""Scores by a judge, corrected by human labels."""

import json

import numpy as np
import pytest

import evenhand as eh
from evenhand.errors import InputError

CLASSES = np.array(["neg", "neu", "pos"])


def task(n=4000, labelled=300, seed=1, judge=0.82, lean=0.6):
    """Truth, a system, a judge that leans to it, and human labels of the first items."""
    rng = np.random.default_rng(seed)
    true = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    pred = np.where(rng.random(n) < 0.75, true, rng.choice(3, n))
    wrong = np.where(rng.random(n) < lean, pred, rng.choice(3, n))
    judged = np.where(rng.random(n) < judge, true, wrong)
    human = [CLASSES[t] if i < labelled else None for i, t in enumerate(true)]
    return true, human, CLASSES[pred].tolist(), CLASSES[judged].tolist()


def by_hand(human, pred, judge):
    """Prediction-powered accuracy: λ, value and standard error (Angelopoulos et al., PPI++)."""
    hits = np.array([j == p for j, p in zip(judge, pred, strict=True)], float)
    known = np.array([h is not None for h in human])
    own = np.array([h == p for h, p in zip(human, pred, strict=True)], float)[known]
    labelled, rest = hits[known], hits[~known]
    n, m = len(labelled), len(rest)
    covariance = np.mean((own - own.mean()) * (labelled - labelled.mean())) / n
    spread = labelled.var() / n + rest.var() / m
    power = covariance / spread
    value = own.mean() + power * (rest.mean() - labelled.mean())
    error = np.sqrt((own - power * labelled).var() / n + power**2 * rest.var() / m)
    return power, value, error


def test_accuracy_is_that_of_prediction_powered_inference():
    _, human, pred, judge = task()
    power, value, error = by_hand(human, pred, judge)
    score = eh.score(human, pred, judge=judge)["accuracy"]
    assert score.judged.power == pytest.approx(power, abs=1e-12)
    assert score.value == pytest.approx(value, abs=1e-12)
    assert score.se == pytest.approx(error, rel=1e-9)
    assert score.judged.effective_labels == pytest.approx(
        300 * (score.judged.human.se / error) ** 2, rel=1e-9
    )


def test_macro_f1_is_that_of_the_corrected_table():
    _, human, pred, judge = task()
    scores = eh.score(human, pred, judge=judge, metrics=["macro_f1", "f1_of_averages"])
    power = scores["macro_f1"].judged.power

    def cells(truth, rows):
        table = np.zeros((3, 3))
        at = {label: i for i, label in enumerate(CLASSES)}
        for i in rows:
            table[at[truth[i]], at[pred[i]]] += 1 / len(rows)
        return table

    labelled, rest = range(300), range(300, len(pred))
    table = cells(human, labelled) + power * (cells(judge, rest) - cells(judge, labelled))
    f1 = 2 * np.diag(table) / (table.sum(axis=0) + table.sum(axis=1))
    assert scores["macro_f1"].value == pytest.approx(f1.mean(), abs=1e-12)
    assert scores["f1_of_averages"].judged.power == power
    gap = scores["f1_of_averages"].value - scores["macro_f1"].value
    assert scores.twins.gap == pytest.approx(gap, abs=1e-12)
    assert [c.prevalence / len(pred) for c in scores.classes] == pytest.approx(table.sum(axis=1))


def test_a_judge_that_knows_nothing_changes_nothing_much():
    _, human, pred, _ = task()
    noise = np.random.default_rng(5).choice(CLASSES, len(pred)).tolist()
    for name, score in eh.score(human, pred, judge=noise).metrics.items():
        alone = score.judged.human
        assert score.judged.power < 0.2
        most = 1.03 if name == "f1_of_averages" else 1.005  # which has macro F1's λ
        assert score.high - score.low <= most * (alone.high - alone.low)


def test_a_perfect_judge_makes_every_label_human():
    true, human, pred, _ = task()
    scores = eh.score(human, pred, judge=CLASSES[true].tolist(), metrics=["accuracy", "macro_f1"])
    every = eh.score(CLASSES[true].tolist(), pred, metrics=["accuracy", "macro_f1"])
    for name, score in scores.metrics.items():
        assert score.judged.power == pytest.approx(1 - 300 / len(pred), abs=0.02)
        assert score.judged.effective_labels == pytest.approx(len(pred), rel=0.15)
        assert score.value == pytest.approx(every[name].value, abs=0.01)


def test_clusters_of_one_item_are_items():
    _, human, pred, judge = task(n=1500)
    plain = eh.score(human, pred, judge=judge, metrics="macro_f1")["macro_f1"]
    clusters = list(range(len(pred)))
    scores = eh.score(human, pred, judge=judge, cluster=clusters, metrics="macro_f1")
    clustered = scores["macro_f1"]
    assert clustered.judged.power == pytest.approx(plain.judged.power, rel=1e-6)
    assert clustered.value == pytest.approx(plain.value, rel=1e-6)
    assert clustered.se / clustered.judged.human.se == pytest.approx(
        plain.se / plain.judged.human.se, rel=1e-6
    )


def test_known_probabilities_weigh_the_labelled_items():
    true, _, pred, judge = task(n=6000)
    rng = np.random.default_rng(2)
    chance = np.where(np.array(judge) == "pos", 0.3, 0.05)
    chosen = rng.random(len(pred)) < chance
    human = [CLASSES[t] if c else None for t, c in zip(true, chosen, strict=True)]
    options = {"judge": judge, "metrics": "accuracy"}
    designed = eh.score(human, pred, label_probability=chance.tolist(), **options)
    plain = eh.score(human, pred, **options)
    hit = np.array([CLASSES[t] for t in true]) == pred
    weight = np.where(chosen, 1 / chance, 0)
    by_judge = np.array(judge) == pred
    human_mean = (weight * hit).sum() / weight.sum()
    judge_mean = (weight * by_judge).sum() / weight.sum()
    power = designed["accuracy"].judged.power
    value = human_mean + power * (by_judge.mean() - judge_mean)
    assert designed["accuracy"].value == pytest.approx(value, abs=1e-12)
    assert designed["accuracy"].judged.human.value == pytest.approx(human_mean, abs=1e-12)
    codes = [[c["code"] for c in s.to_dict()["warning_codes"]] for s in (designed, plain)]
    assert "unlike_sample" not in codes[0]
    assert "unlike_sample" in codes[1]


def test_a_random_sample_is_not_doubted_too_often():
    doubts = 0
    for seed in range(200):
        _, human, pred, judge = task(n=600, labelled=120, seed=seed)
        scores = eh.score(human, pred, judge=judge, metrics="accuracy")
        doubts += any(c["code"] == "unlike_sample" for c in scores.to_dict()["warning_codes"])
    assert doubts <= 7  # of 200 at 1 %: 2 expected, P(more than 7) < 0.1 %


def test_a_frame_and_a_file_give_the_same(tmp_path, run):
    pandas = pytest.importorskip("pandas")
    _, human, pred, judge = task(n=800, labelled=200)
    frame = pandas.DataFrame({"human": human, "judge": judge, "system": pred})
    arrays = eh.score(human, pred, judge=judge)
    assert eh.score(frame, true="human", pred="system", judge="judge") == arrays
    frame.to_csv(tmp_path / "all.csv", index=False)
    columns = ["--true", "human", "--judge", "judge", "--pred", "system", "--format", "json"]
    outcome = run("score", str(tmp_path / "all.csv"), *columns)
    printed = json.loads(outcome.stdout)["metrics"]["macro_f1"]
    assert printed == arrays.to_dict()["metrics"]["macro_f1"]
    assert set(printed) >= {"judge", "human", "lambda", "effective_labels"}


def test_slices_are_corrected_one_by_one_and_need_labels():
    _, human, pred, judge = task(n=1000, labelled=400)
    half = ["a" if i % 2 else "b" for i in range(len(pred))]
    scores = eh.score(human, pred, judge=judge, by=half, metrics="macro_f1")
    one = [i for i, x in enumerate(half) if x == "a"]
    alone = eh.score(*([x[i] for i in one] for x in (human, pred)), judge=[judge[i] for i in one])
    part = next(s for s in scores.slices if s.key == "a")
    assert part["macro_f1"].value == pytest.approx(alone["macro_f1"].value, abs=1e-12)
    first = ["a" if i < 400 else "b" for i in range(len(pred))]
    with pytest.raises(InputError, match="all human labels are of one slice, 'a'"):
        eh.score(human, pred, judge=judge, by=first)


@pytest.mark.parametrize(
    ("labelled", "options", "message"),
    [
        (0, {}, "some items must have a human label, not all: no item has one"),
        (50, {}, "some items must have a human label, not all: every item has one"),
        (20, {"weights": [1.0] * 50, "label_probability": [0.4] * 50}, "without weights"),
    ],
)
def test_what_cannot_be_corrected_is_said(labelled, options, message):
    _, human, pred, judge = task(n=50, labelled=labelled)
    with pytest.raises(InputError, match=message):
        eh.score(human, pred, judge=judge, **options)


def test_few_labels_are_warned_of():
    _, human, pred, judge = task(n=1000, labelled=60)
    codes = [c["code"] for c in eh.score(human, pred, judge=judge).to_dict()["warning_codes"]]
    assert "few_human_labels" in codes


@pytest.mark.slow
def test_corrected_intervals_cover():
    truth = {m: eh.score(*_large(), metrics=m)[m].value for m in ("macro_f1", "mcc")}
    covered = dict.fromkeys(truth, 0)
    for seed in range(300):
        _, human, pred, judge = task(n=2000, labelled=200, seed=1000 + seed)
        scores = eh.score(human, pred, judge=judge, metrics=list(truth))
        for name, value in truth.items():
            covered[name] += scores[name].low <= value <= scores[name].high
    assert all(n >= 273 for n in covered.values()), covered  # 95 % less three standard errors


def _large():
    true, _, pred, _ = task(n=1_000_000, seed=0)
    return CLASSES[true].tolist(), pred
