"""Estimate the class mix of unlabelled data, and the scores to expect there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenhand.catalogue.binding import bind_all, refuse_cells, table_warnings
from evenhand.catalogue.footnote import footnote
from evenhand.catalogue.lists import default_metrics, leading, named, several
from evenhand.catalogue.signature import Signature, signature_of
from evenhand.core.kernel import Kernel, TableViews, asked_views
from evenhand.core.margins import Counts
from evenhand.core.ratio import ratio
from evenhand.data.arguments import VerbArguments, verb
from evenhand.data.labels import Label
from evenhand.errors import InputError, choice
from evenhand.inference.bootstrap import percentile
from evenhand.inference.delta import FEW, at_mix, rates_of
from evenhand.inference.intervals import IntervalSettings
from evenhand.inference.rows import Floats, rows_of
from evenhand.inference.wilson import informative_ends
from evenhand.options import PrevalenceOptions
from evenhand.records import Interval, Intervals, Method, Record, by
from evenhand.results.document import Block, Content, FactList, Heading, Paragraph, Table
from evenhand.results.result import Collection, Result
from evenhand.shift.estimators import (
    SINGULAR,
    UNTESTED,
    Estimate,
    Fit,
    QuantificationProblem,
    chosen_method,
    least_visible_change,
    shortfall,
    smallest_singular_value,
    unlabelled,
)
from evenhand.shift.extrapolation import (
    ASSUMED,
    SHOWN_CLASSES,
    never_labelled,
    one_system,
    target_of,
    written,
)
from evenhand.shift.warnings import (
    AboveOne,
    Farthest,
    FewerReplicates,
    FewLabelled,
    IllConditionedRates,
    ItemsForgotten,
    Misfit,
    NewKinds,
    NotShownLikeliest,
    OutsideSimplex,
    SharesAlone,
    SingularRates,
    UnknownLabels,
)
from evenhand.text import Cell, Grid, IntervalCell, counted, level_text, number, p_words, shortened
from evenhand.warnings import ResultWarning

AMPLIFIED = 10.0
"""An error in the shares multiplied by more than this is worth a warning."""
MISFIT_P = 0.01
"""A p below this is a warning that more than the mix has changed."""
TOLERANCE = 1e-9
"""Log-likelihood an item that a mix may lack before it is no longer the most likely one."""
SIMPLEX_MARGIN = 1e-3
"""How far outside the simplex an estimate is worth a word."""


def findings(
    estimate: PrevalenceEstimate, problem: QuantificationProblem, fewer: bool
) -> Iterable[ResultWarning]:
    """Notes: what may be the cause of others first."""
    yield from _unseen(estimate, problem)
    yield from _misfit(estimate)
    yield from _outside(estimate)
    yield from _singular(problem)
    yield from _unproved(estimate, problem)
    if problem.draws is None:
        yield ItemsForgotten()
    elif problem.new.n is None:
        yield SharesAlone()
    if fewer:
        yield FewerReplicates(estimate.replicates)


def _unproved(
    estimate: PrevalenceEstimate, problem: QuantificationProblem
) -> Iterable[ResultWarning]:
    """A most likely mix that is not shown to be it."""
    shares, p = problem.known(problem.new.shares), problem.new.probabilities
    problems = {"likelihood": (problem.rates, shares, problem.true)}
    if p is not None:
        odds = np.asarray(ratio(1.0, problem.prior))
        even = np.full(len(p), 1 / len(p))
        problems["saerens"] = (odds[:, None] * p.T, even, np.ones(len(odds), bool))
    for method, (rates, seen, included) in problems.items():
        mix = np.array([c.shares[method].value for c in estimate.classes])[included]
        gap = float(shortfall(rates[None], seen[None], mix[None])[0])
        if gap > TOLERANCE:
            yield NotShownLikeliest(method, gap)


def _misfit(estimate: PrevalenceEstimate) -> Iterable[ResultWarning]:
    worst = max(estimate.classes, key=lambda c: abs(c.measured - c.expected))
    farthest = Farthest(worst.label, worst.measured, worst.expected)  # at the chosen mix
    for method, fit in estimate.fits.items():
        if fit.p is not None and fit.p < MISFIT_P:
            yield Misfit(method, fit.p, farthest if method == estimate.method else None)
    above = [c for c in estimate.classes if c.precision_measured.value > 1 + 1e-9]
    if above:
        most = max(c.precision_measured.value for c in above)
        yield AboveOne(tuple(c.label for c in above), most)


def _outside(estimate: PrevalenceEstimate) -> Iterable[ResultWarning]:
    adjusted = ((c.label, c.shares.get("adjusted", Interval(0.0)).value) for c in estimate.classes)
    low, high = -SIMPLEX_MARGIN, 1 + SIMPLEX_MARGIN
    outside = tuple((label, share) for label, share in adjusted if not low <= share <= high)
    if outside:
        yield OutsideSimplex(outside)


def _unseen(
    estimate: PrevalenceEstimate, problem: QuantificationProblem
) -> Iterable[ResultWarning]:
    labels, shares = estimate.labels, problem.new.shares
    yield from never_labelled(problem.table)
    few = tuple(v for v, n in zip(labels, problem.cells.sum(axis=1), strict=True) if 0 < n < FEW)
    if few:
        yield FewLabelled(few, FEW)
    if problem.new.unknown:
        yield UnknownLabels(problem.new.unknown, float(shares[-1]))
    columns = np.flatnonzero(~problem.known_columns & (problem.new.counts > 0))
    if len(columns):
        known = tuple(labels[i] for i in columns if i < len(labels))
        yield NewKinds(known, len(known) < len(columns), float(shares[columns].sum()))


def _singular(problem: QuantificationProblem) -> Iterable[ResultWarning]:
    least = float(smallest_singular_value(problem.rates))
    if least > 1 / AMPLIFIED:
        return
    direction = least_visible_change(problem.rates)
    labels = [problem.table.labels[i] for i in np.flatnonzero(problem.true)]
    confused = tuple(
        labels[i] for i in np.argsort(-np.abs(direction), kind="stable") if abs(direction[i]) > 0.3
    )
    yield SingularRates(confused) if least <= SINGULAR else IllConditionedRates(confused, 1 / least)


# Classes and metrics at the estimated mix.

SAME = 1e-6
"""Replicates closer than this are all the same, but for where the steps stopped."""


@dataclass(frozen=True, eq=False)
class NewClass(Record):
    """One class on the new data: its share by every method, and its predictions.

    ``measured`` and ``expected`` are shares of the predictions, as counted and as the rates give
    them at the chosen mix. ``precision`` has the expected share in its denominator,
    ``precision_measured`` the measured one, which can give more than 1.

    >>> import evenhand as eh
    >>> estimate = eh.shift.estimate_prevalence([[80, 20], [10, 90]], predicted={0: 31, 1: 69})
    >>> estimate.classes[0].labelled, estimate.classes[0].measured
    (0.5, 0.31)
    """

    label: Label
    labelled: float
    shares: dict[str, Interval]
    measured: float
    expected: float
    precision: Interval
    precision_measured: Interval

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        sides = {"expected": self.precision, "measured": self.precision_measured}
        return {
            **self.select("label labelled"),
            "share": {method: v.measured() for method, v in self.shares.items()},
            "predicted": self.select("measured expected"),
            "precision": {side: v.measured() for side, v in sides.items()},
        }


def new_classes(
    problem: QuantificationProblem, mixes: dict[str, Estimate], chosen: str, level: float
) -> tuple[NewClass, ...]:
    """Every class, with its share by each method and its precision at the chosen mix."""
    rates, d = rates_of(problem.cells), problem.draws
    mix, many = mixes[chosen]
    shares = problem.new.shares[:-1]
    expected = at_mix(rates, mix)
    hit, guess = expected.correct, expected.bias
    drawn: list[Any] = [None, None]
    if d is not None and many is not None:
        c = at_mix(d.rates, many)
        drawn = [_ratio(c.correct, c.bias), _ratio(c.correct, d.shares[:, :-1])]
    by_method = {name: _values(m, rep, level) for name, (m, rep) in mixes.items()}
    precision = _values(_ratio(hit, guess), drawn[0], level)
    measured = _values(_ratio(hit, shares), drawn[1], level)
    labelled = problem.cells.sum(axis=1) / problem.cells.sum()
    return tuple(
        NewClass(
            v,
            float(labelled[j]),
            {name: values[j] for name, values in by_method.items()},
            float(shares[j]),
            float(guess[j]),
            precision[j],
            measured[j],
        )
        for j, v in enumerate(problem.table.labels)
    )


def _ratio(a: Floats, b: Floats) -> Floats:
    """NaN where nothing is predicted, or less than nothing by an adjusted count."""
    return np.asarray(ratio(a, np.maximum(b, 0), np.nan))


def _values(point: Floats, many: Floats | None, level: float) -> list[Interval]:
    """Numbers with the middle of their replicates, widened to the number where it lies outside."""
    if many is None or len(many) < 2:
        return list(Intervals.bare(point))
    low, high = percentile(np.asarray(many), level)
    ends = informative_ends(np.minimum(low, point), np.maximum(high, point), SAME)
    few = np.sum(~np.isnan(many), axis=0) < 2  # of which there is no spread
    se = np.nanstd(np.where(few, 0.0, many), axis=0, ddof=1)
    return list(Intervals(point, se, *ends, by(Method("bootstrap"), point), level))


def metrics_at(
    problem: QuantificationProblem, kernels: list[Kernel], mixes: Estimate, level: float
) -> list[Interval]:
    """Metrics at a mix, each with the middle of its replicates."""
    rates, d, (mix, many) = rates_of(problem.cells), problem.draws, mixes
    points: dict[bytes, Counts] = {}
    drawn: dict[bytes, Counts] = {}
    for view, kernel in asked_views(kernels).items():  # some are calibrated to a mix of their own
        own = mix if kernel.target is None else np.asarray(kernel.target)
        points[view] = at_mix(rates, own)
        if d is not None and many is not None:
            each = many if kernel.target is None else np.broadcast_to(own, many.shape)
            drawn[view] = at_mix(d.rates, each)
    values = np.array(TableViews(points).values(kernels), np.float64)
    if not drawn:
        return list(Intervals.bare(values))
    with np.errstate(invalid="ignore"):  # an adjusted count may fall below 0, and have no root
        replicates = np.stack(TableViews(drawn).values(kernels), axis=1)
    return _values(values, replicates, level)


# The verb and its result.

METHOD_NAMES = {
    "adjusted": "adjusted count",
    "likelihood": "likelihood",
    "saerens": "Saerens",
    "stated": "stated",
}
MAX_CLASSES = 300
"""Classes beyond which the steps to the most likely mix take too long."""


@verb(PrevalenceOptions, without=("by", "by_row"))
def estimate_prevalence(arguments: VerbArguments, options: PrevalenceOptions) -> PrevalenceEstimate:
    """The class mix of new data, from labelled data and what was ``predicted`` on the new ones.

    The labelled data are those of one system in any form. ``predicted`` are labels, class
    probabilities (items × classes), or a mapping of labels to counts or shares. The mix is
    estimated by adjusted count, by constrained maximum likelihood and, from probabilities, by
    Saerens' method; ``method`` says which one the expected scores rest on ("likelihood" if none).
    A known mix may be stated instead (``to``), to test it. ``trained_on`` is the mix that
    probabilities were made for, if not that of the table. Intervals resample both the labelled
    and the new items.

    >>> cells, new = [[80, 20], [10, 90]], {0: 31, 1: 69}
    >>> estimate = estimate_prevalence(cells, predicted=new, metrics="macro_f1")
    >>> {label: round(share, 6) for label, share in estimate.prevalence.items()}
    {0: 0.3, 1: 0.7}
    >>> round(estimate.classes[0].precision.value, 6)  # 0.3 · 0.8 / 0.31
    0.774194
    """
    system, table = one_system(arguments, items=arguments.weights is not None)
    level, replicates, seed = options.level, options.replicates, options.seed
    to, trained_on = options.to, options.trained_on
    if table.k > MAX_CLASSES:
        raise InputError(
            f"the mix is estimated from rates of at most {MAX_CLASSES:,} classes, got {table.k:,}"
        )
    settings = IntervalSettings("bootstrap", level, replicates, seed)
    new = unlabelled(options.predicted, table.labels)
    prior = None if trained_on is None else target_of(table, trained_on)
    rows = rows_of(system)
    problem = QuantificationProblem.from_samples(rows, table, new, prior, replicates, seed)
    count = 0 if problem.draws is None else len(problem.draws.rates)
    mixes = problem.mixes()
    if to is not None:
        fixed = target_of(table, to)
        mixes["stated"] = (fixed, np.broadcast_to(fixed, (count, table.k)) if count else None)
    chosen = chosen_method(options.method, mixes)
    fits = problem.fits(mixes, seed)
    specs = named(several(options.metrics, default_metrics, distance=options.distance))
    kernels = bind_all((m for _, m in specs), table, **options.binding)
    refuse_cells(kernels)
    scores = metrics_at(problem, kernels, mixes[chosen], level)
    signature = signature_of(
        table,
        **options.binding,
        interval=str(replace(settings, replicates=count).signed(system)) if count else "none",
    )
    estimate = PrevalenceEstimate(
        signature=replace(
            signature,
            prevalence=written(table.labels, mixes[chosen][0], to)
            if chosen == "stated"
            else f"estimated-{chosen}",
        ),
        n=int(table.n),
        n_unlabelled=new.n,
        labels=table.labels,
        method=chosen,
        level=level,
        replicates=count,
        amplification=problem.amplification,
        classes=new_classes(problem, mixes, chosen, level),
        outside=(float(new.shares[-1]), float((mixes[chosen][0] @ rates_of(problem.cells))[-1])),
        fits=fits,
        metrics={name: score for (name, _), score in zip(specs, scores, strict=True)},
    )
    notes = [
        *table_warnings(table, options.classes, options.zero_division),
        *findings(estimate, problem, 0 < count < replicates),
    ]
    return replace(estimate, cautions=tuple(notes))


@dataclass(frozen=True, eq=False, repr=False)
class PrevalenceEstimate(Collection[str, Interval], Result):
    """The class mix of unlabelled data by every method, and the scores to expect there.

    >>> import evenhand as eh
    >>> found = eh.shift.estimate_prevalence([[80, 20], [10, 90]], predicted={0: 31, 1: 69})
    >>> {label: round(share, 6) for label, share in found.prevalence.items()}
    {0: 0.3, 1: 0.7}
    """

    signature: Signature
    n: int
    n_unlabelled: int | None
    labels: tuple[Label, ...]
    method: str
    level: float
    replicates: int
    amplification: float | None
    classes: tuple[NewClass, ...]
    outside: tuple[float, float]
    fits: dict[str, Fit]
    metrics: dict[str, Interval]
    cautions: tuple[ResultWarning, ...] = ()

    drawn_by = "shift.charts.mixes"
    of_metrics = True

    @property
    def prevalence(self) -> dict[Label, float]:
        """The mix by the chosen method, ready for ``extrapolate``."""
        return self.by(self.method)

    def by(self, method: str) -> dict[Label, float]:
        """The mix by one of the methods."""
        choice(method, list(self.classes[0].shares), "method")
        return {c.label: c.shares[method].value for c in self.classes}

    @property
    def fit(self) -> Fit:
        """How well the chosen mix explains the predictions; an adjusted count has no test."""
        return self.fits.get(self.method, UNTESTED)

    @property
    def parts(self) -> dict[str, Interval]:
        """The expected value of each metric there."""
        return self.metrics

    def to_json_object(self) -> dict[str, Any]:
        """What ``evenhand shift --unlabelled --format json`` prints."""
        return {
            **self.select("signature n n_unlabelled labels method level"),
            **self.select("replicates amplification classes"),
            "outside": dict(zip(("measured", "expected"), self.outside, strict=True)),
            "fit": {method: vars(f) for method, f in self.fits.items()},
            **self.select("metrics"),
        }

    def content(self) -> Content:
        """The mix by every method, the predictions, the fit, and the scores to expect."""
        new = "shares" if self.n_unlabelled is None else f"{self.n_unlabelled:,} unlabelled"
        facts = [counted(self.n, "labelled item"), new]
        if self.replicates:
            facts.append(f"{level_text(self.level)} intervals over both")
        expected: list[list[Cell]] = [[n, v.value, v.low, v.high] for n, v in self.metrics.items()]
        blocks: list[Block] = [
            Paragraph(self._headline(), "verdict"),
            Heading("Class mix of the new data"),
            Table(self.class_grid, most=SHOWN_CLASSES, rows="classes"),
            Heading("Predictions there, and precision"),
            Table(self.prediction_grid, most=SHOWN_CLASSES, rows="classes"),
            FactList(
                [(f"fit of the {_mix_by(m)}", self._fit_text(fit)) for m, fit in self.fits.items()]
            ),
            Heading(f"Expected at the {_mix_by(self.method)}"),
            Table(Grid(["metric", "expected", "low", "high"], expected)),
            Paragraph(ASSUMED, "note"),
            self.picture,
        ]
        note = footnote(self.signature, metric=leading(self.metrics))
        return self.described(", ".join(facts), blocks, self._data, footnote=note)

    def _headline(self) -> str:
        """The class whose share changes most, or the test of a stated mix."""
        if self.method == "stated":
            return f"stated mix: {self._fit_text(self.fit)}"
        moves = [abs(c.shares[self.method].value - c.labelled) for c in self.classes]
        most = (c for c, m in zip(self.classes, moves, strict=True) if m > max(moves) - 1e-9)
        far = min(most, key=lambda c: c.labelled or 1)  # of two classes, the rarer one
        share = IntervalCell(far.shares[self.method]).text(4)
        label = shortened(str(far.label), 40)
        text = f"share of {label} {number(far.labelled)} here, {share} in the new data"
        odd = any(isinstance(n, Misfit) and n.method == self.method for n in self.cautions)
        return f"{text}, if only the mix has changed, which the predictions deny" if odd else text

    def _fit_text(self, fit: Fit) -> str:
        """Whether the new predictions are such as a change of the mix alone would give."""
        if fit.p is not None:
            says = "speaks against it" if fit.p < 0.05 else "no sign of more than a change of mix"
            return f"{p_words(fit.p)} ({fit.test}): {says}"
        if self.n_unlabelled is None or not self.replicates:
            return "not tested, the samples' sizes are unknown"
        return "nothing to test, any such shares would fit"

    @property
    def class_grid(self) -> Grid:
        """One row a class: its share in the labelled data and, by every method, in the new."""
        head = ["class", "labelled"]
        for method in self.classes[0].shares:
            head += [METHOD_NAMES[method], *(["low", "high"] if method != "stated" else [])]
        rows: list[list[Cell]] = []
        for c in self.classes:
            row: list[Cell] = [str(c.label), c.labelled]
            for method, v in c.shares.items():
                row += [v.value, *([v.low, v.high] if method != "stated" else [])]
            rows.append(row)
        return Grid(head, rows)

    @property
    def prediction_grid(self) -> Grid:
        """One row a class: share of predictions and precision, expected and measured."""
        head = ["class", "predicted", "expected", "precision", "low", "high", "by measured share"]
        rows: list[list[Cell]] = []
        for c in self.classes:
            p = c.precision
            row: list[Cell] = [str(c.label), c.measured, c.expected, p.value, p.low, p.high]
            rows.append([*row, c.precision_measured.value])
        if any(self.outside):
            rows.append(["(no class)", *self.outside, None, None, None, None])
        return Grid(head, rows)

    def _data(self) -> Grid:
        """Every number, one a row."""
        rows: list[list[Cell]] = [
            [*name, v.value, v.low, v.high] for name, v in self._every_number()
        ]
        return Grid(["quantity", "method", "label", "value", "low", "high"], rows)

    def _every_number(self) -> Iterable[tuple[tuple[str, str, str], Interval]]:
        for c in self.classes:
            label = str(c.label)
            yield from ((("share", method, label), v) for method, v in c.shares.items())
            yield ("predicted", "measured", label), Interval(c.measured)
            yield ("predicted", "expected", label), Interval(c.expected)
            yield ("precision", "measured", label), c.precision_measured
            yield ("precision", "expected", label), c.precision
        yield from (((name, self.method, ""), v) for name, v in self.metrics.items())


def _mix_by(method: str) -> str:
    return "stated mix" if method == "stated" else f"mix by {METHOD_NAMES[method]}"
