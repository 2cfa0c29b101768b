"""Caret: what R's ``confusionMatrix`` prints, the counts and the scores."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from evenhand.errors import InputError, shown
from evenhand.files.printed.printout import BY_CLASS, PrintOut, of_classes
from evenhand.files.printed.table import one_line

_OVERALL = {
    "accuracy": "accuracy", "kappa": "kappa", "balanced accuracy": "balanced_accuracy",
}  # fmt: skip
_OTHER_CLASS = {"specificity": "recall", "neg pred value": "precision"}
_SCORES = re.compile(r"\s*(Overall Statistics|Accuracy\s*:)")
_SCORE = r"(?:[-\d.eE]+|NA|NaN)"
_BY_CLASS_ROW = re.compile(rf"\s*([A-Za-z][A-Za-z1 ]*?)\s{{2,}}({_SCORE}(?:\s+{_SCORE})*)\s*")
_TRUE = re.compile(r"(act|true|truth|gold|ref|obs|real|target|y_?true)", re.I)
_PREDICTED = re.compile(r"(pred|guess|estimate|classified|y_?pred|y_?hat)", re.I)


@dataclass(frozen=True)
class _Matrix:
    """Labels, cells, and what the rows and the columns are called."""

    labels: tuple[str, ...]
    cells: tuple[tuple[int, ...], ...]
    down: str
    across: str

    @property
    def rows(self) -> Literal["true", "pred"]:
        """Rows are predictions, unless the names of both say the contrary."""
        turned = _TRUE.match(self.down) and _PREDICTED.match(self.across)
        return "true" if turned else "pred"


def read_caret(lines: Sequence[str], line: int, where: str) -> PrintOut:
    """A print-out that begins with its title; with two classes the scores are of the positive."""
    start = next((i for i, text in enumerate(lines) if _SCORES.match(text)), len(lines))
    counts = [text for text in lines[1:start] if text.strip()]
    found = _matrix(counts)
    if found is None:
        raise InputError(
            f"{where}, line {line}: expected a matrix of counts whose rows and columns have the "
            f"same names, got {shown([one_line(text) for text in counts])}"
        )
    scores = _scores(lines[start:], found.labels)
    return PrintOut(found.labels, found.cells, found.rows, line, scores)


def _matrix(lines: Sequence[str]) -> _Matrix | None:
    """The matrix, which may be printed in several blocks of columns.

    A block is a line that says what columns are (none in a table without names), one of their
    names after what rows are, and the rows: as many as there are names in all blocks.
    """
    tokens = [text.split() for text in lines]
    for count in range(1, len(lines) // 3 + 1):
        for heads in (2, 1):
            size = len(lines) // count - heads
            if len(lines) % count or size < 2:
                continue
            blocks = [tokens[i : i + heads + size] for i in range(0, len(lines), heads + size)]
            for width in range(size, 0, -1) if count > 1 else [size]:
                if found := _of_blocks(blocks, heads, width):
                    return found
    return None


def _of_blocks(blocks: list[list[list[str]]], heads: int, width: int) -> _Matrix | None:
    """The matrix of some blocks, the first of so many columns; none if names do not agree."""
    labels = [row[: max(len(row) - width, 0)] for row in blocks[0][heads:]]
    cells: list[list[str]] = [[] for _ in labels]
    down: list[str] = []
    for block in blocks:
        rows = block[heads:]
        ends = {len(row) - len(label) for row, label in zip(rows, labels, strict=True)}
        first = len(cells[0])
        (many,) = ends if len(ends) == 1 else (0,)
        names = list(chain.from_iterable(labels[first : first + many]))
        head = block[heads - 1]
        if many < 1 or not names or head[len(head) - len(names) :] != names:
            return None
        if any(row[: len(label)] != label for row, label in zip(rows, labels, strict=True)):
            return None
        down = head[: len(head) - len(names)]
        for row, label, values in zip(rows, labels, cells, strict=True):
            values += row[len(label) :]
    flat = list(chain.from_iterable(cells))
    written = [" ".join(label) for label in labels]
    if len(cells[0]) != len(labels) or not all(v.isascii() and v.isdigit() for v in flat):
        return None
    if not all(written) or len(set(written)) != len(written):
        return None
    across = " ".join(blocks[0][0]) if heads > 1 else ""
    counts = tuple(tuple(map(int, row)) for row in cells)
    return _Matrix(tuple(written), counts, " ".join(down), across)


def _scores(lines: Sequence[str], labels: Sequence[str]) -> dict[str, str]:
    scores: dict[str, str] = {}
    found = re.search(r"'Positive' Class\s*:\s*(.*)", "\n".join(lines))
    positive = None if found is None else " ".join(found[1].split())
    by_class: dict[str, list[str]] = {}
    for text in lines:
        name, colon, value = (part.strip() for part in text.partition(" : "))
        name, value = name.lower(), " ".join(value.split()[:1])  # what follows is a remark
        row = None if colon else _BY_CLASS_ROW.fullmatch(text)
        if colon and name in _OVERALL:
            scores.setdefault(_OVERALL[name], value)
        elif colon and positive in labels and len(labels) == 2:
            (other,) = (v for v in labels if v != positive)
            for parts, label in ((BY_CLASS, positive), (_OTHER_CLASS, other)):
                if name in parts:
                    scores.setdefault(f"{parts[name]}[{label}]", value)
        elif row is not None:
            by_class.setdefault(row[1].lower(), []).extend(row[2].split())
    return scores | of_classes(by_class, labels)
