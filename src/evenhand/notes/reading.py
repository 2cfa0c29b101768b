"""Notes on how data were read, and on what of another score could not be repeated."""

from __future__ import annotations

from evenhand.notes.note import Note


class ComparedAsText(Note):
    """A file of integers and one of text, whose labels were compared as text."""

    integers: str
    text: str


class ColumnByNumber(Note):
    """A column that was asked for by its number, and what it is called."""

    number: str
    column: str


class HeaderLikeData(Note):
    """Fields of a file's first row that occur again in their columns, though it was a header."""

    source: str
    fields: tuple[str, ...]


class EncodingGuessed(Note):
    """A file whose first bytes say what its text is in."""

    source: str
    encoding: str


class NotInEncoding(Note):
    """A file that is in UTF-8, though another encoding was named."""

    source: str
    encoding: str


class CountsRecovered(Note):
    """A report whose rounded scores only one table of counts has."""

    source: str


class CellsAsText(Note):
    """A column of a sheet in which some cells are text and others are not."""

    source: str
    column: str


class LabelsRenamed(Note):
    """What a map did: how many labels it renamed, how many there were and are."""

    source: str
    renamed: int
    before: int
    after: int


class CaseIgnored(Note):
    """How many labels there were, and how many when case is ignored."""

    before: int
    after: int


class Decided(Note):
    """How probabilities of so many classes became labels: the largest, or from a threshold on."""

    classes: int
    label: str | None = None
    threshold: float = 0.0


class NoSets(Note):
    """Items without a prediction, which count as sets of no label."""

    items: int


class NoSystems(Note):
    """Columns that share no label with the truth, and so were not taken for systems."""

    columns: tuple[str, ...]
    truth: str


class EqualToTruth(Note):
    """Systems whose every label is that of the truth."""

    systems: tuple[str, ...]


class HeaderCounted(Note):
    """Files of one label a line whose first line, given with each, may be a header."""

    files: tuple[tuple[str, str], ...]


class EmptyFiles(Note):
    """Files without rows, among so many."""

    empty: tuple[str, ...]
    files: int


class NotRepeated(Note):
    """Settings of a signature that the score does not share: field, wanted, got."""

    fields: tuple[tuple[str, str, str], ...]


class OtherData(Note):
    """Fields of a signature that say that it was of other data: field, wanted, got."""

    fields: tuple[tuple[str, str, str], ...]


class ClassesByHash(Note):
    """A signature that names its classes by a hash only."""


class ClustersWanted(Note):
    """A signature of intervals by clusters, whose column was not given."""
