"""Adjusted count: the class mix that gives exactly the shares of predictions seen."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from evenhand.infer.design import Floats

SINGULAR = 1e-8
"""A mix moves the shares by less than this part of itself: it cannot be told from them."""


def adjusted(rates: Floats, shares: Floats) -> Floats:
    """Solve q = Rᵀπ with Σπ = 1, by least squares where an outside column leaves one over.

    Also called black-box shift estimation (Forman 2008; Lipton et al. 2018). The result may
    leave the simplex; where R is singular there is none (NaN).

    >>> adjusted(np.array([[0.8, 0.2], [0.1, 0.9]]), np.array([0.31, 0.69])).round(6)
    array([0.3, 0.7])
    """
    k = rates.shape[-2]
    if k == 1:
        return np.ones((*shares.shape[:-1], 1))
    basis = _directions(k)
    moves = np.swapaxes(basis.T @ rates, -1, -2)  # columns × (k − 1): what a change of mix does
    middle = shares - rates.mean(axis=-2)
    left, size, right = np.linalg.svd(moves, full_matrices=False)
    lost = size[..., -1:] <= SINGULAR
    part = (np.swapaxes(left, -1, -2) @ middle[..., None])[..., 0] / np.where(lost, 1.0, size)
    found = 1 / k + (np.swapaxes(right, -1, -2) @ part[..., None])[..., 0] @ basis.T
    return np.where(lost, np.nan, found)


def reach(rates: Floats) -> Floats:
    """How far the shares move, at least, when the mix moves by 1: σ_min of Rᵀ on mixes.

    Its inverse is what an error in the shares is multiplied by; 0 for singular rates.

    >>> float(reach(np.array([[0.8, 0.2], [0.1, 0.9]])).round(6))
    0.7
    """
    k = rates.shape[-2]
    if k == 1:
        return np.ones(rates.shape[:-2])
    return np.asarray(np.linalg.svd(_directions(k).T @ rates, compute_uv=False)[..., -1])


def blind(rates: Floats) -> Floats:
    """The change of mix that moves the shares least, largest entry 1."""
    basis = _directions(rates.shape[-2])
    _, _, right = np.linalg.svd((basis.T @ rates).T, full_matrices=True)
    v = basis @ right[-1]
    return np.asarray(v / np.abs(v).max())


@lru_cache(maxsize=16)
def _directions(k: int) -> Floats:
    """An orthonormal basis (k × k − 1) of the changes that a mix can undergo: they sum to 0."""
    full = np.linalg.qr(np.column_stack([np.ones(k), np.eye(k)[:, : k - 1]]))[0]
    return np.asarray(full[:, 1:])
