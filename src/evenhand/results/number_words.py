"""The words of notes on numbers: how sure they are, how they rank, another mix of classes."""

from __future__ import annotations

from evenhand.errors import shown
from evenhand.notes import mix, ranks, sure
from evenhand.notes.note import Note
from evenhand.results.data_words import Sentence
from evenhand.results.text import counted, listed, number, p_words, percent, points
from evenhand.tables.labels import key_text

_WIDTHLESS = {
    "score": "it would have no width, which a perfect score, a constant one or an infinite slope "
    "gives, and that is not certainty",
    "class": "it would have no width",
    "difference": "the difference would have no width, as between systems that never or always "
    "differ there, or an infinite slope, and that is not certainty",
}


def _few_to_learn_from(note: mix.FewToLearnFrom) -> str:
    # of weighted items, as many as are worth as much
    to_be = "to be up to" if note.up_to else "to be"
    each = (
        f"{c.label!r} ({counted(float(f'{c.items:.3g}'), 'item')}, {to_be} {percent(c.share)})"
        for c in note.classes
    )
    return f"few items to learn from: {listed(each)}"


def _new_kinds(note: mix.NewKinds) -> str:
    kinds = [*map(repr, note.labels), *["no class at all"] * note.outside]
    return (
        f"{percent(note.share)} of the new predictions are of a kind never predicted on the "
        f"labelled data ({listed(kinds)}): they say nothing about the mix and are left aside"
    )


_WHY = {
    "saerens": "more than the class mix has changed, or the probabilities are not calibrated",
    "stated": "the stated mix does not hold, or more than the class mix has changed",
}


def _misfit(note: mix.Misfit) -> str:
    called = "stated mix" if note.method == "stated" else f"mix by {note.method}"
    far, detail = note.farthest, ""
    if far is not None:
        more = "more" if far.measured > far.expected else "less"
        detail = (
            f" (most of all {far.label!r}: {percent(far.measured)} of the predictions, "
            f"{points(abs(far.measured - far.expected))} {more} than expected)"
        )
    why = _WHY.get(note.method, "more than the class mix has changed")
    return (
        f"the {called} does not explain the predictions, {p_words(note.p)}{detail}: {why}, and "
        "the expected scores are not to be trusted"
    )


def _outside_simplex(note: mix.OutsideSimplex) -> str:
    out = listed(f"{label!r} {number(share)}" for label, share in note.shares)
    return (
        f"the adjusted count leaves the simplex ({out}): no class mix gives exactly these shares; "
        "the likelihood stays inside"
    )


def _same_answers(note: sure.SameAnswers) -> str:
    where = f"in {counted(note.slices, 'slice')} " if note.slices else ""
    items = f"{'as few as ' if note.slices > 1 else ''}{counted(note.items, 'item')}"
    items += f" that concern {note.metric}" if note.metric else ""
    return (
        f"{where}the two systems give the same answer on all of {items}: that passes, but so few "
        f"would be alike in 1 of {1 / (1 - note.level):.0f} cases if answers differed on "
        f"{percent(note.share)}"
    )


OF_NUMBERS: dict[type[Note], Sentence] = {
    sure.FewTelling: "all annotators gave the commonest label to all but {items} of {n:item}: "
    "agreement and its interval rest on these few",
    sure.NoWidth: lambda n: f"no interval for {listed(n.names, 4)}: {_WIDTHLESS[n.of]}",
    sure.UnknownVariance: "no intervals: a table of fractions does not say how its items vary "
    "(give a Sample, or count the items with weights)",
    sure.NoGradient: "no interval for {metric} but by the bootstrap: {reason}",
    sure.FewTrueItems: "{labels:have} fewer than {few} true items ({labels}): intervals of "
    "averages over classes may be too narrow there",
    sure.FewHits: lambda n: (
        f"{'1 class has' if len(n.labels) == 1 else f'{len(n.labels):,} classes have'} fewer than "
        f"{n.few} predictions or {n.hits} hits{f' by {listed(n.systems, 4)}' if n.systems else ''} "
        f"({shown(n.labels)}): intervals of averages over classes may be too narrow there"
    ),
    sure.Biased: "no interval for {names:names}: chance makes it larger than it is, the more so "
    "the fewer items a class has (twins has it corrected)",
    sure.ZeroOverZero: "some class's ratio is 0/0 and counts as {worth:g}: the delta intervals of "
    "{metrics:names} take it as fixed",
    sure.SameAnswers: _same_answers,
    sure.FewClusters: "only {clusters:cluster}: too few to rely on how clusters vary",
    sure.ChosenHere: lambda n: (
        f"{n.metric} {number(n.value)} is that of a threshold chosen on these very items "
        f"({n.label!r} from {n.threshold:g} on), which flatters it by about {points(n.optimism)}"
        f"{'' if n.se is None else f' (± {points(n.se)})'}: of new items {number(n.expected)} can "
        "be expected"
    ),
    sure.UnknownOptimism: "{metric} is that of a threshold chosen on these very items ({label!r} "
    "from {threshold:g} on), which flatters it; by how much, so few do not tell",
    sure.OneCluster: lambda n: (
        f"slices left out: {listed(map(key_text, n.keys))}; one cluster tells nothing of how "
        "clusters vary"
    ),
    sure.FoldsLackClasses: "in {lacking:,} of {folds:,} folds some class has no true item "
    "({labels}): averages run over the others there, and the mean of folds mixes the two; stratify "
    "the folds, or look at the pooled score",
    ranks.ManyPairs: "more than {classes:,} classes: their pairs are not looked at",
    ranks.TablesAlone: "tables alone: without the items, no rank intervals, no chance of being "
    "best, no tests between systems (give the label files)",
    ranks.OtherItems: "the tables do not have the same true labels, so the systems were not scored "
    "on the same items: differences may come from the items",
    ranks.OneRunOnly: "{systems}: one run only, so the spread between runs is not in its interval",
    ranks.UndefinedFor: "undefined for some system, which then ranks last: {metrics:names}",
    ranks.LeftOut: "left out {system}: {reason}",
    mix.NeverLabelled: "{labels:classes} never true in the labelled data: nothing is known of such "
    "items, and their share is taken as 0",
    mix.NoShare: "{labels:classes} given a share of 0: recall is 0/0 there, in averages too; leave "
    "such a class out of them",
    mix.FewToLearnFrom: _few_to_learn_from,
    mix.LessThanAnItem: "at this mix one more error of another class would more than double the "
    "predictions of {labels}: intervals of averages over classes may be too narrow there",
    mix.TakenAsCertain: "recall of {labels} is 0 or 1, and these intervals make too much of that: "
    "they are too narrow",
    mix.GainPerItem: "{metric} at a stated mix is the gain per item, not over all items",
    mix.Unpaired: "the two tables do not say which items they share: the range of doubt takes them "
    "as independent",
    mix.FewLabelled: "fewer than {few} labelled items of {labels}: their rates are hardly known",
    mix.UnknownLabels: "predicted but unknown to the table: {labels}; counted as outside "
    "({share:share} of the predictions with those that are null)",
    mix.NewKinds: _new_kinds,
    mix.Misfit: _misfit,
    mix.AboveOne: "precision of {labels} by the measured share of predictions is above 1 "
    "({most:score}): fewer predictions than this mix must give",
    mix.OutsideSimplex: _outside_simplex,
    mix.SingularRates: "the rates are singular: {labels} are predicted too much alike, so that "
    "their shares cannot be told apart; there is no adjusted count, and the likelihood has many "
    "tops of which it gives one",
    mix.IllConditionedRates: "the rates are ill-conditioned: {labels} are predicted too much "
    "alike; an error of 1 point in the shares of predictions can move the mix by "
    "{amplification:hundredths}",
    mix.NotShownLikeliest: "the mix by {method} is not shown to be the most likely one: another "
    "may have a log-likelihood larger by up to {lack:.1g} an item",
    mix.DrawsNearTop: "the intervals rest on draws that EM alone brought near the top: more takes "
    "too long",
    mix.ItemsForgotten: "no intervals: a weighted table has forgotten its items; give the labelled "
    "items themselves",
    mix.SharesAlone: "shares without a number of items: the intervals cover the labelled sample "
    "alone, and there is no test of fit",
    mix.FewerReplicates: "{replicates:,} replicates, not more: this many classes or items take "
    "long",
}
