"""Metrics that the registry does not know."""

import sys
from pathlib import Path

import pytest

import evenhand as eh
from evenhand.errors import InputError, MetricError
from evenhand.properties.subject import subject_of

sys.path.insert(0, str(Path(__file__).parent))
import mymetrics


@pytest.mark.parametrize("function", [mymetrics.macro_jaccard, mymetrics.jaccard_of_a_matrix])
def test_a_right_metric_is_not_refuted(function):
    """Macro Jaccard: monotone, sensitive, a mean over classes; not invariant, not corrected."""
    found = eh.properties.check(function, sizes=(2, 3))
    assert found.monotonicity.holds is None and found.monotonicity.status == "not refuted"
    assert found.class_sensitivity.holds is True
    assert found.class_decomposability.holds is None
    assert found.class_decomposability.detail["exponent"] == 1
    assert found.prevalence_invariance.holds is False
    assert found.prevalence_invariance.detail["after_calibration"] is True
    assert found.chance_correction.holds is False
    for finding in (found.monotonicity, found.class_decomposability):
        assert finding.derivation is None  # a search proves nothing
        assert finding.tried.tables > 1000


def test_a_broken_metric_is_refuted_where_it_is_broken():
    found = eh.properties.check(mymetrics.flattering, sizes=(2, 3))
    before, after = found.monotonicity.example
    assert found.monotonicity.holds is False
    assert mymetrics.flattering.__doc__ and after.score > before.score
    assert "error" in after.what and "predicted 0" in after.what
    assert found.class_decomposability.holds is False
    assert "renaming" in found.class_decomposability.evidence
    assert found.class_sensitivity.holds is True
    assert found.prevalence_invariance.holds is False
    assert found.chance_correction.holds is False


def test_counts_and_matrix_are_told_apart():
    assert not subject_of(mymetrics.macro_jaccard).of_matrix
    assert subject_of(mymetrics.macro_jaccard).batched
    assert subject_of(mymetrics.jaccard_of_a_matrix).of_matrix
    assert subject_of(lambda c: c.sum(c.correct) / c.total).of_matrix is False
    assert subject_of(lambda x: x.trace() / x.sum()).of_matrix is True


def test_tables_that_a_function_refuses_are_left_out():
    found = eh.properties.check(mymetrics.refuses_some, sizes=(2, 3))
    assert found.monotonicity.holds is None
    assert found.prevalence_invariance.holds is None
    assert found.chance_correction.detail["kind"] == "strict"


@pytest.mark.parametrize(
    "metric",
    [
        mymetrics.product_of_recalls,
        mymetrics.geometric_mean_of_recalls,
        mymetrics.geometric_mean_of_margins,
    ],
)
def test_the_noise_of_floats_is_no_interaction(metric):
    found = eh.properties.check(metric, sizes=(2, 3)).class_decomposability
    assert found.status == "not refuted" and found.detail["mean"] == "geometric mean"


def test_an_interaction_that_floats_can_tell_is_found():
    found = eh.properties.check(mymetrics.no_mean_of_recalls, sizes=(2, 3)).class_decomposability
    assert found.holds is False


def test_by_address(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    found = eh.properties.check("mymetrics:macro_jaccard", sizes=(2,))
    assert found.metric == "mymetrics:macro_jaccard"


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("nosuchmodule:f", "cannot be imported"),
        ("mymetrics:nothing", "cannot be imported"),
        ("mymetrics:CONSTANT", "must be a function"),
        (mymetrics.per_class, "give a number"),
        ("subset_accuracy", "multi-label"),
        ("macro_f11", "no metric is called"),
        (3, "a name or a function"),
    ],
)
def test_what_is_no_metric(metric, message, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    with pytest.raises(MetricError, match=message):
        eh.properties.check(metric)


@pytest.mark.parametrize("classes", [(), (1, 2), (7,)])
def test_numbers_of_classes(classes):
    with pytest.raises(InputError, match="from 2 to 6"):
        eh.properties.check("accuracy", sizes=classes)


def test_the_same_seed_the_same_evidence():
    def found(seed):
        return eh.properties.table(
            metrics=["f1_gap", "mcc@uniform"], sizes=(2, 3), seed=seed
        ).to_dict()

    assert found(3) == found(3)


def test_a_stated_class_mix_fixes_the_number_of_classes():
    found = eh.properties.check("macro_f1@a=0.2,b=0.8")
    assert found.prevalence_invariance.tried.classes == (2,)
    assert found.prevalence_invariance.holds is True


def test_public_functions_are_metrics_too():
    found = eh.properties.check(eh.kappa, sizes=(2,))
    assert found.monotonicity.example[0].table == ((0, 1), (1, 0))
