"""Results that the tests of pictures and reports share."""

from functools import cache

import numpy as np

import evenhand as eh
from evenhand.reporting.report import report_of_board, report_of_scores

HOSTILE = [
    "<script>alert(1)</script>",
    '=HYPERLINK("x")',
    r"\input{x}",
    "a|b",
    "🎉🧪",
    "שלום\u200f\u202eevil",
    "x" * 200,
    "x" * 200 + "y",
    "</script><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "[link](javascript:alert(1))",
    "${7*7} {{7*7}} datum.x",
    "new\nline\x1b[31m",
    "",
    "a ",
    "a",
]


@cache
def sample(k=4, systems=5, n=400, seed=0, called="system {}"):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    names = [f"class {i}" for i in range(k)]
    runs = {}
    for i in range(systems):
        p = np.where(rng.random(n) < 0.5 + 0.4 * i / systems, y, rng.integers(0, k, n))
        runs[called.format(i)] = [names[j] for j in p]
    return eh.Sample.from_labels([names[i] for i in y], runs)


@cache
def hostile():
    rng = np.random.default_rng(1)
    k = len(HOSTILE)
    y = np.tile(np.arange(k), 20)
    runs = {}
    for i, name in enumerate(HOSTILE):
        p = np.where(rng.random(len(y)) < 0.4 + 0.03 * i, y, rng.integers(0, k, len(y)))
        runs[name] = [HOSTILE[j] for j in p]
    return eh.Sample.from_labels([HOSTILE[i] for i in y], runs)


@cache
def board(hostile_names=False):
    return eh.rank(hostile() if hostile_names else sample(), replicates=60)


@cache
def table(hostile_names=False):
    return (hostile() if hostile_names else sample()).tables()[0]


PAGES = {
    "several": ("board", False),
    "one": ("score", False),
    "several, hostile": ("board", True),
    "one, hostile": ("score", True),
    "many": ("many", False),
    "two classes": ("two", False),
}
"""Pages that a browser is shown."""


@cache
def report(kind="board", hostile_names=False):
    if kind == "many":
        data = sample(20, 30, 2000, called="team {:02d}")
        return eh.report(data, replicates=60, title="Thirty systems, twenty classes")
    if kind == "two":
        return eh.report(sample(2, 1).tables()[0], title="Two classes")
    data = hostile() if hostile_names else sample()
    title = HOSTILE[0] if hostile_names else "A report"
    if kind == "board":
        return report_of_board(board(hostile_names), data, data, title=title)
    one = table(hostile_names)
    return report_of_scores(eh.score(one), one, title=title)


@cache
def page(kind="board", hostile_names=False):
    return report(kind, hostile_names).to_html()


@cache
def charts(hostile_names=False):
    data, one = (hostile() if hostile_names else sample()), table(hostile_names)
    first, second = (s.name for s in board(hostile_names).systems[:2])
    truth = np.repeat(np.arange(one.k), 5)
    soft = eh.Sample.from_probabilities(
        [one.labels[i] for i in truth],
        {first: np.full((len(truth), one.k), 1 / one.k)},
        labels=one.labels,
    )
    pair = eh.Sample.from_labels(
        [one.labels[i] for i in truth],
        {first: [one.labels[i] for i in truth], second: [one.labels[0]] * len(truth)},
    )
    swept = eh.shift.sweep(pair, label=one.labels[0], metrics=["macro_f1", "accuracy"])
    plot = eh.plot
    return {
        "confusion": plot.confusion(one),
        "confusion by column": plot.confusion(one, normalise="pred"),
        "confusion counts": plot.confusion(one, normalise=None),
        "confusions": plot.confusions(one),
        "classes": plot.classes(one),
        "gap": plot.gap(one),
        "lemma": plot.lemma(one),
        "ring": plot.ring(one),
        "ring of two": plot.ring(one, pair.table(second), intervals=True),
        "prevalence": plot.prevalence(swept),
        "prevalence of one": plot.prevalence(eh.shift.sweep(one, label=one.labels[0])),
        "mixes": plot.mixes(eh.shift.extrapolate(one)),
        "leaderboard": plot.leaderboard(board(hostile_names)),
        "ranks": plot.ranks(board(hostile_names)),
        "panel": plot.panel(data),
        "differences": plot.differences(eh.compare(pair, replicates=20)),
        "reliability": plot.reliability(soft),
        "histogram": plot.histogram(soft),
        "roc": plot.roc(soft),
        "roc of a class": plot.roc(soft, label=one.labels[0]),
        "precision and recall": plot.precision_recall(soft),
        "thresholds": plot.thresholds(eh.thresholds(soft, label=one.labels[0])),
    }
