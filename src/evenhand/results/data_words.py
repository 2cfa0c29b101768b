"""The words of notes on data: what was read, what was left out, what a table says of itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from evenhand.errors import shown
from evenhand.notes import audit, data, pictures, reading
from evenhand.notes.note import Note
from evenhand.results.text import counted, listed, number, points

Sentence: TypeAlias = str | Callable[[Any], str]
"""A pattern over the facts of a note, or a function of the note."""


def _predictions(items: float, weighted: bool) -> str:
    """How much was predicted, as a number of predictions or as a weight."""
    if weighted:
        return f"predictions that weigh {items:,.6g} are"
    return f"{counted(items, 'prediction')} {'is' if items == 1 else 'are'}"


def _never_true(note: data.NeverTrue) -> str:
    items = sum(s.items for s in note.strays)
    names = shown(s.label for s in note.strays)
    of = "" if note.system is None else f"{note.system}: "
    text = f"{of}{_predictions(items, note.weighted)} of labels that are never true ({names})"
    alike = [s for s in note.strays if s.like is not None]
    if alike:
        pairs = listed((f"{s.label!r} and {s.like!r}" for s in alike), 3)
        folds = all(str(s.label).casefold() == str(s.like).casefold() for s in alike)
        text += f"; {pairs} differ in case, spaces or Unicode form only: is that meant? "
        text += "(they are one with case ignored)" if folds else "(a map of labels can join them)"
    if note.metric is None:
        return text
    return (
        f"{text}; {note.metric} is {number(note.value)} over the classes {note.rule} and "
        f"{number(note.other)} over those {note.other_rule}"
    )


def _more_never_true(note: data.MoreNeverTrue) -> str:
    # Every system is named: whoever publishes a ranking sees which teams it touches.
    each = [
        f"{n.system!r} {sum(s.items for s in n.strays):,.10g} ({shown(s.label for s in n.strays)})"
        for n in note.systems
    ]
    return f"further systems that predict labels which are never true: {', '.join(each)}"


def _no_class(note: data.NoClass) -> str:
    if note.systems:
        lost = listed(f"{name!r} {items:,.10g}" for name, items in note.systems)
        return f"predictions that are no class at all, counted as errors: {lost}"
    null = f", {note.missing:,} of them missing" if note.missing else ""
    null = ", but missing" if note.missing == note.items else null
    return f"{_predictions(note.items, note.weighted)} no class at all{null}: counted as errors"


def _two_formulas(note: data.TwoFormulas) -> str:
    return (
        "two formulas are called 'macro F1' and differ here by "
        f"{points(note.f1_of_averages - note.macro_f1)}: macro_f1 {number(note.macro_f1)}, "
        f"f1_of_averages {number(note.f1_of_averages)}; say which one you report"
    )


def _header_counted(note: reading.HeaderCounted) -> str:
    firsts = listed(f"{name} ({label!r})" for name, label in note.files)
    return f"line 1 of {firsts} is a label found nowhere else: if it is a header, take it out"


def _fields(note: reading.NotRepeated | reading.OtherData) -> str:
    return ", ".join(f"{k} ({a or 'not said'}, {b or 'not said'})" for k, a, b in note.fields)


def _average_unsaid(note: audit.AverageUnsaid) -> str:
    taken = {
        "one": "F1 is 2PR/(P+R) in every row, as of one class, of micro averages, or as the F1 of "
        "macro averages: no formula can be told, unless the headings are said to mean those",
        "weighted": "taken for weighted averages, as recall is accuracy",
        "macro": "taken for macro averages",
    }
    return f"{shown(note.columns)}: it is not said which average; {taken[note.taken]}"


OF_DATA: dict[type[Note], Sentence] = {
    data.NeverTrue: _never_true,
    data.MoreNeverTrue: _more_never_true,
    data.CommonClasses: "groups are compared over the classes that are true in each, {labels}; "
    "left out of averages: {left}",
    data.NoCommonClass: "no class is true in every group, so that averages over classes are left "
    "out: {metrics:names}",
    data.NoClass: _no_class,
    data.Alphabetical: "classes are taken in the order of the alphabet, {labels}, by "
    "{metrics:names}; the option labels gives another",
    data.Copies: "{systems:names}: the same answer on every item; is one a copy?",
    data.RowsDropped: "{rows:row} without a true label {rows:was} left out",
    data.TwoFormulas: _two_formulas,
    data.EmptiedClass: "{metric}: {labels} has no items at this prevalence, and its recall, 0/0, "
    "counts as {worth:g}",
    reading.ComparedAsText: "{integers} holds integers and {text} text: compared as canonical "
    "decimals",
    reading.ColumnByNumber: "column {number} is {column!r}",
    reading.HeaderLikeData: "{source}: the first row was read as a header, but {fields} occurs "
    "again in its column: is it data? (with the option no-header it is)",
    reading.EncodingGuessed: "{source} was read as {encoding}, which its first bytes say it is",
    reading.NotInEncoding: "{source} is UTF-8 and was read so, not as {encoding}",
    reading.CountsRecovered: "{source} has scores and no matrix: scored is the one table of counts "
    "that prints these scores",
    reading.CellsAsText: "{source}, column {column!r} holds text and other cells: all were read "
    "as text",
    reading.LabelsRenamed: "{source} renamed {renamed:,} of {before:,} labels, leaving {after:,}",
    reading.CaseIgnored: "ignoring case merged {before:,} labels into {after:,}",
    reading.NoSystems: "{columns}: no labels like those of {truth}, so not taken for a system "
    "(name the systems if one is)",
    reading.EqualToTruth: "{systems:names}: every label is that of the truth; is it a copy of the "
    "truth?",
    reading.HeaderCounted: _header_counted,
    reading.EmptyFiles: "{empty:number} of {files:,} files have no rows: {empty}",
    reading.NotRepeated: lambda n: f"not repeated from the signature (wanted, got): {_fields(n)}",
    reading.Decided: lambda n: (
        "labels are the most probable classes; of equal ones the first"
        if n.label is None
        else f"{n.label!r} is predicted from a probability of {n.threshold:g} on; if that was "
        "chosen on these items, their scores are optimistic"
    ),
    reading.NoSets: "{items:item} without a prediction: no label was predicted there",
    reading.OtherData: lambda n: f"other data than those signed (wanted, got): {_fields(n)}",
    reading.ClassesByHash: "the signature names its classes by a hash only: give them beside it",
    reading.ClustersWanted: "the signature has intervals by clusters: give their column beside it",
    audit.Undecided: "unknown for {systems:lines} ({systems}) whether a table exists: the margins "
    "allow more tables than were searched (a larger limit searches more)",
    audit.AverageUnsaid: _average_unsaid,
    audit.SpreadsBeside: "a spread is printed beside {columns}: every row was taken for the mean "
    "of some runs; with the option runs (1 if there was one) more can be checked",
    audit.WeightsAsSizes: "the sizes of classes are no whole numbers, as sums of weights are, and "
    "were not used: {columns}",
    audit.SeveralLabels: "micro precision, recall and F1 or accuracy differ, as where items have "
    "several labels or where not all classes are averaged: only what holds then was checked; if "
    "every item has one label and one prediction, with the option single-label more can be",
    audit.TableNotRead: "{caption} was not read: {reason}",
    audit.Outside: "consistent if some predictions are outside the classes: {systems:lines} "
    "({systems}); with the option abstentions the table is audited so",
    pictures.NotDrawn: "pictures were not drawn: vl-convert-python is not installed (pip install "
    "'evenhand[plot]'); the data and the Vega-Lite specifications were written",
}
