"""Meaning: what a metric's number says in a sentence, when it is the one to use and when not."""

from __future__ import annotations

from evenhand.core.registry import Metric

MEANINGS = {
    "accuracy": "the chance that a prediction for an item drawn at random is right",
    "macro_recall": "draw a class, then an item from the bag of that class: the chance that it is "
    "right; k times it less 1 is what a bookmaker with fair odds pays for a unit staked",
    "bookmaker_gain": "what a bookmaker with fair odds has paid after one unit on every prediction",
    "macro_f1": "the F1 to expect of a class drawn at random",
    "f1_of_averages": "how far two annotators agree, each measured by macro recall with the other "
    "as the truth: the harmonic mean of the two",
    "kappa": "which part of the agreement that chance leaves open is reached",
    "precision": "the chance that a prediction of the class is right",
    "recall": "the chance that an item of the class is found",
    "f1": "of the items that are of the class or were taken for it, counted from both sides, the "
    "share that is both",
    "weighted_kappa": "which part of the cost that predictions drawn by chance have is spared",
    "krippendorff_alpha": "which part of the disagreement of labels drawn by chance is spared",
    "mean_cost": "what the errors cost, an item",
}
"""Readings of the papers and of those who made a metric; of the others the summary says it."""

USES = {
    "micro": (
        "every item matters the same, and the class mix of the test set is that of the use",
        "a rare class matters: a system that never predicts it can score high",
    ),
    "macro": (
        "every class matters the same, however rare",
        "classes have a handful of items, each of which then moves it a lot",
    ),
    "weighted": (
        "a value for each class is wanted and items are to weigh the same",
        "systems are compared on test sets of different class mixes",
    ),
    "agreement": (
        "two annotators are compared, or guessing by the class mix is to be worth nothing",
        "data sets of different class mixes are compared, which chance depends on",
    ),
    "information": (
        "what predictions tell is asked for, whatever the classes are called",
        "right and wrong matter: a system that swaps two classes tells as much",
    ),
    "association": (
        "truth and prediction are two ways to sort items, as clusters are",
        "right and wrong matter: most of them do not see which class is which",
    ),
    "distance": (
        "some errors are worse than others: classes in order, in a tree, or with costs",
        "classes are mere names, whose order in the table means nothing",
    ),
    "gain": ("a sum in units of a stake is wanted", "test sets of different sizes are compared"),
    "one_class": (
        "one class is what matters, or each is shown",
        "one number for all classes is wanted: take an average of it",
    ),
    "detection": (
        "a class against all others, as in screening",
        "one number for all classes is wanted: take an average of it",
    ),
    "odds": (
        "evidence for one class is weighed, as in diagnosis",
        "no error was made of some kind: it is infinite or undefined there",
    ),
    "items": (
        "items have several labels and each item matters the same",
        "labels are to matter the same: take a macro average",
    ),
}
"""By family: when a metric is the one to use, and when it is not."""


def said_of(metric: Metric) -> list[tuple[str, str]]:
    """What its number means, when to use it and when not, as far as that is said."""
    use, avoid = USES.get(metric.family, ("", ""))
    return [("means", MEANINGS.get(metric.name, "")), ("use it where", use), ("not where", avoid)]
