"""Hostile labels through every format: none is obeyed, JSON loses none."""

import csv
import html.parser
import io
import json
import re

import pytest

import evenhand as eh
from evenhand import Confusion
from evenhand.results.grid import comma_separated
from evenhand.results.json import dumps
from evenhand.results.report import score_text, twins_text
from evenhand.results.text import width

LABELS = [
    "<script>alert(1)</script>",
    '=HYPERLINK("http://x")',
    "+1",
    "-1",
    "@SUM(A1)",
    r"\input{x}",
    r"\end{tabular}",
    "a|b",
    "a,b",
    'quo"te',
    "🎉🧪",
    "日本語",
    "שלום\u200f\u202eevil",
    "\u2066isolate\u2069",
    "\x1b[31mred\x1b[0m",
    "\x9b31m",
    "new\nline",
    "tab\there",
    "carriage\rreturn",
    "null\x00byte",
    "del\x7f",
    "line\u2028separator",
    "x" * 200,
    "_under_ & 100% #1 $5",
    "[link](javascript:alert(1))",
    "[0pt]",
    "*",
    "",
    " ",
    "'",
    "{{7*7}}",
    "%s %d {0}",
]
TABLE = Confusion.from_labels([*LABELS, *LABELS[1:]], [*LABELS, *LABELS[:-1]])
SLICES = Confusion.stack({label: Confusion.from_labels(["a", "b"], ["a", "a"]) for label in LABELS})
SCORES = eh.score(TABLE, metrics=["macro_f1"])
SLICED = eh.score(SLICES, metrics=["macro_f1"])
STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

WRITTEN = {
    "table": score_text(SCORES, "\x1b[31mfile\nname\u202e", 4),
    "slices": score_text(SLICED, "file", 4),
    "twins": twins_text(eh.twins(TABLE), 500),
    "repr": repr(SCORES),
    "confusion": "\n".join(repr(TABLE.select([v])) for v in LABELS),
    "json": dumps(SCORES.to_dict()),
    "json slices": dumps(SLICED.to_dict()),
    "csv": comma_separated(SCORES.long_grid),
    "csv slices": comma_separated(SLICED.long_grid),
    "markdown": SCORES.to_markdown(),
    "markdown slices": SLICED.to_markdown(),
    "latex slices": SLICED.to_latex(),
    "html": SCORES._repr_html_(),
    "html slices": SLICED._repr_html_(),
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_nothing_steers_a_terminal(text):
    assert STEERING.search(text) is None
    text.encode("utf-8")


def test_json_loses_nothing():
    found = json.loads(WRITTEN["json"])
    assert sorted(found["labels"]) == sorted(LABELS)
    assert [c["label"] for c in found["classes"]] == found["labels"]
    keys = [s["key"] for s in json.loads(WRITTEN["json slices"])["slices"]]
    assert keys == LABELS


def test_json_takes_a_lone_surrogate():
    assert json.loads(dumps({"label": "\ud800"})) == {"label": "\ud800"}
    dumps({"label": "\ud800"}).encode("utf-8")


@pytest.mark.parametrize("name", ["csv", "csv slices"])
def test_csv_has_whole_rows_and_no_formula(name):
    rows = list(csv.reader(io.StringIO(WRITTEN[name]), strict=True))
    assert {len(row) for row in rows} == {len(rows[0])}
    texts = [cell for row in rows[1:] for cell in row[: rows[0].index("value")]]
    assert not [t for t in texts if t[:1] in ("=", "+", "-", "@", "\t", "\r")]


def test_csv_has_a_row_for_each_number():
    assert len(WRITTEN["csv"].splitlines()) == 1 + 1 + 6 * len(LABELS)


@pytest.mark.parametrize("name", ["markdown", "markdown slices"])
def test_markdown_rows_have_as_many_cells_as_the_header(name):
    for block in WRITTEN[name].split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in rows}) <= 1
        assert "<script" not in block.replace(r"\<", "")
        assert not re.search(r"(?<!\\)\]\(", block)


def test_latex_has_one_table_and_no_foreign_command():
    text = WRITTEN["latex slices"]
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1
    known = {
        "begin", "end", "centering", "caption", "toprule", "midrule", "bottomrule",
        "textbackslash", "textless", "textgreater", "textbar", "textasciitilde",
        "textasciicircum", "dots",
    }  # fmt: skip
    assert set(re.findall(r"\\([A-Za-z]+)", text)) <= known
    head, body = text.split(r"\toprule")[1].split(r"\bottomrule")[0].split(r"\midrule")
    rows = body.strip().splitlines()
    assert len(rows) == len(SLICED.metric_grid.rows)
    for row in rows:
        assert row.endswith(r" \\")
        assert row[0] not in "[*"
        assert len(re.findall(r"(?<!\\)&", row)) == head.count("&")
    braces = re.sub(r"\\[{}]", "", text)
    assert braces.count("{") == braces.count("}")


@pytest.mark.parametrize("name", ["html", "html slices"])
def test_html_has_only_table_tags(name):
    tags = set()

    class Tags(html.parser.HTMLParser):
        def handle_starttag(self, tag, attrs):
            tags.add(tag)
            assert all(key == "style" for key, _ in attrs)

    Tags().feed(WRITTEN[name])
    assert tags <= {"table", "thead", "tbody", "tr", "th", "td", "p", "caption"}


def test_columns_of_the_class_table_line_up():
    block = WRITTEN["table"].split("\n\n")[1].splitlines()
    assert len(block) == len(LABELS) + 1
    assert len({width(line) for line in block}) == 1


def test_long_labels_are_cut_in_the_middle():
    assert "x" * 41 not in WRITTEN["table"]
    assert re.search(r"^x+…x+ ", WRITTEN["table"], re.MULTILINE)
