"""Agreement beyond chance: kappa, pi, alpha and others."""

from __future__ import annotations

from functools import partial

from evenhand.core.arrays import Array, floating, namespace, within_one
from evenhand.core.distributions import at_least
from evenhand.core.margins import Counts, across_classes
from evenhand.core.metrics.accuracy import accuracy
from evenhand.core.metrics.macro import macro_recall
from evenhand.core.metrics.per_class import precision, recall
from evenhand.core.properties import (
    BOTH_RISE,
    DESCRIBES,
    FIXED,
    RECALL,
    by_rows,
    derived,
    mean_of,
    of_accuracy,
    same_as,
)
from evenhand.core.ratio import ratio
from evenhand.core.registry import metric


def _shares(c: Counts) -> tuple[Array, Array, Array, Array, Array]:
    """Shares of items of each class, predicted as it, not of it and not predicted as it, and
    (c·s − p·b)/s² as the sum over classes of tp·tn − fp·fn.

    tn is the other classes' hits and the errors that do not touch the class: all others' misses
    without its alarms, or all others' alarms without its misses. The smaller of the two is
    taken off: hits times what that can cancel never exceed the smaller of Σ p·(s − p) and
    Σ b·(s − b), which the result is a share of.
    """
    misses, alarms = c.false_negatives, c.false_positives
    hits, missed = c.leave_one_out_sum(c.correct), c.leave_one_out_sum(misses)
    alarmed = c.leave_one_out_sum(alarms, c.outside)
    fewer = misses < alarms
    xp = namespace(misses, alarms)
    untouched = xp.where(fewer, alarmed - misses, missed - alarms)
    true, predicted, untrue, unpredicted, rest = (
        c.share(x) for x in (c.prevalence, c.bias, hits + missed, hits + alarmed, hits + untouched)
    )
    each = c.share(c.correct) * rest - c.share(alarms) * c.share(misses)
    return true, predicted, untrue, unpredicted, c.all_classes.sum(each)


_CHANCE = "c·s = s²·Σπ_i z_i = p·b for random predictions: numerator 0"
KAPPA = derived(
    "0, complete",
    _CHANCE,
    even=same_as(
        RECALL,
        "calibrated it is (macR − 1/k)/(1 − 1/k)",
        "0, complete",
        "calibration is defined where every class is true of some item",
    ),
)


@metric(
    symbol="κ",
    low=-1.0,
    tasks=("single",),
    aliases=("cohen_kappa",),
    properties=KAPPA,
    default=True,
    title="Cohen's kappa",
)
def kappa(c: Counts) -> Array:
    """Cohen's kappa: accuracy beyond chance, as a share of what chance leaves to gain.

    Formula: (c·s − p·b) / (s² − p·b)
    Reference: Cohen 1960; Opitz 2022, eq. 24
    """
    true, _, _, unpredicted, covariance = _shares(c)
    chance = c.all_classes.sum(true * unpredicted)
    return within_one(ratio(covariance, chance, c.undefined))


@metric(
    symbol="MCC",
    low=-1.0,
    tasks=("single",),
    aliases=("matthews_correlation",),
    properties=derived("0, complete", _CHANCE, "monotone for two classes, not for more"),
    default=True,
    title="MCC",
)
def mcc(c: Counts) -> Array:
    """Matthews correlation coefficient of any number of classes.

    Formula: (c·s − p·b) / √((s² − p·p)·(s² − b·b))
    Reference: Gorodkin 2004; Opitz 2022, eq. 23
    """
    every, (true, predicted, untrue, unpredicted, covariance) = c.all_classes, _shares(c)
    truth, guess = every.sum(true * untrue), every.sum(predicted * unpredicted)
    guess = guess + c.outside_share * every.sum(predicted)
    xp = namespace(truth)
    constant = (truth == 0) | (guess == 0)  # where a root's slope is infinite
    less = truth < guess
    low, high = xp.where(less, truth, guess), xp.where(less, guess, truth)
    skew = xp.sqrt(xp.where(constant, 1.0, ratio(low, high)))
    return xp.where(constant, c.undefined, within_one(ratio(covariance, low) * skew))


# Agreement of two coders

BISECTIONS, EDGE = 45, 1e-6
"""Steps of the bisection for Aickin's alpha, and how near they come to its upper end."""

agreement = partial(metric, family="agreement", tasks=("single",), low=-1.0)


def categories(c: Counts) -> Array:
    """Classes that occur, and no class at all where that is predicted."""
    lost = c.outside + 0 * c.total
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
    true, predicted = c.leave_one_out_sum(c.prevalence), c.leave_one_out_sum(c.bias, c.outside)
    others = c.share(true) + c.share(predicted)
    lost = c.outside_share / 2
    return c.all_classes.sum(_either(c) * others / 2) + lost * (1 - lost)


def _wrong(c: Counts) -> Array:
    """The share of items that the coders do not agree on."""
    return ratio(c.all_classes.sum(c.false_negatives), floating(c.total))


@agreement(symbol="p_e", low=0.0, better="neither", properties=FIXED)
def chance_accuracy(c: Counts) -> Array:
    """Accuracy of predictions that are as frequent but drawn by chance.

    Formula: p·b / s²
    Reference: Cohen 1960
    """
    return c.all_classes.sum(c.share(c.prevalence) * c.share(c.bias))


@agreement(
    symbol="π", properties=derived("0", "Acc = Σπz ≤ Σ((π + z)/2)², and both are the same at z = π")
)
def scott_pi(c: Counts) -> Array:
    """Scott's pi: agreement beyond that of labels drawn from one common mix.

    Formula: (Acc − p_π) / (1 − p_π), with p_π = Σ ((prevalence + bias) / 2s)²
    Reference: Scott 1955
    """
    chance = _unlike(c)
    beyond = within_one(1 - ratio(_wrong(c), chance))
    return namespace(beyond).where(chance == 0, c.undefined, beyond)


@agreement(
    symbol="S",
    properties=derived(even=by_rows("(macR − 1/k)/(1 − 1/k), a mean of recalls", "0, complete")),
)
def bennett_s(c: Counts) -> Array:
    """Bennett's S: agreement beyond that of labels drawn evenly.

    Formula: (Acc − 1/k) / (1 − 1/k), k the categories that occur
    Reference: Bennett, Alpert & Goldstein 1954
    """
    return _beyond(c, ratio(1.0 + 0 * c.seen, categories(c)))


@agreement(symbol="AC1", properties=derived())
def gwet_ac1(c: Counts) -> Array:
    """Gwet's AC1: agreement beyond chance, which skewed classes do not push to 1.

    Formula: (Acc − p_γ) / (1 − p_γ), with p_γ = Σ π·(1 − π) / (k − 1) and π = (prevalence + bias) /
        2s
    Reference: Gwet 2008
    """
    each, lost = _either(c), c.outside_share / 2
    spread = c.all_classes.sum(each * (1 - each)) + lost * (1 - lost)
    agreement = _beyond(c, ratio(spread, categories(c) - 1))
    alone = categories(c) <= 1
    return namespace(agreement).where(alone, c.undefined, agreement)


@agreement(
    symbol="α",
    size="matters",
    by_distance={
        "nominal": "krippendorff_alpha",
        "ordinal": "krippendorff_alpha_ordinal",
        "interval": "krippendorff_alpha_interval",
    },
    properties=derived(),
)
def krippendorff_alpha(c: Counts) -> Array:
    """Krippendorff's alpha of nominal labels: Scott's pi, corrected for small samples.

    Formula: 1 − (1 − 1/2s)·(1 − Acc) / (1 − p_π), with p_π = Σ ((prevalence + bias) / 2s)²
    Reference: Krippendorff 1970
    """
    correction = 1 - ratio(0.5 + 0 * floating(c.total), c.total)
    chance = _unlike(c)
    alpha = 1 - correction * ratio(_wrong(c), chance)
    return namespace(alpha).where(chance == 0, c.undefined, alpha)


@agreement(
    symbol="α_A",
    low=0.0,
    smooth=False,
    properties=derived("0, complete", "Acc = Σπz, where nothing is left to explain but chance"),
)
def aickin_alpha(c: Counts) -> Array:
    """Aickin's alpha: share of items that both coders label for a reason, not by chance.

    Formula: (Acc − Σ a·b) / (1 − Σ a·b), with prevalence / s = (1 − α)·a + α·a·b / Σ a·b, b
        likewise
    Reference: Aickin 1990
    """
    xp = namespace(c.bias)
    truth, guess, agreed = c.share(c.prevalence), c.share(c.bias), accuracy(c)
    low, high = 0 * agreed, agreed
    for _ in range(BISECTIONS):  # the sum of a·b rises above what alpha leaves to chance
        alpha = (low + high) / 2
        chance = ratio(agreed - alpha, 1 - alpha)
        part = ratio(across_classes(alpha), across_classes(chance))
        less = ratio(truth - guess, 1 - across_classes(alpha) + 0 * truth)
        a, b = _unsure(truth, less, alpha, part), _unsure(guess, -less, alpha, part)
        above = c.all_classes.sum(a * b) > chance
        low, high = xp.where(above, low, alpha), xp.where(above, alpha, high)
    chance = c.all_classes.sum(truth * guess)
    alpha = (low + high) / 2
    alpha = xp.where(agreed - alpha < EDGE, agreed, alpha)  # no agreement is left to chance
    alpha = xp.where(agreed <= chance, 0.0, alpha)
    return xp.where(chance == 1, c.undefined, xp.where(agreed == 1, 1.0, alpha))


def _unsure(share: Array, less: Array, alpha: Array, part: Array) -> Array:
    """a of (1 − α)·a + part·a·(a − less) = share, the larger root."""
    xp = namespace(share)
    slope = 1 - across_classes(alpha) - part * less
    root = xp.sqrt(slope * slope + 4 * part * share)
    rising = slope >= 0
    return xp.where(
        rising,
        ratio(2 * share, xp.where(rising, slope + root, 1.0)),
        ratio(root - slope, 2 * part + 0 * root),
    )


@agreement(symbol="PABAK", properties=of_accuracy("2·Acc − 1", even="2/k − 1, strict"))
def pabak(c: Counts) -> Array:
    """Prevalence- and bias-adjusted kappa: what kappa would be of two balanced classes.

    Formula: 2·Acc − 1
    Reference: Byrt, Bishop & Carlin 1993
    """
    return 2 * accuracy(c) - 1


@agreement(
    symbol="B",
    low=0.0,
    properties=derived(even=by_rows("Σ R²/k, a mean of squared recalls", "1/k")),
)
def bangdiwala_b(c: Counts) -> Array:
    """Bangdiwala's B: the agreement chart's dark squares as a share of its rectangles.

    Formula: Σ correct² / Σ prevalence·bias
    Reference: Bangdiwala 1985
    """
    return ratio(c.all_classes.sum(c.share(c.correct) ** 2), chance_accuracy(c), c.undefined)


@agreement(symbol="NIR", low=0.0, better="neither", properties=FIXED)
def no_information_rate(c: Counts) -> Array:
    """Accuracy of predicting the most frequent class of every item.

    Formula: max prevalence / s
    Reference: Kuhn 2008 (caret)
    """
    return c.all_classes.largest(c.share(c.prevalence))


@agreement(
    symbol="p_NIR", low=0.0, better="neither", size="matters", smooth=False, properties=DESCRIBES
)
def p_above_no_information_rate(c: Counts) -> Array:
    """p of the test that accuracy is above that of predicting the most frequent class.

    Formula: P(X ≥ Σ correct), X binomial of s items with probability no_information_rate
    Reference: Kuhn 2008 (caret)
    """
    others = c.share(c.leave_one_out_sum(c.prevalence))
    rest = -c.all_classes.largest(-others)  # 1 − the rate would cancel
    hits, misses = c.all_classes.sum(c.correct), c.all_classes.sum(c.false_negatives)
    return at_least(hits, misses, no_information_rate(c), rest)


@metric(
    symbol="CBA",
    family="macro",
    properties=derived(
        "1/k",
        "πz/max(π, z) = min(π, z), and Σ min(π, z) ≤ 1, reached at z = π",
        "not strict: reached by predicting each class as often as true",
        monotonicity=f"the smaller of P and R, which {BOTH_RISE.removeprefix('and ')}",
        class_decomposability=mean_of("correct/max(prevalence, bias)"),
    ),
)
def class_balance_accuracy(c: Counts) -> Array:
    """Mean of the smaller of each class's precision and recall.

    Formula: 1/k · Σ correct / max(prevalence, bias)
    Reference: Mosley 2013
    """
    more, less = floating(c.bias), floating(c.prevalence)
    xp = namespace(more)
    above, same = more > less, more == less
    largest = xp.where(same, (more + less) / 2, xp.where(above, more, less))  # smooth at a tie
    return c.mean(ratio(c.correct, largest, c.undefined))


@metric(
    symbol="CSI",
    family="macro",
    low=-1.0,
    properties=derived(
        "2/k − 1, strict",
        "P + R − 1 = π + z − 1 where the class is predicted, −1 else",
        "strict where every class is predicted: leaving one out scores lower",
        monotonicity=f"P + R − 1, {BOTH_RISE}",
        class_decomposability=mean_of("correct/bias + correct/prevalence − 1"),
    ),
)
def macro_csi(c: Counts) -> Array:
    """Classification success index: mean of each class's precision plus recall less 1.

    Formula: 1/k · Σ (correct / bias + correct / prevalence − 1)
    Reference: Labatut & Cherifi 2012
    """
    return c.mean(precision(c) + recall(c) - 1)


@metric(
    symbol="aBA",
    family="macro",
    low=-1.0,
    properties=same_as(RECALL, "(macR − 1/k)/(1 − 1/k)", "0, complete"),
)
def adjusted_balanced_accuracy(c: Counts) -> Array:
    """Macro recall on a scale where guessing is 0.

    Formula: (macR − 1/k) / (1 − 1/k)
    Reference: scikit-learn, balanced_accuracy_score(adjusted=True)
    """
    k = c.averaged_classes
    guess = ratio(1.0 + 0 * k, k)
    return ratio(macro_recall(c) - guess, 1 - guess, c.undefined)
