"""The outline of each document: the places that claims are made at, in the order of reading."""

from __future__ import annotations

import re
from functools import lru_cache

_TWINS = """
abstract
equation 1
section 1, after equation 3
section 2, theorem 1
section 2, theorem 2
section 2, theorem 3
section 2, lemma
section 2, after the lemma
section 2, end
table 1
table 2
section 3
section 3, figure 1a
section 3, figure 1b
section 3, figures 2a and 2b
section 3, figure 3a
section 3, figure 3b
section 4
appendix A
appendix B, step 1
appendix B, step 3
appendix C, preliminaries
appendix C, proof 1
equation 6
equations 7 and 8
appendix C, step (ii)
appendix C, step (iii)
appendix C, proof 2
appendix C, proof 3
table 3
table 4
table 5
appendix D
appendix E
"""
_WEIGHTED = """
sections 2 and 4
section 3
section 4
section 5
section 5 (a)
section 5 (b)
section 5 (c)
section 5 (d)
"""
_TALE = """
worked example
the excerpt from Sokolova and Lapalme
on popularity
"""
_OVERVIEW = """
section 1, figure 1
section 1, table 1
footnote 1
equation 3
tables 2 to 4
equation 6
equation 7
section 4, accuracy
section 4, macro recall, table 5
section 4, macro recall: drawing items from class bags
section 4, macro recall: bookmaker metric
equations 14 to 16
section 4, macro precision, table 5
section 4, macro precision
section 4, macro F1, table 5
section 4, macro F1: chance
equation 19
section 4, macro F1: a doppelganger
section 4, macro F1: a doppelganger (macF1′), equation 21
equations 23 and 24
section 4, kappa and MCC, table 5
after equation 24
section 4, kappa and MCC
section 5 and conclusion
footnote 5
equation 25
section 5, geometric mean
equations 26 and 27
section 5, recall and precision
section 5, practice
conclusion, i
conclusion, ii
conclusion, iii
conclusion
appendix B.1
appendices B.3
appendix B.4
equation 30
appendices B.5
appendix C.1
appendix C.4
equation 31
equation 32
equations 33 and 34
appendix D.4
equation 35
equations 36 and 37
equation 38
equation 39
equation 40
equations 41 to 43
appendix F.1
appendix F.1, closing argument
tables 6 and 7
equation 44
table 8
appendix G
appendix G, figure 2
"""
_OF = {"000": _TWINS, "001": _WEIGHTED, "002": _TALE, "003": _OVERVIEW, "004": _TWINS}


@lru_cache
def _places(document: str) -> list[str]:
    return _OF[document].split("\n")[1:-1]


def place(document: str, where: str) -> int:
    """Where in a document a claim is made: at the longest of its places that ``where`` begins with.

    >>> place("003", "section 4, macro precision") < place("003", "appendix C.1")
    True
    """
    found = [p for p in _places(document) if re.match(rf"{re.escape(p)}(?!\w)", where)]
    if not found:
        raise ValueError(f"the outline of {document} has no place for {where!r}")
    return _places(document).index(max(found, key=len))
