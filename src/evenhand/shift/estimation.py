"""The class mix of unlabelled data, whether it has changed, and the scores to expect there."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal, TypeAlias, TypedDict

import numpy as np

from evenhand.catalogue.binding import bind_all, refuse_cells, table_warnings, values_of
from evenhand.catalogue.lists import default_metrics, leading, named, several
from evenhand.catalogue.signature import Signature, footnote, signature_of
from evenhand.catalogue.spelling import called
from evenhand.core.kernel import Kernel, TableViews
from evenhand.core.ratio import ratio
from evenhand.data.arguments import VerbArguments, system_of, verb
from evenhand.data.labels import Label
from evenhand.data.sample import SoftSample
from evenhand.errors import InputError
from evenhand.inference.bootstrap import percentile
from evenhand.inference.delta import FEW, at_mix
from evenhand.inference.intervals import IntervalSettings
from evenhand.inference.rows import Floats, rows_of
from evenhand.inference.wilson import informative_ends, method_array
from evenhand.options import DriftOptions, PrevalenceOptions, choice
from evenhand.records import Interval, Intervals, Method, Record
from evenhand.results.document import (
    Block,
    Content,
    FactList,
    Heading,
    Paragraph,
    Table,
    group_equal,
    rounded,
)
from evenhand.results.result import Collection, Entry, Result
from evenhand.shift.estimators import (
    UNTESTED,
    Fit,
    QuantificationProblem,
    chosen_method,
    least_visible_change,
    temperature_of,
    tempered,
    unlabelled,
)
from evenhand.shift.extrapolation import (
    ASSUMED,
    SHOWN_CLASSES,
    above_one,
    never_labelled,
    one_system,
    target_of,
    written,
)
from evenhand.shift.warnings import (
    Farthest,
    FewLabelled,
    IllConditionedRates,
    ItemsForgotten,
    Misfit,
    NewKinds,
    NotCalibrated,
    OutsideSimplex,
    SharesAlone,
    SingularRates,
    UnknownLabels,
)
from evenhand.text import (
    Cell,
    Grid,
    IntervalCell,
    MetricName,
    counted,
    level_text,
    number,
    p_words,
    points,
    shortened,
)
from evenhand.warnings import ResultWarning

AMPLIFIED = 10.0
"""An error in the shares multiplied by more than this is worth a warning."""
MISFIT_P = 0.01
"""A p below this is a warning that more than the mix has changed."""
NO_PROOF = (
    "A check that finds nothing is no proof: a change inside classes can look like another mix."
)
BETTER = (
    "If a judge labels the new items and people label some of them, score with that judge "
    "is better: it assumes nothing about the errors."
)
NO_CHANGE = "no change of the class mix is shown"
SIMPLEX_MARGIN = 1e-3
"""How far outside the simplex an estimate is worth a word."""


def findings(
    estimate: PrevalenceEstimate, problem: QuantificationProblem
) -> Iterable[ResultWarning]:
    """Warnings: what may be the cause of others first."""
    labels, new = estimate.labels, problem.new
    yield from never_labelled(problem.table)
    sizes = zip(labels, problem.cells.sum(axis=1), strict=True)
    if few := tuple(v for v, n in sizes if 0 < n < FEW):
        yield FewLabelled(few, FEW)
    if new.probabilities is not None and estimate.temperature is None:
        yield NotCalibrated()
    if new.unknown:
        yield UnknownLabels(new.unknown, float(new.shares[-1]))
    columns = np.flatnonzero(~problem.known_columns & (new.counts > 0))
    if len(columns):
        known = tuple(labels[i] for i in columns if i < len(labels))
        yield NewKinds(known, len(known) < len(columns), float(new.shares[columns].sum()))
    worst = max(estimate.classes, key=lambda c: abs(c.measured - c.expected))
    farthest = Farthest(worst.label, worst.measured, worst.expected)  # at the chosen mix
    for method, fit in estimate.fits.items():
        if fit.p is not None and fit.p < MISFIT_P:
            yield Misfit(method, fit.p, farthest if method == estimate.method else None)
    adjusted = ((c.label, c.shares.get("adjusted", Interval(0.0)).value) for c in estimate.classes)
    low, high = -SIMPLEX_MARGIN, 1 + SIMPLEX_MARGIN
    if outside := tuple((label, share) for label, share in adjusted if not low <= share <= high):
        yield OutsideSimplex(outside)
    yield from above_one((c.label, c.precision_measured.value) for c in estimate.classes)
    amplified = problem.amplification
    if amplified is None or amplified >= AMPLIFIED:
        direction = np.abs(least_visible_change(problem.true_rates))
        true = [labels[i] for i in np.flatnonzero(problem.true)]
        order = np.argsort(-direction, kind="stable")
        confused = tuple(true[i] for i in order if direction[i] > 0.3)
        if amplified is None:
            yield SingularRates(confused)
        else:
            yield IllConditionedRates(confused, amplified)
    if not problem.replicates:
        yield ItemsForgotten()
    elif new.n is None:
        yield SharesAlone()


# Classes and metrics at the estimated mix.

SAME = 1e-6
"""Replicates closer than this are all the same, but for where the steps stopped."""


FIT = "distance p test"


class ShiftedScore(TypedDict):
    """One metric as it was, and as it is to be expected."""

    observed: float
    expected: Interval


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

    json_fields = """label labelled share=shares predicted=.(measured expected)
    precision=.(expected=precision measured=precision_measured)"""

    label: Label
    labelled: float
    shares: dict[str, Interval]
    measured: float
    expected: float
    precision: Interval
    precision_measured: Interval


def new_classes(
    problem: QuantificationProblem, mixes: dict[str, Floats], chosen: str, level: float
) -> tuple[NewClass, ...]:
    """Every class, with its share by each method and its precision at the chosen mix."""
    c, shares = at_mix(problem.rates, mixes[chosen]), problem.shares[:, :-1]
    by_method = zip(*(_values(mix, level) for mix in mixes.values()), strict=True)
    columns = (
        problem.table.labels,
        (problem.cells.sum(axis=1) / problem.cells.sum()).tolist(),
        [dict(zip(mixes, own, strict=True)) for own in by_method],
        shares[0].tolist(),
        c.bias[0].tolist(),
        # nothing may be predicted, or less than nothing by an adjusted count
        *(_values(ratio(c.correct, np.maximum(x, 0), np.nan), level) for x in (c.bias, shares)),
    )
    return tuple(NewClass(*row) for row in zip(*columns, strict=True))


def _values(many: Floats, level: float) -> list[Interval]:
    """Numbers (1 + B × …) with the middle of their replicates, widened to the number where it lies
    outside.
    """
    point, many = np.asarray(many[0]), np.asarray(many[1:])
    if len(many) < 2:
        return list(Intervals.bare(point))
    low, high = percentile(many, level)
    ends = informative_ends(np.minimum(low, point), np.maximum(high, point), SAME)
    few = np.sum(~np.isnan(many), axis=0) < 2  # of which there is no spread
    se = np.nanstd(np.where(few, 0.0, many), axis=0, ddof=1)
    return list(Intervals(point, se, *ends, method_array(Method("bootstrap"), point), level))


class ClassDrift(Entry, Interval, kw_only=True):
    """How far the share of a class has moved, live less reference.

    The intervals of all classes hold together at the level.

    >>> import evenhand as eh
    >>> drift = eh.shift.drift([[80, 20], [10, 90]], {0: 310, 1: 690}, alert=0.02)
    >>> drift[0].reference, round(drift[0].live, 6)
    (0.5, 0.3)
    """

    json_fields = "label reference live change low high"

    label: Label
    reference: float
    live: float

    @property
    def change(self) -> float:
        """The share in the live data less that in the reference."""
        return self.value

    @property
    def sizes(self) -> tuple[float, float]:
        """How large the change is at least and at most, up or down; unknown without an interval."""
        if self.low is None or self.high is None:
            return 0.0, math.inf
        return max(self.low, -self.high, 0.0), max(-self.low, self.high)


def changes_of(
    labels: tuple[Label, ...], live: Floats, reference: Floats, level: float
) -> tuple[ClassDrift, ...]:
    """Each class's change with an interval, all of which hold together: max-t (Hothorn 2008)."""
    point, draws = (live - reference)[0], (live - reference)[1:]
    half = np.zeros(len(point))
    if len(draws) > 1:
        error = draws.std(axis=0, ddof=1)
        apart = np.abs(draws - point) / np.where(error > 0, error, 1.0)
        half = error * float(np.quantile(apart.max(axis=1), level))
    low, high = np.where(half > 0, np.clip([point - half, point + half], -1, 1), np.nan)
    method = method_array(Method("bootstrap"), point)
    each = Intervals(point, np.full_like(point, np.nan), low, high, method, level)
    columns = zip(each, labels, reference[0].tolist(), live[0].tolist(), strict=True)
    return tuple(
        ClassDrift(**vars(interval), label=label, reference=before, live=after)
        for interval, label, before, after in columns
    )


def metrics_at(
    problem: QuantificationProblem, kernels: list[Kernel], mixes: Floats, level: float
) -> list[Interval]:
    """Metrics at a mix, each with the middle of its replicates.

    Where an adjusted count gives shares below 0, the mix is that of the others.
    """
    mixes = np.maximum(mixes, 0) / np.maximum(mixes, 0).sum(axis=-1, keepdims=True)
    views = {}
    for view, kernel in {k.view: k for k in kernels}.items():  # some have a mix of their own
        own = mixes if kernel.target is None else np.broadcast_to(kernel.target, mixes.shape)
        views[view] = at_mix(problem.rates, own)
    return _values(np.stack(TableViews(views).values(kernels), axis=1), level)


# The verb and its result.

METHOD_NAMES = {"adjusted": "adjusted count", "saerens": "Saerens"}
"""Methods that people call otherwise."""
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
    probabilities were made for, if not that of the table. Where the labelled items have
    probabilities too, a temperature is fitted on them first (Guo et al. 2017), as overconfident
    ones bias the method. Intervals resample both the labelled and the new items.

    >>> cells, new = [[80, 20], [10, 90]], {0: 31, 1: 69}
    >>> estimate = estimate_prevalence(cells, predicted=new, metrics="macro_f1")
    >>> {label: round(share, 6) for label, share in estimate.prevalence.items()}
    {0: 0.3, 1: 0.7}
    >>> round(estimate.classes[0].precision.value, 6)  # 0.3 · 0.8 / 0.31
    0.774194
    """
    return estimated(arguments, options)


def estimated(arguments: VerbArguments, options: PrevalenceOptions) -> PrevalenceEstimate:
    """The estimate that ``estimate_prevalence`` and ``drift`` rest on."""
    data = system_of(arguments, items=arguments.weights is not None, margins=True, soft=True)
    soft = data if isinstance(data, SoftSample) else None
    decided = data if soft is None else soft.decided()
    system, table = one_system(VerbArguments(arguments.verb, (decided,)))
    level, seed, to = options.level, options.seed, options.to
    if table.k > MAX_CLASSES:
        raise InputError(
            f"the mix is estimated from rates of at most {MAX_CLASSES:,} classes, got {table.k:,}"
        )
    settings = IntervalSettings("bootstrap", level, options.replicates, seed)
    new = unlabelled(options.predicted, table.labels)
    prior = None if options.trained_on is None else target_of(table, options.trained_on)
    temperature, unsure = None, 0.0
    if new.probabilities is not None and soft is not None:
        mix = np.asarray(table.prevalence / table.total)
        odds = np.ones(table.k) if prior is None else np.asarray(ratio(mix, prior))
        temperature, unsure = temperature_of(soft.probability[0], soft.true, soft.weight, odds)
        new = replace(new, probabilities=tempered(new.probabilities, temperature))
    rows, most = rows_of(system), options.replicates
    problem = QuantificationProblem.from_samples(rows, table, new, prior, most, seed, unsure)
    count, mixes = problem.replicates, problem.mixes()
    if to is not None:
        mixes["stated"] = np.broadcast_to(target_of(table, to), (1 + count, table.k))
    chosen = chosen_method(options.method, mixes)
    # an adjusted count gives the shares by construction, in or out of the simplex
    tested = {name: mix for name, mix in mixes.items() if name != "adjusted" or not count}
    specs = named(several(options.metrics, default_metrics, distance=options.distance))
    kernels = bind_all((m for _, m in specs), table, **options.binding)
    refuse_cells(kernels)
    names, observed = [name for name, _ in specs], map(float, values_of(kernels, table))
    interval = str(replace(settings, replicates=count).signed(system)) if count else "none"
    stated = chosen == "stated"
    mix_name = written(table.labels, mixes[chosen][0], to) if stated else f"estimated-{chosen}"
    signature = signature_of(table, **options.binding, interval=interval)
    estimate = PrevalenceEstimate(
        signature=replace(signature, prevalence=mix_name),
        n=int(table.n),
        n_unlabelled=new.n,
        labels=table.labels,
        method=chosen,
        level=level,
        replicates=count,
        amplification=problem.amplification,
        classes=new_classes(problem, mixes, chosen, level),
        outside=(float(new.shares[-1]), float((mixes[chosen][0] @ problem.rates[0])[-1])),
        fits={name: problem.fit(name, mix, seed) for name, mix in tested.items()},
        metrics=dict(zip(names, metrics_at(problem, kernels, mixes[chosen], level), strict=True)),
        observed=dict(zip(names, observed, strict=True)),
        changes=changes_of(table.labels, mixes[chosen], problem.labelled, level),
        temperature=temperature,
    )
    notes = table_warnings(table, options.classes, options.zero_division)
    return replace(estimate, cautions=(*notes, *findings(estimate, problem)))


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
    observed: dict[str, float]
    changes: tuple[ClassDrift, ...]
    temperature: float | None = None
    """Of the class probabilities, where it was fitted on labelled items before Saerens' method."""

    drawn_by = "shift.charts.mixes"
    json_fields = f"""signature n n_unlabelled labels method level replicates amplification
    temperature classes outside=outside_shares fit=fits({FIT}) metrics note"""
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
    def denied(self) -> bool:
        """Whether the chosen mix does not explain the predictions."""
        return self.fit.p is not None and self.fit.p < MISFIT_P

    @property
    def most(self) -> ClassDrift:
        """The class whose share changed most; of two that changed alike, the rarer one."""
        return max(self.changes, key=lambda c: (round(abs(c.value), 9), -(c.reference or 1)))

    @property
    def parts(self) -> dict[str, Interval]:
        """The expected value of each metric there."""
        return self.metrics

    @property
    def note(self) -> str | None:
        """What answers the same better, where new items are at hand and their mix is asked for."""
        estimated = self.n_unlabelled is not None and self.method != "stated"
        return BETTER if estimated else None

    @property
    def outside_shares(self) -> dict[str, float]:
        """The share of predictions outside the classes, as counted and as to be expected."""
        return dict(zip(("measured", "expected"), self.outside, strict=True))

    def content(self) -> Content:
        """The mix by every method, the predictions, the fit, and the scores to expect."""
        new = "shares" if self.n_unlabelled is None else f"{self.n_unlabelled:,} unlabelled"
        title = f"{counted(self.n, 'labelled item')}, {new}"
        if self.replicates:
            title += f", {level_text(self.level)} intervals over both"
        facts = [(f"fit of the {_mix_by(m)}", self._fit_text(f)) for m, f in self.fits.items()]
        if self.temperature is not None:
            words = f"{number(self.temperature, 2)}, fitted on the labelled items"
            facts.append(("temperature of the probabilities", words))
        numbers = {name: (v.value, v.low, v.high) for name, v in self.metrics.items()}
        groups = group_equal(numbers, lambda name: rounded(*numbers[name]))
        expected: list[list[Cell]] = [[MetricName(" = ".join(g)), *numbers[g[0]]] for g in groups]
        blocks: list[Block] = [
            Paragraph(self._headline(), "verdict"),
            Heading("Class mix of the new data"),
            Table(self.class_grid, most=SHOWN_CLASSES, rows="classes"),
            Heading("Predictions there, and precision"),
            Table(self.prediction_grid, most=SHOWN_CLASSES, rows="classes"),
            FactList(facts),
            Heading(f"Expected at the {_mix_by(self.method)}"),
            Table(Grid(["metric", "expected", "low", "high"], expected)),
            Paragraph(f"{ASSUMED} {NO_PROOF}", "note"),
            *[Paragraph(BETTER, "note")] * bool(self.note),
            self.picture,
        ]
        note = footnote(self.signature, metric=leading(self.metrics))
        return self.described(title, blocks, self._data, footnote=note)

    def _headline(self) -> str:
        """Whether the mix has changed, and the class that did most; or a stated mix's test."""
        if self.method == "stated":
            return f"stated mix: {self._fit_text(self.fit)}"
        c = self.most
        live = IntervalCell(self.classes[self.labels.index(c.label)].shares[self.method]).text(4)
        text = f"share of {shortened(str(c.label), 40)} {number(c.reference)} here, {live} in the "
        text += "new data"
        if self.denied:
            return f"{text} if only the class mix changed, but the predictions speak against that"
        moved = any(change.sizes[0] > 0 for change in self.changes)
        shown = "the class mix has changed" if moved else NO_CHANGE
        return text if c.low is None else f"{shown}: {text}"

    def _fit_text(self, fit: Fit) -> str:
        """Whether the new predictions are such as a change of the mix alone would give."""
        if fit.p is not None:
            says = "speaks against it" if fit.p < 0.05 else "no sign of more than a change of mix"
            return f"{p_words(fit.p)} ({fit.test}): {says}"
        if self.n_unlabelled is None or not self.replicates:
            return "not tested, the samples' sizes are unknown"
        return "cannot be tested: some class mix explains any such predictions"

    @property
    def class_grid(self) -> Grid:
        """One row per class: its share in the labelled data and, by every method, in the new."""
        head = ["class", "labelled"]
        rows: list[list[Cell]] = [[str(c.label), c.labelled] for c in self.classes]
        for method in sorted(self.classes[0].shares, key=lambda name: name != self.method):
            ends = [] if method == "stated" else ["low", "high"]
            head += [METHOD_NAMES.get(method, method), *ends]
            for row, c in zip(rows, self.classes, strict=True):
                row += [getattr(c.shares[method], end) for end in ("value", *ends)]
        return Grid(head, rows)

    @property
    def prediction_grid(self) -> Grid:
        """One row per class: share of predictions and precision, expected and measured."""
        columns = "class=label:text, predicted=measured, expected, precision=precision.value, "
        columns += "low=precision.low, high=precision.high, "
        columns += "by measured share=precision_measured.value"
        grid = Grid.from_records(self.classes, columns)
        lost = [["(no class)", *self.outside, None, None, None, None]] if any(self.outside) else []
        return Grid(grid.columns, [*grid.rows, *lost])

    def _data(self) -> Grid:
        """Every number, one a row."""
        numbers: dict[tuple[str, str, str], Interval] = {}
        for c in self.classes:
            label = str(c.label)
            numbers |= {("share", method, label): v for method, v in c.shares.items()}
            numbers["predicted", "measured", label] = Interval(c.measured)
            numbers["predicted", "expected", label] = Interval(c.expected)
            numbers["precision", "measured", label] = c.precision_measured
            numbers["precision", "expected", label] = c.precision
        numbers |= {(name, self.method, ""): v for name, v in self.metrics.items()}
        rows: list[list[Cell]] = [[*name, v.value, v.low, v.high] for name, v in numbers.items()]
        return Grid(["quantity", "method", "label", "value", "low", "high"], rows)


def _mix_by(method: str) -> str:
    return "stated mix" if method == "stated" else f"mix by {METHOD_NAMES.get(method, method)}"


# Drift: whether the mix has changed by more than an alert allows.

Verdict: TypeAlias = Literal["changed", "more than the mix changed", "unchanged", "unclear"]
HEADLINES = ("macro_f1", "f1_of_averages", "accuracy", "macro_recall", "mcc")
"""Metrics whose change is told where none is named."""
COLUMNS = "reference, live, change=value, low, high"
"""What is shown of a class."""


class Drift(Collection[Label, ClassDrift], Result):
    """Whether live data have drifted from labelled ones, which class moved most, and what it does.

    ``verdict`` is "changed" if the share of some class is shown to have moved by more than the
    ``alert``, "unchanged" if none is shown to have moved so far, "more than the mix changed" if no
    mix explains the predictions, else "unclear"; ``alarm`` is what to assert on.

    >>> import evenhand as eh
    >>> drift = eh.shift.drift([[80, 20], [10, 90]], {0: 310, 1: 690}, alert=0.02)
    >>> drift.verdict, drift.alarm
    ('changed', True)
    """

    alert: float
    estimate: PrevalenceEstimate

    drawn_by = "shift.charts.mixes"
    json_fields = f"""verdict alarm message alert most=most.label signature n=estimate.n
    n_unlabelled=estimate.n_unlabelled labels=estimate.labels method=estimate.method
    level=estimate.level replicates=estimate.replicates temperature=estimate.temperature classes
    metrics fit=estimate.fit({FIT})"""

    @property
    def classes(self) -> tuple[ClassDrift, ...]:
        """The change of each class."""
        return self.estimate.changes

    @property
    def observed(self) -> dict[str, float]:
        """The metrics of the labelled data."""
        return self.estimate.observed

    @property
    def parts(self) -> dict[Label, ClassDrift]:
        """The change of each class by its label."""
        return {c.label: c for c in self.classes}

    @property
    def signature(self) -> Signature:
        """Of the expected scores."""
        return self.estimate.signature

    @property
    def most(self) -> ClassDrift:
        """The class that moved most."""
        return self.estimate.most

    @property
    def verdict(self) -> Verdict:
        """What is shown of the class mix."""
        if self.estimate.denied:
            return "more than the mix changed"
        least, most = (max(sizes) for sizes in zip(*(c.sizes for c in self.classes), strict=True))
        return "changed" if least > self.alert else "unchanged" if most <= self.alert else "unclear"

    @property
    def alarm(self) -> bool:
        """Whether something is shown to have changed."""
        return self.verdict in ("changed", "more than the mix changed")

    @property
    def message(self) -> str:
        """The verdict in one line, with the class that moved most and what it does."""
        c, metric = self.most, leading(self.observed)
        label, alert = shortened(repr(c.label), 40), points(self.alert)
        head = {
            "changed": f"the class mix has changed by more than {alert}",
            "unchanged": f"no class has moved by more than {alert}",
            "unclear": f"too few items to say whether a class has moved by more than {alert}",
            "more than the mix changed": "no class mix explains the live predictions: more than "
            "the mix has changed, and the numbers below are not to be trusted",
        }[self.verdict]
        ends = "" if c.low is None else f" [{_signed(c.low)}, {_signed(c.high or 0.0)}]"
        after = self.estimate.metrics[metric].value
        return (
            f"{self.verdict}: {head}; {label} moved most, from {number(c.reference, 3)} to "
            f"{number(c.live, 3)} ({_signed(c.value)}{ends} points); {called(metric)} "
            f"{number(self.observed[metric], 3)} → {number(after, 3)}"
        )

    @property
    def metrics(self) -> dict[str, ShiftedScore]:
        """Every metric of the labelled data, and what to expect of it."""
        expected = self.estimate.metrics
        return {n: {"observed": v, "expected": expected[n]} for n, v in self.observed.items()}

    def content(self) -> Content:
        """The verdict, the classes, the metrics, and what it rests on."""
        e = self.estimate
        new = "shares" if e.n_unlabelled is None else f"{e.n_unlabelled:,} live"
        title = f"{counted(e.n, 'reference item')}, {new}, alert at {points(self.alert)}"
        head = f"{level_text(e.level)} interval of every change, together"
        classes = Grid.from_records(self.classes, f"class=label:text, {COLUMNS}")
        after = ((e.metrics[n], n, v) for n, v in self.observed.items())
        rows = [[MetricName(n), v, x.value, x.low, x.high] for x, n, v in after]
        blocks: list[Block] = [
            Paragraph(self.message, "verdict"),
            Heading("Class mix"),
            Table(classes, head, most=SHOWN_CLASSES, rows="classes"),
            Heading("What it does to the scores"),
            Table(Grid(["metric", "reference", "expected", "low", "high"], rows)),
            FactList([("only the mix?", e._fit_text(e.fit))]),
            Paragraph(f"{ASSUMED} {NO_PROOF}", "note"),
        ]
        note = footnote(self.signature, metric=leading(self.observed))
        return self.described(title, blocks, self._data, footnote=note)

    def _data(self) -> Grid:
        return Grid.from_records(self.classes, f"label:text, {COLUMNS}")


def _signed(x: float) -> str:
    return f"{'+' * (x > 0)}{number(100 * x, 1)}"


@verb(DriftOptions, without=("by", "by_row"))
def drift(arguments: VerbArguments, options: DriftOptions) -> Drift:
    """Say whether the class mix of live data has moved from that of labelled ones.

    The reference is the labelled data of one system in any form; last come the ``live``
    predictions, as ``estimate_prevalence`` takes them: labels, class probabilities, or counts by
    label. It alarms if some class's share is shown to have moved by more than the ``alert`` at the
    ``level``, all classes together (max-t over the bootstrap of both samples), or if no class mix
    explains the live predictions. ``method`` and ``trained_on`` are those of
    ``estimate_prevalence``. Drift inside classes that keeps the predictions as they would be
    cannot be seen without labels.

    >>> print(drift([[80, 20], [10, 90]], {0: 310, 1: 690}, alert=0.02).message)
    changed: the class mix has changed by more than 2.0 points; 0 moved most, from 0.500 to 0.300 \
(−20.0 [−31.2, −8.8] points); macro F1 0.850 → 0.847
    """
    *reference, live = arguments.positional or (None,)
    if not reference:
        raise InputError("drift takes the labelled data and then the live predictions")
    arguments = replace(arguments, data=tuple(reference), y_true=None, y_pred=None)
    shared = {name: getattr(options, name) for name in vars(options) if name != "alert"}
    shared["metrics"] = HEADLINES if options.metrics is None else options.metrics
    estimation = PrevalenceOptions(predicted=live, **shared)
    estimate = estimated(arguments, estimation)
    return Drift(options.alert, estimate, cautions=estimate.cautions)
