"""``evenhand signature`` and ``evenhand score --like``."""

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
    assert "averages run over the 3 classes that occur in the truth" in found.output


def test_short_and_long() -> None:
    assert run("signature", "metric:macro_f1|n:3", "--short").output == "m:macro_f1|n:3\n"
    assert run("signature", "m:macro_f1|n:3", "--long").output == "metric:macro_f1|n:3\n"


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


def test_like_repeats_the_settings() -> None:
    first = run(*MATRIX, "--metric", "macro_f1@uniform", "--classes", "a", "--classes", "c",
                "--undefined", "1", "--format", "csv")  # fmt: skip
    line = first.stdout.splitlines()[1]
    signature = line[line.index("metric:") :].strip('"')
    again = run(*MATRIX, "--like", signature, "--format", "csv")
    assert again.exit_code == 0
    assert again.stdout.splitlines()[:2] == first.stdout.splitlines()[:2]
    assert "not repeated" not in again.stderr


def test_like_says_what_it_could_not_repeat() -> None:
    found = run(*MATRIX, "--like", "m:macro_f1|i:somehow.95|w:given|n:7")
    assert (
        "settings that differ from the signature (signed, now): weights (given, none)"
        in found.stderr
    )
    assert "interval (somehow.95, jackknife-score.95)" in found.stderr
    assert "the data differ from those signed (signed, now): n (7, 28)" in found.stderr


def test_like_and_an_option_that_says_the_same() -> None:
    found = run(*MATRIX, "--like", "m:macro_f1", "--metric", "mcc")
    assert found.exit_code == 2
    assert "--like says what --metric says" in found.stderr


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
        ("n:²", "a number in a signature must have 1 to 24 digits, got '²'"),
        (f"n:{'9' * 5000}", f"1 to 24 digits, got '{'9' * 58}…"),
        ("i:x+joint-bootstrap.", "a number in a signature must have 1 to 24 digits, got ''"),
        ("i:x+joint-bootstrap.a.seed0", "must have 1 to 24 digits, got 'a'"),
        ("i:x+joint-bootstrap.9", "must have 1 to 24 digits, got ''"),
        (f"i:bootstrap.95.{'9' * 5000}.seed0", f"1 to 24 digits, got '{'9' * 58}…"),
        ("x" * 100_000, f"a signature is NAME:VALUE|NAME:VALUE…, got '{'x' * 58}…"),
        (f"{'x' * 100_000}:1", f"got '{'x' * 58}…"),
    ],
)
def test_a_signature_that_cannot_be_read(text: str, message: str) -> None:
    found = run("signature", text)
    assert (found.exit_code, found.stdout, found.stderr.count("\n")) == (2, "", 1)
    assert message in found.stderr


@pytest.mark.parametrize(
    ("interval", "message"),
    [
        (
            "bootstrap.95.999999999999999999999999999999.seed0",
            "must have 1 to 24 digits, got '9999",
        ),
        (
            "bootstrap.95.1000001.seed0",
            "replicates must be a whole number from 1 to 1,000,000, got 1000001",
        ),
        ("bootstrap.95.0.seed0", "replicates must be a whole number from 1 to 1,000,000, got 0"),
        ("bootstrap.100.9.seed0", "level must be between 0 and 1, got 1.0"),
        (
            "bca.95.9.seed9999999999999999999999999999999999999999",
            "must have 1 to 24 digits, got '9999",
        ),
    ],
)
def test_numbers_of_like_are_bounded_as_options_are(interval: str, message: str) -> None:
    found = run(*MATRIX, "--like", f"m:macro_f1|i:{interval}")
    assert (found.exit_code, found.stdout, found.stderr.count("\n")) == (2, "", 1)
    assert message in found.stderr


def test_too_many_replicates() -> None:
    found = run(
        *MATRIX, "--interval", "bootstrap", "--replicates", "999999999999999999999999999999"
    )
    assert found.exit_code == 2
    assert "replicates must be a whole number from 1 to 1,000,000" in found.stderr


@pytest.mark.parametrize(("form", "key"), [("--short", "short"), ("--long", "signature")])
def test_one_form_as_json(form: str, key: str) -> None:
    found = json.loads(run("signature", "metric:macro_f1|n:3", form, "--format", "json").stdout)
    words = {"short": "m:macro_f1|n:3", "signature": "metric:macro_f1|n:3"}
    assert found == {"schema": 1, key: words[key]}
