"""Shmueli (2019): the worked example with cats, fish and hens, and what is said of it."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import product
from typing import Any

import numpy as np

from evenhand.core.metrics.macro import fbeta_of_averages, macro_precision, macro_recall
from evenhand.papers.claims import Outcome, claim, judged
from evenhand.papers.compared import same, worst
from evenhand.papers.tried import divided, everything, on, per_class, twins

# A table that fits the printed percentages: cat, fish, hen; rows = true.
TABLE = [[4, 1, 1], [6, 2, 2], [3, 0, 6]]


def _percent(x: Any) -> str:
    return f"{100 * float(x):.1f}"


@claim("002-macro-f1", "worked example", "(42.1 + 30.8 + 66.7)/3 = 46.5 %")
def mean_of_f1() -> Outcome:
    """The mean of the classes' F1."""
    mean = (42.1 + 30.8 + 66.7) / 3
    return judged(f"{mean:.1f}" == "46.5", f"{mean:.2f} %", "the printed numbers added up")


@claim("002-classes", "worked example", "42.1, 30.8 and 66.7 %")
def classes() -> Outcome:
    """F1 of cat, fish and hen from their precision and recall."""
    found = [_percent(f) for f in per_class(np.array(TABLE))[2]]
    good = found == ["42.1", "30.8", "66.7"]
    return judged(good, ", ".join(found), f"the table {TABLE} fits all printed percentages")


def _mean(parts: tuple[int, ...], printed: str, metric: Any) -> Outcome:
    shown = sum(parts) / len(parts)
    exact = float(on(metric, np.array(TABLE)))
    ends = [(sum(parts) + 3 * h) / 3 for h in (-0.5, 0.5)]
    return judged(
        f"{shown:.1f}" == printed,
        f"the printed addends give {shown:.1f} %",
        f"{printed} % is the mean before rounding ({100 * exact:.2f} %), which may lie between "
        f"{ends[0]:.1f} and {ends[1]:.1f}",
        corrected=_percent(exact) == printed,
    )


@claim("002-macro-precision", "worked example", "(31 + 67 + 67)/3 = 54.7 %")
def precision() -> Outcome:
    """Macro precision."""
    return _mean((31, 67, 67), "54.7", macro_precision)


@claim("002-macro-recall", "worked example", "(67 + 20 + 67)/3 = 51.1 %")
def recall() -> Outcome:
    """Macro recall."""
    return _mean((67, 20, 67), "51.1", macro_recall)


@claim("002-two-values", "worked example", "Macro-F1* is not Macro-F1")
def two() -> Outcome:
    """The second method gives another macro F1 than the first."""
    a, b = twins(np.array(TABLE))
    return judged(float(a) != float(b), f"{_percent(a)} % and {_percent(b)} %", f"table {TABLE}")


@claim("002-fscore", "the excerpt from Sokolova and Lapalme", "(β² + 1)PR/(β²P + R)")
def fscore() -> Outcome:
    """Fscore_M is the Fβ of macro precision and macro recall."""
    cells, most = everything(3), 0.0
    p, r = on(macro_precision, cells), on(macro_recall, cells)
    for beta in (0.5, 1.0, 2.0):
        found = divided((beta**2 + 1) * p * r, beta**2 * p + r)
        most = max(most, worst(found, on(fbeta_of_averages, cells, beta=beta)))
    return judged(most < 1e-12, f"largest difference {most:.1g}", "β = 1/2, 1, 2")


@claim("002-beta-one", "the excerpt from Sokolova and Lapalme", "equal weights")
def beta_one() -> Outcome:
    """Β = 1 gives precision and recall equal weight."""
    p, r = np.array(list(product(np.linspace(0.05, 1, 20), repeat=2))).T
    there, back = 2 * p * r / (p + r), 2 * r * p / (r + p)
    return judged(same(there, back), "symmetric in precision and recall", "400 pairs")


if find_spec("sklearn") is not None:

    @claim("002-scikit-learn", "on popularity", "Macro-F1 (and not Macro-F1*)")
    def scikit_learn() -> Outcome:
        """Scikit-learn's f1_score computes the mean of F1, not the F1 of averages."""
        from sklearn.metrics import f1_score

        true, pred = (np.repeat(x.ravel(), np.ravel(TABLE)) for x in np.indices((3, 3)))
        found = float(f1_score(true, pred, average="macro"))
        a, b = twins(np.array(TABLE))
        return judged(
            abs(found - float(b)) < 1e-12 < abs(found - float(a)),
            f"{found:.6f}",
            f"mean of F1 {float(b):.6f}, F1 of averages {float(a):.6f}",
        )
