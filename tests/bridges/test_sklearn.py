"""scikit-learn's names: its results, its errors, its tools with our metrics inside."""

import inspect
import pickle
import subprocess
import sys
import warnings
from collections import Counter
from random import Random

import numpy as np
import pytest
import sklearn.metrics as theirs
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.multiclass import type_of_target

import evenhand as eh
from evenhand.bridges import sklearn as ours
from evenhand.catalogue.lists import table_metrics
from evenhand.catalogue.spelling import Spec
from evenhand.errors import InputError, MetricError
from fuzz.drop_in import OPTIONS, calls, compared

OWN = {"cross_validated", "scorer"}
NAMES = [name for name in ours.__all__ if name not in OWN]
TRUE = ["cat", "dog", "dog", "ant", "cat", "cat", "dog"]
PRED = ["cat", "dog", "cat", "ant", "cat", "dog", "dog"]


@pytest.mark.parametrize("name", NAMES)
def test_signatures_are_scikit_learns(name):
    """Every option with its kind and default; the report has one more, which is off."""
    given = inspect.signature(getattr(ours, name)).parameters
    wanted = inspect.signature(getattr(theirs, name)).parameters
    extra = {"intervals"} if name == "classification_report" else set()
    assert set(given) - set(wanted) == extra
    for option, parameter in wanted.items():
        mine = given[option]
        assert mine.kind == parameter.kind
        assert mine.default is parameter.default or repr(mine.default) == repr(parameter.default)


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", None])
def test_text_labels(average):
    """Precision 2/3, 2/3, 1 and recall 2/3, 2/3, 1 of cat, dog, ant, by hand."""
    found = ours.f1_score(TRUE, PRED, average=average)
    wanted = {"micro": 5 / 7, "macro": 7 / 9, "weighted": 5 / 7, None: [1, 2 / 3, 2 / 3]}
    assert found == pytest.approx(wanted[average], abs=1e-15)


def test_labels_stand_in_the_order_of_text():
    text = ["10", "2", "1", "10"]
    assert ours.confusion_matrix(text, text).tolist() == [[1, 0, 0], [0, 2, 0], [0, 0, 1]]


def test_a_label_of_items_without_weight_occurs():
    data, how = ([0, 1, 1], [0, 1, 0]), {"labels": [0], "sample_weight": [0, 2, 0]}
    with pytest.warns(UserWarning, match="A single label was found"):
        assert ours.confusion_matrix(*data, **how).tolist() == [[0]]
    with pytest.raises(InputError, match="must be in y_true"):
        ours.confusion_matrix(*data, labels=[7])


def test_a_report_is_theirs_to_the_letter():
    assert ours.classification_report(TRUE, PRED) == theirs.classification_report(TRUE, PRED)
    both = [m.classification_report(TRUE, PRED, output_dict=True) for m in (ours, theirs)]
    assert both[0] == both[1]


def test_a_report_prints_no_control_characters():
    labels = ["\x1b[31mred", "été, 'quoted'", "\u202eleft"]
    text = ours.classification_report(labels, labels)
    assert "\x1b" not in text and "\u202e" not in text and "été, 'quoted'" in text
    assert list(ours.classification_report(labels, labels, output_dict=True))[:3] == sorted(labels)


def test_a_report_gains_both_macro_f1s():
    report = ours.classification_report(TRUE, PRED, intervals=True, digits=4)
    assert report.startswith(theirs.classification_report(TRUE, PRED, digits=4))
    scores = eh.score(TRUE, PRED, metrics=["macro_f1", "f1_of_averages"])
    for name in scores:
        assert f"{scores[name].value:.4f} [{scores[name].low:.4f}, " in report
    added = ours.classification_report(TRUE, PRED, intervals=True, output_dict=True)
    assert added.pop("evenhand")["metrics"]["macro_f1"]["low"] == scores["macro_f1"].low
    assert added == theirs.classification_report(TRUE, PRED, output_dict=True)


def test_a_report_of_indicators_gains_them_too():
    true, pred = np.array([[1, 0, 1], [0, 1, 1]] * 9), np.array([[1, 0, 0], [0, 1, 1]] * 9)
    report = ours.classification_report(true, pred, intervals=True)
    assert report.startswith(theirs.classification_report(true, pred))
    assert "F1 of mean precision and recall  0.91 [" in report  # P̄ = 1, R̄ = 5/6: 10/11
    assert "accuracy  " not in report.partition("mean of F1s")[0]


def test_what_is_undefined_is_said_in_their_class():
    with pytest.warns(UndefinedMetricWarning, match="Precision is ill-defined and being set"):
        assert ours.precision_score([0, 1], [0, 0]) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ours.precision_score([0, 1], [0, 0], zero_division=1) == 1


@pytest.mark.parametrize(
    ("call", "kinds"),
    [
        (lambda m: m.f1_score([0, 1, 2], [0, 1, 2]), (ValueError,)),
        (lambda m: m.f1_score([0, 1], [0, 1], average="mean"), (ValueError, TypeError)),
        (lambda m: m.f1_score([0, 1], [0, 1], pos_label=5), (ValueError,)),
        (lambda m: m.accuracy_score([0, 1], [0]), (ValueError,)),
        (lambda m: m.accuracy_score(["a"], [1]), (ValueError,)),
        (lambda m: m.confusion_matrix([[0, 1], [1, 1]], [[0, 1], [1, 1]]), (ValueError,)),
        (lambda m: m.confusion_matrix([0, 1], [0, 1], labels=[7]), (ValueError,)),
        (lambda m: m.f1_score([b"a"], [b"a"]), (TypeError,)),
        (lambda m: m.accuracy_score([0.5, 1], [0, 1]), (ValueError,)),
        (lambda m: m.accuracy_score([0, 1], [0, 1], sample_weight=[0, 0]), (ValueError,)),
    ],
)
def test_errors_are_of_their_kind(call, kinds):
    for module in (theirs, ours):
        with pytest.raises(kinds) as caught:
            call(module)
        assert all(isinstance(caught.value, kind) for kind in kinds)


def test_deliberate_differences():
    """Those that docs/sklearn.md lists, each as it says of both."""
    assert theirs.accuracy_score([0, 1], [0, 1], sample_weight=[2, -1]) == 1
    assert np.isnan(theirs.f1_score([0, 1], [0, 1], labels=[], average="macro"))
    assert theirs.recall_score([1, 1], [1, 1], labels=["1"], average="macro") == 1
    assert theirs.precision_recall_fscore_support([0, 1], [1, 0])[3].dtype.kind == "f"
    with pytest.raises(InputError, match="weights must be"):
        ours.accuracy_score([0, 1], [0, 1], sample_weight=[2, -1])
    with pytest.raises(InputError, match="at least one label"):
        ours.f1_score([0, 1], [0, 1], labels=[], average="macro")
    wide = np.array([[1, 2], [2, 1]])
    assert ours.accuracy_score(wide, wide[::-1]) == 1 != theirs.accuracy_score(wide, wide[::-1])
    whole = ours.precision_recall_fscore_support([0, 1], [1, 0])[3]
    assert whole.dtype.kind == "i"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isnan(ours.balanced_accuracy_score([1, 1], [1, 0], adjusted=True))
        assert ours.recall_score([1, 1], [1, 1], labels=["1"], average="macro") == 0


def test_nothing_is_lost_where_theirs_cancels():
    """The MCC of [[10^16, 3], [2, 5]] is 0.668."""
    true, pred = [0, 0, 1, 1], [0, 1, 0, 1]
    found = ours.matthews_corrcoef(true, pred, sample_weight=[1e16, 3, 2, 5])
    assert found == pytest.approx(0.6681531, abs=1e-7)
    cancelled = theirs.matthews_corrcoef(true, pred, sample_weight=[1e16, 3, 2, 5])
    assert abs(cancelled - 0.6681531) > 0.1


def test_scikit_learn_is_not_needed_to_count_and_score():
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "from evenhand.bridges.sklearn import f1_score, precision_score, scorer\n"
        "import warnings; warnings.simplefilter('ignore')\n"
        "print(f1_score([0, 1, 1], [0, 1, 0]), precision_score([1], [0]))\n"
        "try: scorer('macro_f1')\n"
        "except ValueError as e: print(e)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "0.6666666666666666 0.0",
        "scorer needs scikit-learn: pip install 'evenhand[sklearn]'",
    ]


# -- scorers in the real tools -----------------------------------------------------------------

X, Y = make_classification(
    300, 6, n_informative=4, n_classes=3, weights=[0.6, 0.3, 0.1], random_state=0
)
SPELLINGS = [
    *(f"macro_{n}" if m.of_one_class else n for n, m in table_metrics().items()
      if "single" in m.tasks and m.better != "neither"),
    "f1:label=2", "macro_fbeta:beta=2", "macro_f1@uniform", "macro_recall:p=-1",
]  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_scorer_gives_the_metrics_number(spelling):
    model = GaussianNB().fit(X[:200], Y[:200])
    score = eh.score(Y[200:], model.predict(X[200:]), metrics=spelling, interval=None)
    sign = -1 if Spec.parse(spelling).metric.better == "lower" else 1
    assert ours.scorer(spelling)(model, X[200:], Y[200:]) == sign * float(score[spelling])


def test_grid_search_by_f1_of_averages():
    grid = {"max_depth": [1, 2, 4, 8]}
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0), grid, scoring=ours.scorer("f1_of_averages"), cv=4
    ).fit(X, Y)
    by_hand = []
    for depth in grid["max_depth"]:
        scores = []
        for train, test in StratifiedKFold(4).split(X, Y):
            model = DecisionTreeClassifier(random_state=0, max_depth=depth).fit(X[train], Y[train])
            guess = model.predict(X[test])
            p, r, *_ = theirs.precision_recall_fscore_support(
                Y[test], guess, average="macro", labels=np.unique(Y[test]), zero_division=0
            )
            scores.append(2 * p * r / (p + r))
        by_hand.append(np.mean(scores))
    assert search.cv_results_["mean_test_score"] == pytest.approx(by_hand, abs=1e-12)
    assert search.best_params_["max_depth"] == grid["max_depth"][int(np.argmax(by_hand))]


def test_several_metrics_at_once():
    names = ["macro_f1", "f1_of_averages", "mcc"]
    many = ours.scorer(names)
    found = cross_validate(GaussianNB(), X, Y, scoring=many, cv=3)
    for name in names:
        alone = cross_validate(GaussianNB(), X, Y, scoring=ours.scorer(name), cv=3)["test_score"]
        assert found[f"test_{name}"].tolist() == alone.tolist()
    search = GridSearchCV(
        GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, scoring=many, refit="mcc", cv=3
    ).fit(X, Y)
    assert search.best_score_ == max(search.cv_results_["mean_test_mcc"])
    assert pickle.loads(pickle.dumps(many)) == many


def test_a_scorer_takes_weights_and_classes():
    model = GaussianNB().fit(X, Y)
    weights = 0.5 + np.arange(300) % 3
    found = ours.scorer("macro_f1", classes=[0, 2])(model, X, Y, sample_weight=weights)
    wanted = theirs.f1_score(
        Y, model.predict(X), labels=[0, 2], average="macro", sample_weight=weights
    )
    assert found == pytest.approx(wanted, abs=1e-12)


def test_what_cannot_be_a_scorer():
    with pytest.raises(MetricError, match="neither high nor low is better"):
        ours.scorer("f1_gap")
    with pytest.raises(InputError, match="got none"):
        ours.scorer([])


def test_a_loss_has_its_sign_turned():
    true, pred = np.array([[1, 0], [0, 1]]), np.array([[1, 1], [0, 1]])

    class Known:
        def predict(self, _):
            return pred

    assert ours.scorer(["hamming_loss"])(Known(), None, true) == {"hamming_loss": -0.25}


# -- random calls of both ----------------------------------------------------------------------


def kinds_of(name, true, pred, options):
    """What a call is an example of."""
    yield name
    yield from options
    with warnings.catch_warnings(action="ignore"):
        try:
            kind = type_of_target(true)
        except (TypeError, ValueError):
            kind = "unsound"
    yield kind
    if kind in ("binary", "multiclass") and isinstance(next(iter(np.ravel(true)), None), str):
        yield "text"


WANTED = {
    *OPTIONS, *(option for options in OPTIONS.values() for option in options if option != "shares"),
    "binary", "multiclass", "multilabel-indicator", "unsound", "text",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_twenty_thousand_random_calls(part):
    """In four parts: equal to scikit-learn's value and warnings, or its kind of error.

    What they differ in on purpose is listed in docs/sklearn.md.
    """
    found, seen, failed = Counter(), Counter(), []
    for seed in range(425):
        for call in calls(Random(f"{part} {seed}")):
            outcome = compared(*call)
            found[outcome.kind] += 1
            seen.update(set(kinds_of(*call)))
            if outcome.kind not in ("right", "refused"):
                failed.append(outcome)
    assert failed == []
    assert found.total() >= 5_000
    assert found["right"] >= 2_500
    assert min(seen[kind] for kind in WANTED) >= 50, seen


# -- cross-validation of models ----------------------------------------------------------------


def test_models_on_the_same_folds():
    X, y = load_iris(return_X_y=True)
    models = {"NB": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=1, random_state=0)}
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=1)
    found = ours.cross_validated(models, X, y, cv=cv, metrics=["accuracy", "macro_f1"])
    assert (found.folds, found.repeats, found.n) == (15, 3, 150)
    assert found.test_to_train == pytest.approx(30 / 120)
    for name, model in models.items():
        wanted = cross_validate(model, X, y, cv=cv)["test_score"]
        assert found[name, "accuracy"].folds == pytest.approx(wanted.tolist(), abs=1e-12)
    (d,) = (d for d in found.differences if d.metric == "accuracy")
    gaps = np.subtract(found["NB", "accuracy"].folds, found["tree", "accuracy"].folds)
    se = np.sqrt((1 / 15 + 30 / 120) * gaps.var(ddof=1))
    assert (d.value, d.se) == pytest.approx((gaps.mean(), se), abs=1e-12)


def test_random_splits_say_how_many_were_trained_on():
    X, y = load_iris(return_X_y=True)
    cv = ShuffleSplit(n_splits=10, test_size=0.2, train_size=0.4, random_state=0)
    found = ours.cross_validated(LogisticRegression(max_iter=500), X, y, cv=cv, metrics="accuracy")
    assert (found.folds, found.repeats) == (10, 1)
    assert found.test_to_train == pytest.approx(30 / 60)
