"""Every block of code in the documentation is run: its output compared, or at least without error.

Blocks with ``$`` or ``>>>`` show what they print and are compared. Lists of commands and Python
without output are run on files and names like those they speak of (``world`` in docs/map.py).
"""

import re
import shlex
import sys
import warnings
from contextlib import chdir

import pytest
from click.testing import CliRunner

from evenhand.cli import group
from evenhand.core import registry
from tests.pages import DOCS, places, scripts

ROOT = DOCS.parent
BUILD, RUN = scripts()
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = [
    p.relative_to(ROOT)
    for p in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md")))
]
BLOCKS = [
    pytest.param(kind, text, id=f"{page}-{i}")
    for page in PAGES
    for i, (kind, text) in enumerate(BLOCK.findall((ROOT / page).read_text(encoding="utf-8")), 1)
]
ELSEWHERE = (
    "make",
    "pip install",
    "uvicorn",
    ".ci/run",
    "python ",
    "git ",
    "pre-commit",
    "eval ",
    "docker ",
    ". .venv/",
    "cd ",
)
"""Commands that set up, build, fetch wheels or never end; targets of make are in the Makefile."""


def own(page, names):
    """Names that mean something of their own on a page."""
    import numpy as np

    import evenhand as eh
    from evenhand.core.margins import Counts
    from evenhand.core.metrics.per_class import SHARE_RISES, of_class
    from evenhand.core.ratio import Share, share

    true, a, b = names["y_true"], names["a"], names["b"]
    soft = eh.Sample.from_probabilities(true, {"system": names["p"]}, labels=["ham", "spam"])
    lines = "m:macro_f1|c:true.3|u:0", "m:macro_f1|c:seen.3|u:0"
    cells = np.zeros((2, 3, 3), int)
    cells[:, :2, :2] = [[[60, 3], [4, 2]], [[1, 4], [5, 40]]]
    found = {
        "README.md": {"soft": soft},
        "CONTRIBUTING.md": {
            "detection": lambda **record: lambda function: function,
            "share": share,
            "Share": Share,
            "Counts": Counts,
            "of_class": of_class,
            "SHARE_RISES": SHARE_RISES,
        },
        "docs/intervals.md": {"sample": eh.Sample.from_labels(true, {"A": a})},
        "docs/judges.md": {
            "human": [t if i < 120 else None for i, t in enumerate(true)],
            "judge": a,
            "predictions": b,
        },
        "docs/publishing.md": {
            "one": eh.Sample.from_labels(true, {"A": a, "B": b}),
            "other": eh.Sample.from_labels(true, {"A": b, "B": a}),
        },
        "docs/signature.md": {"text": lines[0], "other": eh.Signature.parse(lines[1])},
    }.get(page, {})
    others = {"docs/sklearn.md": learnt, "docs/torch.md": tensors, "docs/mlflow.md": logged}
    others["docs/transformers.md"] = texts
    return found | (others[page](true) if page in others else {})


def learnt(true):
    """What somebody has who uses scikit-learn."""
    import numpy as np
    from sklearn.dummy import DummyClassifier
    from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold

    import evenhand.bridges.sklearn

    return {
        "evenhand": evenhand,
        "GridSearchCV": GridSearchCV,
        "RepeatedStratifiedKFold": RepeatedStratifiedKFold,
        "X": np.zeros((len(true), 1)),
        "y": true,
        "model": DummyClassifier(),
        "other": DummyClassifier(strategy="stratified"),
        "grid": {"strategy": ["prior"]},
        "repeat": np.zeros(len(true), int),
    }


def tensors(true):
    """What somebody has who trains a model of ten classes."""
    import torch

    drawn = torch.Generator().manual_seed(0)
    target = torch.randint(0, 10, (100,), generator=drawn)
    return {"logits": torch.randn(100, 10, generator=drawn), "target": target}


def logged(true):
    """What somebody has who tracks runs: a frame of MLflow's kind."""
    import pandas as pd

    return {"frame": pd.DataFrame({"gold": true, "said": true})}


def texts(true):
    """What somebody has who fine-tunes: a tiny model with random weights."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, TrainingArguments

    sizes = {"vocab_size": 20, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = BertConfig(**sizes, intermediate_size=8, max_position_embeddings=8, num_labels=3)
    return {
        "model": BertForSequenceClassification(config),
        "args": TrainingArguments(output_dir="trained", report_to=[]),
        "texts": [
            {"input_ids": torch.arange(6) + i, "labels": torch.tensor(i % 3)} for i in range(9)
        ],
    }


TOOLS = {"torch": "torch|torchmetrics", "jax": "jax", "mlflow": "mlflow"}
TOOLS["transformers"] = "transformers"
"""The marks of tools, and what a block imports that needs them."""


def tools(text):
    """Marks of the tools that a block imports, so that it runs where they are."""
    return [
        getattr(pytest.mark, tool)
        for tool, names in TOOLS.items()
        if re.search(rf"^(import|from) ({names})\b", text, re.MULTILINE)
    ]


def commands(text):
    """The lines of a list of commands, without what is said of them."""
    for line in text.replace("\\\n", " ").splitlines():
        said = shlex.shlex(line, posix=False, punctuation_chars=False)
        said.whitespace_split = True
        words = list(said)
        if words:
            yield line.split(" #")[0].rstrip() if "#" in line else line


@pytest.fixture(autouse=True)
def modules_of_their_own():
    """Pages write modules of one name, each its own."""
    sys.modules.pop("mymetrics", None)
    yield
    sys.modules.pop("mymetrics", None)


@pytest.mark.parametrize(
    "text", [pytest.param(p.values[1], id=p.id) for p in BLOCKS if p.values[0] == "console"]
)
def test_commands_do_something(text):
    if text.startswith("$ "):
        return  # which are compared
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    with places().world() as names, chdir(names["home"]):
        for line in commands(text):
            line = re.sub(r"^(\w+=\S+ )+", "", line)
            if line.startswith("make"):
                assert set(line.split()[1:]) <= targets
            if line.startswith(
                (*ELSEWHERE, "evenhand serve", "evenhand publish codabench")
            ):  # asks pip
                continue
            assert line.startswith("evenhand "), line
            line = line.partition(" >> ")[0].replace("TEXT", "'m:macro_f1|c:true.2|u:0'")
            done = CliRunner().invoke(group, RUN.words(line)[1:])
            assert done.exit_code in (0, 1, 3), (line, done.stderr)
            assert isinstance(done.exception, SystemExit | None), line
            assert not done.stderr.startswith("evenhand: error"), done.stderr


@pytest.mark.parametrize(
    ("page", "text"),
    [
        pytest.param(p.id.rpartition("-")[0], p.values[1], id=p.id, marks=tools(p.values[1]))
        for p in BLOCKS
        if p.values[0] == "python"
    ],
)
def test_python_runs(page, text, monkeypatch):
    for name in ("_OWN", "_ALIASES", "_AVERAGES"):  # where a page defines a metric of its own
        monkeypatch.setattr(registry, name, dict(getattr(registry, name)))
    with places().world() as names, chdir(names["home"]), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, "<page>", "exec"), names | own(page, names))


SHOWN = [name for name in ("../README.md", *BUILD.shown()) if not name.startswith("papers/")]
"""Pages that show output; those that redo the papers have a test of their own."""


def torch_or_not(name):
    """A page as a case, which needs torch if its examples do."""
    needs = BUILD.needs_torch((DOCS / name).read_text(encoding="utf-8"))
    return pytest.param(name, marks=pytest.mark.torch if needs else ())


@pytest.mark.parametrize("name", [torch_or_not(name) for name in SHOWN])
def test_what_is_shown_is_what_is_printed(name):
    """Else run make docs."""
    pytest.importorskip("vl_convert")  # pictures are drawn
    if BUILD.needs_torch((DOCS / name).read_text(encoding="utf-8")):
        pytest.importorskip("torch")
    assert BUILD.redone_page(name) == (DOCS / name).read_text(encoding="utf-8")


def test_every_block_says_what_it_is():
    kinds = {"console", "pycon", "python", "text", "toml"}
    assert {p.id for p in BLOCKS if p.values[0] not in kinds} == set()


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_no_block_escapes(page):
    """Not by its fence, not by what it starts with."""
    text = (ROOT / page).read_text(encoding="utf-8")
    fences = re.findall(r"^[ >]*(?:```|~~~).*$", text, re.MULTILINE)
    assert len(fences) == 2 * len(BLOCK.findall(text))
    for kind, inside in BLOCK.findall(text):
        assert kind != "pycon" or inside.startswith(">>> ")
        assert kind != "console" or inside.startswith("$ ") or "\n$ " not in inside


HELD = {
    "docs/codabench.md": "tests/bridges/test_codabench.py",
    "docs/own-metrics.md": "tests/testing/test_plugin.py",
}
"""Commands that need wheels or a package beside, and the tests that run what these pages show."""


def test_code_that_is_shown_as_text_is_run_elsewhere():
    code = re.compile(r"^(\$ |>>> |import |from |def |evenhand )", re.MULTILINE)
    shown = {
        p.id.rpartition("-")[0]
        for p in BLOCKS
        if p.values[0] == "text" and code.search(p.values[1])
    }
    assert shown == set(HELD)
    for page, test in HELD.items():
        assert page.partition("/")[2] in (ROOT / test).read_text(encoding="utf-8")
