"""Excel files: sheets by name, types as they are, nothing guessed in silence."""

import polars as pl
import pytest
import xlsxwriter

PAIRS = {("a", "a"): 1, ("b", "a"): 1, ("b", "b"): 1}
ROWS = [("id", "gold", "system"), (1, "a", "a"), (2, "b", "a"), (3, "b", "b")]
COLUMNS = ("--true", "gold", "--pred", "system")


@pytest.fixture
def book(here):
    """Write a file of sheets, each rows by name."""

    def make(name, **sheets):
        with xlsxwriter.Workbook(str(here / name)) as file:
            for title, rows in sheets.items():
                sheet = file.add_worksheet(title)
                for i, row in enumerate(rows):
                    for j, value in enumerate(row):
                        if value is not None:
                            sheet.write(i, j, value)
        return name

    return make


def test_the_first_sheet_or_one_by_name(count, fails, book):
    book("x.xlsx", one=ROWS, two=[("gold", "system"), ("c", "c")])
    assert count("x.xlsx#one", *COLUMNS).cells == PAIRS
    assert count("x.xlsx#two", *COLUMNS).cells == {("c", "c"): 1}
    assert fails("count", "x.xlsx#six", *COLUMNS) == (
        "x.xlsx#six has sheets 'one', 'two', expected 'six'"
    )


def test_no_header_and_numbers(count, book):
    book("x.xlsx", one=ROWS[1:])
    assert count("x.xlsx", "--no-header", "--true", 2, "--pred", 3).cells == PAIRS
    book("y.xlsx", one=ROWS)
    assert count("y.xlsx", "--true", 2, "--pred", 3).cells == PAIRS


def test_two_files_joined(count, book):
    book("gold.xlsx", one=[row[:2] for row in ROWS])
    book("run.xlsx", one=[(row[0], row[2]) for row in [ROWS[0], *ROWS[:0:-1]]])
    asked = ("--id", "id", "--true", "gold", "--pred", "system")
    assert count("gold.xlsx", "run.xlsx", *asked).cells == PAIRS


def test_whole_numbers_are_integers_and_text_is_text(count, book):
    book("x.xlsx", one=[("gold", "system"), (1.0, 1), (2, 2), (2, 1)])
    assert count("x.xlsx", *COLUMNS).cells == {(1, 1): 1, (2, 2): 1, (2, 1): 1}
    book("y.xlsx", one=[("gold", "system"), ("01", "01"), ("1", "01")])
    found = count("y.xlsx", *COLUMNS)
    assert found.cells == {("01", "01"): 1, ("1", "01"): 1}
    assert found.said == ""


@pytest.mark.parametrize("late", [0, 2000])
def test_cells_of_two_kinds_are_text(count, book, late):
    book("x.xlsx", one=[("gold", "system"), *[("a", "a")] * late, ("a", "a"), *[(2, "2")] * 2])
    found = count("x.xlsx", *COLUMNS)
    assert found.cells == {("a", "a"): late + 1, ("2", "2"): 2}


def test_rows_without_labels(count, fails, book):
    book("x.xlsx", one=[*ROWS, (), (None, " "), ()])
    assert count("x.xlsx", *COLUMNS).cells == PAIRS
    book("y.xlsx", one=[*ROWS, (), *ROWS[1:]])
    assert "row 4" in fails("count", "y.xlsx", *COLUMNS, "--by-row")


def test_two_columns_of_one_name(fails, count, book):
    book("x.xlsx", one=[("gold", "gold", "gold_1"), ("a", "a", "b")])
    error = fails("count", "x.xlsx", "--true", "gold", "--pred", "gold_1")
    assert error == "x.xlsx has more than one column called 'gold'"
    assert count("x.xlsx", "--true", 1, "--pred", "gold_1").cells == {("a", "b"): 1}


def test_what_cannot_be_read(fails, book, write):
    write("x.xlsx", b"PK\x03\x04 nonsense \0")
    assert fails("count", "x.xlsx", *COLUMNS).startswith("x.xlsx cannot be read: ")
    book("y.xlsx", one=[])
    assert fails("count", "y.xlsx", *COLUMNS) == "y.xlsx is empty, expected a header and rows"
    write("z.csv", "gold,system\na,a\n")
    error = fails("count", "z.csv#one", *COLUMNS)
    assert error == "z.csv has no sheets, got 'one' to choose one"
    assert fails("count", "none.xlsx#one", *COLUMNS) == "none.xlsx#one does not exist"


def test_a_first_row_of_data_is_an_item(count, fails, book):
    book("x.xlsx", one=ROWS[1:])
    assert fails("count", "x.xlsx", *COLUMNS).startswith("x.xlsx has columns '1', '2', '3'")
    assert count("x.xlsx", "--true", 2, "--pred", 3).cells == PAIRS


def test_it_is_not_written_over(fails, book):
    book("x.xlsx", one=ROWS)
    error = fails("count", "x.xlsx#one", *COLUMNS, "--output", "x.xlsx")
    assert "is one of the files to read" in error


def test_standard_input_and_several_sheets(count, run, book, here):
    book("x.xlsx", one=ROWS, two=ROWS)
    assert count("-", *COLUMNS, input=(here / "x.xlsx").read_bytes()).cells == PAIRS
    asked = ("count", "x.xlsx#one", "x.xlsx#two", *COLUMNS, "--output", "all.json")
    found = run(*asked)
    assert found.exit_code == 0, found.output


def test_written_by_polars(count, here):
    frame = pl.DataFrame({"gold": ["a", "b", "b"], "system": ["a", "a", "b"]})
    frame.write_excel(here / "x.xlsx", worksheet="one")
    assert count("x.xlsx", *COLUMNS).cells == PAIRS
