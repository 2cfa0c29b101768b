"""Labels that were never true are named in every command, with how many items and whose."""

import json

import pytest

GOLD = "abcabcabcabc"
TYPO = [*"abcabcab", "NaN", "nan", "tpyo", "tpyo"]
SAID = "4 predictions are of labels that never occur in the truth ('tpyo', 'NaN', 'nan')"
DRAWN = ("--replicates", "20")
HERE = ("--output", "-")


@pytest.fixture
def files(write):
    runs = {"gold": GOLD, "good": "abcabcabcabb", "typo": TYPO}
    return [write(f"{name}.txt", "\n".join(labels) + "\n") for name, labels in runs.items()]


@pytest.mark.parametrize(
    "command",
    [
        ("score",),
        ("score", "--classes", "a"),
        ("score", "--average", "seen"),
        ("twins",),
        ("calibrate",),
        ("shift", "--to", "uniform"),
        ("shift", "--sweep", "a"),
        ("shift", "--unlabelled", "good.txt", *DRAWN),
        ("report", "--format", "markdown", *HERE),
    ],
    ids=" ".join,
)
def test_of_one_system(run, files, command):
    result = run(*command, files[0], files[2])
    assert f"warning: {SAID}" in result.stderr
    if command[0] == "report":
        assert "4 predictions are of labels that never occur in the truth" in result.stdout


@pytest.mark.parametrize(
    "command",
    [
        ("compare", *DRAWN),
        ("compare", "--classes", "a", *DRAWN),
        ("rank", *DRAWN),
        ("report", "--format", "markdown", *HERE, *DRAWN),
        ("report", "--format", "html", *HERE, *DRAWN),
    ],
    ids=" ".join,
)
def test_of_several_systems(run, files, command):
    result = run(*command, *files)
    assert f"warning: typo: {SAID}" in result.stderr
    if command[0] == "report":
        assert "typo: 4 predictions are of labels that never occur in the truth" in result.stdout


def test_of_a_system_that_is_compared_at_every_mix(run, files):
    gold, good, typo = files
    result = run("shift", gold, good, "--sweep", "a", "--against", typo)
    assert f"warning: typo: {SAID}" in result.stderr


@pytest.mark.parametrize("command", ["compare", "rank", "report"])
def test_every_team_is_named(run, files, write, command):
    names = [f"team{i}" for i in range(8)]
    runs = [
        write(f"{n}.txt", "\n".join([*GOLD[:-1], "x" * (1 + i)]) + "\n")
        for i, n in enumerate(names)
    ]
    asked = ("--format", "markdown", *HERE) if command == "report" else ("--metric", "macro_f1")
    result = run(command, files[0], *runs, *asked, *DRAWN)
    said = "other systems with labels that never occur in the truth: "
    rest = ", ".join(f"'team{i}' 1 ('{'x' * (1 + i)}')" for i in (5, 6, 7))
    assert result.stderr.count("1 prediction is of labels that never occur in the truth") == 5
    assert said + rest in result.stderr
    if command == "report":
        assert all(f"'{n}' 1" in result.stdout for n in names[5:])


def test_every_team_as_a_fact(run, files, write):
    runs = [write(f"t{i}.txt", "\n".join([*GOLD[:-1], "x"]) + "\n") for i in range(7)]
    found = json.loads(run("rank", files[0], *runs, *DRAWN, "--format", "json").stdout)
    (more,) = [n for n in found["warning_codes"] if n["code"] == "more_never_true"]
    assert [(n["system"], n["strays"][0]["items"]) for n in more["systems"]] == [
        ("t5", 1),
        ("t6", 1),
    ]


def test_a_listed_class_is_no_stray(run, files, write):
    pred = write("x.txt", "\n".join([*GOLD[:-1], "x"]) + "\n")
    assert (
        "never occur" not in run("score", files[0], pred, "--classes", "a", "--classes", "x").stderr
    )
