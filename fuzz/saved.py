"""Saved tables, damaged: each loads as the table it was, as another sound one, or is refused.

Sound means: finite cells ≥ 0, as many items as the cells say where every item counts once, no
more missing answers than answers outside, saved again and loaded the same, and scored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime
from math import isnan
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch
from uuid import UUID

import numpy as np

import evenhand as eh
from fuzz.outcome import RIGHT, Outcome, crash, tried
from fuzz.words import damaged, damaged_bytes, label

BATCH = 20
VALUES = (
    None, True, False, 0, 1, -1, 2, 10**9, 2**63, -(2**63) - 1, 10**400, 0.5, -0.5, 1e308, 1e999,
    float("nan"), "", "a", "1", [], [0], [[0]], {}, {"decimal": "x"}, {"decimal": "1"},
    {"float": "inf"}, {"date": "2020-01-01"}, {"date": 1}, {"datetime": "x"}, {"a": 1, "b": 2},
)  # fmt: skip


def saved(rng: Random, folder: Path) -> Iterator[Outcome]:
    """One table, saved once, damaged in many ways; its random name is always the same one."""
    path = folder / "table.json"
    table = random_table(rng)
    with patch("uuid.uuid4", lambda: UUID(int=0)):
        _, failed = tried(f"save {path.name}", lambda: table.save(str(path)), refusing=False)
    if failed is not None:
        yield failed
        return
    raw = path.read_bytes()
    for _ in range(BATCH):
        made = rng.choice((cut, in_bytes, in_text, in_record))(rng, raw)
        path.write_bytes(made)
        yield loaded(table, path, made, untouched=made == raw)


def random_table(rng: Random) -> eh.Confusion:
    """A table or a stack, of counts or weights, with labels of any kind."""
    k = rng.randint(1, 4)
    pools: list[list[Any]] = [
        list(dict.fromkeys(label(rng, 0) for _ in range(9))),
        list(range(9)),
        [0.5, 1.5, -1.0, 2.5],
        [True, False],
    ]
    pool = rng.choice([p for p in pools if len(p) >= k])
    labels = rng.sample(pool, k)
    n = rng.randint(1, 12)
    frame: dict[str, list[Any]] = {
        "true": [rng.choice(labels) for _ in range(n)],
        "pred": [rng.choice([*labels, None]) for _ in range(n)],
    }
    options: dict[str, Any] = {}
    if rng.random() < 0.5:
        keys = rng.choice((["x", "y"], [1, 2], [date(2020, 1, 1), date(2021, 1, 1)], [None, "x"]))
        frame["by"] = [rng.choice(keys) for _ in range(n)]
        options["by"] = "by"
    if rng.random() < 0.5:
        frame["w"] = [rng.uniform(0.1, 3) for _ in range(n)]
        options["weights"] = "w"
    import polars as pl

    return eh.Confusion.from_frame(
        pl.DataFrame(frame, strict=False), true="true", pred="pred", labels=labels, **options
    )


def cut(rng: Random, raw: bytes) -> bytes:
    """Only the beginning, or all but the beginning."""
    at = rng.randint(0, len(raw))
    return rng.choice((raw[:at], raw[:at], raw[at:], raw))


def in_bytes(rng: Random, raw: bytes) -> bytes:
    return damaged_bytes(rng, raw, rng.choice((1, 1, 3)))


def in_text(rng: Random, raw: bytes) -> bytes:
    return damaged(rng, raw.decode(), rng.choice((1, 1, 3))).encode("utf-8", "surrogatepass")


def in_record(rng: Random, raw: bytes) -> bytes:
    """A value of another kind, a key less, twice, or under another name."""
    record = json.loads(raw)
    at = rng.choice((record, record["cells"]))
    key = rng.choice(list(at))
    what = rng.randrange(4)
    if what == 0:
        del at[key]
    elif what == 1:
        at[key] = rng.choice(VALUES)
    elif what == 2 and isinstance(at[key], list) and at[key]:
        at[key][rng.randrange(len(at[key]))] = rng.choice(VALUES)
    else:
        text = json.dumps(record)
        twice = f"{json.dumps(key)}: {json.dumps(rng.choice(VALUES))}, {json.dumps(key)}:"
        return text.replace(f"{json.dumps(key)}:", twice, 1).encode()
    return json.dumps(record).encode()


def loaded(table: eh.Confusion, path: Path, raw: bytes, *, untouched: bool) -> Outcome:
    """What comes of loading the file."""
    call = f"eh.Confusion.load of {raw[:2000]!r}"
    found, failed = tried(call, lambda: eh.Confusion.load(str(path)), refusing=not untouched)
    if failed is not None:
        return failed
    if facts(found) == facts(table):
        return RIGHT
    if untouched:
        return Outcome("wrong", "loads as another table", call)
    try:
        wrong = unsound(found, path)
    except Exception as e:
        return crash(e, call)
    return Outcome("wrong", f"loads {wrong}", call) if wrong else RIGHT


def facts(table: eh.Confusion) -> tuple[Any, ...]:
    """All that a table holds, to be compared."""
    index, true, pred, weight, square = table.data.entries()
    cells = [x.tolist() for x in (index, true, pred, weight)]
    kinds = [type(v).__name__ for v in table.labels]
    amounts = [np.asarray(x).tolist() for x in (table.n, table.missing, table.dropped)]
    squares = None if square is None else square.tolist()
    return table.labels, kinds, table.keys, cells, squares, amounts


def unsound(table: eh.Confusion, path: Path) -> str:
    """What is wrong with a table that was loaded, if anything."""
    weight = np.asarray(table.data.entries()[3])
    if not np.all(np.isfinite(weight) & (weight >= 0)):
        return "cells that are no amounts"
    if table.keys != () and any(isinstance(k, datetime) and isnan(k.year) for k in table.keys[0]):
        return "a key that is no key"
    if weight.dtype.kind == "i" and table.data.entries()[4] is None:
        if not np.array_equal(table.n, table.total):
            return "another number of items than its cells have"
        if np.any(np.asarray(table.missing) > table.outside.sum(axis=-1)):
            return "more missing answers than answers outside"
    again = path.with_name("again.json")
    table.save(str(again))
    if facts(eh.Confusion.load(str(again))) != facts(table):
        return "and saves as another table"
    if not np.all(table.total):
        return ""  # metrics refuse slices whose items all weigh 0
    value = np.asarray(eh.macro_f1(table))
    return "" if np.all((value >= 0) & (value <= 1)) else "a score out of range"
