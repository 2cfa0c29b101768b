"""Data: whatever a user has, as the table or the sample that a verb works on."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

from evenhand.catalogue.binding import Table
from evenhand.core.arrays import Array
from evenhand.core.counts import Counts
from evenhand.count.accumulate import Accumulator
from evenhand.count.arrays import count_labels
from evenhand.count.forms import COUNTED, form_of, refusal, refuse_slices, what_came
from evenhand.count.frames import count_frame_rows
from evenhand.count.lists import column_values, holds_lists, is_of_lists, list_columns
from evenhand.count.slices import keys_of
from evenhand.errors import InputError, shown
from evenhand.tables.confusion import Confusion
from evenhand.tables.multilabel import MultiLabel
from evenhand.tables.sample import Sample, SoftSample
from evenhand.tables.systems import Systems

Counted: TypeAlias = Table | Sample | SoftSample
D = TypeVar("D", bound=Sample | SoftSample | Confusion)


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

    @property
    def beside(self) -> dict[str, Any]:
        """The options of a counter that keeps clusters and slices."""
        return {**self.counting, "cluster": self.cluster, "by": self.by}

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


def soft_of(given: Given) -> SoftSample:
    """Items of one system with probabilities: a sample, or truth and items × labels."""
    data = given.positional
    if len(data) == 1 and isinstance(data[0], SoftSample):
        given.refuse("labels", "weights", "cluster")
        if len(data[0].systems) > 1:
            raise refusal(given.verb, form_of(data[0]))
        return data[0]
    if len(data) != 2 or given.labels is None or isinstance(data[0], COUNTED):
        raise refusal(given.verb, what_came(data))
    y_true, probabilities = data
    beside = {"weights": given.weights, "cluster": given.cluster}
    return Sample.from_probabilities(
        y_true, {"system": probabilities}, labels=given.labels, **beside
    )


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
        return Sample.from_labels(y_true, y_pred, **given.beside)
    if _is_many(y_true) and _is_many(y_pred):
        if given.drop_null_truth:
            raise InputError("drop_null_truth is for items with one label each, got label sets")
        beside = {name: x for name, x in given.beside.items() if name != "drop_null_truth"}
        y_true, y_pred = (v.to_list() if hasattr(v, "to_list") else v for v in (y_true, y_pred))
        return MultiLabel.from_indicators(y_true, y_pred, **beside)
    if items or given.cluster is not None:
        return Sample.from_labels(y_true, {"system": y_pred}, **given.beside)
    return count_labels(y_true, y_pred, by=given.by, **given.counting)


def _is_many(values: Any) -> bool:
    """Whether each item has any number of labels: a set of them, or a row of 0 and 1."""
    if isinstance(values, list | tuple):
        return holds_lists(values)
    if hasattr(values, "to_list") and is_of_lists(values):
        return True
    return hasattr(values, "columns") or getattr(values, "ndim", 1) == 2


def _of_frame(given: Given, items: bool) -> Any:
    """Columns of a frame, counted where it is: two into a table, or into the rows of a sample.

    Columns of lists are label sets.
    """
    (frame,) = given.positional
    columns: dict[str, Any] = {"true": given.true, "pred": given.pred, "by": given.by}
    if isinstance(given.pred, str) and (sides := list_columns(frame, [given.true, given.pred])):
        slices = [given.by] if isinstance(given.by, str) else list(given.by or ())
        asked = [c for c in (given.weights, given.cluster, *slices) if c is not None]
        beside = column_values(frame, asked)
        by = keys_of([beside[c] for c in slices])
        weights, cluster = (beside.get(c) for c in (given.weights, given.cluster))
        return _of_labels(
            replace(given, weights=weights, cluster=cluster, by=by), *sides, items=items
        )
    if not items and given.cluster is None:
        return Confusion.from_frame(frame, **columns, **given.counting)
    return count_frame_rows(frame, **columns, cluster=given.cluster, **given.counting)


def by_column(y_true: Any, y_pred: Any) -> bool:
    """Whether the predictions are a frame with a column for each system."""
    return hasattr(y_pred, "columns") and not hasattr(y_true, "columns")


def systems_of(given: Given) -> Sample | SoftSample | Confusion:
    """Several systems: a sample of the same items, or their tables.

    Systems without a name are called A, B, C … in order.
    """
    if given.of_frame:
        found: Sample | Confusion = _of_frame(given, items=True)
        return _several(given, found)
    data = given.positional
    if len(data) > 1:
        return _several(given, Sample.from_labels(*by_name(given, data), **given.beside))
    (whole,) = data or (None,)
    if isinstance(whole, Accumulator):
        whole = whole.table
    if isinstance(whole, Mapping):
        whole = _stacked(whole)
    if isinstance(whole, Confusion | Sample | SoftSample):
        given.refuse("labels", "weights", "cluster", "by")
        return _several(given, whole)
    if getattr(whole, "ndim", 0) == 3:
        given.refuse("weights", "cluster", "by")
        return Sample.from_joint(whole, labels=given.labels)
    raise refusal(given.verb, what_came(data))


def by_name(given: Given, data: tuple[Any, ...]) -> tuple[Any, Mapping[str, Any]]:
    """Truth, and predictions by the name of their system."""
    if any(isinstance(d, COUNTED) for d in data):
        raise refusal(given.verb, what_came(data))
    y_true, *predictions = data
    names = string.ascii_uppercase
    if len(predictions) > len(names):
        raise InputError(f"name so many systems: {given.verb}(y_true, {{'name': predictions, …}})")
    if len(predictions) > 1:
        return y_true, dict(zip(names, predictions, strict=False))
    (named,) = predictions
    if by_column(*data):
        return y_true, {name: named[name] for name in named.columns}
    if not isinstance(named, Mapping):
        raise refusal(given.verb, what_came(data))
    return y_true, named


def _several(given: Given, found: D) -> D:
    """The data, if they are of two systems or more."""
    if isinstance(found, Confusion):
        refuse_slices(given.verb, found)
        if not found.shape:
            raise refusal(given.verb, what_came((found,)))
    elif len(found.systems) < 2:
        raise refusal(given.verb, form_of(found))
    return found


def _stacked(tables: Mapping[Any, Any]) -> Confusion:
    wrong = [name for name, t in tables.items() if not isinstance(t, Confusion)]
    if wrong or not tables:
        raise InputError(f"tables to rank must be Confusion by name, got others: {shown(wrong)}")
    return Confusion.stack({k if isinstance(k, tuple) else str(k): t for k, t in tables.items()})
