"""Macro averages: every class weighs the same. Here live the two 'macro F1'."""

from __future__ import annotations

from functools import partial

from evenhand.core.arrays import Array
from evenhand.core.counts import Counts
from evenhand.core.means import generalised, harmonic
from evenhand.core.metrics.one_class import f1, fbeta, precision, recall
from evenhand.core.promises import (
    GAP,
    MACRO_PRECISION,
    f_of_averages,
    mean_of_f,
    of_recall_means,
)
from evenhand.core.registry import metric
from evenhand.core.rounding import not_below_zero

macro = partial(metric, alike=True, default=True)


@macro(
    symbol="macF1",
    formula="1/k · Σ 2·correct / (bias + prevalence)",
    signature="mean-of-f1",
    aliases=("averaged_f1", "mean_of_f1"),
    reference="Opitz & Burst 2019, eq. 2",
    properties=mean_of_f(),
    example=0.64349376114082,
    words=("arithmetic mean over harmonic means", "non-benevolent"),
    title="Macro F1 (mean of F1)",
    shown={"twins": 1, "lead": 1, "score": 1, "ranks": 1, "sweep": 1, "mix": 1, "shift": 1},
)
def macro_f1(c: Counts) -> Array:
    """Mean of the per-class F1: every class weighs the same."""
    return c.mean(f1(c))


@macro(
    symbol="macF1′",
    formula="2·P̄·R̄ / (P̄ + R̄), with P̄ = macro_precision, R̄ = macro_recall",
    signature="f1-of-averages",
    aliases=("macro_f1_prime", "macro_f1_star"),
    reference="Opitz & Burst 2019, eq. 3; Sokolova & Lapalme 2009",
    properties=f_of_averages(),
    example=0.6467032530024656,
    words=(
        "harmonic mean over arithmetic means",
        "benevolent",
        "doppelganger",
        "name twin",
        "Macro-F1*",
        "F-score_M",
        "Fscore_M",
        "inter-annotator agreement",
    ),
    title="Macro F1 (F1 of averages)",
    shown={
        "twins": 2,
        "lead": 2,
        "score": 2,
        "ranks": 2,
        "guessing": 3,
        "sweep": 2,
        "mix": 2,
        "shift": 2,
    },
)
def f1_of_averages(c: Counts) -> Array:
    """Harmonic mean of macro precision and macro recall: the other 'macro F1'."""
    return harmonic(macro_precision(c), macro_recall(c))


@macro(
    symbol="ΔF1",
    formula="f1_of_averages − macro_f1",
    signature="f1-of-averages-minus-mean-of-f1",
    high=0.5,
    better="neither",
    precision=1e-14,
    biased=True,
    reference="Opitz & Burst 2019, eq. 4",
    properties=GAP,
    words=("delta", "root mean squared deviation (RMSD)", "error type distribution"),
    example=0.0032094918616456364,
)
def f1_gap(c: Counts) -> Array:
    """How far the two 'macro F1' are apart; never negative, below 1/2."""
    return not_below_zero(f1_of_averages(c) - macro_f1(c))


@macro(
    symbol="macP",
    formula="1/k · Σ correct / bias",
    signature="mean-of-precision",
    reference="Opitz 2022, eq. 17",
    properties=MACRO_PRECISION,
    words=("in the bias lies the issue", "prediction trustworthiness"),
    example=0.6407407407407407,
    shown={"score": 3, "ranks": 5, "mix": 5},
)
def macro_precision(c: Counts) -> Array:
    """Mean of the per-class precision."""
    return c.mean(precision(c))


@macro(
    symbol="macR",
    formula="(1/k · Σ (correct / prevalence)ᵖ)^(1/p)",
    signature="mean-of-recall",
    aliases=("macro_accuracy", "balanced_accuracy"),
    reference="Opitz 2022, eq. 8",
    words=(
        "drawing items from class bags",
        "bookmaker metric",
        "prevalence-calibrated accuracy",
        "macAcc",
    ),
    properties=of_recall_means,
    example=0.6527777777777778,
    shown={"score": 4, "ranks": 6, "guessing": 2, "sweep": 4, "mix": 4, "shift": 4},
)
def macro_recall(c: Counts, *, p: float = 1.0) -> Array:
    """Mean of the per-class recall; with p, its generalised mean."""
    return generalised(c, recall(c), p)


@macro(
    symbol="GmacR",
    formula="(Π correct / prevalence)^(1/k)",
    signature="geometric-mean-of-recall",
    reference="Opitz 2022, eq. 25",
    properties=of_recall_means(0),
    example=0.649061762731388,
)
def geometric_macro_recall(c: Counts) -> Array:
    """Geometric mean of the per-class recall: one class missed altogether makes it 0."""
    return macro_recall(c, p=0)


@macro(
    symbol="HmacR",
    formula="k / Σ (prevalence / correct)",
    signature="harmonic-mean-of-recall",
    reference="Opitz 2022, eq. 4 and table 8",
    properties=of_recall_means(-1),
    example=0.6454918032786886,
)
def harmonic_macro_recall(c: Counts) -> Array:
    """Harmonic mean of the per-class recall: the weakest classes decide."""
    return macro_recall(c, p=-1)


@macro(
    symbol="macFβ",
    formula="1/k · Σ (1+β²)·correct / (β²·prevalence + bias)",
    signature="mean-of-fbeta",
    reference="Sokolova & Lapalme 2009",
    properties=mean_of_f,
    example=0.64349376114082,
    least={"beta": 0.0},
    variant_of="macro_f1",
    default=False,
    title="Macro Fβ (mean of Fβ)",
)
def macro_fbeta(c: Counts, *, beta: float = 1.0) -> Array:
    """Mean of the per-class Fβ; β > 1 favours recall."""
    return c.mean(fbeta(c, beta=beta))


@macro(
    symbol="macFβ′",
    formula="(1+β²)·P̄·R̄ / (β²·P̄ + R̄)",
    signature="fbeta-of-averages",
    reference="Sokolova & Lapalme 2009",
    properties=f_of_averages,
    example=0.6467032530024656,
    least={"beta": 0.0},
    variant_of="f1_of_averages",
    default=False,
    title="Macro Fβ (Fβ of averages)",
)
def fbeta_of_averages(c: Counts, *, beta: float = 1.0) -> Array:
    """Fβ of macro precision and macro recall; β > 1 favours recall."""
    return harmonic(macro_precision(c), macro_recall(c), beta)
