"""PrintOut: a confusion matrix as a tool has printed it, or its margins, and the scores beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from evenhand.files.printed.table import PrintedTable

BY_CLASS = {
    "sensitivity": "recall", "recall": "recall", "pos pred value": "precision",
    "precision": "precision", "f1": "f1", "tpr": "recall", "ppv": "precision",
}  # fmt: skip
"""What tools call the scores of a class."""

_NOTHING = ("NA", "NaN", "None")


@dataclass(frozen=True)
class PrintOut:
    """A matrix with the scores that were printed beside it, by our names.

    Where only scores are printed, ``cells`` is empty, and ``margins`` are hits, predictions and
    items of each class, if these are.
    """

    labels: tuple[str, ...]
    cells: tuple[tuple[int, ...], ...]
    rows: Literal["true", "pred"]
    line: int
    scores: dict[str, str] = field(default_factory=dict)
    margins: tuple[tuple[int, int, int], ...] = ()

    @property
    def sizes(self) -> list[int]:
        """The items of each class."""
        if not self.cells:
            return [size for _, _, size in self.margins]
        turned = self.cells if self.rows == "true" else zip(*self.cells, strict=True)
        return [sum(c) for c in turned]

    @property
    def hits(self) -> int:
        """The items that are right."""
        if not self.cells:
            return sum(hits for hits, _, _ in self.margins)
        return sum(row[i] for i, row in enumerate(self.cells))

    @property
    def table(self) -> PrintedTable:
        """The scores, the size of each class, the items and the hits, as one row."""
        row = {name: value for name, value in self.scores.items() if value not in _NOTHING}
        sizes = self.sizes
        if sizes:
            row |= {f"support[{v}]": str(n) for v, n in zip(self.labels, sizes, strict=True)}
            row["n"] = str(sum(sizes))
            row["correct"] = str(self.hits)
        return PrintedTable((tuple(row), tuple(row.values())), "", (self.line, self.line), 1)


def of_classes(found: Mapping[str, Sequence[str]], labels: Sequence[str]) -> dict[str, str]:
    """The scores of classes whose row is whole, each kind once."""
    scores: dict[str, str] = {}
    for name, values in found.items():
        if name in BY_CLASS and len(values) == len(labels):
            for label, value in zip(labels, values, strict=True):
                scores.setdefault(f"{BY_CLASS[name]}[{label}]", value)
    return scores
