"""Words on how data were read, and on what of another score could not be repeated."""

from __future__ import annotations

from evenhand.errors import shown
from evenhand.notes.reading import (
    CaseIgnored,
    ClassesByHash,
    ClustersWanted,
    ComparedAsText,
    EmptyFiles,
    LabelsRenamed,
    NoSystems,
    NotRepeated,
    OtherData,
)
from evenhand.results.words.say import says


@says(ComparedAsText)
def _compared_as_text(note: ComparedAsText) -> str:
    return f"{note.integers} holds integers and {note.text} text: compared as canonical decimals"


@says(LabelsRenamed)
def _labels_renamed(note: LabelsRenamed) -> str:
    hit, was, now = note.renamed, note.before, note.after
    return f"{note.source} renamed {hit:,} of {was:,} labels, leaving {now:,}"


@says(CaseIgnored)
def _case_ignored(note: CaseIgnored) -> str:
    return f"ignoring case merged {note.before:,} labels into {note.after:,}"


@says(NoSystems)
def _no_systems(note: NoSystems) -> str:
    return (
        f"{shown(note.columns)}: no label in common with {note.truth}, so not taken for a system "
        "(--pred names the systems)"
    )


@says(EmptyFiles)
def _empty_files(note: EmptyFiles) -> str:
    return f"{len(note.empty):,} of {note.files:,} files have no rows: {shown(note.empty)}"


@says(NotRepeated)
def _not_repeated(note: NotRepeated) -> str:
    return f"not repeated from --like (wanted, got): {_fields(note.fields)}"


@says(OtherData)
def _other_data(note: OtherData) -> str:
    return f"other data than in --like (wanted, got): {_fields(note.fields)}"


@says(ClassesByHash)
def _classes_by_hash(note: ClassesByHash) -> str:
    return "--like names its classes by a hash only: give them with --classes"


@says(ClustersWanted)
def _clusters_wanted(note: ClustersWanted) -> str:
    return "--like has intervals by clusters: give their column with --cluster"


def _fields(fields: tuple[tuple[str, str, str], ...]) -> str:
    return ", ".join(f"{name} ({a or 'not said'}, {b or 'not said'})" for name, a, b in fields)
