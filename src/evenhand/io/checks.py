"""Checks of files that can be read, but hardly as they are meant."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from evenhand.data.counting import TOTALS
from evenhand.data.labels import Label
from evenhand.data.matching import words
from evenhand.errors import Command, InputError, Option
from evenhand.io.columns import ReadOptions
from evenhand.io.delimited import parse_name
from evenhand.io.items import LabelPlace
from evenhand.io.sources import is_stream

_TRUTH = re.compile(
    r"(.* )?(gold|truth)( .*)?|((answer|dev|eval|test) )?(keys?|labels|refs?|reference|y true)"
)
"""Names of files of truth, in words."""
_MAY_BE_TRUTH = re.compile(
    rf"{_TRUTH.pattern}|(.* )?(annotated|annotations?|dev|eval|expected|human|keys?|labels|refs?|"
    r"references?|targets?|test|true|val|valid|validation|y)( .*)?"
)
_RUN = re.compile(
    r"(.* )?(guess|model|out|outputs?|preds?|predicted|predictions?|run|system)( .*)?"
)
_LIST = re.compile(r"\[.*\]|\{.*\}|\(.*,.*\)", re.DOTALL)
_MARKS = "|;,"
AS_THEY_ARE = ("; texts are taken as they are where ", Option("labels"), " names the classes")
FEW = 10
"""Items from which on a pattern in them is no chance."""


def refuse_order(options: ReadOptions) -> None:
    """Refuse a file that is named as the truth after one that is not; a system's name is no such.

    >>> refuse_order(ReadOptions(files=("a.txt", "gold.txt")))
    Traceback (most recent call last):
    evenhand.errors.InputError: the truth comes first, and gold.txt ...
    """
    files = [parse_name(name) for name in options.files]
    stems = ["" if file.system else words(Path(file.name).stem) for file in files]
    is_told = options.true or options.pred or is_stream(files[0].name)
    if is_told or _MAY_BE_TRUTH.fullmatch(stems[0]):
        return
    for file, stem, name in list(zip(files, stems, options.files, strict=True))[1:]:
        if _TRUTH.fullmatch(stem) and not _RUN.fullmatch(stem):
            raise InputError(
                f"the truth comes first, and {file.name} is named as if it were that: ",
                Command((), first=(name, options.files[0])),
                f"; if it holds predictions, give their system a name: {stem.split()[0]}={name}",
            )


def refuse_copies(paths: Sequence[str]) -> None:
    """Refuse two files with the same bytes, of which some lines differ: items would count twice."""
    known: dict[tuple[int, bytes, str], str] = {}
    sizes = [Path(path).stat().st_size for path in paths]
    for path, size in zip(paths, sizes, strict=True):
        if sizes.count(size) < 2:
            continue
        with open(path, "rb") as file:
            varied = len(set(file.read(1 << 16).split(b"\n"))) > FEW
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256").digest()
        folders = "/".join(part for part in Path(path).parts if "=" in part)
        other = known.setdefault((size, digest, folders), path)
        if varied and other != path:
            raise InputError(
                f"{other} and {path} hold the same bytes, and items would count twice: leave one "
                "out"
            )


def refuse_packed_labels(options: ReadOptions, labels: Sequence[Label], *, lines: bool) -> None:
    """Refuse true labels that are several in one text, or an id and a label in one line."""
    texts = [v for v in labels if isinstance(v, str)]
    if options.kind or options.separator or options.labels or not texts:
        return
    lists = [v for v in texts if _LIST.fullmatch(v)]
    if 2 * len(lists) > len(texts) and any("," in v for v in lists):
        raise InputError(
            f"labels such as {lists[0]!r} look like lists: ",
            Command((Option("kind", "multi-label"),)),
            *AS_THEY_ARE,
        )
    alone = {v for v in texts if not any(mark in v for mark in _MARKS)}
    for mark in _MARKS:
        joint = [v for v in texts if mark in v]
        fits = [v for v in joint if alone & {part.strip() for part in v.split(mark)}]
        parts = {part.strip() for v in texts for part in v.split(mark)}
        if fits and 2 * len(fits) > len(joint) and len(parts) < len(texts):
            raise InputError(
                f"{fits[0]!r} looks like several labels: ",
                Command((Option("separator", mark),)),
                *AS_THEY_ARE,
            )
    pairs = [v.split() for v in texts]
    if lines and len(pairs) >= FEW and all(len(pair) == 2 for pair in pairs):
        first, second = ({pair[i] for pair in pairs} for i in (0, 1))
        if len(first) == len(pairs) >= 2 * len(second):
            raise InputError(
                f"lines such as {texts[0]!r} look like an id and a label: ",
                Command((Option("delimiter", " "),)),
                *AS_THEY_ARE,
            )


def refuse_totals(place: LabelPlace, labels: Sequence[Label]) -> None:
    """Refuse a last row of totals: it is named so, and its label is a number that comes once."""
    if place.column is None or not any(str(v).isdecimal() for v in labels):
        return
    last = place.source.frame.tail(1).collect().row(0, named=True)
    cells = [str(v) for c, v in last.items() if c != place.column]
    if last.get(place.column) in labels and any(TOTALS.fullmatch(words(v)) for v in cells):
        row = ", ".join(map(str, last.values()))
        raise InputError(f"{place.source.name}: take out the last row, which has totals ({row})")
