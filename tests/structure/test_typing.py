"""A type checker knows every public name, and no value of a user's is of any type."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import evenhand as eh

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SOURCE = Path(eh.__file__).parent
TYPICAL = HERE / "typical.py"
OF_OTHERS = {"frame"}
"""What is of another library, which may have no types."""


def stub():
    names = {"__name__": "stub"}
    exec((HERE / "stub.py").read_text(encoding="utf-8"), names)
    return names


@pytest.mark.parametrize(
    ("place", "text"), [("typed.pyi", "text"), ("shift/__init__.pyi", "shift_text")]
)
def test_a_stub_is_what_registry_and_options_say(place, text):
    """Else run tests/structure/stub.py."""
    assert (SOURCE / place).read_text(encoding="utf-8") == stub()[text]()


def assigned(code):
    statements = [n for n in ast.parse(code).body if isinstance(n, ast.Assign)]
    return [target.id for n in statements for target in n.targets]


def test_typical_code_has_no_error_and_no_any(tmp_path):
    pytest.importorskip("mypy")
    code = TYPICAL.read_text(encoding="utf-8")
    names = assigned(code)
    asked = tmp_path / "asked.py"
    first = code.count("\n") + 1
    asked.write_text(code + "".join(f"reveal_type({name})\n" for name in names), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", str(asked)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,  # whose settings and cache make it quick
        env={**os.environ, "MYPYPATH": str(SOURCE.parent)},
    )
    lines = [line for line in done.stdout.splitlines() if asked.name in line]
    assert not [line for line in lines if " error: " in line], done.stdout
    found = {}
    for line in lines:
        at, said = re.fullmatch(r'.*asked\.py:(\d+): note: Revealed type is "(.*)"', line).groups()
        found[names[int(at) - first]] = said
    assert list(found) == names
    unknown = [n for n, said in found.items() if said in ("Any", "builtins.object")]
    assert set(unknown) <= OF_OTHERS, unknown
    assert found["value"] == found["one_class"] == found["matrix"] == "float"


def test_typical_code_runs():
    """What is checked is also true: the types are those of the values."""
    names = {}
    exec(TYPICAL.read_text(encoding="utf-8"), names)
    assert isinstance(names["value"], float) and isinstance(names["total"], int)
    assert names["each_class"].shape == (3,)
