"""Krippendorff's alpha: how well annotators agree."""

from __future__ import annotations

import math
import re
import string
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.catalogue.lists import alphabetical
from evenhand.core.contingency import APART, CoincidenceDistances, alpha, coincidences
from evenhand.data.counting import spelling_notes
from evenhand.data.distances import ORDINAL, Distance, as_distance
from evenhand.data.labels import (
    Label,
    checked,
    common_spellings,
    is_null,
    kind_of,
    ordered,
    plain,
)
from evenhand.data.matching import words
from evenhand.errors import InputError, Option, sequence, shown
from evenhand.inference.rows import Floats
from evenhand.inference.wilson import around_share, critical_value
from evenhand.options import LEVEL
from evenhand.records import Interval, Method
from evenhand.results.document import Content, Heading, Paragraph, Table
from evenhand.results.result import Collection, Result
from evenhand.text import Cell, Grid, IntervalCell, counted, level_text
from evenhand.warnings import (
    Alphabetical,
    CaseApart,
    FewTelling,
    FinalLabels,
    MissingAsLabel,
    NoAnnotators,
    NoWidth,
    ResultWarning,
)

MAX_LABELS = 400
"""Labels that ratings may have: pairs of them are held for every item."""
ITEM_NAMES = re.compile(
    r"(.*[_ .-])?(ids?|idx|index|guid|uuid|key|nr|no|number|row|item|unit|case|patient|subject|"
    r"person|participant|document|doc|text|sentence|question|example|sample|tweet|post|image|file)",
    re.IGNORECASE,
)
"""What a column that says which item a row is tends to be called."""


RATER_NAMES = re.compile(r"(annotator|rater|coder|worker|judge)([ _.-]?(id|name))?", re.I)
"""Names of columns that say who gave a rating."""
FINAL_NAMES = re.compile(
    r"(.* )?(adjudicated|adjudication|aggregated|consensus|final|gold|majority|truth)( .*)?"
)
"""Names of columns with the label that annotators settled on."""
MISSING_NAMES = {"na", "n/a", "n.a.", "#n/a", "nan", "null", "-", "?"}
"""What people write in the place of a rating that there is none of."""


def columns_of(
    ratings: Any, item: str | None, annotator: str | None, label: str | None
) -> tuple[dict[str, list[Any]], tuple[ResultWarning, ...]]:
    """Ratings by annotator, item by item; and warnings of other columns of a frame."""
    named = {"item": item, "annotator": annotator, "label": label}
    lacking = [name for name, column in named.items() if column is None]
    if len(lacking) not in (0, 3):
        raise InputError(
            f"a row a rating needs the columns {shown(named)}, lacks ", Option(lacking[0])
        )
    names: tuple[str, ...] = ()
    notes: tuple[ResultWarning, ...] = ()
    if hasattr(ratings, "collect_schema") or hasattr(ratings, "__dataframe__"):
        import narwhals as nw

        frame = nw.from_native(ratings)
        if isinstance(frame, nw.LazyFrame):
            frame = frame.collect()
        ratings = {str(c): frame[c].to_list() for c in frame.columns}
        if lacking:
            names = _identifiers(ratings)
            ratings = {c: values for c, values in ratings.items() if c not in names}
            notes = (NoAnnotators(names),) if names else ()
            final = tuple(c for c in ratings if FINAL_NAMES.fullmatch(words(c)))
            if final and len(ratings) - len(final) > 1:
                ratings = {c: values for c, values in ratings.items() if c not in final}
                notes += (FinalLabels(final),)
            _refuse_unrelated(ratings)
    if not lacking:
        return _from_long_format(ratings, named), ()
    if not isinstance(ratings, Mapping):
        unnamed = sequence(ratings, "ratings", "each annotator's ratings")
        letters = string.ascii_uppercase if len(unnamed) <= 26 else range(1, len(unnamed) + 1)
        ratings = dict(zip(letters, unnamed, strict=False))
    rows: Mapping[Any, Any] = ratings
    with suppress(TypeError):
        columns = {str(c): list(row) for c, row in rows.items() if not isinstance(row, str)}
        hash(tuple(v for column in columns.values() for v in column))
        if len(columns) == len(rows) > 1:
            return columns, notes
    left = f"; {shown(names)} has another value in every row" if names else ""
    raise InputError(
        f"ratings must be lists of at least two annotators, a rating an item each{left}"
    )


def _identifiers(columns: Mapping[str, list[Any]]) -> tuple[str, ...]:
    """The columns that name items: another value in every row, by what they are called or alone.

    Labels repeat, and those of one annotator are among those of others. Measurements may all
    differ, but then they do so for every annotator.
    """
    values = {c: set(map(repr, column)) for c, column in columns.items()}
    distinct = {
        c
        for c, column in columns.items()
        if 2 < len(column) == len(values[c]) and not any(map(is_null, column))
    }

    def names_items(name: str) -> bool:
        others = set[str]().union(*(v for c, v in values.items() if c != name))
        alone = 2 * len(values[name] & others) < len(values[name])
        few = len(distinct) < len(columns) - 1
        return ITEM_NAMES.fullmatch(name.strip()) is not None or (few and alone)

    return tuple(c for c in columns if c in distinct and names_items(c))


def _folded(label: Any) -> str:
    """A label in small letters, ``1`` for ``1.0``."""
    return str(label).casefold().removesuffix(".0")


def _refuse_unrelated(columns: Mapping[str, list[Any]]) -> None:
    """Refuse columns of which some share labels, and others none with those: not all are raters."""
    groups = list[tuple[list[str], set[str]]]()
    for name, column in columns.items():
        names, labels = [name], {_folded(v) for v in column if not is_null(v)}
        for group in [g for g in groups if g[1] & labels]:
            groups.remove(group)
            names, labels = [*group[0], *names], group[1] | labels
        groups += [(names, labels)] if labels else []
    rater = next((c for c in columns if RATER_NAMES.fullmatch(c.strip())), None)
    if len(groups) < 2 or (all(len(names) < 2 for names, _ in groups) and rater is None):
        return
    if any(names == [rater] for names, _ in groups):
        raise InputError(
            f"column {rater!r} names annotators, one row a rating: say which columns are item, "
            "annotator and label"
        )
    sides = " and ".join(shown(names) for names, _ in groups)
    raise InputError(
        f"{sides} share no label, so not all are annotators: name the columns of annotators alone"
    )


def _from_long_format(ratings: Any, named: Mapping[str, str | None]) -> dict[str, list[Any]]:
    """A row a rating brought into a column an annotator; nobody may rate an item twice."""
    try:
        items, people, values = (list(ratings[name]) for name in named.values())
    except (KeyError, TypeError) as e:
        raise InputError(f"ratings must have the columns {shown(named.values())}: {e}") from None
    for name, keys in (("item", items), ("annotator", people)):
        if any(isinstance(v, list | dict | set) for v in keys):
            raise InputError(f"column {named[name]!r} must hold one {name} a row, got lists")
    rows, columns = ({v: i for i, v in enumerate(dict.fromkeys(x))} for x in (items, people))
    ratings_by_annotator: list[list[Any]] = [[None] * len(rows) for _ in columns]
    for i, who, value in zip(items, people, values, strict=True):
        if is_null(i) or is_null(who):
            raise InputError("every rating must name its item and its annotator, got an empty one")
        if ratings_by_annotator[columns[who]][rows[i]] is not None:
            raise InputError(f"{who!r} has rated the item {i!r} more than once")
        ratings_by_annotator[columns[who]][rows[i]] = value
    return dict(zip(map(str, columns), ratings_by_annotator, strict=True))


def counts_of(ratings: list[list[Any]], labels: tuple[Label, ...]) -> Floats:
    """How often each label was given to each item."""
    if len(labels) > MAX_LABELS:
        raise InputError(
            f"ratings must have at most {MAX_LABELS} different labels, got {len(labels)}"
        )
    at = {v: i for i, v in enumerate(labels)}
    strange = {v for column in ratings for v in column if v is not None and v not in at}
    if strange:
        raise InputError(f"ratings must be among {shown(labels)}, got {shown(ordered(strange))}")
    counts = np.zeros((len(ratings[0]), len(labels)))
    rated = [(i, at[v]) for column in ratings for i, v in enumerate(column) if v is not None]
    np.add.at(counts, tuple(np.array(rated, int).reshape(-1, 2).T), 1)
    return counts


# The result and the verb.

FEW_INFORMATIVE = 10
"""Items that say something, below which a warning says so."""
DERIVATIVE_STEP = 1e-6
"""The step of a slope."""


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Collection[str, Interval], Result):
    """How well annotators agree: alpha with its interval, and what it is of.

    ``pairable`` items have two ratings or more; others say nothing of agreement.

    >>> import evenhand as eh
    >>> agreement = eh.agree({"A": list("aabb"), "B": list("aabc"), "C": [None, "a", "b", "b"]})
    >>> round(agreement.alpha.value, 4), agreement.pairable, agreement.missing
    (0.7143, 4, 1)
    """

    json_fields = "distance alpha n pairable annotators ratings missing labels used"

    distance: str
    alpha: Interval
    n: int
    pairable: int
    annotators: tuple[str, ...]
    ratings: int
    missing: int
    labels: tuple[Label, ...]
    used: tuple[int, ...]
    cautions: tuple[ResultWarning, ...] = ()

    @property
    def parts(self) -> dict[str, Interval]:
        """Alpha by its name."""
        return {"alpha": self.alpha}

    def content(self) -> Content:
        """Alpha, what it is of, and how often each label was given."""
        headline = f"Krippendorff's alpha ({self.distance}) {IntervalCell(self.alpha).text(4)}"
        facts = [counted(self.n, "item"), counted(len(self.annotators), "annotator")]
        facts.append(counted(self.ratings, "rating"))
        level = self.alpha.level
        facts += [] if level is None else [f"{level_text(level)} interval over items"]
        alone = self.n - self.pairable
        pairable = f"{counted(self.pairable, 'item')} with two ratings or more"
        pairable += f"; {counted(alone, 'item')} with fewer say nothing." if alone else "."
        rows: list[list[Cell]] = [[str(v), n] for v, n in zip(self.labels, self.used, strict=True)]
        return self.described(
            ", ".join(facts),
            [
                Paragraph(headline, "verdict"),
                Paragraph(
                    f"1 is agreement on every item, 0 what ratings at random have. {pairable}"
                ),
                Heading("How often each label was given to those items"),
                Table(Grid(["label", "ratings"], rows), most=50, rows="labels"),
            ],
            self._data,
        )

    def _data(self) -> Grid:
        a = self.alpha
        rows: list[list[Cell]] = [
            ["alpha", "", a.value, a.se, a.low, a.high, str(a.method or "")],
        ]
        counts: list[tuple[str, str, int]] = [("n", "", self.n), ("pairable", "", self.pairable)]
        counts += [("annotators", "", len(self.annotators)), ("ratings", "", self.ratings)]
        counts.append(("missing", "", self.missing))
        counts += [("used", str(v), n) for v, n in zip(self.labels, self.used, strict=True)]
        rows += [[*count, None, None, None, ""] for count in counts]
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
    frame with a column an annotator (those that only name items are left out), or rows of ratings,
    an annotator each; or a frame with a row a rating, whose columns ``item``, ``annotator`` and
    ``label`` are named. ``distance`` is
    ``"nominal"``, ``"ordinal"`` (in the order of ``labels``, else their own), ``"interval"`` or
    ``"ratio"`` (labels are numbers), or what :func:`evenhand.score` takes: a matrix or a tree.

    α = 1 − (N − 1)·Σ o·d / Σ n·n′·d, o the coincidences of ratings, n their sums (Krippendorff
    2011). The interval is by the larger of the jackknife over items and the delta method with two
    items more, on Wilson's scale, with Student's quantile.

    >>> interval = agree([[1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    ...                [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    ...                [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    ...                [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None]], distance="interval")
    >>> round(interval.alpha.value, 3), interval.ratings  # as Krippendorff (2011)
    (0.849, 41)
    """
    LEVEL.check(level, "level")
    columns, column_notes = columns_of(ratings, item, annotator, label)
    rated = [[None if is_null(v) else plain(v) for v in column] for column in columns.values()]
    spellings = common_spellings([dict.fromkeys(v for v in c if v is not None) for c in rated])
    rated = [[None if v is None else spellings.get((type(v), v), v) for v in c] for c in rated]
    sizes = sorted({len(column) for column in rated})
    if len(sizes) > 1:
        raise InputError(
            f"annotators must have a rating, or none, for each item, got {shown(sizes)}"
        )
    kind_of((v for column in rated for v in column), "ratings")
    values = {v for column in rated for v in column if v is not None}
    known = checked(ordered(values) if labels is None else labels) if values else ()
    counts = counts_of(rated, known)
    pairable = counts.sum(axis=1) > 1
    if not pairable.any():
        raise InputError("no item has two ratings: agreement needs at least two of some item")
    name, apart = _distance_function(distance, known)
    used, n_ratings = counts[pairable], int(counts.sum())
    interval, notes = _alpha_interval(used, apart, level)
    if name == ORDINAL and labels is None and alphabetical(known):
        notes = (Alphabetical(("alpha",), known), *notes)
    notes = (*column_notes, *spelling_notes(spellings), *_doubtful_labels(known), *notes)
    return Agreement(
        name,
        interval,
        len(counts),
        int(pairable.sum()),
        tuple(columns),
        n_ratings,
        len(counts) * len(rated) - n_ratings,
        known,
        tuple(map(int, used.sum(axis=0))),
        notes,
    )


def _doubtful_labels(labels: Iterable[Label]) -> Iterator[ResultWarning]:
    """Warnings of labels that differ in case alone, or that stand for none."""
    texts = [v for v in labels if isinstance(v, str)]
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(text.casefold(), []).append(text)
    if apart := tuple(v for group in groups.values() if len(group) > 1 for v in group):
        yield CaseApart(apart)
    if missing := tuple(v for v in texts if v.casefold() in MISSING_NAMES):
        yield MissingAsLabel(missing)


def _distance_function(
    distance: Any, labels: tuple[Label, ...]
) -> tuple[str, CoincidenceDistances]:
    """What a distance is called, and how far apart it makes labels."""
    if isinstance(distance, str):
        if distance not in APART:
            kinds = ", ".join(map(repr, APART))
            words = f" of ratings must be {kinds}, a matrix or a tree, got {distance!r}"
            raise InputError(Option("distance"), words)
        numbers = np.arange(len(labels), dtype=np.float64)
        if distance in ("interval", "ratio"):
            try:
                numbers = np.array([float(v) for v in labels])
            except ValueError:
                words = f"labels must be numbers for {distance}, got {shown(labels)}"
                raise InputError(words) from None
        if distance == "ratio" and (numbers < 0).any():
            raise InputError(f"labels must be numbers ≥ 0 for ratio, got {shown(labels)}")
        return distance, APART[distance](numbers)
    metric = Distance.from_matrix(None) if distance is None else as_distance(distance)
    assert isinstance(metric, Distance)
    distances = metric.over(labels).far[:, :-1]
    return metric.name, lambda _: distances


def _alpha_interval(
    counts: Floats, apart: CoincidenceDistances, level: float
) -> tuple[Interval, tuple[ResultWarning, ...]]:
    """Alpha with an interval over items; items rated alike are taken once.

    The error is the larger of the jackknife's and the delta method's with two items more, one that
    all agree on and one that somebody does not, spread over the labels. Items on which all gave the
    commonest label say little: Student's quantile has as many degrees as there are others.
    """
    patterns, frequency = np.unique(counts, axis=0, return_counts=True)
    each, n = coincidences(patterns), len(counts)
    table = np.einsum("u,ukl->kl", frequency, each)
    value = float(alpha(table, apart))
    commonest = int(counts.sum(axis=0).argmax())
    n_informative = int(np.sum(counts[:, commonest] < counts.sum(axis=1)))
    if n < 3 or not n_informative:
        return Interval(value, level=level, note="no width"), (NoWidth(("alpha",)),)
    leave_one_out = np.array([float(alpha(table - one, apart)) for one in each])
    centred = leave_one_out - np.average(leave_one_out, weights=frequency)
    jackknife_variance = float(frequency @ centred**2) * (n - 1) / n
    smoothed_alpha, delta_variance = _smoothed_alpha(patterns, frequency, table, apart)
    variance, share = max(jackknife_variance, delta_variance), (value + 1) / 2
    smoothed_share = share
    if delta_variance > jackknife_variance:
        smoothed_share = min(share, (smoothed_alpha + 1) / 2)
    effective_n = np.array(4 * smoothed_share * (1 - smoothed_share) / variance)
    z = critical_value(level, n_informative)
    low, high = (2 * float(x) - 1 for x in around_share(np.array(share), effective_n, z))
    ends = (math.sqrt(variance), max(low, -1.0), high)
    interval = Interval(value, *ends, level, Method("jackknife", "score"))
    return interval, (FewTelling(n_informative, n),) if n_informative < FEW_INFORMATIVE else ()


def _smoothed_alpha(
    patterns: Floats, frequency: Any, coincidence_table: Floats, apart: CoincidenceDistances
) -> tuple[float, float]:
    """Alpha with two items more, and its squared error by the slopes in each kind of item."""
    k = patterns.shape[1]
    raters = max(2.0, round(float(np.average(patterns.sum(axis=1), weights=frequency))))
    agreed = raters * np.eye(k)
    apart_once = agreed - np.eye(k) + np.roll(np.eye(k), 1, axis=1)
    more = np.concatenate([agreed, apart_once])
    weight = np.concatenate([frequency, np.full(2 * k, 1 / k)])
    table = coincidence_table + sum(coincidences(row[None])[0] for row in more) / k
    smoothed_alpha = float(alpha(table, apart))
    steps = (DERIVATIVE_STEP * coincidences(row[None])[0] for row in (*patterns, *more))
    moved = np.array(
        [float(alpha(table + step, apart)) for step in steps]
    )  # one at a time: k² each
    slopes = (moved - smoothed_alpha) / DERIVATIVE_STEP
    items = float(weight.sum())
    slopes -= weight @ slopes / items
    return smoothed_alpha, float(weight @ slopes**2 * items / (items - 1))
