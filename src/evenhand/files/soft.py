"""Class probabilities in files: a column for each class, or a list or an object an item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from evenhand.count.exact import exact, values_of
from evenhand.count.probabilities import count_soft_sample
from evenhand.count.trim import trim
from evenhand.errors import InputError, NoRowsError, Option, shown
from evenhand.files.amiss import first_row, missing
from evenhand.files.columns import columns_of
from evenhand.files.items import TRUE, Items, Place, kind_of
from evenhand.files.reading import Reading
from evenhand.files.rename import new_name, rename_columns
from evenhand.files.sources import Source
from evenhand.notes.note import Note
from evenhand.notes.reading import Decided
from evenhand.tables.labels import read_as
from evenhand.tables.sample import Sample, SoftSample


class Soft(NamedTuple):
    """The classes that probabilities are of, as text, what their columns are called, and those."""

    classes: tuple[str, ...]
    names: tuple[str, ...]
    columns: tuple[Any, ...]


@dataclass(frozen=True)
class SoftItems(Items):
    """Items one a row: the truth, and for each system the probabilities of its classes."""

    soft: Mapping[str, Soft] = field(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        """The columns of labels: the truth alone."""
        return [TRUE]

    @property
    def places(self) -> list[Place]:
        """Where labels stand."""
        return [self.truth]

    def without(self, failed: Mapping[str, InputError]) -> SoftItems:
        """The items without some systems, and why these were left out."""
        kept = {name: place for name, place in self.systems.items() if name not in failed}
        return replace(self, systems=kept, failed={**self.failed, **failed})

    def _counted(self, rows: bool) -> tuple[SoftSample | Sample, list[Note]]:
        """The items with their probabilities, which no group-by would make fewer."""
        import polars as pl

        reading = self.reading
        frame = self._weighed.collect(engine="streaming")
        frame = trim(frame, [TRUE, *reading.beside])
        if not len(frame):
            raise NoRowsError(f"{self._named} has no rows: there is no item to count")
        if missing(frame[TRUE]).any():
            at, _ = first_row(self, TRUE, missing)
            raise InputError(f"{self.truth}{at}: items with probabilities must have a true label")
        named = [v for soft in self.soft.values() for v in soft.classes]
        columns = [frame[TRUE], pl.Series(named, dtype=pl.String)]
        (truth, _), notes = rename_columns(columns, reading)
        made = {name: self._matrix(frame, name, kind_of(truth.dtype)) for name in self.systems}
        first = next(iter(made.values()))
        labels = list(reading.labels_as(kind_of(truth.dtype)) or first)
        for name, matrix in made.items():
            if set(matrix) != set(labels):
                raise InputError(
                    f"{self.systems[name]}: probabilities must be of the classes {shown(labels)}, "
                    f"got {shown(matrix)}"
                )
        tables = {name: _stacked(matrix, labels) for name, matrix in made.items()}
        beside = self._beside({c: values_of(frame, c) for c in reading.beside})
        places = list(map(str, self.systems.values()))
        sample = count_soft_sample(
            truth, tables, labels=labels, truth=str(self.truth), places=places, **beside
        )
        if reading.decide is None:
            return sample, notes
        labelled, note = _decided(sample, reading.decide)
        return labelled, [*notes, note]

    def _matrix(self, frame: Any, name: str, kind: str) -> dict[Any, Any]:
        """A system's probabilities by class; classes that got one name are added up."""
        rename = new_name(self.reading)
        found: dict[Any, Any] = {}
        soft = self.soft[name]
        for label, named in zip(soft.classes, soft.names, strict=True):
            column = frame[named]
            if column.null_count():
                at, _ = first_row(self, named, missing)
                raise InputError(
                    f"{self.systems[name].source.name}{at}: expected a probability of {label!r}, "
                    "got no number"
                )
            (new,) = read_as([rename(label.strip())], kind)
            found[new] = column if new not in found else found[new] + column
        return found


def _decided(sample: SoftSample, rule: str) -> tuple[Sample, Note]:
    """The labels that probabilities decide for, and what is to be known of the rule."""
    label, mark, text = rule.rpartition("=")
    if not mark and rule == "argmax":
        return sample.decided(), Decided(len(sample.labels))
    try:
        threshold = float(text)
    except ValueError:
        threshold = -1
    if not mark or not 0 <= threshold <= 1:
        raise InputError(
            Option("decide"), f" must be argmax, or a label and its threshold, got {rule!r}"
        )
    return sample.decided(label, threshold), Decided(len(sample.labels), label, threshold)


def _stacked(matrix: Mapping[Any, Any], labels: Sequence[Any]) -> Any:
    return np.column_stack([matrix[label].to_numpy() for label in labels])


def soft_columns(reading: Reading, source: Source, frame: Any, system: int = 0) -> Soft:
    """The probabilities that a reading names, as expressions on the columns of a file.

    It names a column for each class; or one that holds an object, or a list in the order of the
    labels; or how the columns' names begin, the rest being the class.
    """
    import polars as pl

    text = str(reading.probabilities)
    schema = dict(frame.collect_schema())
    names = [name.strip() for name in text.split(",")]
    if text in schema:
        return _of_one(reading, source, text, schema[text], system)
    if len(names) == 1:
        found = [c for c in schema if c.startswith(text) and c != text]
        classes = [c.removeprefix(text) for c in found]
    else:
        found = classes = names
    absent = [c for c in found if c not in schema] or ([] if len(found) > 1 else [text])
    if absent:
        raise columns_of(
            source,
            schema,
            f", expected {shown(absent)} for ",
            Option("probabilities"),
            ": a column for each class, how their names begin, or one of lists or objects",
        )
    return _numbered(classes, [pl.col(exact(c)) for c in found], system)


def _of_one(reading: Reading, source: Source, column: str, dtype: Any, system: int) -> Soft:
    import polars as pl

    whole = pl.col(exact(column))
    if isinstance(dtype, pl.Struct):
        classes = [field.name for field in dtype.fields]
        return _numbered(classes, [whole.struct.field(c) for c in classes], system)
    if not dtype.is_nested():
        raise InputError(
            f"{source.name}, column {column!r} must hold the probabilities of all classes, "
            f"got {dtype}; name a column for each"
        )
    if reading.labels is None:
        raise InputError(
            f"{source.name}, column {column!r} has lists of probabilities: say of which classes "
            "with ",
            Option("labels"),
        )
    fits = whole.list.len() == len(reading.labels)
    each = [whole.list.get(i, null_on_oob=True) for i in range(len(reading.labels))]
    return _numbered(reading.labels, [pl.when(fits).then(p) for p in each], system)


def _numbered(classes: Sequence[str], columns: Sequence[Any], system: int) -> Soft:
    import polars as pl

    names = [f"evenhand:probability {system} {i}" for i in range(len(columns))]
    numbers = (c.cast(pl.Float64, strict=False) for c in columns)
    named = [c.alias(name) for c, name in zip(numbers, names, strict=True)]
    return Soft(tuple(classes), tuple(names), tuple(named))
