"""What ``calibrate`` and ``shift`` share: a class mix from an option, and tables at it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from evenhand.catalogue.spelling import prevalence_of
from evenhand.cli.inputs import data_from, matrix_from, systems_from
from evenhand.cli.records import Scoring, Source
from evenhand.cli.shift import Elsewhere
from evenhand.errors import InputError
from evenhand.files.predictions import read_predictions, read_shares
from evenhand.files.read import Read
from evenhand.files.rename import new_name
from evenhand.files.saved import is_saved, load
from evenhand.infer.rows import Data
from evenhand.shift.estimating import PrevalenceEstimate, estimate_prevalence
from evenhand.shift.extrapolating import Extrapolation, extrapolate
from evenhand.shift.sweeping import Sweep, sweep

NAMES = ("first", "second")
"""What two systems are called that have no names."""


def stated(text: str | None) -> Any:
    """A class mix from the command line: ``uniform``, a file, or ``a=0.2,b=0.8``; if any."""
    if text is None:
        return None
    if text.strip() == "uniform":
        return "uniform"
    if os.path.isfile(text):
        return read_shares(text)
    if "=" not in text:
        raise InputError(
            f"a class mix must be uniform, A=0.2,B=0.8 or a file that exists, got {text!r}"
        )
    return text


def single_label(source: Source, *, drawn: bool = False) -> Read[Any]:
    """The data of one system, of which a class mix can be spoken."""
    loaded = data_from(source, drawn=drawn)
    if loaded.data.task == "multi":
        raise InputError("a class mix needs one label an item, got lists of labels")
    if not loaded.data.systems and loaded.data.shape:
        raise InputError(f"{source.name} holds slices, and a class mix is of one table")
    return loaded


def extrapolated(
    source: Source, scoring: Scoring, mix: str, scale: str | None = None
) -> Extrapolation:
    """The table at a mix, or at the one that it has with its true classes scaled."""
    target = stated(mix)
    loaded = single_label(source, drawn=scoring.drawn)
    if scale is not None:
        target = _scaled(loaded.data, scale)
    how = scoring.how(loaded.data)
    metrics, interval = scoring.metrics or None, scoring.interval
    found = extrapolate(loaded.data, to=target, metrics=metrics, interval=interval, **how)
    return found.noted(*loaded.notes)


def _scaled(data: Any, scale: str) -> dict[Any, float]:
    """The class mix of the data after prevalence scaling by ``a=1,b=2``."""
    table = data.tables()[0] if data.systems else data.tables()
    factors = dict(prevalence_of(scale, scale))
    if not factors:
        raise InputError(f"factors of classes must be such as a=1,b=2, got {scale!r}")
    scaled = table.scale(factors)
    if not scaled.total:
        raise InputError(f"no item is left of classes scaled by {scale}")
    shares = scaled.prevalence / scaled.total
    return dict(zip(table.labels, shares.tolist(), strict=True))


def estimated(source: Source, scoring: Scoring, path: str, asked: Elsewhere) -> PrevalenceEstimate:
    """The mix of unlabelled predictions in a file."""
    if scoring.interval not in ("auto", "bootstrap"):
        raise click.UsageError("--unlabelled has bootstrap intervals: leave out --interval.")
    loaded = single_label(source, drawn=True)
    labels, rename = loaded.data.tables().labels, new_name(source)
    new = read_predictions(
        path, labels, column=asked.unlabelled_pred, rename=rename, layout=source.layout
    )
    found = estimate_prevalence(
        loaded.data,
        predicted=new.data,
        method=asked.method,
        to=stated(asked.mix),
        trained_on=stated(asked.trained_on),
        metrics=scoring.metrics or None,
        **scoring.how(loaded.data),
    )
    return found.noted(*loaded.notes, *new.notes)


def swept(source: Source, scoring: Scoring, label: str, asked: Elsewhere) -> Sweep:
    """One class from rare to common, maybe against another system."""
    if scoring.interval not in ("auto", "delta", None):
        raise click.UsageError("--sweep has delta intervals; --interval may be auto or none.")
    loaded, other, names = _pair(source, asked.against)
    found = sweep(
        loaded.data,
        label=label,
        metrics=scoring.metrics or None,
        against=other,
        names=names,
        classes=scoring.over(loaded.data),
        at=None if asked.points is None else _points(asked.points),
        undefined=scoring.undefined,
        distance=scoring.apart,
        interval=scoring.interval,
        level=scoring.level,
    )
    return found.noted(*loaded.notes)


def _pair(source: Source, against: str | None) -> tuple[Read[Data], Any, tuple[str, str]]:
    """The data; the other table where it shares no items; what the two are called."""
    files = source.files
    if against is None:
        return single_label(source), None, NAMES
    if source.matrix is not None:
        return data_from(source), matrix_from(against, source)[0], NAMES
    if len(files) == 1 and is_saved(files[0]):
        names = (Path(files[0]).stem, Path(against).stem)
        other = load(against).table
        return data_from(source), other, names if names[0] != names[1] else NAMES
    if len(files) == 1:  # another column of the same file
        return systems_from(replace(source, pred=(*source.pred, against))), None, NAMES
    return systems_from(replace(source, files=(*files, against))), None, NAMES


def _points(text: str) -> list[float]:
    try:
        return [float(v) for v in text.split(",")]
    except ValueError:
        raise InputError(f"--points must be shares such as 0.01,0.1,0.5, got {text!r}") from None
