"""Replicated: intervals from draws, by percentiles or by BCa."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from evenhand.core.kernel import Kernel
from evenhand.errors import InputError
from evenhand.infer.basis import Basis
from evenhand.infer.bca import acceleration, bca
from evenhand.infer.bootstrap import bootstrap, percentile
from evenhand.infer.design import Floats
from evenhand.infer.rows import Rows, rows_of
from evenhand.infer.settings import Settings
from evenhand.tables.confusion import Confusion


def replicated(basis: Basis, how: Settings) -> list[tuple[Floats, Floats, Floats]]:
    """Error and ends of each metric, for every system or slice."""
    if how.method == "bca" and how.stratify:
        raise InputError("bca has no stratified form here: use interval='bootstrap'")
    parts = [_of_rows(rows, kernels, how) for rows, kernels in _separate(basis)]
    found = []
    for each in zip(*parts, strict=True):
        se, low, high = (np.concatenate(x) for x in zip(*each, strict=True))
        found.append((se, low, high))
    return found


def _separate(basis: Basis) -> list[tuple[Rows, list[Kernel]]]:
    """Rows that are resampled together: those of one table, or of the systems of a sample."""
    kernels = basis.kernels
    if basis.data is basis.table and basis.table.shape:
        stack = cast(Confusion, basis.table)
        return [(rows_of(t), [k.at(i) for k in kernels]) for i, t in enumerate(stack)]
    return [(basis.rows, kernels)]


def _of_rows(
    rows: Rows, kernels: list[Kernel], how: Settings
) -> list[tuple[Floats, Floats, Floats]]:
    draws: Any = {"count": how.replicates, "seed": how.seed, "stratify": how.stratify}
    drawn = bootstrap(rows, kernels, **draws)
    if how.method == "bca":
        observed = rows.values(kernels, rows.weight[None])
        bend = acceleration(rows, kernels)
        ends = [bca(v, o[0], a, how.level) for v, o, a in zip(drawn, observed, bend, strict=True)]
    else:
        ends = [percentile(v, how.level) for v in drawn]
    return [(_spread(v), low, high) for v, (low, high) in zip(drawn, ends, strict=True)]


def _spread(values: Floats) -> Floats:
    """The standard deviation of the replicates: undefined aside, unknown if some are infinite."""
    known = ~np.isnan(values)
    endless = np.isinf(values).any(axis=0)
    values = np.where(np.isinf(values), 0.0, values)
    n = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, values, 0.0).sum(axis=0) / n
    square = np.where(known, (values - mean) ** 2, 0.0).sum(axis=0)
    found = np.sqrt(square / np.maximum(n - 1, 1))
    return np.asarray(np.where(endless, np.nan, found))
