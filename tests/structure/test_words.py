"""Each door has words of its own: those of the command line are spoken nowhere below it."""

import ast
import re
from pathlib import Path

import pytest

from tests.structure.test_imports import TREES, package

RUNNING = (
    "evenhand.web.app",  # the page of uploads runs commands
    "evenhand.bridges.codabench",  # these run pip
    "evenhand.bridges.codabench.scoring",
)
FLAG = re.compile(r"(?<![\w-])--[a-z]|\b(GOLD|PRED|COL)\b")


def docstrings(tree):
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for child in body if isinstance(body, list) else ():
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                yield child.value


def test_no_options_of_the_command_line():
    found = []
    for name, tree in TREES.items():
        if name in ("evenhand", *RUNNING) or package(name) == "cli":
            continue
        said = set(docstrings(tree))
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and node not in said and FLAG.search(text):
                found.append((name, text))
    # which is no option: a colour of a page
    assert [f for f in found if not f[1].startswith("var(--")] == []


RECORDED = Path(__file__).parents[1] / "golden" / "recorded"
FORBIDDEN = re.compile(
    r"told apart|truly|speaks of items|like these|class bags?\b|no class at all|\bbeside\b|"
    r"equally frequent|scores above|scores below|held against|\w\(s\)|second family|sampling units",
    re.IGNORECASE,
)
"""Words that readers had to translate (docs/wording.md)."""


def strings(name):
    """The texts of a module that are no docstrings."""
    said = set(docstrings(TREES[name]))
    constants = (n for n in ast.walk(TREES[name]) if isinstance(n, ast.Constant))
    return [n.value for n in constants if isinstance(n.value, str) and n not in said]


PAPERS = ("evenhand.core.", "evenhand.papers.")
"""Where a document's own words stand."""


@pytest.mark.parametrize("name", sorted(n for n in TREES if not n.startswith(PAPERS)))
def test_messages_have_the_words_of_their_readers(name):
    """Also those that no recorded output has: errors, warnings, help."""
    assert [text for text in strings(name) if FORBIDDEN.search(text)] == []


LABORATORY = ("metrics", "papers", "properties", "python")
"""Where a document's own words, or the names of fields, may be among them."""


@pytest.mark.parametrize("path", sorted(RECORDED.glob("*.txt")), ids=lambda path: path.stem)
def test_outputs_have_the_words_of_their_readers(path):
    if path.stem not in LABORATORY:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if FORBIDDEN.search(line)] == []


TERMINAL = re.compile(r"--format (?!table)|--footnote|--output| -o ")
COPIED = ("evenhand ", "signature ", "running: ", "cells: {")
"""What is never folded: commands and signatures to copy, and tables to keep, which are JSON."""


@pytest.mark.parametrize("path", sorted(RECORDED.glob("*.txt")), ids=lambda path: path.stem)
def test_no_line_is_wider_than_a_terminal(path):
    """Outputs are recorded at 80 columns, warnings (!) too; an error is one line for a log."""
    wide = []
    for block in re.split(r"^(?=\$ )", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
        command, *lines = block.splitlines() or [""]
        if command.startswith("$ evenhand") and not TERMINAL.search(command):
            shown = [line.removeprefix("! ") for line in lines if "evenhand: error: " not in line]
            wide += [s for s in shown if len(s) > 80 and not s.startswith(COPIED)]
    assert wide == []
