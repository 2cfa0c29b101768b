"""Signature: one line that says exactly which score this is."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, fields

import numpy as np

from evenhand._version import __version__
from evenhand.errors import InputError
from evenhand.evaluate import Table
from evenhand.multilabel import MultiLabel
from evenhand.spelling import Spec, stated
from evenhand.table import Classes

# The marks of a signature, and what would break its line or turn its direction.
_SPECIAL = re.compile(r"[%|:\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_WRITTEN = re.compile(r"(?:%[0-9A-F]{2})+")


@dataclass(frozen=True)
class Signature:
    """The settings behind a score, as text fields in a fixed order; empty ones are left out."""

    metric: str = ""
    formula: str = ""
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

    def items(self) -> list[tuple[str, str]]:
        """The fields that say something."""
        return [(f.name, getattr(self, f.name)) for f in fields(self) if getattr(self, f.name)]

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature back.

        >>> Signature.parse("metric:macro_f1|undefined:0|version:0.1.0").metric
        'macro_f1'
        """
        known = {f.name for f in fields(cls)}
        found = {"version": ""}
        for part in text.strip().split("|"):
            name, colon, value = part.partition(":")
            if not colon:
                raise InputError(f"a signature is NAME:VALUE|NAME:VALUE…, got {part!r}")
            if name not in known:
                raise InputError(f"a signature has no field {name!r}")
            found[name] = _WRITTEN.sub(_unescaped, value)
        return cls(**found)


def signature_of(
    table: Table,
    spec: Spec | None = None,
    *,
    classes: Classes = "seen",
    undefined: float = 0.0,
    interval: str = "none",
) -> Signature:
    """The signature of one metric on one table; without a metric, of the settings alone."""
    if spec is not None and spec.metric.classes is not None:
        classes = spec.metric.classes
    rule = classes if isinstance(classes, str) else "listed"
    mask = np.asarray(table.averaged(classes))
    sizes = mask.sum(axis=-1)
    if sizes.min() == sizes.max():
        averaged = f"{rule}.{int(sizes.max())}"
    else:
        averaged = f"{rule}.{int(sizes.min())}-{int(sizes.max())}"
    return Signature(
        metric="" if spec is None else str(spec),
        formula="" if spec is None else spec.metric.signature,
        classes=averaged,
        undefined=f"{undefined:g}",
        prevalence=_prevalence(spec),
        weights=_weights(table),
        n=str(int(np.sum(table.n))),
        outside=_amount(0 if isinstance(table, MultiLabel) else table.outside.sum()),
        missing=_amount(0 if isinstance(table, MultiLabel) else table.missing.sum()),
        dropped=_amount(0 if isinstance(table, MultiLabel) else table.dropped.sum()),
        interval=interval,
        table=digest(table),
    )


def digest(table: Table) -> str:
    """Twelve hexadecimal digits that two people share only if they scored the same table."""
    text = "\x1f".join(f"{type(v).__name__}={v!r}" for v in table.labels)
    found = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    if isinstance(table, MultiLabel):
        for side in (table.true, table.pred):
            found.update(np.asarray(side.indptr, "<i8").tobytes())
            found.update(np.asarray(side.indices, "<i8").tobytes())
        if table.weight is not None:
            found.update(np.asarray(table.weight, "<f8").tobytes())
        return found.hexdigest()[:12]
    for part in table.data.entries()[:4]:
        kind = "<f8" if part.dtype.kind == "f" else "<i8"
        found.update(np.asarray(part, kind).tobytes())
    return found.hexdigest()[:12]


def _prevalence(spec: Spec | None) -> str:
    if spec is None or spec.prevalence is None:
        return "observed"
    if not spec.prevalence:
        return "uniform"
    return stated(spec.prevalence)


def _weights(table: Table) -> str:
    if isinstance(table, MultiLabel):
        return "none" if table.weight is None else "given"
    if table.data.square is not None:
        return "given"
    return "none" if table.data.weight.dtype.kind in "iu" else "unknown"


def _amount(x: object) -> str:
    return f"{float(x):.10g}"  # type: ignore[arg-type]


def _escaped(value: str) -> str:
    return _SPECIAL.sub(lambda m: "".join(f"%{b:02X}" for b in m[0].encode()), value)


def _unescaped(found: re.Match[str]) -> str:
    return bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "replace")
