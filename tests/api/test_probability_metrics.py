"""Metrics of probabilities in every verb: one number, names that say which, honest refusals."""

import numpy as np
import pytest

import evenhand as eh
from evenhand.core.registry import score_metrics

RNG = np.random.default_rng(0)
TRUE = np.array(["ham", "spam"])[RNG.integers(0, 2, 200)]
A, B = (np.clip(0.3 * (TRUE == "spam") + 0.65 * RNG.random(200), 0, 1).round(3) for _ in range(2))
SYSTEMS = {"A": A, "B": B}
DEFAULTS = ["roc_auc", "average_precision", "brier", "log_loss"]


def test_defaults_of_probabilities():
    scores = eh.score(TRUE, A)
    assert [m for m in scores.metrics if m in DEFAULTS] == DEFAULTS
    assert "roc_auc" in str(scores) and "log_loss" in str(scores)
    labels = np.where(A > 0.5, "spam", "ham")
    assert scores["macro_f1"].value == eh.macro_f1(TRUE, labels)
    assert not set(DEFAULTS) & set(eh.score(TRUE, labels).metrics)


@pytest.mark.parametrize("name", [m.name for m in score_metrics()])
def test_one_number(name):
    value = getattr(eh, name)(TRUE, A)
    own = pytest.approx(value, rel=0, abs=1e-12)  # sums in another order of items
    assert eh.score(TRUE, A, metrics=name)[name].value == value
    assert eh.score(TRUE, A, metrics=[name, "accuracy"])[name].value == value
    sample = eh.Sample.from_probabilities(TRUE, SYSTEMS)
    assert getattr(eh, name)(sample)[0] == own
    record = eh.catalogue.lists.lookup(name)
    if record.better == "neither" or not record.smooth:
        return
    assert eh.compare(TRUE, SYSTEMS, metrics=name)[name].values[0] == own
    board = eh.rank(TRUE, SYSTEMS, by_metric=name, metrics=[], replicates=20)
    (standing,) = [s.standings[name] for s in board.systems if s.name == "A"]
    assert standing.value == own
    check = eh.gate(TRUE, SYSTEMS, metrics=name, margin=0.1)[name]
    assert check.values[0] == own


def test_slices():
    group = np.arange(200) % 2
    scores = eh.score(TRUE, A, metrics="roc_auc", by=group)
    assert [s["roc_auc"].value for s in scores.slices] == [
        eh.roc_auc(TRUE[group == i], A[group == i]) for i in (0, 1)
    ]


def test_rank_with_its_usual_metrics_and_guesses():
    board = eh.rank(TRUE, SYSTEMS, by_metric="roc_auc", replicates=20)
    assert list(board.metrics) == DEFAULTS
    assert board.baselines["prevalence"]["roc_auc"] == 0.5
    share = (TRUE == "spam").mean()
    assert board.baselines["prevalence"]["brier"] == pytest.approx(share * (1 - share))


def test_the_footnote_says_of_which_class():
    note = eh.score(TRUE, A, metrics="average_precision")
    assert "of the class spam against the other" in str(note)
    signature = note["average_precision"].signature
    assert signature.classes == "positive.1.spam" and signature.weights == "none"
    assert "of the class spam against the other" in eh.Signature.parse(str(signature)).explain()


def test_names_as_people_write_them():
    assert list(eh.score(TRUE, A, metrics=["Average precision"])) == ["average_precision"]


@pytest.mark.parametrize("lead", ["roc_auc", "brier", "macro_f1", "expected_macro_f1"])
def test_a_report_of_several_systems_has_their_curves(lead):
    text = eh.report(TRUE, {"A": A, "B": B}, by_metric=lead).to_markdown()
    assert "ROC AUC of spam: A " in text and "How good the probabilities are" in text
    assert ("what each system decides" in text) == (lead in ("roc_auc", "brier"))


def test_an_area_has_an_operating_point_beside_it():
    text = str(eh.score(TRUE, A, metrics="roc_auc"))
    assert "'spam' is predicted above a probability of 0.5" in text and "precision  recall" in text


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("auc", "'auc' can mean roc_auc: "),
        ("pr_auc", "'pr_auc' can mean average_precision: "),
        ("brier_score", "'brier_score' can mean brier:scale=1: "),
        ("Brier score", "'Brier score' can mean brier:scale=1: "),
        ("expected_brier", "brier is of probabilities as it is: leave out expected_"),
        ("roc_auc:average=best", "average of roc_auc must be ovr or ovr_weighted or "),
        ("roc_auc:max_fpr=0", "max_fpr of roc_auc must be a finite number ≥ 1e-06 and ≤ 1"),
        ("roc_auc:label=x", "label of roc_auc must be among 'ham', 'spam', got 'x'"),
        (
            "roc_auc@uniform",
            "roc_auc@uniform: scores of items have no table to bring to a class mix",
        ),
        ("brier:bins=3", "brier takes 'scale', 'label', got 'bins' in"),
    ],
)
def test_names_and_parameters(name, wanted):
    with pytest.raises(eh.EvenhandError) as error:
        eh.score(TRUE, A, metrics=name)
    assert str(error.value).startswith(wanted)


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("roc_auc_score", "roc_auc"),
        ("AUROC", "roc_auc"),
        ("roc_auc_ovo_weighted", "roc_auc:average=ovo_weighted"),
        ("average_precision_score", "average_precision"),
        ("brier_score_loss", "brier"),
        ("expected_calibration_error", "ece"),
        ("top 5 accuracy", "top_k_accuracy:k=5"),
    ],
)
def test_aliases(alias, name):
    assert list(eh.score(TRUE, A, metrics=alias, interval=None).metrics) == [name]


def test_labels_have_no_such_metric():
    for metrics in ("roc_auc", ["macro_f1", "brier"]):
        with pytest.raises(eh.MetricError, match="needs class probabilities or scores of items"):
            eh.score(TRUE, TRUE, metrics=metrics)
    soft = eh.Confusion.from_probabilities(TRUE, A)
    with pytest.raises(eh.MetricError, match="needs class probabilities or scores of items"):
        eh.score(soft, metrics="roc_auc", interval=None)
    kept = eh.Sample.from_probabilities(TRUE, {"A": A}).tables()
    with pytest.raises(eh.MetricError, match="needs class probabilities or scores of items"):
        eh.score(kept[0].relabel({"ham": "x"}), metrics="roc_auc", interval=None)


def test_properties_are_those_of_tables():
    with pytest.raises(eh.MetricError, match="brier is of scores, and the properties are those of"):
        eh.properties.check("brier")


def test_labels_and_scores_are_compared_apart():
    with pytest.raises(eh.MetricError, match="ask for them one after the other"):
        eh.compare(TRUE, SYSTEMS, metrics=["macro_f1", "roc_auc"])


def test_a_class_that_never_varies():
    assert np.isnan(eh.roc_auc(["a", "a"], [[0.5, 0.5], [0.2, 0.8]], labels=["a", "b"]))


def test_a_probability_of_zero_is_said():
    (note,) = (
        c for c in eh.score([0, 1, 1], [0.5, 0.0, 0.7]).cautions if c.code == "zero_probability"
    )
    assert (note.items, note.total, note.metrics) == (1, 3, ("log_loss",))
    assert "1 of 3 items give their true class a probability of 0" in note.sentence


def test_scores_that_are_no_probabilities():
    """As a decision function gives them: what is of their order, and the sign as the decision."""
    shifted = 3 * (A - 0.5)
    scores = eh.score(TRUE, shifted)
    assert [m for m in scores.metrics if m in DEFAULTS] == DEFAULTS[:2]
    assert scores["roc_auc"].value == pytest.approx(eh.roc_auc(TRUE, A), abs=1e-12)
    labels = np.where(shifted > 0, "spam", "ham")
    assert scores["macro_f1"].value == eh.macro_f1(TRUE, labels)
    assert any(c.sentence == "'spam' is predicted above a score of 0" for c in scores.cautions)
    systems = {"A": shifted, "B": 10 * B}
    pair = eh.compare(TRUE, systems, metrics="roc_auc")["roc_auc"]
    assert pair.difference == pytest.approx(eh.roc_auc(TRUE, A) - eh.roc_auc(TRUE, B), abs=1e-12)
    assert list(eh.rank(TRUE, systems, by_metric="roc_auc", replicates=20).metrics) == DEFAULTS[:2]
    with pytest.raises(eh.MetricError, match="brier needs probabilities, got scores that are not"):
        eh.score(TRUE, shifted, metrics="brier")
    with pytest.raises(eh.MetricError, match="expected_macro_f1 needs class probabilities"):
        eh.score(TRUE, shifted, metrics="expected_macro_f1")
    with pytest.raises(eh.InputError, match="reliability is of probabilities, got scores"):
        eh.plot.reliability(eh.Sample.from_probabilities(TRUE, {"A": shifted}))


def test_thresholds_of_scores_are_those_of_probabilities():
    """A threshold on 3·(p − 1/2) decides as one on p, in the choice of the best one too."""
    of_scores = eh.thresholds(TRUE, 3 * (A - 0.5), label="spam", at=[-0.6, 0, 0.9])
    of_shares = eh.thresholds(TRUE, A, label="spam", at=[0.3, 0.5, 0.8])
    for name, curve in of_shares.items():
        assert of_scores[name].value == pytest.approx(curve.value, abs=1e-12)
    assert of_scores.chosen == of_shares.chosen and of_scores.expected == of_shares.expected
    grid = eh.thresholds(TRUE, 3 * (A - 0.5), label="spam").thresholds
    assert grid[0] == pytest.approx(3 * (A.min() - 0.5), abs=0.01) and len(grid) == 101
    negative = eh.thresholds(TRUE, -1 - A, label="spam", by_metric="recall:label=spam")
    assert negative.best < -1 - A.max() and negative.chosen["recall:label=spam"].value == 1


def test_scores_of_several_classes():
    """As decision functions give them: the highest decides, areas and top-k are of their order."""
    rng = np.random.default_rng(2)
    true = rng.integers(0, 3, 120)
    scores = rng.normal(size=(120, 3)) + 1.5 * np.eye(3)[true]
    found = eh.score(true, scores)
    assert found["accuracy"].value == (scores.argmax(axis=1) == true).mean()
    assert found["roc_auc"].value == pytest.approx(np.mean(
        [eh.roc_auc(true == j, scores[:, j]) for j in range(3)]), abs=1e-12)  # fmt: skip
    above = (scores > np.take_along_axis(scores, true[:, None], axis=1)).sum(axis=1)
    assert eh.top_k_accuracy(true, scores, k=2) == (above < 2).mean()
    assert "brier" not in found.metrics
    assert any(c.sentence.startswith("the class with the highest score") for c in found.cautions)
    two = rng.normal(size=(120, 2))
    assert eh.roc_auc(true > 0, two) == eh.roc_auc(true > 0, two[:, 1] - two[:, 0])
    one_wrong = np.full((120, 3), 1 / 3)
    one_wrong[5] = [1.2, -0.1, -0.1]
    with pytest.raises(eh.InputError, match="must be ≥ 0 and sum to 1 for every item, got"):
        eh.score(true, one_wrong)


def test_scores_of_several_labels():
    """Labels are predicted from a score of 0 on, as from a probability of a half."""
    rng = np.random.default_rng(3)
    true = (rng.random((90, 3)) < 0.4).astype(int)
    p = np.clip(0.3 * true + 0.65 * rng.random((90, 3)), 0, 1)
    of_shares, of_scores = eh.score(true, p), eh.score(true, 8 * p - 4)
    for name in ("micro_f1", "roc_auc", "average_precision"):
        assert of_scores[name].value == pytest.approx(of_shares[name].value, abs=1e-12)
    (note,) = (c for c in of_scores.cautions if c.code == "labels_decided")
    assert note.sentence == "labels are predicted from a score of 0 on"


def test_what_numbers_are_is_said():
    """Zeros and ones are labels, unless they are said to be probabilities."""
    true, p = [0, 1, 1, 0], [0.0, 1.0, 0.0, 0.0]
    assert "roc_auc" not in eh.score(true, p).metrics
    assert eh.score(true, p, probabilities=True)["roc_auc"].value == 0.75
    assert eh.roc_auc(true, p, probabilities=True) == 0.75
    with pytest.raises(eh.InputError, match="labels of one type, got int and float"):
        eh.score(true, [0.2, 0.7, 0.4, 0.1], probabilities=False)
    with pytest.raises(eh.InputError, match="probabilities must be True or False, got"):
        eh.score(true, p, probabilities=3.0)
    holes = np.where(np.arange(200) == 3, np.nan, A)
    with pytest.raises(eh.InputError, match=r"sum to 1 for every item, got \[nan, nan\] at item 3"):
        eh.score(TRUE, holes)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_of_a_frame(library):
    """One column of scores, columns by prefix or by name, weights and slices beside them."""
    import importlib

    columns = {"g": TRUE, "p_ham": 1 - A, "p_spam": A, "w": np.arange(200) % 3 + 1, "b": B}
    module = importlib.import_module(library)
    frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    value = eh.roc_auc(TRUE, A)
    names = {"metrics": ["roc_auc", "macro_f1"], "true": "g"}
    for more in (
        {"pred": "p_spam"},
        {"probabilities": "p_spam"},
        {"probabilities": "p_"},
        {"pred": "p_spam", "probabilities": True},
    ):
        assert eh.score(frame, **names, **more)["roc_auc"].value == value
    weighted = eh.score(frame, **names, probabilities="p_", weights="w")["roc_auc"].value
    assert weighted == eh.roc_auc(TRUE, A, weights=columns["w"])
    pair = eh.compare(frame, true="g", pred=["p_spam", "b"], metrics="roc_auc")["roc_auc"]
    assert pair.difference == eh.roc_auc(TRUE, A) - eh.roc_auc(TRUE, B)
    assert eh.roc_auc(frame, true="g", pred="p_spam") == value
    with pytest.raises(eh.InputError, match="no column of the frame is 'q_' or begins so"):
        eh.score(frame, true="g", probabilities="q_")
    with pytest.raises(eh.InputError, match="in the place of labels: leave out pred="):
        eh.score(frame, true="g", pred="b", probabilities="p_")


def test_numbers_that_are_labels_stay_labels():
    assert eh.accuracy([0, 1, 1], [0.0, 1.0, 1.0]) == 1
    with pytest.raises(eh.InputError, match="must have labels of one type, got int and float"):
        eh.score([1, 2, 3], [1.5, 2.0, 3.5])
    with pytest.raises(eh.InputError):
        eh.score(["a", "b"], [1.5, np.inf])


def test_the_positive_class():
    """One number an item is of the positive class, whatever the order of the names."""
    quality = np.where(TRUE == "spam", "bad", "good")
    scores = eh.score(quality, A, positive="bad", metrics=["roc_auc", "average_precision"])
    assert scores["roc_auc"].value == eh.roc_auc(TRUE, A)
    assert scores["average_precision"].value == eh.average_precision(TRUE, A)
    assert scores["average_precision"].signature.classes == "positive.1.bad"
    columns = np.column_stack([A, 1 - A])  # in the order of the names: bad, good
    scores = eh.score(quality, columns, positive="bad", metrics=["average_precision", "brier"])
    assert list(scores.metrics) == ["average_precision:label=bad", "brier"]
    own = scores["average_precision:label=bad"].value
    assert own == pytest.approx(eh.average_precision(TRUE, A), abs=1e-12)
    assert eh.roc_auc(quality, A, positive="bad") == eh.roc_auc(TRUE, A)
    with pytest.raises(eh.InputError, match="positive must be among 'bad', 'good', got 'x'"):
        eh.score(quality, A, positive="x")


def test_several_labels_in_slices_and_clusters():
    rng = np.random.default_rng(1)
    true = (rng.random((90, 3)) < 0.4).astype(int)
    p = np.clip(0.3 * true + 0.65 * rng.random((90, 3)), 0, 1).round(2)
    group = np.arange(90) % 2
    scores = eh.score(true, p, metrics="roc_auc", by=group, cluster=np.arange(90) // 3)
    for i, part in enumerate(scores.slices):
        own = eh.roc_auc(true[group == i], p[group == i])
        assert part["roc_auc"].value == pytest.approx(own, abs=1e-12)
    with pytest.raises(eh.MetricError, match="tells classes from each other, of which items have"):
        eh.score(true, p, metrics="roc_auc:average=ovo")
    with pytest.raises(eh.MetricError, match="log_loss is not defined for multi-label data"):
        eh.score(true, p, metrics="log_loss")
    with pytest.raises(eh.MetricError, match="needs class probabilities or scores of items"):
        eh.score(true, true, metrics="roc_auc")


def test_areas_of_many_classes_and_items_are_asked_for(monkeypatch):
    import importlib

    score = importlib.import_module("evenhand.scoring.score")
    p = np.random.default_rng(0).dirichlet(np.ones(3), 30)
    true = np.arange(30) % 3
    assert "roc_auc" in eh.score(true, p, interval=None).metrics
    monkeypatch.setattr(score, "MOST_RANKED", 80)
    unasked = eh.score(true, p, interval=None).metrics
    assert "roc_auc" not in unasked and "brier" in unasked
    assert "roc_auc" in eh.score(true, p, metrics="roc_auc", interval=None).metrics
