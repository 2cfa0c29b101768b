"""Calls of every public function, constructor and method with values passed by mistake.

A call is one that works with one argument replaced, or positional values of any kind. It must
work, or raise evenhand's own error in one line, or Python's ``TypeError`` for a wrong signature.
"""

from __future__ import annotations

import datetime
import inspect
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import chdir
from dataclasses import fields, is_dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from sklearn.dummy import DummyClassifier

import evenhand as eh
from evenhand.catalogue.lists import table_metrics
from evenhand.core.registry import all_metrics
from evenhand.records import Record
from fuzz.outcome import RIGHT, Outcome, tried

TRUE = ["a", "a", "b", "b", "c", "c", "a", "b"]
PRED = ["a", "b", "b", "b", "c", "a", "a", "c"]
OTHER = ["a", "a", "b", "c", "c", "a", "b", "b"]
CELLS = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
SHARES = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.8, 0.1], [0.3, 0.6, 0.1]] * 2
SLICES = ["x", "x", "y", "y", "x", "x", "y", "y"]
COLUMNS = {"gold": TRUE, "a": PRED, "b": OTHER, "w": [1, 2, 1, 1, 1, 1, 1, 1], "g": SLICES}
MODULES = ("papers", "plot", "properties", "shift", "simulate")
APART = ("evenhand.testing", "evenhand.bridges.sklearn")
AVERAGED = [f"sklearn.{m}_score" for m in ("f1", "fbeta", "jaccard", "precision", "recall")]
INTERNAL = {
    "Check": "size",
    "Confusion": "at copies counts_over from_cells rule sliced tables target",
    "Counts": "at averaging back flat from_cells largest leave_one_out_sum listed mapped mean over "
    "per scale share sum",
    "Curve": "from_intervals joined",
    "Metric": "properties_with",
    "MultiLabel": "averaged counts_over rule sliced tables",
    "Sample": "among copies doubled equal_items predictions tables",
    "SoftSample": "among copies doubled equal_items labelled predictions tables",
    "plot.Chart": "drawn encoded inline",
    "": "blocks content data findings grid items_text measured noted paper portions reported shown "
    "stability testable to_json_object told_apart warnings_on with_slices",
}
"""Methods by type, or of any, that verbs and writers call with types of their own."""


def nothing(*_: Any) -> None:
    """A function of a user's that returns nothing."""


class Strange:
    """An object of a user's."""


ODD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "a number": lambda: 5,
    "a negative number": lambda: -1,
    "a huge number": lambda: 10**30,
    "a fraction": lambda: 0.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "a complex number": lambda: 1 + 2j,
    "True": lambda: True,
    "NaT": lambda: pd.NaT,
    "NA": lambda: pd.NA,
    "numpy NaT": lambda: np.datetime64("NaT"),
    "no text": lambda: "",
    "text": lambda: "ab",
    "text of a number": lambda: "95",
    "text of two lines": lambda: "a\nb",
    "a metric's name": lambda: "macro_f1",
    "bytes": lambda: b"ab",
    "a path": lambda: "gold.csv",
    "a path object": lambda: Path("gold.csv"),
    "a date": lambda: datetime.date(2026, 1, 1),
    "an empty list": list,
    "labels": lambda: list(TRUE),
    "labels, too few": lambda: ["a", "b"],
    "numbers": lambda: [0, 1, 2, 0],
    "negative numbers": lambda: [-1.0] * 8,
    "nans": lambda: [float("nan")] * 8,
    "lists": lambda: [["a"], ["b", "c"]],
    "empty lists": lambda: [[], []],
    "dictionaries": lambda: [{"a": 1}, {"b": 2}],
    "mixed labels": lambda: ["a", 1, None, 2.5, b"x", ("t",), {"s"}, Strange],
    "tuples": lambda: [("a", 1), ("b", 2)],
    "dates": lambda: [datetime.datetime(2026, 1, 1)] * 8,
    "a mapping": lambda: {"a": 1, "b": 2},
    "an empty mapping": dict,
    "a mapping of labels": lambda: {"A": list(PRED), "B": list(OTHER)},
    "a mapping of numbers": lambda: {1: [0.5], 2: None},
    "a set": lambda: {"a", "b"},
    "a range": lambda: range(8),
    "a generator": lambda: (x for x in TRUE),
    "a function": lambda: nothing,
    "a class": lambda: Strange,
    "an object": Strange,
    "a matrix": lambda: [list(row) for row in CELLS],
    "an array of no axis": lambda: np.array(3),
    "an array of text without axis": lambda: np.array("a"),
    "an empty array": lambda: np.array([]),
    "an array of labels": lambda: np.array(TRUE),
    "an array of two axes": lambda: np.array([[1, 2], [3, 4], [5, 6]]),
    "an array of three axes": lambda: np.zeros((2, 2, 2)),
    "an array of text with two axes": lambda: np.array([["a", "b"], ["c", "d"]]),
    "an array of objects": lambda: np.array(["a", 1, None, [2]], dtype=object),
    "an array of complex numbers": lambda: np.array([1 + 2j, 3, 4, 5, 6, 7, 8, 9]),
    "an array of dates": lambda: np.array(["2026-01-01", "NaT"] * 4, dtype="datetime64[D]"),
    "a record array": lambda: np.array([(1, 2.0)] * 8, dtype=[("x", int), ("y", float)]),
    "a boolean array": lambda: np.array([True, False] * 4),
    "probabilities": lambda: np.array(SHARES),
    "a pandas frame": lambda: pd.DataFrame(COLUMNS),
    "an empty pandas frame": pd.DataFrame,
    "a Polars frame": lambda: pl.DataFrame(COLUMNS),
    "a lazy frame": lambda: pl.LazyFrame(COLUMNS),
    "a pandas series": lambda: pd.Series(TRUE, index=range(3, 11)),
    "a Polars series": lambda: pl.Series(TRUE),
    "a series of lists": lambda: pl.Series([["a"], ["b"]]),
    "a table": lambda: table(),
    "a stack": lambda: eh.Confusion.stack({"x": table(), "y": table()}),
    "an empty table": lambda: eh.Confusion.from_labels([], []),
    "a sample": lambda: sample(),
    "a multi-label table": lambda: several_labels(),
    "scores": lambda: eh.score(CELLS, metrics="macro_f1"),
    "a metric": lambda: table_metrics()["mcc"],
    "a signature": lambda: eh.Signature(metric="macro_f1"),
}
"""What people pass by mistake, made anew for each call."""


def table() -> eh.Confusion:
    return eh.Confusion.from_matrix(CELLS, labels=["a", "b", "c"])


def sample() -> eh.Sample:
    return eh.Sample.from_labels(TRUE, {"A": PRED, "B": OTHER})


def several_labels() -> eh.MultiLabel:
    return eh.MultiLabel.from_indicators([{"a"}, {"b"}], [{"a"}, {"a"}])


def soft() -> eh.SoftSample:
    return eh.Sample.from_probabilities(TRUE, {"A": SHARES}, labels=["a", "b", "c"])


def board() -> eh.Leaderboard:
    return eh.rank(TRUE, PRED, OTHER, metrics=["macro_f1", "mcc"], replicates=99)


def grouped() -> eh.Groups:
    return eh.groups(TRUE, PRED, by=SLICES, metrics="macro_f1")


GOOD: dict[str, Callable[[], Any]] = {
    "X": lambda: np.arange(16.0).reshape(8, 2),
    "accuracy": lambda: 0.8,
    "at": lambda: [0.3, 0.6],
    "average": lambda: "macro",
    "beta": lambda: 2.0,
    "board": board,
    "by": lambda: SLICES,
    "cells": lambda: np.ones((2, 2, 2)),
    "channel": lambda: np.eye(2),
    "classes": lambda: ["a", "b"],
    "cluster": lambda: [1, 1, 2, 2, 3, 3, 4, 4],
    "columns": lambda: ["f1"],
    "confusion_matrix": lambda: np.array(CELLS),
    "cv": lambda: 2,
    "data": lambda: CELLS,
    "draws": lambda: 3,
    "estimator": lambda: DummyClassifier().fit([[0, 0], [1, 1]] * 4, [0, 1] * 4),
    "estimators": DummyClassifier,
    "f1": lambda: "0.5",
    "factors": lambda: [1, 2, 3],
    "file": lambda: "gold.csv",
    "fold": lambda: [1, 1, 1, 1, 2, 2, 2, 2],
    "found": lambda: eh.compare(TRUE, PRED, OTHER, metrics="macro_f1", replicates=99),
    "frame": lambda: pd.DataFrame(COLUMNS),
    "goal": lambda: "gap",
    "items": lambda: 100,
    "k": lambda: 3,
    "label": lambda: "a",
    "labels": lambda: ["a", "b", "c"],
    "margin": lambda: 0.1,
    "matrix": lambda: [[0, 1], [1, 0]],
    "metric": lambda: "macro_f1",
    "metrics": lambda: "macro_f1",
    "mix": lambda: [0.5, 0.5],
    "n": lambda: 10,
    "names": lambda: {"a": "x"},
    "one": lambda: "macro_f1",
    "other": lambda: table(),
    "parents": lambda: {"a": "top", "b": "top"},
    "path": lambda: "saved.json",
    "precision": lambda: "0.5",
    "pred": lambda: "a",
    "predicted": lambda: ["a", "b", "c"],
    "predictions": lambda: {"A": PRED, "B": OTHER},
    "probabilities": lambda: SHARES,
    "ratings": lambda: {"A": PRED, "B": OTHER},
    "recall": lambda: "0.5",
    "replicates": lambda: 99,
    "rng": lambda: np.random.default_rng(0),
    "role": lambda: "truth",
    "sample": lambda: sample(),
    "scores": lambda: eh.score(CELLS, metrics="macro_f1"),
    "sets": lambda: {"x": sample(), "y": sample()},
    "shares": lambda: [0.5, 0.5],
    "sizes": lambda: (2,),
    "stacks": lambda: [eh.Confusion.stack({"x": table()}), eh.Confusion.stack({"y": table()})],
    "sweep": lambda: eh.shift.sweep(CELLS, label=0, metrics="macro_f1", at=[0.3]),
    "system": lambda: "A",
    "tables": lambda: {"x": table(), "y": table()},
    "text": lambda: str(eh.score(CELLS).signature),
    "true": lambda: "gold",
    "two": lambda: "f1_of_averages",
    "value": lambda: 0.1,
    "weights": lambda: [1.0] * 8,
    "width": lambda: 0.2,
    "words": lambda: ["001-weighted-f1"],
    "y": lambda: [0, 1] * 4,
    "y1": lambda: TRUE,
    "y2": lambda: PRED,
    "y_pred": lambda: PRED,
    "y_true": lambda: TRUE,
}
"""A value that works, by the name of a parameter."""

OWN: dict[str, dict[str, Callable[[], Any]]] = {
    "Confusion.from_frame": {"by": lambda: "g", "weights": lambda: "w"},
    "Confusion.from_matrix": {"matrix": lambda: CELLS},
    "Confusion.load": {"path": lambda: "table.json"},
    "Distance.between": {"true": lambda: "a", "pred": lambda: "b"},
    "Distance.over": {"labels": lambda: ["a", "b"]},
    "MultiLabel.from_indicators": {
        "y_true": lambda: [{"a"}, {"b"}],
        "y_pred": lambda: [{"a"}, {"a"}],
        "weights": lambda: [1, 2],
        "cluster": lambda: [1, 2],
        "by": lambda: ["x", "y"],
    },
    "Signature.differences": {"other": lambda: eh.Signature(metric="macro_f1")},
    "Sample.from_probabilities": {"probabilities": lambda: {"A": SHARES}},
    "agree": {"label": lambda: None},
    "audit": {"data": lambda: "system,precision,recall,f1\nA,0.5,0.5,0.6\n"},
    "audits": {"data": lambda: "system,precision,recall,f1\nA,0.5,0.5,0.6\n"},
    "plot.confusions": {"data": table},
    "plot.groups": {"data": grouped},
    "plot.differences": {
        "result": lambda: eh.compare(TRUE, PRED, OTHER, metrics="macro_f1", replicates=99)
    },
    "plot.histogram": {"sample": soft},
    "plot.mixes": {"shifted": lambda: eh.shift.extrapolate(CELLS, metrics="macro_f1")},
    "plot.panel": {"data": sample},
    "plot.precision_recall": {"sample": soft},
    "plot.reliability": {"sample": soft},
    "plot.roc": {"sample": soft},
    "plot.thresholds": {"choice": lambda: cut()},
    "shift.PrevalenceEstimate.by": {"method": lambda: "likelihood"},
    "testing.check_metric": {"tables": lambda: 3},
}
"""Values of functions for which a name means something else."""

DATA: dict[str, Callable[[], tuple[Any, ...]]] = {
    "compare": lambda: (TRUE, PRED, OTHER),
    "expected": lambda: (soft(),),
    "gate": lambda: (TRUE, PRED, OTHER),
    "rank": lambda: (TRUE, PRED, OTHER),
    "shift.drift": lambda: (TRUE, PRED, PRED),
    "testing.assert_not_worse": lambda: (TRUE, PRED, OTHER),
    "thresholds": lambda: (soft(),),
    **{
        m.name: lambda: ([{"a"}, {"b"}], [{"a"}, {"a"}])
        for m in all_metrics()
        if m.tasks == {"multi"}
    },
}
"""Data of the verbs that take others than true and predicted labels."""


def labels_planned() -> Any:
    human = [label if i % 2 else None for i, label in enumerate(TRUE * 20)]
    return eh.plan(human, PRED * 20, judge=OTHER * 20, metrics="accuracy", width=0.3)


def cut() -> eh.Thresholds:
    return eh.thresholds(soft(), label="a", metrics="macro_f1", interval=None)


@cache
def examples() -> dict[type, Any]:
    """An instance of each public type; results are met in what verbs return."""
    made: dict[type, Any] = {}
    own = {"metrics": "macro_f1"}
    sides = (TRUE, PRED, OTHER)
    walk(
        [
            table(), sample(), soft(), several_labels(),
            eh.Accumulator(["a", "b", "c"]), table().counts(), table_metrics()["mcc"],
            eh.Distance.from_tree({"a": "top", "b": "top"}),
            eh.score(TRUE, PRED, metrics="macro_f1"), eh.twins(CELLS), board(), grouped(), cut(),
            eh.compare(*sides, **own, replicates=99), eh.gate(*sides, margin=0.1, **own),
            eh.plan(CELLS, width=0.1, **own), labels_planned(), eh.which("0.5", "0.5", "0.5"),
            eh.audit(OWN["audit"]["data"]()), eh.audits(OWN["audit"]["data"]()),
            eh.agree({"A": PRED, "B": OTHER}), eh.report(CELLS, **own),
            eh.cross_validated(TRUE, {"A": PRED, "B": OTHER}, fold=GOOD["fold"](), **own),
            eh.shift.extrapolate(CELLS, **own), GOOD["sweep"](),
            eh.shift.sweep(sample(), label="a", **own),
            eh.shift.estimate_prevalence(TRUE, PRED, predicted=PRED, **own, replicates=99),
            eh.shift.drift(TRUE, PRED, PRED, **own, replicates=99),
            eh.papers.recompute(["001-weighted-f1"]), eh.properties.check("accuracy", sizes=(2,)),
            eh.properties.table(metrics="accuracy", sizes=(2,)),
            eh.properties.find("gap", "macro_f1", "f1_of_averages"), eh.plot.confusion(CELLS),
eh.look(Path(__file__).parents[1] / "CITATION.cff"),
        eh.Looks((eh.Look("gold.txt", "text"),), ("evenhand score",)),
            eh.score(CELLS, metrics="macro_f1").classes[0],
            eh.shift.Crossing(0.5, metric="macro_f1", below="A", above="B"),
        ],
        made,
    )  # fmt: skip
    return made


def walk(thing: Any, made: dict[type, Any]) -> None:
    """The things of public types in a thing."""
    if isinstance(thing, dict | list | tuple):
        for part in thing.values() if isinstance(thing, dict) else thing:
            walk(part, made)
    elif type(thing).__module__.startswith("evenhand") and type(thing) not in made:
        made[type(thing)] = thing
        if is_dataclass(thing):
            for field in fields(thing):
                walk(getattr(thing, field.name, None), made)


@cache
def public() -> dict[str, Callable[..., Any]]:
    """Every public function, constructor, and method of an example, by name."""
    homes = {"": eh, **{f"{m}.": getattr(eh, m) for m in MODULES}}
    homes |= {f"{home.rpartition('.')[2]}.": import_module(home) for home in APART}
    things: dict[str, Any] = {}
    for start, home in homes.items():
        names = [n for n in home.__all__ if n not in (*MODULES, "__version__")]
        things |= {start + n: getattr(home, n) for n in names}
    things |= {m.name: getattr(eh, m.name) for m in all_metrics()}
    calls: dict[str, Callable[..., Any]] = {}
    for name, thing in things.items():
        if thing is eh.ratio or (inspect.isclass(thing) and issubclass(thing, BaseException)):
            continue  # ratio is arrays in, arrays out, for functions of users' own
        if not any(member.startswith("from_") for member in dir(thing)):  # which make it
            calls[name] = thing
        if inspect.isclass(thing):
            example = examples().get(thing, thing)
            for member in dir(thing):
                inner = f"{INTERNAL['']} {INTERNAL.get(name, '')}".split()
                own = getattr(thing, member, None) is not Record.select
                if member.startswith("_") or member in inner or not own:
                    continue
                if callable(getattr(thing, member, None)):
                    calls[f"{name}.{member}"] = getattr(example, member)
            for special in ("__getitem__", "__contains__", "__eq__", "__add__"):
                if getattr(thing, special, None) not in (None, getattr(object, special, None)):
                    calls[f"{name}.{special}"] = getattr(example, special)
    return calls


def cases(name: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Calls of one public thing and how they read: each argument odd in turn."""
    function = public()[name]
    parameters = inspect.signature(function).parameters.values()
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    open_ended = [p for p in parameters if p.kind is p.VAR_POSITIONAL]
    keywords = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    own = OWN.get(name, {})

    def good(p: inspect.Parameter) -> Any:
        return {**GOOD, **own}.get(p.name, lambda: 1)()

    def call(odd: str, value: Callable[[], Any]) -> Any:
        positional = [
            value() if p.name == odd else good(p)
            for p in plain
            if p.default is p.empty or p.name in (odd, *ALSO.get(name, ()))
        ]
        if open_ended and not plain:
            data = DATA.get(name, lambda: (TRUE, PRED))()
            positional = [value() if odd == f"data {i}" else d for i, d in enumerate(data)]
            if odd in FORMS:
                positional = [value() for _ in range(FORMS[odd])]
        options = {
            p.name: value() if p.name == odd else good(p)
            for p in keywords
            if p.name == odd or p.default is p.empty or p.name in (*ALWAYS, *ALSO.get(name, ()))
        }
        return function(*positional, **options)

    odds = [p.name for p in (*plain, *keywords)]
    if open_ended and not plain:
        odds += [f"data {i}" for i in range(len(DATA.get(name, lambda: (1, 2))()))] + [*FORMS]
    yield f"{name} as it is meant", partial(call, "", lambda: None)
    for odd in odds:
        for kind, value in ODD.items():
            if name == "papers.recompute" and ("empty" in kind or kind == "no text"):
                continue  # all claims are recomputed, which takes ten seconds
            yield f"{name} with {kind} as {odd}", partial(call, odd, value)


ALWAYS = ("replicates", "sizes", "tables")
ALSO = {
    "groups": ["by"],
    "papers.recompute": ["words"],
    "plan": ["width"],
    "properties.table": ["metrics"],
    "sklearn.cross_validated": ["cv"],
    **{name: ["average"] for name in AVERAGED},
}
"""Options without which a call is slow, or no call of a function works."""

FORMS = {"all data": 1, "both data": 2, "three data": 3}
"""Data that are nothing but odd values."""


def outcome(name: str, detail: str, call: Callable[[], Any]) -> Outcome:
    """What comes of a call."""
    _, fault = tried(detail, partial(answer, name, call))
    return fault or RIGHT


class SignatureError(eh.EvenhandError):
    """Python's own word on a call whose arguments do not fit."""


def answer(name: str, call: Callable[[], Any]) -> Any:
    """The value of a call; Python's own errors on its arguments count as refusals.

    So do those of functions that carry scikit-learn's names, which raise and warn as it does.
    """
    try:
        if not name.startswith("sklearn."):
            return call()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call()
    except eh.EvenhandError:
        raise
    except AssertionError:
        if not name.startswith("testing."):
            raise
    except (TypeError, ValueError, AttributeError) as e:
        last = traceback.extract_tb(e.__traceback__)[-1].filename
        signature = isinstance(e, TypeError) and last == __file__
        if not signature and not name.startswith("sklearn."):
            raise
        raise SignatureError(" ".join(str(e).split())) from None


def prepared(folder: Path) -> None:
    """The files that calls name."""
    (folder / "gold.csv").write_text("gold,a\nx,y\n", encoding="utf-8")
    table().save(str(folder / "table.json"))


def calls(random: Random, folder: Path) -> Iterator[Outcome]:
    """Some calls of one public thing."""
    name = random.choice(sorted(public()))
    meant, *every = cases(name)
    prepared(folder)
    with chdir(folder):
        for detail, call in [meant, *random.sample(every, min(len(every), 20))]:
            yield outcome(name, detail, call)
