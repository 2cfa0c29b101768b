"""Nothing that users can name lacks documentation: names, options, pages, keys, commands, metrics.

Keys of JSON are in tests/results/test_schemas.py, help of commands and metrics in test_documented.
"""

import inspect
import json
import re
from importlib import import_module

import click
import pytest

import evenhand as eh
from evenhand.cli import every_command
from tests.pages import DOCS, script

REFERENCE = script("reference")
ROOMS = {name: import_module(home) for name, home in REFERENCE.MODULES.items()}
VERBS = {name: getattr(eh, name) for name in eh.__all__} | {
    f"{room}.{name}": getattr(module, name)
    for room, module in ROOMS.items()
    for name in module.__all__
}
FUNCTIONS = [name for name, thing in VERBS.items() if inspect.isfunction(thing)]
OPTIONS = (DOCS / "options.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_option_of_a_verb_is_explained(name):
    """As code in its docstring, or in docs/options.md: many are also words of the language."""
    told = " ".join(re.findall(r"``[^`]+``|`[^`]+`", f"{inspect.getdoc(VERBS[name])}\n{OPTIONS}"))
    parameters = inspect.signature(VERBS[name]).parameters.values()
    named = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    assert [n for n in named if not re.search(rf"\b{n}\b", told)] == []


def test_every_public_name_is_in_the_reference():
    text = "\n".join(REFERENCE.python_pages().values())
    missing = [n for n in VERBS if n not in (*ROOMS, "__version__") and f"## eh.{n}\n" not in text]
    assert missing == []
    assert not re.search(r":\w+:`", text)  # marks of another language


def test_every_room_that_is_public_is_in_the_reference():
    assert set(ROOMS) == set(eh._ROOMS)


@pytest.mark.parametrize("name", dict(every_command()))
def test_every_option_of_a_command_is_on_its_page(name):
    text = REFERENCE.command_page(name)
    assert "\b" not in text and "```console" in text
    for option in dict(every_command())[name].params:
        if isinstance(option, click.Option) and not option.hidden:
            assert option.opts[0] in text
            assert option.help


def test_every_page_is_in_the_index():
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} - {"index.md"}
    assert {page for page in pages if f"]({page})" not in index} == set()


def test_every_kind_of_test_is_explained():
    told = (DOCS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Tests")[2]
    folders = {p.parent.name for p in (DOCS.parent / "tests").glob("*/test_*.py")}
    packages = {p.stem for p in (DOCS.parent / "src/evenhand").iterdir()}
    assert "Folders are named as the packages are" in told
    assert {name for name in folders - packages if f"`tests/{name}`" not in told} == set()


def test_the_readme_can_be_read_in_a_minute():
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert text.count("\n") <= 100
    assert text.count("\n![") == 1


def test_every_benchmark_that_is_checked_is_recorded():
    """Else run python -m benchmarks.check --record."""
    from benchmarks.check import CHECKS, RECORD

    assert json.loads(RECORD.read_text(encoding="utf-8")).keys() == CHECKS.keys()
