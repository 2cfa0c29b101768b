"""Random calls of scikit-learn's classification metrics, theirs beside ours of the same name.

Results must be equal to 1e-12 (kappa, MCC and adjusted scores to 1e-9, where theirs cancel), with
warnings of the same kinds; where theirs raises, ours must raise what the same handler catches.
One case is one call. Deliberate differences are listed in docs/sklearn.md; those that random
calls meet are named here.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from evenhand.bridges import sklearn as ours
from fuzz.outcome import REFUSED, RIGHT, Outcome, crash

BOUND = 1e-12
LOOSE = {"cohen_kappa_score": 1e-9, "matthews_corrcoef": 1e-9, "balanced_accuracy_score": 1e-9}
UNSEEN = "previously unseen labels"
"""Said by scikit-learn where a text is asked for among numbers: it turns these into text, which
fails where 0 and 0.0 meet. Here such a label occurs nowhere, as it does there if they do not."""
CALLS = 12
"""Calls on the same data."""
AVERAGES = ("micro", "macro", "weighted", "samples", "binary", None)
SET_WISE = ("labels", "pos_label", "average", "sample_weight", "zero_division")
OPTIONS: dict[str, tuple[str, ...]] = {
    "accuracy_score": ("normalize", "sample_weight"),
    "zero_one_loss": ("normalize", "sample_weight"),
    "hamming_loss": ("sample_weight",),
    "balanced_accuracy_score": ("adjusted", "sample_weight"),
    "matthews_corrcoef": ("sample_weight",),
    "cohen_kappa_score": ("labels", "weights", "sample_weight", "replace_undefined_by"),
    "confusion_matrix": ("labels", "shares", "sample_weight"),
    "multilabel_confusion_matrix": ("labels", "samplewise", "sample_weight"),
    "precision_score": SET_WISE,
    "recall_score": SET_WISE,
    "f1_score": SET_WISE,
    "fbeta_score": (*SET_WISE, "beta"),
    "jaccard_score": SET_WISE,
    "precision_recall_fscore_support": (*SET_WISE, "beta"),
    "classification_report": ("labels", "sample_weight", "zero_division", "digits", "output_dict"),
}
LABELS: tuple[list[Any], ...] = (
    [0, 1], [0, 1], [-1, 1], [1, 2], [0], [1], ["a", "b"], ["b"], [True, False], [False],
    [0, 1, 2], [5, -3, 70], [0.0, 1.0, 2.0], ["cat", "dog", "ant"], ["10", "9", "a"],
    ["2", "10", "1"], list(range(8)), ["é", "z", "", " "], [10**12, 3],
)  # fmt: skip
CHOICES: dict[str, tuple[Any, ...]] = {
    "normalize": (True, False, False, "yes"),
    "adjusted": (True, False),
    "samplewise": (True, False),
    "output_dict": (True, False),
    "weights": ("linear", "quadratic", None, "cubic"),
    "replace_undefined_by": (0.0, math.nan, -1.0, 2.0),
    "shares": ("true", "pred", "all", None, "rows"),
    "beta": (0, 0.5, 1, 2.0, math.inf, -1.0),
    "digits": (0, 2, 4, -1),
    "average": (*AVERAGES, *AVERAGES, "mean"),
    "zero_division": ("warn", 0, 1, math.nan, 0.5, 1.0, "raise"),
}


def drop_in(rng: Random, folder: Path) -> Iterator[Outcome]:
    """One pair of targets, and calls on it."""
    for call in calls(rng):
        yield compared(*call)


def calls(rng: Random) -> Iterator[tuple[str, Any, Any, dict[str, Any]]]:
    """A function's name, both targets and its options, some times on the same targets."""
    n = rng.randint(1, 30)
    true, pred, names = random_targets(rng, n)
    for _ in range(CALLS):
        name = rng.choice(list(OPTIONS))
        yield name, true, pred, options_of(rng, name, n, names)


def options_of(rng: Random, name: str, n: int, names: list[Any]) -> dict[str, Any]:
    """Some of a function's options, now and then one that it does not take."""
    found: dict[str, Any] = {"beta": rng.choice(CHOICES["beta"])} if name == "fbeta_score" else {}
    for option in OPTIONS[name]:
        if rng.random() < (0.9 if option == "average" else 0.35):
            if option == "sample_weight":
                found[option] = random_weights(rng, n, exact="report" in name)
            elif option == "labels":
                found[option] = random_labels(rng, names)
            elif option == "pos_label":
                found[option] = rng.choice([*names, 1, None, "?"] if names else [1])
            else:
                found["normalize" if option == "shares" else option] = rng.choice(CHOICES[option])
    return found


def random_labels(rng: Random, names: list[Any]) -> Any:
    """Some labels in some order, among them perhaps one that never occurs."""
    pool = list(dict.fromkeys(names)) or [0]
    chosen = rng.sample(pool, rng.randint(1, len(pool)))
    if rng.random() < 0.25:
        chosen.append("zz" if isinstance(pool[0], str) else 77)
    return chosen if rng.random() < 0.8 else np.array(chosen)


def random_weights(rng: Random, n: int, *, exact: bool) -> Any:
    """Weights of any kind, now and then too few, all 0 or none at all."""
    kind = rng.random()
    if kind < 0.04:
        return [1.0] * (n + 1)
    if kind < 0.06:
        return [0.0] * n
    if kind < 0.08:
        return [math.nan] * n
    if kind < 0.1:
        return 2.0
    if kind < 0.4:
        return [rng.randint(0, 4) for _ in range(n)]
    if exact or kind < 0.7:
        return [rng.randint(0, 12) / 4 for _ in range(n)]
    return np.array([rng.uniform(0.01, 3) for _ in range(n)])


def random_targets(rng: Random, n: int) -> tuple[Any, Any, list[Any]]:
    """Two sides and the labels that they may have: mostly sound, sometimes not."""
    kind = rng.random()
    if kind < 0.12:
        return *unsound(rng, n), [0, 1]
    if kind < 0.37:
        k = rng.randint(2, 5)
        density = rng.choice([0.1, 0.5, 0.9])
        sides = [np.array([[rng.random() < density for _ in range(k)] for _ in range(n)], int)
                 for _ in range(2)]  # fmt: skip
        if rng.random() < 0.3:
            sides[1] = sides[0].copy()
        return form_of_sets(rng, sides[0]), form_of_sets(rng, sides[1]), list(range(k))
    names = list(rng.choice(LABELS))
    right = rng.choice([0.0, 0.5, 0.8, 1.0])
    true = [rng.choice(names[: rng.randint(1, len(names))]) for _ in range(n)]
    pred = [t if rng.random() < right else rng.choice(names) for t in true]
    return form_of_labels(rng, true), form_of_labels(rng, pred), names


def form_of_labels(rng: Random, labels: list[Any]) -> Any:
    """The same labels as lists, arrays, columns or series."""
    import pandas as pd

    number = not isinstance(labels[0], str)
    forms: list[Callable[[Any], Any]] = [list, tuple, np.array, np.array, pd.Series]
    forms.append(lambda x: np.array(x)[:, None])
    forms.append((lambda x: np.array(x, float)) if number else (lambda x: np.array(x, object)))
    return rng.choice(forms)(labels)


def form_of_sets(rng: Random, indicators: Any) -> Any:
    """The same indicators dense, sparse, as lists, booleans or floats."""
    from scipy import sparse

    forms: list[Callable[[Any], Any]] = [np.array, np.array, sparse.csr_array, sparse.csc_matrix]
    forms += [lambda x: x.tolist(), lambda x: x.astype(bool), lambda x: x.astype(float)]
    return rng.choice(forms)(indicators)


def unsound(rng: Random, n: int) -> tuple[Any, Any]:
    """Targets that make no sense."""
    good = [rng.randint(0, 1) for _ in range(n)]
    bad = rng.choice(
        [
            [*good, 1], [], [0.5] * n, [math.nan] * n, [None] * n, ["a"] * n, [b"a"] * n,
            ["a", None] * n, [[1, 2, 3]] * n, [[0, 1]] * n, [[[1]]] * n, "text", 3, None, {0, 1},
            [[0.5, 1]] * n, [{0}] * n, [[0], [0, 1]] * n, np.array(1), {"a": 1}, [1j] * n,
            np.array(["a", 1, *good], object),
        ]
    )  # fmt: skip
    return (good, bad) if rng.random() < 0.5 else (bad, good)


def compared(name: str, true: Any, pred: Any, options: dict[str, Any]) -> Outcome:
    """One call of both."""
    from sklearn import metrics as theirs

    said = ", ".join(f"{k}={v!r}" for k, v in options.items())
    detail = f"{name}({true!r}, {pred!r}, {said})"
    wanted, expected, known = caught(lambda: getattr(theirs, name)(true, pred, **options))
    value, error, warned = caught(lambda: getattr(ours, name)(true, pred, **options))
    if expected is not None:
        if error is None:
            if UNSEEN in str(expected):
                return RIGHT
            return Outcome(
                "wrong", f"{name}: no {type(expected).__name__}", f"{detail}\n{expected}"
            )
        if isinstance(error, handled(expected)):
            return REFUSED
        return crash(error, f"{detail}\ntheirs: {expected!r}")
    if error is not None:
        return crash(error, f"{detail}\ntheirs: {wanted!r}")
    if (
        isinstance(wanted, float) and wanted == -math.inf
    ):  # one class, adjusted for chance: a division by 0, which has no value
        wanted = math.nan
    if not same(value, wanted, LOOSE.get(name, BOUND)):
        return Outcome("wrong", f"{name}: value", f"{detail}\ngot {value!r}\nexpected {wanted!r}")
    if warned != known:
        return Outcome("wrong", f"{name}: warnings", f"{detail}\ngot {warned}, expected {known}")
    return RIGHT


def handled(error: Exception) -> tuple[type[Exception], ...]:
    """What a handler of this error would name; an error by accident is ours as one of values."""
    kinds = tuple(kind for kind in (ValueError, TypeError) if isinstance(error, kind))
    return kinds or (ValueError,)


def caught(call: Callable[[], Any]) -> tuple[Any, Exception | None, set[str]]:
    """The value or the error of a call, and the kinds of warnings it gave."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            value, error = call(), None
        except Exception as e:
            value, error = None, e
    kinds = {w.category.__name__ for w in given if issubclass(w.category, UserWarning)}
    return value, error, kinds


def same(a: Any, b: Any, bound: float) -> bool:
    """Whether two results are equal: numbers within the bound, text but for a trailing .0."""
    if isinstance(b, dict):
        return (
            isinstance(a, dict) and list(a) == list(b) and all(same(a[k], b[k], bound) for k in b)
        )
    if isinstance(b, str):
        plain = (re.sub(r"(?<=\d)\.0$", "", x, flags=re.MULTILINE) for x in (a, b))
        first, second = (re.sub(r" +", " ", x) for x in plain)
        return first == second
    if isinstance(b, tuple):
        return (
            isinstance(a, tuple)
            and len(a) == len(b)
            and all(same(x, y, bound) for x, y in zip(a, b, strict=True))
        )
    if a is None or b is None:
        return a is b
    x, y = np.asarray(a, float), np.asarray(b, float)
    return x.shape == y.shape and np.allclose(x, y, rtol=bound, atol=bound, equal_nan=True)
