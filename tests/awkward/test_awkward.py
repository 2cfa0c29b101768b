"""Awkward files through score, compare, rank and report: right, or refused in one line."""

import json

import pytest
from click.testing import CliRunner

from evenhand.cli import group
from tests.awkward import make

DRAWN = ("--replicates", "20")
COMMANDS = {
    "score": ("--format", "json"),
    "compare": ("--format", "json", *DRAWN),
    "rank": ("--by-metric", "accuracy", "--format", "json", *DRAWN),
    "report": ("--by-metric", "accuracy", "--format", "markdown", "--output", "-", *DRAWN),
}


BARE = {
    "upper case, ignored": "differ in case, which --ignore-case ignores",
    "fine against coarse, mapped": "--map FILE gives labels other names",
    "wrong ids": "gold.csv and run.csv share 0 of 12 values of 'id', ",
    "missing ids as errors": "--missing wrong counts them as errors",
    "an id twice": "run.csv: 'id' comes more than once (12 values in 13 rows)",
    "a column twice": "run.csv has columns 'id', 'label', 'label_duplicated_0': say which",
    "only a header": "run.csv has columns 'id', 'label': say which",
    "JSON Lines of this and that": "run.jsonl has columns 'id', 'label': say which",
    "label sets": "--kind multi-label or --kind tokens",
}
"""What is refused where files are all that is given, if not what else is."""


def cases():
    for case in make.CASES:
        for command in COMMANDS:
            yield pytest.param(case, command, id=f"{case.name}-{command}")


def asked(case, command):
    """The command line: the run alone in score, with another elsewhere."""
    alone = command == "score"
    if case.gold is None:
        names = ("run",) if alone else ("run", "other")
        files = (case.run, "--true", "gold", *(p for name in names for p in ("--pred", name)))
    else:
        files = (case.gold, case.run) if alone else (case.gold, case.run, case.other)
    metric = () if "--metric" in case.options else ("--metric", "accuracy")
    return [command, *files, *case.options, *metric, *COMMANDS[command]]


def accuracy(command, text):
    """The run's, as the command gives it."""
    if command == "report":
        return text
    found = json.loads(text)
    if command == "score":
        (value,) = found["metrics"].values()
        return value["value"]
    if command == "compare":
        return found["pairs"][0]["values"][0]
    scores = {s["name"]: s["scores"]["accuracy"]["value"] for s in found["systems"]}
    return next(value for name, value in scores.items() if not name.startswith("other"))


@pytest.mark.parametrize(("case", "command"), list(cases()))
def test_awkward(case, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make.write(case, tmp_path)
    result = CliRunner().invoke(group, asked(case, command), prog_name="evenhand")
    refused = case.refused or ("" if command == "score" else case.several)
    if refused:
        assert (result.exit_code, result.stdout) == (2, "")
        (line,) = result.stderr.splitlines()
        assert refused in line
        return
    assert result.exit_code == 0, result.stderr
    assert case.says in result.stderr
    if command == "report":
        assert f"{case.accuracy:.4f}" in result.stdout
        assert case.says.partition("'")[0].partition("(")[0] in result.stdout.replace("\\", "")
    else:
        assert accuracy(command, result.stdout) == pytest.approx(case.accuracy)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in make.CASES])
def test_nothing_but_the_files(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make.write(case, tmp_path)
    files = (case.run,) if case.gold is None else (case.gold, case.run, case.other)
    asked = ["rank", *files, "--metric", "accuracy", *COMMANDS["rank"]]
    result = CliRunner().invoke(group, asked, prog_name="evenhand")
    refused = BARE.get(case.name, case.refused)
    if refused:
        assert (result.exit_code, result.stdout) == (2, "")
        (line,) = result.stderr.splitlines()
        assert refused in line
        return
    assert result.exit_code == 0, result.stderr
    assert accuracy("rank", result.stdout) == pytest.approx(case.accuracy)


def test_there_are_enough():
    assert len(make.CASES) >= 40
    assert len({case.name for case in make.CASES}) == len(make.CASES)


def test_the_folder(tmp_path):
    make.main(str(tmp_path))
    assert len(list(tmp_path.iterdir())) == len(make.CASES)
