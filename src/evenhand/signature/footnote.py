"""Footnote: which score it was, in one sentence that a paper can print."""

from __future__ import annotations

import re
from dataclasses import replace

from evenhand.catalogue.spelling import Spec
from evenhand.catalogue.titles import described
from evenhand.errors import MetricError
from evenhand.signature.explain import meaning
from evenhand.signature.line import Signature

MOST = 430
"""Characters that a footnote takes, more or less; in LaTeX they become a few more."""
_REMARK = re.compile("[:;] ")
"""Behind it a summary says more than the formula."""
OF_DATA = ("table", "version")
"""Fields that tell one result from another where the whole signature is too long."""


def footnote(
    signature: Signature, *, metric: str = "", of: str = "", intervals: bool = True
) -> str:
    """Metric with its formula in words, class rule, 0/0, interval, items, and the signature.

    ``metric`` is the one that is spoken of where the signature is of several; ``of`` is what of
    it, before its title. Without ``intervals`` in view nothing is said of how they were made.

    >>> one = Signature(metric="macro_f1", classes="true.3", undefined="0", n="28", version="1")
    >>> print(footnote(one))
    Macro F1 (mean of F1): Mean of the per-class F1; averages run over the 3 classes that \
occur in the truth; 0/0 counts as 0; 28 items (evenhand 1, m:macro_f1|c:true.3|u:0|n:28|v:1).
    """
    signature = replace(signature, metric=signature.metric or metric)
    sure = ("interval",) if intervals else ()
    fields = ("undefined", *_unusual(signature), *sure, "n")
    known = ((name, getattr(signature, name)) for name in fields)
    said = [of + _metric(signature.metric)] if signature.metric else []
    said += _classes(signature)
    said += [meaning(name, value) for name, value in known if value]
    words, short = _shortened("; ".join(said), MOST - 70), signature.short
    words = words if signature.metric else words[:1].upper() + words[1:]
    if len(words) + len(short) > MOST - 30:
        short = replace(Signature(version=""), **{f: getattr(signature, f) for f in OF_DATA}).short
    return f"{words} (evenhand {signature.version}, {short})."


def _classes(signature: Signature) -> list[str]:
    """Which classes are averaged, where the metric is an average; one class says so itself."""
    if not signature.classes or ":label=" in signature.metric:
        return []
    try:
        averages = Spec.parse(signature.metric).metric.averages
    except MetricError:
        averages = True  # a user's own may be one
    return [meaning("classes", signature.classes) if averages else "all classes count"]


def _metric(name: str) -> str:
    title, summary = described(name)
    called = _shortened(title, 120)
    formula = _REMARK.split(summary.removeprefix(f"{called}: "))[0]
    return f"{called}: {formula}" if summary else called


def _unusual(signature: Signature) -> list[str]:
    """Fields that go without saying unless they differ from what is usual."""
    usual = {"prevalence": "observed", "weights": "none", "outside": "0", "dropped": "0"}
    return [name for name, value in usual.items() if getattr(signature, name) not in ("", value)]


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
