"""A bridge imports its tool only when used; a missing one is one line that says what to install."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from evenhand.errors import InputError

HERE = Path(__file__).parent


def test_importing_a_bridge_imports_no_tool():
    code = (
        "import sys\n"
        "import evenhand.bridges.torch, evenhand.bridges.jax, evenhand.bridges.mlflow\n"
        "import evenhand.bridges.transformers\n"
        "tools = {'torch', 'jax', 'torchmetrics', 'lightning', 'transformers', 'mlflow'}\n"
        "print(sorted(tools & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_tool_with_an_environment_of_its_own_has_one_file_of_tests():
    """``make bridges`` runs that file there, where the tools of the other files are missing."""
    tools = re.search(r"^BRIDGES := (.+)$", (HERE.parents[1] / "Makefile").read_text(), re.M)
    marked = {
        (tool, path.name)
        for path in HERE.glob("test_*.py")
        for tool in tools[1].split()
        if f"@pytest.mark.{tool}\n" in path.read_text()
    }
    assert marked == {(tool, f"test_{tool}.py") for tool in tools[1].split()}


def loss(bridge):
    bridge.soft_macro_f1_loss(np.zeros((2, 2)), np.zeros(2, int))


def measured(bridge):
    bridge.measure(np.zeros(2, int), np.zeros(2, int), metrics="mcc", k=2)


@pytest.mark.parametrize(
    ("absent", "use", "line"),
    [
        ("torch", loss, "a soft loss needs torch: pip install 'evenhand[torch]'"),
        ("torch", measured, "counting tensors needs torch: pip install 'evenhand[torch]'"),
        (
            "torch",
            lambda bridge: bridge.Accumulator,
            "Accumulator needs torch: pip install 'evenhand[torchmetrics]'",
        ),
        ("jax", loss, "a soft loss needs jax: pip install 'evenhand[jax]'"),
        ("jax", measured, "counting arrays needs jax: pip install 'evenhand[jax]'"),
        (
            "mlflow",
            lambda bridge: bridge.log(["a"], ["a"]),
            "log needs mlflow: pip install 'evenhand[mlflow]'",
        ),
        (
            "mlflow",
            lambda bridge: bridge.metric("mcc"),
            "metric needs mlflow: pip install 'evenhand[mlflow]'",
        ),
    ],
)
def test_a_missing_tool(monkeypatch, absent, use, line):
    from importlib import import_module

    bridge = import_module(f"evenhand.bridges.{absent}")
    for name in [n for n in sys.modules if n.partition(".")[0] == absent]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, absent, None)  # which makes importing it fail
    with pytest.raises(InputError) as error:
        use(bridge)
    assert str(error.value) == line


@pytest.mark.torch
def test_torch_without_torchmetrics(monkeypatch):
    pytest.importorskip("torch")
    from evenhand.bridges import torch as bridge

    for name in [n for n in sys.modules if n.partition(".")[0] == "torchmetrics"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torchmetrics", None)
    with pytest.raises(InputError, match="Accumulator needs torchmetrics: pip install 'evenhand"):
        bridge.Accumulator  # noqa: B018
