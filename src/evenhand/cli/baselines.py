"""Baselines of a gate: a system's answers in a file to commit, items by their hashes."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from click import UsageError

from evenhand.cli.options import SourceOptions
from evenhand.errors import InputError, shown
from evenhand.io.ratings import read_predictions
from evenhand.io.scratch import atomic_write

HEAD = ["evenhand_item", "label"]
"""The heading of a baseline, by which it is known."""
NO_CLASSES = ("\0",)
"""No column is called so: what is read are labels, no probabilities."""


@contextmanager
def opened(source: SourceOptions) -> Iterator[SourceOptions]:
    """The files, where OLD is no baseline; else a file with the answers that it holds."""
    path = source.files[1] if len(source.files) == 3 else None
    if path is None or not is_baseline(path):
        yield source
        return
    with open(path, encoding="utf-8", newline="") as file:
        labels = dict(list(csv.reader(file))[1:])
    ids, keys = _items(source)
    lost = [i for i, key in zip(ids, keys, strict=True) if key not in labels]
    if lost or len(labels) != len(keys):
        raise InputError(
            f"{path} must hold an answer to each item of {source.files[0]} as it is now: of "
            f"{len(labels):,} and {len(keys):,} items it lacks {shown(lost) if lost else 'none'}; "
            "write it again with --baseline-out"
        )
    with TemporaryDirectory() as folder:
        name = str(
            Path(folder, f"{Path(path).stem}.csv" if source.id else f"{Path(path).stem}.txt")
        )
        with open(name, "w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            if source.id:
                rows.writerow([source.id, source.guess])
            for i, key in zip(ids, keys, strict=True):
                rows.writerow([i, labels[key]] if source.id else [labels[key]])
        yield replace(source, files=(source.files[0], name, source.files[2]))


def is_baseline(path: str) -> bool:
    """Whether a file begins as a baseline does."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline().strip() == ",".join(HEAD)
    except (OSError, UnicodeDecodeError):
        return False


def write(source: SourceOptions, path: str) -> None:
    """NEW's answers, each beside the hash of its item: no id and no text of an item is in it."""
    if len(source.files) != 3:
        raise UsageError("--baseline-out needs GOLD OLD NEW.")
    new = source.files[2]
    labels = dict(zip(_keys(source, new), _column(source, new, source.guess), strict=True))
    _, keys = _items(source)
    with atomic_write(path) as part, open(part, "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerows([HEAD, *sorted([key, labels.get(key, "")] for key in keys)])


def _items(source: SourceOptions) -> tuple[list[Any], list[str]]:
    """The items of GOLD and their hashes; the id says which item it is, or its row and truth."""
    gold = source.files[0]
    if source.id and not (source.truth and source.guess):
        raise UsageError("With --id a baseline needs --label, or --true and --pred too.")
    if not source.id:
        return list(range(1, 1 + len(_column(source, gold, source.truth)))), _keys(source, gold)
    return _column(source, gold, source.id), _keys(source, gold)


def _keys(source: SourceOptions, path: str) -> list[str]:
    """The hash of each item of a file."""
    if source.id:
        ids = _column(source, path, source.id)
    else:  # rows are those of GOLD, so that another truth is another item
        truth = _column(source, source.files[0], source.truth)
        ids = [f"{row} {label}" for row, label in enumerate(truth, 1)]
    return [sha256(str(i).encode()).hexdigest()[:16] for i in ids]


def _column(source: SourceOptions, path: str, column: str | None) -> list[str]:
    """A column of a file, or its lines, as the command reads it."""
    values = read_predictions(path, NO_CLASSES, column=column, layout=source.layout)
    return ["" if v is None else str(v) for v in values.data]
