"""Random label files: rows of labels written in a format, whole or damaged."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from fuzz.words import AWKWARD, HOSTILE, PLAIN, damaged, damaged_bytes

COLUMNS = ("gold", "a", "b", "note")
SIZES = (1, 2, 3, 5, 8, 8)
JSON_VALUES = (1, 0, -1, 1.5, 0.0, True, False, None, 2**53 + 1, 2**64, 10**30, [], ["a"], {"a": 1})


@dataclass(frozen=True)
class File:
    """A file as it is written: its kind and its bytes."""

    kind: str
    raw: bytes

    def without(self, line: int) -> File:
        """The file with one line less."""
        lines = self.raw.split(b"\n")
        return File(self.kind, b"\n".join([*lines[:line], *lines[line + 1 :]]))

    def write(self, folder: Path, stem: str, *, packed: bool = False) -> str:
        path = folder / f"{stem}.{self.kind}{'.gz' if packed else ''}"
        path.write_bytes(gzip.compress(self.raw, 1) if packed else self.raw)
        return str(path)


def random_rows(rng: Random, size: int) -> list[list[str]]:
    """Truth and two systems, with a note beside them."""
    pool = rng.sample(PLAIN, rng.randint(1, 4))
    pool += [rng.choice(AWKWARD)] if rng.random() < 0.4 else []
    holes = [*pool, ""] if rng.random() < 0.2 else pool
    return [
        [rng.choice(pool), rng.choice(holes), rng.choice(holes), random_note(rng)]
        for _ in range(size)
    ]


def random_note(rng: Random) -> str:
    if rng.random() < 0.01:
        return "x" * 5000  # beyond the first look at a file
    return rng.choice((*PLAIN, *AWKWARD)) if rng.random() < 0.5 else ""


def long_rows(rng: Random) -> list[list[str]]:
    """A row for each item and system: truth, prediction, system, note."""
    rows = random_rows(rng, rng.choice(SIZES))
    return [[row[0], row[at], name, row[3]] for name, at in (("x", 1), ("y", 2)) for row in rows]


def random_file(rng: Random, kind: str, rows: list[list[str]], harm: float = 0.5) -> File:
    """Rows in a format, whole or damaged."""
    made = WRITERS[kind](rng, rows)
    if rng.random() < 0.1:
        made = "\ufeff" + made
    if rng.random() < harm:
        made = harmed(rng, made)
    raw = made.encode("utf-8", "surrogatepass")
    if rng.random() < harm / 10:
        raw = damaged_bytes(rng, raw)
    return File(kind, raw)


def harmed(rng: Random, made: str) -> str:
    """Text with something that does not belong."""
    lines = made.split("\n")
    at = rng.randrange(len(lines))
    what = rng.choice((0, 1, 2, 3, 4, 4, 4, 5, 6, 7))
    if what == 0:
        return made.replace("\r\n", "\n").replace("\n", rng.choice(("\r", "\r\n", "\n\n", "\n\r")))
    if what == 1:
        lines.insert(at, rng.choice(("", "  ", "\t", ",", "\r", "\x0c")))
    elif what == 2:
        lines[at] += rng.choice((",", ",x", "\t", "\tx", " x", "}", '"', "\0", "\r"))
    elif what == 3:
        lines[at] = lines[at].rpartition(rng.choice((",", "\t")))[0]
    elif what == 4:
        for i in (at, rng.randrange(len(lines))):
            end = lines[i].rstrip("\r")
            lines[i] = f'{end} 12" x' if rng.random() < 0.8 else f'12" {end}'
    elif what == 5:
        return made + rng.choice(("\n", "\n\n", "  \n", "\x1a", "\0", "x"))
    elif what == 6:
        return made.replace(rng.choice(PLAIN), rng.choice(HOSTILE), 1)
    else:
        return damaged(rng, made)
    return "\n".join(lines)


def comma(rng: Random, rows: list[list[str]]) -> str:
    out = io.StringIO()
    quoting = rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    end = rng.choice(("\n", "\n", "\r\n"))
    csv.writer(out, quoting=quoting, lineterminator=end).writerows([COLUMNS, *rows])
    return out.getvalue() if rng.random() < 0.8 else out.getvalue().removesuffix(end)


def tabs(rng: Random, rows: list[list[str]]) -> str:
    plain = [[v.replace("\t", " ") for v in row] for row in rows]
    end = rng.choice(("\n", "\n", "\r\n"))
    return end.join("\t".join(row) for row in [list(COLUMNS), *plain]) + end


def objects(rng: Random, rows: list[list[str]]) -> str:
    """One object a line; sometimes with values of other kinds, keys twice or absent."""
    kind: Callable[[str], Any] = rng.choice(
        (str, str, lambda v: PLAIN.index(v) if v in PLAIN else 9)
    )
    escaped = rng.random() < 0.5
    lines = []
    for row in rows:
        values: list[Any] = [kind(v) if v else None for v in row]
        if rng.random() < 0.03:
            values[rng.randrange(4)] = rng.choice(JSON_VALUES)
        pairs = [
            f"{json.dumps(name)}: {json.dumps(v, ensure_ascii=escaped)}"
            for name, v in zip(COLUMNS, values, strict=True)
            if v is not None or rng.random() < 0.5
        ]
        if rng.random() < 0.02:
            pairs.append(rng.choice(('"a": "b"', '"note": 1', '"x": {"y": 1, "y": 2}')))
        lines.append("{" + ", ".join(pairs) + "}")
    return "\n".join(lines) + "\n"


def plain_lines(rng: Random, rows: list[list[str]]) -> str:
    return "\n".join(row[0] for row in rows) + "\n"


WRITERS = {"csv": comma, "tsv": tabs, "jsonl": objects, "txt": plain_lines}
