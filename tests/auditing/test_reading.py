"""Reported numbers as they are written, and what a file may hold."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import evenhand as eh
from evenhand.auditing.headers import heading_column
from evenhand.auditing.numbers import read_count, read_number
from evenhand.auditing.ranges import Range, means, root
from evenhand.errors import InputError


@pytest.mark.parametrize(
    ("text", "value", "decimals"),
    [
        ("0.725", "0.725", 3),
        (".725", "0.725", 3),
        ("75,20", "75.2", 2),
        ("−0.12", "-0.12", 2),
        ("75.2%", "75.2", 1),
        ("7.5e-1", "0.75", 2),
        ("1", "1", 0),
    ],
)
def test_numbers(text: str, value: str, decimals: int) -> None:
    found = read_number(text)
    assert found is not None
    assert (found.value, found.decimals) == (Fraction(value), decimals)


@pytest.mark.parametrize("text", ["", " ", "-", "–", "n/a", "NaN", "null"])
def test_blanks(text: str) -> None:
    assert read_number(text) is None


@pytest.mark.parametrize("text", ["x", "1.2.3", "0.7 ± 0.1", ".", "1,234.5"])
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(InputError, match="expected a number such as"):
        read_number(text)


def test_ranges_of_a_print() -> None:
    found = read_number("75.2")
    assert found is not None
    assert found.range(100) == Range(Fraction("0.7515"), Fraction("0.7525"))
    assert found.range(100, cut=True) == Range(Fraction("0.7515"), Fraction("0.753"))


def test_counts() -> None:
    assert [read_count(t) for t in ("1,234", "12 345", "7", "")] == [1234, 12345, 7, None]
    with pytest.raises(InputError, match=r"n: expected a whole number, got '3\.5'"):
        read_count("3.5", "n")


def test_means_with_optional_classes() -> None:
    one, zero = Range(1, 1), Range(0, 0)
    assert means(one, 1, [zero]) == [
        Range(Fraction(1, 2), Fraction(1, 2)),
        Range(Fraction(1), Fraction(1)),
    ]


def test_roots_are_enclosed() -> None:
    found = root(Fraction(2))
    assert found.low**2 < 2 < found.high**2
    assert found.width == Fraction(1, 10**30)


def test_headers() -> None:
    assert heading_column("Macro-F1").name == "reported_macro_f1"
    assert heading_column("averaged_f1").name == "macro_f1"
    assert heading_column("cohen_kappa").name == "kappa"
    assert (
        heading_column("F1-score[a b]").kind,
        heading_column("F1-score[a b]").name,
    ) == ("f1", "a b")
    assert heading_column("rank").kind == "other"


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_semicolons_and_decimal_commas(tmp_path: Path) -> None:
    found = eh.audit(write(tmp_path / "t.csv", "name;accuracy;micro_f1\nx;75,2;74,2\n"))
    assert found.systems[0].findings[0].reported == "74,2"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("name,accuracy\n", "has a header but no rows"),
        ("name,colour\nx,red\n", "expected scores such as macro_f1"),
        ("name,accuracy\nx,good\n", "line 2, column accuracy: expected a number"),
        ("name,accuracy\nx,0.5,0.6\n", "line 2: expected 2 fields as in the header, got 3"),
        ("name,accuracy,Accuracy\nx,0.5,0.6\n", "expected each column once"),
        ("name,n,accuracy\nx,12.5,0.6\n", "line 2, column n: expected a whole number, got '12.5'"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=r"t\.csv") as caught:
        eh.audit(write(tmp_path / "t.csv", text))
    assert message in str(caught.value)


def test_bad_arguments() -> None:
    with pytest.raises(InputError, match="runs must be"):
        eh.audit([{"accuracy": "0.5"}], runs=0)
    with pytest.raises(InputError, match="support must be a whole number"):
        eh.audit([{"accuracy": "0.5"}], support={"a": -1})
    with pytest.raises(InputError, match="got int"):
        eh.audit(3)
    with pytest.raises(InputError, match="row 1: expected a dictionary"):
        eh.audit([3])


def test_dots_part_thousands_where_decimals_have_a_comma() -> None:
    text = (
        "              Precision   Recall   Support\n"
        "Katze         0,16        0,82     100\n"
        "Hund          0,98        0,65     1.200\n"
        "Macro average 0,57        0,74     1.300\n"
    )
    found = eh.audit(text)
    assert found.ok
    assert not found.warnings
    assert found.printed[0].counts == {"support[Katze]": 100, "support[Hund]": 1200, "n": 1300}
    weights = eh.audit(text.replace(",", "."))  # 1.2 items: the sum of weights
    assert [w.code for w in weights.cautions] == ["weights_as_sizes"]


def test_columns_that_make_the_name_are_used() -> None:
    rows = "| Team | Model | P | R | macro F1 |\n|--|--|--|--|--|\n"
    rows += "| A | x | 77.42 | 76.13 | 76.77 |\n| A | y | 77.49 | 73.64 | 75.52 |\n"
    found = eh.audit(rows)
    assert list(found) == ["A x", "A y"]
    assert found.unused == ()
