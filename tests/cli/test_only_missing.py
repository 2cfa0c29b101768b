"""A run without a single prediction, and items of weight 0: numbers or words, no raw warning.

Warnings are errors in every test.
"""

import json
import math
from pathlib import Path

import pytest

GOLD, A = "abcabcabca", "abcabbabca"
DRAWN = ("--replicates", "20")
HTML = ("report", "--output", "-", "--format", "html")


@pytest.fixture(autouse=True)
def rows(write):
    lines = [
        f"{i},{g},{a},,,{'' if i % 2 else g},{int(i < 8)},{i % 2}\n"
        for i, (g, a) in enumerate(zip(GOLD, A, strict=True))
    ]
    write("rows.csv", "id,gold,a,none,none2,half,weight,slice\n" + "".join(lines))
    write("gold.csv", "id,label\n" + "".join(f"{i},{v}\n" for i, v in enumerate(GOLD)))
    write("a.csv", "id,label\n" + "".join(f"{i},{v}\n" for i, v in enumerate(A)))
    write("empty.csv", "id,label\n")


DRAWN_PAGE = pytest.param((*HTML, *DRAWN), marks=pytest.mark.slow)
SEVERAL = [("compare", *DRAWN), ("rank", *DRAWN), DRAWN_PAGE]
ONE = [
    ("score",),
    ("score", "--interval", "bootstrap", *DRAWN),
    ("score", "--interval", "bca", *DRAWN),
    ("twins",),
    ("calibrate",),
    ("shift", "--to", "uniform"),
    ("shift", "--sweep", "a"),
    HTML,
]
worth = pytest.mark.parametrize("worth", ["0", "1", "nan"])


@worth
@pytest.mark.parametrize("command", ONE, ids=" ".join)
def test_one_system(run, command, worth):
    asked = (*command, "rows.csv", "--true", "gold", "--pred", "none", "--undefined", worth)
    result = run(*asked)
    assert result.exit_code == 0, result.stderr
    assert "10 predictions missing, counted as errors" in result.stderr


@worth
@pytest.mark.parametrize("systems", [("a", "none"), ("none", "none2"), ("none", "half", "a")])
@pytest.mark.parametrize("command", SEVERAL, ids=" ".join)
def test_several_systems(run, command, systems, worth):
    named = [part for s in systems for part in ("--pred", s)]
    for more in ((), ("--by", "slice")):
        result = run(*command, "rows.csv", "--true", "gold", *named, "--undefined", worth, *more)
        assert result.exit_code == 0, result.stderr
        assert "predictions missing or outside the classes" in result.stderr


@pytest.mark.parametrize("command", SEVERAL, ids=" ".join)
def test_a_file_with_a_header_only(run, command):
    asked = ("--id", "id", "--label", "label", "--missing", "wrong")
    result = run(*command, "gold.csv", "a.csv", "empty.csv", *asked)
    assert result.exit_code == 0, result.stderr
    assert "'empty' 10" in result.stderr


def test_items_of_weight_0_change_no_p(run, write):
    """They once made every p of the randomisation NaN."""
    asked = ("--true", "gold", "--pred", "a", "--pred", "half", "--weights", "weight")
    asked += ("--metric", "accuracy", "--format", "json", *DRAWN)
    lines = [
        line for line in Path("rows.csv").read_text().splitlines() if line.split(",")[6] != "0"
    ]
    write("kept.csv", "\n".join(lines) + "\n")
    both = [json.loads(run("compare", f, *asked).stdout)["pairs"] for f in ("rows.csv", "kept.csv")]
    p, kept = (pairs[0]["p"]["randomisation"] for pairs in both)
    assert not math.isnan(p)
    assert p == pytest.approx(kept)
