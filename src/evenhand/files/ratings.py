"""Ratings: the labels of several annotators, side by side or one below the other."""

from __future__ import annotations

from typing import Any

from evenhand.count.exact import exact, values_of
from evenhand.count.trim import trim
from evenhand.errors import InputError, Option, shown
from evenhand.files.check import explained
from evenhand.files.columns import find_columns
from evenhand.files.layout import USUAL, Layout
from evenhand.files.opening import opened
from evenhand.files.read import Read


def read_ratings(
    name: str,
    *,
    item: str | None = None,
    long: tuple[str | None, str | None] = (None, None),
    own: tuple[str, ...] = (),
    layout: Layout = USUAL,
) -> Read[dict[str, list[Any]]]:
    """Columns of ratings by annotator; or, if ``long``, of items, annotators and labels."""
    with opened(name, columns=True, layout=layout) as source, explained(source):
        asked = [c for c in (item, *long, *own) if c is not None]
        chosen = find_columns(source, asked)
        frame, called = chosen.frame, chosen.called
        have = [c for c in frame.collect_schema() if c not in source.partitions]
        if long[0] is not None:
            parts = zip(("item", "annotator", "label"), asked, strict=True)
            columns = {part: called[column] for part, column in parts}
        else:
            kept = [called[c] for c in own] or [c for c in have if c != called.get(item or "")]
            if len(kept) < 2:
                raise InputError(
                    f"{source.name} must have a column for each of at least two annotators, got "
                    f"{shown(kept)}; one row a rating is read with ",
                    Option("annotator"),
                )
            columns = {c: c for c in kept}
        wanted = list(dict.fromkeys(columns.values()))
        found = trim(frame.select(*map(exact, wanted)).collect(engine="streaming"), wanted)
        held = {part: values_of(found, column).to_list() for part, column in columns.items()}
        return Read(held, (*source.notes, *chosen.notes))
