"""Every number that the founding documents print, from the tables they print it for."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

import evenhand as eh
from evenhand.core.registry import find
from tests import oracle

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text("utf-8"))
CASES = {case["id"]: case for case in GOLDEN["cases"]}
VALUES = [(i, name) for i, case in CASES.items() for name in case["value"]]
EXACT = [(i, name) for i, case in CASES.items() for name in case["exact"]]
PRINTED = [(i, name) for i, case in CASES.items() for name in case["printed"]]
MISPRINTED = {("twins-table-2", "f1_of_averages")}  # 0.5553 is printed as 0.55


def metric(name, *data, **options):
    return getattr(eh, name)(*data, **options)


@pytest.mark.parametrize(("case", "name"), VALUES)
def test_value(case, name):
    found = metric(name, CASES[case]["matrix_rows_true"])
    assert found == pytest.approx(CASES[case]["value"][name], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("case", "name"), EXACT)
def test_value_is_the_exact_fraction(case, name):
    exact = Fraction(CASES[case]["exact"][name])
    found = metric(name, CASES[case]["matrix_rows_true"])
    assert abs(Fraction(found) - exact) < Fraction(1, 10**15)


@pytest.mark.parametrize(("case", "name"), EXACT)
def test_the_oracle_of_these_tests_is_right(case, name):
    exact = oracle.fraction(name, CASES[case]["matrix_rows_true"])
    assert exact == Fraction(CASES[case]["exact"][name])


@pytest.mark.parametrize("case", CASES)
def test_the_other_orientation_says_so(case):
    turned = [list(column) for column in zip(*CASES[case]["matrix_rows_true"], strict=True)]
    table = eh.Confusion.from_matrix(turned, rows="pred")
    for name, value in CASES[case]["value"].items():
        assert metric(name, table) == pytest.approx(value, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("case", "name"), sorted(set(PRINTED) - MISPRINTED))
def test_printed_digits(case, name):
    text = CASES[case]["printed"][name]
    found = metric(name, CASES[case]["matrix_rows_true"])
    if "/" in text:
        assert abs(Fraction(found) - Fraction(text)) < Fraction(1, 10**15)
        return
    share = text.endswith("%")
    printed = Fraction(text.removesuffix("%")) / (100 if share else 1)
    digits = len(text.removesuffix("%").partition("e")[0].partition(".")[2])
    unit = Fraction(1, 10 ** (digits + 2 * share + (2 if "e-2" in text else 0)))
    assert abs(Fraction(found) - printed) <= unit / 2 + Fraction(1, 10**16)


def test_the_misprint_is_one():
    """0.5553 rounds to 0.56, whatever the paper says."""
    found = metric("f1_of_averages", CASES["twins-table-2"]["matrix_rows_true"])
    assert abs(Fraction(found) - Fraction(231, 416)) < Fraction(1, 10**15)
    assert f"{found:.2f}" == "0.56"


def test_all_documents_are_here():
    assert len(CASES) == 10
    assert all(find(name) is not None for _, name in VALUES + PRINTED)


class TestLabels:
    """The 28 integers of the weighted metrics' worked example."""

    example = GOLDEN["labels_example"]
    expected = CASES["weighted-example"]

    def test_integers(self):
        table = eh.Confusion.from_labels(self.example["y_true"], self.example["y_pred"])
        assert table.labels == (0, 1, 2)
        assert table.cells.tolist() == self.expected["matrix_rows_true"]
        assert metric("weighted_f1", table) == pytest.approx(841 / 1309, abs=1e-15)

    def test_names(self):
        names = self.example["names"]
        true, pred = ([names[i] for i in self.example[side]] for side in ("y_true", "y_pred"))
        table = eh.Confusion.from_labels(true, pred)
        assert table.labels == ("bird", "cat", "dog")
        assert table.cells.tolist() == self.expected["matrix_rows_true"]

    def test_metrics_take_the_labels_themselves(self):
        for name, value in self.expected["value"].items():
            found = metric(name, self.example["y_true"], self.example["y_pred"])
            assert found == pytest.approx(value, abs=1e-12)


MEANS = ("macro_recall", "geometric_macro_recall", "harmonic_macro_recall")


def mean_of_recalls(name, row, shift=0.0):
    """In points, from a table whose recalls are the printed ones, each moved by ``shift``."""
    r = [(row[f"recall_{i}"] + shift) / 100 for i in (1, 2, 3)]
    cells = [[r[0], 1 - r[0], 0], [0, r[1], 1 - r[1]], [1 - r[2], 0, r[2]]]
    return 100 * metric(name, eh.Confusion.from_matrix(cells))


@pytest.mark.parametrize("row", GOLDEN["shared_task_table_8"], ids=lambda row: row["system"])
@pytest.mark.parametrize("name", MEANS)
def test_shared_task_means_of_recall(row, name):
    """Table 8: printed recalls are known to 0.05 points, and the means grow with them."""
    low, high = (mean_of_recalls(name, row, shift) for shift in (-0.05, 0.05))
    assert low - 0.05 <= row[name] <= high + 0.05


def test_shared_task_means_to_the_digit():
    """Only two of the 24 digits hang on how the recalls were rounded."""
    off = [
        (row["system"], name)
        for row in GOLDEN["shared_task_table_8"]
        for name in MEANS
        if f"{mean_of_recalls(name, row):.1f}" != f"{row[name]:.1f}"
    ]
    assert len(off) == 2, off
