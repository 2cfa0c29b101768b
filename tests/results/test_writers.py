"""One table of results in every notation."""

import csv
import io

import pytest

from evenhand.records import Interval
from evenhand.results import result as write
from evenhand.results.document import Content, FactList, Heading, Paragraph, Section, Table
from evenhand.text import (
    ExactCell,
    Grid,
    IntervalCell,
    LimitsCell,
    MetricName,
    StarredCell,
    aligned,
    share_cell,
    width,
)

GRID = Grid(
    ["class", "items", "F1"],
    [["cat", 1200, 0.5], ["日本", 3, float("nan")], ["dog", None, -1.0]],
)
SHEET = Table(GRID, "Pets & co", note="n|ote")
CONTENT = Content(
    "two & two",
    [
        Paragraph("it _holds_", "verdict"),
        SHEET,
        Section("s", "S", "More", [FactList([("a", "b|c")])]),
    ],
    lambda: GRID,
    signature="m:x",
    warnings=("warning: be <careful>",),
)


def test_terminal():
    text, dropped = aligned(GRID)
    assert not dropped and text == (
        "class  items         F1\n"
        "cat    1,200     0.5000\n"
        "日本       3  undefined\n"
        "dog             −1.0000"
    )
    assert len({width(line) for line in text.splitlines()}) == 1


def test_a_terminal_reads_from_the_title_to_the_signature():
    assert write.in_format(CONTENT, "table", 1).splitlines() == [
        "two & two",
        "",
        "it _holds_",
        "",
        "Pets & co",
        "class  items         F1",
        "cat    1,200        0.5",
        "日本       3  undefined",
        "dog                −1.0",
        "n|ote",
        "",
        "More",
        "a  b|c",
        "",
        "warning: be <careful>",
        "",
        "signature  m:x",
    ]


def test_warnings_may_go_elsewhere():
    assert "careful" not in write.in_format(CONTENT, "table", warnings=False)


def test_a_percent_sign_begins_no_line(monkeypatch):
    said = "x" * 98 + " 5 % and more"
    content = Content("t", [Paragraph(said)], lambda: GRID)
    monkeypatch.setenv("COLUMNS", "100")
    assert write.in_format(content, "table").splitlines()[2:] == ["x" * 98, "5 % and more"]
    monkeypatch.delenv("COLUMNS")  # nothing breaks in a pipe
    assert write.in_format(content, "table").splitlines()[2:] == [said]


def test_what_is_too_wide_loses_its_last_columns_and_says_so(monkeypatch):
    grid = Grid(["name", *(f"score {i}" for i in range(9))], [["x" * 60, *[0.5] * 9]])
    monkeypatch.setenv("COLUMNS", "80")
    shown = write.in_format(Content("t", [Table(grid)], lambda: grid), "table").splitlines()
    assert all(len(line) <= 80 for line in shown)
    hidden = "not shown at 80 columns: score 5, score 6, score 7, score 8"
    assert " ".join(shown[-2:]) == f"{hidden} (COLUMNS=200 shows all)"


def test_limits_stand_in_one_column_and_equal_metrics_in_a_note():
    rows = [[MetricName("a = b = c"), 0.5, 0.4, 0.6], [MetricName("d"), 0.5, None, None]]
    grid = Grid(["metric", "value", "low", "high"], rows)
    content = Content("t", [Table(grid)], lambda: grid)
    assert write.in_format(content, "table", 2).splitlines()[2:] == [
        "metric  value      interval",
        "a¹       0.50  [0.40, 0.60]",
        "d        0.50",
        "¹ also b, c",
    ]
    assert "a = b = c,0.5,0.4,0.6" in write.in_format(content, "csv")


def test_a_person_sees_bold():
    assert write.in_format(CONTENT, "table", fancy=True).startswith("\x1b[1mtwo & two\x1b[0m\n")


def test_markdown():
    assert write.in_format(CONTENT, "markdown", 2).splitlines() == [
        "**two \\& two**",
        "",
        "> it \\_holds\\_",
        "",
        "> warning: be \\<careful\\>",
        "",
        "**Pets \\& co**",
        "",
        "| class | items | F1 |",
        "| --- | ---: | ---: |",
        "| cat | 1,200 | 0.50 |",
        "| 日本 | 3 | undefined |",
        "| dog |  | −1.00 |",
        "",
        "n\\|ote",
        "",
        "## More",
        "",
        "- **a** b\\|c",
        "",
        "`m:x`",
    ]


def test_latex():
    assert write.in_format(CONTENT, "latex", 2).splitlines() == [
        r"% \usepackage{booktabs,graphicx}",
        r"% two \& two",
        r"% warning: be \textless{}careful\textgreater{}",
        r"% it \_holds\_",
        r"\begin{table}",
        r"\centering",
        r"\caption{Pets \& co. n\textbar{}ote.}",
        r"\smallskip",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"class & items & F1 \\",
        r"\midrule",
        r"cat & 1,200 & 0.50 \\",
        r"{\ifdefined\Umathchar 日本\else U+65E5 U+672C\fi} & 3 & undefined \\",
        r"dog &  & $-$1.00 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
        "% More",
        r"% a: b\textbar{}c",
        "% Signature: m:x",
    ]


def test_csv_has_every_digit_and_leaves_the_undefined_empty():
    rows = list(csv.reader(io.StringIO(write.in_format(CONTENT, "csv"))))
    assert rows == [
        ["class", "items", "F1"],
        ["cat", "1200", "0.5"],
        ["日本", "3", ""],
        ["dog", "", "-1.0"],
    ]
    third = Content("t", [], lambda: Grid(["x"], [[1 / 3]]))
    assert float(write.in_format(third, "csv").splitlines()[1]) == 1 / 3


def test_html():
    text = write.in_format(CONTENT, "notebook", 1)
    assert "<caption><span>Pets &amp; co</span></caption>" in text
    assert '<th scope="row" class="key">cat</th><td class="right">1,200</td>' in text
    assert '<p class="note">n|ote</p>' in text
    assert "be &lt;careful&gt;" in text


@pytest.mark.parametrize("style", ["table", "markdown", "latex"])
def test_long_tables_are_cut_and_say_so(style):
    long = Table(Grid(["n"], [[i] for i in range(3000)]), most=40, rows="classes")
    assert "2,960 more classes" in write.in_format(Content("t", [long], lambda: GRID), style)


def test_wide_headings_of_numbers_line_up():
    text, _ = aligned(Grid(["a", "much wider"], [["x", 1], ["y", 22]]))
    assert text == "a  much wider\nx           1\ny          22"


@pytest.mark.parametrize("style", ["table", "csv", "markdown", "latex", "notebook"])
def test_a_table_without_rows(style):
    empty = Grid(["a", "b"], [])
    assert "b" in write.in_format(Content("t", [Table(empty)], lambda: empty), style)


def test_a_heading_stands_with_what_follows():
    content = Content("t", [Heading("head"), Paragraph("words")], lambda: GRID)
    assert write.in_format(content, "table") == "t\n\nhead\nwords"


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (IntervalCell(Interval(0.81234, 0.01, 0.79, 0.8346)), "0.81 [0.79, 0.83]"),
        (IntervalCell(Interval(0.81234), rank=2), "0.81 (2)"),
        (LimitsCell(-0.5, 0.25), "[−0.50, 0.25]"),
        (LimitsCell(None, None), ""),
        (share_cell(0.123), "12 %"),
        (StarredCell(-0.0123, True), "−0.01*"),
        (ExactCell(0.48534265191225007), "0.48534265191225007"),
    ],
)
def test_cells_say_themselves(cell, text):
    assert cell.text(2) == text


def test_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"must end in one of \.json, .* got 'x\.doc'"):
        write.style_of(tmp_path / "x.doc")
