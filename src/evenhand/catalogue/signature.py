"""Signatures: which score it was, in one line."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from math import prod
from typing import Any, cast
from urllib.parse import quote, unquote

import numpy as np
from numpy.typing import NDArray

from evenhand._version import __version__
from evenhand.catalogue.lists import AnyMetric
from evenhand.catalogue.spelling import Spec, escaped, stated
from evenhand.data.confusion import Confusion
from evenhand.data.labels import Label, positions
from evenhand.data.multilabel import AnyTable, MultiLabel
from evenhand.data.sample import Sample, SoftSample
from evenhand.errors import InputError, instance, shown
from evenhand.options import Classes, JudgingOptions, ScoringOptions
from evenhand.records import Method
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
        flags = {"stratified": self.stratified, "clusters": self.clusters}
        parts = [
            f"{self.method}-{kind}" if kind else self.method,
            f"{_decimal(self.level).scaleb(2):f}",
            *(name for name, holds in flags.items() if holds),
            *([] if self.drawn is None else [str(self.drawn)]),
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
        from evenhand.catalogue.footnote import explained

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
    if weight.dtype.kind in "iu":
        return (*places, weight)
    full = weight != 0
    return (*(x[full] for x in places), *_rounded(weight[full]))


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
    row: Any = (_range(averages(table, classes)), digest(table), *sums, most)
    settings = _settings(_weighing(table), undefined, interval, *row)
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
    if _has_own_classes(spec):
        settings = replace(settings, classes=_range(averages(table, classes, spec)))
    return replace(settings, **described(spec))


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
    return [_settings(_weighing(table), undefined, interval, *row) for row in rows]


def _weighing(table: AnyTable) -> str:
    """Whether items have weights; those of soft tables are known where the items are."""
    scores = table.item_scores if table.soft else None
    if scores is None:
        return table.weighing
    return "none" if np.all(scores.weight == 1) else "given"


def _settings(
    weights: str, undefined: float, interval: str, classes: str, table: str, n: float, *amounts: Any
) -> Signature:
    """The signature of settings on a table, given by its digest."""
    handling = {"outside": "errors", "missing": "errors", "dropped": "left-out"}
    texts = {
        name: f"{x:.10g}.{handled}" if x else "0"
        for (name, handled), x in zip(handling.items(), amounts, strict=True)
    }
    settings = {"undefined": f"{undefined:g}", "prevalence": "observed", "weights": weights}
    return Signature(
        classes=classes, n=str(int(n)), interval=interval, table=table, **settings, **texts
    )


def described(spec: Spec) -> dict[str, str]:
    """The fields of a signature that depend on the metric alone."""
    mix = spec.prevalence
    return {
        "metric": spec.name,
        "formula": spec.metric.signed,
        "parameters": _parameters(spec),
        "prevalence": "observed" if mix is None else stated(mix) or "uniform",
    }


def _has_own_classes(spec: Spec) -> bool:
    return spec.metric.classes is not None or spec.metric.needs == "scores"


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
    metrics: Iterable[tuple[str, AnyMetric, list[Method | None]]],
    interval: IntervalField | None,
    *,
    classes: Classes,
    undefined: float,
) -> tuple[list[Signature], list[list[Signature]]]:
    """The signature of the settings for each table, and that of each metric on each table.

    ``metrics`` have the method of their interval on each table, which ``auto`` has chosen.
    """
    texts: dict[Method | None, str] = {None: "none"}
    requested = "none" if interval is None else str(interval)
    settings = signatures_of(table, classes=classes, undefined=undefined, interval=requested)
    signatures = []
    for name, metric, methods in metrics:
        averaged, fixed = [s.classes for s in settings], {"metric": name, "formula": "own-function"}
        if isinstance(metric, Spec):
            fixed = described(metric)
            if _has_own_classes(metric):
                averaged = averages(table, classes, metric)
        for m in methods:
            if m not in texts and m is not None and interval is not None:
                texts[m] = str(replace(interval, method=m.name, scale=m.scale))
        rows = zip(settings, averaged, methods, strict=True)
        signatures.append([replace(s, **fixed, classes=c, interval=texts[m]) for s, c, m in rows])
    return settings, signatures
