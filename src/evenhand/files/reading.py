"""Reading: which files hold labels, where in them, and what is done with the labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from evenhand.files.layout import Layout
from evenhand.tables.labels import read_as


@dataclass(frozen=True)
class Reading:
    """Files of labels: the truth and a file for each system, or one file with columns.

    ``pred`` names a column of predictions for each system; ``label`` is the column that holds
    the labels in every file. ``weights``, ``cluster`` and ``by`` (slices) are columns beside the
    truth. Items of several files match by line, or by ``id``; one file may have a row for each
    item and ``system``, and ``run``. ``mapping`` is a file of new names for labels. Lists are of
    a ``kind``: sets of labels, or sequences of tokens; ``separator`` parts text into lists.
    ``probabilities`` names the columns of a system that gives one for each class; ``decide`` is
    how they become labels, if they are to: ``argmax``, or ``LABEL=THRESHOLD``. Columns may be
    numbers, counted from 1; with ``no_header`` they have no other names.
    """

    files: tuple[str, ...] = ()
    true: str | None = None
    pred: tuple[str, ...] = ()
    label: str | None = None
    id: str | None = None
    missing: str = "error"
    drop_null_truth: bool = False
    weights: str | None = None
    by: tuple[str, ...] = ()
    cluster: str | None = None
    labels: tuple[str, ...] | None = None
    mapping: str | None = None
    ignore_case: bool = False
    system: str | None = None
    run: str | None = None
    keep_going: bool = False
    kind: str | None = None
    separator: str | None = None
    probabilities: str | None = None
    decide: str | None = None
    no_header: bool = False
    delimiter: str | None = None
    encoding: str | None = None

    @property
    def truth(self) -> str | None:
        """The column of the truth in a file of its own, if it has been named."""
        return self.true or self.label

    @property
    def guess(self) -> str | None:
        """The column of the predictions in a file of their own, if it has been named."""
        return next(iter(self.pred), None) or self.label

    @property
    def layout(self) -> Layout:
        """How the text of the files lies in them."""
        return Layout(not self.no_header, self.delimiter, self.encoding)

    @property
    def beside(self) -> list[str]:
        """The columns that stand beside the truth."""
        named = (self.weights, self.cluster, *self.by)
        return list(dict.fromkeys(c for c in named if c is not None))

    @property
    def ids(self) -> list[str]:
        """The column by which items are matched, if there is one."""
        return [] if self.id is None else [self.id]

    @property
    def of_columns(self) -> bool:
        """Whether anything is said of columns, which tables and matrices have not."""
        return bool(
            self.true
            or self.pred
            or self.label
            or self.id
            or self.system
            or self.beside
            or self.probabilities
            or self.kind
            or self.separator
        )

    @property
    def renames(self) -> bool:
        """Whether labels get other names once they are counted."""
        return self.mapping is not None or self.ignore_case

    def labels_as(self, kind: str) -> Iterable[Any] | None:
        """The classes to expect, given as text, as labels of a kind; with case ignored, small."""
        if self.labels is None:
            return None
        small = self.ignore_case and kind == "str"
        return read_as([v.casefold() if small else v for v in self.labels], kind)
