"""Random label sets against exact fractions: the metrics of multi-label data."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import isnan, nan
from random import Random
from typing import Any

import evenhand as eh
from evenhand.catalogue.lists import table_metrics
from fuzz.exact import METRICS, Exact
from fuzz.outcome import RIGHT, Outcome, tried

Sets = list[set[int]]


class Margins(Exact):
    """The margins of label sets: every label is a table of its own."""

    def __init__(self, true: Sets, pred: Sets, k: int, averaged: list[int], undefined: float):
        super().__init__([[0] * (k + 1) for _ in range(k)], averaged, undefined)
        pairs = list(zip(true, pred, strict=True))
        self.correct = [sum(i in t and i in p for t, p in pairs) for i in range(k)]
        self.bias = [sum(i in p for _, p in pairs) for i in range(k)]
        self.prevalence = [sum(i in t for t, _ in pairs) for i in range(k)]
        self.total = len(pairs)


def over_items(name: str, true: Sets, pred: Sets, k: int, undefined: float) -> Fraction | None:
    """The mean over items of what the metric says of one item."""
    worth = None if isnan(undefined) else Fraction(undefined)
    values: list[Fraction | None] = []
    for t, p in zip(true, pred, strict=True):
        hits = len(t & p)
        a, b = {
            "subset_accuracy": (int(t == p), 1),
            "hamming_loss": (len(t ^ p), k),
            "samples_precision": (hits, len(p)),
            "samples_recall": (hits, len(t)),
            "samples_f1": (2 * hits, len(t) + len(p)),
        }[name]
        values.append(Fraction(a, b) if b else worth)
    known = [x for x in values if x is not None]
    return sum(known, Fraction(0)) / len(known) if known else worth


def multilabel(rng: Random) -> Iterator[Outcome]:
    """Some items with sets of labels, scored on every metric that takes them."""
    k, n = rng.randint(1, 5), rng.randint(1, 9)
    full = rng.random()
    true, pred = ([{i for i in range(k) if rng.random() < full} for _ in range(n)] for _ in "tp")
    undefined = rng.choice((0, 1, nan))
    classes: Any = tuple(sorted(rng.sample(range(k), rng.randint(1, k))))
    call = f"MultiLabel.from_indicators({true}, {pred}, labels=range({k}))"
    multi, failed = tried(call, lambda: eh.MultiLabel.from_indicators(true, pred, labels=range(k)))
    if failed is not None:
        yield failed
        return
    oracle = Margins(true, pred, k, list(classes), undefined)
    for name, metric in table_metrics().items():
        if "multi" not in metric.tasks or not metric.default or metric.parameters:
            continue
        if metric.needs == "items":
            wanted = over_items(name, true, pred, k, undefined)
        else:
            wanted = METRICS[name](oracle)[0]
        got, failed = tried(
            f"eh.{name}({call})",
            lambda n=name: getattr(eh, n)(multi, classes=classes, undefined=undefined),
        )
        value = nan if wanted is None else float(wanted)
        if failed is not None:
            yield failed
        elif not (got == value or abs(got - value) < 1e-12 or (isnan(got) and isnan(value))):
            said = f"eh.{name}({call}, classes={classes}, undefined={undefined})"
            yield Outcome("wrong", f"multi-label: {name}", f"{said}\ngot {got!r}, expected {value}")
    yield RIGHT
