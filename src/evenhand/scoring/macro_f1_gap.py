"""Both macro F1s of one table, side by side."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias, TypedDict, cast

import numpy as np

from evenhand.catalogue.binding import (
    bind,
    bind_all,
    table_warnings,
    views_of,
)
from evenhand.catalogue.lists import TWINS
from evenhand.catalogue.signature import Signature, signatures_of
from evenhand.core.margins import Counts
from evenhand.core.metrics import macro
from evenhand.data.arguments import (
    Counted,
    VerbArguments,
    form_of,
    one_of,
    refusal,
    refuse_empty,
    system_of,
    verb,
)
from evenhand.data.confusion import Confusion
from evenhand.data.labels import Label, Labels
from evenhand.data.multilabel import AnyTable
from evenhand.inference.jackknife import biased, corrected
from evenhand.inference.rows import Floats, rows_of
from evenhand.options import TwinsOptions, whole_number
from evenhand.records import Interval
from evenhand.results.document import Block, Content, Heading, Table
from evenhand.results.result import Collection, Result
from evenhand.text import (
    Cell,
    Grid,
    IntervalCell,
    points,
    share_cell,
)
from evenhand.warnings import ManyPairs


class ClassPair(TypedDict):
    """Two classes, and their share of the gap."""

    classes: tuple[Label, Label]
    share: float


Pairs: TypeAlias = tuple[tuple[Label, Label, float], ...]

NUMBERS = (*(m.metric.name for m in TWINS), "gap", "bound")
GAP = "f1_gap"
MEAN = "mean of the per-class F1"
OF_AVERAGES = "F1 of macro precision and macro recall"

MOST_CLASSES = 2000
"""Classes up to which the pairs are looked at: there are k² of them."""
SHOWN_PAIRS = 5


class Twins(Collection[str, float], Result):
    """The two macro F1s of one table, and what makes them differ.

    >>> import evenhand as eh
    >>> eh.twins([[100, 0], [10000, 100]])["gap"]
    0.48534265191225007
    """

    macro_f1: float
    f1_of_averages: float
    gap: float
    bound: float
    gap_by_lemma: float | None
    pairs: Pairs
    signature: Signature
    key: Any = None
    slices: tuple[Twins, ...] = ()
    corrected: Interval | None = None

    drawn_by = "scoring.charts.gap"
    json_fields = """n?=slice_n signature macro_f1 f1_of_averages gap gap_by_lemma bound corrected
    pairs=class_pairs"""

    @property
    def class_pairs(self) -> list[ClassPair]:
        """The pairs by name."""
        return [{"classes": (a, b), "share": share} for a, b, share in self.pairs]

    @property
    def slice_n(self) -> int | None:
        """The number of items of a slice."""
        return None if self.key is None else self.n

    @property
    def n(self) -> int:
        """The number of items."""
        return int(self.signature.n)

    @property
    def parts(self) -> dict[str, float]:
        """Its numbers by name."""
        return self.select(" ".join(NUMBERS))

    def content(self, *, pairs: int = SHOWN_PAIRS) -> Content:
        """Both formulas, what the gap means, and the pairs behind it."""
        mean, averages, gap = self._formulas()
        corrected = None if self.corrected is None else IntervalCell(self.corrected)
        more: list[list[Cell]] = [
            ["gap_by_lemma", self.gap_by_lemma, "as a sum over class pairs"],
            ["corrected", corrected, "the gap less what few items add to it"],
            ["bound", self.bound, "the largest gap of any table with so many classes"],
        ]
        rows = [averages, mean, gap, *(row for row in more if row[1] is not None)]
        blocks: list[Block] = [Table(Grid(["quantity", "value", "meaning"], rows), wide=100)]
        if pairs and self.pairs:
            listed: list[list[Cell]] = [[str(a), str(b), share_cell(s)] for a, b, s in self.pairs]
            grid = Grid(["class", "with", "share of the gap"], listed)
            table = Table(grid, most=pairs, rows="pairs")
            blocks += [Heading("Pairs of classes"), table, self.picture]
        if self.slices:
            columns = f"slice=key:key, items=n, {', '.join(NUMBERS)}"
            grid = Grid.from_records(self.slices, columns)
            blocks += [Heading("Slices"), Table(grid, most=60, rows="slices")]
        title = f"the two formulas called 'macro F1' differ by {points(self.gap)}"
        return self.described(title, blocks, self._data)

    def _data(self) -> Grid:
        """One row a number, then one a pair of classes; of slices, those of each."""
        return self._in_slices(["quantity", "value", "signature"], Twins._rows)

    def _rows(self) -> Iterator[list[Cell]]:
        numbers = {**self.parts, "gap_by_lemma": self.gap_by_lemma}
        numbers |= {f"share of {a} and {b}": share for a, b, share in self.pairs}
        for name, value in numbers.items():
            yield [name, value, str(self.signature)]

    def blocks(self) -> list[Block]:
        """Both formulas in a few lines, as a part of other content."""
        grid = Grid(["formula", "value", "meaning"], self._formulas())
        return [Heading("Two formulas are called 'macro F1'"), Table(grid, wide=100)]

    def _formulas(self) -> list[list[Cell]]:
        """Both formulas and the gap with what they mean."""
        meanings = {"macro_f1": MEAN, "f1_of_averages": OF_AVERAGES, "gap": self.meaning}
        return [[name, self[name], meaning] for name, meaning in meanings.items()]

    @property
    def meaning(self) -> str:
        """What the gap says about the system, in a few words."""
        if math.isnan(self.gap):
            return "undefined: no averaged class has a value"
        if self.bound == 0:
            return "none: the formulas differ only between classes, and one is averaged"
        if self.gap <= 1e-12:
            return "none: no two classes differ in how they trade precision for recall"
        return f"{points(self.gap)} of at most {100 * self.bound:.1f}"


@verb(TwinsOptions, without=("cluster",))
def twins(arguments: VerbArguments, options: TwinsOptions) -> Twins:
    """Both macro F1s of one table, their gap, the pairs of classes that make it, its bound.

    A pair's share is its part of the gap. Small samples of more than five classes make the gap
    larger than it is: ``corrected`` is the gap less that, with its 95 % interval, where the items
    were counted one by one. ``pairs`` limits how many are listed; 0 skips the
    k² terms and the lemma's sum, as more than 2,000 classes do. The lemma needs 0/0 to count
    as 0. ``by`` does the same in slices of the items.

    >>> result = twins([[100, 0], [10000, 100]])
    >>> result.f1_of_averages, result.macro_f1, result.gap
    (0.504950495049505, 0.0196078431372549, 0.48534265191225007)
    """
    counted: Counted = one_of("twins", system_of(arguments))
    table: AnyTable = cast(Confusion, counted.tables())[0] if counted.systems else counted.tables()
    if len(table.shape) > 1:
        raise refusal("twins", form_of(table))
    pooled, parts = table.sliced()
    slices = [replace(_of_one(t, options), key=key) for key, t in parts]
    return _of_one(pooled, options).with_slices(slices)


def _of_one(table: AnyTable, options: TwinsOptions) -> Twins:
    """The twins of one table, and what a reader must know of it."""
    refuse_empty(table)
    binding, pairs = options.binding, options.pairs
    both = bind_all(TWINS, table, **binding)
    views, signed = views_of(both, table), signatures_of(table, **binding)
    (result,) = twins_of(views.prepared(both[0]), table.labels, views.values(both), signed, pairs)
    cautions = table_warnings(cast(Confusion, table), options.classes, options.zero_division)
    cautions += [ManyPairs(MOST_CLASSES)] if pairs != 0 and table.k > MOST_CLASSES else []
    kernel, debiased = bind(GAP, table, **binding), None
    counted = table.in_cells and table.weighing == "none" and not math.isnan(result.gap)
    if counted and biased(kernel):  # which the jackknife knows of items counted one by one
        gap, margins = np.asarray(result.gap), views_of([kernel], table).prepared(kernel)
        debiased = corrected(rows_of(table), kernel, gap, margins, 0.95).at(0)
    return replace(result, cautions=tuple(cautions), corrected=debiased)


def twins_of(
    c: Counts, labels: Labels, both: Iterable[Floats], signed: list[Signature], pairs: int | None
) -> list[Twins]:
    """The twins of every table of a stack, from its margins and both values of each."""
    sizes = np.broadcast_to(np.asarray(c.averaged).sum(axis=-1), len(signed)).tolist()
    decomposed = c.undefined == 0 and pairs != 0 and len(labels) <= MOST_CLASSES
    bounds = [macro.bound(size or 1) for size in sizes]
    shares = macro.largest_of_each(c, pairs) if decomposed else [None] * len(signed)
    mean, averages = (np.asarray(x).reshape(-1).tolist() for x in both)
    rows = zip(mean, averages, bounds, shares, signed, strict=True)
    return [Twins(m, a, a - m, most, *_pairs(terms, labels), signature)
            for m, a, most, terms, signature in rows]  # fmt: skip


def _pairs(terms_of_table: Any, labels: Labels) -> tuple[float | None, Pairs]:
    """A table's gap by the lemma, and the pairs of classes with the largest shares of it."""
    if terms_of_table is None:
        return None, ()
    lemma, *terms = terms_of_table
    rows = zip(*(x.tolist() for x in terms), strict=True)
    return lemma, tuple((labels[i], labels[j], term / lemma) for i, j, term in rows)


def gap_bound(k: int) -> float:
    """The least number that the gap of no table of k classes exceeds: 1/2, less if k is odd.

    Of one table, half the mean of |precision − recall| over its classes is a sharper bound
    (``evenhand papers 000-sharper-bound``).

    >>> gap_bound(2), gap_bound(3)
    (0.5, 0.4444444444444444)
    """
    return macro.bound(whole_number(k, "k", 1))


def extremal(k: int, *, z: int = 1000) -> Confusion:
    """A table of k classes whose gap comes as near to ``gap_bound(k)`` as ``z`` is large.

    Ones on the diagonal; in each pair of classes z items of one are taken for the other
    (Opitz & Burst 2019, theorem 3 and its proof).

    >>> extremal(3, z=9).cells
    array([[1, 0, 0],
           [9, 1, 9],
           [0, 0, 1]])
    """
    k, z = whole_number(k, "k", 2, 10_000), whole_number(z, "z", 0, 10**15)
    return Confusion.from_matrix(macro.extremal(k, z))
