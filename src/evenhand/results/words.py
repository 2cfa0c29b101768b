"""The words of notes: one sentence a kind, in one voice.

A sentence has neither a capital nor a full stop. Simple ones are patterns over the facts of a note,
``{labels}``, ``{share:share}``, ``{rows:row}``; the others are functions of the note.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import Formatter
from typing import Any

from evenhand.errors import shown
from evenhand.notes import data, ranks, sure
from evenhand.notes.note import Note
from evenhand.results.data_words import OF_DATA, Sentence
from evenhand.results.number_words import OF_NUMBERS
from evenhand.results.text import counted, listed, number, percent, points, visible
from evenhand.tables.labels import key_text


def said(note: Note) -> str:
    """The note as a sentence."""
    wording = SENTENCES[type(note)]
    text = _FACTS.vformat(wording, (), vars(note)) if isinstance(wording, str) else wording(note)
    return visible(text)  # names of systems and slices are as hostile as labels


class _Facts(Formatter):
    """Facts in a pattern: several things are listed, ``{rows:row}`` is a number with its noun."""

    def format_field(self, value: Any, spec: str) -> str:
        if spec in _SPECS:
            return _SPECS[spec](value)
        if isinstance(value, tuple):
            return shown(value)
        noun = spec.isalpha() and len(spec) > 1  # "g" is a way to write a number
        return counted(value, spec) if noun else super().format_field(value, spec)


def _classes(labels: Sequence[Any]) -> str:
    return f"class {shown(labels)} is" if len(labels) == 1 else f"classes {shown(labels)} are"


_FACTS = _Facts()
_SPECS: dict[str, Callable[[Any], str]] = {
    "names": listed,
    "classes": _classes,
    "have": lambda x: "1 class has" if len(x) == 1 else f"{len(x):,} classes have",
    "number": lambda names: f"{len(names):,}",
    "lines": lambda names: counted(len(names), "row"),
    "was": lambda amount: "was" if amount == 1 else "were",
    "share": percent,
    "score": number,
    "points": points,
    "hundredths": lambda x: points(x / 100),
}


def _in_slices(note: data.InSlices) -> str:
    kind = next(kind for kind in SENTENCES if kind.code == note.of)
    keys = dict.fromkeys(
        f"({key_text(key)})" if isinstance(key, tuple) else key_text(key) for key, _ in note.slices
    )
    return f"{IN_SLICES[kind]} in {counted(len(keys), 'slice')} ({listed(keys, 12)})"


SENTENCES: dict[type[Note], Sentence] = {
    **OF_DATA,
    **OF_NUMBERS,
    data.InSlices: _in_slices,
}

IN_SLICES: dict[type[Note], str] = {
    data.NeverTrue: "labels that are never true there were predicted",
    data.NoClass: "some predictions are no class at all",
    data.RowsDropped: "rows without a true label were left out",
    data.TwoFormulas: "the two formulas called 'macro F1' differ by more than a point",
    data.EmptiedClass: "a class has no items at the prevalence asked for",
    sure.NoWidth: "some scores have no interval, which would have no width,",
    sure.UnknownVariance: "there are no intervals: tables of fractions do not say how items vary,",
    sure.NoGradient: "a metric has no gradient, and so no interval,",
    sure.FewTrueItems: "classes have few true items, and intervals of averages may be too narrow,",
    sure.FewHits: "classes have few hits, and intervals of averages may be too narrow,",
    sure.Biased: "few items push some numbers one way, which have no interval,",
    sure.ZeroOverZero: "delta intervals take a ratio of 0/0 as fixed",
    sure.FewClusters: "there are too few clusters to rely on how clusters vary",
    ranks.OneRunOnly: "a system has one run only, and the spread between runs is not known,",
    ranks.UndefinedFor: "metrics are undefined for some system, which then ranks last,",
    ranks.TablesAlone: "there are tables alone, without their items,",
    ranks.OtherItems: "the tables do not have the same true labels",
}
"""How a kind is said to hold in some slices: this goes before "in 3 slices (a, b, c)"."""
