"""A wrong formula in the place of the right one changes the verdict of the claims about it."""

from importlib import import_module

import numpy as np
import pytest

from evenhand.core.metrics.accuracy import accuracy
from evenhand.core.metrics.agreement import kappa, mcc
from evenhand.core.metrics.macro import (
    f1_of_averages,
    macro_f1,
    macro_fbeta,
    macro_precision,
    macro_recall,
    pair_terms,
)
from evenhand.core.metrics.per_class import bookmaker_gain
from evenhand.papers import claims as simulations
from evenhand.papers import claims as tried
from evenhand.papers import overview_derivations as overview_properties
from evenhand.papers.claims import all_claims
from evenhand.properties import check
from tests.papers.verdicts import VERDICTS

CLAIMS = {c.id: c for c in all_claims()}
CACHED = (overview_properties.profile, simulations.figure_1a)


def swapped(function):
    """Its first two results in each other's place."""

    def wrong(*arguments):
        a, b, *rest = function(*arguments)
        return (b, a, *rest)

    return wrong


def instead(function, **names):
    """A function of a metric's name that gives another metric's values."""
    return lambda metric, *arguments, **options: function(
        names.get(metric, metric), *arguments, **options
    )


def geometric(p, r):
    return np.sqrt(np.asarray(p) * r)


def half_a_gap(p, r):
    return tried.gap(p, r) / 2


def no_squares(c):
    return np.sqrt(pair_terms(c))


def doubled(cells):
    a, b = tried.twins(cells)
    return b + 2 * (a - b), b


def alike(cells):
    a, _ = tried.twins(cells)
    return a, a


# Where the formula is used, what is put there, and the claims that it must overturn.
MUTATIONS = [
    ("two_macro_f1", "harmonic", geometric, ["000-eq-1"]),
    (
        "two_macro_f1",
        "twins",
        swapped(tried.twins),
        [
            "000-theorem-1",
            "000-lemma",
            "000-lemma-large",
            "000-lemma-extreme",
            "000-insensitive",
            "000-table-5",
        ],
    ),
    ("two_macro_f1", "twins", doubled, ["000-negligible", "000-cross-terms"]),
    ("two_macro_f1", "twins", alike, ["000-rare"]),
    ("two_macro_f1", "pair_terms", no_squares, ["000-lemma"]),
    ("two_macro_f1", "twins", lambda m: [3 * x for x in tried.twins(m)], ["000-sharper-bound"]),
    ("two_macro_f1", "bound", lambda k: 0.5, ["000-theorem-3"]),
    ("two_macro_f1", "twins_gap", lambda m: tried.twins_gap(m) / 2, ["000-abstract"]),
    (
        "two_macro_f1",
        "exact",
        lambda metric, m: [1 - x for x in tried.exact(metric, m)],
        ["000-lemma-not-monotone"],
    ),
    ("two_macro_f1", "twins", swapped(tried.twins), ["000-appendix-a"]),
    (
        "two_macro_f1",
        "gap",
        half_a_gap,
        [
            "000-eq-6",
            "000-appendix-c-ones",
            "000-appendix-c-fill",
            "000-appendix-c-maximum",
            "000-appendix-c-gamma",
            "004-appendix-a",
        ],
    ),
    ("two_macro_f1", "gap", lambda p, r: -tried.gap(p, r), ["000-eq-7-8"]),
    ("two_macro_f1", "bound", lambda k: 0.5, ["000-appendix-c-maximum", "000-appendix-c-odd"]),
    (
        "two_macro_f1",
        "twins_gap",
        lambda m: tried.twins_gap(m) / 2,
        ["000-appendix-c-even", "004-appendix-c-even"],
    ),
    (
        "two_macro_f1",
        "twins",
        swapped(tried.twins),
        [
            "000-table-1",
            "000-table-2",
            "000-table-2-mean",
            "000-tables-1-2",
            "000-table-3",
            "000-program-1",
            "000-appendix-e-lemma",
        ],
    ),
    ("two_macro_f1", "pair_terms", no_squares, ["000-program-1", "000-appendix-e-lemma"]),
    (
        "claims",
        "f1_of_averages",
        accuracy,
        ["000-figure-1a-pearson", "000-figure-1a-spearman"],
    ),
    (
        "claims",
        "macro_f1",
        f1_of_averages,
        ["000-figure-1a-macro-f1", "000-figure-1a-benevolent"],
    ),
    (
        "claims",
        "f1_of_averages",
        macro_f1,
        ["000-figure-1a-f1-of-averages", "000-figure-1a-rms", "000-figure-2-edges"],
    ),
    ("claims", "macro_f1", kappa, ["000-figure-2-proportional"]),
    ("notes", "harmonic", geometric, ["001-f1-simplified"]),
    ("notes", "weighted_recall", macro_recall, ["001-weighted-recall-accuracy"]),
    ("notes", "weighted_precision", macro_precision, ["001-formulas"]),
    ("notes", "weighted_f1", macro_f1, ["001-formulas", "001-weighted-f1-digits"]),
    (
        "notes",
        "exact",
        instead(
            tried.exact,
            accuracy="macro_recall",
            weighted_precision="macro_precision",
            weighted_recall="macro_recall",
            weighted_f1="macro_f1",
        ),
        ["001-accuracy", "001-weighted-precision", "001-weighted-recall", "001-weighted-f1"],
    ),
    ("notes", "macro_f1", f1_of_averages, ["002-macro-f1"]),
    ("notes", "macro_precision", macro_recall, ["002-macro-precision", "002-fscore"]),
    ("notes", "macro_recall", macro_precision, ["002-macro-recall"]),
    ("notes", "per_class", swapped(tried.per_class), ["002-classes-rates"]),
    ("notes", "fbeta_of_averages", macro_fbeta, ["002-fscore"]),
    (
        "notes",
        "fbeta_of_averages",
        lambda c, beta: macro_recall(c) / beta,
        ["002-beta-one"],
    ),
    ("notes", "twins", alike, ["002-two-values"]),
    ("overview", "factors", lambda p: 1 / p, ["003-eq-6"]),
    ("overview", "micro_f1", macro_f1, ["003-micro"]),
    ("overview", "macro_recall", macro_precision, ["003-bookmaker"]),
    ("overview", "bookmaker_gain", lambda c: bookmaker_gain(c) + c.total, ["003-bookmaker"]),
    ("overview", "exact", instead(tried.exact, macro_recall="macro_precision"), ["003-bags"]),
    ("overview", "macro_precision", macro_recall, ["003-precision-spread"]),
    ("overview", "macro_f1", f1_of_averages, ["003-eq-19"]),
    ("overview", "f1_of_averages", macro_f1, ["003-eq-21"]),
    ("overview", "geometric_macro_recall", macro_recall, ["003-eq-25"]),
    ("overview_derivations", "macro_recall", macro_precision, ["003-eq-14-16"]),
    ("overview_derivations", "mcc", kappa, ["003-eq-23-24", "003-mcc-kappa", "003-mcc-calibrated"]),
    (
        "overview_derivations",
        "kappa",
        mcc,
        ["003-eq-23-24", "003-kappa-calibrated", "003-eq-26-27", "003-bias-robust"],
    ),
    (
        "overview_derivations",
        "macro_recall",
        lambda c, p: macro_precision(c),
        ["003-gmacr-kin"],
    ),
    ("overview_derivations", "per_class", swapped(tried.per_class), ["003-eq-26-27"]),
    (
        "overview_derivations",
        "check",
        instead(check, macro_recall="macro_precision", accuracy="macro_f1"),
        ["003-table-5-macro-recall", "003-table-5-accuracy", "003-only-macro-recall"],
    ),
    (
        "overview_derivations",
        "check",
        instead(check, mcc="macro_recall", kappa="macro_recall", macro_f1="f1_of_averages"),
        [
            "003-table-5-mcc",
            "003-table-5-kappa",
            "003-table-5-macro-f1",
            "003-conclusion-ii",
            "003-conclusion-iii",
        ],
    ),
    (
        "overview_derivations",
        "check",
        instead(
            check,
            **{"accuracy@uniform": "accuracy", "macro_f1@uniform": "macro_f1"},
            geometric_macro_recall="macro_f1",
        ),
        ["003-calibration", "003-geometric"],
    ),
    (
        "overview_derivations",
        "check",
        instead(check, macro_f1="macro_recall"),
        ["003-appendix-d-4"],
    ),
    ("overview_derivations", "macro_f1", accuracy, ["003-macro-f1-chance"]),
    ("overview_derivations", "macro_recall", lambda c: 1 - macro_recall(c), ["003-eq-3"]),
    ("overview_derivations", "macro_recall", macro_precision, ["003-appendix-b-1"]),
    ("overview_derivations", "macro_precision", macro_recall, ["003-appendix-c-1"]),
    ("overview_derivations", "macro_f1", f1_of_averages, ["003-eq-32", "003-eq-33-34"]),
    ("overview_derivations", "f1_of_averages", macro_f1, ["003-eq-36-37"]),
    ("overview_derivations", "kappa", mcc, ["003-eq-38", "003-eq-39"]),
    ("overview_derivations", "mcc", kappa, ["003-eq-40", "003-eq-41-43"]),
    ("overview_derivations", "kappa", macro_recall, ["003-appendix-f-argument"]),
    (
        "overview_derivations",
        "exact",
        instead(tried.exact, mcc="kappa"),
        ["003-appendix-f-example"],
    ),
    ("overview", "macro_recall", accuracy, ["003-eq-30", "003-appendix-b-3"]),
    ("overview", "per_class", swapped(tried.per_class), ["003-eq-31", "003-appendix-b-4"]),
    ("overview", "macro_precision", accuracy, ["003-eq-30-31-shares"]),
    ("overview", "macro_f1", macro_recall, ["003-eq-35"]),
    (
        "overview",
        "exact",
        instead(tried.exact, macro_precision="macro_recall"),
        ["003-appendix-c-4"],
    ),
    ("overview", "kappa", mcc, ["003-figure-2-kappa"]),
    ("overview", "mcc", macro_recall, ["003-figure-2-calibration"]),
    ("overview", "macro_f1", macro_recall, ["003-table-8-joint"]),
    ("overview", "macro_f1", accuracy, ["003-table-8-macro-f1-calibrated"]),
    ("overview", "kappa", lambda c: kappa(c) / 2, ["003-table-8-joint"]),
    ("overview", "mcc", lambda c: mcc(c) / 2, ["003-table-8-joint"]),
]
CASES = [
    pytest.param(room, name, wrong, claim, id=f"{claim}:{name}")
    for room, name, wrong, claims in MUTATIONS
    for claim in claims
]


@pytest.fixture
def fresh():
    """No result of the right formula is remembered, and none of the wrong one."""
    for cached in CACHED:
        cached.cache_clear()
    yield
    for cached in CACHED:
        cached.cache_clear()


@pytest.mark.parametrize(("room", "name", "wrong", "claim"), CASES)
def test_a_wrong_formula_changes_the_verdict(room, name, wrong, claim, monkeypatch, fresh):
    monkeypatch.setattr(import_module(f"evenhand.papers.{room}"), name, wrong)
    assert CLAIMS[claim].outcome(0).verdict != VERDICTS.get(claim, "holds")


def test_mutations_cover_many_claims():
    assert len({claim for *_, claims in MUTATIONS for claim in claims}) >= 80
