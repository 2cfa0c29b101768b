"""Search: which texts have the words that somebody types."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from evenhand.papers.claims import Claim
from evenhand.papers.documents import DOCUMENTS

_ALIKE = str.maketrans({"-": " ", "_": " ", "′": "'", "’": "'", "‘": "'"})


def _plain(text: str) -> str:
    return text.lower().translate(_ALIKE)


def _beginning(sought: str, texts: Mapping[str, str]) -> list[str]:
    """The names of the texts in which words begin so."""
    found = re.compile(rf"(?<!\w){re.escape(sought)}")
    return [name for name, text in texts.items() if found.search(_plain(text))]


def having(words: Sequence[str], *kinds: Mapping[str, str]) -> list[str]:
    """The names of the texts with the words in a row; if there are none, with each of them.

    A word may be the beginning of one: 'calibrat' finds 'calibration'. Of several kinds of text
    the first in which something is found counts.

    >>> texts = {"a": "figure 2a, skewed data", "b": "figure 3a of 2 figures"}
    >>> having(["figure", "2"], texts), having(["2", "figure"], texts)
    (['a'], ['b'])
    >>> having(["2", "skew"], texts)
    ['a']
    """
    wanted = [_plain(w).strip() for w in words]
    for texts in kinds:
        if found := _beginning(" ".join(wanted), texts):
            return found
    for texts in kinds:
        each = [_beginning(w, texts) for w in wanted]
        if found := [name for name in texts if all(name in names for names in each)]:
            return found
    return []


def chosen(words: Sequence[str], known: Sequence[Claim]) -> list[Claim]:
    """The claims that are named by id or its beginning, and of these those with the other words.

    Words are looked for in ids, sections and claims, then also in documents (author, year, title,
    arXiv number).
    """
    ids = [w for w in map(str.lower, words) if w[:3] in DOCUMENTS]
    exact = {c.id for c in known} & set(ids)
    begun = tuple(w for w in ids if w not in exact)
    named = [c for c in known if c.id in exact or c.id.startswith(begun)] if ids else known
    others = [w for w in words if w[:3] not in DOCUMENTS]
    if not others:
        return list(named)
    own = {c.id: f"{c.id}, {c.where}: {c.claim}" for c in named}
    whole = {c.id: f"{c.document}, {own[c.id]}" for c in named}
    found = set(having(others, own, whole))
    return [c for c in named if c.id in found]
