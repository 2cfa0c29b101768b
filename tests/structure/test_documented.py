"""Everything public is there, and says what it is."""

import ast
import math
import re
import subprocess
from pathlib import Path
from typing import get_args

import click
import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import COMMANDS, every_command, group
from evenhand.core.registry import all_metrics
from evenhand.options import Group

SOURCE = Path(eh.__file__).parent
ROOT = Path(__file__).parents[2]
MODULES = [path for path in sorted(SOURCE.rglob("*.py")) if path.name != "_version.py"]
METRICS = list(all_metrics())
NAMES = [name for m in METRICS for name in (m.name, *m.aliases)]


@pytest.mark.parametrize("name", eh.__all__)
def test_public_names_resolve(name):
    assert getattr(eh, name) is getattr(eh, name)
    assert name == "__version__" or getattr(eh, name).__doc__
    assert name in dir(eh)


def test_the_version_is_a_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.?(a|b|rc|dev)\d+)?", eh.__version__)


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_and_alias_is_a_function(name):
    assert getattr(eh, name) is getattr(eh, name)
    assert callable(getattr(eh, name))


@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)
def test_every_metric_is_described(metric):
    assert metric.summary.endswith(".")
    assert metric.formula
    assert metric.reference
    assert metric.symbol
    assert metric.low < metric.high
    assert metric.better in ("higher", "lower", "neither")
    text = getattr(eh, metric.name).__doc__
    for part in (metric.summary, metric.formula, metric.reference):
        assert part in text
    assert ">>>" in text


def test_names_and_signatures_are_unique():
    assert len(set(NAMES)) == len(NAMES)
    symbols = [m.symbol for m in METRICS]
    assert len(set(symbols)) == len(symbols)
    of_formula = {}
    for m in METRICS:
        of_formula.setdefault(m.signature, []).append(m)
    for shared in of_formula.values():
        # One formula under two names is fine where the classes differ (balanced accuracy).
        assert len({m.classes for m in shared}) == len(shared), [m.name for m in shared]


def test_the_unbounded_say_so():
    endless = {m.name for m in METRICS if math.isinf(m.high)}
    assert {m.name for m in METRICS if math.isinf(m.low)} < endless
    assert {m.name for m in METRICS if m.default} & endless == {"bookmaker_gain"}


EVERY = dict(every_command())


@pytest.mark.parametrize("name", EVERY)
def test_a_command_explains_itself_with_examples_that_use_its_options(name):
    command = EVERY[name]
    lines = [line.strip() for line in command.help.splitlines()]
    examples = [line for line in lines if line.startswith("evenhand ")]
    assert any(example.startswith(f"evenhand {name}") for example in examples)
    for example in examples:
        used = next(c for n, c in EVERY.items() if f"{example} ".startswith(f"evenhand {n} "))
        known = {o for p in used.params for o in p.opts}
        assert set(re.findall(r"(?<=\s)--[a-z0-9-]+", example)) <= known
    for option in command.params:
        assert isinstance(option, click.Argument) or option.help


@pytest.mark.parametrize("name", ["", "publish", *EVERY])
def test_help_fits_a_screen(name):
    shown = CliRunner(env={"COLUMNS": "80"}).invoke(group, [*name.split(), "--help"]).output
    assert len(shown.splitlines()) <= 50
    assert all(len(line) <= 80 for line in shown.splitlines())


@pytest.mark.parametrize("name", EVERY)
def test_all_help_has_every_option_in_one_group(name):
    shown = CliRunner(env={"COLUMNS": "80"}).invoke(group, [*name.split(), "--help-all"]).output
    parts = re.split(r"^(\w+):\n", shown, flags=re.MULTILINE)
    groups = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert set(groups) <= {"Examples", *get_args(Group), "Help"}
    for option in EVERY[name].params:
        if isinstance(option, click.Option):
            places = [g for g, text in groups.items() if re.search(_row(option), text, re.M)]
            assert len(places) == 1, option.opts


def _row(option):
    return rf"^  (-\w, )?{re.escape(option.opts[0])}[ ,\n]"


@pytest.mark.parametrize("name", EVERY)
def test_usual_options_are_options(name):
    known = {o for p in EVERY[name].params for o in p.opts}
    assert EVERY[name].usual <= known


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_on_the_first_page(name):
    assert f"evenhand {name}" in (ROOT / "docs" / "index.md").read_text()


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_every_module_function_and_class_has_a_docstring(path):
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), node.name


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_no_file_is_too_long(path):
    assert len(path.read_text().splitlines()) <= 1000


def project_files():
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in done.stdout.split("\0") if name]


def test_no_file_knows_the_machine_it_was_made_on():
    home = re.compile("/" + r"(work|root|home/\w+|Users/\w+)\b")
    anywhere = re.compile("/" + r"(work|root|tmp|home/\w+|Users/\w+)\b")
    for path in project_files():
        if not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        pattern = home if "tests" in path.relative_to(ROOT).parts else anywhere
        assert not pattern.search(text), f"{path}: {pattern.search(text)[0]}"
