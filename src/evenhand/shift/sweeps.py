"""Scores along class mixes, and where two systems change places."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from evenhand.catalogue.binding import bind_all, refuse_cells, table_warnings
from evenhand.catalogue.footnote import footnote
from evenhand.catalogue.lists import default_metrics, leading, named, several
from evenhand.catalogue.signature import IntervalField, Signature, signature_of
from evenhand.catalogue.spelling import escaped
from evenhand.core.kernel import Kernel, asked_views
from evenhand.core.margins import Counts
from evenhand.core.ratio import ratio
from evenhand.data.arguments import VerbArguments, system_of, verb
from evenhand.data.confusion import Confusion, on_same_labels
from evenhand.data.counting import in_unit
from evenhand.data.labels import Label, positions
from evenhand.errors import InputError
from evenhand.inference.intervals import IntervalSettings
from evenhand.inference.mover import LimitedRates, inside, limited, movable
from evenhand.inference.rows import CodeDesign, Codes, Floats, Rows, centred, gradient_of, rows_of
from evenhand.inference.wilson import around, chosen, informative_ends
from evenhand.options import SweepOptions
from evenhand.records import Curve, Interval, Intervals, by
from evenhand.results.document import Block, Content, Paragraph, Table
from evenhand.results.result import Collection, Result
from evenhand.shift.extrapolation import (
    ASSUMED,
    mix_notes,
    one_system,
    taken_as_certain,
)
from evenhand.shift.warnings import Unpaired
from evenhand.text import Cell, ExactCell, Grid, counted, number, percent, shortened
from evenhand.text import named as listing
from evenhand.warnings import ResultWarning

CHUNK = 1 << 22
"""Numbers worked on at a time: it bounds memory, whatever the number of mixes."""


@dataclass(frozen=True, eq=False)
class Reweighted:
    """Systems on the same rows, and what they score when true classes are reweighted.

    A mix is one share a class; mixes are for all kernels (1 × P × k), or for each its own
    (kernels × P × k).
    """

    rows: Rows
    design: CodeDesign
    stratum: Codes

    @classmethod
    def from_rows(cls, rows: Rows) -> Reweighted:
        """Rows of hard labels, one true class each."""
        if not isinstance(rows.design, CodeDesign) or rows.stratum is None:
            raise InputError("a sweep needs hard labels: soft and multi-label items have no rows")
        return cls(rows, rows.design, rows.stratum)

    @cached_property
    def prevalence(self) -> Floats:
        """Weight of each true class."""
        return np.bincount(self.stratum, self.rows.weight, minlength=self.design.k)

    @cached_property
    def rate(self) -> Floats:
        """Each row as a share of its true class."""
        return np.asarray(self.rows.weight / self.prevalence[self.stratum])

    def values(self, kernels: list[Kernel], mixes: Floats) -> Floats:
        """Each metric of each system at every mix, kernels × systems × P."""
        return np.stack([np.asarray(k.function(c), float).T for k, c in self._at(kernels, mixes)])

    def errors(self, kernels: list[Kernel], mixes: Floats, contrasts: Floats) -> Floats:
        """Standard errors of combinations of the systems, kernels × contrasts × P.

        By the delta method: the influence of a row of true class t is (π_t/n_t)·(g − ḡ_t), since
        rows of a class are shares of it, so that only their differences count.
        """
        shape = len(kernels), len(contrasts), mixes.shape[1]
        if self.rows.cluster is None and self.rows.square is None:
            return np.full(shape, np.nan)  # nobody knows how the items vary
        each = max(1, CHUNK // max(1, len(self.stratum) * shape[0] * shape[1]))
        starts = range(0, shape[2], each)
        parts = [self._errors(kernels, mixes[:, i : i + each], contrasts) for i in starts]
        return np.concatenate(parts, axis=2)

    def _errors(self, kernels: list[Kernel], mixes: Floats, contrasts: Floats) -> Floats:
        gradients = [gradient_of(k, c) for k, c in self._at(kernels, mixes)]
        scale = ratio(mixes, self.prevalence)
        design = self.design
        table = np.arange(mixes.shape[1])[:, None] * design.tables
        psi = np.zeros((len(kernels), len(contrasts), mixes.shape[1], len(self.stratum)))
        for s, column in enumerate(design.pred.T):
            involved = np.flatnonzero(contrasts[:, s])
            coefficient = contrasts[involved, s][:, None, None]
            for own, g in zip(psi, gradients, strict=True):
                own[involved] += coefficient * g.at(table + s, design.true, column)
        psi = centred(psi, self.rate, self.stratum, design.k) * scale[:, None, :, self.stratum]
        return self.rows.root_sum_squares(self.rows.unit_influences(psi))

    def _at(self, kernels: list[Kernel], mixes: Floats) -> list[tuple[Kernel, Counts]]:
        """Each kernel with the margins (P × systems × k) that it sees at the mixes."""
        size = mixes.shape[1]
        c = self.design.counts(mixes.reshape(-1, self.design.k)[:, self.stratum] * self.rate)
        if len(mixes) == 1:
            return [(k, k.prepared(c)) for k in kernels]
        parts = (slice(i, i + size) for i in range(0, len(kernels) * size, size))
        return [(k, k.prepared(c.at(part))) for k, part in zip(kernels, parts, strict=True)]


def mixes_along(prevalence: Floats, j: int, shares: Floats) -> Floats:
    """Mixes in which class ``j`` has these shares and the others keep theirs to each other.

    >>> mixes_along(np.array([50, 30, 20]), 0, np.array([0.0, 0.9])).round(6)
    array([[0.  , 0.6 , 0.4 ],
           [0.9 , 0.06, 0.04]])
    """
    rest = np.asarray(prevalence, np.float64).copy()
    rest[j] = 0.0
    mixes = (1 - shares)[..., None] * (rest / rest.sum())
    mixes[..., j] = shares
    return np.asarray(mixes)


# Curves of one or two systems.


@dataclass(frozen=True, eq=False)
class SweptCurve:
    """One or two systems, their rows and their tables.

    Systems that share items share rows too, all in one ``sides``; else each has a side of its own.
    """

    systems: tuple[str, ...]
    sides: list[Reweighted]
    tables: Confusion

    @classmethod
    def from_arguments(
        cls, arguments: VerbArguments, against: Any, names: tuple[str, str]
    ) -> SweptCurve:
        """The system of the data, or two of a sample; or it and another, by these names."""
        two = not isinstance(arguments.pred, str)  # two systems on the same items are a sample
        data = system_of(arguments, items=two and arguments.of_frame, margins=True)
        if len(getattr(data, "systems", ())) == 2 and against is None:
            return cls(data.systems, [Reweighted.from_rows(rows_of(data))], data.tables())
        one, table = one_system(VerbArguments("sweep", (data,)))
        name = one.systems[0] if one.systems else "system"
        if against is None:
            return cls((name,), [Reweighted.from_rows(rows_of(one))], table)
        _, other = one_system(VerbArguments("sweep", (against,)))
        table, other = on_same_labels([table, other])
        empty = np.flatnonzero((table.prevalence > 0) != (other.prevalence > 0))
        if len(empty):
            raise InputError(
                f"both tables must have items of the same true classes, "
                f"only one has {table.labels[empty[0]]!r}"
            )
        sides = [Reweighted.from_rows(rows_of(t)) for t in (table, other)]
        return cls(names, sides, Confusion.stack([table, other], names))

    def values(self, kernels: list[Kernel], mixes: Floats) -> Floats:
        """Each metric, kernels × systems × mixes; mixes are as :class:`Reweighted` has them."""
        sides = enumerate(self.sides)
        parts = [side.values(self._own(kernels, i), mixes) for i, side in sides]
        return np.concatenate(parts, axis=1)

    def errors(self, kernels: list[Kernel], mixes: Floats) -> Floats:
        """Standard errors, as values are; after two systems comes that of their difference."""
        each = np.eye(len(self.systems))
        if len(self.sides) == 1:
            contrasts = each if len(each) == 1 else np.vstack([each, [[1.0, -1.0]]])
            return self.sides[0].errors(kernels, mixes, contrasts)
        sides = enumerate(self.sides)
        one, two = (s.errors(self._own(kernels, i), mixes, each[:1, :1]) for i, s in sides)
        return np.concatenate([one, two, np.hypot(one, two)], axis=1)

    def limited(self, level: float, mixes: int) -> list[LimitedRates] | None:
        """The rates of each system with their limits, where they can be moved."""
        if not movable(self.tables, mixes):
            return None
        if len(self.sides) == 1:
            both = limited(self.tables, self.sides[0].rows, level)
            return [both.at(slice(s, s + 1)) for s in range(len(self.systems))]
        sides = zip(self.tables, self.sides, strict=True)
        return [limited(table, side.rows, level) for table, side in sides]

    def gap(self, kernels: list[Kernel], mixes: Floats) -> Floats:
        """First minus second system, kernels × mixes."""
        first, second = np.moveaxis(self.values(kernels, mixes), 1, 0)
        return np.asarray(first - second)

    def clear(
        self, kernels: list[Kernel], mixes: Floats, limits: list[LimitedRates] | None, z: float
    ) -> Floats:
        """How far 0 is from the interval of that difference; negative where it is inside."""
        gap = self.gap(kernels, mixes)
        if limits is None:
            return np.asarray(np.abs(gap) - z * self.errors(kernels, mixes)[:, 2])
        (down, other_down), (up, other_up) = np.moveaxis(
            self._half_widths(kernels, mixes, limits), 2, 1
        )
        first, second = np.where(gap > 0, down, up), np.where(gap > 0, other_up, other_down)
        shared = 2 * self._correlation(kernels, mixes) * first * second
        return np.asarray(np.abs(gap) - np.sqrt(np.maximum(first**2 + second**2 - shared, 0)))

    def _correlation(self, kernels: list[Kernel], mixes: Floats) -> Floats | float:
        """Of two systems' scores; independent tables have none."""
        if len(self.sides) == 2:
            return 0.0
        one, two, gap = np.moveaxis(self.errors(kernels, mixes), 1, 0)
        return np.asarray(np.clip(ratio(one**2 + two**2 - gap**2, 2 * one * two), -1, 1))

    def _half_widths(
        self, kernels: list[Kernel], mixes: Floats, limits: list[LimitedRates]
    ) -> Floats:
        """How far the intervals reach down and up, 2 × kernels × systems × mixes."""
        stack = bool(self.tables.shape)
        own = [[k.at(s) for k in kernels] if stack else kernels for s in range(len(limits))]
        parts = [np.stack(x.half_widths(k, mixes)) for x, k in zip(limits, own, strict=True)]
        return np.moveaxis(np.stack(parts), 2, 0).swapaxes(1, 2)

    def curves(
        self,
        kernels: list[Kernel],
        mixes: Floats,
        settings: IntervalSettings | None,
        limits: list[LimitedRates] | None,
    ) -> list[list[Curve]]:
        """Each metric's curves, one a system, with intervals if there are to be any."""
        by_view = {}
        for view, first in asked_views(kernels).items():
            own, there = [k for k in kernels if k.view == view], mixes
            if first.target is not None:  # a metric at a mix of its own does not move
                there = np.broadcast_to(first.target.reshape(-1, self.tables.k)[0], mixes.shape)
            by_view[view] = iter(self._curves(own, there[None], settings, limits))
        return [next(by_view[k.view]) for k in kernels]

    def _curves(
        self,
        kernels: list[Kernel],
        mixes: Floats,
        settings: IntervalSettings | None,
        limits: list[LimitedRates] | None,
    ) -> list[list[Curve]]:
        value = self.values(kernels, mixes)
        ends = np.full((len(kernels), 2, *value.shape[1:]), np.nan)
        if settings is not None and limits is None:
            errors = self.errors(kernels, mixes)[:, : len(self.systems)]
            for i, (k, se) in enumerate(zip(kernels, errors, strict=True)):
                ends[i] = around(value[i], se, settings.z, k, chosen("range", k))
        elif settings is not None and limits is not None:
            half_widths = self._half_widths(kernels, mixes, limits).swapaxes(0, 1)
            for i, (k, far) in enumerate(zip(kernels, half_widths, strict=True)):
                ends[i] = inside(value[i], far, k)
        low, high = informative_ends(*ends.swapaxes(0, 1))
        intervals = Intervals(value, np.full(value.shape, np.nan), low, high, by(None, value))
        _, lows, highs, _ = intervals.columns()
        every = zip(value.tolist(), lows, highs, strict=True)
        return [[Curve(*map(tuple, c)) for c in zip(*one, strict=True)] for one in every]

    def _own(self, kernels: list[Kernel], side: int) -> list[Kernel]:
        return [k.at(side) for k in kernels] if len(self.sides) == 2 else kernels


# Shares at which two systems change places.

Function = Callable[[Codes, Floats], Floats]
"""Metrics (N), and shares of the class for each (N × P) → numbers there."""

LEVELS, FINE = 4, 33
EQUAL = 1e-12
"""Differences up to this are none: systems that are equal all along change no places."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Crossing(Interval):
    """A share of the class at which two systems change places on a metric.

    ``below`` leads at smaller shares, ``above`` at larger ones. From ``low`` to ``high`` the
    interval of their difference holds 0; ``None`` where that goes on to the end of the sweep.

    >>> import evenhand as eh
    >>> one, other = [[90, 10], [30, 70]], [[70, 30], [10, 90]]
    >>> found = eh.shift.sweep(one, label=0, against=other, metrics="accuracy")
    >>> round(found.crossings[0].share, 6), found.crossings[0].above
    (0.5, 'first')
    """

    json_fields = "metric share low high below above"

    metric: str
    below: str
    above: str

    @property
    def share(self) -> float:
        """The share itself."""
        return self.value


def lead_changes(
    swept: SweptCurve,
    metrics: dict[str, Kernel],
    curves: list[list[Curve]],
    shares: Floats,
    along: Callable[[Floats], Floats],
    limits: list[LimitedRates] | None,
    settings: IntervalSettings,
) -> tuple[tuple[Crossing, ...], dict[str, str | None]]:
    """Where two systems change places on each metric, and who leads where they never do.

    ``along`` gives the class mixes at shares. Of a metric without a direction nothing is said.
    Roots are bracketed on the grid of shares and refined, those of all metrics together.
    """
    ahead: dict[str, Floats] = {}
    for (name, kernel), each in zip(metrics.items(), curves, strict=True):
        if kernel.better != "neither":
            first, second = np.array([c.value for c in each])
            ahead[name] = second - first if kernel.better == "lower" else first - second
    names = list(ahead)

    def gap(metric: Codes, at: Floats) -> Floats:
        return swept.gap([metrics[names[m]] for m in metric], along(at))

    def clear(metric: Codes, at: Floats) -> Floats:
        return swept.clear([metrics[names[m]] for m in metric], along(at), limits, settings.z)

    brackets = [
        (m, a, b)
        for m, own in enumerate(ahead.values())
        for a, b in pairwise(np.flatnonzero(np.abs(own) > EQUAL))
        if own[a] * own[b] < 0
    ]
    crossings = []
    if brackets:
        metric, before, after = np.array(brackets).T
        root = refined(gap, metric, shares[before], shares[after])
        doubt = _doubt(clear, metric, shares, root)
        for (m, a, _), share, (low, high) in zip(brackets, root.tolist(), doubt, strict=True):
            below, above = swept.systems if ahead[names[m]][a] > 0 else swept.systems[::-1]
            place = (share, None, low, high, settings.level)
            crossings.append(Crossing(*place, metric=names[m], below=below, above=above))
    rest = ahead.keys() - {c.metric for c in crossings}
    return tuple(crossings), {n: _leader(swept.systems, x) for n, x in ahead.items() if n in rest}


def _leader(systems: tuple[str, ...], gap: Floats) -> str | None:
    """The system that is ahead wherever they differ; ``None`` if they never do."""
    known = gap[np.abs(gap) > EQUAL]
    return None if not len(known) else systems[0 if known[0] > 0 else 1]


def refined(function: Function, metric: Codes, low: Floats, high: Floats) -> Floats:
    """The roots between shares at which ``function`` has different signs, of each metric."""
    each = np.arange(len(metric))
    for _ in range(LEVELS):
        s = np.linspace(low, high, FINE, axis=-1)
        sign = np.sign(function(metric, s))
        change = sign[:, :-1] != sign[:, 1:]
        at, some = change.argmax(axis=1), change.any(axis=1)
        low, high = np.where(some, s[each, at], low), np.where(some, s[each, at + 1], high)
    return (low + high) / 2


def _doubt(
    clear: Function, metric: Codes, shares: Floats, root: Floats
) -> list[tuple[float | None, float | None]]:
    """The nearest shares below and above each root at which the difference is clear of 0."""
    sure = clear(metric, np.broadcast_to(shares, (len(metric), len(shares)))) > 0
    between = {}
    for i, known in enumerate(sure):
        sides = np.flatnonzero(shares < root[i])[::-1], np.flatnonzero(shares > root[i])
        for side, beyond in enumerate(sides):
            first = np.flatnonzero(known[beyond])[:1]
            if len(first):
                near = shares[beyond[first - 1]] if first > 0 else root[i]
                between[i, side] = np.append(near, shares[beyond[first]])
    if not between:
        return [(None, None)] * len(root)
    near, far = np.array(list(between.values())).T
    refined_ends = refined(clear, metric[[i for i, _ in between]], near, far)
    ends = dict(zip(between, refined_ends.tolist(), strict=True))
    return [(ends.get((i, 0)), ends.get((i, 1))) for i in range(len(root))]


# The verb and its result.

SHARES = np.unique(
    np.r_[0.001, 0.002, 0.005, np.arange(1, 100) / 100, 0.995, 0.998, 0.999].round(6)
)
"""Round shares from rare to common, closer to each other at the ends."""
ROUND_SHARES = (0.001, 0.01, 0.02, 0.05, *(i / 10 for i in range(1, 10)), 0.95, 0.99, 0.999)
FEW_SHARES = 20
"""Shares up to which a table shows all of them; of more, the round ones."""
TABLE_CURVES = 6
"""Curves beside each other in a table: as many as fit a line."""


@verb(SweepOptions, without=("by", "by_row"))
def sweep(arguments: VerbArguments, options: SweepOptions) -> Sweep:
    """Every metric as the class ``label`` goes from rare to common, the others in proportion.

    The data are those of one system in any form, or a sample of two; ``against`` is another
    table, and then ``names`` are what the two are called. With two systems also the shares at
    which they change places. ``at`` are the shares, by default 105 from 0.001 to 0.999.
    ``interval`` is ``"auto"`` (square-and-add), ``"delta"`` or ``None``: values alone, which is
    much quicker.

    >>> curves = sweep([[80, 20], [10, 90]], label=0, metrics="accuracy", at=[0.1, 0.5])
    >>> [round(v, 6) for v in curves.curves["system"]["accuracy"].value]
    [0.89, 0.85]
    """
    swept = SweptCurve.from_arguments(arguments, options.against, options.names)
    systems, tables = swept.systems, swept.tables
    interval, level, label = options.interval, options.level, options.label
    settings = IntervalSettings("auto", level)
    j = positions([label], tables.labels, "class to sweep")[0]
    truth = np.asarray(tables.prevalence, np.float64).reshape(-1, tables.k)[0]
    if not truth[j] or truth[j] == truth.sum():
        raise InputError(
            f"class to sweep must be true of some items and not of all, "
            f"got {label!r} with {truth[j]:g} of {truth.sum():g}"
        )
    shares = SHARES if options.at is None else in_unit(options.at, "shares of a sweep")
    mixes = mixes_along(truth, j, shares)
    pairs = named(several(options.metrics, default_metrics, distance=options.distance))
    kernels = bind_all((m for _, m in pairs), tables, **options.binding)
    refuse_cells(kernels)
    interval_settings = None if interval is None else settings
    limits = None if interval == "delta" else swept.limited(level, len(shares))
    curves = swept.curves(kernels, mixes, interval_settings, limits)
    names_of = [name for name, _ in pairs]
    changes: tuple[Crossing, ...] = ()
    leads: dict[str, str | None] = {}
    if len(systems) == 2:
        bound, along = dict(zip(names_of, kernels, strict=True)), partial(mixes_along, truth, j)
        changes, leads = lead_changes(swept, bound, curves, shares, along, limits, settings)
    grouped = any(s.rows.cluster is not None for s in swept.sides)
    written = "none" if interval is None else str(IntervalField(interval, level, clusters=grouped))
    signature = signature_of(tables, **options.binding, interval=written)
    one = tables if not tables.shape else tables[0]
    notes: list[ResultWarning] = [
        *mix_notes(one, mixes),
        *table_warnings(tables, options.classes, options.zero_division),
    ]
    if interval_settings is not None and limits is None:
        notes += taken_as_certain(tables, mixes)
    if len(swept.sides) == 2:
        notes.append(Unpaired())
    return Sweep(
        signature=replace(
            signature,
            prevalence=f"sweep.{escaped(str(tables.labels[j]))}",
            n=str(int(np.max(tables.n))),
        ),
        n=int(np.max(tables.n)),
        label=tables.labels[j],
        observed=float(truth[j] / truth.sum()),
        shares=tuple(shares.tolist()),
        systems=systems,
        curves={
            system: dict(zip(names_of, own, strict=True))
            for system, own in zip(systems, zip(*curves, strict=True), strict=True)
        },
        crossings=changes,
        leads=leads,
        level=None if interval_settings is None else level,
        cautions=tuple(notes),
    )


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(Collection[tuple[str, str], Curve], Result):
    """Every metric of one or two systems while one class goes from rare to common.

    >>> import evenhand as eh
    >>> found = eh.shift.sweep([[80, 20], [10, 90]], label=0, metrics="accuracy", at=[0.1, 0.5])
    >>> list(found), found.observed
    ([('system', 'accuracy')], 0.5)
    """

    signature: Signature
    n: int
    label: Label
    observed: float
    shares: tuple[float, ...]
    systems: tuple[str, ...]
    curves: dict[str, dict[str, Curve]]
    crossings: tuple[Crossing, ...]
    leads: dict[str, str | None]
    level: float | None
    cautions: tuple[ResultWarning, ...] = ()

    drawn_by = "shift.charts.prevalence"

    @property
    def parts(self) -> dict[tuple[str, str], Curve]:
        """The curve of each system on each metric, by both names."""
        return {(s, m): c for s, curves in self.curves.items() for m, c in curves.items()}

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics."""
        return list(next(iter(self.curves.values())))

    def to_json_object(self) -> dict[str, Any]:
        """What ``evenhand shift --sweep --format json`` prints."""
        curves = self.select("curves")["curves"]
        return {
            **self.select("signature n label observed level shares"),
            "systems": [{"name": name, "metrics": own} for name, own in curves.items()],
            **(self.select("crossings leads") if len(self.systems) == 2 else {}),
        }

    def content(self) -> Content:
        """The headline, where two systems change places, the curves at round shares."""
        label = shortened(repr(self.label), 40)
        title = (
            f"{counted(self.n, 'item')}; share of {label} from {percent(self.shares[0])} to "
            f"{percent(self.shares[-1])} (here {percent(self.observed)}), the other classes in "
            "proportion"
        )
        blocks: list[Block] = [Paragraph(self._headline(), "verdict")]
        blocks += self._changes()
        blocks += self._curves()
        blocks += [Paragraph(ASSUMED, "note"), self.picture]
        note = footnote(self.signature, metric=leading(self.metrics))
        return self.described(title, blocks, self._data, footnote=note)

    def _headline(self) -> str:
        """Who leads where on the metric that counts most; of one system, how far it goes."""
        judged = {c.metric for c in self.crossings} | set(self.leads)
        lead = leading([m for m in self.metrics if m in judged] or self.metrics)
        changes = [c for c in self.crossings if c.metric == lead]
        if changes:
            places = [f"{c.below} leads below {percent(c.share)}" for c in changes]
            return f"by {lead} {', '.join(places)}, {changes[-1].above} above"
        if lead in self.leads:
            leader = self.leads[lead]
            who = "they are equal" if leader is None else f"{leader} leads"
            return f"by {lead} {who} at every share"
        known = sorted(v for v in self.curves[self.systems[0]][lead].value if v == v)
        if not known:
            return f"{lead} is undefined at every share"
        return f"{lead} lies between {number(known[0])} and {number(known[-1])}"

    def _changes(self) -> Iterable[Block]:
        """The changes of places as a table, and a sentence on the metrics without one."""
        if self.crossings:
            yield Table(
                self.crossing_grid,
                note="From low to high the difference is not clear of 0; empty: as far as the "
                "sweep goes.",
            )
        by: dict[str | None, list[str]] = {}
        for metric, leader in self.leads.items():
            by.setdefault(leader, []).append(metric)
        for leader, metrics in by.items():
            who = "They are equal" if leader is None else f"{leader} leads"
            yield Paragraph(f"{who} at every share on {listing(metrics, len(metrics))}.")

    @property
    def crossing_grid(self) -> Grid:
        """One row a change of places."""
        head = ["metric", "change at", "low", "high", "leads below", "leads above"]
        return Grid(head, [list(c.to_dict().values()) for c in self.crossings])

    def _curves(self) -> Iterable[Block]:
        """The curves at round shares, a few beside each other."""
        curves = [
            (metric if len(self.systems) == 1 else f"{metric} ({name})", self.curves[name][metric])
            for metric in self.metrics
            for name in self.systems
        ]
        at = [
            i
            for i, share in enumerate(self.shares)
            if len(self.shares) <= FEW_SHARES or any(abs(share - r) < 1e-9 for r in ROUND_SHARES)
        ]
        for start in range(0, len(curves), TABLE_CURVES):
            shown = curves[start : start + TABLE_CURVES]
            rows: list[list[Cell]] = [
                [ExactCell(float(f"{self.shares[i]:.6g}")), *(c.value[i] for _, c in shown)]
                for i in at
            ]
            yield Table(Grid(["share", *(name for name, _ in shown)], rows))
        if len(at) < len(self.shares):
            many = counted(len(self.shares), "share")
            sure = any(low is not None for _, c in curves for low in c.low)
            rest = "all of them, with intervals" if sure else "all of them"
            yield Paragraph(f"{many} were computed; CSV has {rest}.", "note")

    def _data(self) -> Grid:
        """Every number, one a row."""
        rows: list[list[Cell]] = [
            [name, metric, share, *ends]
            for name, curves in self.curves.items()
            for metric, c in curves.items()
            for share, *ends in zip(self.shares, c.value, c.low, c.high, strict=True)
        ]
        return Grid(["system", "metric", "share", "value", "low", "high"], rows)
