"""Each door has words of its own: those of the command line are spoken nowhere below it."""

import ast
import re

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
