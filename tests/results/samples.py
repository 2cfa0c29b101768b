"""One of every kind of result, of friendly or of hostile labels."""

from functools import cache

import numpy as np

import evenhand as eh
from evenhand.catalogue.lists import table_metrics
from evenhand.results.result import Result

FRIENDLY = ["ham", "spam", "other"]
HOSTILE = [
    "<script>alert(1)</script>",
    '=HYPERLINK("http://x")',
    "-1",
    r"\input{x}",
    r"\end{tabular}",
    "a|b",
    'quo"te, comma',
    "🎉🧪",
    "שלום\u200f\u202eevil",
    "\x1b[31mred\x1b[0m",
    "new\nline",
    "null\x00byte",
    "line\u2028separator",
    "x" * 200,
    "_under_ & 100% #1 $5",
    "[link](javascript:alert(1))",
    "[0pt]",
    "*",
    "",
    "{{7*7}} %s {0} −1",
]


@cache
def items(labels):
    """True labels, and three systems that are right more and more often; strays and gaps."""
    rng = np.random.default_rng(3)
    k = len(labels)
    truth = np.tile(np.arange(k - 1), 30)  # the last label is never true
    systems = {}
    for i in range(3):
        guess = rng.integers(0, k, len(truth))
        found = np.where(rng.random(len(truth)) < 0.5 + 0.1 * i, truth, guess)
        answers = [labels[j] for j in found]
        answers[7] = None
        systems[labels[i]] = answers
    return [labels[j] for j in truth], systems


@cache
def every_result(labels) -> dict[str, Result]:
    """Every kind of result by name."""
    from evenhand.results.metric_pages import Catalogue, Differences, Explained

    truth, systems = items(labels)
    first = next(iter(systems.values()))
    two = dict(list(systems.items())[:2])
    by = [labels[i % 2] for i in range(len(truth))]
    halves = [labels[i * 2 // len(truth)] for i in range(len(truth))]
    table = eh.Confusion.from_labels(truth, first)
    few = {"metrics": ["macro_f1", "accuracy", "mcc", "macro_f1@uniform"]}
    drawn = {"replicates": 30, "seed": 1}
    mix = {label: 1 / (len(labels) - 1) for label in labels[:-1]}
    soft = eh.Sample.from_probabilities(
        truth,
        {labels[0]: np.random.default_rng(4).dirichlet(np.ones(len(labels)), len(truth))},
        labels=labels,
    )
    rows = [
        {"name": label, "macro_precision": "0.7", "macro_recall": "0.5", "macro_f1": f1}
        for label, f1 in zip(labels, ("0.9", "0.58", "0.55"), strict=False)
    ]
    return {
        "scores": eh.score(table, **few),
        "scores of probabilities": eh.score(soft, metrics=[*few["metrics"], "expected_macro_f1"]),
        "thresholds": eh.thresholds(soft, label=labels[0], at=[0, 0.1, 0.3, 1], seed=1),
        "report of probabilities": eh.report(soft, **few),
        "slices": eh.score(truth, first, by=by, **few),
        "twins": eh.twins(table),
        "groups": eh.groups(truth, first, by=halves, metrics=["macro_f1", "accuracy"]),
        "agreement": eh.agree(systems),
        "twins of slices": eh.twins(truth, first, by=by),
        "comparison": eh.compare(truth, two, **few, **drawn),
        "comparison of slices": eh.compare(truth, systems, by=by, **few, **drawn),
        "comparison with a baseline": eh.compare(truth, two, baseline=labels[0], **few, **drawn),
        "gate": eh.gate(truth, two, margin=0.05, metrics="macro_f1"),
        "gate of slices": eh.gate(truth, two, margin=0.3, by=by, **few),
        "plan": eh.plan(table, width=0.1, **few),
        "plan of labels": eh.plan(
            [t if i % 3 else None for i, t in enumerate(truth)],
            first,
            judge=[answer or labels[0] for answer in two[labels[1]]],
            width=0.5,
            metrics=["accuracy", "mcc"],
        ),
        "cross-validated": eh.cross_validated(
            truth, systems, fold=[i % 5 for i in range(len(truth))], **few
        ),
        "board": eh.rank(truth, systems, by=by, **few, **drawn),
        "extrapolation": eh.shift.extrapolate(table, to=mix, **few),
        "sweep": eh.shift.sweep(
            eh.Sample.from_labels(truth, two), label=labels[0], at=[0.1, 0.4, 0.9], **few
        ),
        "estimate": eh.shift.estimate_prevalence(table, predicted=first, **few, **drawn),
        "drift": eh.shift.drift(table, first, **few, **drawn),
        "audit": eh.audit(rows, rerank=True),
        "audits": eh.Audits(
            ((labels[0], eh.audit(rows)), (labels[1], eh.audit(rows[1:], rerank=True)))
        ),
        "which": eh.which("0.725", "0.5667", "0.6042"),
        "profiles": eh.properties.table(metrics=["accuracy", "kappa"], sizes=(2,)),
        "profile": eh.properties.check("accuracy", sizes=(2,)),
        "found": eh.properties.find("disagree", "accuracy", "macro_f1", k=2, n=20),
        "claims": eh.papers.recompute(["001"]),
        "report": eh.report(table, **few),
        "report of several": eh.report(truth, systems, **few, **drawn),
        "look": look_of(labels),
        "looks": eh.Looks((look_of(labels),), (f"evenhand {labels[1]}",)),
        "catalogue": Catalogue(tuple(table_metrics()[m] for m in ("macro_f1", "kappa"))),
        "explained": Explained(eh.score(table, **few)["macro_f1"].signature),
        "differences": Differences(
            eh.score(table).signature, eh.score(table, undefined=1).signature
        ),
    }


def look_of(labels):
    """What is seen in a file whose columns and values are these."""
    from evenhand.data.roles import ColumnProfile

    columns = [
        ColumnProfile(label, i + 1, "text", 2, 0, tuple(labels[:2]), role)
        for i, (label, role) in enumerate(
            zip(labels, ["truth", "predictions", "ids"], strict=False)
        )
    ]
    return eh.Look(labels[0], "CSV", "utf-8", 3, tuple(columns), command=f"evenhand {labels[1]}")


def kinds(of=Result):
    """Every result type there is."""
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)
