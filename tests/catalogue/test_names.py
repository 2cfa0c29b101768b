"""Metrics by the names that others give them."""

import re

import pytest

import evenhand as eh
from evenhand.catalogue.lists import table_metrics
from evenhand.catalogue.names import folded, names_elsewhere, nearest, spelling_of
from evenhand.catalogue.spelling import Spec
from evenhand.core.registry import find


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("TPR", "recall"),
        ("sensitivity", "recall"),
        ("f1_score", "f1"),
        ("matthews_corrcoef", "mcc"),
        ("cohen_kappa_score", "kappa"),
        ("KAPPA", "kappa"),
        ("PPV_Macro", "macro_precision"),
        ("F1_Macro", "macro_f1"),
        ("macF1", "macro_f1"),
        ("macF1'", "f1_of_averages"),
        ("macF1′", "f1_of_averages"),
        ("MACF1’", "f1_of_averages"),
        ("GmacR", "geometric_macro_recall"),
        ("Fscore_M", "f1_of_averages"),
        ("balanced accuracy", "macro_recall"),
        ("Balanced-Accuracy", "macro_recall"),
        ("TNR_Micro", "micro_specificity"),
        ("macro_sensitivity", "macro_recall"),
        ("weighted_TPR", "weighted_recall"),
        ("QWK", "weighted_kappa:distance=quadratic"),
        ("F2", "fbeta:beta=2"),
        ("macro jaccard", "macro_jaccard"),
        ("Jaccard-Macro", "macro_jaccard"),
        ("NPV Macro", "macro_npv"),
        ("weighted-specificity", "weighted_specificity"),
        ("Micro NPV", "micro_npv"),
        ("macro TPR", "macro_recall"),
        ("macro class-mcc", "macro_class_mcc"),
        ("precision macro", "macro_precision"),
        ("MulticlassF1Score", "macro_f1"),
        ("multiclass_accuracy", "macro_recall"),
        ("AUNU", "macro_class_balanced_accuracy"),
        ("f1_samples", "samples_f1"),
    ],
)
def test_a_name_finds_its_metric(name, metric):
    assert spelling_of(name) == metric


def test_every_name_is_of_one_metric():
    """A name that two metrics claim would find the first."""
    for spelling, names in names_elsewhere().items():
        assert find(re.split("[:@]", spelling)[0]) is not None, spelling
        for name in names.split(", "):
            assert spelling_of(name) == spelling, name


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("F1 macro", ("macro_f1", "f1_of_averages")),
        ("macro F1", ("macro_f1", "f1_of_averages")),
        ("AUC", ("class_balanced_accuracy",)),
        ("AUC", ("roc_auc", "average_precision", "class_balanced_accuracy")),
        ("pr_auc", ("average_precision", "pr_auc_trapezoid")),
        ("zero_one_loss", ("micro_false_negative_rate",)),
        ("multiclass_hamming_distance", ("macro_false_negative_rate",)),
        ("CSI", ("jaccard", "macro_csi")),
    ],
)
def test_an_ambiguous_name_is_answered_by_the_choices(name, choices):
    with pytest.raises(eh.MetricError, match="can mean") as e:
        Spec.parse(name)
    assert all(f"{choice}:" in str(e.value) for choice in choices)


@pytest.mark.parametrize("name", ["mcF1′", "macF1''", "makF1'"])
def test_a_suggestion_is_never_the_other_twin(name):
    assert "f1_of_averages" in nearest(name)
    assert "macro_f1" not in nearest(name)


def test_aliases_go_with_parameters_and_mixes():
    assert str(Spec.parse("TPR:label=spam@uniform")) == "recall:label=spam@uniform"
    assert str(Spec.parse("F2:label=a")) == "fbeta:beta=2,label=a"
    assert str(Spec.parse("Macro-F1*@uniform")) == "f1_of_averages@uniform"


def test_names_are_functions():
    assert eh.matthews_corrcoef is not None
    table = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
    assert eh.cohen_kappa_score(table) == eh.kappa(table)


def test_what_is_not_regarded():
    assert folded("Cohen’s  Kappa") == folded("cohen's-kappa")
    assert folded("f1_macro") != folded("f1 macro")


@pytest.mark.parametrize("name", ["macro F", "F1 macro", "macro F1", "macro F score", "weighted F"])
def test_a_twin_is_never_chosen_for_somebody(name):
    assert spelling_of(name) is None


def test_an_average_is_found_however_its_parts_are_joined():
    each = [m.name for m in table_metrics().values() if m.of_one_class]
    for name in each:
        if name != "f1":  # its averages are twins
            for kind in ("macro", "micro", "weighted"):
                words = name.replace("_", " ")
                for text in (f"{kind} {words}", f"{kind.title()}-{name}", f"{words} {kind}"):
                    assert spelling_of(text) == find(f"{kind}_{name}").name, text


def test_a_class_behind_a_metric_is_written_as_its_label():
    with pytest.raises(eh.MetricError, match="did you mean recall:label=fraud\\?"):
        Spec.parse("recall_fraud")
    with pytest.raises(eh.MetricError, match="did you mean macro_recall"):
        Spec.parse("macro_recal")
