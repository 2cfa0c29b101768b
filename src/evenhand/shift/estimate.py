"""Estimate the class mix of new data from predictions alone, and the scores to expect there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.catalogue.binding import Kernel, Metrics, bind, named, several
from evenhand.catalogue.lists import default_metrics
from evenhand.catalogue.policy import Undefined, policy
from evenhand.count.given import Given
from evenhand.errors import InputError, shown
from evenhand.infer.bootstrap import percentile
from evenhand.infer.design import Floats
from evenhand.infer.interval import Settings
from evenhand.infer.rows import rows_of
from evenhand.infer.width import telling
from evenhand.notes.interval import Interval, Intervals, by
from evenhand.notes.method import Method
from evenhand.shift.adjusted import SINGULAR, adjusted, reach
from evenhand.shift.case import Case
from evenhand.shift.cautions import table_notes
from evenhand.shift.draws import affordable, at_mix, distinct, draw, rates_of
from evenhand.shift.estimation import NewClass, PrevalenceEstimate
from evenhand.shift.expected import one_system
from evenhand.shift.findings import findings
from evenhand.shift.fit import Fit, fit_of_estimate, fit_of_mix
from evenhand.shift.likelihood import likelihood
from evenhand.shift.saerens import saerens
from evenhand.shift.stated import Mix, target_of, written
from evenhand.shift.summit import NEAR_TOP
from evenhand.shift.unlabelled import unlabelled
from evenhand.signature.build import signature_of
from evenhand.tables.confusion import Classes
from evenhand.tables.labels import rule_or_list
from evenhand.tables.sample import SoftSample

METHODS = ("adjusted", "likelihood", "saerens")
FLAT = 1e-6
"""Replicates closer than this are all the same, but for where EM stopped."""
MANY = 1000
"""Classes beyond which rates are not kept as a matrix."""


def estimate_prevalence(
    *data: Any,
    predicted: Any,
    method: str | None = None,
    to: Mix = None,
    trained_on: Mix = None,
    metrics: Metrics | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    y_true: Any = None,
    y_pred: Any = None,
    true: str | None = None,
    pred: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    cluster: Any = None,
    drop_null_truth: bool = False,
) -> PrevalenceEstimate:
    """The class mix of new data, from labelled data and what was ``predicted`` on the new ones.

    The labelled data are those of one system in any form. ``predicted`` are labels, class
    probabilities (items × classes), or a mapping of labels to counts or shares. The mix is
    estimated by adjusted count, by constrained maximum likelihood and, from probabilities, by
    Saerens' EM; ``method`` says which one the expected scores rest on ("likelihood" unless told).
    A known mix may be stated instead (``to``), to test it. ``trained_on`` is the mix that
    probabilities were made for, if not that of the table. Intervals resample both the labelled
    and the new items.

    >>> cells, new = [[80, 20], [10, 90]], {0: 31, 1: 69}
    >>> found = estimate_prevalence(cells, predicted=new, metrics="macro_f1")
    >>> {label: round(share, 6) for label, share in found.prevalence.items()}
    {0: 0.3, 1: 0.7}
    >>> round(found.classes[0].precision.value, 6)  # 0.3 · 0.8 / 0.31
    0.774194
    """
    beside = (labels, weights, cluster, None, drop_null_truth)
    given = Given("estimate_prevalence", data, y_true, y_pred, true, pred, *beside)
    system, whole = one_system(given, items=weights is not None)
    if isinstance(system, SoftSample) or whole.k > MANY:
        raise InputError(
            "the mix is estimated from rates of hard predictions of at most "
            f"{MANY:,} classes, got {'soft items' if whole.k <= MANY else f'{whole.k:,}'}"
        )
    how = Settings("bootstrap", level, replicates, seed)
    worth = policy(undefined)
    classes = rule_or_list(classes)
    new = unlabelled(predicted, whole.labels)
    cells = np.asarray(whole.data.dense().weight, np.float64)
    prior = cells.sum(axis=1) / cells.sum()
    if trained_on is not None:
        prior = target_of(whole, trained_on)
    rows = rows_of(system)
    items = 0 if new.probabilities is None else len(distinct(new.probabilities)[0])
    count = affordable(replicates, whole.k, items)
    can = rows.cluster is not None or rows.items is not None
    draws = draw(rows, new, cells, count=count, seed=seed) if can else None
    case = Case(whole, cells, new, prior, trained_on is not None, draws)
    if not case.known(new.shares).any():
        strange = shown(new.strange) if new.strange else "nothing but predictions of no class"
        raise InputError(
            f"none of the new predictions is of a kind that the labelled data have: "
            f"expected {shown(whole.labels)}, got {strange}"
        )
    mixes = _mixes(case)
    if to is not None:
        fixed = target_of(whole, to)
        mixes["stated"] = (fixed, np.broadcast_to(fixed, (count, whole.k)) if can else None)
    chosen = _chosen(method, mixes, to is not None)
    fits = _fits(case, mixes, seed)
    kernels = [
        (name, bind(m, whole, classes=classes, undefined=worth))
        for name, m in named(several(metrics, default_metrics()))
    ]
    signature = signature_of(
        whole,
        classes=classes,
        undefined=worth,
        interval=str(replace(how, replicates=count).signed(system)) if can else "none",
    )
    found = PrevalenceEstimate(
        signature=replace(
            signature,
            prevalence=written(whole.labels, mixes[chosen][0], to)
            if chosen == "stated"
            else f"estimated-{chosen}",
        ),
        n=int(whole.n),
        n_unlabelled=new.n,
        labels=whole.labels,
        method=chosen,
        level=level,
        replicates=count if can else 0,
        amplification=_amplification(case),
        classes=_classes(case, mixes, chosen, level),
        outside=(float(new.shares[-1]), float((mixes[chosen][0] @ rates_of(cells))[-1])),
        fits=fits,
        metrics={name: _metric(case, k, mixes[chosen], level) for name, k in kernels},
    )
    notes = [*table_notes(whole, classes, worth), *findings(found, case, count < replicates)]
    return replace(found, cautions=tuple(notes))


def _chosen(method: str | None, mixes: dict[str, Any], stated: bool) -> str:
    known = list(mixes)
    if method is None:
        return "stated" if stated else "likelihood"
    if method not in known:
        if method == "saerens":
            raise InputError("saerens needs class probabilities of the new items, got labels")
        if method in METHODS:
            raise InputError(
                "adjusted has no solution here: the rates are singular; use method='likelihood'"
            )
        raise InputError(f"method must be one of {shown(METHODS)}, got {method!r}")
    return method


def _mixes(case: Case) -> dict[str, tuple[Floats, Floats | None]]:
    """The mix by each method, and its replicates: shares of all classes."""
    shares, true, d = case.known(case.new.shares), case.true, case.draws
    found: dict[str, tuple[Floats, Floats | None]] = {}
    if reach(case.rates) > SINGULAR:
        many = None if d is None else case.whole(adjusted(d.rates[:, true], case.known(d.shares)))
        found["adjusted"] = (case.whole(adjusted(case.rates, shares)), many)
    best, many = likelihood(case.rates, shares), None
    if d is not None:
        drawn = likelihood(d.rates[:, true], case.known(d.shares), near=best, lack=NEAR_TOP)
        many = case.whole(drawn)
    found["likelihood"] = (case.whole(best), many)
    p = case.new.probabilities
    if p is not None:
        many = None
        if d is not None and d.items is not None and d.times is not None:
            prior = case.prior if case.known_prior else d.prior
            many = saerens(d.items, d.times, prior, lack=NEAR_TOP)
        found["saerens"] = (saerens(p, np.ones(len(p)), case.prior), many)
    return found


def _fits(case: Case, mixes: dict[str, tuple[Floats, Floats | None]], seed: int) -> dict[str, Fit]:
    d = case.draws
    rates, shares = rates_of(case.cells), case.new.shares
    found = {}
    for method, (mix, many) in mixes.items():
        if d is None or many is None:
            found[method] = Fit(float("nan"), None, None)
        elif method == "saerens":
            found[method] = fit_of_estimate(rates, shares, mix, d, many)
        elif method == "adjusted":
            continue  # it gives the shares by construction, in or out of the simplex
        else:
            true = case.true
            inner = replace(d, rates=d.rates[:, true])
            found[method] = fit_of_mix(
                rates[true],
                shares,
                mix[true],
                case.new.n,
                inner,
                seed=seed,
                stated=method == "stated",
            )
    return found


def _amplification(case: Case) -> float | None:
    least = float(reach(case.rates))
    return 1 / least if least > SINGULAR else None


def _classes(
    case: Case, mixes: dict[str, tuple[Floats, Floats | None]], chosen: str, level: float
) -> tuple[NewClass, ...]:
    rates, d = rates_of(case.cells), case.draws
    mix, many = mixes[chosen]
    shares = case.new.shares[:-1]
    expected = at_mix(rates, mix)
    hit, guess = expected.correct, expected.bias
    drawn: list[Any] = [None, None]
    if d is not None and many is not None:
        c = at_mix(d.rates, many)
        drawn = [_ratio(c.correct, c.bias), _ratio(c.correct, d.shares[:, :-1])]
    by_method = {name: _values(m, rep, level) for name, (m, rep) in mixes.items()}
    precision = _values(_ratio(hit, guess), drawn[0], level)
    measured = _values(_ratio(hit, shares), drawn[1], level)
    labelled = case.cells.sum(axis=1) / case.cells.sum()
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
        for j, v in enumerate(case.table.labels)
    )


def _ratio(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.divide(a, b, out=np.full(np.shape(a), np.nan), where=np.asarray(b) > 0))


def _values(point: Floats, many: Floats | None, level: float) -> list[Interval]:
    """Numbers with the middle of their replicates."""
    if many is None or len(many) < 2:
        return list(Intervals.bare(point))
    ends = telling(*percentile(np.asarray(many), level), FLAT)
    se = np.nanstd(np.where(np.isnan(many).all(axis=0), 0.0, many), axis=0, ddof=1)
    return list(Intervals(point, se, *ends, by(Method("bootstrap"), point), level))


def _metric(
    case: Case, kernel: Kernel, mixes: tuple[Floats, Floats | None], level: float
) -> Interval:
    rates, d = rates_of(case.cells), case.draws
    mix, many = mixes
    if kernel.target is not None:  # calibrated to a mix of its own, wherever it is
        mix = np.asarray(kernel.target)
        many = None if many is None else np.broadcast_to(mix, many.shape)
    point = np.asarray(kernel.function(kernel.prepared(at_mix(rates, mix))), np.float64)
    drawn = None
    if d is not None and many is not None:
        with np.errstate(invalid="ignore"):  # an adjusted count may fall below 0, and have no root
            drawn = np.asarray(kernel.function(kernel.prepared(at_mix(d.rates, many))))[:, None]
    return _values(point.reshape(1), drawn, level)[0]
