"""Spellings and signatures: what is written can be read, whatever the labels are."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.catalogue.binding import evaluate
from evenhand.catalogue.lists import table_metrics
from evenhand.catalogue.signature import Signature, signature_of
from evenhand.catalogue.spelling import Spec
from evenhand.core.registry import all_metrics
from tests.laws.strategies import HOSTILE, tables

NUMBERS = st.floats(allow_nan=False)


@st.composite
def specs(draw):
    """Any metric, with any values of its parameters, any class, any calibration."""
    record = draw(st.sampled_from(list(all_metrics())))
    given_as = {}
    for name in record.parameters:
        limits = {"min_value": 0, "allow_infinity": False} if name in record.least else {}
        numbers = st.floats(allow_nan=False, max_value=record.most.get(name), **limits)
        words = st.sampled_from(record.choices.get(name, ("",)))
        given_as[name] = draw(st.one_of(st.none(), words if name in record.choices else numbers))
    values = {k: v for k, v in given_as.items() if v is not None and v != record.parameters[k]}
    label = draw(HOSTILE) if record.of_one_class else None
    shares = st.dictionaries(HOSTILE, st.floats(0, 1), max_size=3).map(lambda d: tuple(d.items()))
    prevalence = draw(st.one_of(st.none(), shares))
    return Spec(record, tuple(sorted(values.items())), label, prevalence)


@given(spec=specs())
def test_a_spelling_is_read_back(spec):
    assert Spec.parse(str(spec)) == spec
    assert str(Spec.parse(str(spec))) == str(spec)


@given(a=specs(), b=specs())
def test_different_metrics_are_spelled_differently(a, b):
    assert (str(a) == str(b)) == (a == b)


@given(text=st.text(st.sampled_from("macro_f1recall:label=p,@uniform\\ 0.5-ifn"), max_size=30))
def test_any_text_is_read_or_refused(text):
    try:
        spec = Spec.parse(text)
    except eh.MetricError:
        return
    assert Spec.parse(str(spec)) == spec


@given(label=HOSTILE, other=HOSTILE)
def test_hostile_labels_find_their_class(label, other):
    if label == other:
        return
    table = eh.Confusion.from_matrix([[3, 1], [0, 1]], labels=[label, other])
    spec = Spec.parse(str(Spec(table_metrics()["recall"], label=label)))
    assert evaluate(spec, table) == 0.75
    assert eh.recall(table, label=label) == 0.75
    shares = ((label, 0.5), (other, 0.5))
    calibrated = Spec.parse(str(Spec(table_metrics()["accuracy"], prevalence=shares)))
    assert evaluate(calibrated, table) == pytest.approx(0.875)


def test_spaces_around_names_and_values_do_not_matter():
    assert Spec.parse(" macro_fbeta : beta = 2 @ uniform ") == Spec.parse(
        "macro_fbeta:beta=2@uniform"
    )
    assert Spec.parse("f1:label= spam ").label == "spam"
    assert Spec.parse("f1:label=a\\\\ ").label == "a\\"
    assert Spec.parse("f1:label=a\\\t ").label == "a\t"
    assert Spec.parse("f1:label=\\ spam\\ ").label == " spam "


def test_aliases_and_default_values_have_one_spelling():
    assert str(Spec.parse("averaged_f1")) == "macro_f1"
    assert str(Spec.parse("macro_fbeta:beta=1.0")) == "macro_fbeta"
    assert str(Spec.parse("macro_recall:p=-inf")) == "macro_recall:p=-inf"


TEXT = st.one_of(HOSTILE, st.text(max_size=12))


@st.composite
def signatures(draw):
    names = ("metric", "formula", "classes", "undefined", "prevalence", "weights", "n", "interval")
    return Signature(**{name: draw(TEXT) for name in names})


@given(signature=signatures())
def test_a_signature_is_read_back(signature):
    assert Signature.parse(str(signature)) == signature


@given(signature=signatures())
def test_a_signature_is_one_line_of_fields(signature):
    text = str(signature)
    assert len(text.splitlines()) == 1
    assert not any(c in text for c in "\t\x00\x1b\x9b\u202e\u2066")
    names = [part.partition(":")[0] for part in text.split("|")]
    assert len(names) == len(set(names))


@given(table=tables(min_k=2), spec=specs(), undefined=st.sampled_from([0.0, 1.0, math.nan]))
def test_the_signature_of_a_score_says_which(table, spec, undefined):
    found = Signature.parse(str(signature_of(table, spec, undefined=undefined)))
    assert Spec.parse(found.metric) == spec
    assert found.formula == spec.metric.signature
    assert found.undefined == f"{undefined:g}"
    outside = float(found.outside.removesuffix(".errors"))
    assert outside == pytest.approx(float(table.outside.sum()))
    rule, _, k = found.classes.partition(".")
    assert rule == (spec.metric.classes or "true")
    assert int(k) == int(table.averaged(rule).sum())


@given(table=tables(min_k=2, weighted=False), at=st.integers(0, 3))
def test_another_table_has_another_digest(table, at):
    changed = table.cells.copy()
    changed[np.unravel_index(at, (2, 2))] += 1
    tables_ = [
        table,
        eh.Confusion.from_matrix(changed, outside=table.outside),
        eh.Confusion.from_matrix(table.cells, outside=table.outside, labels="abcde"[: table.k]),
        eh.Confusion.from_matrix(
            table.cells, outside=table.outside, labels=[str(v) for v in table.labels]
        ),
    ]
    digests = [signature_of(t).table for t in tables_]
    assert len(set(digests)) == 4
    same = eh.Confusion.from_matrix(table.cells, outside=table.outside)
    assert signature_of(same).table == digests[0]
