"""Words on class mixes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand.errors import shown
from evenhand.notes.mix import (
    AboveOne,
    DrawsNearTop,
    FewerReplicates,
    FewLabelled,
    FewToLearnFrom,
    GainPerItem,
    IllConditionedRates,
    ItemsForgotten,
    Misfit,
    NeverLabelled,
    NewKinds,
    NoShare,
    NotShownLikeliest,
    OutsideSimplex,
    SharesAlone,
    SingularRates,
    UnknownLabels,
    Unpaired,
)
from evenhand.results.text import counted, listed, number, p_words, percent, points
from evenhand.results.words.say import says


def _classes(labels: Sequence[Any]) -> str:
    return f"class {shown(labels)} is" if len(labels) == 1 else f"classes {shown(labels)} are"


@says(NeverLabelled)
def _never_labelled(note: NeverLabelled) -> str:
    return (
        f"{_classes(note.labels)} never true in the labelled data: nothing is known of such "
        "items, and their share is taken as 0"
    )


@says(NoShare)
def _no_share(note: NoShare) -> str:
    return (
        f"{_classes(note.labels)} given a share of 0: no recall there, 0/0 in the averages; "
        "leave such a class out with classes= (--exclude)"
    )


@says(FewToLearnFrom)
def _few_to_learn_from(note: FewToLearnFrom) -> str:
    each = (
        f"{shown([c.label])} ({_items(c.items)}, to be {percent(c.share)})" for c in note.classes
    )
    return f"few items to learn from: {listed(each)}"


def _items(many: float) -> str:
    return counted(float(f"{many:.3g}"), "item")  # of weighted items, those worth as much


@says(GainPerItem)
def _gain_per_item(note: GainPerItem) -> str:
    return f"{note.metric} at a stated mix is the gain per item, not over all items"


@says(Unpaired)
def _unpaired(note: Unpaired) -> str:
    return (
        "the two tables do not say which items they share: the range of doubt takes them as "
        "independent"
    )


@says(FewLabelled)
def _few_labelled(note: FewLabelled) -> str:
    return (
        f"fewer than {note.few} labelled items of {shown(note.labels)}: their rates are hardly "
        "known"
    )


@says(UnknownLabels)
def _unknown_labels(note: UnknownLabels) -> str:
    return (
        f"predicted but unknown to the table: {shown(note.labels)}; counted as outside "
        f"({percent(note.share)} of the predictions with those that are null)"
    )


@says(NewKinds)
def _new_kinds(note: NewKinds) -> str:
    kinds = [*(shown([label]) for label in note.labels), *["no class at all"] * note.outside]
    return (
        f"{percent(note.share)} of the new predictions are of a kind never predicted on the "
        f"labelled data ({listed(kinds)}): they say nothing about the mix and are left aside"
    )


_WHY = {
    "saerens": "more than the class mix has changed, or the probabilities are not calibrated",
    "stated": "the stated mix does not hold, or more than the class mix has changed",
}


@says(Misfit)
def _misfit(note: Misfit) -> str:
    mix = "stated mix" if note.method == "stated" else f"mix by {note.method}"
    far, detail = note.farthest, ""
    if far is not None:
        more = "more" if far.measured > far.expected else "less"
        detail = (
            f" (most of all {shown([far.label])}: {percent(far.measured)} of the predictions, "
            f"{points(abs(far.measured - far.expected))} {more} than expected)"
        )
    why = _WHY.get(note.method, "more than the class mix has changed")
    return (
        f"the {mix} does not explain the predictions, {p_words(note.p)}{detail}: {why}, and the "
        "expected scores are not to be trusted"
    )


@says(AboveOne)
def _above_one(note: AboveOne) -> str:
    return (
        f"precision of {shown(note.labels)} by the measured share of predictions is above 1 "
        f"({number(note.most)}): fewer predictions than this mix must give"
    )


@says(OutsideSimplex)
def _outside_simplex(note: OutsideSimplex) -> str:
    out = listed(f"{shown([label])} {number(share)}" for label, share in note.shares)
    return (
        f"the adjusted count leaves the simplex ({out}): no class mix gives exactly these shares; "
        "the likelihood stays inside"
    )


@says(SingularRates)
def _singular_rates(note: SingularRates) -> str:
    return (
        f"the rates are singular: {shown(note.labels)} are predicted too much alike, so that "
        "their shares cannot be told apart; there is no adjusted count, and the likelihood has "
        "many tops of which it gives one"
    )


@says(IllConditionedRates)
def _ill_conditioned_rates(note: IllConditionedRates) -> str:
    return (
        f"the rates are ill-conditioned: {shown(note.labels)} are predicted too much alike; an "
        "error of 1 point in the shares of predictions can move the mix by "
        f"{points(note.amplification / 100)}"
    )


@says(NotShownLikeliest)
def _not_shown_likeliest(note: NotShownLikeliest) -> str:
    return (
        f"the mix by {note.method} is not shown to be the most likely one: another may have a "
        f"log-likelihood larger by up to {note.lack:.1g} an item"
    )


@says(DrawsNearTop)
def _draws_near_top(note: DrawsNearTop) -> str:
    return "the intervals rest on draws that EM alone brought near the top: more takes too long"


@says(ItemsForgotten)
def _items_forgotten(note: ItemsForgotten) -> str:
    return (
        "no intervals: a weighted table has forgotten its items; give the labelled items themselves"
    )


@says(SharesAlone)
def _shares_alone(note: SharesAlone) -> str:
    return (
        "shares without a number of items: the intervals cover the labelled sample alone, and "
        "there is no test of fit"
    )


@says(FewerReplicates)
def _fewer_replicates(note: FewerReplicates) -> str:
    return f"{note.replicates:,} replicates, not more: this many classes or items take long"
