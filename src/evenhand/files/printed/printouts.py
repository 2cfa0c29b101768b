"""Print-outs: what PyCM and R's caret print of a confusion matrix, the counts and the scores."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from evenhand.errors import InputError, shown
from evenhand.files.printed.table import PrintedTable, one_line

_CARET = re.compile(r"^[ \t]*Confusion Matrix and Statistics[ \t]*$", re.MULTILINE)
_PYCM = re.compile(r"^[ \t]*Predict\s{2,}\S.*\n\s*Actual\s*$", re.MULTILINE)
_QUOTED = re.compile(r"^(?:##|#>|#|>)[ \t]?", re.MULTILINE)
_ROW = re.compile(r"\s*(\S.*?)\s+(\d+(?:\s+\d+)*)\s*")
_OVERALL = {
    "accuracy": "accuracy", "kappa": "kappa", "balanced accuracy": "balanced_accuracy",
    "overall acc": "accuracy", "overall mcc": "mcc", "f1 macro": "macro_f1",
    "f1 micro": "micro_f1", "ppv macro": "macro_precision", "ppv micro": "micro_precision",
    "tpr macro": "macro_recall", "tpr micro": "micro_recall",
}  # fmt: skip
_BY_CLASS = {
    "sensitivity": "recall", "recall": "recall", "pos pred value": "precision",
    "precision": "precision", "f1": "f1", "tpr": "recall", "ppv": "precision",
}  # fmt: skip
_OTHER_CLASS = {"specificity": "recall", "neg pred value": "precision"}
_NOTHING = ("NA", "NaN", "None")


@dataclass(frozen=True)
class PrintOut:
    """A matrix with the scores that were printed beside it, by our names."""

    labels: tuple[str, ...]
    cells: tuple[tuple[int, ...], ...]
    rows: Literal["true", "pred"]
    line: int
    scores: dict[str, str] = field(default_factory=dict)

    @property
    def table(self) -> PrintedTable:
        """The scores, the size of each class and the number of items, as one row."""
        turned = self.cells if self.rows == "true" else tuple(zip(*self.cells, strict=True))
        counts = {f"support[{v}]": str(sum(c)) for v, c in zip(self.labels, turned, strict=True)}
        counts["n"] = str(sum(map(sum, self.cells)))
        row = {name: value for name, value in self.scores.items() if value not in _NOTHING}
        row |= counts
        return PrintedTable((tuple(row), tuple(row.values())), "", (self.line, self.line), 1)


def read_printouts(text: str, where: str) -> list[PrintOut]:
    """Every print-out of the text, if it has any."""
    if "Confusion Matrix and Statistics" not in text and not _PYCM.search(text):
        return []
    plain = _QUOTED.sub("", text)
    starts = [(m.start(), _caret) for m in _CARET.finditer(plain)]
    starts += [(m.start(), _pycm) for m in _PYCM.finditer(plain)]
    starts.sort(key=lambda found: found[0])
    ends = [start for start, _ in starts[1:]] + [len(plain)]
    found = []
    for (start, read), end in zip(starts, ends, strict=True):
        line = plain.count("\n", 0, start) + 1
        found.append(read(plain[start:end].splitlines(), line, where))
    return found


def _caret(lines: list[str], line: int, where: str) -> PrintOut:
    """The matrix has predictions in its rows; with two classes the scores are of the positive."""
    blocks: list[list[str]] = []
    rest = iter(lines[1:])
    for text in rest:
        if re.match(r"\s*(Overall Statistics|Accuracy\s*:)", text):
            break
        if text.strip() and _ROW.fullmatch(text) and blocks and not _names_columns(text, blocks):
            blocks[-1].append(text)
        elif text.strip():
            blocks.append([])
    labels, cells = _matrix([b for b in blocks if b], line, where)
    stats = [text, *rest]
    return PrintOut(labels, cells, "pred", line, _caret_scores(stats, labels))


def _names_columns(text: str, blocks: list[list[str]]) -> bool:
    """Whether a line of numbers names columns: those above the first row of a block."""
    return not blocks[-1] and text.split()[0] in ("Prediction", "Predicted")


def _caret_scores(lines: Sequence[str], labels: Sequence[str]) -> dict[str, str]:
    scores: dict[str, str] = {}
    found = re.search(r"'Positive' Class\s*:\s*(.*)", "\n".join(lines))
    positive = None if found is None else found[1].strip()
    by_class: dict[str, list[str]] = {}
    for text in lines:
        name, colon, value = (part.strip() for part in text.partition(" : "))
        if colon and name.lower() in _OVERALL:
            scores.setdefault(_OVERALL[name.lower()], value)
        elif colon and positive in labels and len(labels) == 2:
            (other,) = (v for v in labels if v != positive)
            for parts, label in ((_BY_CLASS, positive), (_OTHER_CLASS, other)):
                if name.lower() in parts:
                    scores.setdefault(f"{parts[name.lower()]}[{label}]", value)
        elif not colon:
            for name, values in _named_values(text):
                by_class.setdefault(name, []).extend(values)
    return scores | _of_classes(by_class, labels)


def _pycm(lines: list[str], line: int, where: str) -> PrintOut:
    end = next((i for i, text in enumerate(lines) if "Statistics" in text), len(lines))
    rows = [text for text in lines[2:end] if text.strip()]
    labels, cells = _matrix([rows], line, where)
    scores: dict[str, str] = {}
    by_class: dict[str, list[str]] = {}
    for text in lines[end:]:
        name, *values = re.split(r"\s{2,}", text.strip())
        if len(values) == 1 and name.lower() in _OVERALL:
            scores[_OVERALL[name.lower()]] = values[0]
        elif len(values) == len(labels) and "(" in name:
            by_class[name.partition("(")[0].lower()] = values
    return PrintOut(labels, cells, "true", line, scores | _of_classes(by_class, labels))


def _of_classes(found: dict[str, list[str]], labels: Sequence[str]) -> dict[str, str]:
    """The scores of classes whose row is whole, each kind once."""
    scores: dict[str, str] = {}
    for name, values in found.items():
        if name in _BY_CLASS and len(values) == len(labels):
            for label, value in zip(labels, values, strict=True):
                scores.setdefault(f"{_BY_CLASS[name]}[{label}]", value)
    return scores


def _named_values(text: str) -> Iterator[tuple[str, list[str]]]:
    """A row of scores by class: its name and as many values as there are classes in it."""
    found = re.fullmatch(r"\s*([A-Za-z][A-Za-z1 ]*?)\s{2,}((?:(?:[-\d.eE]+|NA|NaN)\s*)+)", text)
    if found is not None:
        yield found[1].lower(), found[2].split()


def _matrix(
    blocks: list[list[str]], line: int, where: str
) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
    """Labels and cells of a matrix, which may be printed in several blocks of columns."""
    size = max((len(block) for block in blocks), default=0)
    cells: list[list[int]] = [[] for _ in range(size)]
    labels: list[str] = []
    for block in blocks:
        tokens = [text.split() for text in block]
        left = size - len(cells[0])
        count = min(left, min(len(row) for row in tokens) - 1) if len(blocks) > 1 else left
        for i, row in enumerate(tokens):
            numbers = row[len(row) - count :] if 0 < count < len(row) else []
            if len(block) != size or not all(n.isdigit() for n in numbers) or not numbers:
                raise InputError(
                    f"{where}, line {line}: expected a row of {size} counts after its label, "
                    f"got {shown([one_line(block[i])])}"
                )
            cells[i] += map(int, numbers)
            if block is blocks[0]:
                labels.append(re.sub(rf"(?:\s+\S+){{{count}}}\s*$", "", block[i]).strip())
    if size < 2 or any(len(row) != size for row in cells) or len(set(labels)) != size:
        raise InputError(
            f"{where}, line {line}: expected a square matrix whose rows have names of their own, "
            f"got {size} rows: {shown(labels)}"
        )
    return tuple(labels), tuple(map(tuple, cells))
