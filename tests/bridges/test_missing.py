"""A bridge imports its tool only when used; a missing one is one line that says what to install."""

import subprocess
import sys

import numpy as np
import pytest

from evenhand.errors import InputError


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
