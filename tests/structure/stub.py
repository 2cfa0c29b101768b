"""The types of the metric functions, written from the registry; run me to write the stub anew.

python tests/structure/stub.py
"""

from pathlib import Path

import evenhand as eh
from evenhand.core.registry import all_metrics

PLACE = Path(eh.__file__).parent / "typed.pyi"

HEAD = '''"""Types of the metric functions, written from the registry by tests/structure/stub.py."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from evenhand.catalogue.binding import Undefined
from evenhand.core.margins import Counts
from evenhand.data.arguments import Accumulator
from evenhand.data.confusion import Classes, Confusion
from evenhand.data.multilabel import MultiLabel
from evenhand.data.sample import Sample, SoftSample

Values = NDArray[np.float64]
Tables = Confusion | Sample | SoftSample | Counts
Matrix = Sequence[Sequence[float]]
'''

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
            (f"self, y_true: Iterable[Any], y_pred: Iterable[Any], /, *, {how}, {COUNTED}", one),
            (f"self, *, y_true: Iterable[Any], y_pred: Iterable[Any], {how}, {COUNTED}", one),
            (f"self, data: Accumulator | MultiLabel | Matrix, /, *, {how}", one),
            (f"self, data: Tables | NDArray[Any], /, *, {how}", many),
            (f"self, frame: Any, /, *, {how}, {FRAME}", many),
        ]

    found = forms("", "float", "float | Values")
    if of_one_class:
        found = [*forms("label: Any, ", "float", "float | Values"), *forms("", "Values", "Values")]
    lines = [f"class {name}(Protocol):", "    __name__: str"]
    for given, result in found:
        lines += ["    @overload", "    def __call__("]
        lines += [f"        {part}," for part in given.split(", ")]
        lines += [f"    ) -> {result}: ..."]
    return "\n".join(lines)


def text():
    """The whole stub."""
    kinds, lines = {}, []
    for m in all_metrics():
        types = [(p, type(v).__name__) for p, v in m.parameters.items()]
        kind = (tuple(types), m.of_one_class)
        name = "".join(p.capitalize() for p, _ in types) + ("OfClass" if kind[1] else "Metric")
        kinds.setdefault(kind, name)
        lines += [f"{n}: {name}" for n in (m.name, *m.aliases)]
    protocols = [protocol(name, *kind) for kind, name in kinds.items()]
    names = [line.partition(":")[0] for line in lines]
    listed = "__all__ = [\n" + "".join(f'    "{n}",\n' for n in sorted(names)) + "]"
    return "\n\n".join([HEAD.strip(), listed, *protocols, "\n".join(lines)]) + "\n"


if __name__ == "__main__":
    PLACE.write_text(text(), encoding="utf-8")
