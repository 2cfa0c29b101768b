"""Choose claims by what somebody types: ids, or words of their texts."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.catalogue.searching import having
from evenhand.papers.claims import Claim
from evenhand.papers.documents import DOCUMENTS


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
