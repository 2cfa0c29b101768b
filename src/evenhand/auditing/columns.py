"""Columns: what the header of a table of reported scores means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["name", "metric", "precision", "recall", "f1", "support", "n", "correct", "other"]

PER_CLASS = ("precision", "recall", "f1")

CHECKED = (
    "accuracy",
    "micro_precision",
    "micro_recall",
    "micro_f1",
    "macro_precision",
    "macro_recall",
    "balanced_accuracy",
    "reported_macro_f1",
    "macro_f1",
    "f1_of_averages",
    "f1_gap",
    "weighted_precision",
    "weighted_recall",
    "weighted_f1",
    "weighted_f1_of_averages",
    "geometric_macro_recall",
    "harmonic_macro_recall",
    "kappa",
    "mcc",
)
"""Metrics that an audit can hold against others.

A column headed ``macro_f1`` is the question, ``reported_macro_f1``: any formula may be behind it.
The mean of F1 by its own name (``mean_of_f1``) is ``macro_f1``, as everywhere else.
"""

SIGNED_METRICS = frozenset({"kappa", "mcc"})

_NAMES = ("name", "system", "model", "run", "team", "method")
_COUNTS: dict[str, Kind] = {
    "n": "n", "items": "n", "total": "n", "correct": "correct", "hits": "correct"
}  # fmt: skip
_SHORT = {
    "acc": "accuracy",
    "macro_p": "macro_precision",
    "macro_r": "macro_recall",
    "macro_f": "reported_macro_f1",
    "macro_f1": "reported_macro_f1",
    "macro_f1_score": "reported_macro_f1",
    "averaged_f1": "macro_f1",
    "mean_of_f1": "macro_f1",
    "weighted_f1_score": "weighted_f1",
    "micro_f1_score": "micro_f1",
}
_CLASS = re.compile(
    r"\s*(precision|recall|f1|f1[-_ ]score|p|r|support)\s*\[(.*)\]\s*", re.IGNORECASE | re.DOTALL
)
_PARTS: dict[str, Kind] = {
    "p": "precision", "precision": "precision", "r": "recall", "recall": "recall",
    "support": "support",
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A column: its header, what kind it is, and the metric or the class it is of.

    ``printed`` is how a document has the header, where that is not it.
    """

    header: str
    kind: Kind
    of: str = ""
    printed: str = ""

    @property
    def taken_for(self) -> str:
        """What it holds, by our own names.

        >>> Column("Acc.", "metric", "accuracy").taken_for
        'accuracy'
        """
        if self.kind == "metric":
            return self.of
        return f"{self.kind}[{self.of}]" if self.of else self.kind

    def to_dict(self) -> dict[str, str]:
        """The column as JSON has it."""
        return {"header": self.printed or self.header, "taken_for": self.taken_for}


def column(header: str) -> Column:
    """The meaning of one header.

    >>> column("Macro-F1").taken_for, column("precision[spam]").of
    ('reported_macro_f1', 'spam')
    """
    found = _CLASS.fullmatch(header)
    if found is not None:
        return Column(header, _PARTS.get(found[1].lower(), "f1"), found[2].strip())
    plain = re.sub(r"[^a-z0-9_]+", "_", header.strip().lower()).strip("_")
    plain = _SHORT.get(plain, plain)
    if plain in _COUNTS:
        return Column(header, _COUNTS[plain])
    if plain in CHECKED:
        return Column(header, "metric", plain)
    from evenhand.core.registry import find

    record = find(plain)
    if record is not None and record.name in CHECKED:
        return Column(header, "metric", record.name)
    return Column(header, "name" if plain in _NAMES else "other")
