"""What the registry says of each metric's properties, held against the search."""

from dataclasses import replace

import pytest

import evenhand as eh
from evenhand.catalogue.descriptions import lacking, property_lines
from evenhand.catalogue.lists import table_metrics
from evenhand.core import registry
from evenhand.core.properties import AGAINST_REST, NAMES
from evenhand.core.registry import find
from evenhand.properties import check, registered
from evenhand.properties.profile import stated
from evenhand.properties.subject import subject_of

ONE_CLASS = [f"{m.name}:label=a" for m in table_metrics().values() if m.of_one_class]
OTHERS = [
    "macro_recall:p=2",
    "macro_recall:p=-inf",
    "macro_fbeta:beta=0",
    "macro_fbeta:beta=0.5",
    "fbeta_of_averages:beta=0",
    "macro_recall:p=0.7",
    "tversky:alpha=1,beta=0,label=a",
    "tversky:alpha=1,beta=1,label=a",
    "iba:alpha=0,label=a",
    "iba:alpha=0.5,label=a",
    "weighted_kappa:distance=quadratic",
    "weighted_kappa:distance=flat",
    "mean_absolute_error:distance=flat",
    "mean_absolute_error:distance=quadratic",
    "macro_absolute_error:distance=flat",
    "macro_absolute_error:distance=quadratic",
]
EVERY = [*registered(), *ONE_CLASS, *OTHERS]
SOME = "a function of k"
KINDS = {"bound": "", "strict": "strict", "complete": "complete"}


def agrees(metric):
    subject = subject_of(metric)
    sizes = (2, 3, 4) if subject.spec.metric.ordered else (2, 3)  # of three, the middle is near all
    promised = subject.known_properties
    if promised is None:
        pytest.skip("not derived yet")
    found = check(metric, sizes=sizes)
    for name in NAMES:
        finding, says = found[name], bool(getattr(promised, name))
        has = (
            finding.status == "shown" if name == "class_sensitivity" else finding.holds is not False
        )
        assert has == says, f"{metric}, {name}: {finding.evidence}"
        if says and name != "class_sensitivity":
            assert finding.derivation, f"{metric}, {name}: nothing is claimed by search alone"
            assert finding.holds is True
    return found, promised


@pytest.mark.parametrize("metric", EVERY)
def test_every_promise_is_what_the_search_finds(metric):
    found, promised = agrees(metric)
    c = found.chance_correction.detail
    if promised.chance_correction is not None:
        formula, _, kind = promised.chance_correction.partition(", ")
        assert formula in (c["formula"], SOME) and KINDS[c["kind"]] == kind


@pytest.mark.slow
@pytest.mark.parametrize("metric", EVERY)
def test_after_calibration_too(metric):
    if subject_of(metric).spec.metric.size != "matters":  # which no class mix says
        agrees(f"{metric}@uniform")


def test_what_nobody_has_derived_is_searched_for_meanwhile(monkeypatch):
    open_record = replace(find("macro_csi"), derivation=None)
    monkeypatch.setitem(registry._METRICS, "macro_csi", open_record)
    profile = stated()["macro_csi"]
    assert profile.class_decomposability.status == "not refuted"
    assert profile.prevalence_invariance.status == "refuted"
    (line,) = property_lines(open_record)
    assert line == ("properties", "not derived: evenhand properties macro_csi searches for them")
    assert lacking(["macro_csi"]) == []


def test_what_is_said_to_be_monotone_for_two_classes_is():
    """Of one class against the rest, errors between two others are all that goes wrong."""
    for m in table_metrics().values():
        if m.properties is not None and m.properties.note == AGAINST_REST:
            found = check(f"{m.name}:label=a", sizes=(2, 3)).monotonicity
            assert found.detail["monotone_for"] == [2], m.name


def test_the_minimum_is_not_refuted():
    """No finite exponent fits it: it is the limit p → −∞, and escapes that search."""
    found = check("macro_recall:p=-inf", sizes=(2, 3)).class_decomposability
    assert found.holds and found.detail["mean"] == "smallest value"


@pytest.mark.parametrize(
    ("metric", "exponent"),
    [("macro_f1", 1), ("geometric_macro_recall", 0), ("harmonic_macro_recall", -1)],
)
def test_the_exponent_of_the_mean(metric, exponent):
    assert check(metric, sizes=(2, 3)).class_decomposability.detail["exponent"] == exponent


def test_lacks_is_said_where_metrics_are_used():
    assert (
        "no: a wrong prediction can raise it"
        in dict(property_lines(table_metrics()["mcc"]))["monotonicity"]
    )
    notes = eh.score([[6, 1], [2, 5]], metrics=["mcc", "macro_recall"]).to_dict()["notes"]
    assert notes[0] == "a wrong prediction can raise it, or a right one lower it: mcc"
    assert not any("macro_recall" in note for note in notes)
    assert lacking(["macro_f1@uniform"])[0].endswith("macro_f1@uniform")
    assert lacking(["no such thing"]) == []
