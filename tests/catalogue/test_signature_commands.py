"""``evenhand signature``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from evenhand.cli import group

MATRIX = ["score", "--matrix", "6 1 1; 1 5 2; 2 3 7", "--labels", "a,b,c"]


def run(*args: str) -> Result:
    return CliRunner().invoke(group, list(args))


def test_explains_in_words() -> None:
    found = run("signature", "m:macro_f1|c:true.3|u:0")
    assert found.exit_code == 0
    assert "averaged over the 3 classes that occur in the truth" in found.output


def test_differences_have_exit_code_1() -> None:
    found = run("signature", "m:macro_f1|n:3", "m:macro_f1|n:4", "--format", "json")
    assert found.exit_code == 1
    assert json.loads(found.output)["differences"] == {"n": ["3", "4"]}
    same = run("signature", "n:3", "n:3")
    assert (same.exit_code, same.output) == (0, "no difference\n")
    assert "1 field differs" in run("signature", "n:3", "n:4").output


@pytest.mark.parametrize("style", ["json", "csv", "markdown", "latex", "html"])
def test_every_format(style: str) -> None:
    assert "macro" in run("signature", "m:macro_f1", "--format", style).output


def test_twins_in_every_format(tmp_path: Path) -> None:
    for style in ("table", "json", "csv", "markdown", "latex"):
        assert (
            "classes:listed.2.a,b"
            in run("twins", "2", "1", "2", "3", "4", "--format", style).output
        )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("m:%ff", "a signature's values must be percent-encoded UTF-8, got '%ff'"),
        ("m:a%e2%82", "a signature's values must be percent-encoded UTF-8, got 'a%e2%82'"),
        ("x" * 100_000, f"a signature is NAME:VALUE|NAME:VALUE…, got '{'x' * 58}…"),
        (f"{'x' * 100_000}:1", f"got '{'x' * 58}…"),
    ],
)
def test_a_signature_that_cannot_be_read(text: str, message: str) -> None:
    found = run("signature", text)
    assert (found.exit_code, found.stdout, found.stderr.count("\n")) == (2, "", 1)
    assert message in found.stderr


@pytest.mark.parametrize("text", ["n:²", f"n:{'9' * 5000}", "i:x+joint-bootstrap.9"])
def test_what_says_nothing_is_shown_as_it_is(text: str) -> None:
    found = run("signature", text)
    assert found.exit_code == 0
    assert text[2:50].replace("9" * 48, "9,999") in found.stdout


def test_too_many_replicates() -> None:
    found = run(
        *MATRIX, "--interval", "bootstrap", "--replicates", "999999999999999999999999999999"
    )
    assert found.exit_code == 2
    assert "replicates must be a whole number from 1 to 1,000,000" in found.stderr
