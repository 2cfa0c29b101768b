"""Cautions: what a reader must know of systems that are held against each other."""

from __future__ import annotations

from evenhand.catalogue.strays import lost_by_system, notes_by_system
from evenhand.core.kernel import Kernel
from evenhand.infer.few import few_clusters, too_few
from evenhand.notes.note import Note
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.sample import Sample, SoftSample


def paired_cautions(
    sample: Sample | SoftSample,
    tables: Confusion,
    sure: list[Kernel],
    classes: Classes,
    worth: float,
) -> tuple[Note, ...]:
    """Notes on labels never true, predictions that are no class, small classes of the metrics that
    have an interval (``sure``), few clusters."""
    return (
        *notes_by_system(tables, classes, worth),
        *lost_by_system(tables),
        *too_few(sure, tables),
        *few_clusters(sample.cluster),
    )
