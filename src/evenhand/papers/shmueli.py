"""Shmueli (2019): the worked example with cats, fish and hens, and what is said of it."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from evenhand.core.metrics.macro import fbeta_of_averages, macro_f1, macro_precision, macro_recall
from evenhand.papers.claims import Outcome, claim, judged, open_within
from evenhand.papers.compared import worst
from evenhand.papers.tried import divided, everything, on, per_class, twins

# A table that fits the printed percentages: cat, fish, hen; rows = true.
TABLE = [[4, 1, 1], [6, 2, 2], [3, 0, 6]]


def _percent(x: Any) -> str:
    return f"{100 * float(x):.1f}"


@claim("002-macro-f1", "worked example", "(42.1 + 30.8 + 66.7)/3 = 46.5 %")
def mean_of_f1() -> Outcome:
    """The mean of the classes' F1."""
    shown, mean = (42.1 + 30.8 + 66.7) / 3, float(on(macro_f1, np.array(TABLE)))
    good = f"{shown:.1f}" == _percent(mean) == "46.5"
    return judged(good, f"{100 * mean:.2f} %", f"table {TABLE}; the printed addends give the same")


@claim("002-classes", "worked example", "42.1, 30.8 and 66.7 %")
def classes() -> Outcome:
    """F1 of cat, fish and hen from their precision and recall."""
    found = [_percent(f) for f in per_class(np.array(TABLE))[2]]
    good = found == ["42.1", "30.8", "66.7"]
    return judged(good, ", ".join(found), f"the table {TABLE} fits all printed percentages")


@claim("002-classes-rates", "worked example", "31, 67, 67 %; 67, 20, 67 %")
def rates() -> Outcome:
    """Precision and recall of cat, fish and hen."""
    p, r, _ = per_class(np.array(TABLE))
    found = "; ".join(", ".join(f"{100 * x:.0f}" for x in rate) + " %" for rate in (p, r))
    return judged(found == "31, 67, 67 %; 67, 20, 67 %", found, f"table {TABLE}")


def _mean(parts: tuple[int, ...], printed: str, metric: Any) -> Outcome:
    shown = sum(parts) / len(parts)
    exact = float(on(metric, np.array(TABLE)))
    return judged(
        _percent(exact) == printed and abs(shown - float(printed)) <= 0.5,
        f"{100 * exact:.2f} %",
        f"the printed addends are rounded and give {shown:.1f} %, the table {TABLE} that fits "
        "every printed percentage gives what is printed",
        remark=f"{shown:.1f}" != printed,
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
    """The second method (Macro-F1*, Fscore_M) gives another macro F1 than the first."""
    a, b = twins(np.array(TABLE))
    return judged(float(a) != float(b), f"{_percent(a)} % and {_percent(b)} %", f"table {TABLE}")


@claim("002-fscore", "the excerpt from Sokolova and Lapalme", "(β² + 1)PR/(β²P + R)")
def fscore() -> Outcome:
    """Fscore_M (F-score_M) is the Fβ of macro precision and macro recall."""
    cells, most = everything(3), 0.0
    p, r = on(macro_precision, cells), on(macro_recall, cells)
    for beta in (0.5, 1.0, 2.0):
        found = divided((beta**2 + 1) * p * r, beta**2 * p + r)
        most = max(most, worst(found, on(fbeta_of_averages, cells, beta=beta)))
    return judged(most < 1e-12, f"largest difference {most:.1g}", "β = 1/2, 1, 2")


@claim("002-beta-one", "the excerpt from Sokolova and Lapalme", "equal weights")
def beta_one() -> Outcome:
    """Β = 1 gives equal weights to precision and recall, which other β do not."""
    cells = everything(3)
    turned = np.swapaxes(cells, 1, 2)  # its precision is the recall, its recall the precision
    changes = {
        beta: worst(
            on(fbeta_of_averages, cells, beta=beta), on(fbeta_of_averages, turned, beta=beta)
        )
        for beta in (1.0, 0.5, 2.0)
    }
    return judged(
        changes.pop(1.0) < 1e-12 < min(changes.values()),
        "the transpose, where precision and recall change places, has the same score",
        f"{len(cells):,} tables; with "
        + ", ".join(f"β = {beta:g} it differs by up to {x:.2f}" for beta, x in changes.items()),
    )


@claim("002-scikit-learn", "on popularity", "Macro-F1 (and not Macro-F1*)")
def scikit_learn() -> Outcome:
    """Scikit-learn's f1_score computes the mean of F1, not the F1 of averages."""
    absent = find_spec("sklearn") is None
    if absent:
        return open_within(absent, "nothing to run", "scikit-learn is not installed here")
    from sklearn.metrics import f1_score

    true, pred = (np.repeat(x.ravel(), np.ravel(TABLE)) for x in np.indices((3, 3)))
    found = float(f1_score(true, pred, average="macro"))
    a, b = twins(np.array(TABLE))
    return judged(
        abs(found - float(b)) < 1e-12 < abs(found - float(a)),
        f"{found:.6f}",
        f"mean of F1 {float(b):.6f}, F1 of averages {float(a):.6f}",
    )
