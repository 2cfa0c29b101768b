"""Both macro F1s of one table, side by side."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

import numpy as np

from evenhand.catalogue.binding import Table, bind, bind_all, views_of
from evenhand.catalogue.lists import TWINS
from evenhand.catalogue.policy import Undefined, policy
from evenhand.catalogue.strays import stray_notes, weighted
from evenhand.core import twins as twin
from evenhand.core.counts import Counts
from evenhand.count.forms import one_of, refusal, refuse_empty, what_came
from evenhand.count.given import Counted, Given, system_of
from evenhand.errors import InputError
from evenhand.infer.delta import Filled
from evenhand.infer.design import Floats
from evenhand.infer.jackknife import biased, corrected
from evenhand.notes.data import NoClass
from evenhand.notes.interval import Interval
from evenhand.notes.note import Note
from evenhand.notes.ranks import ManyPairs
from evenhand.notes.slices import of_slices
from evenhand.results.cells import Cell, Exact, Share, Sure
from evenhand.results.content import Block, Content, Heading, Pictures, Sheet
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result, warned
from evenhand.results.text import POOLED, percent, points, shortened, visible
from evenhand.signature.build import signatures_of
from evenhand.signature.line import Signature
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.labels import Label, Labels, key_text, rule_or_list

Pairs: TypeAlias = tuple[tuple[Label, Label, float], ...]

NUMBERS = (*(m.metric.name for m in TWINS), "gap", "bound")
GAP = "f1_gap"
MEAN = "mean of the per-class F1"
OF_AVERAGES = "F1 of macro precision and macro recall"

MOST = 2000
"""Classes up to which the pairs are looked at: there are k² of them."""
SHOWN_PAIRS = 5


@dataclass(frozen=True, eq=False, repr=False)
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
    cautions: tuple[Note, ...] = ()
    key: Any = None
    slices: tuple[Twins, ...] = ()
    corrected: Interval | None = None

    told = ("signature", "macro_f1", "f1_of_averages", "gap", "gap_by_lemma", "bound", "corrected")

    def facts(self) -> dict[str, Any]:
        """What ``evenhand twins --format json`` prints."""
        pairs = [{"classes": [a, b], "share": share} for a, b, share in self.pairs]
        found: dict[str, Any] = {**self.picked(*self.told), "pairs": pairs}
        if self.slices:
            found["slices"] = [
                {"key": s.key, "n": int(s.signature.n), **s.facts(), **warned(())}
                for s in self.slices
            ]
        return found

    @property
    def parts(self) -> dict[str, float]:
        """Its numbers by name."""
        return self.picked(*NUMBERS)

    def content(self, *, pairs: int = SHOWN_PAIRS) -> Content:
        """Both formulas to all digits, what the gap means, and the pairs behind it."""
        rows: list[list[Cell]] = [
            ["f1_of_averages", Exact(self.f1_of_averages), OF_AVERAGES],
            ["macro_f1", Exact(self.macro_f1), MEAN],
            ["gap", Exact(self.gap), self.meaning],
        ]
        if self.gap_by_lemma is not None:
            rows.append(["gap_by_lemma", Exact(self.gap_by_lemma), "as a sum over class pairs"])
        if self.corrected is not None:
            rows.append(
                ["corrected", Sure(self.corrected), "the gap less what few items add to it"]
            )
        rows.append(["bound", Exact(self.bound), "no table of so many classes has a larger gap"])
        blocks: list[Block] = [Sheet(Grid(["quantity", "value", "meaning"], rows), wide=100)]
        if pairs and self.pairs:
            listed: list[list[Cell]] = [[str(a), str(b), Share(s)] for a, b, s in self.pairs]
            grid = Grid(["class", "with", "share of the gap"], listed)
            blocks += [Heading("Pairs of classes"), Sheet(grid, most=pairs, rows="pairs")]
            blocks.append(Pictures([self._chart]))
        if self.slices:
            sliced: list[list[Cell]] = [
                [key_text(s.key), int(s.signature.n), *s.parts.values()] for s in self.slices
            ]
            grid = Grid(["slice", "items", *NUMBERS], sliced)
            blocks += [Heading("Slices"), Sheet(grid, most=60, rows="slices")]
        title = f"the two formulas called 'macro F1' differ by {points(self.gap)}"
        return Content(title, blocks, self._data, str(self.signature), tuple(self.warnings))

    def _chart(self) -> Any:
        from evenhand.scoring.charts import gap

        return gap(self)

    def _data(self) -> Grid:
        """One row a number, then one a pair of classes; of slices, those of each."""
        if not self.slices:
            return Grid(["quantity", "value", "signature"], list(self._rows([])))
        parts = [(key_text(s.key), s) for s in self.slices]
        rows = [row for key, part in (*parts, (POOLED, self)) for row in part._rows([key])]
        return Grid(["slice", "quantity", "value", "signature"], rows)

    def _rows(self, key: list[Cell]) -> Iterator[list[Cell]]:
        numbers = {**self.parts, "gap_by_lemma": self.gap_by_lemma}
        numbers |= {f"share of {a} and {b}": share for a, b, share in self.pairs}
        for name, value in numbers.items():
            yield [*key, name, value, str(self.signature)]

    def blocks(self) -> list[Block]:
        """Both formulas in a few lines, as a part of other content."""
        rows: list[list[Cell]] = [
            ["macro_f1", self.macro_f1, MEAN],
            ["f1_of_averages", self.f1_of_averages, OF_AVERAGES],
            ["gap", self.gap, self.meaning],
        ]
        grid = Grid(["formula", "value", "meaning"], rows)
        return [Heading("Two formulas are called 'macro F1'"), Sheet(grid, wide=100)]

    @property
    def meaning(self) -> str:
        """What the gap says about the system, in a few words."""
        if math.isnan(self.gap):
            return "undefined: no averaged class has a value"
        if self.bound == 0:
            return "none: the formulas differ only between classes, and one is averaged"
        if self.gap <= 1e-12:
            return "none: no two classes differ in how they trade precision for recall"
        size = f"{points(self.gap)} of at most {100 * self.bound:.1f}"
        if not self.pairs:
            return size
        a, b, share = self.pairs[0]
        names = f"{shortened(visible(str(a)), 20)} and {shortened(visible(str(b)), 20)}"
        return f"{size}; {percent(share)} of it from {names}"


def twins(
    *data: Any,
    classes: Classes = "task",
    undefined: Undefined = 0,
    pairs: int | None = None,
    y_true: Any = None,
    y_pred: Any = None,
    true: str | None = None,
    pred: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    by: Any = None,
    drop_null_truth: bool = False,
) -> Twins:
    """Both macro F1s of one table, their gap, the pairs of classes that make it, its bound.

    A pair's share is its part of the gap. Small samples of more than five classes make the gap
    larger than it is: ``corrected`` is the gap less that, with its 95 % interval, where the items
    were counted one by one. ``pairs`` limits how many are listed; 0 skips the
    k² terms and the lemma's sum, as more than 2,000 classes do. The lemma needs 0/0 to count
    as 0. ``by`` does the same in slices of the items.

    >>> found = twins([[100, 0], [10000, 100]])
    >>> found.f1_of_averages, found.macro_f1, found.gap
    (0.504950495049505, 0.0196078431372549, 0.48534265191225007)
    """
    if pairs is not None and pairs < 0:
        raise InputError(f"pairs must be at least 0, got {pairs}")
    beside = (labels, weights, None, by, drop_null_truth)
    given = Given("twins", data, y_true, y_pred, true, pred, *beside)
    counted: Counted = one_of("twins", system_of(given))
    table: Table = cast(Confusion, counted.tables())[0] if counted.systems else counted.tables()
    if len(table.shape) > 1:
        raise refusal("twins", what_came((table,)))
    worth, chosen = policy(undefined), rule_or_list(classes)
    whole, parts = table.sliced()
    slices = [replace(_of_one(t, chosen, worth, pairs), key=key) for key, t in parts]
    found = _of_one(whole, chosen, worth, pairs)
    inside = of_slices(found.cautions, ((s.key, s.cautions) for s in slices))
    return replace(found, slices=tuple(slices), cautions=(*found.cautions, *inside))


def _of_one(table: Table, classes: Classes, worth: float, pairs: int | None) -> Twins:
    """The twins of one table, and what a reader must know of it."""
    refuse_empty(table)
    signs = signatures_of(table, classes=classes, undefined=worth)
    both = bind_all(TWINS, table, classes=classes, undefined=worth)
    views = views_of(both, table)
    (found,) = twins_of(views.of(both[0]), table.labels, views.values(both), signs, pairs=pairs)
    cautions = tuple(_cautions(table, classes, worth, found.macro_f1, pairs))
    return replace(found, cautions=cautions, corrected=_corrected(table, classes, worth, found.gap))


def _corrected(table: Table, classes: Classes, worth: float, gap: float) -> Interval | None:
    """The gap less its bias, which the jackknife knows of items counted one by one."""
    if not table.in_cells or table.weighing != "none" or math.isnan(gap):
        return None
    kernel = bind(GAP, table, classes=classes, undefined=worth)
    if not biased(kernel):
        return None
    cells = Filled.of(cast(Confusion, table))
    found = corrected(cells, kernel, np.asarray(gap), views_of([kernel], table), 0.95)
    return found.at(0)


def _cautions(
    table: Table, classes: Classes, worth: float, value: float, pairs: int | None
) -> Iterable[Note]:
    yield from (note for note in stray_notes(table, classes, worth, [value]) if note is not None)
    if table.outside.any():
        yield NoClass(float(table.outside.sum()), int(table.missing), weighted(table))
    if pairs != 0 and table.k > MOST:
        yield ManyPairs(MOST)


def twins_of(
    c: Counts, labels: Labels, both: Iterable[Floats], signs: list[Signature], *, pairs: int | None
) -> list[Twins]:
    """The twins of every table of a stack, from its margins and both values of each."""
    sizes = np.broadcast_to(np.asarray(c.averaged).sum(axis=-1), len(signs)).tolist()
    told = c.undefined == 0 and pairs != 0 and len(labels) <= MOST
    bounds = [twin.bound(size or 1) for size in sizes]
    shares = twin.largest_of_each(c, pairs) if told else [None] * len(signs)
    mean, averages = (np.asarray(x).reshape(-1).tolist() for x in both)
    rows = zip(mean, averages, bounds, shares, signs, strict=True)
    return [Twins(m, a, a - m, most, *_pairs(found, labels), signed)
            for m, a, most, found, signed in rows]  # fmt: skip


def _pairs(found: Any, labels: Labels) -> tuple[float | None, Pairs]:
    """A table's gap by the lemma, and the pairs of classes with the largest shares of it."""
    if found is None:
        return None, ()
    lemma, *terms = found
    rows = zip(*(x.tolist() for x in terms), strict=True)
    return lemma, tuple((labels[i], labels[j], term / lemma) for i, j, term in rows)


def gap_bound(k: int) -> float:
    """The least number that the gap of no table of k classes exceeds: 1/2, less if k is odd.

    >>> gap_bound(2), gap_bound(3)
    (0.5, 0.4444444444444444)
    """
    if k < 1:
        raise InputError(f"k must be a number of classes, at least 1, got {k}")
    return twin.bound(k)


def extremal(k: int, *, z: int = 1000) -> Confusion:
    """A table of k classes whose gap comes as near to ``gap_bound(k)`` as ``z`` is large.

    Ones on the diagonal; in each pair of classes z items of one are taken for the other
    (Opitz & Burst 2019, theorem 3 and its proof).

    >>> extremal(3, z=9).cells
    array([[1, 0, 0],
           [9, 1, 9],
           [0, 0, 1]])
    """
    if k < 2 or z < 0:
        raise InputError(f"extremal tables have k of at least 2 and z of at least 0, got {k}, {z}")
    return Confusion.from_matrix(twin.extremal(k, z))
