"""Numbers that no computation can hold end in one line, whatever the command."""

import json

import pytest

MATRIX = ("--matrix", "6 1 1; 1 5 2; 2 3 7")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("score", *MATRIX, "--level", "0.9999999999999999"), "level must be at most 0.9999999"),
        (("score", *MATRIX, "--interval", "bca", "--level", "0.9999999999999999"), "level must be"),
        (("score", *MATRIX, "--level", "nan"), "level must be between 0 and 1, got nan"),
        (
            ("score", *MATRIX, "--interval", "bootstrap", "--seed", "-1"),
            "-1 is not in the range x>=0",
        ),
        (("properties", "accuracy", "--seed", "-1"), "-1 is not in the range x>=0"),
        (("papers", "figures", "--seed", "-1", "--output", "x"), "-1 is not in the range x>=0"),
        (
            ("score", *MATRIX, "--interval", "bootstrap", "--replicates", "9" * 20),
            "replicates must be a whole number from 1 to 1,000,000, got 99999",
        ),
        (
            ("score", *MATRIX, "--metric", "macro_fbeta:beta=inf"),
            "beta of macro_fbeta must be a finite number ≥ 0, got 'inf'",
        ),
        (
            ("score", "--matrix", "1e308 1e308; 1e308 1e308"),
            "weights must add up to 0 or from 1e-150 to 1e+150",
        ),
        (("twins", "--matrix", "1e308 1e308; 1e308 1e308"), "weights must add up to 0 or from"),
        (("calibrate", "--matrix", "1e-320 0; 1e-320 3e-320"), "weights must add up to 0 or from"),
    ],
)
def test_refused(fails, arguments, message):
    assert message in fails(*arguments)


def test_a_huge_beta_is_recall(run):
    spec = "macro_fbeta:beta=1e200"
    found = run("score", *MATRIX, "--metric", spec, "--format", "json")
    assert found.exit_code == 0
    value = json.loads(found.stdout)["metrics"]["macro_fbeta:beta=1e+200"]
    assert value["value"] == pytest.approx(0.6527777777777778) and value["low"] > 0.4


@pytest.mark.parametrize("command", ["compare", "rank"])
def test_a_negative_seed_of_several_systems(fails, lines, write, command):
    other = write("other.txt", "a\nb\nb\nb\n")
    assert "-1 is not in the range x>=0" in fails(command, *lines, other, "--seed", "-1")


WIDE = "gold,a,b,w\nx,x,y,1e154\ny,x,y,1e-60\nx,y,x,1\ny,y,y,2\nx,x,x,3\ny,y,x,1e-9\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "--pred", "a"),
        ("score", "--pred", "a", "--interval", "bootstrap"),
        ("score", "--pred", "a", "--interval", "delta"),
        ("compare", "--pred", "a", "--pred", "b"),
        ("rank", "--pred", "a", "--pred", "b"),
    ],
)
def test_weights_from_one_end_to_the_other(fails, write, arguments):
    file = write("wide.csv", WIDE)
    command, *options = arguments
    message = fails(command, file, "--true", "gold", *options, "--weights", "w")
    wanted = "expected a weight that is 0 or from 1e-150 to 1e+150, got '1e154'"
    assert message == f"wide.csv, column w, row 1: {wanted}"


@pytest.mark.parametrize("command", [("score", "--pred", "a"), ("rank", "--pred", "a,b")])
def test_weights_over_two_hundred_orders_of_magnitude(run, write, command):
    """Within what the squares allow, every score is there."""
    file = write("wide.csv", WIDE.replace("1e154", "1e130"))
    name, flag, columns = command
    given = [x for c in columns.split(",") for x in (flag, c)]
    found = run(name, file, "--true", "gold", *given, "--weights", "w", "--replicates", "20")
    assert found.exit_code == 0, found.output
    assert "Traceback" not in found.output and "reduce classes" not in found.output
