"""Presets: tables to begin with, from the founding documents and of our own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from evenhand.core.twins import extremal
from evenhand.papers.overview import TABLE_2, TABLE_4
from evenhand.papers.twins_numbers import TABLE_1 as EVEN
from evenhand.papers.twins_numbers import TABLE_2 as BIASED
from evenhand.papers.twins_numbers import TABLE_3 as ONE_KIND
from evenhand.papers.twins_numbers import TABLE_4 as BOTH_KINDS

LARGE = 1000
"""Items of each confusion of the extremal tables."""


@dataclass(frozen=True)
class Preset:
    """A table, or two, with what to see in it; rows are true."""

    name: str
    says: str
    labels: tuple[str, ...]
    first: list[list[int]]
    second: list[list[int]] | None = None


@cache
def presets() -> tuple[Preset, ...]:
    """In the order in which somebody learns from them.

    >>> [p.name for p in presets()][:2]
    ['bird, cat, dog', 'accuracy stays, macro F1 falls']
    """
    return (
        Preset(
            "bird, cat, dog",
            "28 animals. Make a mistake more frequent and see which metrics mind.",
            ("bird", "cat", "dog"),
            [[6, 1, 1], [1, 5, 2], [2, 3, 7]],
        ),
        Preset(
            "accuracy stays, macro F1 falls",
            "Both tables have 960 of 1,000 right; the second has given up on the rare class.",
            ("common", "rare"),
            [[925, 25], [15, 35]],
            [[950, 0], [40, 10]],
        ),
        Preset(
            "doppelgangers: the two macro F1s disagree",
            "The second table leans towards b: the F1 of averages rewards that, the mean of F1 "
            "does not (Opitz & Burst 2019, tables 1 and 2).",
            ("a", "b"),
            EVEN,
            BIASED,
        ),
        Preset(
            "errors of one kind, and of both",
            "As many errors: of one kind in the first table, of both in the second. One macro F1 "
            "falls from 0.5 to 0.02, the other stays (Opitz & Burst 2019, tables 3 and 4).",
            ("a", "b"),
            ONE_KIND,
            BOTH_KINDS,
        ),
        *(
            Preset(
                f"extremal: {k} classes",
                "The two macro F1s are nearly as far apart as they can be "
                "(Opitz & Burst 2019, theorem 3).",
                tuple("abcd"[:k]),
                extremal(k, LARGE).tolist(),
            )
            for k in (2, 3, 4)
        ),
        Preset(
            "prevalence scaling: b twice as frequent",
            "The same classifier where b is twice as frequent: recalls stay, precisions do not "
            "(Opitz 2022, tables 2 to 4).",
            ("a", "b"),
            TABLE_2.tolist(),
            TABLE_4.tolist(),
        ),
    )
