"""Extrapolation: values, intervals, and what is said in words."""

from dataclasses import replace

import numpy as np
import pytest

import evenhand as eh
from evenhand.catalogue.binding import bind, bind_classes, views_of
from evenhand.inference.rows import rows_of

CELLS = [[60, 10, 5], [4, 30, 6], [9, 2, 74]]
MIX = {"a": 0.2, "b": 0.7, "c": 0.1}
TABLE = eh.Confusion.from_matrix(CELLS, labels="abc", outside=[3, 0, 2])


def test_class_errors_are_those_of_one_class_metrics():
    """The closed form of a class agrees with the general gradient of ``precision:label=…@mix``."""
    target = TABLE.target(MIX)
    for metric in ("precision", "f1"):
        kernel = replace({k.name: k for k in bind_classes()}[metric], target=target)
        every = rows_of(TABLE).class_errors(kernel, views_of([kernel], TABLE).prepared(kernel))[0]
        spelled = "a=0.2,b=0.7,c=0.1"
        for j, label in enumerate("abc"):
            one = bind(f"{metric}:label={label}@{spelled}", TABLE)
            rows = rows_of(TABLE)
            own = rows.standard_error(rows.influences([one])[0])
            assert every[j] == pytest.approx(own.item(), rel=1e-10)


def test_class_errors_of_clustered_and_soft_items():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 300)
    guess = np.where(rng.random(300) < 0.3, rng.integers(0, 3, 300), truth)
    single = eh.Sample.from_labels(truth, {"A": guess}, cluster=np.arange(300))
    table = eh.Confusion.from_labels(truth, guess)
    mix = {0: 0.6, 1: 0.3, 2: 0.1}
    a = eh.shift.extrapolate(table, to=mix, metrics=["macro_f1"], interval="delta")
    b = eh.shift.extrapolate(single, to=mix, metrics=["macro_f1"], interval="delta")
    slack = np.sqrt(300 / 299)  # clusters of one item, and their small-sample factor
    for x, y in zip(a.classes, b.classes, strict=True):
        wanted = x.expected["precision"].se * slack
        assert y.expected["precision"].se == pytest.approx(wanted, rel=1e-9)
    soft = eh.Sample.from_probabilities(truth, {"A": np.eye(3)[guess]}, labels=[0, 1, 2])
    c = eh.shift.extrapolate(soft, to=mix, metrics=["macro_f1"], interval="delta")
    assert c["macro_f1"].se == pytest.approx(a["macro_f1"].se, rel=1e-9)
    assert c.classes[0].expected["f1"].se == pytest.approx(a.classes[0].expected["f1"].se)


@pytest.mark.parametrize("label", ["a", "b", "c"])
def test_the_delta_error_is_the_bootstraps(label):
    j = "abc".index(label)
    a, b = (
        eh.shift.extrapolate(TABLE, to=MIX, metrics=["macro_f1"], interval=how, replicates=4000)
        for how in ("delta", "bootstrap")
    )
    for name in ("precision", "f1"):
        assert a.classes[j].expected[name].se == pytest.approx(
            b.classes[j].expected[name].se, rel=0.15
        )
    assert a["macro_f1"].se == pytest.approx(b["macro_f1"].se, rel=0.1)


def test_mixes_may_be_written():
    spelled = eh.shift.extrapolate(TABLE, to="a=0.2,b=0.7,c=0.1", metrics=["mcc"])
    assert spelled["mcc"] == eh.shift.extrapolate(TABLE, to=MIX, metrics=["mcc"])["mcc"]
    assert spelled.signature.prevalence == "a=0.2,b=0.7,c=0.1"
    assert spelled["matthews_correlation"] == spelled["mcc"]
    assert eh.shift.extrapolate(TABLE).signature.prevalence == "uniform"


def test_forms():
    found = eh.shift.extrapolate(TABLE, to=MIX, metrics=["macro_f1", "mcc"])
    d = found.to_dict()
    assert d["schema"] == 1 and set(d["metrics"]) == {"macro_f1", "mcc"}
    assert d["metrics"]["mcc"]["expected"]["value"] == found["mcc"].value
    assert d["classes"][1]["expected"]["share"] == pytest.approx(0.7)
    assert len(found.to_pandas()) == len(found.to_polars()) == 2 * (2 + 3 * 5)
    assert "macro\\_f1" in found.to_markdown() and "toprule" in found.to_latex()
    assert "expected" in repr(found) and "<table" in found._repr_html_()
    with pytest.raises(AttributeError):
        found.n = 3


def test_what_cannot_be_known_is_said():
    never = eh.Confusion.from_matrix([[8, 1, 1], [2, 20, 0], [0, 0, 0]], labels="abc")
    found = eh.shift.extrapolate(never, to="uniform", metrics=["macro_f1"])
    said = " ".join(found.warnings)
    assert "'c' is never true" in said
    gone = eh.shift.extrapolate(TABLE, to={"a": 1, "b": 0, "c": 0}, metrics=["macro_recall"])
    assert any("'b', 'c' are given a share of 0" in w for w in gone.warnings)
    spelled = "recall:label=b@a=1,b=0,c=0"
    here = eh.score(TABLE, metrics=[spelled])[spelled].value
    assert gone.classes[1].expected["recall"].value == here == 0
    left = eh.shift.extrapolate(TABLE, to={"a": 1, "b": 0, "c": 0}, undefined="nan")
    assert np.isnan(left.classes[1].expected["recall"].value)
    few = eh.Confusion.from_matrix([[2, 1], [40, 900]], labels="ab")
    assert any(
        "'a' (3 items" in w for w in eh.shift.extrapolate(few, to=None, metrics=["mcc"]).warnings
    )
    perfect = eh.shift.extrapolate([[5, 0], [0, 5]], to=None, metrics=["mcc"], interval="delta")
    assert perfect["mcc"].low is None
    assert any("no interval for mcc:" in w for w in perfect.warnings)
    fractions = eh.Confusion.from_matrix([[0.5, 0.1], [0.1, 0.3]])
    assert any(
        "fractions" in w for w in eh.shift.extrapolate(fractions, to=None, metrics=["mcc"]).warnings
    )


@pytest.mark.parametrize(
    ("data", "mix", "words"),
    [
        (CELLS, {0: 0.5, 1: 0.6, 2: 0.1}, "sum to 1"),
        (CELLS, {0: 1.0}, "missing 1, 2"),
        (CELLS, {7: 1.0}, "must be among"),
        (CELLS, "0=0.5", "missing"),
        (CELLS, " ", "got nothing"),
        (CELLS, 3, "must be 'uniform'"),
        ([CELLS, CELLS], None, "one table"),
        ([[0, 0], [0, 0]], None, "no items"),
        ([[1, 1], [0, 0]], {0: 0.5, 1: 0.5}, "cannot be set"),
    ],
)
def test_refused(data, mix, words):
    with pytest.raises(eh.EvenhandError, match=words):
        eh.shift.extrapolate(data, to=mix)


def test_one_system_at_a_time():
    two = eh.Sample.from_labels("aab", {"A": list("aab"), "B": list("abb")})
    with pytest.raises(eh.InputError, match=r"extrapolate takes .*got a Sample of 2 systems"):
        eh.shift.extrapolate(two)
    with pytest.raises(eh.InputError, match="single-label"):
        eh.shift.extrapolate(eh.MultiLabel.from_indicators([{"a"}], [{"a"}]))
