"""Every public verb: the forms of data it takes, its options, and what its result can do."""

import copy
import dataclasses
import inspect
import json
import pickle
import re
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import evenhand as eh
from evenhand.catalogue.lists import table_metrics
from evenhand.data.arguments import FORMS, ONE, SEVERAL
from evenhand.data.cells import SparseCells
from evenhand.errors import InputError
from evenhand.results.result import dumps

TRUE = list("aababbcabcacbbabca")
PRED = list("aabbbbcaacacbabbca")
OTHER = list("abbabbccbcaabbabaa")
COLUMNS = {"gold": TRUE, "A": PRED, "B": OTHER}
TABLE = eh.Confusion.from_labels(TRUE, PRED)
WEIGHTS = [0.5 + i % 3 for i in range(len(TRUE))]
LANGUAGE = ["en" if i % 2 else "de" for i in range(len(TRUE))]
FRAME = pd.DataFrame({**COLUMNS, "language": LANGUAGE})


def accumulated():
    counter = eh.Accumulator()
    counter.update(TRUE[:7], PRED[:7])
    counter.update(TRUE[7:], PRED[7:])
    return counter


ONE_SYSTEM = {
    "lists": ((TRUE, PRED), {}),
    "tuples": ((tuple(TRUE), tuple(PRED)), {}),
    "arrays": ((np.array(TRUE), np.array(PRED)), {}),
    "series": ((pd.Series(TRUE), pl.Series(PRED)), {}),
    "indexes": ((pd.Series(TRUE, range(18, 0, -1)), pd.Series(PRED)), {}),
    "mapping": ((TRUE, {"A": PRED}), {}),
    "list of one": ((pd.DataFrame(COLUMNS),), {"true": "gold", "pred": ["A"]}),
    "names": ((), {"y_true": TRUE, "y_pred": PRED}),
    "one name": ((TRUE,), {"y_pred": PRED}),
    "pandas": ((pd.DataFrame(COLUMNS),), {"true": "gold", "pred": "A"}),
    "polars": ((pl.DataFrame(COLUMNS),), {"true": "gold", "pred": "A"}),
    "lazy": ((pl.LazyFrame(COLUMNS),), {"true": "gold", "pred": "A"}),
    "arrow": ((pa.table(COLUMNS),), {"true": "gold", "pred": "A"}),
    "table": ((TABLE,), {}),
    "matrix": ((TABLE.cells.tolist(),), {"labels": "abc"}),
    "array of cells": ((TABLE.cells,), {"labels": list("abc")}),
    "frame of cells": ((TABLE.to_pandas(),), {}),
    "accumulator": ((accumulated(),), {}),
    "sample": ((eh.Sample.from_labels(TRUE, {"system": PRED}),), {}),
}
SEVERAL_SYSTEMS = {
    "columns": ((TRUE, PRED, OTHER), {}),
    "mapping": ((TRUE, {"A": PRED, "B": OTHER}), {}),
    "names": ((), {"y_true": TRUE, "y_pred": {"A": PRED, "B": OTHER}}),
    "pandas": ((pd.DataFrame(COLUMNS),), {"true": "gold", "pred": ["A", "B"]}),
    "polars": ((pl.LazyFrame(COLUMNS),), {"true": "gold", "pred": ["A", "B"]}),
    "arrow": ((pa.table(COLUMNS),), {"true": "gold", "pred": ["A", "B"]}),
    "sample": ((eh.Sample.from_labels(TRUE, {"A": PRED, "B": OTHER}),), {}),
    "frame of predictions": ((TRUE, pd.DataFrame({"A": PRED, "B": OTHER})), {}),
    "indexes": ((pd.Series(TRUE, range(18, 0, -1)), {"A": pd.Series(PRED), "B": OTHER}), {}),
}
VALUE = eh.macro_f1(TABLE)
GAP = eh.macro_f1(TRUE, PRED) - eh.macro_f1(TRUE, OTHER)
OF_ONE = {
    "macro_f1": lambda *d, **o: eh.macro_f1(*d, **o),
    "score": lambda *d, **o: float(eh.score(*d, metrics="macro_f1", **o)["macro_f1"]),
    "twins": lambda *d, **o: eh.twins(*d, **o).macro_f1,
    "extrapolate": lambda *d, **o: (
        eh.shift.extrapolate(*d, metrics="macro_f1", **o).observed["macro_f1"].value
    ),
    "sweep": lambda *d, **o: (
        eh.shift.sweep(
            *d, label="a", metrics="macro_f1", at=[TRUE.count("a") / len(TRUE)], **o
        )["macro_f1"].value[0]
    ),
    "estimate_prevalence": lambda *d, **o: (
        eh.shift.estimate_prevalence(
            *d, predicted=PRED, to=MIX, metrics="macro_f1", replicates=20, **o
        )["macro_f1"].value
    ),
    "report": lambda *d, **o: (
        eh.report(*d, metrics="macro_f1", **o).data["metrics"]["macro_f1"]["value"]
    ),
}  # fmt: skip
MIX = {v: TRUE.count(v) / len(TRUE) for v in "abc"}
OF_SEVERAL = {
    "compare": lambda *d, **o: (
        eh.compare(*d, metrics="macro_f1", replicates=20, **o)["A", "B"].difference
    ),
    "rank": lambda *d, **o: (
        lambda board: float(board["A"]["macro_f1"]) - float(board["B"]["macro_f1"])
    )(eh.rank(*d, metrics="accuracy", replicates=20, **o)),
    "report": lambda *d, **o: (lambda found: found["A"] - found["B"])(
        {
            s["name"]: s["scores"]["macro_f1"]["value"]
            for s in eh.report(*d, metrics="accuracy", replicates=20, **o).data["systems"]
        }
    ),
}


@pytest.mark.parametrize("form", ONE_SYSTEM)
@pytest.mark.parametrize("verb", OF_ONE)
def test_one_system_in_every_form(verb, form):
    data, named = ONE_SYSTEM[form]
    assert OF_ONE[verb](*data, **named) == pytest.approx(VALUE, abs=1e-12)


@pytest.mark.parametrize("form", SEVERAL_SYSTEMS)
@pytest.mark.parametrize("verb", OF_SEVERAL)
def test_several_systems_in_every_form(verb, form):
    data, named = SEVERAL_SYSTEMS[form]
    assert OF_SEVERAL[verb](*data, **named) == pytest.approx(GAP, abs=1e-12)


SETS = [{"a"}, {"a", "b"}, {"c"}, {"b"}], [{"a"}, {"b"}, {"c", "a"}, {"b"}]
DENSE = tuple(np.array([[v in s for v in "abc"] for s in side], int) for side in SETS)
MULTI = eh.MultiLabel.from_indicators(*SETS)


@pytest.mark.parametrize("data", [SETS, DENSE, (MULTI,)], ids=["sets", "indicators", "made"])
@pytest.mark.parametrize("verb", ["macro_f1", "score", "twins"])
def test_multi_label_data(verb, data):
    assert OF_ONE[verb](*data) == eh.macro_f1(MULTI)


@pytest.mark.parametrize("verb", ["macro_f1", "score", "twins", "extrapolate", "report"])
def test_weights(verb):
    wanted = eh.macro_f1(eh.Confusion.from_labels(TRUE, PRED, weights=WEIGHTS))
    frame = pl.DataFrame({**COLUMNS, "w": WEIGHTS})
    assert OF_ONE[verb](TRUE, PRED, weights=WEIGHTS) == pytest.approx(wanted, abs=1e-12)
    found = OF_ONE[verb](frame, true="gold", pred="A", weights="w")
    assert found == pytest.approx(wanted, abs=1e-12)


def test_weights_of_several():
    frame = pd.DataFrame({**COLUMNS, "w": WEIGHTS, "document": [i // 3 for i in range(18)]})
    how = {"metrics": "accuracy", "replicates": 50}
    plain = eh.compare(
        TRUE, PRED, OTHER, weights=WEIGHTS, cluster=frame["document"].tolist(), **how
    )
    named = {"true": "gold", "pred": ["A", "B"], "weights": "w", "cluster": "document"}
    assert eh.compare(frame, **named, **how).pairs == plain.pairs


def test_slices_and_clusters_of_one():
    language = ["en" if i % 2 else "de" for i in range(len(TRUE))]
    frame = pl.DataFrame({**COLUMNS, "language": language, "document": [i // 3 for i in range(18)]})
    apart = eh.score(TRUE, PRED, by=language, metrics="macro_f1")
    assert [s.key for s in apart.slices] == ["de", "en"]
    named = {"true": "gold", "pred": "A"}
    assert eh.score(frame, **named, by="language", metrics="macro_f1") == apart
    assert eh.macro_f1(TRUE, PRED, by=language).tolist() == [
        s["macro_f1"].value for s in apart.slices
    ]
    grouped = eh.score(TRUE, PRED, cluster=frame["document"], metrics="macro_f1")
    assert eh.score(frame, **named, cluster="document", metrics="macro_f1") == grouped
    assert grouped["macro_f1"].se != eh.score(TRUE, PRED, metrics="macro_f1")["macro_f1"].se


@pytest.mark.parametrize("interval", ["bootstrap", "bca"])
def test_weighted_labels_can_be_drawn(interval):
    found = eh.score(TRUE, PRED, weights=WEIGHTS, interval=interval, metrics="macro_f1")
    sample = eh.Sample.from_labels(TRUE, {"system": PRED}, weights=WEIGHTS)
    again = eh.score(sample, interval=interval, metrics="macro_f1")
    assert found["macro_f1"] == again["macro_f1"]


@pytest.mark.parametrize("wanted", ["macro_f1", eh.macro_f1, ["macro_f1"], [eh.macro_f1]])
@pytest.mark.parametrize(
    "verb",
    [
        partial(eh.score, TABLE),
        partial(eh.compare, TRUE, PRED, OTHER, replicates=20),
        partial(eh.rank, TRUE, PRED, OTHER, replicates=20),
        partial(eh.shift.extrapolate, TABLE),
        partial(eh.shift.sweep, TABLE, label="a"),
        partial(eh.shift.estimate_prevalence, TABLE, predicted=PRED, replicates=20),
        partial(eh.properties.table, sizes=(2,)),
        partial(eh.report, TABLE),
    ],
    ids=lambda v: v.func.__name__,
)
def test_metrics_are_one_or_several(verb, wanted):
    found, named = verb(metrics=wanted), verb(metrics=["macro_f1"])
    if isinstance(found, eh.Report):
        found, named = found.data, named.data
    assert found == named


STRAY = eh.Confusion.from_labels(list("aabbbc"), list("aabbxc"))
MARGINS = [n for n, m in table_metrics().items() if m.needs == "counts" and "single" in m.tasks]


@pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")
@pytest.mark.parametrize("how", [{}, {"classes": ["a", "x"]}], ids=["rule", "listed"])
@pytest.mark.parametrize("name", MARGINS)
def test_the_margins_of_a_table_give_its_number(name, how):
    metric = getattr(eh, name)
    found = metric(STRAY.counts(**how))
    assert np.asarray(found).tolist() == np.asarray(metric(STRAY, **how)).tolist()


def test_a_function_of_margins_gives_the_number_of_the_metric():
    def mine(c):
        return eh.micro_f1(c)

    for how in ({}, {"classes": ["a", "x"]}, {"interval": "bootstrap", "replicates": 50}):
        found = eh.score(STRAY, metrics=["micro_f1", mine], **how)
        assert found["mine"].value == found["micro_f1"].value
    found = eh.score(STRAY, metrics=["micro_f1", mine], interval="delta")
    assert found["mine"].se == pytest.approx(found["micro_f1"].se, abs=1e-12)


# -- what does not fit ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: eh.score(TRUE), f"score takes {ONE}, got labels of one side only"),
        (lambda: eh.macro_f1(np.array(TRUE)), f"macro_f1 takes {ONE}, got labels of one side"),
        (lambda: eh.twins({"a": 1}), f"twins takes {ONE}, got a dict"),
        (lambda: eh.score(TABLE, TABLE), f"score takes {ONE}, got 2 arguments (one table,"),
        (lambda: eh.score(pd.DataFrame(COLUMNS)), "name them with true= and pred="),
        (lambda: eh.score(pd.DataFrame(COLUMNS), true="gold"), "true= and pred= together"),
        (lambda: eh.score(TRUE, PRED, true="gold", pred="A"), "of one frame"),
        (lambda: eh.score(PRED, y_true=TRUE), "y_true= without other data before it"),
        (lambda: eh.score(TABLE, weights=WEIGHTS), "weights must be given where items are counted"),
        (lambda: eh.score(TABLE.cells, cluster=TRUE), "cluster must be given where items"),
        (lambda: eh.score(TRUE, PRED, by=[1]), "by must have 18 entries, one per item, got 1"),
        (lambda: eh.compare(TABLE), f"compare takes {SEVERAL}"),
        (lambda: eh.rank(TRUE, PRED), f"rank takes {SEVERAL}"),
        (
            lambda: eh.compare(pl.DataFrame(COLUMNS), true="gold", pred=["A", "C"]),
            "the frame has columns 'gold', 'A', 'B', expected 'C' too",
        ),
        (
            lambda: eh.shift.extrapolate(TRUE, {"A": PRED, "B": OTHER}),
            f"extrapolate takes {ONE}, got a Sample of 2 systems ('A', 'B'); rank and compare take",
        ),
        (lambda: eh.Confusion(TRUE, PRED), "use Confusion.from_labels(y_true, y_pred)"),
        (lambda: eh.shift.sweep(TABLE, label="a", interval="bca"), "'auto', 'delta' or None"),
        (lambda: eh.score(TABLE, interval="none"), "interval must be one of"),
        *(
            (partial(verb, pd.DataFrame(COLUMNS), **{"true": "gold", "pred": ["A", "B"], **how}), m)
            for verb in (eh.compare, eh.rank, eh.report)
            for how, m in [
                ({"weights": WEIGHTS}, "the names of columns must be text, got [0.5"),
                ({"cluster": LANGUAGE}, "the names of columns must be text, got ['de'"),
            ]
        ),
        (lambda: eh.score(FRAME, true="gold", pred="A", cluster=LANGUAGE), "must be text, got ['"),
        (lambda: eh.rank(FRAME, true="gold", pred=3), "the names of columns must be text, got 3"),
        (lambda: eh.rank(TRUE, true="a", pred="b"), "frame must be one of pandas, Polars"),
        (lambda: eh.gap_bound(0), "k must be a whole number ≥ 1, got 0"),
        (lambda: eh.extremal(1), "k must be a whole number from 2 to 10,000, got 1"),
    ],
)
def test_what_does_not_fit_is_told_what_does(call, message):
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)


SLICES = eh.Confusion.from_frame(FRAME, true="gold", pred="A", by="language")
SYSTEMS = {
    "sample": (eh.Sample.from_labels(TRUE, {"A": PRED, "B": OTHER}),),
    "stack": (eh.Confusion.from_frame(FRAME, true="gold", pred=["A", "B"]),),
    "mapping": (TRUE, {"A": PRED, "B": OTHER}),
}


@pytest.mark.parametrize("form", SYSTEMS)
@pytest.mark.parametrize("verb", ["score", "twins", "extrapolate", "estimate_prevalence"])
def test_systems_are_not_thrown_together(verb, form):
    with pytest.raises(InputError) as caught:
        OF_ONE[verb](*SYSTEMS[form])
    kind = "stack" if form == "stack" else "Sample"
    take = "stack['A']" if kind == "stack" else "sample.table('A')"
    assert str(caught.value) == (
        f"{verb} takes {ONE}, got a {kind} of 2 systems ('A', 'B'); "
        f"rank and compare take all, {take} is one of them"
    )


def test_one_of_several_systems_is_one():
    (stack,) = SYSTEMS["stack"]
    for one in (stack["A"], stack[:1], eh.Sample.from_labels(TRUE, {"A": PRED})):
        assert OF_ONE["score"](one) == VALUE
    assert eh.macro_f1(stack).tolist() == eh.macro_f1(*SYSTEMS["sample"]).tolist()


@pytest.mark.parametrize(
    "stack",
    [
        SLICES,
        SLICES + SLICES,
        SLICES.select("ab"),
        SLICES.relabel({"a": "z"}),
        eh.Confusion.from_frame(FRAME, true="gold", pred=["A", "B"], by="language")["A"],
        pickle.loads(pickle.dumps(SLICES)),
    ],
    ids=["plain", "added", "selected", "relabelled", "of one system", "pickled"],
)
@pytest.mark.parametrize("verb", ["rank", "report"])
def test_slices_are_no_systems(verb, stack):
    with pytest.raises(InputError) as caught:
        getattr(eh, verb)(stack)
    assert str(caught.value) == (
        f"{verb} takes {FORMS[verb]}, got a stack of 2 slices ('de', 'en'); score takes slices; "
        f"if these are systems, name them: {verb}({{name: table, …}})"
    )
    assert [s.key for s in eh.score(stack, metrics="macro_f1").slices] == ["de", "en"]


def test_a_saved_stack_says_what_it_is(tmp_path):
    SLICES.save(tmp_path / "x.json")
    assert eh.Confusion.load(tmp_path / "x.json") == SLICES
    with pytest.raises(InputError, match="2 slices"):
        eh.rank(eh.Confusion.load(tmp_path / "x.json"))


def test_systems_counted_by_a_column_are_named():
    long = pd.DataFrame({"gold": TRUE * 2, "pred": PRED + OTHER, "team": ["A"] * 18 + ["B"] * 18})
    stack = eh.Confusion.from_frame(long, true="gold", pred="pred", by="team")
    board = eh.rank(dict(zip(stack.keys[0], stack, strict=True)))
    assert float(board["A"]["macro_f1"]) == VALUE


@pytest.mark.parametrize("verb", ["score", "twins", "compare", "rank", "report", "macro_f1"])
@pytest.mark.parametrize(
    ("data", "came"),
    [
        ((), "nothing"),
        ((TABLE, TABLE, TABLE), "3 arguments (one table, one table, one table)"),
        ((TABLE, PRED), "2 arguments (one table, a list)"),
        ((TRUE, TABLE), "2 arguments (a list, one table)"),
    ],
    ids=["nothing", "three tables", "a table for truth", "a table for predictions"],
)
def test_every_verb_refuses_in_the_same_words(verb, data, came):
    with pytest.raises(InputError) as caught:
        getattr(eh, verb)(*data)
    assert str(caught.value) == f"{verb} takes {FORMS.get(verb, ONE)}, got {came}"
    assert isinstance(caught.value, TypeError)  # as Python would say it of too many arguments


# -- nulls in the truth, items without weight -------------------------------------------------

ALL = {**OF_ONE, **{name: OF_SEVERAL[name] for name in ("compare", "rank")}}
ALL["report of several"] = OF_SEVERAL["report"]


@pytest.mark.parametrize("verb", ALL)
def test_null_truth_is_dropped_on_request_everywhere(verb):
    several = verb not in OF_ONE
    rest = ({"A": PRED, "B": OTHER},) if several else (PRED,)
    wanted, gone = ALL[verb](TRUE, *rest), [*TRUE, None]
    more = ({"A": [*PRED, "a"], "B": [*OTHER, "b"]},) if several else ([*PRED, "a"],)
    with pytest.raises(
        InputError, match=r"must not be null.*drop_null_truth leaves such items out"
    ):
        ALL[verb](gone, *more)
    found = ALL[verb](gone, *more, drop_null_truth=True)
    assert found == pytest.approx(wanted, abs=1e-12)
    frame = pd.DataFrame({"gold": gone, "A": [*PRED, "a"], "B": [*OTHER, "b"]})
    columns = {"true": "gold", "pred": ["A", "B"] if several else "A"}
    assert ALL[verb](frame, **columns, drop_null_truth=True) == pytest.approx(wanted, abs=1e-12)
    whole = eh.Sample.from_labels(TRUE, {"A": PRED, "B": OTHER}) if several else TABLE
    with pytest.raises(InputError, match="drop_null_truth must be given where items are counted"):
        ALL[verb](whole, drop_null_truth=True)


def test_labels_that_come_one_by_one_have_slices():
    assert eh.macro_f1(iter(TRUE), iter(PRED), by=iter(LANGUAGE)).tolist() == (
        eh.macro_f1(SLICES).tolist()
    )


def test_null_truth_in_slices():
    found = eh.score([*TRUE, None], [*PRED, "a"], by=[*LANGUAGE, "de"], drop_null_truth=True)
    assert [s["macro_f1"].value for s in found.slices] == eh.macro_f1(SLICES).tolist()
    with pytest.raises(InputError, match="drop_null_truth is for items with one label each"):
        eh.macro_f1(*SETS, drop_null_truth=True)


@pytest.mark.parametrize("verb", ALL)
def test_items_of_no_weight_are_nothing_to_score(verb):
    rest = (PRED,) if verb in OF_ONE else ({"A": PRED, "B": OTHER},)
    with pytest.raises(InputError, match=r"the table holds only items of weight 0.*nothing to"):
        ALL[verb](TRUE, *rest, weights=[0.0] * len(TRUE))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (([[0, 0], [0, 0]],), "the table holds no items: there is nothing to score"),
        ((eh.Counts.from_cells(np.zeros((2, 2))),), "the table holds no items: there is nothing"),
        ((eh.Confusion.stack({"x": TABLE, "y": TABLE.select("a").scale([0])}),), r"\(slice y\)"),
    ],
    ids=["matrix", "margins", "slice"],
)
@pytest.mark.parametrize("name", MARGINS)
def test_no_metric_has_a_value_of_nothing(name, data, words):
    with pytest.raises(InputError, match=words):
        getattr(eh, name)(*data)


def test_measured_shares_stand_in_the_denominator():
    cells, shares = [[80, 20], [10, 90]], {0: 0.4, 1: 0.6}
    found = eh.shift.extrapolate(cells, to={0: 0.5, 1: 0.5}, predicted=shares, metrics="accuracy")
    first = found.classes[0]
    assert first.expected["precision"].value == pytest.approx(0.4 / 0.45)
    assert (first.measured, first.precision_measured) == (0.4, pytest.approx(1.0))
    assert found.to_dict()["classes"][1]["measured"]["precision"] == pytest.approx(0.45 / 0.6)
    estimate = eh.shift.estimate_prevalence(
        cells, predicted=shares, to={0: 0.5, 1: 0.5}, metrics="accuracy"
    )
    assert estimate.classes[0].precision_measured.value == pytest.approx(first.precision_measured)
    assert "measured" not in eh.shift.extrapolate(cells).to_dict()["classes"][0]


# -- options ----------------------------------------------------------------------------------

VERBS = {
    "score": eh.score,
    "twins": eh.twins,
    "compare": eh.compare,
    "rank": eh.rank,
    "gate": eh.gate,
    "plan": eh.plan,
    "report": eh.report,
    "extrapolate": eh.shift.extrapolate,
    "sweep": eh.shift.sweep,
    "estimate_prevalence": eh.shift.estimate_prevalence,
    "drift": eh.shift.drift,
    **{name: getattr(eh, name) for name in table_metrics()},
}
ONE_DEFAULT = {
    "metrics": None,
    "classes": "task",
    "undefined": 0,
    "interval": "auto",
    "level": 0.95,
    "replicates": 2000,
    "seed": 0,
    "by_metric": None,
    "drop_null_truth": False,
    **dict.fromkeys(("y_true", "y_pred", "true", "pred", "labels", "weights", "cluster", "by")),
}
REQUIRED = {"label", "predicted", "margin"}
"""Options without which a verb has nothing to do."""


@pytest.mark.parametrize("verb", VERBS)
def test_data_come_first_and_options_by_name(verb):
    first, *options = inspect.signature(VERBS[verb]).parameters.values()
    assert (first.name, first.kind) == ("data", first.VAR_POSITIONAL)
    assert {p.kind for p in options} == {inspect.Parameter.KEYWORD_ONLY}
    names = {p.name for p in options}
    assert {"y_true", "y_pred", "true", "pred", "labels", "weights", "drop_null_truth"} <= names
    assert {p.name for p in options if p.default is p.empty} <= REQUIRED


@pytest.mark.parametrize("verb", VERBS)
def test_an_option_has_one_default_everywhere(verb):
    for p in inspect.signature(VERBS[verb]).parameters.values():
        if p.name in ONE_DEFAULT:
            assert p.default == ONE_DEFAULT[p.name], p.name


def test_an_option_has_one_type_everywhere():
    types = {}
    for verb in VERBS.values():
        for p in inspect.signature(verb).parameters.values():
            if p.annotation is not p.empty and p.name in ONE_DEFAULT:
                types.setdefault(p.name, set()).add(p.annotation)
    assert types
    assert not {name: found for name, found in types.items() if len(found) > 1}


@pytest.mark.parametrize("name", [n for n in eh.__all__ if n != "__version__"])
def test_every_public_name_shows_an_example(name):
    found = getattr(eh, name)
    if not inspect.ismodule(found):
        assert ">>>" in found.__doc__
        return
    assert dir(found) == sorted(found.__all__)
    assert [n for n in found.__all__ if ">>>" not in getattr(found, n).__doc__] == []


# -- results ----------------------------------------------------------------------------------

NEVER = eh.Confusion.from_matrix([[3, 1, 0], [1, 4, 0], [0, 0, 0]], labels="abc")
RESULTS = {
    "scores": lambda: eh.score(NEVER, undefined="nan", classes=list("abc")),
    "slices": lambda: eh.score(TRUE, PRED, by=OTHER, metrics="macro_f1"),
    "twins": lambda: eh.twins(TRUE, PRED),
    "comparison": lambda: eh.compare(TRUE, PRED, OTHER, metrics=["macro_f1", "mcc"], replicates=20),
    "leaderboard": lambda: eh.rank(TRUE, PRED, OTHER, replicates=20),
    "gate": lambda: eh.gate(TRUE, PRED, OTHER, margin=0.1, by=list("xy" * 9)),
    "plan": lambda: eh.plan(TRUE, PRED, width=0.1),
    "extrapolation": lambda: eh.shift.extrapolate(TRUE, PRED),
    "sweep": lambda: eh.shift.sweep(TRUE, PRED, label="a", metrics="accuracy", at=[0.1, 0.5]),
    "estimate": lambda: eh.shift.estimate_prevalence(TRUE, PRED, predicted=OTHER, replicates=20),
    "audit": lambda: eh.audit([{"name": "A", "macro_f1": "0.9", "macro_precision": "0.5"}]),
    "which": lambda: eh.which("0.725", "0.5667", "0.6361"),
    "profiles": lambda: eh.properties.table(metrics=["accuracy", "kappa"], sizes=(2,)),
    "claims": lambda: eh.papers.recompute(["001"]),
}
KEYS = {
    "scores": ["macro_f1", "averaged_f1", "kappa"],
    "slices": ["macro_f1"],
    "twins": ["gap", "averaged_f1"],
    "comparison": [("A", "B", "macro_f1"), ("A", "B", "averaged_f1"), "mcc"],
    "leaderboard": ["A", "B"],
    "gate": ["macro_f1", "averaged_f1", ("x", "macro_f1")],
    "plan": ["macro_f1", "averaged_f1"],
    "extrapolation": ["macro_f1", "averaged_f1"],
    "sweep": [("system", "accuracy"), "accuracy", "system"],
    "estimate": ["macro_f1", "averaged_f1"],
    "audit": ["A"],
    "which": ["macro_f1"],
    "profiles": ["accuracy", "kappa"],
    "claims": [],
}
DATA = {
    "table": lambda: eh.Confusion.from_labels(TRUE, [*PRED[:-1], None]),
    "weighted": lambda: eh.Confusion.from_labels(TRUE, PRED, weights=WEIGHTS),
    "sparse": lambda: eh.Confusion.from_labels(range(3000), range(3000)),
    "stack": lambda: eh.Confusion.stack({"A": TABLE, "B": NEVER}),
    "sample": lambda: eh.Sample.from_labels(TRUE, {"A": PRED}, cluster=OTHER),
    "soft": lambda: eh.Sample.from_probabilities(
        list("ab"), {"A": [[0.5, 0.5], [0.25, 0.75]]}, labels="ab"
    ),
    "multi": lambda: eh.MultiLabel.from_indicators(*SETS),
}


@pytest.mark.parametrize("make", {**RESULTS, **DATA}.values(), ids={**RESULTS, **DATA})
def test_equal_by_value_copied_and_pickled_or_not(make):
    found = make()
    for again in (
        make(),
        pickle.loads(pickle.dumps(found)),
        copy.copy(found),
        copy.deepcopy(found),
    ):
        assert again == found and hash(again) == hash(found)
    assert found != 0 and found is not None
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.n = 5


def test_dense_and_sparse_cells_are_equal():
    table, true, pred, weight, _ = TABLE.data.entries()
    sparse = dataclasses.replace(TABLE, data=SparseCells(table, true, pred, weight, TABLE.k))
    assert sparse == TABLE and hash(sparse) == hash(TABLE)
    assert sparse != TABLE.relabel({"a": "z"})


def test_what_differs_is_not_equal():
    assert eh.Confusion.from_labels(TRUE, PRED) != eh.Confusion.from_labels(TRUE, OTHER)
    assert TABLE.relabel({"a": "z"}) != TABLE
    assert eh.score(TRUE, PRED) != eh.score(TRUE, OTHER)
    assert eh.MultiLabel.from_indicators(*SETS) != eh.MultiLabel.from_indicators(*SETS[::-1])


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_a_collection(name):
    found = RESULTS[name]()
    names = list(found)
    assert len(found) == len(names) > 0 and names == list(found.keys())
    for key in [*names, *KEYS[name]]:
        assert key in found
        assert found[key] == found.parts[key] if key in found.parts else found[key] is not None
    assert dict(found.items()) == dict(zip(names, found.values(), strict=True))
    assert "no such thing" not in found and 17 not in found and None not in found
    for strange in ("no such thing", 17, None, ("no", "such"), "macro_recall:p=-7"):
        with pytest.raises(KeyError) as caught:
            found[strange]
        assert isinstance(caught.value, eh.EvenhandError)
        assert str(caught.value)[0] != '"'  # as it is, not as Python shows a key
        assert found.get(strange) is None and found.get(strange, 5) == 5
    assert found.get(names[0]) == found[names[0]] and found.get([]) is None


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("macro_ff1", "no metric is called 'macro_ff1'; did you mean macro_f1"),
        ("kappa", "'kappa' is not one of 'macro_f1', 'mcc'"),
    ],
)
def test_a_metric_unknown_or_unasked_is_one_error(name, words):
    with pytest.raises(KeyError) as caught:
        eh.score(TABLE, metrics=["macro_f1", "mcc"])[name]
    assert type(caught.value).__mro__.index(eh.EvenhandError) and words in str(caught.value)


@pytest.mark.parametrize(
    "verb",
    [
        partial(eh.score, TRUE, PRED),
        partial(eh.groups, TRUE, PRED, by=LANGUAGE),
        partial(eh.shift.extrapolate, TRUE, PRED, to="uniform"),
        partial(eh.compare, TRUE, PRED, OTHER),
        partial(eh.gate, TRUE, PRED, OTHER, margin=0.1),
        partial(eh.plan, TRUE, PRED, width=0.1),
        partial(eh.cross_validated, TRUE, PRED, fold=LANGUAGE),
    ],
    ids=lambda verb: verb.func.__name__,
)
def test_no_metric_at_all_is_asked_about(verb):
    with pytest.raises(InputError, match=r"^metrics must name at least one metric, got none$"):
        verb(metrics=[])


def test_the_nearest_name_is_told():
    with pytest.raises(KeyError, match="did you mean 'team one'"):
        eh.rank(TRUE, {"team one": PRED, "B": OTHER}, replicates=20, metrics=[])["team on"]
    with pytest.raises(eh.EvenhandError, match="'C' is not one of 'A', 'B'"):
        eh.Confusion.stack({"A": TABLE, "B": TABLE})["C"]


def test_half_a_name_must_fit_one():
    found = eh.compare(TRUE, PRED, OTHER, metrics=["macro_f1", "mcc"], replicates=20)
    with pytest.raises(KeyError, match="fits 2 of them"):
        found["A", "B"]
    assert found["mcc"].systems == ("A", "B")


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_says_itself_in_every_format(name, tmp_path):
    found = RESULTS[name]()
    assert found.to_json() == dumps(found.to_dict())
    assert len(found.to_pandas()) == len(found.to_polars()) == len(found.content().data().rows)
    tabled = bool(found.content().sheets)  # an audit that found nothing has no table
    assert repr(found) and found.to_markdown() and ("toprule" in found.to_latex()) == tabled
    assert ("<table" in found.to_html()) == tabled and found.to_csv().count("\n") >= 1
    for ending in ("json", "csv", "md", "tex", "html"):
        found.save(tmp_path / f"result.{ending}")
    assert json.loads((tmp_path / "result.json").read_text()) == found.to_dict()
    with pytest.raises(InputError, match="must end in one of"):
        found.save(tmp_path / "result.docx")


def test_a_score_is_a_number():
    scores = eh.score(TRUE, PRED)
    assert float(scores["macro_f1"]) == scores["macro_f1"].value == VALUE
    board = eh.rank(TRUE, PRED, OTHER, replicates=20)
    assert float(board["A"]["averaged_f1"]) == VALUE


# -- a table as others take it ----------------------------------------------------------------


def test_the_numbers_of_one_table_are_plain():
    assert type(TABLE.total) is int and type(TABLE.n) is int and TABLE.n == 18
    assert type(eh.Confusion.from_labels(TRUE, PRED, weights=WEIGHTS).total) is float
    assert eh.Confusion.stack([TABLE, TABLE]).n.tolist() == [18, 18]
    assert type(MULTI.total) is int and MULTI.total == 4


def test_a_table_is_an_array_and_a_frame():
    assert np.asarray(TABLE).tolist() == TABLE.cells.tolist()
    assert np.asarray(TABLE, float).dtype == np.float64
    frame = TABLE.to_pandas()
    assert (frame.index.name, frame.columns.name) == ("true", "predicted")
    assert frame.loc["b", "a"] == TABLE.cells[1, 0]
    assert eh.Confusion.from_matrix(frame) == TABLE


def test_an_accumulator_shows_what_it_has():
    assert repr(eh.Accumulator()) == "Accumulator(0 items)"
    assert repr(accumulated()) == "Accumulator(18 items)"


@pytest.mark.parametrize(
    ("verb", "keyword", "hint"),
    [
        ("macro_f1", "average", "the name of the metric says it: macro_f1, micro_f1, weighted_f1"),
        ("score", "average", "the name of the metric says it"),
        ("score", "sample_weight", "write weights="),
        ("accuracy", "sample_weight", "write weights="),
        ("f1", "pos_label", "f1:label=NAME, or label= of eh.f1"),
        ("score", "zero_division", "write undefined="),
        ("score", "metric", "did you mean 'metrics'?"),
    ],
)
def test_keywords_of_scikit_learn_and_near_misses_are_named(verb, keyword, hint):
    words = f"unexpected keyword argument '{keyword}'; "
    with pytest.raises(TypeError, match=re.escape(words)) as e:
        getattr(eh, verb)(list("aabb"), list("abbb"), **{keyword: "macro"})
    assert hint in str(e.value)


def test_columns_by_their_near_misses():
    frame = pl.DataFrame({"gold": ["a", "b"], "prediction": ["a", "a"]})
    with pytest.raises(InputError, match="did you mean 'prediction'"):
        eh.score(frame, true="gold", pred="predicton")
    with pytest.raises(InputError, match="columns of a frame are named by true= and pred="):
        eh.score(frame, y_true="gold", y_pred="prediction")
    with pytest.raises(eh.MetricError, match="did you mean macro_f1"):
        eh.score(list("ab"), list("ab"), metrics="f1_marco")
