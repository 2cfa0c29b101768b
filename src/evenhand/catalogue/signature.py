"""Signatures: which score it was, in one line, in words and as a footnote."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from functools import cache
from math import prod
from typing import Any, cast
from urllib.parse import quote, unquote

import numpy as np
from numpy.typing import NDArray

from evenhand._version import __version__
from evenhand.catalogue.lists import AnyMetric, metrics
from evenhand.catalogue.spelling import Spec, escaped, in_words, listed, spec_of, stated
from evenhand.data.confusion import Confusion
from evenhand.data.labels import Label, positions
from evenhand.data.multilabel import AnyTable, MultiLabel
from evenhand.data.sample import Sample, SoftSample
from evenhand.errors import InputError, MetricError, shown
from evenhand.options import Classes, JudgingOptions, ScoringOptions, instance
from evenhand.records import Intervals, Method
from evenhand.text import visible

_DRAWS = r"(\d{1,99})\.seed(\d{1,99})"
_INTERVAL = re.compile(
    r"([a-z_]+)(?:-([a-z+]+))?\.(\d+(?:\.\d+)?)(\.stratified)?(\.clusters)?"
    rf"(?:\.{_DRAWS})?((?:\+[a-z_]+\.\d+(?:\.\d+)?)*)"
    rf"(?:\+joint-bootstrap\.{_DRAWS}\+paired-delta\.holm)?",
    re.ASCII,
)


@dataclass(frozen=True)
class ReplicateField:
    """The number of replicates and the seed."""

    replicates: int
    seed: int

    def __str__(self) -> str:
        return f"{self.replicates}.seed{self.seed}"


@dataclass(frozen=True)
class IntervalField:
    """The ``interval`` field: ``METHOD-SCALE.LEVEL`` and further settings.

    The level is in percent and may have decimals. It may be followed by ``stratified``,
    ``clusters`` and ``REPLICATES.seedSEED``. Differences have ``paired-TEST+TEST…`` in place of a
    method, and further options at the end, such as ``+margin.MARGIN``; a ranking ends in
    ``+joint-bootstrap.REPLICATES.seedSEED+paired-delta.holm``.

    >>> str(IntervalField("delta", 0.95, "logit", clusters=True))
    'delta-logit.95.clusters'
    >>> IntervalField.parse("bootstrap.99.5.2000.seed0").drawn
    ReplicateField(replicates=2000, seed=0)
    """

    method: str
    level: float
    scale: str | None = None
    tests: tuple[str, ...] = ()
    stratified: bool = False
    clusters: bool = False
    drawn: ReplicateField | None = None
    ranked: ReplicateField | None = None
    further: tuple[tuple[str, float], ...] = ()

    @property
    def margin(self) -> float | None:
        """The margin that differences were compared with."""
        return dict(self.further).get("margin")

    def __str__(self) -> str:
        kind = "+".join(self.tests) or self.scale
        parts = [
            f"{self.method}-{kind}" if kind else self.method,
            f"{_decimal(self.level).scaleb(2):f}",
            *["stratified"] * self.stratified,
            *["clusters"] * self.clusters,
            *map(str, filter(None, [self.drawn])),
        ]
        further = "".join(f"+{name}.{_decimal(x):f}" for name, x in self.further)
        ranks = "" if self.ranked is None else f"+joint-bootstrap.{self.ranked}+paired-delta.holm"
        return ".".join(parts) + further + ranks

    @classmethod
    def parse(cls, text: str) -> IntervalField | None:
        """Read the field; ``None`` for ``none`` and for text of another kind."""
        match = _INTERVAL.fullmatch(text)
        if match is None:
            return None
        method, kind, level, stratified, clusters, *drawn, further, n, seed = match.groups()
        is_paired = method == "paired" and kind is not None
        return cls(
            method,
            float(f"{level}e-2"),
            None if is_paired else kind,
            tuple(kind.split("+")) if is_paired else (),
            bool(stratified),
            bool(clusters),
            ReplicateField(*map(int, drawn)) if drawn[0] else None,
            ReplicateField(int(n), int(seed)) if n else None,
            tuple((name, float(x)) for name, x in re.findall(r"\+([a-z_]+)\.([\d.]+)", further)),
        )


def _decimal(x: float) -> Decimal:
    """A number with the digits that Python writes."""
    return Decimal(x if isinstance(x, int) else repr(float(x)))


# Signatures


def _field(short: str, default: str = "") -> Any:
    """A field with its name in the short form."""
    return field(default=default, metadata={"short": short})


@dataclass(frozen=True)
class Signature:
    """The settings behind a score, as text fields in a fixed order; empty ones are left out.

    >>> one = Signature(metric="macro_fbeta:beta=2", classes="seen.3", undefined="0", version="1")
    >>> str(one)
    'metric:macro_fbeta%3Abeta=2|classes:seen.3|undefined:0|version:1'
    >>> one.short
    'm:macro_fbeta%3Abeta=2|c:seen.3|u:0|v:1'
    """

    metric: str = _field("m")
    formula: str = _field("f")
    parameters: str = _field("p")
    classes: str = _field("c")
    undefined: str = _field("u")
    prevalence: str = _field("pr")
    weights: str = _field("w")
    n: str = _field("n")
    outside: str = _field("o")
    missing: str = _field("mi")
    dropped: str = _field("d")
    interval: str = _field("i")
    table: str = _field("t")
    version: str = _field("v", __version__)

    def __str__(self) -> str:
        return "|".join(f"{name}:{_escaped(value)}" for name, value in self.items())

    @property
    def short(self) -> str:
        """The same in fewer characters, for a caption or a footnote."""
        return "|".join(f"{SHORT[name]}:{_escaped(value)}" for name, value in self.items())

    def items(self) -> list[tuple[str, str]]:
        """The fields that are not empty."""
        return [(f.name, getattr(self, f.name)) for f in fields(self) if getattr(self, f.name)]

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature back, in its long or its short form.

        >>> Signature.parse("m:macro_f1|undefined:0|version:0.1.0").metric
        'macro_f1'
        """
        if not isinstance(text, str):
            raise InputError(f"a signature is a text, got {type(text).__name__}")
        values: dict[str, str] = {}
        for part in text.strip().split("|"):
            name, colon, value = part.strip().partition(":")
            if not colon:
                raise InputError(f"a signature is NAME:VALUE|NAME:VALUE…, got {shown([part])}")
            name = _LONG.get(name, name)
            if name not in SHORT:
                known = ", ".join(SHORT)
                raise InputError(f"a signature has the fields {known}, got {shown([name])}")
            if name in values:
                raise InputError(f"a signature has each field once, got {name!r} twice")
            values[name] = _unescaped(value)
        return cls(**{"version": "", **values})

    def explain(self) -> str:
        """The signature in words, a line a field."""
        return "\n".join(f"{name}: {visible(words)}" for name, words in explained(self))

    def differences(self, other: Signature) -> dict[str, tuple[str, str]]:
        """The fields in which two signatures differ, with both values.

        >>> Signature(classes="seen.3").differences(Signature(classes="true.3"))
        {'classes': ('seen.3', 'true.3')}
        """
        instance(other, Signature, "other", "a Signature")
        pairs = {name: (getattr(self, name), getattr(other, name)) for name in SHORT}
        return {name: (a, b) for name, (a, b) in pairs.items() if a != b}


SHORT = {f.name: f.metadata["short"] for f in fields(Signature)}
"""The names of the fields in the short form."""

_LONG = {short: name for name, short in SHORT.items()}


def _escaped(value: str) -> str:
    """A value with percent-encoded separators, outer spaces and unprintable characters."""
    inner = range(len(value) - len(value.lstrip()), len(value.rstrip()))
    return "".join(
        c
        if c.isprintable() and c not in "%|:" and i in inner
        else quote(c, "", None, "surrogatepass")
        for i, c in enumerate(value)
    )


def _unescaped(value: str) -> str:
    try:
        return unquote(value, errors="surrogatepass")
    except UnicodeDecodeError:
        raise InputError(
            f"a signature's values must be percent-encoded UTF-8, got {shown([value])}"
        ) from None


# Digests of tables

DIGEST_DIGITS = 33
"""Binary digits of a weight in the digest, about ten decimal ones.

Sums of the same weights in another order may differ in the last of 53 digits; they have the same
digest but for about one cell in a million, which is rounded differently.
"""


def digest(table: AnyTable, of_labels: hashlib._Hash | None = None) -> str:
    """A hash of a table in twelve hexadecimal digits, whatever the order of its items.

    ``of_labels`` is the hash of its labels, if known.
    """
    table_hash = labels_hash(table.labels) if of_labels is None else of_labels.copy()
    parts = _items(table) if isinstance(table, MultiLabel) else _cells(table)
    for part in parts:
        table_hash.update(np.asarray(part, "<i8").tobytes())
    return table_hash.hexdigest()[:12]


def _cells(table: Confusion) -> Iterable[NDArray[Any]]:
    *places, weight, _ = table.data.entries()
    return (*places, *([weight] if weight.dtype.kind in "iu" else _rounded(weight)))


def _items(table: MultiLabel) -> Iterable[NDArray[Any]]:
    """Hashes of the true and predicted labels of each item, and its weight, sorted."""
    sides = [_mixed(side, i) for i, side in enumerate((table.true, table.pred))]
    columns = sides if table.weight is None else [*sides, *_rounded(table.weight)]
    if table.times is not None:
        columns = [np.repeat(x, table.times) for x in columns]
    order = np.lexsort(columns)
    return [x[order] for x in columns]


def _rounded(weight: NDArray[Any]) -> list[NDArray[Any]]:
    """Weights rounded to :data:`DIGEST_DIGITS`, as whole numbers and powers of 2."""
    part, power = np.frexp(np.asarray(weight, np.float64))
    part, more = np.frexp(np.rint(np.ldexp(part, DIGEST_DIGITS)))  # what rounds up to 1 moves on
    return [np.ldexp(part, DIGEST_DIGITS).astype(np.int64), (power + more).astype(np.int64)]


def _mixed(indicators: Any, side: int) -> NDArray[np.int64]:
    """A hash of each item: the sum of the hashes (splitmix) of its labels' codes."""
    x = np.arange(1, indicators.shape[1] + 1, dtype=np.uint64) * np.uint64(2) + np.uint64(side)
    x *= np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    x ^= x >> np.uint64(31)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(x[indicators.indices])])
    return np.asarray(sums[indicators.indptr[1:]] - sums[indicators.indptr[:-1]]).view(np.int64)


def labels_hash(labels: Iterable[Label]) -> hashlib._Hash:
    """A hash of labels, of their types and their order."""
    text = "\x1f".join(f"{type(v).__name__}={v!r}" for v in labels)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass"))


# Signatures of scores

LISTED = 60
"""Characters of listed classes, beyond which a hash is written."""


def signature_of(
    table: AnyTable,
    spec: Spec | None = None,
    *,
    classes: Classes = "task",
    undefined: float = 0.0,
    interval: str = "none",
) -> Signature:
    """The signature of a metric on a table, or of the settings alone.

    The items and predictions of a stack of systems are added up; the numbers of dropped rows, if
    they differ, are given as a range.
    """
    few, most = float(np.min(table.dropped)), float(np.max(table.dropped))
    sums = (float(np.sum(x)) for x in (table.n, table.outside, table.missing))
    row = (_range(averages(table, classes)), digest(table), *sums, most)
    settings = _settings(table, undefined, interval, row)
    if few < most:
        settings = replace(settings, dropped=f"{few:.10g}-{settings.dropped}")
    return settings if spec is None else signed_metric(settings, spec, table, classes)


def paired_signature(
    sample: Sample | SoftSample,
    tables: AnyTable,
    options: JudgingOptions | ScoringOptions,
    tests: tuple[str, ...],
    drawn: ReplicateField | None = None,
) -> Signature:
    """The signature of tested differences between systems on the same items."""
    settings: Any = {"clusters": sample.cluster is not None, "further": options.further}
    interval = IntervalField("paired", options.level, tests=tests, drawn=drawn, **settings)
    signature = signature_of(tables, **options.binding, interval=str(interval))
    return replace(signature, n=str(sample.n))


def signed_metric(settings: Signature, spec: Spec, table: AnyTable, classes: Classes) -> Signature:
    """The signature of a metric from that of the settings; it may have its own rule for classes."""
    averaged = _range(averages(table, classes, spec))
    return replace(settings, classes=averaged, **metric_fields(spec))


def signatures_of(
    table: AnyTable, *, classes: Classes = "task", undefined: float = 0.0, interval: str = "none"
) -> list[Signature]:
    """The signature of the settings for each table of a stack."""
    if not table.shape:
        return [signature_of(table, classes=classes, undefined=undefined, interval=interval)]
    of_labels = labels_hash(table.labels)  # once, as there may be many
    digests = (digest(part, of_labels) for part in cast(Confusion, table))
    amounts = (table.n, table.outside.sum(axis=-1), table.missing, table.dropped)
    columns = (np.ravel(x).tolist() for x in amounts)
    rows = zip(averages(table, classes), digests, *columns, strict=True)
    return [_settings(table, undefined, interval, row) for row in rows]


def _settings(table: AnyTable, undefined: float, interval: str, row: tuple[Any, ...]) -> Signature:
    """The signature of settings from the classes and the digest of a table, and its amounts."""
    classes, digits, n, *amounts = row
    handling = {"outside": "errors", "missing": "errors", "dropped": "left-out"}
    scores, weights = table.item_scores if table.soft else None, table.weighing
    if scores is not None:  # the weights of a soft table are known where its items are
        weights = "none" if np.all(scores.weight == 1) else "given"
    return Signature(
        classes=classes,
        n=str(int(n)),
        interval=interval,
        table=digits,
        undefined=f"{undefined:g}",
        prevalence="observed",
        weights=weights,
        **{
            name: f"{x:.10g}.{handled}" if x else "0"
            for (name, handled), x in zip(handling.items(), amounts, strict=True)
        },
    )


def metric_fields(spec: Spec) -> dict[str, str]:
    """The fields of a signature that depend on the metric alone."""
    mix = spec.prevalence
    return {
        "metric": spec.name,
        "formula": spec.metric.signed,
        "parameters": _parameters(spec),
        "prevalence": "observed" if mix is None else stated(mix) or "uniform",
    }


def averages(table: AnyTable, classes: Classes, spec: Spec | None = None) -> list[str]:
    """The ``classes`` field of each table: ``seen.3``, ``listed.2.cat,dog``, ``positive.1.x``."""
    if spec is not None and spec.metric.needs == "scores":
        classes = "task"  # what is scored is in no table
        if table.k == 2 and table.task == "single" and "average" in spec.metric.parameters:
            return [f"positive.1.{escaped(str(table.labels[1]))}"] * max(1, prod(table.shape))
    if isinstance(classes, str):
        classes = (spec and spec.metric.classes) or classes
        rule, mask = table.rule(classes), table.averaged(classes)
        sizes = np.asarray(mask).sum(axis=-1).reshape(-1)
        return [f"{rule}.{size}" for size in sizes.tolist()]
    named = [table.labels[i] for i in sorted(set(positions(classes, table.labels)))]
    written = ",".join(escaped(str(v)) for v in named)
    if written.startswith("#"):  # a hash stands there for labels
        written = f"\\{written}"
    if len(written) > LISTED:
        written = f"#{labels_hash(named).hexdigest()[:12]}"
    return [f"listed.{len(named)}.{written}"] * max(1, prod(table.shape))


def _range(averaged: list[str]) -> str:
    """The ``classes`` field of a stack, with a range of sizes: ``true.2-3``."""
    if len(set(averaged)) == 1:
        return averaged[0]
    rule = averaged[0].partition(".")[0]
    sizes = [int(text.partition(".")[2]) for text in averaged]
    return f"{rule}.{min(sizes)}-{max(sizes)}"


def _parameters(spec: Spec) -> str:
    values = {**spec.metric.parameters, **dict(spec.parameters)}
    texts = {k: v if isinstance(v, str) else f"{v:g}" for k, v in values.items()}
    if spec.distance is not None:
        texts["distance"] = f"{escaped(spec.distance.name)}#{spec.distance.digest}"
    return ",".join(f"{name}={text}" for name, text in texts.items())


def signed_scores(
    table: AnyTable,
    metrics: Iterable[tuple[str, AnyMetric]],
    intervals: Iterable[Intervals],
    interval: IntervalField | None,
    *,
    classes: Classes,
    undefined: float,
) -> tuple[list[Signature], list[list[Signature]]]:
    """The signature of the settings for each table, and that of each metric on each table.

    ``intervals`` are those of each metric on each table, by methods that ``auto`` has chosen.
    """
    requested = "none" if interval is None else str(interval)
    settings = signatures_of(table, classes=classes, undefined=undefined, interval=requested)

    @cache
    def written(method: Method | None) -> str:
        if method is None or interval is None:
            return "none"
        return str(replace(interval, method=method.name, scale=method.scale))

    signatures = []
    for (name, metric), own in zip(metrics, intervals, strict=True):
        averaged, fixed = [s.classes for s in settings], {"metric": name, "formula": "own-function"}
        if isinstance(metric, Spec):
            fixed = metric_fields(metric)
            if metric.metric.classes is not None or metric.metric.needs == "scores":
                averaged = averages(table, classes, metric)
        rows = zip(settings, averaged, map(written, own.method.tolist()), strict=True)
        signatures.append([replace(s, **fixed, classes=c, interval=text) for s, c, text in rows])
    return settings, signatures


# Signatures in words

_UNDEFINED = {
    "0": "0/0 counts as 0",
    "1": "0/0 counts as 1",
    "nan": "a class with 0/0 is left out of the mean",
}
_PREVALENCE = {
    "observed": "class frequencies as observed",
    "uniform": "calibrated to equal classes",
}
_WEIGHTS = {
    "none": "every item counts once",
    "given": "items are weighted",
    "unknown": "a table of fractions whose item weights are not known",
}
_RULES = {
    "seen": "that occur{s} in the truth or the predictions",
    "true": "that occur{s} in the truth",
    "given": "given as the task's",
}
"""Rules that choose classes."""
_SCALES = {
    None: "",
    "logit": " on the scale of log-odds",
    "fisher": " on Fisher's scale",
    "range": " on the scale of the metric's range",
    "score": " on Wilson's scale",
    "effective": " at an effective sample size",
    "log": " on the scale of logarithms",
    "log+half": " on the scale of logarithms, with half a count more in each cell",
    "cut": ", cut to its range",
    "runs": " with the spread of runs",
}
_METHODS = {
    "auto": "the method that suits each metric",
    "wilson": "Wilson's method",
    "ppi": "prediction-powered inference",
    "inverted": "the inverted error rates of the judge",
}
_GATES = {
    "noninferior": "of non-inferiority",
    "superior": "of superiority",
    "equivalent": "of equivalence",
}
"""One-sided tests of a gate."""


_TESTS = {
    "randomisation": "a paired randomisation test or difference/SE, the larger",
    "delta": "difference/SE",
    "bootstrap": "a paired bootstrap",
    "mcnemar": "McNemar's test (mid-p)",
}
"""Tests of a paired difference."""


def explained(signature: Signature) -> list[tuple[str, str]]:
    """The fields of a signature with their meaning."""
    return [(name, _WORDS[name](value)) for name, value in signature.items()]


def _metric(value: str) -> str:
    try:
        spec = Spec.parse(value)
    except MetricError as e:
        return f"{value} (not known here: {e})"
    return f"{spec}: {in_words(spec)[1]}."


def _formula(value: str) -> str:
    known = [m.formula for m in metrics().values() if m.signed == value]
    return f"{value.replace('-', ' ')}{f': {known[0]}' if known else ''}"


def _classes(value: str) -> str:
    rule, number, which = [*value.split(".", 2), "", ""][:3]
    is_one = number == "1"
    number, classes = ("one", "class") if is_one else (number, "classes")
    if rule in _RULES:
        which = _RULES[rule].format(s="s" * is_one)
        return f"averaged over the {number} {classes} {which}"
    if rule == "positive" and which:
        return f"of the class {listed(which)[0]} against the other"
    names = f": {', '.join(listed(which))}" if which else ""
    if which.startswith("#"):
        names = f", whose names have the hash {which[1:]}"
    return f"averaged over {number} listed {classes}{names}"


def _items_words(value: str) -> str:
    number = f"{Decimal(value):,}" if value.isdecimal() else value
    return f"{number} item" if number == "1" else f"{number} items"


def _amount(value: str, what: str) -> str:
    number, _, handling = value.rpartition(".")
    handled = {"errors": ", counted as errors", "left-out": ", left out"}.get(handling, "")
    return f"no {what}" if value == "0" else f"{number or value} {what}{handled}"


def method_words(name: str, scale: str | None) -> str:
    """The method of intervals and its scale in words.

    >>> method_words("wilson", "effective")
    "Wilson's method at an effective sample size"
    """
    return _METHODS.get(name, name.replace("_", " ")) + _SCALES.get(scale, f"-{scale}")


def _interval(value: str) -> str:
    if value == "none":
        return "no interval"
    field = IntervalField.parse(value)
    if field is None:
        return value
    method = method_words(field.method, field.scale)
    level = f"{f'{100 * field.level:.12f}'.rstrip('0').rstrip('.')} %"
    text = f"{level} interval by {method}"
    test = next(iter(field.tests), "")
    if test in _GATES:
        text = f"one-sided test {_GATES[test]} at {level} by the paired difference"
    elif test:
        by = "Tango's method" if test == "mcnemar" else "paired standard errors"
        tests = ", ".join(_TESTS.get(name, name) for name in field.tests)
        text = f"{level} interval by {by}, p by {tests}"
    text += ", within true classes" * field.stratified + ", by clusters of items" * field.clusters
    if field.drawn is not None:
        text += f", {field.drawn.replicates:,} replicates, seed {field.drawn.seed}"
    for name, x in field.further:
        words = "tested against a margin of" if name == "margin" else name.replace("_", " ")
        text += f", {words} {x:.12g}"
    if field.ranked is None:
        return text
    drawn = f"{field.ranked.replicates:,} replicates, seed {field.ranked.seed}"
    ranks = f"P(best) by a joint bootstrap of {drawn}"
    return f"{text}; {ranks}; ranks and ties by paired standard errors and Holm"


def _mix(value: str) -> str:
    head, _, label = value.partition(".")
    if head == "sweep" and label and "=" not in value:
        return f"the class {label} swept from rare to common, the others in proportion"
    if value.startswith("estimated-") and "=" not in value:
        return f"at class frequencies estimated from unlabelled data ({value[10:]})"
    return f"calibrated to stated class frequencies {value}"


_WORDS: dict[str, Callable[[str], str]] = {
    "metric": _metric,
    "formula": _formula,
    "parameters": lambda v: v.replace(",", ", "),
    "classes": _classes,
    "undefined": lambda v: _UNDEFINED.get(v, f"0/0 counts as {v}"),
    "prevalence": lambda v: _PREVALENCE.get(v) or _mix(v),
    "weights": lambda v: _WEIGHTS.get(v, v),
    "n": _items_words,
    "outside": lambda v: _amount(v, "predictions outside the classes"),
    "missing": lambda v: _amount(v, "missing predictions"),
    "dropped": lambda v: _amount(v, "rows without a true label"),
    "interval": _interval,
    "table": lambda v: f"the table and its label order have the hash {v}",
    "version": lambda v: f"made by evenhand {v}",
}


# Footnotes

MOST = 445
"""Approximate characters of a footnote."""
_REMARK = re.compile("[:;] ")
"""The end of the formula in a summary."""


def footnote(
    signature: Signature, *, metric: str = "", prefix: str = "", intervals: bool = True
) -> str:
    """A sentence with the metric, its formula, class rule, 0/0, interval, items and signature.

    ``metric`` is the metric if the signature is of several, ``prefix`` a text before its title.
    Without ``intervals`` their method is left out.

    >>> one = Signature(metric="macro_f1", classes="true.3", undefined="0", n="28", version="1")
    >>> print(footnote(one))
    Macro F1 (mean of F1): Mean of the per-class F1; averaged over the 3 classes that \
occur in the truth; 0/0 counts as 0; 28 items (evenhand 1, m:macro_f1|c:true.3|u:0|n:28|v:1).
    """
    signature = replace(signature, metric=signature.metric or metric)
    sure = ("interval",) if intervals else ()
    spec = spec_of(signature.metric)
    of_scores = spec is not None and spec.metric.needs == "scores"
    shown_fields = (*(() if of_scores else ("undefined",)), *_unusual(signature), *sure, "n")
    called, formula = (signature.metric, "") if spec is None else formula_words(spec)
    called = _shortened(called, 120)
    about = f"{prefix}{called}: {formula}" if formula else prefix + called
    parts = [about] if signature.metric else []
    if signature.classes and (spec is None or spec.label is None):
        is_average = spec is None or spec.metric.averages  # a user's own may be one
        parts.append(_classes(signature.classes) if is_average else "all classes count")
    parts += [_WORDS[name](v) for name in shown_fields if (v := getattr(signature, name))]
    words, short = _shortened("; ".join(parts), MOST - 70), signature.short
    words = words if signature.metric else words[:1].upper() + words[1:]
    if len(words) + len(short) > MOST - 30:
        short = Signature(version=signature.version, table=signature.table).short
    return f"{words} (evenhand {signature.version}, {short})."


def formula_words(spec: Spec) -> tuple[str, str]:
    """The title of a metric, and what it is in words.

    >>> formula_words(Spec.parse("f1_of_averages"))
    ('Macro F1 (F1 of averages)', 'Harmonic mean of macro precision and macro recall')
    """
    called, summary = in_words(spec)
    return called, _REMARK.split(summary.removeprefix(f"{called}: "))[0]


def _unusual(signature: Signature) -> list[str]:
    """Fields that are mentioned only if they differ from the usual value."""
    usual = {"prevalence": "observed", "weights": "none", "outside": "0", "dropped": "0"}
    return [name for name, value in usual.items() if getattr(signature, name) not in ("", value)]


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
