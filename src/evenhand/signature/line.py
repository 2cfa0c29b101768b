"""Signature: one line that says exactly which score this is.

``metric:macro_f1|formula:mean-of-f1|classes:seen.3|undefined:0|…``: NAME:VALUE parts joined by
``|``, in a fixed order, empty ones left out; the short form has one or two letters a name. In a
value ``%``, ``|``, ``:`` and whatever cannot be printed are percent-encoded UTF-8.
``docs/signature.md`` has the grammar of each field.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from math import prod
from typing import Any, cast
from urllib.parse import quote, unquote

import numpy as np
from numpy.typing import NDArray

from evenhand._version import __version__
from evenhand.catalogue.binding import Table
from evenhand.catalogue.spelling import Spec, escaped, stated
from evenhand.errors import InputError, shown
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.labels import Label, positions
from evenhand.tables.multilabel import MultiLabel

SHORT = {
    "metric": "m",
    "formula": "f",
    "parameters": "p",
    "classes": "c",
    "undefined": "u",
    "prevalence": "pr",
    "weights": "w",
    "n": "n",
    "outside": "o",
    "missing": "mi",
    "dropped": "d",
    "interval": "i",
    "table": "t",
    "version": "v",
}
"""What each field is called in the short form."""

OF_THE_SYSTEM = frozenset({"outside", "missing", "table"})
"""Fields in which two systems scored alike on the same items may still differ."""

LISTED = 60
"""Characters up to which listed classes are written out; beyond, a hash stands for them."""

_LONG = {short: name for name, short in SHORT.items()}


@dataclass(frozen=True)
class Signature:
    """The settings behind a score, as text fields in a fixed order; empty ones are left out.

    >>> one = Signature(metric="macro_fbeta:beta=2", classes="seen.3", undefined="0", version="1")
    >>> str(one)
    'metric:macro_fbeta%3Abeta=2|classes:seen.3|undefined:0|version:1'
    >>> one.short
    'm:macro_fbeta%3Abeta=2|c:seen.3|u:0|v:1'
    """

    metric: str = ""
    formula: str = ""
    parameters: str = ""
    classes: str = ""
    undefined: str = ""
    prevalence: str = ""
    weights: str = ""
    n: str = ""
    outside: str = ""
    missing: str = ""
    dropped: str = ""
    interval: str = ""
    table: str = ""
    version: str = __version__

    def __str__(self) -> str:
        return "|".join(f"{name}:{_escaped(value)}" for name, value in self.items())

    @property
    def short(self) -> str:
        """The same in fewer characters, for a caption or a footnote."""
        return "|".join(f"{SHORT[name]}:{_escaped(value)}" for name, value in self.items())

    def items(self) -> list[tuple[str, str]]:
        """The fields that say something."""
        return [(f.name, getattr(self, f.name)) for f in fields(self) if getattr(self, f.name)]

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature back, in its long or its short form.

        >>> Signature.parse("m:macro_f1|undefined:0|version:0.1.0").metric
        'macro_f1'
        """
        found: dict[str, str] = {}
        for part in text.strip().split("|"):
            name, colon, value = part.strip().partition(":")
            if not colon:
                raise InputError(f"a signature is NAME:VALUE|NAME:VALUE…, got {shown([part])}")
            name = _LONG.get(name, name)
            if name not in SHORT:
                known = ", ".join(SHORT)
                raise InputError(f"a signature has the fields {known}, got {shown([name])}")
            if name in found:
                raise InputError(f"a signature has each field once, got {name!r} twice")
            found[name] = _unescaped(value)
        return cls(**{"version": "", **found})

    def explain(self) -> str:
        """The signature in words, a line a field."""
        from evenhand.signature.words import explained

        return "\n".join(f"{name}: {_printable(words)}" for name, words in explained(self))

    def differences(
        self, other: Signature, *, ignoring: Iterable[str] = ()
    ) -> dict[str, tuple[str, str]]:
        """The fields in which two signatures differ, with both values.

        >>> Signature(classes="seen.3").differences(Signature(classes="true.3"))
        {'classes': ('seen.3', 'true.3')}
        """
        left_out = set(ignoring)
        pairs = {name: (getattr(self, name), getattr(other, name)) for name in SHORT}
        return {k: (a, b) for k, (a, b) in pairs.items() if a != b and k not in left_out}


def difference_text(found: dict[str, tuple[str, str]]) -> str:
    """Differing fields in one line: ``classes (seen.3, true.3), n (100, 90)``."""
    said = [(name, a or "not said", b or "not said") for name, (a, b) in found.items()]
    return ", ".join(f"{name} ({a}, {b})" for name, a, b in said)


def signature_of(
    table: Table,
    spec: Spec | None = None,
    *,
    classes: Classes = "task",
    undefined: float = 0.0,
    interval: str = "none",
) -> Signature:
    """The signature of one metric on one table; without a metric, of the settings alone.

    A stack is taken as one thing: its items add up.
    """
    outside, missing, dropped = (np.sum(x) for x in (table.outside, table.missing, table.dropped))
    settings = Signature(
        classes=_range(averages(table, classes)),
        undefined=f"{undefined:g}",
        prevalence=_prevalence(None),
        weights=table.weighing,
        n=str(int(np.sum(table.n))),
        outside=_amount(outside, "errors"),
        missing=_amount(missing, "errors"),
        dropped=_amount(dropped, "left-out"),
        interval=interval,
        table=digest(table),
    )
    if spec is None:
        return settings
    return signed(settings, described(spec), classes=_range(averages(table, classes, spec)))


def signatures_of(
    table: Table, *, classes: Classes = "task", undefined: float = 0.0, interval: str = "none"
) -> list[Signature]:
    """The settings' signature of every table of a stack; of one table, a list of one."""
    if not table.shape:
        return [signature_of(table, classes=classes, undefined=undefined, interval=interval)]
    fixed = {
        "undefined": f"{undefined:g}",
        "prevalence": _prevalence(None),
        "weights": table.weighing,
        "interval": interval,
    }
    begun = _hash_of(table.labels)  # once: there may be many
    outside = table.outside.sum(axis=-1).tolist()
    amounts = zip(
        outside, np.ravel(table.missing).tolist(), np.ravel(table.dropped).tolist(), strict=True
    )
    rows = zip(
        averages(table, classes),
        np.ravel(table.n).tolist(),
        amounts,
        cast(Confusion, table),
        strict=True,
    )
    return [
        Signature(
            classes=averaged,
            n=str(int(n)),
            outside=_amount(lost, "errors"),
            missing=_amount(missing, "errors"),
            dropped=_amount(dropped, "left-out"),
            table=digest(one, begun),
            **fixed,
        )
        for averaged, n, (lost, missing, dropped), one in rows
    ]


def described(spec: Spec) -> dict[str, str]:
    """What a metric puts into the signature of its settings, whatever the table."""
    return {
        "metric": str(spec),
        "formula": spec.metric.signature,
        "parameters": _parameters(spec),
        "prevalence": _prevalence(spec),
    }


def signed(settings: Signature, *parts: dict[str, str], **fields: str) -> Signature:
    """The signature of the settings with other fields; quicker than ``replace``."""
    found = dict(vars(settings))
    for part in (*parts, fields):
        found.update(part)
    return Signature(**found)


DIGITS = 33
"""Binary digits of a weight that the digest sees, about ten decimal ones.

Sums of the same weights in another order, or by another engine, differ in the last of 53: they
share a digest unless they lie on two sides of a rounding edge, about one cell in a million.
"""


def digest(table: Table, begun: hashlib._Hash | None = None) -> str:
    """Twelve hexadecimal digits that two people share only if they scored the same table.

    The order of the items does not enter, nor do cells that weigh nothing. ``begun`` is the hash
    of its labels, where that is known.
    """
    found = _hash_of(table.labels) if begun is None else begun.copy()
    for part in _PARTS[table.task](table):
        found.update(np.asarray(part, "<i8").tobytes())
    return found.hexdigest()[:12]


def _cells(table: Confusion) -> Iterable[NDArray[Any]]:
    *places, weight, _ = table.data.entries()
    if weight.dtype.kind in "iu":
        return (*places, weight)
    full = weight != 0
    return (*(x[full] for x in places), *_rounded(weight[full]))


def _items(table: MultiLabel) -> Iterable[NDArray[Any]]:
    """Each item as two numbers mixed from its labels, and its weight, in their own order."""
    sides = [_mixed(side, i) for i, side in enumerate((table.true, table.pred))]
    columns = sides if table.weight is None else [*sides, *_rounded(table.weight)]
    if table.times is not None:
        columns = [np.repeat(x, table.times) for x in columns]
    order = np.lexsort(columns)
    return [x[order] for x in columns]


def _rounded(weight: NDArray[Any]) -> list[NDArray[Any]]:
    """Weights to :data:`DIGITS`, as whole numbers and powers of 2."""
    part, power = np.frexp(np.asarray(weight, np.float64))
    part, more = np.frexp(np.rint(np.ldexp(part, DIGITS)))  # what rounds up to 1 moves on
    return [np.ldexp(part, DIGITS).astype(np.int64), (power + more).astype(np.int64)]


def _mixed(indicators: Any, side: int) -> NDArray[np.int64]:
    """One number an item: the sum of its labels' codes, each scattered over 64 bits (splitmix)."""
    x = np.arange(1, indicators.shape[1] + 1, dtype=np.uint64) * np.uint64(2) + np.uint64(side)
    x *= np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    x ^= x >> np.uint64(31)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(x[indicators.indices])])
    return np.asarray(sums[indicators.indptr[1:]] - sums[indicators.indptr[:-1]]).view(np.int64)


_PARTS: dict[str, Callable[[Any], Iterable[NDArray[Any]]]] = {"single": _cells, "multi": _items}


def _hash_of(labels: Iterable[Label]) -> hashlib._Hash:
    text = "\x1f".join(f"{type(v).__name__}={v!r}" for v in labels)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass"))


def averages(table: Table, classes: Classes, spec: Spec | None = None) -> list[str]:
    """What each table's averages run over: ``seen.3``, ``listed.2.cat,dog``."""
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
        written = f"#{_hash_of(named).hexdigest()[:12]}"
    return [f"listed.{len(named)}.{written}"] * max(1, prod(table.shape))


def _range(found: list[str]) -> str:
    """What the tables of a stack are averaged over, in one word: ``true.2-3``."""
    if len(set(found)) == 1:
        return found[0]
    rule = found[0].partition(".")[0]
    sizes = [int(f.partition(".")[2]) for f in found]
    return f"{rule}.{min(sizes)}-{max(sizes)}"


def _parameters(spec: Spec) -> str:
    values = {**spec.metric.parameters, **spec.options}
    return ",".join(f"{name}={value:g}" for name, value in values.items())


def _prevalence(spec: Spec | None) -> str:
    if spec is None or spec.prevalence is None:
        return "observed"
    if not spec.prevalence:
        return "uniform"
    return stated(spec.prevalence)


def _amount(x: object, handling: str) -> str:
    value = float(x)  # type: ignore[arg-type]
    return f"{value:.10g}.{handling}" if value else "0"


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else quote(c, "", None, "surrogatepass") for c in text)


def _escaped(value: str) -> str:
    """Percent-encoding of what would end a field or could not be printed."""
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
