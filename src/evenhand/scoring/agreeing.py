"""Agree: Krippendorff's alpha of any number of annotators, who need not have rated every item."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from evenhand.core.coincidence import APART, Apart, alpha, coincidences
from evenhand.errors import InputError, Option, shown
from evenhand.infer.design import Floats
from evenhand.infer.quantile import reach
from evenhand.infer.wilson import around_share
from evenhand.notes.interval import Interval
from evenhand.notes.method import Method
from evenhand.notes.note import Note
from evenhand.notes.sure import FewTelling, NoWidth
from evenhand.results.cells import Cell, Sure
from evenhand.results.content import Content, Heading, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result
from evenhand.results.text import counted, level_text
from evenhand.scoring.ratings import columns_of, counts_of
from evenhand.signature.fields import checked_level
from evenhand.tables.distance import Distance, as_distance
from evenhand.tables.labels import Label, checked, is_null, kind_of, ordered, plain

FEW = 10
"""Items that say something, below which a warning says so."""
STEP = 1e-6
"""The step of a slope."""


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Collection[str, Interval], Result):
    """How well annotators agree: alpha with its interval, and what it is of.

    ``pairable`` items have two ratings or more; others say nothing of agreement.

    >>> import evenhand as eh
    >>> found = eh.agree({"A": list("aabb"), "B": list("aabc"), "C": [None, "a", "b", "b"]})
    >>> round(found.alpha.value, 4), found.pairable, found.missing
    (0.7143, 4, 1)
    """

    told: ClassVar[tuple[str, ...]] = (
        "distance", "alpha", "n", "pairable", "annotators", "ratings", "missing", "labels",
        "used",
    )  # fmt: skip

    distance: str
    alpha: Interval
    n: int
    pairable: int
    annotators: int
    ratings: int
    missing: int
    labels: tuple[Label, ...]
    used: tuple[int, ...]
    cautions: tuple[Note, ...] = ()

    @property
    def parts(self) -> dict[str, Interval]:
        """Alpha by its name."""
        return {"alpha": self.alpha}

    def content(self) -> Content:
        """Alpha, what it is of, and how often each label was given."""
        named = f"Krippendorff's alpha ({self.distance}) {Sure(self.alpha).text(4)}"
        facts = [counted(self.n, "item"), counted(self.annotators, "annotator")]
        facts.append(counted(self.ratings, "rating"))
        level = self.alpha.level
        facts += [] if level is None else [f"{level_text(level)} interval over items"]
        alone = self.n - self.pairable
        said = f"{counted(self.pairable, 'item')} with two ratings or more"
        said += f"; {counted(alone, 'item')} with fewer say nothing." if alone else "."
        rows: list[list[Cell]] = [[str(v), n] for v, n in zip(self.labels, self.used, strict=True)]
        return Content(
            ", ".join(facts),
            [
                Words(named, "verdict"),
                Words(f"1 is agreement on every item, 0 what ratings at random have. {said}"),
                Heading("How often each label was given to those items"),
                Sheet(Grid(["label", "ratings"], rows), most=50, rows="labels"),
            ],
            self._data,
            warnings=self.warnings,
        )

    def _data(self) -> Grid:
        a = self.alpha
        sure: list[Cell] = ["alpha", "", a.value, a.se, a.low, a.high, str(a.method or "")]
        counts = ("n", "pairable", "annotators", "ratings", "missing")
        rows = [sure, *([name, "", getattr(self, name), *[None] * 3, ""] for name in counts)]
        pairs = zip(self.labels, self.used, strict=True)
        rows += [["used", str(v), n, *[None] * 3, ""] for v, n in pairs]
        return Grid(["quantity", "label", "value", "se", "low", "high", "method"], rows)


def agree(
    ratings: Any,
    *,
    distance: Any = "nominal",
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    labels: Iterable[Any] | None = None,
    level: float = 0.95,
) -> Agreement:
    """Krippendorff's alpha of the ratings of any number of annotators, some of them missing.

    ``ratings`` maps each annotator to a rating an item (``None`` where there is none), or is a
    frame with a column an annotator, or rows of ratings, an annotator each; or a frame with a row
    a rating, whose columns ``item``, ``annotator`` and ``label`` are named. ``distance`` is
    ``"nominal"``, ``"ordinal"`` (in the order of ``labels``, else their own), ``"interval"`` or
    ``"ratio"`` (labels are numbers), or what :func:`evenhand.score` takes: a matrix or a tree.

    α = 1 − (N − 1)·Σ o·d / Σ n·n′·d, o the coincidences of ratings, n their sums (Krippendorff
    2011). The interval is by the larger of the jackknife over items and the delta method with two
    items more, on Wilson's scale, with Student's quantile.

    >>> found = agree([[1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    ...                [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    ...                [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    ...                [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None]], distance="interval")
    >>> round(found.alpha.value, 3), found.ratings  # as Krippendorff (2011)
    (0.849, 41)
    """
    checked_level(level)
    columns = columns_of(ratings, item, annotator, label)
    given = [[None if is_null(v) else plain(v) for v in column] for column in columns]
    if len({len(column) for column in given}) > 1:
        sizes = shown(sorted({len(column) for column in given}))
        raise InputError(f"annotators must have a rating, or none, for each item, got {sizes}")
    there = {v for column in given for v in column if v is not None}
    kind_of(there, "ratings")
    known = checked(ordered(there) if labels is None else labels) if there else ()
    counts = counts_of(given, known)
    pairable = counts.sum(axis=1) > 1
    if not pairable.any():
        raise InputError("no item has two ratings: agreement needs at least two of some item")
    name, apart = _apart(distance, known)
    kept = counts[pairable]
    rated = int(counts.sum())
    found, notes = _sure(kept, apart, level)
    return Agreement(
        name,
        found,
        len(counts),
        int(pairable.sum()),
        len(given),
        rated,
        counts.shape[0] * len(given) - rated,
        known,
        tuple(map(int, kept.sum(axis=0))),
        notes,
    )


def _apart(given: Any, labels: tuple[Label, ...]) -> tuple[str, Apart]:
    """What a distance is called, and how far apart it makes labels."""
    if isinstance(given, str) and given in APART:
        return given, APART[given](_numbers(given, labels))
    if isinstance(given, str):
        kinds = ", ".join(map(repr, APART))
        raise InputError(
            Option("distance"), f" of ratings must be {kinds}, a matrix or a tree, got {given!r}"
        )
    found = as_distance(given)
    assert isinstance(found, Distance)
    far = found.over(labels).far[:, :-1]
    return found.name, lambda _: far


def _numbers(kind: str, labels: tuple[Label, ...]) -> Floats:
    if kind not in ("interval", "ratio"):
        return np.arange(len(labels), dtype=np.float64)
    try:
        found = np.array([float(v) for v in labels])
    except ValueError:
        raise InputError(f"labels must be numbers for {kind}, got {shown(labels)}") from None
    if kind == "ratio" and (found < 0).any():
        raise InputError(f"labels must be numbers ≥ 0 for ratio, got {shown(labels)}")
    return found


def _sure(counts: Floats, apart: Apart, level: float) -> tuple[Interval, tuple[Note, ...]]:
    """Alpha with an interval over items; items rated alike are taken once.

    The error is the larger of the jackknife's and the delta method's with two items more, one that
    all agree on and one that somebody does not, spread over the labels. Items on which all gave the
    commonest label say little: Student's quantile has as many degrees as there are others.
    """
    kinds, times = np.unique(counts, axis=0, return_counts=True)
    each, n = coincidences(kinds), len(counts)
    whole = np.einsum("u,ukl->kl", times, each)
    value = float(alpha(whole, apart))
    common = int(counts.sum(axis=0).argmax())
    telling = int(np.sum(counts[:, common] < counts.sum(axis=1)))
    if n < 3 or not telling:
        return Interval(value, level=level, note="no width"), (NoWidth(("alpha",)),)
    less = np.array([float(alpha(whole - one, apart)) for one in each])
    spread = float(np.sum(times * (less - np.average(less, weights=times)) ** 2) * (n - 1) / n)
    near, smoothed = _smoothed(kinds, times, whole, apart)
    place = (value + 1) / 2
    within = min(place, (near + 1) / 2) if smoothed > spread else place
    worth = within * (1 - within) / (max(spread, smoothed) / 4)
    low, high = around_share(np.array(place), np.array(worth), reach(level, telling))
    ends = max(2 * float(low) - 1, -1.0), 2 * float(high) - 1
    error = math.sqrt(max(spread, smoothed))
    found = Interval(value, error, *ends, level, Method("jackknife", "score"))
    return found, (FewTelling(telling, n),) if telling < FEW else ()


def _smoothed(kinds: Floats, times: Any, whole: Floats, apart: Apart) -> tuple[float, float]:
    """Alpha with two items more, and its squared error by the slopes in each kind of item."""
    k = kinds.shape[1]
    raters = max(2.0, round(float(np.average(kinds.sum(axis=1), weights=times))))
    agreed = raters * np.eye(k)
    apart_once = agreed - np.eye(k) + np.roll(np.eye(k), 1, axis=1)
    more = np.concatenate([agreed, apart_once])
    weight = np.concatenate([times, np.full(2 * k, 1 / k)])
    table = whole + sum(coincidences(row[None])[0] for row in more) / k
    near = float(alpha(table, apart))
    slopes = np.array(
        [
            (float(alpha(table + STEP * coincidences(row[None])[0], apart)) - near) / STEP
            for row in np.concatenate([kinds, more])
        ]
    )
    items = float(weight.sum())
    off = slopes - np.sum(weight * slopes) / items
    return near, float(np.sum(weight * off**2) * items / (items - 1))
