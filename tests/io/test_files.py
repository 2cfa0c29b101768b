"""Files of every kind give the same cells."""

import gzip
from collections import Counter

import polars as pl
import pyarrow as pa
import pytest

GOLD = ["a", "b", "b", "a", "c", "b"]
PRED = ["a", "b", "a", "a", "c", "c"]
PAIRS = Counter(zip(GOLD, PRED, strict=True))
COLUMNS = ("--true", "gold", "--pred", "system")


def rows(gold=GOLD, system=PRED):
    return pl.DataFrame({"id": range(len(gold)), "gold": gold, "system": system})


def zstd(content):
    return pa.Codec("zstd").compress(content, asbytes=True)


PACKED = {"": bytes, ".gz": gzip.compress, ".zst": zstd}
TEXTS = ["csv", "tsv", "jsonl"]
NAMES = [("csv", "csv"), ("tsv", "tsv"), ("tsv", "tab"), ("jsonl", "jsonl"), ("jsonl", "ndjson"),
         ("parquet", "parquet"), ("parquet", "pq"), ("arrow", "arrow"), ("arrow", "feather"),
         ("arrow", "ipc"), ("parquet", "dat"), ("arrow", "dat"), ("jsonl", "dat"), ("csv", "dat"),
         ("tsv", "txt"), ("csv", "CSV")]  # fmt: skip


@pytest.mark.parametrize(("kind", "ending"), NAMES)
def test_one_file(write, count, kind, ending):
    name = write(f"answers.{ending}", rows(), kind)
    assert count(name, *COLUMNS).cells == PAIRS


@pytest.mark.parametrize("packed", PACKED)
@pytest.mark.parametrize("kind", TEXTS)
def test_packed_files(written, write, count, kind, packed):
    name = write(f"answers.{kind}{packed}", PACKED[packed](written(kind, rows())))
    assert count(name, *COLUMNS).cells == PAIRS


@pytest.mark.parametrize("packed", PACKED)
def test_packed_lines(write, count, packed):
    names = [
        write(f"{side}.txt{packed}", PACKED[packed]("\n".join(labels).encode()))
        for side, labels in (("gold", GOLD), ("pred", PRED))
    ]
    assert count(*names).cells == PAIRS


def test_packed_without_saying_so(written, write, count):
    name = write("answers.csv", gzip.compress(written("csv", rows())))
    assert count(name, *COLUMNS).cells == PAIRS


@pytest.mark.parametrize(("kind", "ending"), [n for n in NAMES if n[1] not in ("dat", "txt")])
def test_two_files_with_columns(write, count, kind, ending):
    gold = write(f"gold.{ending}", rows().select("id", label="gold"), kind)
    pred = write(f"pred.{ending}", rows().select("id", label="system"), kind)
    assert count(gold, pred, "--label", "label").cells == PAIRS
    named = count(gold, pred, "--true", "label", "--pred", "label", "--id", "id")
    assert named.cells == PAIRS


def test_lines_against_columns(write, count):
    gold = write("gold.csv", rows(), "csv")
    pred = write("pred.txt", "\n".join(PRED))
    assert count(gold, pred, "--true", "gold").cells == PAIRS
    assert count(pred, gold, "--pred", "gold").cells == {(p, t): n for (t, p), n in PAIRS.items()}


def test_two_files_without_items_are_asked_about(write, fails):
    gold, pred = write("gold.csv", "x,\n"), write("pred.csv", "x,\n")
    assert fails("count", gold, pred).startswith("gold.csv has columns 'x', '': say which with ")
