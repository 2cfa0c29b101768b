"""Searching: which texts have the words that somebody types."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_ALIKE = str.maketrans({"-": " ", "_": " ", "′": "'", "’": "'", "‘": "'"})


def _plain(text: str) -> str:
    return text.lower().translate(_ALIKE)


def having(words: Sequence[str], *kinds: Mapping[str, str], whole: bool = False) -> list[str]:
    """The names of the texts with the words in a row; if there are none, with each of them.

    A word may be the beginning of one, unless ``whole``: 'calibrat' finds 'calibration'. Of
    several kinds of text the first in which something is found counts.

    >>> texts = {"a": "figure 2a, skewed data", "b": "figure 3a of 2 figures"}
    >>> having(["figure", "2"], texts), having(["2", "figure"], texts)
    (['a'], ['b'])
    >>> having(["2", "skew"], texts), having(["2", "skew"], texts, whole=True)
    (['a'], [])
    """

    def found(sought: str, texts: Mapping[str, str]) -> list[str]:
        word = re.compile(rf"(?<!\w){re.escape(sought)}" + r"(?!\w)" * whole)
        return [name for name, text in texts.items() if word.search(_plain(text))]

    wanted = [_plain(w).strip() for w in words]
    for texts in kinds:
        if in_a_row := found(" ".join(wanted), texts):
            return in_a_row
    for texts in kinds:
        each = [found(w, texts) for w in wanted]
        if in_any_order := [name for name in texts if all(name in names for names in each)]:
            return in_any_order
    return []
