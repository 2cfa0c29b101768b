"""Freeze what PyCM and scikit-learn say of random tables; run me where both are installed.

python tests/reference/freeze.py

Tests read tests/reference/frozen.json and need neither. PyCM's ``None`` stands for values that it
has none for.
"""

import json
from pathlib import Path

import numpy as np
import sklearn
from sklearn import metrics as sk

PLACE = Path(__file__).parent / "frozen.json"

CLASSES = {
    "TPR": "recall", "TNR": "specificity", "PPV": "precision", "NPV": "npv",
    "FNR": "false_negative_rate", "FPR": "false_positive_rate", "FDR": "false_discovery_rate",
    "FOR": "false_omission_rate", "ACC": "class_accuracy", "F1": "f1", "MCC": "class_mcc",
    "BM": "informedness", "MK": "markedness", "PLR": "positive_likelihood_ratio",
    "NLR": "negative_likelihood_ratio", "DOR": "diagnostic_odds_ratio", "G": "fowlkes_mallows",
    "GM": "gmean", "J": "jaccard", "IS": "information_score", "AUC": "class_balanced_accuracy",
    "LS": "lift", "Q": "yule_q", "ICSI": "classification_success", "F2": "fbeta:beta=2",
    "F05": "fbeta:beta=0.5",
}  # fmt: skip
OVERALL = {
    "Overall_ACC": "accuracy", "Kappa": "kappa", "Overall_MCC": "mcc", "PI": "scott_pi",
    "S": "bennett_s", "AC1": "gwet_ac1", "Alpha": "krippendorff_alpha",
    "KappaNoPrevalence": "pabak", "B": "bangdiwala_b", "Chi_Squared": "chi2",
    "Phi_Squared": "phi2", "V": "cramers_v", "C": "pearson_c", "LambdaA": "lambda_a",
    "LambdaB": "lambda_b", "ReferenceEntropy": "entropy_true", "ResponseEntropy": "entropy_pred",
    "CrossEntropy": "cross_entropy", "JointEntropy": "joint_entropy",
    "ConditionalEntropy": "conditional_entropy", "MutualInformation": "mutual_information",
    "KL": "kl_divergence", "RCI": "relative_classifier_information",
    "Overall_CEN": "confusion_entropy", "Overall_MCEN": "modified_confusion_entropy",
    "CBA": "class_balance_accuracy", "CSI": "macro_csi", "NIR": "no_information_rate",
    "PValue": "p_above_no_information_rate", "ARI": "adjusted_rand_index",
    "TPR_Macro": "macro_recall", "PPV_Macro": "macro_precision", "F1_Macro": "macro_f1",
    "ACC_Macro": "macro_class_accuracy", "TNR_Macro": "macro_specificity",
    "FPR_Macro": "macro_false_positive_rate", "FNR_Macro": "macro_false_negative_rate",
    "TNR_Micro": "micro_specificity", "FPR_Micro": "micro_false_positive_rate",
}  # fmt: skip


def tables(rng):
    """Random tables of 2 to 7 classes, every class true and predicted of some item."""
    for k in (2, 2, 3, 3, 4, 5, 7):
        for _ in range(6):
            cells = rng.integers(0, 12, (k, k)) + np.diag(rng.integers(1, 25, k))
            yield cells


def of_pycm(cells):
    import pycm

    k = len(cells)
    cm = pycm.ConfusionMatrix(matrix={i: dict(enumerate(map(int, cells[i]))) for i in range(k)})
    found = {"overall": {}, "classes": {}}
    for theirs, ours in OVERALL.items():
        found["overall"][ours] = getattr(cm, theirs)
    for theirs, ours in CLASSES.items():
        found["classes"][ours] = [getattr(cm, theirs)[i] for i in range(k)]
    for name, values in (
        ("iba:alpha=0.5", cm.IBA_alpha(0.5)),
        ("tversky:alpha=0.3,beta=0.9", cm.TI(0.3, 0.9)),
        ("net_benefit:w=0.25", cm.NB(0.25)),
        ("d_prime", cm.sensitivity_index()),
    ):
        found["classes"][name] = [values[i] for i in range(k)]
    aickin, longer = (cm.aickin_alpha(max_iter=n, epsilon=1e-15) for n in (5000, 9000))
    if cm.Kappa > 0 and abs(aickin - longer) < 1e-12:  # else its steps leave the model, or go on
        found["overall"]["aickin_alpha"] = aickin
    for name, power in (("linear", 1), ("quadratic", 2)):
        weight = {i: {j: abs(i - j) ** power for j in range(k)} for i in range(k)}
        found["overall"][f"weighted_kappa:distance={name}"] = cm.weighted_kappa(weight)
    return found


def of_sklearn(cells):
    k = len(cells)
    true, pred = (np.repeat(x.reshape(-1), cells.reshape(-1)) for x in np.indices((k, k)))
    found = {"accuracy": sk.accuracy_score(true, pred), "mcc": sk.matthews_corrcoef(true, pred)}
    for weights, name in ((None, "kappa"), ("linear", "weighted_kappa"),
                          ("quadratic", "weighted_kappa:distance=quadratic")):  # fmt: skip
        found[name] = sk.cohen_kappa_score(true, pred, weights=weights)
    found["adjusted_rand_index"] = sk.adjusted_rand_score(true, pred)
    found["mutual_information"] = sk.mutual_info_score(true, pred) / np.log(2)
    found["adjusted_balanced_accuracy"] = sk.balanced_accuracy_score(true, pred, adjusted=True)
    found["mean_absolute_error"] = sk.mean_absolute_error(true, pred)
    for kind in ("macro", "micro", "weighted"):
        found[f"{kind}_jaccard"] = sk.jaccard_score(true, pred, average=kind)
        found[f"{kind}_fbeta:beta=2"] = sk.fbeta_score(true, pred, beta=2, average=kind)
    return {name: float(value) for name, value in found.items()}


def main():
    import pycm

    rng = np.random.default_rng(22)
    made = [
        {"cells": cells.tolist(), "pycm": of_pycm(cells), "scikit-learn": of_sklearn(cells)}
        for cells in tables(rng)
    ]
    versions = {"pycm": pycm.__version__, "scikit-learn": sklearn.__version__}
    PLACE.write_text(json.dumps({"versions": versions, "tables": made}, indent=0) + "\n")


if __name__ == "__main__":
    main()
