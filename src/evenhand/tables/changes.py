"""Changes: other tables from one, its classes selected, renamed, turned, scaled or calibrated.

The functions are methods of :class:`Confusion`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import evenhand.tables.mix as mix
from evenhand.core.prevalence import factors as scaling
from evenhand.core.prevalence import uniform
from evenhand.core.ratio import ratio
from evenhand.errors import InputError
from evenhand.tables.labels import Label, checked, in_order, kind_of, positions
from evenhand.tables.weights import Numbers

if TYPE_CHECKING:
    from evenhand.tables.confusion import Confusion


def select(table: Confusion, classes: Iterable[Any]) -> Confusion:
    """The items whose true class is listed; their predictions of other classes go outside.

    This drops data. To average over some classes of the whole table, pass ``classes=`` to
    the metric instead.
    """
    wanted = classes if isinstance(classes, str) else in_order(classes, "classes")
    chosen = positions(wanted, table.labels)
    labels = checked(table.labels[i] for i in chosen)
    true = np.full(table.k, -1)
    true[chosen] = np.arange(len(chosen))
    pred = np.where(true < 0, len(chosen), true)
    data = table.data.remap(true, pred, len(chosen))
    lost = data.margins()[4]  # those that are null are no more than all that is outside
    missing = np.minimum(table.missing, np.ceil(np.asarray(lost, float)).astype(np.int64))
    n = None
    if table.data.square is not None:  # weights do not tell how many items are left
        n = np.rint(table.n * ratio(data.margins()[3], table.total)).astype(np.int64)
    return table.of(labels, data, keys=table.keys, n=n, missing=missing, axes=table.axes)


def relabel(table: Confusion, names: Mapping[Any, Any] | Callable[[Label], Any]) -> Confusion:
    """Rename labels; those given one name are merged. Labels not in a mapping stay."""
    new = [names(v) if callable(names) else v for v in table.labels]
    if not callable(names):
        for at, name in zip(
            positions(names, table.labels, "labels to rename"), names.values(), strict=True
        ):
            new[at] = name
    kind_of(new, "new labels")
    labels = checked(list(dict.fromkeys(new)))
    place = {v: i for i, v in enumerate(labels)}
    to = np.array([place[v] for v in new])
    return replace(table, labels=labels, data=table.data.remap(to, to, len(labels)))


def normalised(table: Confusion, by: Literal["true", "pred", "all"] = "true") -> Confusion:
    """Shares of each true row, of each predicted column, or of the whole table."""
    if by not in ("true", "pred", "all"):
        raise InputError(f"by must be 'true', 'pred' or 'all', got {by!r}")
    return replace(table, data=table.data.shares(by))


def transpose(table: Confusion) -> Confusion:
    """Truth and prediction change places."""
    if np.any(table.outside):
        raise InputError(
            "a table with outside predictions cannot be transposed: "
            "the truth has no column for them; select() or relabel() first"
        )
    return replace(table, data=table.data.transpose())


def scale(table: Confusion, factors: Any) -> Confusion:
    """Multiply each true row by its factor λ, as if that class were more or less frequent.

    One factor a class in the order of the labels, or some by label, the others staying
    (Opitz 2022, eq. 5; tables 2 to 4 there).

    >>> from evenhand.tables.confusion import Confusion
    >>> Confusion.from_matrix([[15, 10], [5, 10]], labels="ab").scale({"b": 2}).cells
    array([[15., 10.],
           [10., 20.]])
    """
    if isinstance(factors, Mapping):
        at = positions(factors, table.labels, "classes to scale")
        given = dict(zip(at, factors.values(), strict=True))
        factors = [given.get(i, 1.0) for i in range(table.k)]
    try:
        by = np.asarray(factors, np.float64)
    except (TypeError, ValueError, RuntimeError):
        by = np.full(table.k, np.nan)
    if np.ma.is_masked(factors):  # no number is there, whatever lies beneath
        by = np.full(table.k, np.nan)
    fits = by.shape in ((table.k,), (*table.shape, table.k))
    if not fits or not np.all(np.isfinite(by) & (by >= 0)):
        raise InputError(f"factors must be {table.k} finite numbers ≥ 0, one a class")
    return replace(table, data=table.data.scale(by))


def calibrate(table: Confusion, prevalence: Mapping[Any, float] | None = None) -> Confusion:
    """The table as it would be if classes had this prevalence; without one, all the same.

    Recalls stay; everything else follows the new mix. A class that is never true cannot be
    scaled: without a target it is left as it is, with a target above 0 it is an error.

    >>> from evenhand.tables.confusion import Confusion
    >>> Confusion.from_matrix([[15, 10], [5, 10]], labels="ab").calibrate().prevalence
    array([0.5, 0.5])
    """
    return table.scale(scaling(table.prevalence, table.target(prevalence)))


def target(table: Confusion, prevalence: Mapping[Any, float] | None = None) -> Numbers:
    """The class mix to calibrate to, as shares of the classes; without one, all the same."""
    if prevalence is None:
        return np.asarray(uniform(table.prevalence))
    return mix.shares(prevalence, table.labels, table.prevalence)
