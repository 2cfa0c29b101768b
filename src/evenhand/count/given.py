"""Data: whatever a user has, as the table or the sample that a verb works on."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from evenhand.catalogue.binding import Table
from evenhand.core.arrays import Array
from evenhand.core.counts import Counts
from evenhand.count.accumulate import Accumulator
from evenhand.count.forms import COUNTED, form_of, refusal, what_came
from evenhand.errors import InputError, shown
from evenhand.tables.confusion import Confusion
from evenhand.tables.multilabel import MultiLabel
from evenhand.tables.sample import Sample, SoftSample, Systems

Counted: TypeAlias = Table | Sample | SoftSample


@dataclass(frozen=True, eq=False)
class Given:
    """What a verb was given: data, positional or by name, and what goes with them."""

    verb: str
    data: tuple[Any, ...]
    y_true: Any = None
    y_pred: Any = None
    true: str | None = None
    pred: str | Sequence[str] | None = None
    labels: Iterable[Any] | None = None
    weights: Any = None
    cluster: Any = None
    by: Any = None
    drop_null_truth: bool = False

    @property
    def positional(self) -> tuple[Any, ...]:
        """The data in order, those given by name in their place."""
        if self.y_true is None and self.y_pred is None:
            return self.data
        if self.y_true is not None and self.data:
            raise InputError(f"{self.verb} takes y_true= without other data before it")
        named = (self.y_true, self.y_pred)
        return (*self.data, *(y for y in named if y is not None))

    @property
    def of_frame(self) -> bool:
        """Whether the data are columns of a frame."""
        if self.true is None and self.pred is None:
            return False
        if len(self.positional) != 1 or self.true is None or self.pred is None:
            raise InputError(
                f"{self.verb} takes true= and pred= together, as names of the columns of one frame"
            )
        return True

    @property
    def counting(self) -> dict[str, Any]:
        """The options of every counter."""
        return {n: getattr(self, n) for n in ("labels", "weights", "drop_null_truth")}

    def refuse(self, *options: str) -> None:
        """Options that data of this form have no use for."""
        options = (*options, "drop_null_truth")
        given = ((name, getattr(self, name)) for name in options)
        wrong = [name for name, value in given if value is not None and value is not False]
        if wrong:
            raise InputError(
                f"{', '.join(wrong)} must be given where items are counted, with labels or a "
                f"frame; {self.verb} got what is counted already"
            )


def table_of(given: Given) -> Table | Counts | Array:
    """One table, a stack, margins or a tensor of cells: what a metric is a function of."""
    found = system_of(given, margins=True)
    if not isinstance(found, Systems):
        return found
    tables = found.tables()
    return tables[0] if len(found.systems) == 1 else tables


def system_of(given: Given, *, items: bool = False, margins: bool = False) -> Any:
    """The data of one system, or of a stack; with ``items`` as a sample where that can be.

    With ``margins`` also bare margins and tensors of another library, as they are.
    """
    if given.of_frame:
        return _of_frame(given, items)
    data = given.positional
    if len(data) == 2:
        return _of_labels(given, *data, items=items)
    if len(data) != 1:
        raise refusal(given.verb, what_came(data))
    (whole,) = data
    if isinstance(whole, Accumulator):
        whole = whole.table
    if isinstance(whole, Confusion | MultiLabel | Counts | Systems):
        given.refuse("labels", "weights", "cluster", "by")
        if isinstance(whole, Counts) and not margins:
            raise refusal(given.verb, what_came(data))
        return whole
    given.refuse("weights", "cluster", "by")
    if margins and type(whole).__module__.partition(".")[0] in ("torch", "jax", "jaxlib"):
        return whole
    return _of_matrix(given, whole)


def _of_matrix(given: Given, matrix: Any) -> Confusion:
    if isinstance(matrix, Mapping | str | set | frozenset) or _is_column(matrix):
        kind = "labels of one side only" if _is_column(matrix) else f"a {type(matrix).__name__}"
        raise refusal(given.verb, kind)
    try:
        return Confusion.from_matrix(matrix, labels=given.labels)
    except InputError as e:
        if not hasattr(matrix, "columns"):
            raise
        raise InputError(f"{e}; for columns of labels name them with true= and pred=") from None


def _is_column(values: Any) -> bool:
    """Whether ``values`` have one axis, as labels have."""
    if hasattr(values, "columns"):
        return False
    if isinstance(values, list | tuple):
        return not (values and hasattr(values[0], "__iter__") and not isinstance(values[0], str))
    return getattr(values, "ndim", 0) == 1 or hasattr(values, "to_list")


def _of_labels(given: Given, y_true: Any, y_pred: Any, *, items: bool) -> Counted:
    """A table of two columns; label sets and indicators are multi-label data."""
    if isinstance(y_true, COUNTED) or isinstance(y_pred, COUNTED):
        raise refusal(given.verb, what_came((y_true, y_pred)))
    if isinstance(y_pred, Mapping):
        if given.by is not None:
            raise InputError(f"{given.verb} takes by with one system's predictions")
        return Sample.from_labels(y_true, y_pred, cluster=given.cluster, **given.counting)
    if _is_many(y_true) and _is_many(y_pred):
        if given.cluster is not None or given.by is not None:
            raise InputError("multi-label data have neither clusters nor slices")
        if given.drop_null_truth:
            raise InputError("drop_null_truth is for items with one label each, got label sets")
        return MultiLabel.from_indicators(
            y_true, y_pred, labels=given.labels, weights=given.weights
        )
    if given.by is not None:
        return _by_slice(given, y_true, y_pred)
    if items or given.cluster is not None:
        return Sample.from_labels(
            y_true, {"system": y_pred}, cluster=given.cluster, **given.counting
        )
    return Confusion.from_labels(y_true, y_pred, **given.counting)


def _is_many(values: Any) -> bool:
    """Whether each item has any number of labels: a set of them, or a row of 0 and 1."""
    if isinstance(values, list | tuple):
        several = (set, frozenset, list, tuple, np.ndarray)
        return any(isinstance(v, several) for v in values)
    return hasattr(values, "columns") or getattr(values, "ndim", 1) == 2


def _by_slice(given: Given, y_true: Any, y_pred: Any) -> Confusion:
    """A stack of tables, one a value of ``by``."""
    from evenhand.count.samples import slices

    if given.cluster is not None:
        raise InputError(f"{given.verb} takes either by or cluster, got both")
    y_true, y_pred = (y if hasattr(y, "__len__") else list(y) for y in (y_true, y_pred))
    whole = Confusion.from_labels(y_true, y_pred, **given.counting)
    keys = list(given.by)
    if len(keys) != len(y_true):
        raise InputError(f"by must have {len(y_true):,} entries, one an item, got {len(keys):,}")
    parts = {
        key: Confusion.from_labels(
            taken(y_true, at),
            taken(y_pred, at),
            labels=whole.labels,
            weights=taken(given.weights, at),
            drop_null_truth=given.drop_null_truth,
        )
        for key, at in slices(keys)
    }
    return replace(Confusion.stack(parts), axes=("slice",))


def taken(column: Any, at: Sequence[int]) -> Any:
    """The entries of any column at these positions."""
    if column is None:
        return None
    if hasattr(column, "iloc"):
        return column.iloc[list(at)]
    if hasattr(column, "__array__") or hasattr(column, "gather"):
        return column[list(at)]
    return [column[i] for i in at]


def _of_frame(given: Given, items: bool) -> Counted:
    """Two columns of a frame, counted where it is; item by item only for a sample."""
    (frame,) = given.positional
    assert given.true is not None and given.pred is not None
    if given.cluster is None and not (items and given.by is None):
        return Confusion.from_frame(
            frame,
            true=given.true,
            pred=given.pred,
            by=given.by,
            **given.counting,
        )
    if given.by is not None:
        raise InputError(f"{given.verb} takes either by or cluster, got both")
    truth, systems, beside = _columns(given, frame)
    return Sample.from_labels(truth, systems, **(given.counting | beside))


def by_column(y_true: Any, y_pred: Any) -> bool:
    """Whether the predictions are a frame with a column for each system."""
    return hasattr(y_pred, "columns") and not hasattr(y_true, "columns")


def systems_of(given: Given) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Several systems: a whole, or truth and predictions by name; and what goes with the items.

    Systems without a name are called A, B, C … in order.
    """
    beside = {name: getattr(given, name) for name in ("cluster", "by")} | given.counting
    if given.of_frame:
        truth, systems, found = _columns(given, given.positional[0])
        return (truth, systems), {**beside, **found}
    data = given.positional
    if len(data) > 1 and any(isinstance(d, COUNTED) for d in data):
        raise refusal(given.verb, what_came(data))
    names = string.ascii_uppercase
    if len(data) > len(names) + 1:
        raise InputError(f"name so many systems: {given.verb}(y_true, {{'name': predictions, …}})")
    if len(data) > 2:
        return (data[0], dict(zip(names, data[1:], strict=False))), beside
    if len(data) == 1 and isinstance(data[0], Accumulator):
        data = (data[0].table,)
    if len(data) == 2 and by_column(*data):
        data = (data[0], {name: data[1][name] for name in data[1].columns})
    if len(data) == 1 and isinstance(data[0], Confusion | MultiLabel | Systems | Mapping):
        given.refuse("labels", "weights", "cluster", "by")
    return data, beside


def _columns(given: Given, frame: Any) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Truth, predictions by name, and what stands beside them, read from a frame."""
    import narwhals as nw

    assert given.true is not None and given.pred is not None
    several = hasattr(given.pred, "__iter__") and not isinstance(given.pred, str)
    systems: list[Any] = list(given.pred) if several else [given.pred]
    beside = {n: v for n in ("weights", "cluster", "by") if (v := getattr(given, n)) is not None}
    named = [given.true, *systems, *beside.values()]
    strange = [c for c in named if not isinstance(c, str)]
    if strange:
        raise InputError(f"the names of columns must be text, got {shown(strange)}")
    wanted = list(dict.fromkeys(named))
    try:
        lazy = nw.from_native(frame).lazy()
    except TypeError:
        raise InputError(f"frame must be a data frame, got {form_of(frame)}") from None
    have = lazy.collect_schema().names()
    lacking = [c for c in wanted if c not in have]
    if lacking:
        raise InputError(f"frame must have a column {lacking[0]!r}, it has {shown(have)}")
    found = lazy.select(wanted).collect()
    column = {c: found[c].to_native() for c in wanted}
    return (
        column[given.true],
        {s: column[s] for s in systems},
        {name: column[c] for name, c in beside.items()},
    )
