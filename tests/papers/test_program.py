"""The program of the paper: its output, digit for digit."""

import math
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner

from evenhand.cli import group
from evenhand.papers.two_macro_f1 import digits, program_values

APPENDIX_D = {
    "2 100 10000 0 100": """\
("macroF1 benevolent",0.504950495049505)
("macroF1 non-benevolent",1.96078431372549e-2)
("delta",0.48534265191225007)
("delta calculated",0.48534265191225007)
""",
    "2 100 5000 5000 100": """\
("macroF1 benevolent",1.96078431372549e-2)
("macroF1 non-benevolent",1.96078431372549e-2)
("delta",0.0)
("delta calculated",0.0)
""",
}


def twins(*arguments):
    return CliRunner().invoke(group, ["twins", *arguments])


@pytest.mark.parametrize("numbers", APPENDIX_D)
def test_the_output_of_appendix_d(numbers):
    assert twins(*numbers.split(), "--style", "mf1").stdout == APPENDIX_D[numbers]


def exact(matrix):
    """Both macro F1s in fractions, from equations 1 to 3."""
    n = len(matrix)

    def over(a, b):
        return Fraction(a, b) if b else Fraction(0)

    p = [over(matrix[i][i], sum(matrix[i])) for i in range(n)]
    r = [over(matrix[i][i], sum(row[i] for row in matrix)) for i in range(n)]
    mean_p, mean_r = sum(p) / n, sum(r) / n
    return (
        over(2 * mean_p * mean_r, mean_p + mean_r),
        sum(over(2 * a * b, a + b) for a, b in zip(p, r, strict=True)) / n,
    )


def test_it_is_what_the_equations_say():
    for matrix in np.random.default_rng(0).integers(0, 4, (300, 3, 3)).tolist():
        a, b = exact(matrix)
        hits = all(matrix[i][i] for i in range(3))
        wanted = [float(a), float(b), float(a - b), float(a - b)]
        if hits:
            assert list(program_values(matrix).values()) == pytest.approx(wanted, abs=1e-15)
        else:  # a class without hits has 0/0, which equation 1 and not the listing takes as 0
            assert math.isnan(program_values(matrix)["macroF1 non-benevolent"])


def test_what_is_undefined_is_printed_as_the_listing_does():
    """Of a class that is never predicted its prec is 0/0, and so are all four numbers."""
    shown = twins("2", "3", "1", "0", "0", "--style", "mf1").stdout
    assert [line.partition(",")[2] for line in shown.splitlines()] == ["NaN)"] * 4


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0.0, "0.0"),
        (0.1, "0.1"),
        (0.09999, "9.999e-2"),
        (1e-2, "1.0e-2"),
        (-0.02, "-2.0e-2"),
        (9999999.5, "9999999.5"),
        (1e7, "1.0e7"),
        (12345678.0, "1.2345678e7"),
        (2.5e-21, "2.5e-21"),
    ],
)
def test_numbers_as_haskell_shows_them(number, shown):
    assert digits(number) == shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--matrix", "1 2; 3 4"], "bare numbers"),
        (["2", "1", "2", "3", "4", "--format", "json"], "no other choices"),
        (["2", "1", "2", "3", "4", "--undefined", "1"], "no other choices"),
    ],
)
def test_what_the_program_has_not_is_refused(arguments, said):
    result = twins(*arguments, "--style", "mf1")
    assert result.exit_code == 2 and said in result.stderr and result.stdout == ""
