"""Recovered: the confusion matrix behind scikit-learn's classification report, if only one fits.

Hits are whole numbers whose share of the class prints as its recall, predictions those of which
the hits print as its precision; with two classes these say the whole matrix, with more they may.
The report may be printed, or a frame of it written as CSV, turned or not.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from evenhand.errors import InputError
from evenhand.files.printed.aligned import read_aligned

LIMIT = 200_000
"""Steps of a search for a second matrix, after which there may be one."""
_SIZE = re.compile(r"([0-9]{1,15})(?:\.0*)?")
"""A number of items, as a report or a frame of it prints it."""
_SCORE = re.compile(r"[01](?:\.[0-9]{0,20})?")
_FINEST = 12
"""Decimals beyond which digits are those of floating point."""
HEADINGS = ("precision", "recall", "f1-score", "support")


@dataclass(frozen=True)
class Reported:
    """A class of a report: what is printed of it."""

    label: str
    precision: float
    recall: float
    f1: float
    support: int

    def margins(self, n: int, digits: int) -> list[tuple[int, int]]:
        """The hits and predictions that print as its scores."""
        unit, size = 10.0**-digits, self.support
        least, most = ((self.recall + side * unit) * size for side in (-1, 1))
        found = []
        for hits in range(max(int(least), 0), min(int(most) + 1, size) + 1):
            if not _prints(hits, size, self.recall, digits):
                continue
            low, high = hits, n
            if hits:
                low = max(int(hits / (self.precision + unit)), hits)
                high = min(int(hits / max(self.precision - unit, 1 / (2 * n))) + 1, n)
            found += [
                (hits, bias)
                for bias in range(low, high + 1)
                if _prints(hits, bias, self.precision, digits)
                and _prints(2 * hits, bias + size, self.f1, digits)
            ]
        return found


def is_report(head: str) -> bool:
    """Whether a text begins as a report."""
    return head.split()[:4] == list(HEADINGS) or bool(_rows(head, 5))


def _rows(text: str, lines: int | None = None) -> list[list[str]]:
    """The rows of a report in CSV, classes down, from the first lines; none if it is no such."""
    kept = list(islice((line for line in text.splitlines() if line.strip()), lines))
    mark = max(",;\t", key=kept[0].count) if kept else ","
    if not kept or mark not in kept[0] or len(kept) < 2:
        return []
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(kept, delimiter=mark)]
    except csv.Error:
        return []
    if [row[0] for row in rows[1:5]] == list(HEADINGS) and len({len(row) for row in rows}) == 1:
        rows = [list(column) for column in zip(*rows[:5], strict=True)]
    return rows if rows[0][1:] == list(HEADINGS) else []


def recovered(text: str, where: str) -> tuple[list[str], list[list[int]]]:
    """The labels and the counts, rows being true.

    >>> labels, cells = recovered('''
    ...               precision    recall  f1-score   support
    ...          ham       0.80      0.80      0.80         5
    ...         spam       0.83      0.83      0.83         6
    ...     accuracy                           0.82        11
    ... ''', "a report")
    >>> cells
    [[4, 1], [1, 5]]
    """
    classes, accuracy, digits = _parts(text, where)
    sizes = [c.support for c in classes]
    margins = list(islice(_margins(classes, accuracy, digits), 2))
    matrices = [m for found in margins for m in islice(_matrices(sizes, found), 2)]
    return [c.label for c in classes], _only(matrices, where)


def of_margins(margins: Sequence[tuple[int, int, int]], where: str) -> list[list[int]]:
    """The counts, rows being true, from hits, predictions and items of each class.

    >>> of_margins([(4, 5, 5), (5, 6, 6)], "two classes")
    [[4, 1], [1, 5]]
    """
    sizes = [size for _, _, size in margins]
    agree = sum(sizes) == sum(bias for _, bias, _ in margins)
    agree = agree and all(hits <= min(bias, size) for hits, bias, size in margins)
    made = _matrices(sizes, tuple((hits, bias) for hits, bias, _ in margins)) if agree else iter(())
    return _only(list(islice(made, 2)), where)


def _only(matrices: list[list[list[int]]], where: str) -> list[list[int]]:
    if len(matrices) != 1:
        came = "no table of counts has" if not matrices else "more than one table of counts has"
        raise InputError(
            f"{where}: {came} the printed scores, so that they say too little to be scored; "
            "give the labels, or the matrix itself"
        )
    return matrices[0]


def _parts(text: str, where: str) -> tuple[list[Reported], float, int]:
    """The classes, the accuracy, and the decimals of all."""
    rows: Sequence[Sequence[str]] = _rows(text)
    if not rows:
        tables = read_aligned(text, where)
        if tables and tables[0].unread:
            raise InputError(tables[0].unread)
        rows = tables[0].rows if tables else ()
    width = len(HEADINGS) + 1
    named = (i for i, row in enumerate(rows) if row[0] == "accuracy" and len(row) == width)
    at = next(named, None)
    if at is None:
        raise InputError(
            f"{where}: expected a report with a line 'accuracy', without which classes are missing"
        )
    classes = []
    for label, *scores, size in rows[1:at]:
        whole = _SIZE.fullmatch(size)
        if len(scores) != width - 2:
            raise InputError(f"{where}: expected three scores and the size of {label!r}")
        if whole is None:
            raise InputError(
                f"{where}: expected the size of {label!r} as a whole number of items, got {size!r}"
            )
        precision, recall, f1 = (_score(v, where) for v in scores)
        classes.append(Reported(label, precision, recall, f1, int(whole[1])))
    texts = [rows[at][3], *(v for row in rows[1:at] for v in row[1:4])]
    # Zeros at the end may be left out of some, so that all have the decimals of the longest.
    digits = max(len(v.partition(".")[2]) for v in texts)
    return classes, _score(rows[at][3], where), min(digits, _FINEST)


def _score(text: str, where: str) -> float:
    if _SCORE.fullmatch(text) is None:
        raise InputError(f"{where}: expected a score between 0 and 1, got {text!r}")
    return float(text)


def _margins(
    classes: Sequence[Reported], accuracy: float, digits: int
) -> Iterator[tuple[tuple[int, int], ...]]:
    """The hits and predictions of all classes whose predictions are as many as the items."""
    n = sum(c.support for c in classes)
    ways = [c.margins(n, digits) for c in classes]
    if not all(ways):
        return
    least = [0] * (len(ways) + 1)
    most = [0] * (len(ways) + 1)
    for i in reversed(range(len(ways))):
        least[i] = least[i + 1] + min(b for _, b in ways[i])
        most[i] = most[i + 1] + max(b for _, b in ways[i])
    steps = 0
    stack: list[tuple[tuple[tuple[int, int], ...], int]] = [((), n)]
    while stack:
        chosen, left = stack.pop()
        steps += 1
        if steps > LIMIT:
            yield from ((), ())  # as if there were two
            return
        if len(chosen) == len(ways):
            if _prints(sum(h for h, _ in chosen), n, accuracy, digits):
                yield chosen
            continue
        i = len(chosen)
        for hits, bias in ways[i]:
            if least[i + 1] <= left - bias <= most[i + 1]:
                stack.append(((*chosen, (hits, bias)), left - bias))


def _matrices(
    sizes: Sequence[int], margins: tuple[tuple[int, int], ...]
) -> Iterator[list[list[int]]]:
    """The matrices with these class sizes, hits and predictions."""
    if not margins:  # too many to list
        yield from ([], [])
        return
    k = len(sizes)
    wrong = [size - h for size, (h, _) in zip(sizes, margins, strict=True)]
    alarms = [b - h for h, b in margins]
    cells = [[h if i == j else 0 for j in range(k)] for i, (h, _) in enumerate(margins)]
    steps = 0

    def fill(i: int, j: int, left: int) -> Iterator[list[list[int]]]:
        nonlocal steps
        steps += 1
        if i == k:
            yield [row.copy() for row in cells]
        elif j == k:
            if not left:
                yield from fill(i + 1, 0, wrong[i + 1] if i + 1 < k else 0)
        elif j == i:
            yield from fill(i, j + 1, left)
        else:
            later = sum(wrong[m] for m in range(i + 1, k) if m != j)
            for count in range(max(alarms[j] - later, 0), min(left, alarms[j]) + 1):
                if steps > LIMIT:
                    return
                cells[i][j], alarms[j] = count, alarms[j] - count
                yield from fill(i, j + 1, left - count)
                alarms[j] += count
                cells[i][j] = 0

    yield from fill(0, 0, wrong[0])
    if steps > LIMIT:
        yield from ([], [])


def _prints(part: int, whole: int, value: float, digits: int) -> bool:
    """Whether a ratio is printed so, rounded as Python does or as NumPy does."""
    ratio = part / whole if whole else 0.0
    if abs(ratio - value) > 10.0**-digits:
        return False
    wanted, scale = f"{value:.{digits}f}", 10**digits
    return wanted in (f"{ratio:.{digits}f}", f"{round(ratio * scale) / scale:.{digits}f}")
