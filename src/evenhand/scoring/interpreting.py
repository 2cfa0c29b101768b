"""Readings: what macro recall and the F1 of averages say of one system, in everyday terms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.catalogue.binding import bind_all, values_of
from evenhand.catalogue.policy import Undefined, policy
from evenhand.catalogue.strays import notes_by_system, weighted
from evenhand.core.metrics.one_class import recall
from evenhand.core.ratio import ratio
from evenhand.count.forms import one_of, refusal, refuse_empty, what_came
from evenhand.count.given import Given, system_of
from evenhand.errors import InputError
from evenhand.notes.data import NoClass
from evenhand.notes.note import Note
from evenhand.notes.record import Record
from evenhand.results.cells import Cell
from evenhand.results.content import Content, Heading, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result
from evenhand.results.text import counted
from evenhand.signature.build import signature_of
from evenhand.signature.line import Signature
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.labels import Label, rule_or_list

METRICS = (
    "macro_recall",
    "accuracy@uniform",
    "bookmaker_gain",
    "macro_precision",
    "f1_of_averages",
)
MEANINGS = {
    "class_bags": "macro recall: chance that an item from the bag of a random class is right",
    "every_bag": "chance that of one item from the bag of each class all are right",
    "calibrated_accuracy": "accuracy if all classes were equally frequent: macro recall of all",
    "bookmaker_gain": "units won at fair odds by a bet of one on each item, the stakes paid",
    "first_as_reference": "macro recall of the second annotator (the predictions) by the first",
    "second_as_reference": "macro recall of the first annotator by the second: macro precision",
    "agreement": "harmonic mean of the two: the F1 of averages",
}
SHOWN_CLASSES = 60


@dataclass(frozen=True, eq=False)
class Bets(Record):
    """One class as a bookmaker sees it: a unit staked on each of its items, won at fair odds.

    >>> import evenhand as eh
    >>> eh.readings([[15, 10], [5, 10]]).bets[0].odds
    1.6
    """

    label: Label
    odds: float
    staked: float
    won: float

    told = ("label", "odds", "staked", "won", "gain")

    @property
    def gain(self) -> float:
        """What is left of what it won when the stakes are paid."""
        return self.won - self.staked


@dataclass(frozen=True, eq=False, repr=False)
class Readings(Collection[str, float], Result):
    """What macro recall and the F1 of averages of one table mean.

    >>> import evenhand as eh
    >>> eh.readings([[15, 10], [5, 10]])["class_bags"]
    0.633333...
    """

    signature: Signature
    class_bags: float
    every_bag: float
    calibrated_accuracy: float
    bookmaker_gain: float
    first_as_reference: float
    second_as_reference: float
    agreement: float
    bets: tuple[Bets, ...]
    draws: int = 0
    right: int = 0
    cautions: tuple[Note, ...] = ()

    told = ("signature", *MEANINGS, "draws", "right", "bets")

    @property
    def parts(self) -> dict[str, float]:
        """Its numbers by name."""
        return self.picked(*MEANINGS)

    def content(self) -> Content:
        """Each reading with what it means, then the bets class by class."""
        n, k = counted(float(self.signature.n), "item"), len(self.bets)
        rows: list[list[Cell]] = [
            [name.replace("_", " "), value, MEANINGS[name]] for name, value in self.parts.items()
        ]
        drawn = f"Of {counted(self.draws, 'item')} drawn from class bags {self.right:,} are right."
        bets: list[list[Cell]] = [
            [str(b.label), b.odds, b.staked, b.won, b.gain] for b in self.bets
        ]
        head = ["class", "odds", "staked", "won", "gain"]
        return Content(
            f"{n}, {counted(k, 'class', 'classes')}: macro recall and F1 of averages in words",
            [
                Sheet(Grid(["reading", "value", "meaning"], rows), wide=120),
                *([Words(drawn)] if self.draws else []),
                Heading("The bookmaker's books: fair odds are all items / items of the class"),
                Sheet(Grid(head, bets), digits=2, most=SHOWN_CLASSES, rows="classes"),
            ],
            self._data,
            str(self.signature),
            self.warnings,
        )

    def _data(self) -> Grid:
        """Every number, one a row."""
        rows: list[list[Cell]] = [[name, "", value] for name, value in self.parts.items()]
        for b in self.bets:
            rows += [[name, str(b.label), getattr(b, name)] for name in b.told[1:]]
        return Grid(["quantity", "label", "value"], rows)


def readings(
    *data: Any,
    draws: int = 0,
    classes: Classes = "task",
    undefined: Undefined = 0,
    seed: int = 0,
    y_true: Any = None,
    y_pred: Any = None,
    true: str | None = None,
    pred: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    drop_null_truth: bool = False,
) -> Readings:
    """Macro recall as draws from class bags, a bookmaker's gain and calibrated accuracy, and the
    F1 of averages as the agreement of two annotators.

    odds_i = s/prevalence_i, gain = Σ odds_i·correct_i − s = s·(k·macro recall − 1); agreement =
    harmonic mean of macro recall and the transpose's (Opitz 2022, eq. 9–21). ``draws`` items are
    drawn from random bags, too. Two annotators have no truth: ``classes="seen"`` averages over
    the labels of both, and the agreement is then the same whoever comes first.

    >>> found = readings([[6, 1, 1], [1, 5, 2], [2, 3, 7]], labels=["bird", "cat", "dog"])
    >>> found.bookmaker_gain, [b.odds for b in found.bets]
    (26.8333333, [3.5, 3.5, 2.3333333])
    >>> found.first_as_reference, found.second_as_reference, found.agreement
    (0.6527778, 0.6407407, 0.6467033)
    """
    if draws < 0:
        raise InputError(f"draws must be at least 0, got {draws}")
    given = Given("readings", data, y_true, y_pred, true, pred, labels, weights,
                  drop_null_truth=drop_null_truth)  # fmt: skip
    found = one_of("readings", system_of(given))
    if found.task != "single":
        raise refusal("readings", what_came((found,)), "classes need items of one label each")
    table: Confusion = found.tables()[0] if found.systems else found.tables()
    if table.shape:
        raise refusal("readings", what_came((table,)), "bags and bets are of one table")
    refuse_empty(table)
    worth, chosen = policy(undefined), rule_or_list(classes)
    kernels = bind_all(METRICS, table, classes=chosen, undefined=worth)
    bags, calibrated, gain, back, agreement = (float(x) for x in values_of(kernels, table))
    c = table.counts(classes=chosen, undefined=worth)
    each = np.asarray(recall(c), np.float64)[table.averaged(chosen)]
    each = each[~np.isnan(each)]
    rng = np.random.default_rng(seed)
    drawn = rng.choice(each, draws) if draws and each.size else each[:0]
    return Readings(
        signature_of(table, classes=chosen, undefined=worth),
        bags,
        float(np.prod(each)) if each.size else math.nan,
        calibrated,
        gain,
        bags,
        back,
        agreement,
        tuple(_bets(table)),
        drawn.size,
        int((rng.random(drawn.size) < drawn).sum()),
        tuple(_cautions(table, chosen, worth)),
    )


def _cautions(table: Confusion, classes: Classes, worth: float) -> Iterable[Note]:
    yield from notes_by_system(table, classes, worth)
    if table.outside.any():
        yield NoClass(float(table.outside.sum()), int(table.missing), weighted(table))


def _bets(table: Confusion) -> Iterable[Bets]:
    """The bets on every class that is true of some item; others have no odds."""
    odds = ratio(table.total, table.prevalence)
    rows = zip(table.labels, odds, table.prevalence, odds * table.correct, strict=True)
    return (Bets(v, *map(float, told)) for v, *told in rows if told[1] > 0)
