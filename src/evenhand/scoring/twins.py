"""Both macro F1s of one table, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evenhand.core import twins as twin
from evenhand.errors import InputError
from evenhand.evaluate import evaluate
from evenhand.format.json import SCHEMA, record
from evenhand.functions import as_table, policy
from evenhand.labels import Label, rule_or_list
from evenhand.multilabel import MultiLabel
from evenhand.signature import Signature, signature_of
from evenhand.table import Classes, Confusion

MOST = 2000
"""Classes up to which the pairs are looked at: there are k² of them."""


@dataclass(frozen=True)
class Twins:
    """The two macro F1s of one table, and what makes them differ."""

    macro_f1: float
    f1_of_averages: float
    gap: float
    bound: float
    gap_by_lemma: float | None
    pairs: tuple[tuple[Label, Label, float], ...]
    signature: Signature

    def to_dict(self) -> dict[str, Any]:
        """As ``evenhand twins --format json`` prints it."""
        return record(
            {
                "schema": SCHEMA,
                "signature": str(self.signature),
                "macro_f1": self.macro_f1,
                "f1_of_averages": self.f1_of_averages,
                "gap": self.gap,
                "gap_by_lemma": self.gap_by_lemma,
                "bound": self.bound,
                "pairs": [{"classes": [a, b], "share": share} for a, b, share in self.pairs],
            }
        )


def twins(
    *data: Any, classes: Classes = "seen", undefined: Any = 0, pairs: int | None = None
) -> Twins:
    """Both macro F1s of one table, their gap, the pairs of classes that make it, its bound.

    A pair's share is its part of the gap. ``pairs`` limits how many are listed; 0 skips the
    k² terms and the lemma's sum, as more than 2,000 classes do. The lemma needs 0/0 to count
    as 0.

    >>> found = twins([[100, 0], [10000, 100]])
    >>> found.f1_of_averages, found.macro_f1, found.gap
    (0.504950495049505, 0.0196078431372549, 0.48534265191225007)
    """
    table = as_table(*data)
    if not isinstance(table, Confusion | MultiLabel) or table.shape:
        raise InputError("twins is for one table with labels")
    if not float(table.total):
        raise InputError("the table holds no items: there is nothing to score")
    if pairs is not None and pairs < 0:
        raise InputError(f"pairs must be at least 0, got {pairs}")
    worth = policy(undefined)
    classes = rule_or_list(classes)
    mask = table.averaged(classes)
    c = table.counts(undefined=worth).over(mask)
    mean, averages = (float(evaluate(m, c)) for m in ("macro_f1", "f1_of_averages"))
    k = int(mask.sum())
    lemma: float | None = None
    shares: list[tuple[Label, Label, float]] = []
    if worth == 0 and pairs != 0 and table.k <= MOST:
        lemma, *found = twin.largest_pairs(c, pairs)
        shares = [
            (table.labels[i], table.labels[j], float(term) / lemma)
            for i, j, term in zip(*found, strict=True)
        ]
    signed = signature_of(table, classes=classes, undefined=worth)
    bound = twin.bound(max(k, 1))
    return Twins(mean, averages, averages - mean, bound, lemma, tuple(shares), signed)
