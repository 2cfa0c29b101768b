"""Grids: one table of results in four notations."""

import csv
import io

import pytest

from evenhand.results.grid import Grid, comma_separated, html_table, latex, markdown, plain
from evenhand.results.text import width

GRID = Grid(
    ["class", "items", "F1"],
    [["cat", 1200, 0.5], ["日本", 3, float("nan")], ["dog", None, 1.0]],
    caption="Pets & co",
    notes=["n|ote"],
)


def test_plain():
    assert plain(GRID) == (
        "class  items         F1\n"
        "cat    1,200     0.5000\n"
        "日本       3  undefined\n"
        "dog              1.0000"
    )
    assert len({width(line) for line in plain(GRID).splitlines()}) == 1


def test_markdown():
    assert markdown(GRID, 2).splitlines() == [
        "**Pets \\& co**",
        "",
        "| class | items | F1 |",
        "| --- | ---: | ---: |",
        "| cat | 1,200 | 0.50 |",
        "| 日本 | 3 | undefined |",
        "| dog |  | 1.00 |",
        "",
        "n\\|ote",
    ]


def test_latex():
    assert latex(GRID, 2).splitlines() == [
        r"\begin{table}",
        r"\centering",
        r"\caption{Pets \& co n\textbar{}ote}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"class & items & F1 \\",
        r"\midrule",
        r"cat & 1,200 & 0.50 \\",
        r"日本 & 3 & undefined \\",
        r"dog &  & 1.00 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def test_csv_has_every_digit_and_leaves_the_undefined_empty():
    rows = list(csv.reader(io.StringIO(comma_separated(GRID))))
    assert rows == [
        ["class", "items", "F1"],
        ["cat", "1200", "0.5"],
        ["日本", "3", ""],
        ["dog", "", "1.0"],
    ]
    (_, (third,)) = csv.reader(io.StringIO(comma_separated(Grid(["x"], [[1 / 3]]))))
    assert float(third) == 1 / 3


def test_html():
    text = html_table(GRID)
    assert text.startswith("<table><caption>Pets &amp; co</caption><thead>")
    assert '<td style="text-align:right">1,200</td>' in text
    assert text.endswith("</table><p>n|ote</p>")


def test_a_notebook_is_spared_most_rows_of_a_long_table():
    rows = [[f"c{i}", i] for i in range(1234)]
    text = html_table(Grid(["class", "n"], rows, notes=["note"]))
    assert "<td>c199</td>" in text and "c200" not in text
    assert text.endswith("</table><p>… and 1,034 more rows</p><p>note</p>")
    assert "c200" in markdown(Grid(["class", "n"], rows))


def test_wide_headings_of_numbers_line_up():
    lines = plain(Grid(["項目", "数値の列"], [["a", 1], ["b", 20]])).splitlines()
    assert {width(line) for line in lines} == {14}
    assert lines[1:] == ["a            1", "b           20"]


@pytest.mark.parametrize("write", [plain, markdown, latex, comma_separated, html_table])
def test_a_grid_without_rows(write):
    assert "class" in write(Grid(["class"], []))
