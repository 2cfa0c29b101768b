"""Compare: are two systems different, on every metric, on the same items?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from evenhand.catalogue.binding import Kernel, Metrics, as_spec, bind, several
from evenhand.catalogue.lists import default_metrics
from evenhand.catalogue.policy import Undefined, policy
from evenhand.catalogue.spelling import Spec
from evenhand.catalogue.strays import lost_by_system, notes_by_system
from evenhand.comparing.comparison import Comparison, Pair
from evenhand.count.forms import refusal, refuse_empty, what_came
from evenhand.count.given import Given, systems_of
from evenhand.errors import InputError, shown
from evenhand.infer.bootstrap import bootstrap
from evenhand.infer.delta import rows_error
from evenhand.infer.few import few_clusters, too_few
from evenhand.infer.interval import Settings
from evenhand.infer.mcnemar import mcnemar
from evenhand.infer.power import needed
from evenhand.infer.pvalue import holm, sampled, two_sided
from evenhand.infer.randomisation import pair_of, randomisation
from evenhand.infer.rows import Rows, rows_of
from evenhand.infer.width import tells
from evenhand.notes.interval import Interval
from evenhand.notes.method import Method
from evenhand.notes.note import Note
from evenhand.notes.sure import NoWidth
from evenhand.signature.build import signature_of
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
    drop_null_truth: bool = False,
) -> Comparison:
    """Test the difference of every pair of systems on every metric, on the same items.

    Takes true labels and two or more systems' predictions, true labels and a mapping of names
    to predictions, a frame with the columns ``true`` and ``pred`` (a list), a ``Sample``, or a
    joint table of counts (true × A × B). Each difference has
    an interval by the paired delta method and p values by ``tests``; those of ``adjust`` are
    corrected by Holm over all metrics and pairs. ``power`` adds the test size needed.

    >>> found = compare("aabbbabab", {"A": list("aabbbabaa"), "B": list("ababbbaab")},
    ...                 metrics=["accuracy"])
    >>> round(found["accuracy"].difference, 4), round(found["accuracy"].p["mcnemar"], 5)
    (0.3333, 0.21875)
    """
    beside = (labels, weights, cluster, None, drop_null_truth)
    given = Given("compare", data, y_true, y_pred, true, pred, *beside)
    sample = systems_of(given)
    if not isinstance(sample, Sample | SoftSample):
        raise refusal("compare", what_came((sample,)))
    how = Settings("bootstrap", level, replicates, seed)
    chosen = _tests(tests, adjust)
    worth = policy(undefined)
    named = rule_or_list(classes)
    wanted = [as_spec(m) for m in several(metrics, default_metrics())]
    tables = sample.tables()
    refuse_empty(tables, "compare")
    kernels = [bind(m, tables, classes=named, undefined=worth) for m in wanted]
    rows = rows_of(sample)
    values = [np.asarray(k.on(tables), np.float64) for k in kernels]
    influence = [rows.influence(k) for k in kernels]
    drawn = bootstrap(rows, kernels, count=replicates, seed=seed) if "bootstrap" in chosen else None
    pairs = []
    for i, j in combinations(range(len(sample.systems)), 2):
        p = _swaps(rows, kernels, sample.systems, (i, j), chosen, how)
        for m, kernel in enumerate(kernels):
            gap = float(values[m][i] - values[m][j])
            error = float(rows_error(rows, influence[m][i] - influence[m][j])[0])
            known = bool(tells(error, gap))
            found: dict[str, float | None] = {}
            if "delta" in chosen:
                found["delta"] = float(two_sided(gap / error)) if known else None if gap else 1.0
            if drawn is not None:
                found["bootstrap"] = sampled(drawn[m][:, i] - drawn[m][:, j] - gap, gap)
            found |= p[m]
            pairs.append(
                Pair(
                    **vars(_sure(gap, error, known, how)),
                    systems=(sample.systems[i], sample.systems[j]),
                    metric=kernel.name,
                    values=(float(values[m][i]), float(values[m][j])),
                    points=_in_points(kernel),
                    p=found,
                    needed=_needed(gap, error, sample.n, power, level) if known else None,
                )
            )
    return _result(
        sample, tables, _adjusted(pairs, adjust), wanted, kernels, chosen, how, named, worth, power
    )


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


def _sure(gap: float, error: float, known: bool, how: Settings) -> Interval:
    """A difference with its interval by the paired delta method, where it has a width."""
    if not known:
        return Interval(gap, level=how.level, note=None if np.isnan(gap) else "no width")
    reach = how.z * error
    return Interval(gap, error, gap - reach, gap + reach, how.level, Method("delta"))


def _in_points(kernel: Kernel) -> bool:
    """Whether a difference is spoken of in points: hundredths of a bounded range."""
    r = kernel.record
    return r is not None and bool(np.isfinite(r.low) and np.isfinite(r.high))


def _needed(gap: float, se: float, n: int, power: float | None, level: float) -> int | None:
    return None if power is None else needed(gap, se, n, power=power, level=level)


def _adjusted(pairs: list[Pair], adjust: str) -> tuple[Pair, ...]:
    raw = [p.p[adjust] for p in pairs]
    known = [i for i, p in enumerate(raw) if p is not None and not np.isnan(p)]
    fixed = dict(zip(known, holm([float(raw[i] or 0.0) for i in known]), strict=True))
    return tuple(replace(p, p_adjusted=fixed.get(i)) for i, p in enumerate(pairs))


def _result(
    sample: Sample | SoftSample,
    tables: Confusion,
    pairs: tuple[Pair, ...],
    wanted: list[Any],
    kernels: list[Kernel],
    chosen: tuple[str, ...],
    how: Settings,
    classes: Classes,
    worth: float,
    power: float | None,
) -> Comparison:
    interval = str(replace(how.signed(sample), method="paired", tests=chosen))

    def signed(spec: Spec | None) -> Any:
        whole = signature_of(tables, spec, classes=classes, undefined=worth, interval=interval)
        return replace(whole, n=str(sample.n))

    sure = {p.metric for p in pairs if p.low is not None}
    return Comparison(
        systems=sample.systems,
        n=sample.n,
        level=how.level,
        power=power,
        pairs=pairs,
        signature=signed(None),
        signatures={str(s): signed(s) for s in wanted if isinstance(s, Spec)},
        cautions=(
            *notes_by_system(tables, classes, worth),
            *lost_by_system(tables),
            *_unsure(pairs),
            *too_few((k for k in kernels if k.name in sure), tables),
            *few_clusters(sample.cluster),
        ),
    )


def _unsure(pairs: Iterable[Pair]) -> Iterable[Note]:
    """One note on the metrics on which some difference has no interval."""
    flat = tuple(dict.fromkeys(p.metric for p in pairs if p.low is None))
    if flat:
        yield NoWidth(flat, "difference")
