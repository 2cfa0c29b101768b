"""Tabular: one table as other libraries take it, and as people see it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, TypeVar, cast

import numpy as np

from evenhand.core.arrays import seal
from evenhand.errors import InputError
from evenhand.tables.cells import Cells
from evenhand.tables.labels import Labels
from evenhand.tables.merge import pooled
from evenhand.tables.weights import Numbers, Weighing

if TYPE_CHECKING:
    from evenhand.core.registry import Task
    from evenhand.tables.confusion import Confusion

P = ParamSpec("P")
R = TypeVar("R")


class Tabular:
    """What arrays, data frames, screens and the rooms above ask of a table."""

    labels: Labels
    data: Cells
    task: ClassVar[Task] = "single"
    systems: ClassVar[tuple[str, ...]] = ()
    cluster: ClassVar[None] = None
    in_cells: ClassVar[bool] = True
    soft: ClassVar[bool] = False
    slices: ClassVar[tuple[Any, ...]] = ()

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Leading axes: ``()`` for one table."""
        return self.data.shape

    @cached_property
    def k(self) -> int:
        """Number of classes."""
        return len(self.labels)

    @property
    def cells(self) -> Numbers:
        """The (…, k, k) cells as an array, rows = true."""
        return self.data.dense().weight[..., :-1]

    @cached_property
    def outside(self) -> Numbers:
        """Per true class, the predictions that were no class at all."""
        return self.data.outside()

    @property
    def squares(self) -> Numbers | None:
        """Sums of squared weights, shape (…, k, k + 1); ``None`` if they were never known."""
        return self.data.dense().squares

    def tables(self) -> Confusion:
        """Itself: the tables that values are read from."""
        return cast("Confusion", self)

    def copies(self) -> tuple[tuple[str, ...], ...]:
        """Systems that answer alike: none are known where items are not kept."""
        return ()

    def sliced(self) -> tuple[Confusion, list[tuple[Any, Confusion]]]:
        """All items, and the slices of a stack by key; one table has none."""
        stack = cast("Confusion", self)
        if not self.shape:
            return stack, []
        slices = zip(stack.keys[0], stack, strict=True)
        return pooled(stack), [(key, t) for key, t in slices if t.n or not t.dropped]

    @cached_property
    def weighing(self) -> Weighing:
        """What the items weigh; a table of fractions without squares does not say."""
        if self.data.square is not None:
            return "given"
        return "none" if self.data.weight.dtype.kind in "iu" else "unknown"

    @cached_property
    def varies(self) -> bool:
        """Whether it is known how the items vary."""
        return self.data.squares is not None

    @cached_property
    def true_squares(self) -> Numbers | None:
        """Squared weights of the items of each true class; ``None`` where each counts once."""
        if self.data.square is None:
            return None
        at, true, _, _, square = self.data.entries()
        shape = (*self.shape, len(self.labels))
        size = int(np.prod(shape))
        found = np.bincount(at * len(self.labels) + true, np.asarray(square), minlength=size)
        return np.asarray(seal(found.reshape(shape)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Numbers:
        """The cells, for numpy: those outside every class are not among them."""
        cells = np.asarray(self.cells, dtype)
        return cells.copy() if copy else cells

    def to_pandas(self) -> Any:
        """A pandas frame of the cells, true labels in its index, predicted ones in its columns."""
        import pandas as pd

        if self.shape:
            raise InputError("to_pandas() is for one table; index the stack first")
        names = {"index": "true", "columns": "predicted"}
        return pd.DataFrame(
            self.cells, index=list(self.labels), columns=list(self.labels)
        ).rename_axis(**names)

    def nonzero(self) -> tuple[Numbers, Numbers, Numbers]:
        """The non-empty cells of one table: true code, predicted code (k = outside), weight."""
        if self.shape:
            raise InputError("nonzero() is for one table; index the stack first")
        _, true, pred, weight, _ = self.data.entries()
        return seal(true), seal(pred), seal(weight)

    def save(self, path: str) -> None:
        """Write the table to a file, Parquet by that ending, else JSON; read it with load()."""
        from evenhand.files.saved import save

        save(cast("Confusion", self), path)

    @classmethod
    def load(cls, path: str) -> Confusion:
        """The table that :meth:`save` or ``evenhand count`` wrote."""
        from evenhand.files.saved import load

        return load(path).table

    def __repr__(self) -> str:
        from evenhand.results.tables import confusion_text

        return confusion_text(cast("Confusion", self))

    def _repr_html_(self) -> str:
        from evenhand.results.tables import confusion_html

        return confusion_html(cast("Confusion", self))


def plain(x: Any) -> Any:
    """The number of one table as Python's own; the array of a stack as it is."""
    return x.item() if isinstance(x, np.ndarray | np.generic) and not x.ndim else x


def one_positional(make: Callable[P, R]) -> Callable[P, R]:
    """A constructor from a frame that says how its columns are named when they are not."""

    @wraps(make)
    def made(*args: P.args, **named: P.kwargs) -> R:
        if len(args) > 2:
            given = [repr(a) for a in args[2:4]] + ["…"] * (4 - len(args))
            raise InputError(
                f"columns must be named: {make.__name__}(frame, true={given[0]}, pred={given[1]})"
            )
        return make(*args, **named)

    return made
