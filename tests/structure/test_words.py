"""Each door has words of its own: those of the command line are spoken nowhere below it."""

import ast
import re
from pathlib import Path

import pytest

from tests.structure.test_imports import TREES, package

RUNNING = (
    "evenhand.web.app",  # the page of uploads runs commands
    "evenhand.bridges.codabench.scoring",  # these run pip
    "evenhand.bridges.codabench.bundle",
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
    r"equally frequent|scores above|scores below|held against",
    re.IGNORECASE,
)
"""Words that readers had to translate (docs/wording.md)."""


@pytest.mark.parametrize(
    "command", ["agree", "compare", "gate", "plan", "report", "score", "twins"]
)
def test_outputs_have_the_words_of_their_readers(command):
    lines = (RECORDED / f"{command}.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if FORBIDDEN.search(line)] == []
