"""Macro recall and the F1 of averages in everyday terms: draws, bets, two annotators."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from evenhand.catalogue.binding import (
    bind_all,
    table_warnings,
    values_of,
)
from evenhand.catalogue.signature import Signature, signature_of
from evenhand.core.metrics.per_class import recall
from evenhand.core.ratio import ratio
from evenhand.data.arguments import (
    VerbArguments,
    form_of,
    one_of,
    refusal,
    refuse_empty,
    system_of,
    verb,
)
from evenhand.data.confusion import Confusion
from evenhand.data.labels import Label
from evenhand.options import ReadingsOptions
from evenhand.records import Record
from evenhand.results.document import Content, Heading, Paragraph, Table
from evenhand.results.result import Collection, Result
from evenhand.text import Cell, Grid, counted
from evenhand.warnings import ResultWarning

METRICS = [
    "macro_recall",
    "accuracy@uniform",
    "bookmaker_gain",
    "macro_precision",
    "f1_of_averages",
]
MEANINGS = {
    "class_bags": "macro recall: chance that an item of a random class is right",
    "every_bag": "chance that of one item of each class all are right",
    "calibrated_accuracy": "accuracy with equal classes: macro recall of all",
    "bookmaker_gain": "units won at fair odds by a bet of one on each item, the stakes paid",
    "first_as_reference": "macro recall of the second annotator (the predictions) by the first",
    "second_as_reference": "macro recall of the first annotator by the second: macro precision",
    "agreement": "harmonic mean of the two: the F1 of averages",
}
NAMES = {"class_bags": "item of a random class", "every_bag": "one item of each class"}
"""What readings are called, where their identifiers do not say it."""
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

    json_fields = "label odds staked won gain"

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
    cautions: tuple[ResultWarning, ...] = ()

    json_fields = " ".join(["signature", *MEANINGS, "draws right bets"])

    @property
    def parts(self) -> dict[str, float]:
        """Its numbers by name."""
        return self.select(" ".join(MEANINGS))

    def content(self) -> Content:
        """Each reading with what it means, then the bets class by class."""
        n, k = counted(float(self.signature.n), "item"), len(self.bets)
        rows: list[list[Cell]] = [
            [NAMES.get(name, name.replace("_", " ")), value, MEANINGS[name]]
            for name, value in self.items()
        ]
        draws = counted(self.draws, "item")
        drawn = f"Of {draws} drawn from random classes {self.right:,} are right."
        bets = Grid.from_records(self.bets, "class=label:text, odds, staked, won, gain")
        return self.described(
            f"{n}, {counted(k, 'class', 'classes')}: macro recall and F1 of averages in words",
            [
                Table(Grid(["reading", "value", "meaning"], rows), wide=120),
                *([Paragraph(drawn)] if self.draws else []),
                Heading("The bookmaker's books: fair odds are all items / items of the class"),
                Table(bets, digits=2, most=SHOWN_CLASSES, rows="classes"),
            ],
            self._data,
        )

    def _data(self) -> Grid:
        """Every number, one a row."""
        rows: list[list[Cell]] = [[name, "", value] for name, value in self.parts.items()]
        for b in self.bets:
            rows += [[name, str(b.label), getattr(b, name)] for name in b.json_fields.split()[1:]]
        return Grid(["quantity", "label", "value"], rows)


@verb(ReadingsOptions, without=("cluster", "by", "by_row"))
def readings(arguments: VerbArguments, options: ReadingsOptions) -> Readings:
    """Macro recall as draws from class bags, a bookmaker's gain and calibrated accuracy, and the
    F1 of averages as the agreement of two annotators.

    odds_i = s/prevalence_i, gain = Σ odds_i·correct_i − s = s·(k·macro recall − 1); agreement =
    harmonic mean of macro recall and the transpose's (Opitz 2022, eq. 9–21). ``draws`` items are
    drawn from random bags, too. Two annotators have no truth: ``classes="seen"`` averages over
    the labels of both, and the agreement is then the same whoever comes first.

    >>> counted = readings([[6, 1, 1], [1, 5, 2], [2, 3, 7]], labels=["bird", "cat", "dog"])
    >>> counted.bookmaker_gain, [b.odds for b in counted.bets]
    (26.8333333, [3.5, 3.5, 2.3333333])
    >>> counted.first_as_reference, counted.second_as_reference, counted.agreement
    (0.6527778, 0.6407407, 0.6467033)
    """
    counted = one_of("readings", system_of(arguments))
    if counted.task != "single":
        raise refusal("readings", form_of(counted), "classes need items of one label each")
    table: Confusion = counted.tables()[0] if counted.systems else counted.tables()
    if table.shape:
        raise refusal("readings", form_of(table), "bags and bets are of one table")
    refuse_empty(table)
    zero_division, chosen, draws = options.zero_division, options.classes, options.draws
    kernels = bind_all(METRICS, table, classes=chosen, undefined=zero_division)
    bags, calibrated, gain, back, agreement = (float(x) for x in values_of(kernels, table))
    c = table.counts(classes=chosen, undefined=zero_division)
    recalls = np.asarray(recall(c), np.float64)[table.averaged(chosen)]
    recalls = recalls[~np.isnan(recalls)]
    odds = ratio(table.total, table.prevalence)
    books = zip(table.labels, odds, table.prevalence, odds * table.correct, strict=True)
    bets = (Bets(v, *map(float, amounts)) for v, *amounts in books if amounts[1] > 0)
    rng = np.random.default_rng(options.seed)
    drawn = rng.choice(recalls, draws) if draws and recalls.size else recalls[:0]
    return Readings(
        signature_of(table, classes=chosen, undefined=zero_division),
        bags,
        float(np.prod(recalls)) if recalls.size else math.nan,
        calibrated,
        gain,
        bags,
        back,
        agreement,
        tuple(bets),
        drawn.size,
        int((rng.random(drawn.size) < drawn).sum()),
        tuple(table_warnings(table, chosen, zero_division)),
    )
