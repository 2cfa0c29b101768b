"""Compare: are two systems different, on every metric, on the same items?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from evenhand.catalogue.binding import Metrics, as_spec, bind_all, several, values_of
from evenhand.catalogue.lists import default_metrics
from evenhand.catalogue.policy import Undefined, policy
from evenhand.catalogue.spelling import Spec
from evenhand.catalogue.strays import lost_by_system, notes_by_system
from evenhand.comparing.comparison import Comparison, Pair
from evenhand.core.arrays import Array
from evenhand.core.counts import Counts
from evenhand.core.kernel import Kernel
from evenhand.count.forms import refuse_empty
from evenhand.count.given import Given
from evenhand.count.several import sample_of
from evenhand.errors import InputError, shown
from evenhand.infer.bootstrap import bootstrap
from evenhand.infer.delta import rows_error
from evenhand.infer.design import Floats
from evenhand.infer.few import few_clusters, too_few
from evenhand.infer.interval import Settings
from evenhand.infer.mcnemar import mcnemar
from evenhand.infer.power import needed
from evenhand.infer.pvalue import holm, sampled, two_sided
from evenhand.infer.randomisation import pair_of, randomisation
from evenhand.infer.rows import Rows, rows_of
from evenhand.infer.width import tells
from evenhand.notes.interval import Interval, Intervals, by
from evenhand.notes.method import Method
from evenhand.notes.note import Note
from evenhand.notes.slices import of_slices
from evenhand.notes.sure import NoWidth
from evenhand.signature.build import signature_of, signed_metric
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.labels import rule_or_list
from evenhand.tables.sample import Sample, SoftSample

TESTS = ("delta", "bootstrap", "randomisation", "mcnemar")


def compare(
    *data: Any,
    metrics: Metrics | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    tests: Iterable[str] = TESTS,
    adjust: str = "randomisation",
    power: float | None = None,
    y_true: Any = None,
    y_pred: Any = None,
    true: str | None = None,
    pred: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    cluster: Any = None,
    by: Any = None,
    drop_null_truth: bool = False,
) -> Comparison:
    """Test the difference of every pair of systems on every metric, on the same items.

    Takes true labels and two or more systems' predictions, true labels and a mapping of names
    to predictions, a frame with the columns ``true`` and ``pred`` (a list), a ``Sample``, or a
    joint table of counts (true × A × B). Each difference has
    an interval by the paired delta method and p values by ``tests``; those of ``adjust`` are
    corrected by Holm over all metrics and pairs. ``power`` adds the test size needed. ``by``
    compares in slices of the items too, which are corrected together, apart from the whole.

    >>> found = compare("aabbbabab", {"A": list("aabbbabaa"), "B": list("ababbbaab")},
    ...                 metrics=["accuracy"])
    >>> round(found["accuracy"].difference, 4), round(found["accuracy"].p["mcnemar"], 5)
    (0.3333, 0.21875)
    """
    beside = (labels, weights, cluster, by, drop_null_truth)
    sample = sample_of(Given("compare", data, y_true, y_pred, true, pred, *beside))
    how = Settings("bootstrap", level, replicates, seed)
    chosen = _tests(tests, adjust)
    named = rule_or_list(classes)
    wanted = [as_spec(m) for m in several(metrics, default_metrics)]
    asked = Asked(wanted, named, policy(undefined), how, chosen, adjust, power)
    whole = compared(sample, asked)[0]
    return _sliced(whole, [(key, compared(part, asked)[0]) for key, part in sample.slices], adjust)


def _sliced(whole: Comparison, parts: list[tuple[Any, Comparison]], adjust: str) -> Comparison:
    """The comparison of all items with those of its slices, their tests corrected together."""
    each = len(whole.pairs)
    fixed = _adjusted([p for _, part in parts for p in part.pairs], adjust)
    slices = [
        replace(part, key=key, pairs=fixed[i * each : (i + 1) * each])
        for i, (key, part) in enumerate(parts)
    ]
    inside = of_slices(whole.cautions, ((key, part.cautions) for key, part in parts))
    return replace(whole, slices=tuple(slices), cautions=(*whole.cautions, *inside))


@dataclass(frozen=True)
class Asked:
    """What is to be compared and how, settled before any data are looked at."""

    metrics: list[Spec | Callable[[Counts], Array]]
    classes: Classes
    worth: float
    how: Settings
    tests: tuple[str, ...] = TESTS
    adjust: str = "randomisation"
    power: float | None = None


def compared(sample: Sample | SoftSample, asked: Asked) -> tuple[Comparison, dict[str, Floats]]:
    """The comparison, and by metric the replicates (draws × systems) that it was drawn from."""
    tables, how, chosen = sample.tables(), asked.how, asked.tests
    refuse_empty(tables, "compare")
    kernels = bind_all(asked.metrics, tables, classes=asked.classes, undefined=asked.worth)
    rows = rows_of(sample)
    values = [np.asarray(v, np.float64) for v in values_of(kernels, tables)]
    views = rows.views(kernels)
    influence = [rows.influence(k, views) for k in kernels]
    drawn: list[Floats] = []
    if "bootstrap" in chosen:
        drawn = bootstrap(rows, kernels, count=how.replicates, seed=how.seed)
    pairs: list[Pair] = []
    for i, j in combinations(range(len(sample.systems)), 2):
        gaps = np.array([v[i] - v[j] for v in values])
        errors = np.array([rows_error(rows, psi[i] - psi[j])[0] for psi in influence])
        known = tells(errors, gaps)
        p = _swaps(rows, kernels, sample.systems, (i, j), chosen, how)
        if drawn:
            for found, d, gap in zip(p, drawn, gaps, strict=True):
                found["bootstrap"] = sampled(d[:, i] - d[:, j] - gap, gap)
        if "delta" in chosen:
            for found, chance in zip(p, _by_delta(gaps, errors, known), strict=True):
                found["delta"] = chance
        needs = [_needed(*row, sample.n, asked) for row in zip(gaps, errors, known, strict=True)]
        sure = _sure(gaps, errors, known, how)
        for kernel, one, value, tested, n in zip(kernels, sure, values, p, needs, strict=True):
            pairs.append(
                Pair(
                    **vars(one),
                    systems=(sample.systems[i], sample.systems[j]),
                    metric=kernel.name,
                    values=(float(value[i]), float(value[j])),
                    points=kernel.record is not None and kernel.record.bounded,
                    p={test: tested[test] for test in TESTS if test in tested},
                    needed=n,
                )
            )
    result = _result(sample, tables, _adjusted(pairs, asked.adjust), kernels, asked)
    return result, dict(zip((k.name for k in kernels), drawn, strict=False))


def _tests(tests: Iterable[str], adjust: str) -> tuple[str, ...]:
    chosen = tuple(tests)
    unknown = [t for t in chosen if t not in TESTS]
    if unknown or not chosen:
        raise InputError(f"tests must be among {shown(TESTS)}, got {shown(unknown) or 'none'}")
    if adjust not in chosen or adjust == "mcnemar":
        raise InputError(f"adjust must be a test that every metric has, got {adjust!r}")
    return chosen


def _swaps(
    rows: Rows,
    kernels: list[Kernel],
    systems: tuple[str, ...],
    at: tuple[int, int],
    chosen: tuple[str, ...],
    how: Settings,
) -> list[dict[str, float | None]]:
    """Tests that look at one pair alone, in the order of the names whatever that of the files."""
    if not {"randomisation", "mcnemar"} & set(chosen):
        return [{} for _ in kernels]
    i, j = sorted(at, key=systems.__getitem__)
    pair = pair_of(rows, i, j)
    two = [_of_two(k, [i, j]) for k in kernels]
    found: list[dict[str, float | None]] = [{} for _ in kernels]
    if "randomisation" in chosen:
        by_swaps = randomisation(pair, two, count=how.replicates, seed=how.seed)
        for f, p in zip(found, by_swaps, strict=True):
            f["randomisation"] = p
    if "mcnemar" in chosen:
        for f, k in zip(found, two, strict=True):
            p_exact = mcnemar(pair, k)
            if p_exact is not None:
                f["mcnemar"] = p_exact
    return found


def _of_two(kernel: Kernel, at: list[int]) -> Kernel:
    """A metric for two of the systems, which may swap their answers.

    Over the classes seen, that are those which either has seen: a stray answer is an error
    wherever it is swapped to.
    """
    mask = kernel.averaged
    if mask is None or mask.ndim < 2:
        return kernel
    both = mask[at]
    if kernel.record is not None and kernel.record.classes == "seen":
        both = both | both[::-1]
    return replace(kernel, averaged=both)


def _by_delta(gaps: Floats, errors: Floats, known: Floats) -> list[float | None]:
    """p values by the paired delta method; equal scores are no difference, whatever their error."""
    chance = iter(two_sided(gaps[known] / errors[known]).tolist())
    return [
        next(chance) if sure else None if gap else 1.0
        for gap, sure in zip(gaps.tolist(), known.tolist(), strict=True)
    ]


def _sure(gaps: Floats, errors: Floats, known: Floats, how: Settings) -> list[Interval]:
    """Differences with their intervals by the paired delta method, where these have a width."""
    half = np.where(known, how.z * errors, np.nan)
    method = by(Method("delta"), gaps)
    return list(Intervals(gaps, errors, gaps - half, gaps + half, method, how.level))


def _needed(gap: float, se: float, known: bool, n: int, asked: Asked) -> int | None:
    if asked.power is None or not known:
        return None
    return needed(float(gap), float(se), n, power=asked.power, level=asked.how.level)


def _adjusted(pairs: list[Pair], adjust: str) -> tuple[Pair, ...]:
    raw = [p.p[adjust] for p in pairs]
    known = [i for i, p in enumerate(raw) if p is not None and not np.isnan(p)]
    fixed = dict(zip(known, holm([float(raw[i] or 0.0) for i in known]), strict=True))
    return tuple(replace(p, p_adjusted=fixed.get(i)) for i, p in enumerate(pairs))


def _result(
    sample: Sample | SoftSample,
    tables: Confusion,
    pairs: tuple[Pair, ...],
    kernels: list[Kernel],
    asked: Asked,
) -> Comparison:
    interval = str(replace(asked.how.signed(sample), method="paired", tests=asked.tests))
    named, worth = asked.classes, asked.worth
    whole = signature_of(tables, classes=named, undefined=worth, interval=interval)
    whole = replace(whole, n=str(sample.n))
    specs = [m for m in asked.metrics if isinstance(m, Spec)]
    signs = [signed_metric(whole, spec, tables, named) for spec in specs]
    sure = {p.metric for p in pairs if p.low is not None}
    return Comparison(
        systems=sample.systems,
        n=sample.n,
        level=asked.how.level,
        power=asked.power,
        pairs=pairs,
        signature=whole,
        signatures={s.metric: s for s in signs},
        cautions=(
            *notes_by_system(tables, named, worth),
            *lost_by_system(tables),
            *_unsure(pairs),
            *too_few([k for k in kernels if k.name in sure], tables),
            *few_clusters(sample.cluster),
        ),
    )


def _unsure(pairs: Iterable[Pair]) -> Iterable[Note]:
    """One note on the metrics on which some difference has no interval."""
    flat = tuple(dict.fromkeys(p.metric for p in pairs if p.low is None))
    if flat:
        yield NoWidth(flat, "difference")
