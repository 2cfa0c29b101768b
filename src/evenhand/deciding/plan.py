"""Plans: how many items a test set needs."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeAlias, TypeVar, get_args

import numpy as np

from evenhand.catalogue.binding import bind_all, main_metric, of_grades
from evenhand.catalogue.lists import as_spec, in_order, of_class, several, terms
from evenhand.catalogue.spelling import called, prevalence_of
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
from evenhand.data.labels import stated_positive
from evenhand.data.sample import Sample, SoftSample
from evenhand.errors import InputError, Option, shown
from evenhand.inference.delta import (
    FEW,
    few_clusters,
    small_class_warnings,
    weighs_classes_alike,
)
from evenhand.inference.intervals import IntervalSettings, estimates
from evenhand.inference.jackknife import difference_errors
from evenhand.inference.noninferiority import end, refuse_wide
from evenhand.inference.prediction_powered import (
    JudgedSample,
    judged_of,
    judged_rows,
    judged_warnings,
)
from evenhand.inference.rows import Floats, Rows, divide, rows_of
from evenhand.inference.wilson import critical_value, is_informative, quantile
from evenhand.options import PlanOptions, Rates, real_number
from evenhand.results.document import Block, Content, Paragraph, Table
from evenhand.results.result import Collection, Entry, Result
from evenhand.text import (
    Cell,
    Grid,
    MetricName,
    Term,
    counted,
    level_text,
    number,
    percent,
    points,
    visible,
)

TABLE_ITEMS = 10**9
"""Items of a table made from shares."""


def stated_table(recalls: Rates | float, mix: Rates) -> Confusion:
    """The table of these recalls at this class mix, with errors spread by the mix.

    >>> table = stated_table({"a": 0.8, "b": 0.9}, "a=0.2,b=0.8")
    >>> (table.cells / table.n).round(3).tolist()
    [[0.16, 0.04], [0.08, 0.72]]
    """
    shares = _rates(mix, "mix")
    if len(shares) < 2 or abs(sum(shares.values()) - 1) > 1e-6 or min(shares.values()) <= 0:
        raise InputError(
            "mix must be shares above 0 of at least 2 classes that sum to 1, "
            f"got {shown(shares.values())}"
        )
    same = isinstance(recalls, int | float)
    right = _rates(dict.fromkeys(shares, recalls) if same else recalls, "recalls")
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


Purpose: TypeAlias = Literal["width", "difference", "margin"]
MOST = 10**15
"""Items beyond which nobody plans."""
ROUNDS = 4
"""Iterations of the number of items by the interval expected with them."""


def poisson_ends(count: float, level: float) -> tuple[float, float]:
    """Between which multiples of a Poisson count its mean may lie (Garwood 1936).

    >>> [round(x, 2) for x in poisson_ends(10, 0.95)]
    [0.48, 1.84]
    """
    from scipy.special import chdtri

    if math.isinf(count):
        return 1.0, 1.0
    tail = (1 - level) / 2
    low, high = chdtri(2 * count, 1 - tail), chdtri(2 * count + 2, tail)
    return float(low / (2 * count)), float(high / (2 * count))


@dataclass(frozen=True)
class PilotSpread:
    """How a score, or a difference, of one item varies.

    ``variance``/n is the variance of a score of n items, ``size``/n what one item adds to a
    difference; ``informative`` is the effective number of items that the variance was seen in,
    which says how sure it is; items come in clusters of ``cluster_size``, which have a
    ``design_effect`` on the variance. ``rarest`` is the rarest class of an average with its shares
    of the items and of the variance.
    """

    kernel: Kernel
    variance: float
    size: float
    informative: float
    design_effect: float
    cluster_size: float | None
    rarest: tuple[Any, float, float] | None

    def df(self, items: float) -> float:
        """Degrees of freedom that so many items give an error."""
        size = self.cluster_size
        return math.inf if size is None else max(1.0, items / size - 1)


@dataclass(frozen=True)
class Pilot:
    """Data from which the variance of a test set is predicted, and what it is planned for."""

    data: Any
    options: PlanOptions
    purpose: Purpose
    target: float

    @property
    def several(self) -> bool:
        """Whether the data are of two systems."""
        return len(self.data.systems) == 2

    @property
    def paired(self) -> bool:
        """Whether systems are to be compared; of one, the other's errors correlate with its own."""
        return self.purpose != "width"

    def spreads(self, kernels: list[Kernel]) -> list[PilotSpread]:
        """How each metric varies."""
        rows, tables = rows_of(self.data), self.data.tables()
        psi, n = rows.influences(kernels), int(np.max(tables.n))
        parts = (self._unit_influences(r, psi) for r in (rows, replace(rows, cluster=None)))
        clusters = None if rows.cluster is None else len(np.unique(rows.cluster))
        items = 1.0 if rows.items is None else np.maximum(rows.items, 1)
        effect, spreads = self.options.design_effect, []
        for kernel, part, item in zip(kernels, *parts, strict=True):
            independent = float((item**2).sum())
            clustered = max(float((part**2).sum()), independent)
            certain = not is_informative(np.sqrt(independent))
            if certain and not (self.plain and self.purpose == "width" and not self.several):
                raise InputError(
                    f"these data do not say how {kernel.name} varies, as without an error, between "
                    "systems that never differ, or where a slope is infinite: state recalls and a "
                    "class mix, or give more items"
                )
            fourth = float((part**4).sum() if clusters else (part**4 / items).sum())
            relative = 0.0 if certain else fourth / clustered**2 - 1 / (clusters or n)
            cubes = float((np.abs(item) ** 3 / np.sqrt(items)).sum())
            spreads.append(PilotSpread(
                kernel,
                n * clustered * effect,
                0.0 if certain else n * cubes / independent * effect,
                math.inf if self.options.recalls is not None or relative <= 0 else 1 / relative,
                effect if certain else effect * clustered / independent,
                n / clusters if clusters else None,
                None if certain else _rarest(kernel, rows, tables, item),
            ))  # fmt: skip
        return spreads

    @property
    def plain(self) -> bool:
        """Whether the data are independent unweighted items with single labels."""
        tables = self.data.tables()
        counts = self.data.task == "single" and tables.weighing == "none" and not self.data.soft
        clustered = self.options.design_effect != 1 or self.data.cluster is not None
        return bool(counts and not clustered and tables.k <= DENSE and not np.any(tables.outside))

    @property
    def table(self) -> Confusion:
        """The table of one system."""
        tables: Confusion = self.data.tables()
        return tables[0] if tables.shape else tables

    def width(self, kernel: Kernel, items: int) -> float:
        """The width of the interval at the table to be expected of so many items."""
        table = self.table
        expected = np.rint(table.cells * (items / table.cells.sum())).astype(np.int64)
        lost = (expected.sum(axis=1) == 0) & (np.asarray(table.prevalence) > 0)
        if not expected.any() or (lost.any() and weighs_classes_alike(kernel)):
            return math.inf
        scaled = Confusion.from_matrix(expected, labels=table.labels)
        (estimate,) = estimates(scaled, [kernel], IntervalSettings("auto", self.options.level))
        width = float(np.ravel(estimate.high - estimate.low)[0])
        return width if is_informative(width) else math.inf

    def wider(self, kernel: Kernel, items: int) -> float:
        """The error of a difference at the expected sample over that of the delta method.

        It is larger where classes are small. 1 for data other than :attr:`plain` ones.
        """
        if not self.plain or not self.several:
            return 1.0
        expected = _scaled(self.data, items / self.data.n)
        if not expected.n:
            return 1.0
        rows = rows_of(expected)
        (errors,), psi = difference_errors(rows, [kernel]), rows.influences([kernel])
        slope = float(rows.root_sum_squares(self._unit_influences(rows, psi))[0])
        return errors.se / slope if is_informative(errors.se) and is_informative(slope) else 1.0

    def unseen(self) -> Pilot:
        """The pilot with two more items of each class, on one of which the first system errs."""
        table = self.table
        true = np.flatnonzero(table.prevalence)
        others = np.where(np.eye(table.k, dtype=bool), -1, table.bias)
        wrong = others[true].argmax(axis=1)
        if not isinstance(self.data, Sample):
            cells = table.cells.copy()
            cells[true, [true, wrong]] += 1
            return replace(self, data=Confusion.from_matrix(cells, labels=table.labels))
        answers = np.stack([np.r_[true, wrong], np.r_[true, true]], axis=1)
        data = replace(
            self.data,
            true=np.r_[self.data.true, true, true],
            pred=np.concatenate([self.data.pred, answers[:, : len(self.data.systems)]]),
            weight=np.r_[self.data.weight, np.ones(len(answers), np.int64)],
            n=self.data.n + len(answers),
        )
        return replace(self, data=data)

    def _unit_influences(self, rows: Rows, psi: Floats) -> Floats:
        """What each item or cluster adds to the error, metrics × units."""
        if self.several or not self.paired:
            moved = psi[:, 1] - psi[:, 0] if self.several else psi[:, 0]
            return rows.unit_influences(rows.centred(moved))
        if rows.stratum is None:
            raise InputError(
                "label sets of one system do not say what two systems would share: plan a width"
            )
        # independent errors of two systems share the effect of an item's class
        within = rows.unit_influences(rows.centred(psi[:, 0], by_class=True))
        return np.asarray(within * math.sqrt(2 * (1 - self.options.correlation)))

    def need(self, spread: PilotSpread) -> Need:
        """The smallest number of items that one metric needs, with its interval."""
        level, power, kernel = self.options.level, self.options.power, spread.kernel

        def detectable(items: int) -> float:
            se, df = math.sqrt(spread.variance / items), spread.df(items)
            if self.purpose == "width":
                return float(2 * critical_value(level, df) * se)
            if self.purpose == "difference":
                return float((critical_value(level, df) + quantile(power)) * se)
            size = spread.size / items
            return float(quantile(power) * se - end(0.0, se, level, df, size))

        few, many = poisson_ends(spread.informative, level)  # most may not have been seen yet
        label, share, own = spread.rarest or (None, None, None)
        rare = math.inf if share is None or math.isinf(spread.informative) else share * self.data.n
        if self.purpose == "width" and self.plain and not self.several:
            least = self.width(kernel, TABLE_ITEMS)
            if least > self.target and least > self.width(kernel, TABLE_ITEMS // 100) / 2:
                raise InputError(
                    f"no number of items makes the interval of {kernel.name} narrower than "
                    f"{least:.2g}: a class is never predicted, and nothing is known of its "
                    f"precision; got {self.target:g}"
                )
            items = _least(partial(self.width, kernel), self.target)
            if not spread.variance:  # of a perfect pilot, that it may yet err
                unseen = _least(partial(self.unseen().width, kernel), self.target)
                many = max(1.0, unseen / items)
        elif self.purpose == "difference" and self.plain and kernel.name == "accuracy":
            variance = spread.variance + self.target**2
            items = _least(lambda n: 1 - mcnemar_power(n, variance, self.target, level), 1 - power)
        else:
            items = sloped = _least(detectable, self.target)
            # the end of a gate counts the items that were not seen
            if rare < math.inf and self.plain and not (self.several and self.purpose == "margin"):
                (other,) = self.unseen().spreads([kernel])
                ratio = other.variance / spread.variance
                many = max(many, ratio * poisson_ends(other.informative, level)[1])
            for _ in range(ROUNDS):
                items = math.ceil(sloped * self.wider(kernel, items) ** 2 - 1e-6)
        floor = 1.0 if share is None else FEW / share  # enough of this class
        least = floor / poisson_ends(rare, level)[1]
        low, items, high = (
            math.ceil(max(x - 1e-6, bound - 1e-9))
            for x, bound in ((items * few, least), (items, floor), (items * many, floor))
        )
        most = own is not None and share is not None and own > max(0.5, 2 * share)
        decides = label if most or items == math.ceil(floor - 1e-9) else None
        bounded = kernel.record.bounded
        return Need(kernel.name, items, low, high, bounded, label, share, own, decides)


MANY_PAIRS = 400
"""Items on which two systems are expected to differ from which on the test is as good as normal."""


def mcnemar_power(n: int, differ: float, difference: float, level: float) -> float:
    """The power of McNemar's mid-p on n items, a share ``differ`` of which has one system right.

    By the binomial distributions of those items and of whose they are; normal where they are many.

    >>> round(mcnemar_power(1000, 0.03, 0.02, 0.95), 3)
    0.971
    """
    from scipy.special import bdtr, bdtrc, ndtr

    share = min(max(differ, difference), 1.0)
    if n * share > MANY_PAIRS:
        z = difference / math.sqrt((share - difference**2) / n)
        return float(ndtr(z - critical_value(level)))
    most = min(n, math.ceil(n * share + 8 * math.sqrt(n * share) + 8))
    pairs = np.arange(most + 1)
    chance = np.diff(bdtr(pairs, n, share), prepend=0.0)
    # the fewest wins of each number of pairs that are significant: 2·P(more) + P(as many) < α
    wins = pairs[:, None]
    mid = np.where(wins <= pairs, bdtrc(wins, pairs, 0.5) + bdtrc(wins - 1, pairs, 0.5), 1.0)
    least = np.where((mid < 1 - level).any(axis=0), (mid < 1 - level).argmax(axis=0), pairs + 1)
    favour = (share + difference) / (2 * share)
    won = np.where(least <= pairs, bdtrc(least - 1, pairs, favour), 0.0)
    return float((chance * won).sum())


def _scaled(sample: Sample, factor: float) -> Sample:
    """The expected sample of so many times as many items, rounded."""
    weight = np.rint(sample.weight * factor).astype(np.int64)
    rows = {"true": sample.true, "pred": sample.pred, "weight": weight}
    some: Any = {name: x[weight > 0] for name, x in rows.items()}
    return replace(sample, **some, n=int(weight.sum()), slices=())


def _rarest(
    kernel: Kernel, rows: Rows, tables: Any, parts: Floats
) -> tuple[Any, float, float] | None:
    """The rarest class of an average over classes, its share of the items and of the variance."""
    if not weighs_classes_alike(kernel) or rows.stratum is None:
        return None
    k = tables.k
    true = np.reshape(tables.prevalence, (-1, k))[0]
    mask = np.ones(k, bool) if kernel.averaged is None else kernel.averaged.reshape(-1, k)[0]
    share = np.where(mask & (true > 0), true / true.sum(), np.inf)
    at = int(np.argmin(share))
    each = np.bincount(rows.stratum, parts**2, minlength=k)
    return tables.labels[at], float(share[at]), float(each[at] / each.sum())


# The items that one metric needs.


class Need(Entry):
    """Items that one metric needs, with the interval that a pilot leaves.

    ``decides`` is the rarest class if it decides: most of the variance is its own, or it would
    have too few items.

    >>> import evenhand as eh
    >>> plan = eh.plan([[45, 5], [10, 40]], metrics="accuracy", width=0.1)
    >>> plan["accuracy"].items, plan["accuracy"].decides
    (197, None)
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


def _least(quantity: Callable[[int], float], target: float) -> int:
    """The smallest number of items with which ``quantity`` is not above the target."""
    high = 1
    while quantity(high) > target:
        high *= 2
        if high > MOST:
            raise InputError(f"so small a number needs more than {MOST:g} items, got {target:g}")
    tried = range(high // 2 + 1, high)
    return tried.start + bisect_left(tried, True, key=lambda n: quantity(n) <= target)


ENDS = ("items", "low", "high")
N = TypeVar("N", "Need", "LabelNeed")


class PlanOf(Collection[str, N], Result, kw_only=True):
    """What every metric needs for a purpose, and the one that needs most."""

    purpose: Purpose
    target: float
    level: float
    power: float | None
    needs: tuple[N, ...]

    of_metrics = True

    @property
    def parts(self) -> dict[str, N]:
        """The need of each metric."""
        return {need.metric: need for need in self.needs}

    @property
    def most(self) -> N:
        """The metric that needs most."""
        return max(self.needs, key=lambda need: need.items)

    @property
    def needed(self) -> int:
        """As many as are enough for every metric."""
        return self.most.items

    def goal(self, scope: str = "") -> str:
        """What they are needed for."""
        need = self.most
        size = points(self.target) if need.points else number(self.target, 4)
        metric, level = f"{scope}{called(need.metric)}", level_text(self.level)
        if self.purpose == "width":
            return f"for an interval of {metric} that is {size} wide on average ({level})"
        what = f"to show a difference of {size}"
        if self.purpose == "margin":
            what = f"for equally good systems to pass a gate with a margin of {size}"
        return f"{what} on {metric} in {percent(self.power or 0.0)} of cases ({level})"


class Plan(PlanOf[Need], kw_only=True):
    """How many items a test set needs: as many as the metric that needs most.

    >>> import evenhand as eh
    >>> plan = eh.plan(recalls=0.8, mix="spam=0.05,ham=0.95", metrics="macro_recall", width=0.1)
    >>> plan.needed, plan["macro_recall"].decides
    (1338, 'spam')
    """

    needs: tuple[Need, ...]
    systems: int
    stated: bool
    correlation: float | None
    design_effect: float
    together: float | None
    samples: float | None = None
    """Samples of each item, where items have several; then items are planned."""
    advice: str = ""
    """Whether more samples or more items narrow an interval more."""

    json_fields = """items=needed low high clusters message purpose target level power correlation
    design_effect stated needs"""

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
        if self.together is None or self.samples is not None:
            return None
        return math.ceil(self.needed / self.together)

    def of_samples(self, samples: float, advice: str) -> Plan:
        """The plan in items with so many samples each, which are clusters of the pilot."""
        real_number(samples, "samples", "a number from 1 on", lambda x: x >= 1)
        ends = ({n: math.ceil(getattr(need, n) / samples) for n in ENDS} for need in self.needs)
        fewer = (replace(need, **own) for need, own in zip(self.needs, ends, strict=True))
        return replace(self, needs=tuple(fewer), samples=samples, advice=advice, design_effect=1.0)

    @property
    def message(self) -> str:
        """The answer in one line."""
        unsure = "" if self.low == self.high else f" ({self.low:,} to {self.high:,})"
        many = "" if self.clusters is None else f" in {counted(self.clusters, 'cluster')}"
        if self.samples is not None:
            many = f" of {self.samples:g} samples each" * (self.samples != 1)
        difference = "the difference on " * (self.purpose == "width" and self.systems > 1)
        return f"{counted(self.needed, 'item')}{unsure}{many} {self.goal(difference)}"

    def content(self) -> Content:
        """The answer, which class decides, and what every metric needs."""
        need, answer = self.most, self.message
        if need.decides is not None and need.share is not None and need.variance is not None:
            answer += (
                f"\nThe rarest class, {visible(str(need.decides))}, has {percent(need.share)} of "
                f"the items ({round(need.items * need.share):,}) and {percent(need.variance)} of "
                "the variance: with more of it, fewer items are enough."
            )
        limits = f"At least, at most: {level_text(self.level)} limits, since the variance is "
        limits += "estimated from the pilot."
        if self.stated:
            limits = "The stated numbers are taken as exact."
        if self.correlation is not None:
            limits += " For two systems like this one, whose errors correlate by "
            limits += f"{self.correlation:g}; with a higher correlation fewer items are enough."
        if self.design_effect != 1:
            limits += f" The design effect of clusters is {self.design_effect:.3g}."
        known = terms(need.metric for need in self.needs)
        columns = "items, at least=low, at most=high, rarest class=rarest:text, "
        columns += "its share=share:share, of variance=variance:share"

        def metric(n: Need) -> Cell:
            return Term(known[n.metric], n.metric) if known else MetricName(n.metric)

        grid = Grid.from_records(self.needs, ("metric", metric), columns).without_empty()
        notes = (Paragraph(text, "note") for text in (limits, self.advice) if text)
        table = Table(grid, "What every metric needs")
        blocks: list[Block] = [Paragraph(answer, "verdict"), table, *notes]
        return self.described("items that a test set needs", blocks, self._data)

    def _data(self) -> Grid:
        columns = "metric, items, low, high, rarest:text, share, variance"
        return Grid.from_records(self.needs, columns)


@verb(PlanOptions, without=("by", "by_row"))
def plan(arguments: VerbArguments, options: PlanOptions) -> Plan | LabelPlan:
    """Say how many items are needed for an interval of a width, or to show a difference.

    Takes a pilot (what ``score`` takes of one system, or ``compare`` of two), a table, or no data
    but ``recalls`` and a class ``mix``, where errors go to the other classes by their shares.
    ``width`` is that of the interval at ``level``, of a score or, with two systems, of their
    difference; ``difference`` one that is to be shown by ``compare``, ``margin`` one of a ``gate``
    that equally good systems are to pass, both with a chance of ``power``. Of one system the other
    is taken to be like it, with errors that have this ``correlation``. ``design_effect`` is for
    items that will come in clusters; a pilot with ``cluster`` has its own. With a ``positive``
    class the metrics are its sensitivity and specificity, unless others are named. With a
    ``judge`` human labels are planned in place of items.

    n = variance of an item · ((z + z_power)/difference)² by the delta method, of accuracy by the
    power of McNemar's mid-p; a width is that of the interval at the table to be expected.

    >>> plan([[45, 5], [10, 40]], metrics="accuracy", width=0.1).needed  # about 0.1275·39.2²
    197
    """
    purposes = {name: getattr(options, name) for name in get_args(Purpose)}
    requested = [(name, x) for name, x in purposes.items() if x is not None]
    if len(requested) != 1:
        names = " and ".join(name for name, _ in requested) or "none"
        raise InputError(
            "plan takes one of width, difference and margin, such as ",
            Option("difference", 0.02),
            f"; got {names}",
        )
    if (judged := judged_of(arguments, options)) is not None:
        return plan_labels(judged, options, requested[0][0])
    pilot = Pilot(_pilot_data(arguments, options.recalls, options.mix), options, *requested[0])
    cluster, tables = pilot.data.cluster, pilot.data.tables()
    if cluster is not None and options.design_effect != 1:
        raise InputError("a pilot with clusters has a design effect of its own: leave that out")
    refuse_empty(tables, "plan from")
    positive = stated_positive(options.positive, tables.labels, tables.notes)
    usual = [main_metric(pilot.data)] if positive is None else ["sensitivity", "specificity"]
    metrics = several(options.metrics, lambda: usual, distance=options.distance, positive=positive)
    specs = [as_spec(of_class(m, positive)) for m in metrics]
    specs = of_grades(specs) if getattr(pilot.data, "graded", False) else specs
    kernels = bind_all(specs, tables, **options.binding)
    refuse_wide(pilot.target, kernels, pilot.purpose)
    spreads, stated = pilot.spreads(kernels), options.recalls is not None
    small = [] if stated else [*small_class_warnings(kernels, tables), *few_clusters(pilot.data)[0]]
    return Plan(
        purpose=pilot.purpose,
        target=pilot.target,
        level=options.level,
        power=options.power if pilot.paired else None,
        systems=2 if pilot.several else 1,
        stated=stated,
        correlation=options.correlation if pilot.paired and not pilot.several else None,
        design_effect=max(s.design_effect for s in spreads),
        together=spreads[0].cluster_size,
        needs=tuple(map(pilot.need, spreads)),
        cautions=(*tables.notes, *in_order(specs, tables.labels), *small),
    )


# Human labels, where there is a judge.

FEW_IN_STRATUM = 5
"""Human labels among a judge's label from which on they say how it varies."""


class LabelNeed(Entry):
    """Items with a human label that one metric needs with the judge, and without it.

    >>> import evenhand as eh
    >>> human, judge = ["a", "b", None, "a", "b"] * 20, list("abbab") * 20
    >>> plan = eh.plan(human, list("abaaa") * 20, judge=judge, metrics="accuracy", width=0.18)
    >>> plan["accuracy"].items < plan["accuracy"].without_judge
    True
    """

    metric: str
    items: int
    without_judge: int
    points: bool


class LabelStratum(Entry):
    """Items with one label by the judge: those to label next, and the probability that results.

    >>> import evenhand as eh
    >>> human, judge = ["a", "b", None, "a", "b"] * 20, list("abbab") * 20
    >>> plan = eh.plan(human, list("abaaa") * 20, judge=judge, metrics="accuracy", width=0.18)
    >>> [(s.judge, s.unlabelled) for s in plan.strata]
    [('a', 0), ('b', 20)]
    """

    judge: Any
    unlabelled: int
    label_next: int
    probability: float


class LabelPlan(PlanOf[LabelNeed], kw_only=True):
    """How many human labels are needed with a judge, and of which items the next ones.

    >>> import evenhand as eh
    >>> human, judge = ["a", "b", None, "a", "b"] * 20, list("abbab") * 20
    >>> plan = eh.plan(human, list("abaaa") * 20, judge=judge, metrics="accuracy", width=0.18)
    >>> (plan.n, plan.labels, plan.needed == plan["accuracy"].items)
    (100, 80, True)
    """

    needs: tuple[LabelNeed, ...]
    n: int
    labels: int
    strata: tuple[LabelStratum, ...]

    json_fields = """items=needed low=needed high=needed n labels message purpose target level power
    needs strata"""

    @property
    def message(self) -> str:
        """The answer in one line."""
        need, more = self.most, max(0, self.needed - self.labels)
        labels = f"{counted(need.items, 'human label')} ({more:,} more)"
        return f"{labels} {self.goal()}; without the judge {need.without_judge:,}"

    def content(self) -> Content:
        """The answer, and which items to label next."""
        strata = "judge's label=judge:text, unlabelled, label next=label_next, probability"
        note = (
            "Next labels by the judge's label, more where it errs more (Neyman): drawn at random "
            "among these, items have had these probabilities of a label, which score takes as "
            "label probabilities."
        )
        table = Table(Grid.from_records(self.strata, strata), "What to label next", note=note)
        blocks: list[Block] = [Paragraph(self.message, "verdict"), table]
        return self.described("human labels that a judge needs", blocks, self._data)

    def _data(self) -> Grid:
        return Grid.from_records(self.needs, "metric, items, without_judge")


def plan_labels(judged: JudgedSample, options: PlanOptions, purpose: Purpose) -> LabelPlan:
    """How many human labels a width, a difference or a gate needs, and which come next.

    With ρ the correlation of the influences of human and judge's labels, n of N items labelled
    leave σ²(1 − ρ²(1 − n/N))/n; the next are allotted to the judge's labels by N_h·σ_h of the
    difference of both. (Angelopoulos, Duchi & Zrnic 2023; Neyman 1934.)
    """
    target, level = getattr(options, purpose), options.level
    sample, total, labels = judged.sample, judged.sample.n, judged.labels
    if judged.designed or sample.cluster is not None or sample.square is not None:
        raise InputError("human labels are planned for items alike: no weights, clusters, designs")
    if len(judged.systems) > 2 or (len(judged.systems) == 2) != (purpose != "width"):
        raise InputError("plan with judge= takes one system for a width, two for a difference")
    rows = judged_rows(judged, options.binding)
    warnings = tuple(judged_warnings(judged, rows))
    specs = [as_spec(m) for m in several(options.metrics, lambda: ["macro_f1"])]
    kernels = bind_all(specs, judged.by_human().tables(), **options.binding)
    refuse_wide(target, kernels, purpose)
    z = critical_value(level) if purpose != "margin" else quantile(level)
    reach = 2 * z if purpose == "width" else z + quantile(options.power)
    known, needs, residuals = judged.labelled, list[LabelNeed](), list[Floats]()
    for kernel in kernels:
        a, b = (x[-1] - x[0] if len(x) > 1 else x[0] for x in rows.units(kernel, 0.0))
        squares = [float(x[known] @ y[known]) * labels for x, y in ((a, a), (a, b), (b, b))]
        if not is_informative(np.sqrt(squares[0])):
            raise InputError(f"these data do not say how {kernel.name} varies: label more items")
        explained = squares[1] ** 2 / squares[2] if squares[2] and squares[1] > 0 else 0.0
        residuals.append(a - (squares[1] / squares[2] if explained else 0.0) * b)

        def error(n: int, judge: float, variance: float = squares[0]) -> float:
            return float(reach * math.sqrt(max(variance - judge * (1 - n / total), 0.0) / n))

        if error(total, explained) > target:
            raise InputError(
                f"all {total:,} items with human labels leave {error(total, 0.0):.2g} of "
                f"{kernel.name}, more than {target:g}: more items are needed"
            )
        with_judge = _least(partial(error, judge=explained), target)
        alone = _least(partial(error, judge=0.0), target)
        needs.append(LabelNeed(kernel.name, with_judge, alone, kernel.record.bounded))
    most = max(range(len(needs)), key=lambda i: needs[i].items)
    strata = _strata(judged, residuals[most], max(0, needs[most].items - labels))
    return LabelPlan(
        purpose=purpose,
        target=target,
        level=level,
        power=None if purpose == "width" else options.power,
        n=total,
        labels=labels,
        needs=tuple(needs),
        strata=strata,
        cautions=warnings,
    )


def _strata(judged: JudgedSample, residual: Floats, more: int) -> tuple[LabelStratum, ...]:
    """Labels to come by the judge's label: Neyman's allocation, within what is there."""
    sample, known = judged.sample, judged.labelled
    columns = (sample.items, ~known), (sample.items, known), (residual**2, known)
    free, labelled, squares = (
        np.bincount(sample.true[of], x[of], minlength=sample.k) for x, of in columns
    )
    spread = np.sqrt(divide(squares, labelled, 0.0))
    pooled = math.sqrt(squares.sum() / labelled.sum())
    share = free * np.where(labelled < FEW_IN_STRATUM, pooled, spread)
    chosen = np.zeros(sample.k)
    for _ in range(sample.k):  # what exceeds a stratum goes to the others
        rest, room = more - chosen.sum(), (chosen < free) & (share > 0)
        if rest < 1 or not room.any():
            break
        chosen[room] += rest * share[room] / share[room].sum()
        chosen = np.minimum(chosen, free)
    first = judged.labels / sample.n
    allocated = np.floor(chosen + 0.5)
    chance = first + (1 - first) * divide(allocated, free, 0.0)
    rows = zip(sample.labels, free, allocated, chance, strict=True)
    return tuple(LabelStratum(v, int(n), int(m), float(p)) for v, n, m, p in rows)


def _pilot_data(arguments: VerbArguments, recalls: Rates | float | None, mix: Rates | None) -> Any:
    """Two systems, one, or the table that was stated."""
    if (recalls is None) != (mix is None):
        raise InputError("recalls and mix go together: one says how well, the other on what")
    if recalls is not None and mix is not None:
        if arguments.positional:
            raise InputError("recalls and a mix take the place of data: give one or the other")
        return stated_table(recalls, mix)
    several = of_several(arguments)
    data = (sample_of if several else system_of)(arguments, soft=True)
    if isinstance(data, SoftSample):
        data = data.common() if data.graded else data.decided()
    if len(data.systems) != 2 if several else data.tables().shape not in ((), (1,)):
        raise refusal("plan", form_of(data))
    return data
