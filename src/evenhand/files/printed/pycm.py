"""PyCM: what it prints of a confusion matrix or of its statistics alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from evenhand.errors import InputError, shown
from evenhand.files.printed.printout import PrintOut, of_classes
from evenhand.files.printed.table import one_line

_OVERALL = {
    "kappa": "kappa", "overall acc": "accuracy", "overall mcc": "mcc", "f1 macro": "macro_f1",
    "f1 micro": "micro_f1", "ppv macro": "macro_precision", "ppv micro": "micro_precision",
    "tpr macro": "macro_recall", "tpr micro": "micro_recall",
}  # fmt: skip
_COUNTS = ("tp", "top", "p")
"""Hits, predictions and items of a class."""


def read_pycm(lines: Sequence[str], line: int, where: str) -> PrintOut:
    """A matrix with or without statistics, which begin with a title that ends in a colon."""
    end = next((i for i, text in enumerate(lines) if text.rstrip().endswith(" :")), len(lines))
    labels, cells = _matrix([text for text in lines[2:end] if text.strip()], line, where)
    scores, by_class = _statistics(lines[end:], len(labels))
    return PrintOut(labels, cells, "true", line, scores | of_classes(by_class, labels))


def read_statistics(lines: Sequence[str], line: int, where: str) -> PrintOut:
    """Statistics alone, whose classes are named in a line of their own."""
    named = next((text for text in lines if re.match(r"\s*Classes\s{2,}", text)), "")
    labels = tuple(re.split(r"\s{2,}", named.strip())[1:])
    if not labels:
        raise InputError(f"{where}, line {line}: expected a line 'Classes' with their names")
    scores, by_class = _statistics(lines, len(labels))
    counts = [by_class.get(name, ()) for name in _COUNTS]
    whole = all(len(c) == len(labels) and all(v.isdigit() for v in c) for c in counts)
    margins = [(int(h), int(b), int(s)) for h, b, s in zip(*counts, strict=True)] if whole else []
    found = scores | of_classes(by_class, labels)
    return PrintOut(labels, (), "true", line, found, tuple(margins))


def _statistics(
    lines: Sequence[str], classes: int
) -> tuple[dict[str, str], Mapping[str, list[str]]]:
    """Overall scores by our names, and what is printed of each class by PyCM's."""
    scores: dict[str, str] = {}
    by_class: dict[str, list[str]] = {}
    for text in lines:
        name, *values = re.split(r"\s{2,}", text.strip())
        if len(values) == 1 and name.lower() in _OVERALL:
            scores[_OVERALL[name.lower()]] = values[0]
        elif len(values) == classes and "(" in name:
            by_class[name.partition("(")[0].lower()] = values
    return scores, by_class


def _matrix(
    lines: Sequence[str], line: int, where: str
) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
    size = len(lines)
    cells, labels = [], []
    for text in lines:
        words = text.split()
        numbers = words[-size:]
        if len(words) <= size or not all(n.isdigit() for n in numbers):
            raise InputError(
                f"{where}, line {line}: expected a row of {size} counts after its label, "
                f"got {shown([one_line(text)])}"
            )
        cells.append(tuple(map(int, numbers)))
        labels.append(re.sub(rf"(?:\s+\S+){{{size}}}\s*$", "", text).strip())
    if size < 2 or len(set(labels)) != size:
        raise InputError(
            f"{where}, line {line}: expected a square matrix whose rows have names of their own, "
            f"got {size} rows: {shown(labels)}"
        )
    return tuple(labels), tuple(cells)
