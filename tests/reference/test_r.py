"""Values that caret and yardstick (R) have printed in public, to the digits that were printed.

- Altman & Bland 1994 (BMJ 308:1552 and 309:102), whose liver scans are the example of caret's
  help pages ``sensitivity`` and ``posPredValue``; those print seven digits.
- caret::confusionMatrix on iris (random forest, 42 flowers), on birth weights and on strokes.
- yardstick's ``two_class_example`` and ``hpc_cv`` as in Kuhn & Silge, Tidy Modeling with R,
  chapter 9, and in yardstick's README.

All of them have predictions in rows.
"""

import pytest

import evenhand as eh


def table(cells, labels):
    return eh.Confusion.from_matrix(cells, labels=labels, rows="pred")


LIVER = table([[231, 32], [27, 54]], ["abnormal", "normal"])
IRIS = table([[17, 0, 0], [0, 9, 2], [0, 1, 13]], ["setosa", "versicolor", "virginica"])
BIRTHS = table([[54, 20], [176, 2148]], ["no.adecuado", "adecuado"])
STROKES = table([[726, 9], [246, 40]], ["No", "Yes"])
TWO = table([[227, 50], [31, 192]], ["Class1", "Class2"])
HPC = table(
    [[1620, 371, 64, 9], [141, 647, 219, 60], [6, 24, 79, 28], [2, 36, 50, 111]],
    ["VF", "F", "M", "L"],
)
CARET = [
    (LIVER, {"sensitivity:label=abnormal": "0.8953488", "specificity:label=abnormal": "0.627907",
             "PPV:label=abnormal": "0.878327", "npv:label=abnormal": "0.6666667"}),
    (IRIS, {"accuracy": "0.9286", "no_information_rate": "0.4048", "kappa": "0.8909",
            "p_above_no_information_rate": "1.222e-12",
            "sensitivity:label=versicolor": "0.9000", "specificity:label=versicolor": "0.9375",
            "precision:label=versicolor": "0.8182", "npv:label=versicolor": "0.9677",
            "class_balanced_accuracy:label=versicolor": "0.9187",
            "sensitivity:label=virginica": "0.8667", "specificity:label=virginica": "0.9630",
            "precision:label=virginica": "0.9286", "npv:label=virginica": "0.9286",
            "class_balanced_accuracy:label=virginica": "0.9148"}),
    (BIRTHS, {"accuracy": "0.9183", "no_information_rate": "0.9041", "kappa": "0.3237",
              "p_above_no_information_rate": "0.008958", "sensitivity:label=adecuado": "0.9908",
              "specificity:label=adecuado": "0.2348", "precision:label=adecuado": "0.9243",
              "npv:label=adecuado": "0.7297", "class_balanced_accuracy:label=adecuado": "0.6128"}),
    (STROKES, {"accuracy": "0.7502", "no_information_rate": "0.952", "kappa": "0.1709",
               "p_above_no_information_rate": "1", "sensitivity:label=Yes": "0.81633",
               "specificity:label=Yes": "0.74691", "precision:label=Yes": "0.13986",
               "npv:label=Yes": "0.98776", "class_balanced_accuracy:label=Yes": "0.78162"}),
]  # fmt: skip
YARDSTICK = [
    (TWO, {"accuracy": "0.838", "kap": "0.675", "mcc": "0.677", "f_meas:label=Class1": "0.849"}),
    (HPC, {"accuracy": "0.709", "mcc": "0.515", "macro_sensitivity": "0.560",
           "weighted_sensitivity": "0.709", "micro_sensitivity": "0.709"}),
]  # fmt: skip
PRINTED = [(t, name, text) for t, values in (*CARET, *YARDSTICK) for name, text in values.items()]


NAMES = [f"{name} {text}" for _, name, text in PRINTED]


@pytest.mark.parametrize(("cells", "name", "text"), PRINTED, ids=NAMES)
def test_as_printed(cells, name, text):
    found = eh.score(cells, metrics=[name], interval=None)[name].value
    digits, _, power = text.partition("e")
    last = len(digits.partition(".")[2]) - int(power or 0)
    # one more than half of the last digit: R rounds what its own arithmetic gives
    assert found == pytest.approx(float(text), abs=0.51 * 10.0**-last)
