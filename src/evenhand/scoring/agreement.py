"""Krippendorff's alpha: how well annotators agree."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from itertools import combinations
from typing import Any

import numpy as np

from evenhand.catalogue.lists import alphabetical
from evenhand.core.contingency import APART, CoincidenceDistances, alpha, coincidences
from evenhand.data.counting import TOTALS, spelling_notes
from evenhand.data.distances import ORDINAL, Distance, as_distance
from evenhand.data.factorize import refuse_other_order
from evenhand.data.labels import (
    Label,
    checked,
    common_spellings,
    is_null,
    kind_of,
    lookalikes,
    ordered,
    plain,
)
from evenhand.data.matching import words
from evenhand.data.roles import ID, names_role
from evenhand.errors import InputError, Option, shown
from evenhand.inference.rows import Floats
from evenhand.inference.wilson import critical_value, wilson_interval
from evenhand.options import AgreeOptions, sequence, with_options
from evenhand.records import Interval, Method
from evenhand.results.document import Content, Heading, Paragraph, Table
from evenhand.results.result import Collection, Result
from evenhand.scoring.score import score
from evenhand.text import Cell, Grid, IntervalCell, counted, level_text, measured_cells
from evenhand.warnings import Alphabetical, CaseApart, Note, NoWidth, ResultWarning

MAX_LABELS = 400
"""Labels that ratings may have: pairs of them are held for every item."""
RATER_NAMES = re.compile(r"(annotator|rater|coder|worker|judge)([ _.-]?(id|name))?", re.I)
"""Names of columns that say who gave a rating."""
FINAL_NAMES = re.compile(
    r"(.* )?(adjudicated|adjudication|aggregated|consensus|final|gold|majority|truth)( .*)?"
)
"""Names of columns with the label that annotators settled on."""
FEW_ROWS = 10
"""Rows from which on labels of one row alone are no chance."""
MISSING_NAMES = {"na", "n/a", "n.a.", "#n/a", "nan", "null", "-", "?"}
"""What people write in the place of a rating that there is none of."""


class NoAnnotators(Note):
    """Columns that are no annotators because every value occurs once."""

    template = "{columns}: a different value in every row, so taken as ids, not as an annotator"

    columns: tuple[str, ...]


class FinalLabels(Note):
    """Columns that are no annotators because their names are those of final labels."""

    template = "{columns} left out: it looks like the final label (name the annotators to count it)"

    columns: tuple[str, ...]


class MissingAsLabel(ResultWarning):
    """Labels that look as if there were none."""

    template = "{labels} was counted as a label: leave the cell empty where there is no rating"

    labels: tuple[str, ...]


class FewTelling(ResultWarning):
    """Agreement depends on the few items without the commonest label by all annotators."""

    template = "alpha rests on {items} of {n:item}: on the others all chose the commonest label"

    items: int
    n: int


def columns_of(
    ratings: Any, item: str | None, annotator: str | None, label: str | None
) -> tuple[dict[str, list[Any]], tuple[ResultWarning, ...]]:
    """Ratings by annotator, item by item; and warnings of other columns of a frame."""
    named = {"item": item, "annotator": annotator, "label": label}
    lacking = [name for name, column in named.items() if column is None]
    if len(lacking) not in (0, 3):
        raise InputError(
            f"a row per rating needs the columns {shown(named)}, lacks ", Option(lacking[0])
        )
    names: tuple[str, ...] = ()
    notes: tuple[ResultWarning, ...] = ()
    if hasattr(ratings, "collect_schema") or hasattr(ratings, "__dataframe__"):
        import narwhals as nw

        frame = nw.from_native(ratings).lazy().collect()
        ratings = {str(c): frame[c].to_list() for c in frame.columns}
        if lacking:
            names = _identifiers(ratings)
            others = [c for c in ratings if c not in names]
            final = tuple(c for c in others if FINAL_NAMES.fullmatch(words(c)))
            final = final if len(others) - len(final) > 1 else ()
            ratings = {c: ratings[c] for c in others if c not in final}
            notes = (*(NoAnnotators(names),) * bool(names), *(FinalLabels(final),) * bool(final))
            _refuse_unrelated(ratings)
            _refuse_no_item(ratings, list(frame.iter_rows()))
            _refuse_by_chance(ratings)
    if not lacking:
        return _from_long_format(ratings, named), ()
    if not isinstance(ratings, Mapping):
        unnamed = sequence(ratings, "ratings", "each annotator's ratings")
        if getattr(ratings, "ndim", 0) == 2 and len(unnamed) > 10 * len(unnamed[0]):
            raise InputError(
                f"ratings must have a row per annotator, got {len(unnamed):,} rows of "
                f"{len(unnamed[0]):,}: if rows are items, transpose them (ratings.T)"
            )
        letters = string.ascii_uppercase if len(unnamed) <= 26 else range(1, len(unnamed) + 1)
        ratings = dict(zip(letters, unnamed, strict=False))
    for name, column in [*ratings.items()][:1]:
        refuse_other_order(column, ratings, truth=str(name))
    with suppress(TypeError):
        columns = {str(c): list(row) for c, row in ratings.items() if not isinstance(row, str)}
        hash(tuple(v for column in columns.values() for v in column))
        if len(columns) == len(ratings) > 1:
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
        return names_role(name, ID) or (few and alone)

    return tuple(c for c in columns if c in distinct and names_items(c))


def _refuse_unrelated(columns: Mapping[str, list[Any]]) -> None:
    """Refuse columns of which some share labels, and others none with those: not all are raters."""
    groups = list[tuple[list[str], set[str]]]()
    for name, column in columns.items():
        known = (str(v).casefold().removesuffix(".0") for v in column if not is_null(v))
        names, labels = [name], set(known)
        for group in [g for g in groups if g[1] & labels]:
            groups.remove(group)
            names, labels = [*group[0], *names], group[1] | labels
        groups += [(names, labels)] if labels else []
    rater = next((c for c in columns if RATER_NAMES.fullmatch(c.strip())), None)
    if len(groups) < 2 or (all(len(names) < 2 for names, _ in groups) and rater is None):
        return
    if any(names == [rater] for names, _ in groups):
        raise InputError(
            f"column {rater!r} names annotators, one row per rating: say which columns are item, "
            "annotator and label"
        )
    sides = " and ".join(shown(names) for names, _ in groups)
    raise InputError(
        f"{sides} share no label, so not all are annotators: name the columns of annotators alone"
    )


def _refuse_no_item(columns: Mapping[str, list[Any]], rows: list[tuple[Any, ...]]) -> None:
    """Refuse a row that is no item: a header among the rows or below a title, or totals.

    Its labels occur in no other row; they differ between all annotators, or the row is the last
    and is named as totals or has numbers where others have none.
    """
    texts = [list(map(str, row)) for row in zip(*columns.values(), strict=True)]
    times = Counter(v for row in texts for v in set(row))
    alone = [i for i, row in enumerate(texts) if max(times[v] for v in row) == 1]
    if len(alone) != 1 or len(rows) < FEW_ROWS:
        return
    (at,) = alone
    own, others = texts[at], [v for v in times if v not in texts[at]]
    are_sums = all(map(_is_number, own)) and not any(map(_is_number, others))
    are_sums |= any(TOTALS.fullmatch(words(str(v))) for v in rows[at])
    if len(set(own)) == len(columns) or (are_sums and at == len(rows) - 1):
        raise InputError(
            f"row {at + 1} ({shown(rows[at])}) has labels that occur nowhere else, as no item "
            "has: take it out, or name the columns of annotators alone"
        )


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[-+]?[0-9]*\.?[0-9]+", text) is not None


def _refuse_by_chance(columns: Mapping[str, list[Any]]) -> None:
    """Refuse a column of numbers that agrees with others by chance only, where these do agree."""
    z = {pair: _agreement_z(*map(columns.__getitem__, pair)) for pair in combinations(columns, 2)}
    for name, column in columns.items():
        own = [x for pair, x in z.items() if name in pair]
        others = [x for pair, x in z.items() if name not in pair]
        if others and max(own) < 2 and min(others) > 3 and all(_is_number(str(v)) for v in column):
            raise InputError(
                f"{name!r} agrees with the others by chance only, while these agree, so not all "
                "are annotators: name the columns of annotators alone"
            )


def _agreement_z(a: list[Any], b: list[Any]) -> float:
    """Cohen's kappa of two columns in standard errors of agreement by chance."""
    rated = [(x, y) for x, y in zip(a, b, strict=True) if not (is_null(x) or is_null(y))]
    pairs = [(str(x).removesuffix(".0"), str(y).removesuffix(".0")) for x, y in rated]
    left, right, n = Counter(x for x, _ in pairs), Counter(y for _, y in pairs), len(pairs) or 1
    chance = sum(left[v] * right[v] for v in left) / n**2
    hits = sum(x == y for x, y in pairs) / n
    return (hits - chance) * math.sqrt(n / (chance * (1 - chance))) if 0 < chance < 1 else 0.0


def _from_long_format(ratings: Any, named: Mapping[str, str | None]) -> dict[str, list[Any]]:
    """A row per rating brought into a column an annotator; nobody may rate an item twice."""
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


# The result and the verb.

FEW_INFORMATIVE = 10
"""Items that say something, below which a warning says so."""
DERIVATIVE_STEP = 1e-6
"""The step of a slope."""


class Agreement(Collection[str, Interval], Result):
    """How well annotators agree: alpha with its interval, and what it is of.

    ``pairable`` items have two ratings or more; others say nothing of agreement. Two annotators
    also have Cohen's ``kappa`` and the share of items they agree on, ``agreement``.

    >>> import evenhand as eh
    >>> agreement = eh.agree({"A": list("aabb"), "B": list("aabc"), "C": [None, "a", "b", "b"]})
    >>> round(agreement.alpha.value, 4), agreement.pairable, agreement.missing
    (0.7143, 4, 1)
    """

    json_fields = "distance alpha kappa agreement n pairable annotators ratings missing labels used"

    distance: str
    alpha: Interval
    n: int
    pairable: int
    annotators: tuple[str, ...]
    ratings: int
    missing: int
    labels: tuple[Label, ...]
    used: tuple[int, ...]
    kappa: Interval | None = None
    agreement: Interval | None = None

    @property
    def parts(self) -> dict[str, Interval]:
        """Alpha, and what else is known, by name."""
        known = {"alpha": self.alpha, "kappa": self.kappa, "agreement": self.agreement}
        return {name: x for name, x in known.items() if x is not None}

    def content(self) -> Content:
        """Alpha, what it is of, and how often each label was given."""
        headline = f"Krippendorff's alpha ({self.distance}) {IntervalCell(self.alpha).text(4)}"
        facts = [counted(self.n, "item"), counted(len(self.annotators), "annotator")]
        facts.append(counted(self.ratings, "rating"))
        if self.alpha.level is not None:
            facts.append(f"{level_text(self.alpha.level)} interval over items")
        alone = self.n - self.pairable
        pairable = f"{counted(self.pairable, 'item')} with two ratings or more"
        pairable += f"; {counted(alone, 'item')} with fewer say nothing." if alone else "."
        rows: list[list[Cell]] = [[str(v), n] for v, n in zip(self.labels, self.used, strict=True)]
        if self.kappa is not None and self.agreement is not None:
            headline += f"; Cohen's kappa {IntervalCell(self.kappa).text(4)}"
            headline += f"; share of items agreed on {IntervalCell(self.agreement).text(4)}"
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
        counts = self.select("n pairable annotators ratings missing")
        counts["annotators"] = len(self.annotators)
        rows: list[list[Cell]] = [[n, "", *measured_cells(x)] for n, x in self.parts.items()]
        rows += [[name, "", n, None, None, None, ""] for name, n in counts.items()]
        uses = zip(self.labels, self.used, strict=True)
        rows += [["used", str(v), n, None, None, None, ""] for v, n in uses]
        return Grid(["quantity", "label", "value", "se", "low", "high", "method"], rows)


@with_options(AgreeOptions)
def agree(ratings: Any, options: AgreeOptions) -> Agreement:
    """Krippendorff's alpha of the ratings of any number of annotators, some of them missing.

    ``ratings`` maps each annotator to a rating an item (``None`` where there is none), or is a
    frame with a column an annotator (those that only name items are left out), or rows of ratings,
    an annotator each; or a frame with a row per rating, whose columns ``item``, ``annotator`` and
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
    labels, level = options.labels, options.level
    columns, column_notes = columns_of(ratings, options.item, options.annotator, options.label)
    rated = [
        {i: plain(v) for i, v in enumerate(column) if not is_null(v)} for column in columns.values()
    ]
    spellings = common_spellings([dict.fromkeys(column.values()) for column in rated])
    rated = [{i: spellings.get((type(v), v), v) for i, v in c.items()} for c in rated]
    sizes = sorted({len(column) for column in columns.values()})
    if len(sizes) > 1:
        raise InputError(
            f"annotators must have a rating, or none, for each item, got {shown(sizes)}"
        )
    pairs = [pair for column in rated for pair in column.items()]
    kind_of((v for _, v in pairs), "ratings")
    values = {v for _, v in pairs}
    known = checked(ordered(values) if labels is None else labels) if values else ()
    if len(known) > MAX_LABELS:
        raise InputError(
            f"ratings must have at most {MAX_LABELS} different labels, got {len(known)}"
        )
    if strange := values.difference(known):
        raise InputError(f"ratings must be among {shown(known)}, got {shown(ordered(strange))}")
    counts, at = np.zeros((*sizes, len(known))), {v: j for j, v in enumerate(known)}
    np.add.at(counts, tuple(np.array([(i, at[v]) for i, v in pairs], int).reshape(-1, 2).T), 1)
    pairable = counts.sum(axis=1) > 1
    if not pairable.any():
        raise InputError("no item has two ratings: agreement needs at least two of some item")
    name, apart = _distance_function(options.distance, known)
    used = counts[pairable]
    interval, notes = _alpha_interval(used, apart, level)
    if name == ORDINAL and labels is None and alphabetical(known):
        notes = (Alphabetical(("alpha",), known), *notes)
    texts = [v for v in known if isinstance(v, str)]
    if missing := tuple(v for v in texts if v.casefold() in MISSING_NAMES):
        notes = (MissingAsLabel(missing), *notes)
    if lookalike_labels := lookalikes(texts):
        notes = (CaseApart(lookalike_labels), *notes)
    two = list[Interval]()
    if len(rated) == 2:
        items = rated[0].keys() & rated[1].keys()
        both = ([column[i] for i in items] for column in rated)
        scores = score(*both, labels=known, metrics=["kappa", "accuracy"], level=level)
        two = list(scores.values())
    n, missing_ratings = len(counts), len(counts) * len(columns) - len(pairs)
    return Agreement(
        *(name, interval, n, len(used), tuple(columns), len(pairs), missing_ratings, known),
        tuple(map(int, used.sum(axis=0))),
        *two,
        cautions=(*column_notes, *spelling_notes(spellings), *notes),
    )


def _distance_function(
    distance: Any, labels: tuple[Label, ...]
) -> tuple[str, CoincidenceDistances]:
    """What a distance is called, and how far apart it makes labels."""
    if isinstance(distance, str):
        if distance not in APART:
            words = f" of ratings must be {shown(APART)}, a matrix or a tree, got {distance!r}"
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
    table, n = np.einsum("u,ukl->kl", frequency, coincidences(patterns)), len(counts)
    value = float(alpha(table, apart))
    commonest = int(counts.sum(axis=0).argmax())
    n_informative = int(np.sum(counts[:, commonest] < counts.sum(axis=1)))
    if n < 3 or not n_informative:
        return Interval(value, level=level, note="no width"), (NoWidth(("alpha",)),)
    centred = _with_more(table, patterns, apart, -1)
    centred -= np.average(centred, weights=frequency)
    variance = float(frequency @ centred**2) * (n - 1) / n
    share = smoothed_share = (value + 1) / 2
    smoothed_alpha, delta_variance = _smoothed_alpha(patterns, frequency, table, apart)
    if delta_variance > variance:
        variance, smoothed_share = delta_variance, min(share, (smoothed_alpha + 1) / 2)
    effective_n = np.array(4 * smoothed_share * (1 - smoothed_share) / variance)
    z = critical_value(level, n_informative)
    low, high = (2 * float(x) - 1 for x in wilson_interval(np.array(share), effective_n, z))
    ends = (math.sqrt(variance), max(low, -1.0), high)
    interval = Interval(value, *ends, level, Method("wilson", "effective"))
    return interval, (FewTelling(n_informative, n),) if n_informative < FEW_INFORMATIVE else ()


def _with_more(table: Floats, patterns: Floats, apart: CoincidenceDistances, step: float) -> Floats:
    """Alpha with ``step`` items more of each pattern, one at a time: each has k² coincidences."""
    pairs = (step * coincidences(pattern[None])[0] for pattern in patterns)
    return np.array([float(alpha(table + pair, apart)) for pair in pairs])


def _smoothed_alpha(
    patterns: Floats, frequency: Any, table: Floats, apart: CoincidenceDistances
) -> tuple[float, float]:
    """Alpha with two items more, and its squared error by the slopes in each kind of item."""
    k = patterns.shape[1]
    raters = max(2.0, round(float(np.average(patterns.sum(axis=1), weights=frequency))))
    agreed = raters * np.eye(k)
    more = np.concatenate([agreed, agreed - np.eye(k) + np.roll(np.eye(k), 1, axis=1)])
    weight = np.concatenate([frequency, np.full(2 * k, 1 / k)])
    table = table + sum(coincidences(row[None])[0] for row in more) / k
    smoothed_alpha = float(alpha(table, apart))
    moved = _with_more(table, np.concatenate([patterns, more]), apart, DERIVATIVE_STEP)
    slopes = (moved - smoothed_alpha) / DERIVATIVE_STEP
    items = float(weight.sum())
    slopes -= weight @ slopes / items
    return smoothed_alpha, float(weight @ slopes**2 * items / (items - 1))
