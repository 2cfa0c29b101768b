"""Random label files, well-formed and not, against the strict readers of :mod:`fuzz.readers`.

Through every command that reads them: the same items, or both refuse.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from fuzz.cli import Ran, invoke
from fuzz.outcome import FAILURES, REFUSED, RIGHT, Outcome
from fuzz.readers import Read, RefusedError, read, with_one_spelling
from fuzz.said import (
    CHECKED,
    Items,
    same_board,
    same_cells,
    same_pairs,
    same_report,
    same_scores,
    same_twins,
)
from fuzz.words import PLAIN
from fuzz.written import SIZES, File, long_rows, random_file, random_rows

MARK = "\ufeff".encode()
HEADER = (b"gold", b"a", b"b", b"note")


def text(rng: Random, folder: Path) -> Iterator[Outcome]:
    """Files, each through several commands."""
    kind = rng.choice(("csv", "csv", "tsv", "jsonl"))
    one = random_file(rng, kind, random_rows(rng, rng.choice(SIZES)))
    for way in rng.sample(ONE, 3):
        packed, dropping = (rng.random() < 0.1 for _ in "pd")
        yield smallest([one], partial(through_one, folder, way, packed, dropping))
    yield smallest([random_file(rng, kind, long_rows(rng))], partial(through_long, folder))
    yield smallest(files_with_ids(rng), partial(through_ids, folder))
    size = rng.choice(SIZES)
    kinds = [rng.choice(("csv", "tsv", "jsonl", "txt", "txt")) for _ in range(3)]
    files = [random_file(rng, kind, random_rows(rng, size), harm=0.1) for kind in kinds]
    for way in rng.sample(SEVERAL, 2):
        yield smallest(files[: len(way.columns)], partial(through_several, folder, way))


def smallest(files: list[File], judge: Callable[[list[File]], Outcome]) -> Outcome:
    """The verdict on files, and if it is a failure on as few of their lines as show it."""
    found = judge(files)
    if found.kind not in FAILURES:
        return found
    for i, file in enumerate(files):
        for at in reversed(range(file.raw.count(b"\n") + 1)):
            fewer = [*files[:i], files[i].without(at), *files[i + 1 :]]
            again = judge(fewer)
            if (again.kind, again.cause) == (found.kind, found.cause):
                files, found = fewer, again
    return found


@dataclass(frozen=True)
class Way:
    """A command line of some files, the columns it uses, and how to check what it says."""

    command: tuple[str, ...]
    columns: tuple[str, ...]
    check: Callable[[Ran, Items], str]
    refusing: bool = False


def through_one(folder: Path, way: Way, packed: bool, dropping: bool, files: list[File]) -> Outcome:
    """One file with columns through one command."""
    (file,) = files
    path = file.write(folder, "file", packed=packed)
    command = [a.replace("FILE", path) for a in way.command]
    try:
        found = read(file.kind, file.raw, list(way.columns))
        items: Items | None = [row for row in found.rows if row[0] is not None]
        if (len(found.rows) > len(items or ()) and not dropping) or not items:
            raise RefusedError("a null truth")
        grey = found.grey
    except RefusedError:
        items, grey = None, False
    command += ["--drop-null-truth"] if dropping else []
    return verdict(command, [file], items, grey, way)


def through_long(folder: Path, files: list[File]) -> Outcome:
    """One file with a row for each item and system, through ``rank``."""
    (file,) = files
    items: Items | None = None
    grey, names = False, []
    try:
        found = read(file.kind, file.raw, ["gold", "a", "b"])
        parts: dict[Any, list[tuple[Any, Any]]] = {}
        for truth, guess, system in found.rows:
            parts.setdefault(system, []).append((truth, guess))
        truths = {tuple(t for t, _ in part) for part in parts.values()}
        if len(truths) == 1 and len(parts) > 1 and None not in {*parts, *next(iter(truths))}:
            names, grey = [str(name) for name in parts], found.grey
            guesses = ([p for _, p in part] for part in parts.values())
            items = list(zip(next(iter(truths)), *guesses, strict=True))
    except RefusedError:
        pass
    command = ["rank", file.write(folder, "long"), *PAIR, "--system", "b", *DRAWN]
    way = Way(("rank long",), (), lambda ran, found: same_board(ran, found, names))
    return verdict(command, [file], items, grey, way)


def files_with_ids(rng: Random) -> list[File]:
    """Truth and predictions with ids beside them, the second in another order."""
    rows = random_rows(rng, rng.choice(SIZES))
    ids = rng.sample(PLAIN, len(rows))
    sides = [
        [[row[at], name, "", ""] for row, name in zip(rows, ids, strict=True)] for at in (0, 1)
    ]
    rng.shuffle(sides[1])
    kind = rng.choice(("csv", "tsv", "jsonl"))
    return [random_file(rng, kind, side, harm=0.2) for side in sides]


def through_ids(folder: Path, files: list[File]) -> Outcome:
    """Two files joined by an id, which every item has once in both."""
    items: Items | None = None
    grey = False
    kinds = set()
    try:
        labels, names = ([read_bare(f, [c]) for f in files] for c in ("gold", "a"))
        known = [
            {i: v for (i,), (v,) in zip(n.rows, part.rows, strict=True)}
            for n, part in zip(names, labels, strict=True)
        ]
        kinds = {type(i) for k in known for i in k}
        once = all(len(k) == len(n.rows) for k, n in zip(known, names, strict=True))
        same = known[0].keys() == known[1].keys() and None not in known[0]
        if once and same and None not in known[0].values():
            items = [(v, known[1][i]) for i, v in known[0].items()]
            grey = any(part.grey for part in (*labels, *names))
    except RefusedError:
        pass
    paths = [f.write(folder, name) for f, name in zip(files, ("gold", "pred"), strict=True)]
    command = ["count", *paths, "--label", "gold", "--id", "a"]
    if len(kinds | {type(v) for row in items or () for v in row if v is not None}) > 1:
        return never_a_traceback(command, files)
    return verdict(command, files, items, grey, Way(("count by id",), (), same_cells))


def through_several(folder: Path, way: Way, used: list[File]) -> Outcome:
    """A file of truth and files of predictions, by line, through one command."""
    options: list[str] = []
    if any(f.kind != "txt" for f in used):
        used = [
            f if f.kind != "txt" else File("csv", b"gold\n" + f.raw.removeprefix(MARK))
            for f in used
        ]
        options = ["--label", "gold", "--by-row"]
    try:
        parts = [read_bare(f, ["gold"]) for f in used]
        columns = [[row[0] for row in part.rows] for part in parts]
        if len({len(c) for c in columns}) > 1 or None in columns[0]:
            raise RefusedError("lengths, or a null truth")
        kinds = {type(v) for c in columns for v in c if v is not None}
        grey = any(p.grey for p in parts) or len(kinds) > 1
        items: Items | None = list(zip(*columns, strict=True))
    except RefusedError:
        items, grey = None, False
    paths = [f.write(folder, name) for f, name in zip(used, ("gold", "a", "b"), strict=False)]
    command = [b for a in way.command for b in (paths if a == "FILES" else [a])] + options
    if items is not None and len(kinds) > 1:
        return never_a_traceback(command, used)
    return verdict(command, used, items, grey, way)


def read_bare(file: File, wanted: list[str]) -> Read:
    """The columns of a file; one whose header lacks a name may be refused, or read by place."""
    try:
        return read(file.kind, file.raw, wanted)
    except RefusedError:
        mark = {"csv": b",", "tsv": b"\t"}.get(file.kind)
        first, *rest = file.raw.removeprefix(MARK).splitlines(keepends=True) or [b""]
        fields = [field.strip(b'" \r\n') for field in first.split(mark)]
        strange = [name for name, field in zip(HEADER, fields, strict=False) if field != name]
        if mark is None or len(strange) not in (1, len(fields)):
            raise
        header = mark.join(HEADER[: len(fields)]) + b"\n"
        body = rest if len(fields) > len(strange) else [first, *rest]
        return Read(read(file.kind, header + b"".join(body), wanted).rows, grey=True)


def never_a_traceback(command: list[str], files: list[File]) -> Outcome:
    """Integers beside text are compared as text or refused: either will do."""
    ran = invoke(command)
    return ran.fault(described(command, files)) or (REFUSED if ran.code else RIGHT)


def verdict(
    command: list[str], files: list[File], items: Items | None, grey: bool, way: Way
) -> Outcome:
    """Whether the command says what the strict reader does."""
    detail = described(command, files)
    items = None if items is None else with_one_spelling(items)
    ran = invoke(command)
    fault = ran.fault(detail)
    if fault is not None:
        return fault
    name = f"{way.command[0]} of {files[0].kind}"
    if items is None:
        if ran.code == 2:
            return REFUSED
        return Outcome("wrong", f"{name}: reads what is malformed", detail)
    reasons = [said for said, holds in REASONS.items() if holds(items)]
    if command[0] != "count" and reasons:
        if ran.code == 2 and (grey or any(said in ran.stderr for said in reasons)):
            return REFUSED
        return Outcome("wrong", f"{name}: takes labels that are never true", detail)
    if ran.code != 0:
        if grey or way.refusing:
            return REFUSED
        return Outcome("wrong", f"{name}: refuses what is right", f"{detail}\n{ran.stderr}")
    wrong = way.check(ran, items)
    return Outcome("wrong", f"{name}: other items", f"{detail}\n{wrong}") if wrong else RIGHT


def has_stranger(items: Items) -> bool:
    """Whether some system predicts labels, but none that is true of any item."""
    truth, *guesses = (set(column) - {None} for column in zip(*items, strict=True))
    return any(guess and not guess & truth for guess in guesses)


def has_renamed(items: Items) -> bool:
    """Whether on most items of a class stands a label of its own: one never true, and mostly here.

    The class is never predicted, and the label stands on at least five of its items.
    """
    truth, *guesses = zip(*items, strict=True)
    for guess in guesses:
        for (old, new), both in Counter(zip(truth, guess, strict=True)).items():
            own = new is not None and old not in guess and new not in truth
            if own and both >= 5 and both > max(truth.count(old), guess.count(new)) / 2:
                return True
    return False


def has_unlabelled(items: Items) -> bool:
    """Whether a word for no label is true of items, and none of the systems predicts it."""
    truth, *guesses = (set(column) for column in zip(*items, strict=True))
    words = {"na", "n/a", "#n/a", "nan", "?", "-100"}
    return any(str(v).casefold() in words for v in truth.difference(*guesses))


REASONS = {
    "shares no label with": has_stranger,
    "if that is one class": has_renamed,
    "which no system predicts": has_unlabelled,
}
"""What a refusal of labels says, and when it is right."""


def described(command: list[str], files: list[File]) -> str:
    """The command and its files."""
    names = [f"{f.kind}: {f.raw!r}" for f in files]
    return "\n".join(["evenhand " + " ".join(command), *names])


METRIC = tuple(a for name in CHECKED for a in ("--metric", name))
OVER = ("--average", "true", "--format", "json")
DRAWN = (*METRIC, *OVER, "--replicates", "1")
PAIR = ("--true", "gold", "--pred", "a")
BOTH = (*PAIR, "--pred", "b")

ONE = [
    Way(("count", "FILE", *PAIR), ("gold", "a"), same_cells),
    Way(("score", "FILE", *PAIR, *METRIC, *OVER, "--interval", "none"), ("gold", "a"), same_scores),
    Way(("twins", "FILE", *PAIR, *OVER), ("gold", "a"), same_twins),
    Way(("calibrate", "FILE", *PAIR, *METRIC, *OVER), ("gold", "a"), same_scores, refusing=True),
    Way(
        ("shift", "FILE", *PAIR, *METRIC, *OVER, "--to", "uniform", "--interval", "none"),
        ("gold", "a"),
        same_scores,
        refusing=True,
    ),
    Way(
        ("report", "FILE", *PAIR, *METRIC, "--format", "markdown", "--output", "-"),
        ("gold", "a"),
        same_report,
    ),
    Way(("compare", "FILE", *BOTH, *DRAWN), ("gold", "a", "b"), same_pairs),
    Way(("rank", "FILE", *BOTH, "--by-metric", "kappa", *DRAWN), ("gold", "a", "b"), same_board),
]
SEVERAL = [
    Way(("count", "FILES"), ("gold", "gold"), same_cells),
    Way(("score", "FILES", *METRIC, *OVER, "--interval", "none"), ("gold",) * 2, same_scores),
    Way(("twins", "FILES", *OVER), ("gold",) * 2, same_twins),
    Way(("compare", "FILES", *DRAWN), ("gold",) * 3, same_pairs),
    Way(("rank", "FILES", "--by-metric", "kappa", *DRAWN), ("gold",) * 3, same_board),
]
