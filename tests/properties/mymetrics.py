"""Metrics of a user: a right one, and one that is broken."""

import numpy as np

from evenhand.core.margins import Counts
from evenhand.core.ratio import ratio


def macro_jaccard(c: Counts):
    return c.mean(ratio(c.correct, c.bias + c.prevalence - c.correct, c.undefined))


def jaccard_of_a_matrix(matrix):
    hits = np.diag(matrix)
    either = matrix.sum(axis=0) + matrix.sum(axis=1) - hits
    return float(np.mean([h / e if e else 0.0 for h, e in zip(hits, either, strict=True)]))


def flattering(matrix: np.ndarray):
    """Accuracy plus a small reward for predicting class 0."""
    return (matrix.trace() + matrix[:, 0].sum() / 100) / matrix.sum()


def refuses_some(c):
    if np.any(c.prevalence == 0):
        raise ValueError("every class must occur")
    return c.mean(ratio(c.correct, c.prevalence))


def product_of_recalls(matrix):
    return float(np.prod(np.diag(matrix) / matrix.sum(axis=1)))


def geometric_mean_of_recalls(matrix):
    return product_of_recalls(matrix) ** (1 / len(matrix))


def geometric_mean_of_margins(c: Counts):
    recall = ratio(c.correct, c.prevalence)
    return np.prod(recall, axis=-1) ** (1 / recall.shape[-1])


def no_mean_of_recalls(matrix):
    """A product of two means: an item's effect depends on one of another class."""
    recall = np.diag(matrix) / matrix.sum(axis=1)
    return float(np.mean(recall) * np.mean(recall**2))


def per_class(c: Counts):
    return c.correct


CONSTANT = 3
