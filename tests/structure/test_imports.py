"""Imports point one way, at the top of a file and inside its functions."""

import ast
import graphlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import evenhand
from tests.structure.layers import ENTRY_POINTS, LAYER

SOURCE = Path(evenhand.__file__).parent


def name_of(path):
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(p for p in ("evenhand", *parts) if p != "__init__")


MODULES = {name_of(path): path for path in sorted(SOURCE.rglob("*.py"))}


def imports(node, inside=False):
    """Every import below ``node``, also those for types: its target, and whether in a function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((alias.name, inside) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "imports are absolute"
            for alias in child.names:
                full = f"{child.module}.{alias.name}"
                yield (full if full in MODULES else child.module), inside
        else:
            function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from imports(child, inside or function)


def at_load(node):
    """The imports that run when a module is loaded."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield from (target for target, _ in imports(ast.Module([child], [])))
        else:
            yield from at_load(child)


TREES = {name: ast.parse(path.read_text()) for name, path in MODULES.items()}
FOUND = {name: list(imports(tree)) for name, tree in TREES.items()}


def package(module):
    return module.split(".")[1]


@pytest.mark.parametrize("module", [m for m in MODULES if m.count(".")])
def test_imports_point_down(module):
    here = package(module)
    if here.startswith("__") or here == "_version":
        return
    assert here in LAYER, f"{module}: say in the list of layers where it belongs"
    for target, inside in FOUND[module]:
        if not target.startswith("evenhand.") or target == "evenhand._version":
            assert target != "evenhand", f"{module} imports the package's own front door"
            continue
        there = package(target)
        down = here == there or LAYER[there] < LAYER[here]
        assert down or (inside and (here, there) in ENTRY_POINTS), f"{module} imports {target}"


def test_what_stands_at_the_top():
    top = {path.name for path in SOURCE.glob("*.py")}
    assert top == {
        "__init__.py", "__main__.py", "_version.py", "errors.py", "looking.py", "options.py",
        "records.py", "testing.py", "text.py", "validating.py", "warnings.py",
    }  # fmt: skip


def test_no_module_needs_itself_to_load():
    graph = {name: {t for t in at_load(tree) if t in MODULES} for name, tree in TREES.items()}
    graphlib.TopologicalSorter(graph).prepare()


def test_core_stands_on_numpy_and_scipy():
    allowed = {"evenhand", "numpy", "scipy", "array_api_compat", *sys.stdlib_module_names}
    for module, found in FOUND.items():
        if package(f"{module}.") == "core":
            assert {t.split(".")[0] for t, _ in found} <= allowed, module


@pytest.mark.parametrize("module", MODULES)
def test_heavy_libraries_load_only_when_used(module):
    heavy = {
        "polars", "pandas", "pyarrow", "scipy", "narwhals", "rich", "sklearn", "torch", "jax",
        "array_api_compat", "duckdb", "dask", "pyspark", "ibis",
    }  # fmt: skip
    if module.startswith(("evenhand.bridges", "evenhand.web")):
        return
    at_top = {target.split(".")[0] for target, inside in FOUND[module] if not inside}
    assert not at_top & heavy


def loaded_by(code):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE.parent)}
    listed = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", listed], capture_output=True, text=True, check=True, env=environment
    )
    return set(done.stdout.split())


def test_the_package_costs_next_to_nothing():
    assert not loaded_by("import evenhand") & {"numpy", "scipy", "polars", "click", "rich"}


def test_help_needs_no_numbers():
    code = (
        "import contextlib, io, evenhand.cli\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):\n"
        "    evenhand.cli.group.main(['--help'])"
    )
    found = loaded_by(code)
    assert "click" in found
    assert not found & {"numpy", "scipy", "polars", "rich"}


def test_a_metric_needs_neither_polars_nor_scipy():
    found = loaded_by("import evenhand as eh\neh.macro_f1([[1, 2], [3, 4]])")
    assert "numpy" in found
    assert not found & {"scipy", "polars", "pandas", "pyarrow", "click", "rich"}


def test_arrays_are_scored_with_numpy_and_the_special_functions_of_scipy_alone():
    lists = (
        "import evenhand as eh\ny = ['a', 'b', 'b', 'a', 'c'] * 9\nscores = eh.score(y, y[::-1])\n"
    )
    found = loaded_by(f"{lists}str(scores), scores.to_dict(), eh.gate(y, y[::-1], y, margin=0.1)")
    own = {name.partition(".")[0] for name in found} & {
        "scipy", "polars", "pandas", "pyarrow", "narwhals", "array_api_compat", "click", "rich",
        "orjson", "vl_convert", "fastexcel",
    }  # fmt: skip
    assert own == {"scipy"} and "scipy.special" in found
    assert not found & {"scipy.sparse", "scipy.stats", "scipy.optimize", "scipy.linalg"}
