"""Scores along class mixes, and where two systems change places."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, TypeAlias, TypedDict

import numpy as np

from evenhand.catalogue.binding import bind_all, refuse_cells, table_warnings
from evenhand.catalogue.lists import default_metrics, leading, named, several
from evenhand.catalogue.signature import IntervalField, Signature, footnote, signature_of
from evenhand.catalogue.spelling import called, escaped
from evenhand.core.kernel import Kernel
from evenhand.core.margins import Counts
from evenhand.core.ratio import ratio
from evenhand.data.arguments import VerbArguments, system_of, verb
from evenhand.data.confusion import Confusion, on_same_labels
from evenhand.data.counting import sorted_numbers
from evenhand.data.labels import Label, positions
from evenhand.errors import InputError
from evenhand.inference.mover import LimitedRates, inside, limited, movable
from evenhand.inference.rows import Floats, Rows, centred, gradient_of, rows_of
from evenhand.inference.wilson import (
    automatic_scale,
    critical_value,
    informative_ends,
    interval_around,
    interval_scale,
)
from evenhand.options import SweepOptions
from evenhand.records import Curve, Interval, Intervals
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

CHUNK = 1 << 22
"""Numbers worked on at a time: it bounds memory, whatever the number of mixes."""


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


@dataclass(frozen=True, eq=False)
class SweptSystems:
    """One or two systems, and what they score at class mixes (P × k).

    Systems that share items share rows; of two tables, each row is of one. ``limits`` are the rates
    of each system with their confidence limits, where they can be moved.
    """

    systems: tuple[str, ...]
    tables: Confusion
    rows: Rows
    level: float
    limits: list[LimitedRates] | None = None

    @classmethod
    def from_arguments(cls, arguments: VerbArguments, options: SweepOptions) -> SweptSystems:
        """The system of the data, or two of a sample; or it and another."""
        two = not isinstance(arguments.pred, str)  # two systems on the same items are a sample
        data = system_of(arguments, items=two and arguments.of_frame, margins=True)
        if len(getattr(data, "systems", ())) == 2 and options.against is None:
            systems, tables = data.systems, data.tables()
        else:
            data, tables = one_system(VerbArguments("sweep", (data,)))
            systems = data.systems or ("system",)
        if options.against is not None:
            _, other = one_system(VerbArguments("sweep", (options.against,)))
            both, systems = on_same_labels([tables, other]), options.names
            empty = np.flatnonzero(np.logical_xor(*(t.prevalence > 0 for t in both)))
            if len(empty):
                raise InputError(
                    f"both tables must have items of the same true classes, "
                    f"only one has {both[0].labels[empty[0]]!r}"
                )
            data = tables = Confusion.stack(both, systems)
        rows = rows_of(data)
        if not rows.hard:
            raise InputError("a sweep needs hard labels: soft and multi-label items have no rows")
        return cls(systems, tables, rows, options.level)

    @cached_property
    def prevalence(self) -> Floats:
        """For each row the weight of its true class, in its table."""
        strata = self.rows.strata
        return np.bincount(strata, self.rows.weight)[strata]

    def _margins(self, kernel: Kernel, mixes: Floats) -> Counts:
        """The margins (P × systems × k) that a kernel sees at the mixes."""
        rows, rate = self.rows, self.rows.weight / self.prevalence
        counts: Counts = kernel.prepared(rows.margins(mixes[:, rows.true] * rate))
        return counts

    def values(self, kernel: Kernel, mixes: Floats) -> Floats:
        """A metric of each system at every mix, systems × P."""
        return np.asarray(kernel.function(self._margins(kernel, mixes)), np.float64).T

    def errors(self, kernel: Kernel, mixes: Floats) -> Floats:
        """Standard errors, as values are; after two systems comes that of their difference.

        By the delta method: the influence of a row of true class t is (π_t/n_t)·(g − ḡ_t), since
        rows of a class are shares of it, so that only their differences count.
        """
        contrasts = np.array([[1, 0], [0, 1], [1, -1]]) if len(self.systems) > 1 else np.eye(1)
        if self.rows.cluster is None and self.rows.square is None:
            return np.full((len(contrasts), len(mixes)), np.nan)  # nobody knows how items vary
        size = max(1, CHUNK // (len(contrasts) * len(self.prevalence)))
        rows, parts = self.rows, []
        for part in (mixes[i : i + size] for i in range(0, len(mixes), size)):
            slopes = rows.slopes(gradient_of(kernel, self._margins(kernel, part)))
            psi = (contrasts[:, None, rows.index[0]] * slopes).sum(axis=2)
            psi = centred(psi, rows.weight, rows.strata, int(rows.strata.max()) + 1)
            units = rows.unit_influences(psi * part[:, rows.true] / self.prevalence)
            parts.append(np.sqrt((units**2).sum(axis=-1)))
        return np.concatenate(parts, axis=1)

    def half_widths(self, kernel: Kernel, mixes: Floats) -> Floats:
        """How far the intervals reach down and up, 2 × systems × P."""
        if self.limits is None:
            half = critical_value(self.level) * self.errors(kernel, mixes)
            return np.stack([half[: len(self.systems)]] * 2)
        each = enumerate(self.limits)
        bound = [(x, kernel.at(s) if self.tables.shape else kernel) for s, x in each]
        return np.stack([x.half_widths(k, mixes) for x, k in bound], axis=1)

    def gap(self, kernel: Kernel, mixes: Floats) -> Floats:
        """First minus second system at each mix."""
        first, second = self.values(kernel, mixes)
        return np.asarray(first - second)

    def clear(self, kernel: Kernel, mixes: Floats) -> Floats:
        """How far 0 is from the interval of that difference; negative where it is inside."""
        gap = self.gap(kernel, mixes)
        (down, other_down), (up, other_up) = self.half_widths(kernel, mixes)
        first, second = np.where(gap > 0, (down, other_up), (up, other_down))
        one, two, both = self.errors(kernel, mixes)
        correlation = np.clip(ratio(one**2 + two**2 - both**2, 2 * one * two), -1, 1)
        shared = 2 * correlation * first * second
        return np.asarray(np.abs(gap) - np.sqrt(np.maximum(first**2 + second**2 - shared, 0)))

    def curves(self, kernel: Kernel, mixes: Floats, *, interval: bool) -> list[Curve]:
        """A metric's curves, one a system."""
        if kernel.target is not None:  # a metric at a mix of its own does not move
            mixes = np.broadcast_to(kernel.target.reshape(-1, self.tables.k)[0], mixes.shape)
        value = self.values(kernel, mixes)
        ends = np.full((2, *value.shape), np.nan)
        log = automatic_scale(kernel) == "log"
        if interval and (log or self.limits is None):
            scale = "log" if log else interval_scale("range", kernel)
            errors, z = self.errors(kernel, mixes)[: len(value)], critical_value(self.level)
            ends = np.stack(interval_around(value, errors, z, kernel, scale))
        elif interval:
            ends = np.stack(inside(value, self.half_widths(kernel, mixes), kernel))
        each = zip(value, *informative_ends(*ends), strict=True)
        intervals = (replace(Intervals.bare(v), low=low, high=high) for v, low, high in each)
        return [Curve.from_intervals(x) for x in intervals]


# Shares at which two systems change places.

Along: TypeAlias = Callable[[Floats], Floats]
"""The class mixes at shares of one class."""
EQUAL = 1e-12
"""Differences up to this are none: systems that are equal all along change no places."""


class Crossing(Interval, kw_only=True):
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


def crossings_of(
    swept: SweptSystems, name: str, kernel: Kernel, lead: Floats, along: Along, shares: Floats
) -> Iterable[Crossing]:
    """Where two systems change places on a metric; ``lead`` is how far the first is ahead.

    ``along`` gives the class mixes at shares, which bracket the roots.
    """
    from scipy.optimize import brentq

    def root(function: Callable[[Kernel, Floats], Floats], *between: float) -> float:
        share = brentq(lambda s: function(kernel, along(np.array([s])))[0], *between)
        return round(float(share), 9)  # the same however the items are held

    for a, b in pairwise(np.flatnonzero(np.abs(lead) > EQUAL)):
        if lead[a] * lead[b] > 0:
            continue
        share = root(swept.gap, shares[a], shares[b])
        clear = swept.clear(kernel, along(shares)) > 0
        ends: list[float | None] = []
        for side in (np.flatnonzero(shares < share)[::-1], np.flatnonzero(shares > share)):
            first = np.flatnonzero(clear[side])[:1]
            near = [share, *shares[side]]
            ends += [root(swept.clear, near[i], near[i + 1]) for i in first] or [None]
        below, above = swept.systems if lead[a] > 0 else swept.systems[::-1]
        interval: Any = dict(zip(("low", "high"), ends, strict=True)) | {"level": swept.level}
        yield Crossing(share, **interval, metric=name, below=below, above=above)


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
    swept = SweptSystems.from_arguments(arguments, options)
    systems, tables, interval, label = swept.systems, swept.tables, options.interval, options.label
    j = positions([label], tables.labels, "class to sweep")[0]
    truth = np.asarray(tables.prevalence, np.float64).reshape(-1, tables.k)[0]
    if not truth[j] or truth[j] == truth.sum():
        raise InputError(
            f"class to sweep must be true of some items and not of all, "
            f"got {label!r} with {truth[j]:g} of {truth.sum():g}"
        )
    shares = SHARES if options.at is None else sorted_numbers(options.at, "shares of a sweep")
    along = partial(mixes_along, truth, j)
    mixes = along(shares)
    pairs = named(several(options.metrics, default_metrics, distance=options.distance))
    kernels = bind_all((m for _, m in pairs), tables, **options.binding)
    refuse_cells(kernels)
    if interval != "delta" and movable(tables, len(shares)):
        both = limited(tables, swept.rows, options.level)
        swept = replace(swept, limits=[both.at(slice(s, s + 1)) for s in range(len(systems))])
    curves: dict[str, dict[str, Curve]] = {system: {} for system in systems}
    crossings, leads = list[Crossing](), dict[str, str | None]()
    for (name, _), kernel in zip(pairs, kernels, strict=True):
        own = swept.curves(kernel, mixes, interval=interval is not None)
        for system, curve in zip(systems, own, strict=True):
            curves[system][name] = curve
        if len(systems) == 2 and kernel.record.better != "neither":
            first, second = (np.array(c.value) for c in own)
            lead = second - first if kernel.record.better == "lower" else first - second
            changes = list(crossings_of(swept, name, kernel, lead, along, shares))
            crossings += changes
            if not changes:  # the one that is ahead wherever they differ
                sign = lead[np.abs(lead) > EQUAL][:1]
                leads[name] = systems[0 if sign > 0 else 1] if len(sign) else None
    clusters, n = swept.rows.cluster is not None, int(np.max(tables.n))
    written = "none"
    if interval is not None:
        written = str(IntervalField(interval, options.level, clusters=clusters))
    signature = signature_of(tables, **options.binding, interval=written)
    mix = f"sweep.{escaped(str(tables.labels[j]))}"
    notes = [*mix_notes(tables[0] if tables.shape else tables, mixes)]
    notes += table_warnings(tables, options.classes, options.zero_division)
    if interval is not None and swept.limits is None:
        notes += taken_as_certain(tables, mixes)
    notes += [Unpaired()] * (swept.rows.table is not None)
    return Sweep(
        signature=replace(signature, prevalence=mix, n=str(n)),
        n=n,
        label=tables.labels[j],
        observed=float(truth[j] / truth.sum()),
        shares=tuple(shares.tolist()),
        systems=systems,
        curves=curves,
        crossings=tuple(crossings),
        leads=leads,
        level=None if interval is None else options.level,
        cautions=tuple(notes),
    )


class CurvesOfSystem(TypedDict):
    """A system's curve on every metric."""

    name: str
    metrics: dict[str, Curve]


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

    drawn_by = "shift.charts.prevalence"
    json_fields = """signature n label observed level shares systems=curves_of_systems
    crossings?=crossings_of_two leads?=leads_of_two"""

    @property
    def parts(self) -> dict[tuple[str, str], Curve]:
        """The curve of each system on each metric, by both names."""
        return {(s, m): c for s, curves in self.curves.items() for m, c in curves.items()}

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics."""
        return list(next(iter(self.curves.values())))

    @property
    def curves_of_systems(self) -> tuple[CurvesOfSystem, ...]:
        """The curves of each system."""
        return tuple({"name": name, "metrics": own} for name, own in self.curves.items())

    @property
    def crossings_of_two(self) -> tuple[Crossing, ...] | None:
        """Where two systems change places; ``None`` of one."""
        return self.crossings if len(self.systems) == 2 else None

    @property
    def leads_of_two(self) -> dict[str, str | None] | None:
        """Who leads throughout; ``None`` of one."""
        return self.leads if len(self.systems) == 2 else None

    def content(self) -> Content:
        """The headline, where two systems change places, the curves at round shares."""
        first, here, last = map(percent, (self.shares[0], self.observed, self.shares[-1]))
        title = f"{counted(self.n, 'item')}; share of {shortened(repr(self.label), 40)} "
        title += f"from {first} to {last} (here {here}), the other classes in proportion"
        blocks: list[Block] = [Paragraph(self.headline, "verdict"), *self._changes()]
        blocks += [*self._curves(), Paragraph(ASSUMED, "note"), self.picture]
        note = footnote(self.signature, metric=leading(self.metrics))
        return self.described(title, blocks, self._data, footnote=note)

    @property
    def headline(self) -> str:
        """Who leads where on the metric that counts most; of one system, how far it goes."""
        judged = {c.metric for c in self.crossings} | set(self.leads)
        lead = leading([m for m in self.metrics if m in judged] or self.metrics)
        changes, name = [c for c in self.crossings if c.metric == lead], called(lead)
        if changes:
            places = [f"{c.below} leads below {percent(c.share)}" for c in changes]
            return f"by {name} {', '.join(places)}, {changes[-1].above} above"
        if lead in self.leads:
            return f"by {name} {_leads(self.leads[lead])} at every share"
        known = [v for v in self.curves[self.systems[0]][lead].value if v == v]
        if not known:
            return f"{name} is undefined at every share"
        return f"{name} lies between {number(min(known))} and {number(max(known))}"

    def _changes(self) -> Iterable[Block]:
        """The changes of places as a table, and a sentence on the metrics without one."""
        if self.crossings:
            columns = "metric, change at=share, low, high, leads below=below, leads above=above"
            grid = Grid.from_records(self.crossings, columns)
            note = "From low to high the difference is not clear of 0; empty: as far as the sweep"
            yield Table(grid, note=f"{note} goes.")
        for leader in dict.fromkeys(self.leads.values()):
            metrics = [m for m, own in self.leads.items() if own == leader]
            who = _leads(leader, "They")
            yield Paragraph(f"{who} at every share on {listing(metrics, len(metrics))}.")

    def _curves(self) -> Iterable[Block]:
        """The curves at round shares, a few beside each other."""
        curves = [
            (metric if len(self.systems) == 1 else f"{metric} ({name})", self.curves[name][metric])
            for metric in self.metrics
            for name in self.systems
        ]
        few = len(self.shares) <= FEW_SHARES
        at = [i for i, share in enumerate(self.shares) if few or share in ROUND_SHARES]
        for start in range(0, len(curves), TABLE_CURVES):
            shown = curves[start : start + TABLE_CURVES]
            rows: list[list[Cell]] = [
                [ExactCell(float(f"{self.shares[i]:.6g}")), *(c.value[i] for _, c in shown)]
                for i in at
            ]
            yield Table(Grid(["share", *(name for name, _ in shown)], rows))
        if not few:
            rest = "all of them" if self.level is None else "all of them, with intervals"
            many = counted(len(self.shares), "share")
            yield Paragraph(f"{many} were computed; CSV has {rest}.", "note")

    def _data(self) -> Grid:
        """Every number, one a row."""
        rows: list[list[Cell]] = [
            [*names, *numbers]
            for names, c in self.items()
            for numbers in zip(self.shares, c.value, c.low, c.high, strict=True)
        ]
        return Grid(["system", "metric", "share", "value", "low", "high"], rows)


def _leads(leader: str | None, equal: str = "they") -> str:
    return f"{equal} are equal" if leader is None else f"{leader} leads"
