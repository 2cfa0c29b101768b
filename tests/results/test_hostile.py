"""Hostile labels in what only scores have: many classes, many slices, a file's name."""

import json
import re

import evenhand as eh
from evenhand import Confusion
from evenhand.results import result as write
from evenhand.results.result import dumps
from evenhand.text import width
from tests.results.samples import HOSTILE

LABELS = [*HOSTILE, "+1", "@SUM(A1)", "日本語", "\u2066isolate\u2069", "\x9b31m", "tab\there", " "]
TABLE = Confusion.from_labels([*LABELS, *LABELS[1:]], [*LABELS, *LABELS[:-1]])
SLICES = Confusion.stack({label: Confusion.from_labels(["a", "b"], ["a", "a"]) for label in LABELS})
SCORES = eh.score(TABLE, metrics=["macro_f1"])
SLICED = eh.score(SLICES, metrics=["macro_f1"])
STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
TEXT = write.in_format(SCORES.content().with_name("\x1b[31mfile\nname\u202e"), "table")


def test_nothing_steers_a_terminal():
    small = "\n".join(repr(TABLE.select([v])) for v in LABELS)
    for text in (TEXT, str(SLICED), small, SLICED.to_json().replace("\n", "")):
        assert STEERING.search(text) is None
        text.encode("utf-8")


def test_json_loses_nothing():
    found = json.loads(SCORES.to_json())
    assert sorted(found["labels"]) == sorted(LABELS)
    assert [c["label"] for c in found["classes"]] == found["labels"]
    assert [s["key"] for s in json.loads(SLICED.to_json())["slices"]] == LABELS


def test_json_takes_a_lone_surrogate():
    assert json.loads(dumps({"label": "\ud800"})) == {"label": "\ud800"}
    dumps({"label": "\ud800"}).encode("utf-8")


def test_csv_has_a_row_for_each_number():
    assert len(SCORES.to_csv().splitlines()) == 1 + 1 + 6 * len(LABELS)


def test_columns_of_the_class_table_line_up():
    (block,) = (b.splitlines() for b in TEXT.split("\n\n") if b.startswith("Classes\n"))
    assert len(block) == len(LABELS) + 2
    assert len({width(line) for line in block[1:]}) == 1


def test_long_labels_are_cut_in_the_middle():
    assert "x" * 41 not in TEXT
    assert re.search(r"^x+…x+ ", TEXT, re.MULTILINE)
