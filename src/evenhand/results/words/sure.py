"""Words on intervals and tests."""

from __future__ import annotations

from evenhand.errors import shown
from evenhand.notes.sure import (
    FewClusters,
    FewTrueItems,
    NoGradient,
    NoWidth,
    UnknownVariance,
    ZeroOverZero,
)
from evenhand.results.text import listed
from evenhand.results.words.say import says

_WIDTHLESS = {
    "score": "it would have no width, which a perfect score, a constant one or an infinite slope "
    "gives, and that is not certainty",
    "class": "it would have no width",
    "difference": "the difference would have no width, as between systems that never differ "
    "there, and that is not certainty",
}


@says(NoWidth, "some scores have no interval, which would have no width,")
def _no_width(note: NoWidth) -> str:
    return f"no interval for {listed(note.names, 4)}: {_WIDTHLESS[note.of]}"


@says(UnknownVariance, "there are no intervals: tables of fractions do not say how items vary,")
def _unknown_variance(note: UnknownVariance) -> str:
    return (
        "no intervals: a table of fractions does not say how its items vary (give a Sample, or "
        "count the items with weights)"
    )


@says(NoGradient, "a metric has no gradient, and so no interval,")
def _no_gradient(note: NoGradient) -> str:
    return f"no gradient of {note.metric}: {note.reason}"


@says(FewTrueItems, "classes have few true items, and intervals of averages are too narrow,")
def _few_true_items(note: FewTrueItems) -> str:
    many = len(note.labels)
    have = "1 class has" if many == 1 else f"{many:,} classes have"
    return (
        f"{have} fewer than {note.few} true items ({shown(note.labels)}): intervals of averages "
        "over classes are too narrow there"
    )


@says(ZeroOverZero, "delta intervals take a ratio of 0/0 as fixed")
def _zero_over_zero(note: ZeroOverZero) -> str:
    return (
        f"some class's ratio is 0/0 and counts as {note.worth:g}: the delta intervals of "
        f"{listed(note.metrics)} take it as fixed"
    )


@says(FewClusters, "there are too few clusters to rely on how clusters vary")
def _few_clusters(note: FewClusters) -> str:
    return f"only {note.clusters} clusters: too few to rely on how clusters vary"
