"""Families, averages by name, and the catalogue's filters."""

import math

import numpy as np
import pytest

import evenhand as eh
from evenhand.catalogue.lists import filtered_metrics, of_family
from evenhand.catalogue.spelling import Spec
from evenhand.core.margins import Counts
from evenhand.core.registry import all_metrics, find

BIRDS = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
CONTRACT = """
    specificity npv gmean class_accuracy class_balanced_accuracy class_mcc fbeta jaccard tversky iba
    informedness markedness positive_likelihood_ratio negative_likelihood_ratio yule_q d_prime
    net_benefit weighted_fbeta macro_class_accuracy macro_csi samples_jaccard scott_pi bennett_s
    gwet_ac1 krippendorff_alpha aickin_alpha pabak bangdiwala_b weighted_kappa confusion_entropy
    modified_confusion_entropy relative_classifier_information entropy_true entropy_pred
    cross_entropy conditional_entropy mutual_information kl_divergence chi2 phi2 cramers_v pearson_c
    lambda_a lambda_b adjusted_rand_index class_balance_accuracy no_information_rate
    p_above_no_information_rate chance_accuracy
"""


@pytest.mark.parametrize("name", CONTRACT.split())
def test_the_names_are_a_promise(name):
    assert find(name).name == name
    assert callable(getattr(eh, name))


def test_one_class_or_all():
    each = eh.specificity(BIRDS)
    assert each == pytest.approx([17 / 20, 16 / 20, 13 / 16])
    assert eh.specificity(BIRDS, label=1) == pytest.approx(0.8)
    assert eh.macro_specificity(BIRDS) == pytest.approx(np.mean(each))
    assert eh.weighted_specificity(BIRDS) == pytest.approx(np.average(each, weights=[8, 8, 12]))
    assert eh.micro_specificity(BIRDS) == pytest.approx(46 / 56)
    assert eh.macro_specificity(BIRDS, p=0) == pytest.approx(np.prod(each) ** (1 / 3))


def test_parameters_are_words_or_within_bounds():
    table = [[5, 1, 0], [1, 5, 1], [0, 2, 5]]
    assert str(Spec.parse("weighted_kappa:distance=linear")) == "weighted_kappa"
    linear, square = (eh.weighted_kappa(table, distance=d) for d in ("linear", "quadratic"))
    assert linear != square
    with pytest.raises(eh.InputError, match=r"must be .*'linear', 'quadratic'.*, got 'cubic'"):
        eh.weighted_kappa(table, distance="cubic")
    with pytest.raises(eh.MetricError, match=r"alpha of iba must be .* ≤ 1"):
        eh.iba(table, alpha=2)


def test_infinite_values_have_no_false_width():
    found = eh.score([[5, 1], [0, 4]], metrics=["positive_likelihood_ratio:label=0"])
    (score,) = found.metrics.values()
    assert math.isinf(score.value) and math.isinf(score.high)
    assert 0 < score.low < 5 * 4 / (1 * 1)  # half a count in every cell, on the scale of logarithms
    assert score.method.scale == "log+half"


def test_a_family_or_all_is_scored():
    found = eh.score(BIRDS, metrics="agreement")
    assert {"kappa", "mcc", "scott_pi", "gwet_ac1"} <= set(found.metrics)
    every = eh.score(BIRDS, metrics="all", interval=None)
    overall = {m.name for m in all_metrics() if "single" in m.tasks and not m.of_one_class}
    unknown = {m.name for m in all_metrics() if m.distances and "ordinal" not in m.distances}
    assert {"mean_cost", "hierarchical_f1"} <= unknown  # of which no distance is known here
    assert overall - unknown <= set(every.metrics)
    assert {"macro_jaccard", "macro_npv"} <= set(every.metrics)
    weighed = eh.score([0, 1, 1], [0, 1, 0], weights=[0.5, 1, 2], metrics="all", interval=None)
    assert "krippendorff_alpha" not in weighed and "kappa" in weighed
    assert of_family("kappa") is None


def test_what_depends_on_the_number_of_items_refuses_weights():
    with pytest.raises(eh.MetricError, match="depends on the number of items"):
        eh.adjusted_rand_index([0, 1, 1], [0, 1, 0], weights=[0.5, 1, 2])


def test_where_margins_are_followed_cells_are_refused():
    with pytest.raises(eh.MetricError, match="cramers_v needs the cells"):
        eh.shift.sweep(BIRDS, label=0, metrics=["cramers_v"])


def test_filters():
    assert {m.family for m in filtered_metrics(family="information")} == {"information"}
    assert all(m.of_one_class for m in filtered_metrics(per_class=True))
    assert "macro_recall" in [m.name for m in filtered_metrics(having_property="invariant")]
    assert [m.name for m in filtered_metrics(words=["threat", "score"])] == ["jaccard"]
    assert {m.family for m in filtered_metrics()} >= {"agreement", "association", "odds"}
    with pytest.raises(eh.MetricError, match="a family is one of"):
        filtered_metrics(family="nonsense")
    with pytest.raises(eh.MetricError, match="a property is one of"):
        filtered_metrics(having_property="beauty")


@pytest.mark.parametrize("m", [m for m in all_metrics() if m.of_one_class], ids=lambda m: m.name)
def test_a_class_sees_the_rest_of_the_table_only_where_its_record_says_so(m):
    """Items that do not concern a class: more of them, and nothing else."""
    c = Counts.from_cells(np.array(BIRDS))
    more = Counts(c.correct, c.bias, c.prevalence, c.total + 40)
    assert np.allclose(m.function(c), m.function(more)) != m.one_vs_rest
