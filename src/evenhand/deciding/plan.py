"""Plans: how many items a test set needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from evenhand.catalogue.binding import bind_all
from evenhand.catalogue.lists import as_spec, in_order, several
from evenhand.catalogue.spelling import prevalence_of
from evenhand.core.kernel import Kernel
from evenhand.data.arguments import (
    VerbArguments,
    form_of,
    of_several,
    refusal,
    refuse_empty,
    sample_of,
    system_of,
    verb,
)
from evenhand.data.confusion import Confusion
from evenhand.data.sample import Sample
from evenhand.errors import InputError, shown
from evenhand.inference.bootstrap import BootstrapSettings
from evenhand.inference.delta import (
    FEW,
    error_parts,
    few_clusters,
    small_class_warnings,
    table_error,
    weighs_classes_alike,
)
from evenhand.inference.intervals import estimates
from evenhand.inference.jackknife import difference_errors
from evenhand.inference.noninferiority import end, refuse_wide
from evenhand.inference.rows import Floats, Rows, centred, norm, rows_of
from evenhand.inference.wilson import critical_value, is_informative, quantile
from evenhand.options import PlanOptions, Rates
from evenhand.results.document import (
    Block,
    Cell,
    Content,
    Grid,
    MetricName,
    Paragraph,
    ShareCell,
    Table,
)
from evenhand.results.result import Collection, Entry, Result
from evenhand.text import counted, level_text, number, percent, points, visible
from evenhand.warnings import ResultWarning

TABLE_ITEMS = 10**9
"""Items of a table made from shares."""


def stated_table(recalls: Rates | float, mix: Rates) -> Confusion:
    """The table of these recalls at this class mix, with errors spread by the mix.

    >>> table = stated_table({"a": 0.8, "b": 0.9}, "a=0.2,b=0.8")
    >>> (table.cells / table.n).round(3).tolist()
    [[0.16, 0.04], [0.08, 0.72]]
    """
    shares = _rates(mix, "mix")
    if len(shares) < 2:
        raise InputError(f"mix must have at least 2 classes, got {shown(shares)}")
    if abs(sum(shares.values()) - 1) > 1e-6 or min(shares.values()) <= 0:
        raise InputError(f"mix must be shares above 0 that sum to 1, got {shown(shares.values())}")
    if isinstance(recalls, int | float):
        recalls = dict.fromkeys(shares, float(recalls))
    right = _rates(recalls, "recalls")
    if right.keys() != shares.keys():
        raise InputError(
            f"recalls and mix must be of the same classes, got {shown(right)} and {shown(shares)}"
        )
    if not all(0 <= r <= 1 for r in right.values()):
        raise InputError(f"recalls must be between 0 and 1, got {shown(right.values())}")
    share = np.array(list(shares.values()))
    recall = np.array([right[label] for label in shares])
    others = np.where(np.eye(len(share), dtype=bool), 0.0, share)
    rows = others / others.sum(axis=1, keepdims=True) * (1 - recall)[:, None]
    cells = (rows + np.diag(recall)) * share[:, None]
    return Confusion.from_matrix(np.rint(cells * TABLE_ITEMS).astype(np.int64), labels=list(shares))


def _rates(rates: Any, name: str) -> dict[Any, float]:
    if isinstance(rates, str):
        return dict(prevalence_of(rates, rates))
    if not isinstance(rates, Mapping):
        raise InputError(f"{name} must be 'a=0.2,b=0.8' or a mapping of labels to numbers")
    return {label: float(rate) for label, rate in rates.items()}


# The pilot.

DENSE = 200
"""Classes up to which the interval at the expected table is computed."""


@dataclass(frozen=True)
class RarestClass:
    """The rarest class of an average with its shares of the items and of the variance."""

    label: Any
    share: float
    variance: float

    @property
    def much(self) -> bool:
        """Whether most of the variance is its own, far more than its share of the items."""
        return self.variance > max(0.5, 2 * self.share)

    @property
    def floor(self) -> int:
        """Items of which enough are of this class for a reliable interval."""
        return math.ceil(FEW / self.share - 1e-9)


@dataclass(frozen=True)
class PilotSpread:
    """How a score, or a difference, of one item varies.

    ``variance``/n is the variance of a score of n items, ``size``/n what one item adds to a
    difference; ``uncertainty`` is the error of log variance; items come in clusters of
    ``cluster_size``, which have a ``design_effect`` on the variance.
    """

    kernel: Kernel
    variance: float
    size: float
    uncertainty: float
    design_effect: float
    cluster_size: float | None
    rarest: RarestClass | None

    def freedom(self, items: float) -> float:
        """Degrees of freedom that so many items give an error."""
        if self.cluster_size is None:
            return math.inf
        return max(1.0, items / self.cluster_size - 1)


@dataclass(frozen=True)
class Pilot:
    """Data from which the variance of a test set is predicted.

    ``paired``: a system is to be compared to another, of which only the ``correlation`` of their
    errors is known. ``stated`` numbers have no uncertainty. ``effect`` is a design effect that is
    not in the data.
    """

    data: Any
    paired: bool
    stated: bool
    correlation: float
    effect: float

    @property
    def several(self) -> bool:
        """Whether the data are of two systems."""
        return len(self.data.systems) == 2

    def spreads(self, kernels: list[Kernel]) -> list[PilotSpread]:
        """How each metric varies."""
        rows, tables = rows_of(self.data), self.data.tables()
        psi, n = rows.influences(kernels), int(np.max(tables.n))
        clustered_parts = self._parts(rows, psi)
        item_parts = self._parts(replace(rows, cluster=None), psi)
        clusters = None if rows.cluster is None else len(np.unique(rows.cluster))
        items = 1.0 if rows.items is None else np.maximum(rows.items, 1)
        spreads = []
        for kernel, part, item in zip(kernels, clustered_parts, item_parts, strict=True):
            independent = float((item**2).sum())
            clustered = max(float((part**2).sum()), independent)
            if not is_informative(np.sqrt(independent)):
                raise InputError(
                    f"these data do not say how {kernel.name} varies, as without an error, between "
                    "systems that never differ, or where a slope is infinite: state recalls and a "
                    "class mix, or give more items"
                )
            fourth = float((part**4).sum() if clusters else (part**4 / items).sum())
            uncertainty = math.sqrt(max(0.0, fourth / clustered**2 - 1 / (clusters or n)))
            cubes = float((np.abs(item) ** 3 / np.sqrt(items)).sum())
            spread = PilotSpread(
                kernel,
                n * clustered * self.effect,
                n * cubes / independent * self.effect,
                0.0 if self.stated else uncertainty,
                self.effect * clustered / independent,
                n / clusters if clusters else None,
                _rarest(kernel, rows, tables, item),
            )
            spreads.append(spread)
        return spreads

    def wider(self, kernel: Kernel, items: int, settings: BootstrapSettings) -> float:
        """The width of the interval at the expected table over that of the delta method.

        It is larger where classes are small, or scores near an end of their range. 1 for data
        other than independent unweighted items with single labels.
        """
        tables = self.data.tables()
        plain = self.data.task == "single" and tables.weighing == "none" and not self.data.soft
        clustered = self.effect != 1 or self.data.cluster is not None
        if not plain or clustered or tables.k > DENSE or np.any(tables.outside):
            return 1.0
        if self.several:
            rows = rows_of(_scaled(self.data, items / self.data.n))
            (errors,), psi = difference_errors(rows, [kernel]), rows.influences([kernel])
            width, slope_width = errors.se, float(norm(self._parts(rows, psi))[0])
        else:
            table = tables[0] if tables.shape else tables
            cells = np.rint(table.cells * (items / table.n)).astype(np.int64)
            expected = Confusion.from_matrix(cells, labels=table.labels)
            (estimate,) = estimates(expected, [kernel], settings)
            width = float(np.ravel(estimate.high - estimate.low)[0])
            slope_width = 2 * settings.z * float(np.ravel(table_error(expected, kernel))[0])
        informative = is_informative(width) and is_informative(slope_width)
        return width / slope_width if informative else 1.0

    def _parts(self, rows: Rows, psi: Floats) -> Floats:
        """What each item or cluster adds to the error, metrics × units."""
        if self.several:
            return error_parts(rows, psi[:, 1] - psi[:, 0])
        if not self.paired:
            return error_parts(rows, psi[:, 0])
        if rows.stratum is None:
            raise InputError(
                "label sets of one system do not say what two systems would share: plan a width"
            )
        # independent errors of two systems share the effect of an item's class
        within = rows.units.parts(centred(psi[:, 0], rows.weight, rows.stratum))
        return np.asarray(within * math.sqrt(2 * (1 - self.correlation)))


def _scaled(sample: Sample, factor: float) -> Sample:
    """The expected sample of so many times as many items, rounded."""
    weight = np.rint(sample.weight * factor).astype(np.int64)
    at = np.flatnonzero(weight)
    rows: Any = {"true": sample.true[at], "pred": sample.pred[at], "weight": weight[at]}
    return replace(sample, **rows, n=int(weight.sum()), slices=())


def _rarest(kernel: Kernel, rows: Rows, tables: Any, parts: Floats) -> RarestClass | None:
    """The rarest class of an average over classes."""
    if not weighs_classes_alike(kernel) or rows.stratum is None:
        return None
    k = tables.k
    true = np.reshape(tables.prevalence, (-1, k))[0]
    mask = np.ones(k, bool) if kernel.averaged is None else kernel.averaged.reshape(-1, k)[0]
    share = np.where(mask & (true > 0), true / true.sum(), np.inf)
    at = int(np.argmin(share))
    each = np.bincount(rows.stratum, parts**2, minlength=k)
    return RarestClass(tables.labels[at], float(share[at]), float(each[at] / each.sum()))


# The items that one metric needs.

Purpose: TypeAlias = Literal["width", "difference", "margin"]
MOST = 10**15
"""Items beyond which nobody plans."""
ROUNDS = 4
"""Iterations of the number of items by the interval expected with them."""


@dataclass(frozen=True, eq=False)
class Need(Entry):
    """Items that one metric needs, with the interval that a pilot leaves.

    ``decides`` is the rarest class if it decides: most of the variance is its own, or it would
    have too few items.

    >>> import evenhand as eh
    >>> plan = eh.plan([[45, 5], [10, 40]], metrics="accuracy", width=0.1)
    >>> plan["accuracy"].items, plan["accuracy"].decides
    (196, None)
    """

    metric: str
    items: int
    low: int
    high: int
    points: bool
    rarest: Any = None
    share: float | None = None
    variance: float | None = None
    decides: Any = None


def need_of(
    spread: PilotSpread,
    purpose: Purpose,
    target: float,
    power: float,
    settings: BootstrapSettings,
    pilot: Pilot,
) -> Need:
    """The smallest number of items for the ``purpose``, with its interval."""

    def reached(items: int) -> float:
        se, freedom = math.sqrt(spread.variance / items), spread.freedom(items)
        if purpose == "width":
            return 2 * critical_value(settings.level, freedom) * se
        if purpose == "difference":
            return (critical_value(settings.level, freedom) + quantile(power)) * se
        size = spread.size / items
        return quantile(power) * se - end(0.0, se, settings.level, freedom, size)

    items = sloped = _least(reached, target)
    for _ in range(ROUNDS):
        items = math.ceil(sloped * pilot.wider(spread.kernel, items, settings) ** 2 - 1e-6)
    rarest, log_error = spread.rarest, critical_value(settings.level) * spread.uncertainty
    ends = [items * math.exp(sign * log_error) for sign in (-1, 0, 1)]
    low, items, high = (max(math.ceil(x - 1e-6), rarest.floor if rarest else 1) for x in ends)
    need = Need(spread.kernel.name, items, low, high, spread.kernel.bounded)
    if rarest is None:
        return need
    decides = rarest.label if rarest.much or items == rarest.floor else None
    shares: Any = {"share": rarest.share, "variance": rarest.variance}
    return replace(need, rarest=rarest.label, decides=decides, **shares)


def _least(reached: Callable[[int], float], target: float) -> int:
    """The smallest number of items with which ``reached`` is not above the target."""
    low, high = 0, 1
    while reached(high) > target:
        low, high = high, 2 * high
        if high > MOST:
            raise InputError(f"so small a number needs more than {MOST:g} items, got {target:g}")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if reached(middle) > target else (low, middle)
    return high


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Collection[str, Need], Result):
    """How many items a test set needs: as many as the metric that needs most.

    >>> import evenhand as eh
    >>> plan = eh.plan(recalls=0.8, mix="spam=0.05,ham=0.95", metrics="macro_recall", width=0.1)
    >>> plan.needed, plan["macro_recall"].decides
    (1363, 'spam')
    """

    purpose: Purpose
    target: float
    level: float
    power: float | None
    systems: int
    stated: bool
    correlation: float | None
    design_effect: float
    together: float | None
    needs: tuple[Need, ...]
    cautions: tuple[ResultWarning, ...] = ()

    of_metrics = True

    def to_json_object(self) -> dict[str, Any]:
        """The fields of ``evenhand plan --format json``."""
        return {
            "items": self.needed,
            **self.select("low high clusters message purpose target level"),
            **self.select("power correlation design_effect stated needs"),
        }

    @property
    def parts(self) -> dict[str, Need]:
        """The need of each metric."""
        return {need.metric: need for need in self.needs}

    @property
    def most(self) -> Need:
        """The metric that needs most."""
        return max(self.needs, key=lambda need: need.items)

    @property
    def needed(self) -> int:
        """Items that are enough for every metric."""
        return self.most.items

    @property
    def low(self) -> int:
        """The lower end of the items needed."""
        return self.most.low

    @property
    def high(self) -> int:
        """The upper end of the items needed."""
        return self.most.high

    @property
    def clusters(self) -> int | None:
        """Clusters that are needed, if they are as large as those of the pilot."""
        return None if self.together is None else math.ceil(self.needed / self.together)

    @property
    def message(self) -> str:
        """The answer in one line."""
        need, level = self.most, level_text(self.level)
        size = points(self.target) if need.points else number(self.target, 4)
        metric = visible(need.metric)
        unsure = "" if self.low == self.high else f" ({self.low:,} to {self.high:,})"
        many = "" if self.clusters is None else f" in {counted(self.clusters, 'cluster')}"
        head = f"{counted(self.needed, 'item')}{unsure}{many}"
        if self.purpose == "width":
            difference = "the difference on " if self.systems > 1 else ""
            return f"{head} for an interval of {difference}{metric} that is {size} wide ({level})"
        chance = percent(self.power or 0.0)
        if self.purpose == "margin":
            head += f" for equally good systems to pass a gate with a margin of {size}"
        else:
            head += f" to show a difference of {size}"
        return f"{head} on {metric} ({level}) {chance} of the time"

    def content(self) -> Content:
        """The answer, which class decides, and what every metric needs."""
        blocks: list[Block] = [Paragraph("\n".join([self.message, *self._rare()]), "verdict")]
        blocks += [self._sheet(), Paragraph(self._limits(), "note")]
        return self.described("items that a test set needs", blocks, self._data)

    def _rare(self) -> Iterable[str]:
        need = self.most
        if need.decides is None or need.share is None or need.variance is None:
            return
        own = round(need.items * need.share)
        yield (
            f"The rarest class decides: {visible(str(need.decides))} has {percent(need.share)} of "
            f"the items, {own:,} of these, and makes {percent(need.variance)} of the variance; a "
            "test set with more of it needs fewer."
        )

    def _sheet(self) -> Table:
        head = ["metric", "items", "at least", "at most", "rarest class", "of items", "of variance"]
        rows: list[list[Cell]] = []
        for need in self.needs:
            rarest = None if need.rarest is None else str(need.rarest)
            shares = [None if x is None else ShareCell(x) for x in (need.share, need.variance)]
            items = (need.items, need.low, need.high)
            rows.append([MetricName(need.metric), *items, rarest, *shares])
        return Table(Grid(head, rows), "What every metric needs")

    def _data(self) -> Grid:
        head = ["metric", "items", "low", "high", "rarest", "share", "variance"]
        rows: list[list[Cell]] = [
            [n.metric, n.items, n.low, n.high, None if n.rarest is None else str(n.rarest), n.share,
             n.variance] for n in self.needs
        ]  # fmt: skip
        return Grid(head, rows)

    def _limits(self) -> str:
        sentences = ["Numbers stated are taken as they are." if self.stated else
                "At least and at most: what the pilot leaves open, by how sure it is of the "
                f"variance ({level_text(self.level)})."]  # fmt: skip
        if self.correlation is not None:
            sentences.append(
                "Two systems like this one, whose errors have a correlation of "
                f"{self.correlation:g}: with more in common fewer items do."
            )
        if self.design_effect != 1:
            sentences.append(f"The design effect of clusters is {self.design_effect:.3g}.")
        return " ".join([*sentences, "It holds for items like these."])


@verb(PlanOptions, without=("by", "by_row"))
def plan(arguments: VerbArguments, options: PlanOptions) -> Plan:
    """Say how many items are needed for an interval of a width, or to show a difference.

    Takes a pilot (what ``score`` takes of one system, or ``compare`` of two), a table, or no data
    but ``recalls`` and a class ``mix``, where errors go to the other classes by their shares.
    ``width`` is that of the interval at ``level``, of a score or, with two systems, of their
    difference; ``difference`` one that is to be shown by ``compare``, ``margin`` one of a ``gate``
    that equally good systems are to pass, both with a chance of ``power``. Of one system the other
    is taken to be like it, with errors that have this ``correlation``. ``design_effect`` is for
    items that will come in clusters; a pilot with ``cluster`` has its own.

    n = variance of an item · (2·z/width)², or · ((z + z_power)/difference)², by the delta method.

    >>> plan([[45, 5], [10, 40]], metrics="accuracy", width=0.1).needed  # about 0.1275·39.2²
    196
    """
    purpose, target = _purpose(
        width=options.width, difference=options.difference, margin=options.margin
    )
    recalls, mix, power = options.recalls, options.mix, options.power
    correlation, design_effect = options.correlation, options.design_effect
    if (recalls is None) != (mix is None):
        raise InputError("recalls and mix go together: one says how well, the other on what")
    pilot_data = _pilot_data(arguments, recalls, mix)
    if pilot_data.cluster is not None and design_effect != 1:
        raise InputError("a pilot with clusters has a design effect of its own: leave that out")
    pilot = Pilot(pilot_data, purpose != "width", recalls is not None, correlation, design_effect)
    settings = BootstrapSettings("auto", options.level)
    tables = pilot_data.tables()
    refuse_empty(tables, "plan from")
    specs = [
        as_spec(m)
        for m in several(options.metrics, lambda: ["macro_f1"], distance=options.distance)
    ]
    kernels = bind_all(specs, tables, **options.binding)
    refuse_wide(target, kernels, purpose)
    spreads = pilot.spreads(kernels)
    small: list[ResultWarning] = []
    if not pilot.stated:
        small = [*small_class_warnings(kernels, tables), *few_clusters(pilot_data.cluster)]
    needs = tuple(need_of(s, purpose, target, power, settings, pilot) for s in spreads)
    return Plan(
        purpose=purpose,
        target=target,
        level=options.level,
        power=power if pilot.paired else None,
        systems=2 if pilot.several else 1,
        stated=pilot.stated,
        correlation=correlation if pilot.paired and not pilot.several else None,
        design_effect=max(s.design_effect for s in spreads),
        together=spreads[0].cluster_size,
        needs=needs,
        cautions=(*tables.notes, *in_order(specs, tables.labels), *small),
    )


def _purpose(**purposes: float | None) -> tuple[Any, float]:
    stated = {name: x for name, x in purposes.items() if x is not None}
    if len(stated) != 1:
        raise InputError(f"one of width, difference and margin is asked for, got {shown(stated)}")
    ((name, target),) = stated.items()
    return name, target


def _pilot_data(arguments: VerbArguments, recalls: Rates | float | None, mix: Rates | None) -> Any:
    """Two systems, one, or the table that was stated."""
    if recalls is not None and mix is not None:
        if arguments.positional:
            raise InputError("recalls and a mix take the place of data: give one or the other")
        return stated_table(recalls, mix)
    if not of_several(arguments):
        one = system_of(arguments)
        if one.tables().shape not in ((), (1,)):
            raise refusal("plan", form_of(one))
        return one
    both = sample_of(arguments)
    if len(both.systems) != 2:
        raise refusal("plan", form_of(both))
    return both
