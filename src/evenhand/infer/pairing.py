"""Pairing: the rows of many systems as two of them see them."""

from __future__ import annotations

import numpy as np

from evenhand.core.kernel import Kernel
from evenhand.count.samples import distinct_rows
from evenhand.infer.delta import error_parts
from evenhand.infer.design import CodeDesign, Floats, MatrixDesign
from evenhand.infer.rows import Rows
from evenhand.infer.variance import norm


def pair_of(rows: Rows, i: int, j: int) -> Rows:
    """The rows as two of the systems see them; items that look alike to both become one row."""
    design = rows.design
    if isinstance(design, MatrixDesign):
        two = MatrixDesign(
            design.k, design.true, (design.pred[i], design.pred[j]), (design.hit[i], design.hit[j])
        )
        return Rows(two, rows.weight, rows.square, rows.items, rows.stratum, rows.cluster)
    assert rows.items is not None and rows.square is not None
    pred = design.pred[:, [i, j]]
    columns = [design.true, *pred.T]
    if rows.cluster is not None:
        columns.append(rows.cluster)
    alike = rows.weight / np.maximum(rows.items, 1)
    columns.append(np.unique(alike, return_inverse=True)[1])
    first, row = distinct_rows(columns)

    def summed(x: Floats) -> Floats:
        return np.bincount(row, x, minlength=len(first))

    return Rows(
        CodeDesign(design.k, design.true[first], pred[first]),
        summed(rows.weight),
        summed(rows.square),
        np.rint(summed(rows.items)).astype(np.int64),
        stratum=design.true[first],
        cluster=None if rows.cluster is None else rows.cluster[first],
    )


def correlation(pair: Rows, kernels: list[Kernel]) -> Floats:
    """How the differences of two systems on several metrics vary together, by their slopes."""
    if not kernels:
        return np.ones((0, 0))
    first, second = np.moveaxis(pair.influences(kernels), 1, 0)
    parts = error_parts(pair, first - second)
    size = norm(parts)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.nan_to_num((parts / size[:, None]) @ (parts / size[:, None]).T)
    np.fill_diagonal(found, 1.0)
    return found
