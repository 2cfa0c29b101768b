"""Agreement of two coders, each measured against its own idea of chance."""

from __future__ import annotations

from functools import partial

from evenhand.core import table_promises as promises
from evenhand.core.arrays import Array, floating, namespace, real
from evenhand.core.binomial import at_least
from evenhand.core.counts import Counts, column
from evenhand.core.metrics.macro import macro_recall
from evenhand.core.metrics.micro import accuracy
from evenhand.core.metrics.one_class import precision, recall
from evenhand.core.ratio import ratio
from evenhand.core.registry import metric

HALVED, EDGE = 45, 1e-6
"""Halvings after which Aickin's alpha stands still, and how near its end they come."""

agreement = partial(metric, family="agreement", tasks=("single",), low=-1.0, precision=1e-14)


def categories(c: Counts) -> Array:
    """Classes that occur, and no class at all where that is predicted."""
    lost = real(c.outside + 0 * c.total)
    return c.seen + namespace(lost).where(lost > 0, 1.0, 0.0)


def _beyond(c: Counts, chance: Array) -> Array:
    """Agreement beyond chance, as a share of what chance leaves to gain."""
    return ratio(accuracy(c) - chance, 1 - chance, c.undefined)


def _either(c: Counts) -> Array:
    """The share of each class among the labels of both coders."""
    return (c.share(c.prevalence) + c.share(c.bias)) / 2


def _unlike(c: Counts) -> Array:
    """How often two labels differ that are drawn from those of both coders.

    Each class meets what the others have, added up by itself: 1 − Σ of squares would cancel.
    """
    others = c.share(c.others(c.prevalence)) + c.share(c.others(c.bias, c.outside))
    lost = c.outside_share / 2
    return c.whole.sum(_either(c) * others / 2) + lost * (1 - lost)


def _wrong(c: Counts) -> Array:
    """The share of items that the coders do not agree on."""
    return ratio(c.whole.sum(c.misses), floating(c.total))


@agreement(
    symbol="p_e",
    formula="p·b / s²",
    low=0.0,
    better="neither",
    reference="Cohen 1960",
    properties=promises.FIXED,
    example=0.33673469387755106,
)
def expected_accuracy(c: Counts) -> Array:
    """Accuracy of predictions that are as frequent but drawn by chance."""
    return c.whole.sum(c.share(c.prevalence) * c.share(c.bias))


@agreement(
    symbol="π",
    formula="(Acc − p_π) / (1 − p_π), with p_π = Σ ((prevalence + bias) / 2s)²",
    reference="Scott 1955",
    properties=promises.SCOTT_PI,
    example=0.4599807135969142,
)
def scott_pi(c: Counts) -> Array:
    """Scott's pi: agreement beyond that of labels drawn from one common mix."""
    chance = _unlike(c)
    found = 1 - ratio(_wrong(c), chance)
    return namespace(found).where(real(chance) == 0, c.undefined, found)


@agreement(
    symbol="S",
    formula="(Acc − 1/k) / (1 − 1/k), k the categories that occur",
    reference="Bennett, Alpert & Goldstein 1954",
    properties=promises.BENNETT,
    example=0.46428571428571436,
)
def bennett_s(c: Counts) -> Array:
    """Bennett's S: agreement beyond that of labels drawn evenly."""
    return _beyond(c, ratio(1.0 + 0 * c.seen, categories(c)))


@agreement(
    symbol="AC1",
    formula="(Acc − p_γ) / (1 − p_γ), with p_γ = Σ π·(1 − π) / (k − 1) "
    "and π = (prevalence + bias) / 2s",
    reference="Gwet 2008",
    properties=promises.BEYOND_CHANCE,
    example=0.4664125774178181,
)
def gwet_ac1(c: Counts) -> Array:
    """Gwet's AC1: agreement beyond chance, which skewed classes do not push to 1."""
    each, lost = _either(c), c.outside_share / 2
    spread = c.whole.sum(each * (1 - each)) + lost * (1 - lost)
    found = _beyond(c, ratio(spread, categories(c) - 1))
    alone = real(categories(c)) <= 1
    return namespace(found).where(alone, c.undefined, found)


@agreement(
    symbol="α",
    formula="1 − (1 − 1/2s)·(1 − Acc) / (1 − p_π), with p_π = Σ ((prevalence + bias) / 2s)²",
    size="matters",
    by_distance={
        "nominal": "krippendorff_alpha",
        "ordinal": "krippendorff_alpha_ordinal",
        "interval": "krippendorff_alpha_interval",
    },
    reference="Krippendorff 1970",
    properties=promises.ALPHA,
    example=0.4696239151398265,
)
def krippendorff_alpha(c: Counts) -> Array:
    """Krippendorff's alpha of nominal labels: Scott's pi, corrected for small samples."""
    few = 1 - ratio(0.5 + 0 * floating(c.total), c.total)
    chance = _unlike(c)
    kept = 1 - few * ratio(_wrong(c), chance)
    return namespace(kept).where(real(chance) == 0, c.undefined, kept)


@agreement(
    symbol="α_A",
    formula="(Acc − Σ a·b) / (1 − Σ a·b), "
    "with prevalence / s = (1 − α)·a + α·a·b / Σ a·b, b likewise",
    low=0.0,
    smooth=False,
    precision=1e-5,
    reference="Aickin 1990",
    properties=promises.AICKIN,
    example=0.4676066959743254,
)
def aickin_alpha(c: Counts) -> Array:
    """Aickin's alpha: share of items that both coders label for a reason, not by chance."""
    xp = namespace(c.bias)
    truth, guess, agreed = c.share(c.prevalence), c.share(c.bias), accuracy(c)
    low, high = 0 * agreed, agreed
    for _ in range(HALVED):  # the sum of a·b rises above what alpha leaves to chance
        alpha = (low + high) / 2
        chance = ratio(agreed - alpha, 1 - alpha)
        part = ratio(column(alpha), column(chance))
        less = ratio(truth - guess, 1 - column(alpha) + 0 * truth)
        a, b = _unsure(truth, less, alpha, part), _unsure(guess, -less, alpha, part)
        above = c.whole.sum(a * b) > chance
        low, high = xp.where(above, low, alpha), xp.where(above, alpha, high)
    chance = c.whole.sum(truth * guess)
    found = (low + high) / 2
    found = xp.where(agreed - found < EDGE, agreed, found)  # no agreement is left to chance
    found = xp.where(agreed <= chance, 0.0, found)
    return xp.where(chance == 1, c.undefined, xp.where(agreed == 1, 1.0, found))


def _unsure(share: Array, less: Array, alpha: Array, part: Array) -> Array:
    """a of (1 − α)·a + part·a·(a − less) = share, the larger root."""
    xp = namespace(share)
    slope = 1 - column(alpha) - part * less
    root = xp.sqrt(slope * slope + 4 * part * share)
    rising = slope >= 0
    return xp.where(
        rising,
        ratio(2 * share, xp.where(rising, slope + root, 1.0)),
        ratio(root - slope, 2 * part + 0 * root),
    )


@agreement(
    symbol="PABAK",
    formula="2·Acc − 1",
    reference="Byrt, Bishop & Carlin 1993",
    properties=promises.PABAK,
    example=0.2857142857142858,
)
def pabak(c: Counts) -> Array:
    """Prevalence- and bias-adjusted kappa: what kappa would be of two balanced classes."""
    return 2 * accuracy(c) - 1


@agreement(
    symbol="B",
    formula="Σ correct² / Σ prevalence·bias",
    low=0.0,
    reference="Bangdiwala 1985",
    properties=promises.BANGDIWALA,
    example=0.4166666666666666,
)
def bangdiwala_b(c: Counts) -> Array:
    """Bangdiwala's B: the agreement chart's dark squares as a share of its rectangles."""
    return ratio(c.whole.sum(c.share(c.correct) ** 2), expected_accuracy(c), c.undefined)


@agreement(
    symbol="NIR",
    formula="max prevalence / s",
    low=0.0,
    better="neither",
    reference="Kuhn 2008 (caret)",
    properties=promises.FIXED,
    example=0.42857142857142855,
)
def no_information_rate(c: Counts) -> Array:
    """Accuracy of predicting the most frequent class of every item."""
    return c.whole.largest(c.share(c.prevalence))


@agreement(
    symbol="p_NIR",
    formula="P(X ≥ Σ correct), X binomial of s items with probability no_information_rate",
    low=0.0,
    better="neither",
    size="matters",
    smooth=False,
    precision=1e-7,
    reference="Kuhn 2008 (caret)",
    properties=promises.DESCRIBES,
    example=0.018279346821163864,
)
def p_above_no_information_rate(c: Counts) -> Array:
    """p of the test that accuracy is above that of predicting the most frequent class."""
    rest = -c.whole.largest(-c.share(c.others(c.prevalence)))  # 1 − the rate would cancel
    hits, misses = c.whole.sum(c.correct), c.whole.sum(c.misses)
    return at_least(hits, misses, no_information_rate(c), rest)


@metric(
    symbol="CBA",
    formula="1/k · Σ correct / max(prevalence, bias)",
    family="macro",
    reference="Mosley 2013",
    alike=True,
    properties=promises.BALANCE,
    example=0.601851851851852,
)
def class_balance_accuracy(c: Counts) -> Array:
    """Mean of the smaller of each class's precision and recall."""
    more, less = floating(c.bias), floating(c.prevalence)
    xp = namespace(more)
    above, same = real(more) > real(less), real(more) == real(less)
    largest = xp.where(same, (more + less) / 2, xp.where(above, more, less))  # smooth at a tie
    return c.mean(ratio(c.correct, largest, c.undefined))


@metric(
    symbol="CSI",
    formula="1/k · Σ (correct / bias + correct / prevalence − 1)",
    family="macro",
    low=-1.0,
    reference="Labatut & Cherifi 2012",
    alike=True,
    precision=1e-14,
    properties=promises.SUCCESS,
    example=0.29351851851851846,
)
def macro_csi(c: Counts) -> Array:
    """Classification success index: mean of each class's precision plus recall less 1."""
    return c.mean(precision(c) + recall(c) - 1)


@metric(
    symbol="aBA",
    formula="(macR − 1/k) / (1 − 1/k)",
    family="macro",
    low=-1.0,
    reference="scikit-learn, balanced_accuracy_score(adjusted=True)",
    alike=True,
    precision=1e-14,
    properties=promises.ADJUSTED_RECALL,
    example=0.4791666666666667,
)
def adjusted_balanced_accuracy(c: Counts) -> Array:
    """Macro recall on a scale where guessing is 0."""
    k = c.averaged_classes
    guess = ratio(1.0 + 0 * k, k)
    return ratio(macro_recall(c) - guess, 1 - guess, c.undefined)
