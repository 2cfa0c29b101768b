"""Names: what other libraries and papers call the metrics, and names that mean several things."""

from __future__ import annotations

import unicodedata
from functools import cache

from evenhand.catalogue.plugins import added, plugged
from evenhand.core.registry import AVERAGES, Metric, all_metrics, find
from evenhand.errors import MetricError, shown

OTHERS = {
    "accuracy": "accuracy_score, ACC, Overall_ACC, Overall ACC, overall accuracy, PCC",
    "macro_recall": "balanced_accuracy_score, TPR_Macro, UAR, unweighted average recall, macAcc, "
    "MulticlassAccuracy, multiclass_accuracy, MulticlassRecall, multiclass_recall",
    "macro_precision": "PPV_Macro, MulticlassPrecision, multiclass_precision",
    "macro_f1": "F1_Macro, macF_1, macro averaged F1, averaged F1, mean F1, MulticlassF1Score, "
    "multiclass_f1_score",
    "f1_of_averages": "Fscore_M, F-score_M, Macro-F1*, macF_1', macF1 prime, macF1*, macro_F1'",
    "micro_f1": "F1_Micro",
    "micro_precision": "PPV_Micro",
    "micro_recall": "TPR_Micro",
    "recall": "TPR, sensitivity, sens, recall_score, hit rate, true positive rate, "
    "probability of detection, POD",
    "precision": "PPV, precision_score, Pos Pred Value, positive predictive value, pos_pred_value",
    "f1": "f1_score, F1Score, F1 score, f_meas, F measure, dice, DSC, Dice coefficient, "
    "Sorensen Dice",
    "fbeta": "fbeta_score, FBetaScore, F_beta",
    "fbeta:beta=2": "F2, f2_score",
    "fbeta:beta=0.5": "F0.5, F05",
    "specificity": "TNR, spec, selectivity, true negative rate, correct rejection rate",
    "npv": "Neg Pred Value, negative predictive value, neg_pred_value",
    "false_negative_rate": "FNR, miss rate",
    "false_positive_rate": "FPR, fall out, false alarm rate",
    "false_discovery_rate": "FDR",
    "false_omission_rate": "FOR",
    "class_accuracy": "binary accuracy, one vs rest accuracy",
    "macro_class_accuracy": "ACC_Macro, ACC Macro, average accuracy",
    "class_balanced_accuracy": "bal_accuracy",
    "macro_class_balanced_accuracy": "AUNU",
    "weighted_class_balanced_accuracy": "AUNP",
    "macro_fbeta": "MulticlassFBetaScore, multiclass_fbeta_score",
    "macro_specificity": "MulticlassSpecificity, multiclass_specificity",
    "macro_jaccard": "MulticlassJaccardIndex, multiclass_jaccard_index",
    "samples_f1": "f1_samples",
    "samples_precision": "precision_samples",
    "samples_recall": "recall_samples",
    "class_mcc": "one vs rest MCC, phi coefficient",
    "jaccard": "jaccard_score, JaccardIndex, Jaccard index, IoU, intersection over union, TS, "
    "critical success index, threat score, Tanimoto",
    "tversky": "TI, Tversky index",
    "gmean": "GM, g_mean, geometric mean score, geometric_mean_score",
    "fowlkes_mallows": "FM, Fowlkes Mallows index, G_measure",
    "informedness": "BM, bookmaker informedness, Youden, Youden's J, Youden index, j_index, "
    "delta P prime",
    "markedness": "MK, delta P",
    "positive_likelihood_ratio": "PLR, LR+, DLR_pos",
    "negative_likelihood_ratio": "NLR, LR-, DLR_neg",
    "diagnostic_odds_ratio": "DOR, odds ratio",
    "yule_q": "Q, Yule's Q",
    "yule_y": "Yule's Y, coefficient of colligation",
    "d_prime": "d', dprime, sensitivity index",
    "iba": "index of balanced accuracy, IBA",
    "lift": "LS, lift score",
    "information_score": "IS",
    "net_benefit": "NB",
    "classification_success": "ICSI, individual classification success index",
    "kappa": "cohen_kappa_score, CohenKappa, Cohen's kappa, kap, Cohen kappa, "
    "MulticlassCohenKappa, multiclass_cohen_kappa",
    "mcc": "matthews_corrcoef, MatthewsCorrCoef, Overall_MCC, Overall MCC, R_K, phik, "
    "Matthews correlation coefficient, MulticlassMatthewsCorrCoef, multiclass_matthews_corrcoef",
    "scott_pi": "PI, Scott's pi, Scott PI, Fleiss kappa of two raters",
    "bennett_s": "Bennett's S, Bennett S",
    "gwet_ac1": "AC1, Gwet's AC1, Gwet AC1",
    "krippendorff_alpha": "Alpha, Krippendorff's alpha, Krippendorff Alpha",
    "aickin_alpha": "Aickin's alpha",
    "pabak": "KappaNoPrevalence, Kappa No Prevalence, prevalence and bias adjusted kappa",
    "bangdiwala_b": "Bangdiwala's B, Bangdiwala B",
    "weighted_kappa:distance=linear": "linear weighted kappa, linear kappa",
    "weighted_kappa:distance=quadratic": "QWK, quadratic weighted kappa, quadratic kappa",
    "confusion_entropy": "CEN, Overall_CEN, Overall CEN",
    "modified_confusion_entropy": "MCEN, Overall_MCEN, Overall MCEN",
    "relative_classifier_information": "RCI",
    "entropy_true": "ReferenceEntropy, Reference Entropy",
    "entropy_pred": "ResponseEntropy, Response Entropy",
    "cross_entropy": "CrossEntropy",
    "joint_entropy": "JointEntropy",
    "conditional_entropy": "ConditionalEntropy",
    "mutual_information": "MutualInformation, information gain",
    "kl_divergence": "KL, KL divergence, Kullback Leibler divergence",
    "chi2": "Chi_Squared, Chi-Squared, chi square, X2",
    "phi2": "Phi_Squared, Phi-Squared, phi square",
    "cramers_v": "V, Cramer V, Cramér's V, Cramer's V",
    "pearson_c": "C, Pearson's C, contingency coefficient, Pearson C",
    "lambda_a": "LambdaA, Lambda A",
    "lambda_b": "LambdaB, Lambda B",
    "adjusted_rand_index": "ARI, adjusted_rand_score, Adjusted Rand score",
    "class_balance_accuracy": "CBA",
    "no_information_rate": "NIR, AccuracyNull",
    "p_above_no_information_rate": "PValue, AccuracyPValue, P-Value [Acc > NIR], P_Value",
    "adjusted_balanced_accuracy": "adjusted balanced accuracy score",
    "expected_accuracy": "Overall_RACC, RACC, random accuracy, chance agreement",
    "samples_jaccard": "samples jaccard_score, multi label accuracy, jaccard_samples",
    "subset_accuracy": "exact match ratio, EMR, ExactMatch",
    "hamming_loss": "HammingDistance",
    "macro_absolute_error": "MAE_M, macro averaged mean absolute error, AMAE, MMAE",
    "off_by_one_accuracy": "adjacent accuracy, within one accuracy, off by one",
}
"""By metric, or spelling: names in scikit-learn, PyCM, caret, yardstick, torchmetrics, papers."""

_TWINS = (
    "macro_f1: the mean of the classes' F1",
    "f1_of_averages: F1 of macro precision and recall",
)
_OVER_F1 = (
    *_TWINS,
    "micro_f1: F1 of all classes thrown together",
    "weighted_f1: the mean by class size",
)
AMBIGUOUS = {
    "macro F1, F1 macro, macro F score, F score macro, macro averaged F score, macro F": _TWINS,
    "F1 average, average F1, multi class F1": _OVER_F1,
    "AUC, ROC AUC, roc_auc, roc_auc_score, roc_auc_ovr, AUROC, area under the curve": (
        "class_balanced_accuracy: the area under a ROC curve of the one point that labels give",
        "macro_class_balanced_accuracy: its mean over classes; a curve needs scores, not labels",
    ),
    "CSI": (
        "jaccard: the critical success index of a class",
        "macro_csi: the classification success index, the mean of P + R − 1",
    ),
    "J": (
        "informedness: Youden's J",
        "jaccard: the Jaccard index of a class",
    ),
    "Y": (
        "yule_y: Yule's coefficient of colligation",
        "informedness: Youden's index",
    ),
    "G": (
        "gmean: the root of recall times specificity",
        "fowlkes_mallows: the root of precision times recall",
    ),
    "weighted F score, F1 weighted": (
        "weighted_f1: the mean of the classes' F1, by class size",
        "weighted_f1_of_averages: F1 of weighted precision and recall",
    ),
    "mutual_info_score": ("mutual_information: in bits; scikit-learn's is in nats, 0.693 of it",),
    "fowlkes_mallows_score": (
        "fowlkes_mallows: of one class; scikit-learn's is of pairs of items, for clusterings",
    ),
    "zero_one_loss, zero one loss, ERR, error rate": (
        "micro_false_negative_rate: the share of items predicted wrong, 1 − accuracy",
    ),
    "MulticlassHammingDistance, multiclass_hamming_distance": (
        "macro_false_negative_rate: 1 − the mean of the recalls",
        "hamming_loss: of label sets",
    ),
    "class_likelihood_ratios": (
        "positive_likelihood_ratio: R / FPR",
        "negative_likelihood_ratio: FNR / TNR",
    ),
}
"""Names that mean several metrics, or not quite what they seem to, with what each would compute."""

_ALIKE = str.maketrans(dict.fromkeys("′’‘`´ʹ", "'") | dict.fromkeys(" \t-‐‑‒–—−\u00a0", None))


def folded(name: str) -> str:
    """A name without case, spaces, hyphens and kinds of prime.

    >>> folded("Macro-F1’") == folded("macro F1'")
    True
    """
    return unicodedata.normalize("NFC", name).casefold().translate(_ALIKE)


@cache
def _known() -> dict[str, str]:
    """Spellings by folded name; names of our own come first, then symbols, then others'."""
    found: dict[str, str] = {}
    records = list(all_metrics())
    own = [(name, m.name) for m in records for name in (m.name, *m.aliases)]
    symbols = [(m.symbol, m.name) for m in records]
    others = [(n, to) for to, names in OTHERS.items() for n in names.split(", ")]
    for name, spelling in (*own, *symbols, *others):
        found.setdefault(folded(name), spelling)
    for name, spelling in (*own, *others):
        found.setdefault(folded(name.replace("_", " ")), spelling)
    return found


@cache
def _ambiguous() -> dict[str, tuple[str, ...]]:
    return {folded(n): choices for names, choices in AMBIGUOUS.items() for n in names.split(", ")}


def meant(name: str) -> str | None:
    """The spelling of the metric that ``name`` is another name of, if there is one.

    >>> meant("TPR"), meant("macF1'"), meant("PPV_Macro"), meant("QWK")
    ('recall', 'f1_of_averages', 'macro_precision', 'weighted_kappa:distance=quadratic')
    """
    key = folded(name)
    if key in _ambiguous():
        return None
    if key in _known():
        return _known()[key]
    for kind in AVERAGES:
        for base in (key.removeprefix(kind), key.removesuffix(kind)):
            average = find(f"{kind}_{_known().get(base.strip('_'))}") if base != key else None
            if average is not None:
                return average.name
    return None


def record_of(name: str) -> Metric | None:
    """The metric of that name, whatever it is called, if it needs no parameter."""
    return find(name) or find(meant(name) or "") or plugged(name)


def ambiguous(name: str) -> bool:
    """Whether a name can mean several metrics."""
    return folded(name) in _ambiguous()


def unknown(name: str) -> MetricError:
    """The error for a name that no metric has, with what it may mean."""
    choices = _ambiguous().get(folded(name))
    if choices:
        return MetricError(f"{shown([name])} can mean {'; or '.join(choices)}")
    near = nearest(name)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return MetricError(f"no metric is called {shown([name])}{hint}")


def nearest(name: str) -> list[str]:
    """Metrics whose names look like ``name``; never the other twin of one that has a prime."""
    import difflib

    key = folded(name)
    if "'" not in key:
        own = [n for m in (*all_metrics(), *added().values()) for n in (m.name, *m.aliases)]
        return difflib.get_close_matches(key, own, n=3)
    near = difflib.get_close_matches(key, [n for n in _known() if "'" in n], n=3)
    return list(dict.fromkeys(_known()[n] for n in near))
