"""Print-outs: what PyCM and R's caret print of a confusion matrix, found in a text."""

from __future__ import annotations

import re

from evenhand.files.printed.caret import read_caret
from evenhand.files.printed.printout import PrintOut
from evenhand.files.printed.pycm import read_pycm, read_statistics

TITLES = ("Confusion Matrix and Statistics", "Overall Statistics :", "Actual")
"""One of these is in every print-out."""

_START = re.compile(
    r"^[ \t]*(?:(?P<caret>Confusion Matrix and Statistics)[ \t]*$"
    r"|(?P<pycm>Predict[ \t]+\S.*\n[ \t]*Actual[ \t]*$)"
    r"|(?P<statistics>Overall Statistics :)[ \t]*$)",
    re.MULTILINE,
)
_QUOTED = re.compile(r"^[ \t]*(?:##|#>|#|>|\*\*)(?:[ \t]|$)", re.MULTILINE)
"""What knitr, reprex and comments put before each line of output."""


def read_printouts(text: str, where: str) -> list[PrintOut]:
    """Every print-out of the text, if it has any."""
    if not any(title in text for title in TITLES):
        return []
    plain = _QUOTED.sub("", text.replace("\r\n", "\n"))
    starts: list[tuple[int, str]] = []
    for found in _START.finditer(plain):
        kind = found.lastgroup or ""
        if kind == "pycm" and not _is_matrix(plain, found):
            continue
        last = starts[-1][1] if starts else ""
        if kind == "statistics" and last == "pycm":
            starts[-1] = (starts[-1][0], "whole")
        elif not (kind == "pycm" and last == "pycm" and _is_normalized(plain, found.start())):
            starts.append((found.start(), kind))
    ends = [*(start for start, _ in starts), len(plain)][1:]
    result = []
    for (start, kind), end in zip(starts, ends, strict=True):
        line = plain.count("\n", 0, start) + 1
        read = {"caret": read_caret, "statistics": read_statistics}.get(kind, read_pycm)
        result.append(read(plain[start:end].splitlines(), line, where))
    return result


def _is_matrix(text: str, found: re.Match[str]) -> bool:
    """Whether names stand apart in columns, and a row of numbers follows; else it is prose."""
    row = re.compile(r"\s*(.*)").match(text, found.end())
    return "  " in found[0] and row is not None and row[1].rstrip()[-1:].isdigit()


def _is_normalized(text: str, start: int) -> bool:
    return text[max(start - 80, 0) : start].rstrip().endswith("Normalized Matrix :")
