"""Words on the data."""

from __future__ import annotations

from evenhand.errors import shown
from evenhand.notes.data import (
    EmptiedClass,
    InSlices,
    MoreNeverTrue,
    NeverTrue,
    NoClass,
    RowsDropped,
    TwoFormulas,
)
from evenhand.results.text import counted, key_text, listed, number, points
from evenhand.results.words.say import WORDS, says


def predictions(items: float, weighted: bool) -> str:
    """How much was predicted, as a number of predictions or as a weight."""
    if weighted:
        return f"predictions that weigh {items:,.6g} are"
    return f"{counted(items, 'prediction')} {'is' if items == 1 else 'are'}"


@says(NeverTrue, "labels that are never true there were predicted")
def _never_true(note: NeverTrue) -> str:
    items = sum(s.items for s in note.strays)
    names = shown(s.label for s in note.strays)
    of = "" if note.system is None else f"{note.system}: "
    text = f"{of}{predictions(items, note.weighted)} of labels that are never true ({names})"
    alike = [s for s in note.strays if s.like is not None]
    if alike:
        pairs = listed((f"{s.label!r} and {s.like!r}" for s in alike), 3)
        folds = all(str(s.label).casefold() == str(s.like).casefold() for s in alike)
        text += f"; {pairs} differ in case, spaces or Unicode form only: is that meant? "
        text += f"({'--ignore-case' if folds else '--map'} joins them)"
    if note.metric is not None:
        text += (
            f"; {note.metric} is {number(note.value)} over the classes {note.rule} and "
            f"{number(note.other)} over those {note.other_rule}"
        )
    return text


@says(MoreNeverTrue)
def _more_never_true(note: MoreNeverTrue) -> str:
    return f"{note.systems:,} more systems predict labels that are never true"


@says(NoClass, "some predictions are no class at all")
def _no_class(note: NoClass) -> str:
    if note.systems:
        lost = listed(f"{name!r} {items:,.10g}" for name, items in note.systems)
        return f"predictions that are no class at all, counted as errors: {lost}"
    null = f", {note.missing:,} of them missing" if note.missing else ""
    if note.missing == note.items:
        null = ", but missing"
    return f"{predictions(note.items, note.weighted)} no class at all{null}: counted as errors"


@says(RowsDropped, "rows without a true label were left out")
def _rows_dropped(note: RowsDropped) -> str:
    were = "was" if note.rows == 1 else "were"
    return f"{counted(note.rows, 'row')} without a true label {were} left out"


@says(TwoFormulas, "the two formulas called 'macro F1' differ by more than a point")
def _two_formulas(note: TwoFormulas) -> str:
    return (
        "two formulas are called 'macro F1' and differ here by "
        f"{points(note.f1_of_averages - note.macro_f1)}: macro_f1 {number(note.macro_f1)}, "
        f"f1_of_averages {number(note.f1_of_averages)}; say which one you report"
    )


@says(EmptiedClass, "a class has no items at the prevalence asked for")
def _emptied_class(note: EmptiedClass) -> str:
    return (
        f"{note.metric}: {shown(note.labels)} has no items at this prevalence, "
        f"and its recall, 0/0, counts as {note.worth:g}"
    )


@says(InSlices)
def _in_slices(note: InSlices) -> str:
    kind = next(w for kind, w in WORDS.items() if kind.code == note.of)
    keys = list(dict.fromkeys(key_text(key) for key, _ in note.slices))
    return f"{kind.in_slices} in {counted(len(keys), 'slice')} ({listed(keys)})"
