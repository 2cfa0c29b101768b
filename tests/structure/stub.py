"""Types of metrics, from the registry, and of verbs, from their options; run me to write them anew.

python tests/structure/stub.py
"""

import inspect
import subprocess
import sys
from pathlib import Path

import evenhand as eh
from evenhand.core.registry import all_metrics, score_metrics

PLACE = Path(eh.__file__).parent / "typed.pyi"
SHIFT = Path(eh.__file__).parent / "shift" / "__init__.pyi"

HEAD = '''"""Types of metrics and verbs, written by tests/structure/stub.py."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, overload

import numpy as np
from numpy.typing import NDArray

IMPORTS
_Values = NDArray[np.float64]
_Tables = Confusion | Sample | SoftSample | Counts
_Matrix = Sequence[Sequence[float]]
'''

IMPORTS = """
from evenhand.catalogue.lists import AnyMetric, Metrics
from evenhand.core.margins import Counts
from evenhand.data.arguments import Accumulator
from evenhand.data.confusion import Confusion
from evenhand.data.multilabel import MultiLabel
from evenhand.data.sample import Sample, SoftSample
from evenhand.options import Classes, Rates, Undefined
"""

OPTIONS = "classes: Classes = ..., undefined: Undefined = ..."
COUNTED = "labels: Iterable[Any] | None = ..., weights: Any = ..., drop_null_truth: bool = ..."
COLUMNS = "true: str, pred: str | Sequence[str], labels: Iterable[Any] | None = ..."
BESIDE = "weights: str | None = ..., by: str | Sequence[str] | None = ..."
FRAME = f"{COLUMNS}, {BESIDE}, drop_null_truth: bool = ..."


def protocol(name, parameters, of_one_class):
    """The protocol of metrics with these parameters."""
    extra = "".join(f", {p}: {kind} = ..." for p, kind in parameters)
    whole = f"{OPTIONS}{extra}"

    def forms(label, one, many):
        """Every form of the data, one table or maybe several."""
        how = f"{label}{whole}"
        return [
            (f"self, y_true: Iterable[Any], y_pred: Iterable[Any], *, {how}, {COUNTED}", one),
            (f"self, data: Accumulator | MultiLabel | _Matrix, /, *, {how}", one),
            (f"self, data: _Tables | NDArray[Any], /, *, {how}", many),
            (f"self, frame: Any, /, *, {how}, {FRAME}", many),
        ]

    found = forms("", "float", "float | _Values")
    if of_one_class:
        found = [
            *forms("label: Any, ", "float", "float | _Values"),
            *forms("", "_Values", "_Values"),
        ]
    return overloaded(name, found)


def of_scores(name, parameters):
    """The protocol of metrics of probabilities with these parameters."""
    extra = "".join(f", {p}: {kind} = ..." for p, kind in parameters)
    counted = "labels: Iterable[Any] | None = ..., weights: Any = ..., label: Any = ..."
    forms = [
        (f"self, y_true: Iterable[Any], y_pred: Any, /, *, {counted}{extra}", "float"),
        (f"self, sample: SoftSample, /, *, label: Any = ...{extra}", "float | list[float]"),
    ]
    return overloaded(name, forms)


def overloaded(name, forms):
    """A protocol of functions that take each of some forms of data."""
    lines = [f"class {name}(Protocol):", "    __name__: str"]
    for given, result in forms:
        lines += ["    @overload", f"    def __call__({given}) -> {result}: ..."]
    return "\n".join(lines)


SHIFT_HEAD = '''"""Types of shift, written by tests/structure/stub.py."""

from collections.abc import Iterable, Sequence
from typing import Any

from evenhand.catalogue.lists import Metrics
from evenhand.options import Classes, Mix, Undefined
from evenhand.shift.estimation import ClassDrift as ClassDrift
from evenhand.shift.estimation import Drift as Drift
from evenhand.shift.estimation import NewClass as NewClass
from evenhand.shift.estimation import PrevalenceEstimate as PrevalenceEstimate
from evenhand.shift.extrapolation import ClassShift as ClassShift
from evenhand.shift.extrapolation import Extrapolation as Extrapolation
from evenhand.shift.sweeps import Crossing as Crossing
from evenhand.shift.sweeps import Sweep as Sweep
'''


def verbs(module):
    """The public functions of a module whose signatures are made from their options."""
    functions = ((name, getattr(module, name)) for name in module.__all__)
    return {name: f for name, f in functions if "__signature__" in getattr(f, "__dict__", ())}


def imported(functions):
    """The imports of what functions return."""
    modules = {}
    for function in functions:
        names = inspect.signature(function).return_annotation.split(" | ")
        module = function.__wrapped__.__globals__[names[0]].__module__
        modules.setdefault(module, set()).update(names)
    return [f"from {module} import {', '.join(sorted(n))}" for module, n in modules.items()]


def declared(name, function):
    """A function with its signature alone."""
    signature = inspect.signature(function)
    empty = inspect.Parameter.empty
    first, *options = signature.parameters.values()
    parts = ["*data: Any"] if first.kind is first.VAR_POSITIONAL else [f"{first.name}: Any", "*"]
    for p in options:
        parts.append(f"{p.name}: {p.annotation}{'' if p.default is empty else ' = ...'}")
    return f"def {name}({', '.join(parts)}) -> {signature.return_annotation}: ..."


def formatted(code):
    """The stub as ruff formats it."""
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename=stub.pyi", "-"]
    root = Path(eh.__file__).parents[2]
    return subprocess.run(
        command, input=code, capture_output=True, text=True, check=True, cwd=root
    ).stdout


def shift_text():
    """The stub of ``evenhand.shift``."""
    functions = [declared(name, f) for name, f in verbs(eh.shift).items()]
    return formatted("\n\n".join([SHIFT_HEAD.strip(), "\n".join(functions)]))


def text():
    """The stub of metrics and verbs."""
    kinds, lines = {}, []
    for m in all_metrics():
        types = [(p, type(v).__name__) for p, v in m.parameters.items()]
        kind = (tuple(types), m.of_one_class)
        name = (
            "_" + "".join(p.capitalize() for p, _ in types) + ("OfClass" if kind[1] else "Metric")
        )
        kinds.setdefault(kind, name)
        lines += [f"{n}: {name}" for n in (m.name, *m.aliases)]
    protocols = [protocol(name, *kind) for kind, name in kinds.items()]
    kinds = {}
    for m in score_metrics():
        types = tuple((p, type(v).__name__) for p, v in m.parameters.items())
        words = (w.capitalize() for p, _ in types for w in p.split("_"))
        kinds.setdefault(types, f"_{''.join(words)}ScoreMetric")
        lines.append(f"{m.name}: {kinds[types]}")
    protocols += [of_scores(name, types) for types, name in kinds.items()]
    of_verbs = verbs(eh)
    imports = sorted([*IMPORTS.split("\n")[1:], *imported(of_verbs.values())])
    head = HEAD.strip().replace("IMPORTS", "\n".join(filter(None, imports)) + "\n")
    functions = [declared(name, f) for name, f in of_verbs.items()]
    return formatted("\n\n".join([head, *protocols, "\n".join(lines), "\n".join(functions)]))


if __name__ == "__main__":
    PLACE.write_text(text(), encoding="utf-8")
    SHIFT.write_text(shift_text(), encoding="utf-8")
