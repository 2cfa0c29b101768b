"""Beside: what headings mean where the headings beside them tell.

Remote sensing prints the overall accuracy (OA) beside the average accuracy (AA), which is the mean
of the classes' recall. German has 'Genauigkeit' for accuracy, and for precision beside recall.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from evenhand.auditing.columns import Column
from evenhand.auditing.headers import distinct, meaning, plain

_AVERAGE_ACCURACY = re.compile(r"aa|(?:average|avg|ave|mean)\.? acc(?:uracy|\.)?", re.IGNORECASE)
_EITHER = re.compile(r"(?i)genauigkeit")


def meanings(levels: Mapping[int, Sequence[str]]) -> dict[int, Column]:
    """What each column holds, from the headings over it and those beside it.

    >>> [c.of for c in meanings({1: ["OA"], 2: ["AA"]}).values()]
    ['accuracy', 'macro_recall']
    >>> [c.of for c in meanings({1: ["Genauigkeit"], 2: ["Trefferquote"]}).values()]
    ['macro_precision', 'macro_recall']
    """
    found = {j: meaning(said) for j, said in levels.items()}
    texts = {j: plain(" ".join(distinct(said))) for j, said in levels.items()}
    averages = [j for j, text in texts.items() if _AVERAGE_ACCURACY.fullmatch(text)]
    if any(c.of == "accuracy" for j, c in found.items() if j not in averages):
        found |= {j: replace(found[j], kind="metric", of="macro_recall") for j in averages}
    said = {c.of if c.kind == "metric" else c.kind for c in found.values()}
    if "macro_recall" in said and not any("precision" in one for one in said):
        for j, text in texts.items():
            if found[j].of == "accuracy" and _EITHER.fullmatch(text):
                found[j] = replace(found[j], of="macro_precision")
    return found
