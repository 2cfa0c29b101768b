"""Warnings about class mixes."""

from __future__ import annotations

from typing import Any

from evenhand.records import Record
from evenhand.text import counted, listed, p_words, percent, points
from evenhand.warnings import Note, ResultWarning


class NeverLabelled(ResultWarning):
    """Classes without a labelled item."""

    template = """{labels:classes} never true in the labelled data: nothing is known of such items,
    and their share is taken as 0"""

    labels: tuple[Any, ...]


class NoShare(ResultWarning):
    """Classes that have items although their share is set to 0."""

    template = """{labels:classes} given a share of 0: recall is 0/0 there, in averages too; leave
    such a class out of them"""

    labels: tuple[Any, ...]


class FewItems(Record):
    """A class with its number of items and its new share."""

    label: Any
    items: float
    share: float


class FewToLearnFrom(ResultWarning):
    """Classes with few items for the new share, or for shares ``up_to`` it."""

    classes: tuple[FewItems, ...]
    up_to: bool = False

    def _sentence(self) -> str:
        # of weighted items, as many as are worth as much
        to_be = "to be up to" if self.up_to else "to be"
        each = (
            f"{c.label!r} ({counted(float(f'{c.items:.3g}'), 'item')}, {to_be} {percent(c.share)})"
            for c in self.classes
        )
        return f"few items to learn from: {listed(each)}"


class LessThanAnItem(ResultWarning):
    """Classes whose predictions at a mix weigh less than one item of another class."""

    template = """at this mix one more error of another class would more than double the predictions
    of {labels}: intervals of averages over classes may be too narrow there"""

    labels: tuple[Any, ...]


class TakenAsCertain(ResultWarning):
    """Classes whose recall is 0 or 1, which intervals treat as certain."""

    template = """recall of {labels} is 0 or 1, and these intervals make too much of that: they are
    too narrow"""

    labels: tuple[Any, ...]


class PrecisionAboveOne(ResultWarning):
    """Classes of which a mix gives more hits than predictions were measured."""

    template = """precision of {labels} is above 1 by the measured share of predictions: the mix
    gives more hits than there are predictions, so the mix or the rates do not hold there"""

    labels: tuple[Any, ...]


class GainPerItem(Note):
    """A metric that is a sum over items is shown per item at a stated mix."""

    template = "{metric} at a stated mix is the gain per item, not over all items"

    metric: str


class Unpaired(Note):
    """Two tables whose items cannot be paired."""

    template = """the two tables do not say which items they share: the range of doubt takes them as
    independent"""


class FewLabelled(ResultWarning):
    """Classes with few labelled items, whose rates are uncertain."""

    template = "fewer than {few} labelled items of {labels}: their rates are hardly known"

    labels: tuple[Any, ...]
    few: int


class NotCalibrated(ResultWarning):
    """Probabilities of new items whose calibration cannot be checked on labelled ones."""

    template = """the mix by Saerens takes the probabilities to be calibrated, which labels do not
    show: give the probabilities of the labelled items too"""


class UnknownLabels(ResultWarning):
    """Labels predicted for new items that are no class of the table.

    ``share`` is the share of all such predictions.
    """

    template = """predicted but unknown to the table: {labels}; counted as outside ({share:share} of
    the predictions with those that are null)"""

    labels: tuple[Any, ...]
    share: float


class NewKinds(ResultWarning):
    """Classes that are predicted for new items and never for labelled ones.

    ``outside`` says whether predictions of no class are among them; ``share`` is their sum.
    """

    labels: tuple[Any, ...]
    outside: bool
    share: float

    def _sentence(self) -> str:
        kinds = [*map(repr, self.labels), *["no class"] * self.outside]
        return (
            f"{percent(self.share)} of the new predictions are of a kind never predicted on the "
            f"labelled data ({listed(kinds)}): they say nothing about the mix and are left aside"
        )


class Farthest(Record):
    """The class whose measured share of predictions differs most from the expected one."""

    label: Any
    measured: float
    expected: float


class Misfit(ResultWarning):
    """A mix that does not explain the new predictions."""

    method: str
    p: float
    farthest: Farthest | None = None

    def _sentence(self) -> str:
        called = "stated mix" if self.method == "stated" else f"mix by {self.method}"
        far, detail = self.farthest, ""
        if far is not None:
            more = "more" if far.measured > far.expected else "less"
            detail = (
                f" (most of all {far.label!r}: {percent(far.measured)} of the predictions, "
                f"{points(abs(far.measured - far.expected))} {more} than expected)"
            )
        why = {
            "saerens": "{}, or the probabilities are not calibrated",
            "stated": "the stated mix does not hold, or {}",
        }.get(self.method, "{}").format("more than the class mix has changed")
        return (
            f"the {called} does not explain the predictions, {p_words(self.p)}{detail}: {why}, and "
            "the expected scores are not to be trusted"
        )


class OutsideSimplex(ResultWarning):
    """Shares by the adjusted count that are below 0 or above 1."""

    template = """the adjusted count gives shares that cannot be ({shares:shares}): no class
    mix explains these predictions exactly; scores take shares below 0 for 0, and shares by
    likelihood stay between 0 and 1"""

    shares: tuple[tuple[Any, float], ...]


class SingularRates(ResultWarning):
    """Classes with equal prediction rates, whose shares cannot be estimated."""

    template = """the rates are singular: {labels} are predicted too much alike to estimate their
    shares; there is no adjusted count, and the likelihood has many maxima, of which this is one"""

    labels: tuple[Any, ...]


class IllConditionedRates(ResultWarning):
    """Classes with similar prediction rates, and the factor by which errors grow."""

    template = """the rates are ill-conditioned: {labels} are predicted too much alike; an error of
    1 point in the shares of predictions can move the mix by {amplification:hundredths}"""

    labels: tuple[Any, ...]
    amplification: float


class ItemsForgotten(Note):
    """A weighted table, whose items cannot be resampled."""

    template = """no intervals: a weighted table has forgotten its items; give the labelled items
    themselves"""


class SharesAlone(Note):
    """New predictions as shares, without the number of items."""

    template = """shares without a number of items: the intervals cover the labelled sample alone,
    and there is no test of fit"""
