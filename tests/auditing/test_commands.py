"""``evenhand audit`` and ``evenhand which``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

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
    assert "macro_f1: 0.70 cannot be; possible 0.291 to 0.636" in text
    assert "no prediction is outside the classes" in text
    assert "\x1b[31m" not in text


@pytest.mark.parametrize("style", ["json", "csv", "markdown", "latex"])
def test_formats(bad: str, style: str) -> None:
    found = run("audit", bad, "--format", style)
    assert found.exit_code == 1
    assert "0.7" in found.output


def test_json(good: str) -> None:
    told = json.loads(run("audit", good, "--rerank", "--format", "json").output)
    assert told["systems"] == [{"name": "x", "formula": ["macro_f1"], "ok": True, "findings": []}]
    assert told["summary"]["formula"] == "macro_f1"
    assert told["ranking"][0]["name"] == "x"


def test_supports(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('name,"recall[a, b]",recall[c]\nx,0.35,0.50\n')
    assert run("audit", str(path), "--support", '"a, b=20",c=10').exit_code == 0
    found = run("audit", str(path), "--support", '"a, b=10"', "--support", "c=10")
    assert "no whole number of 10 items" in found.output


def test_progress_on_stderr(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("name,accuracy\n" + "x,0.5\n" * 200)
    found = run("audit", str(path))
    assert "audited 200 of 200 systems" in found.stderr
    assert "audited" not in found.stdout


def test_which() -> None:
    found = run("which", "--precision", "0.725", "--recall", "0.5667", "--f1", "0.6042")
    assert found.exit_code == 0
    assert "the mean of the per-class F1" in found.output
    found = run("which", "--precision", "0.725", "--recall", "0.5667", "--f1", "0.7", "--format",
                "json")  # fmt: skip
    assert found.exit_code == 1
    told = json.loads(found.output)
    assert told["formula"] == []
    assert told["message"].startswith("impossible: larger than 2PR/(P+R)")
