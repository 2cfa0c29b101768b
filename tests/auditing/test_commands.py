"""``evenhand audit`` and ``evenhand which``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from evenhand import InputError, audit
from evenhand.cli import group

GOOD = "name,accuracy,macro_precision,macro_recall,macro_f1\nx,0.75,0.725,0.5667,0.6042\n"
BAD = "name,accuracy,macro_precision,macro_recall,macro_f1\n\x1b[31mx,0.75,0.725,0.5667,0.70\n"


def run(*args: str) -> Result:
    return CliRunner().invoke(group, list(args))


@pytest.fixture
def good(tmp_path: Path) -> str:
    (tmp_path / "good.csv").write_text(GOOD)
    return str(tmp_path / "good.csv")


@pytest.fixture
def bad(tmp_path: Path) -> str:
    (tmp_path / "bad.csv").write_text(BAD)
    return str(tmp_path / "bad.csv")


def test_exit_codes(good: str, bad: str) -> None:
    assert run("audit", good).exit_code == 0
    assert run("audit", bad).exit_code == 1
    assert run("audit", good, "--runs", "0").exit_code == 2
    assert run("audit", good, "--support", "a").exit_code == 2


def test_the_text_names_place_range_and_assumptions(bad: str) -> None:
    text = run("audit", bad).output
    assert text.startswith(f"{bad}: 1 of 1 system is suspicious (1 number impossible)\n")
    row = next(line for line in text.splitlines() if line.endswith("  impossible"))
    assert re.split(r"\s{2,}", row)[1:] == ["macro_f1", "0.70", "0.291 to 0.636", "impossible"]
    assert "\\x1b[31mx: macro_f1 0.70 contradicts the rest of the row, which gives 0.291 to" in text
    assert "no prediction is outside the classes" in text
    assert "\x1b[31m" not in text


@pytest.mark.parametrize("style", ["markdown", "latex", "html"])
def test_every_format_says_what_the_terminal_says(bad: str, style: str) -> None:
    text = run("audit", bad, "--format", style).output.replace("\\", "")
    for words in (
        "1 of 1 system is suspicious (1 number impossible)",
        "no known formula fits the row",
        "0.291 to 0.636",
        "no formula called macro F1 gives it",
        "no prediction is outside the classes",
    ):
        assert words in text


def test_undecided_rows_are_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("name,precision[a],recall[a],macro_f1\nx,0.5,0.50,0.45\n")
    found = run("audit", str(path), "--support", "a=100,b=100", "--limit", "20", "--format", "json")
    told = json.loads(found.stdout)
    assert told["warning_codes"] == [{"code": "undecided", "systems": ["x"]}]
    assert told["warnings"][0].startswith("unknown for 1 row ('x') whether any table fits")
    assert told["warnings"][0].replace("(option limit)", "(--limit)") in found.stderr


@pytest.mark.parametrize("style", ["json", "csv", "markdown", "latex", "html"])
def test_formats(bad: str, style: str) -> None:
    found = run("audit", bad, "--format", style)
    assert found.exit_code == 1
    assert "0.7" in found.output


def test_json(good: str) -> None:
    told = json.loads(run("audit", good, "--rerank", "--format", "json").output)
    assert told["systems"] == [
        {"name": "x", "formula": ["macro_f1"], "verdict": "macro_f1", "strength": 132.0, "ok": True,
         "findings": []}
    ]  # fmt: skip
    assert told["summary"]["formula"] == "macro_f1"
    assert told["summary"]["candidates"][0] == {
        "formula": "macro_f1", "explained": 1, "exact": 0, "strength": 132.0,
    }  # fmt: skip
    assert told["ranking"][0]["name"] == "x"


def test_supports(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('name,"recall[a, b]",recall[c]\nx,0.35,0.50\n')
    assert run("audit", str(path), "--support", '"a, b=20",c=10').exit_code == 0
    found = run("audit", str(path), "--support", '"a, b=10"', "--support", "c=10")
    assert "no whole number of 10 items" in found.output


def test_which() -> None:
    found = run("which", "--precision", "0.725", "--recall", "0.5667", "--f1", "0.6042")
    assert found.exit_code == 0
    assert "the mean of the per-class F1" in found.output
    found = run("which", "--precision", "0.725", "--recall", "0.5667", "--f1", "0.7", "--format",
                "json")  # fmt: skip
    assert found.exit_code == 1
    told = json.loads(found.output)
    assert (told["formula"], told["status"]) == (None, "none")
    assert not any(c["explained"] for c in told["candidates"])
    assert told["message"].startswith("impossible: larger than 2PR/(P+R)")


@pytest.mark.parametrize(
    ("header", "row", "message"),
    [
        ("accuracy,n", "0.5,0", "column n: expected at least one item, got 0"),
        ("macro_f1,n", f"0.5,{'9' * 100_001}", "column n: expected at most 15 digits, got '9999"),
        (
            "macro_f1",
            f"0.{'5' * 100_001}",
            "column macro_f1: expected at most 50 digits, got '0.55",
        ),
        ("correct,n", f"{'9' * 5000},5", "column correct: expected at most 50 digits, got '9999"),
        ("macro_f1", "x" * 100_000, "expected a number such as 0.752, 75.2 or 75,2, got 'xxx"),
        ("macro_f1,n", f"0.5,{'x' * 1000}", "column n: expected a whole number, got 'xxx"),
        (
            "accuracy,support[a],support[b]",
            "0.5,0,0",
            "A: the sizes of the classes add up to 0, expected an item",
        ),
    ],
)
def test_numbers_that_cannot_be(tmp_path: Path, header: str, row: str, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"name,{header}\nA,{row}\n", encoding="utf-8")
    found = run("audit", str(path))
    assert (found.exit_code, found.stdout, found.stderr.count("\n")) == (2, "", 1)
    assert message in found.stderr
    assert len(found.stderr) < 300 + len(str(path))


def test_sizes_that_cannot_be(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("name,accuracy\nA,0.5\n", encoding="utf-8")
    for sizes, message in (
        ("a=0,b=0", "the sizes of the classes add up to 0"),
        (f"a={'9' * 5000},b=1", "--support a: expected at most 15 digits, got '9999"),
    ):
        found = run("audit", str(path), "--support", sizes)
        assert (found.exit_code, found.stdout, found.stderr.count("\n")) == (2, "", 1)
        assert message in found.stderr
    for size in (-1, 1.5, float("nan"), float("inf"), "x", None, 10**15):
        with pytest.raises(
            InputError, match="support must be a whole number from 0 to 999,999,999,999,999, got"
        ):
            audit(path, support={"a": size})  # type: ignore[dict-item]


def test_a_file_without_a_name() -> None:
    with pytest.raises(InputError, match="a table to audit must be a file, got an empty name"):
        audit("")


def test_which_with_numbers_without_end() -> None:
    found = run("which", "--precision", "0.5", "--recall", "9" * 5000, "--f1", "0.5")
    assert (found.exit_code, found.stdout) == (2, "")
    assert "recall: expected at most 50 digits, got '9999" in found.stderr
    for huge in ("1e999", "1e100", "1e-999"):
        found = run("which", "--precision", huge, "--recall", "0", "--f1", "0.5")
        assert (found.exit_code, found.stdout) == (2, "")
        assert f"precision: expected a number such as 0.752, 75.2 or 75,2, got '{huge}'" in (
            found.stderr
        )


@pytest.mark.parametrize("precision", ["700", "-0.5", "100.1"])
def test_a_share_is_between_0_and_100_percent(precision):
    refused = run("which", f"--precision={precision}", "--recall", "0.6", "--f1", "0.6")
    assert (refused.exit_code, refused.stdout) == (2, "")
    expected = f"precision: expected a share from 0 to 1 or 0 to 100 %, got '{precision}'"
    assert expected in refused.stderr
