"""Measuring: new minus old on every metric, before it is judged."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.catalogue.binding import bind_all, values_of
from evenhand.core.kernel import Kernel
from evenhand.count.forms import refuse_empty
from evenhand.deciding.check import Check, Claim, Measured, Test
from evenhand.errors import InputError
from evenhand.infer.cautions import paired_cautions
from evenhand.infer.margin import refuse_wide
from evenhand.infer.rows import rows_of
from evenhand.infer.transform import farthest
from evenhand.infer.varied import Apart, apart_of
from evenhand.notes.note import Note
from evenhand.tables.confusion import Classes, Confusion
from evenhand.tables.sample import Sample, SoftSample


@dataclass(frozen=True)
class Asked:
    """What must be shown, and how it is scored; ``old`` is the place of the old system."""

    metrics: Sequence[Any]
    classes: Classes
    worth: float
    test: Test
    margin: float
    level: float
    old: int


@dataclass(frozen=True, eq=False)
class Part:
    """Items that are judged together, measured on every metric."""

    tables: Confusion
    measured: list[Measured]
    cautions: tuple[Note, ...]

    @classmethod
    def of(
        cls, sample: Sample | SoftSample, asked: Asked, key: Any = None, testable: bool = True
    ) -> Part:
        """All items, or the slice of a ``key``; not ``testable``, it has no error."""
        tables = sample.tables()
        refuse_empty(tables, "compare")
        kernels = bind_all(asked.metrics, tables, classes=asked.classes, undefined=asked.worth)
        refuse_wide(asked.margin, kernels)
        apart = [Apart(math.nan, 0.0, 0.0)] * len(kernels)
        if testable:
            apart = apart_of(rows_of(sample), kernels)
        scores = zip(kernels, values_of(kernels, tables), apart, strict=True)
        measured = list(_measured(sample, scores, asked, key))
        notes = paired_cautions(sample, tables, kernels, asked.classes, asked.worth)
        return cls(tables, measured, notes)


def _measured(
    sample: Sample | SoftSample, scores: Iterable[tuple[Kernel, Any, Apart]], asked: Asked, key: Any
) -> Iterator[Measured]:
    alike = sample.alike(0, 1)
    for kernel, value, apart in scores:
        if kernel.better == "neither" and asked.test != "equivalent":
            raise InputError(
                f"{kernel.name} is better neither high nor low: what can be shown of it is "
                f"'equivalent', not {asked.test!r}"
            )
        old, new = float(value[asked.old]), float(value[1 - asked.old])
        check = Check(
            value=new - old,
            slice=key,
            metric=kernel.name,
            n=sample.n,
            values=(old, new),
            points=kernel.bounded,
            better=kernel.better,
            alike=_concerned(sample, kernel) if alike is None else alike,
        )
        claim = Claim(asked.test, asked.margin, kernel.better)
        yield Measured(claim, check, apart, farthest(kernel))


def _concerned(sample: Sample | SoftSample, kernel: Kernel) -> int | None:
    """Items of the class that the metric is of, if the two never differ on it."""
    if kernel.record is None or not kernel.record.of_one_class or kernel.over_cells:
        return None
    return sample.alike(0, 1, kernel.averaged)
