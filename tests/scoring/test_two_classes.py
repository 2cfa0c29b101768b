"""Two classes in the words of those who have them: epiR's example, the formulas, what is taken."""

import json
import math

import pytest

import evenhand as eh
from evenhand.errors import InputError

TP, FN, FP, TN = 670, 74, 202, 640
CELLS = [[TP, FN], [FP, TN]]
LABELS = ["diseased", "healthy"]
Z = 1.959963984540054


@pytest.fixture(scope="module")
def scores():
    return eh.score(CELLS, labels=LABELS, positive="diseased")


@pytest.mark.parametrize(
    ("name", "published", "value"),
    [  # what epi.tests(c(670, 202, 74, 640)) of epiR prints; J is 1 / number needed to diagnose
        ("sensitivity", (0.90, 0.88, 0.92), TP / (TP + FN)),
        ("specificity", (0.76, 0.73, 0.79), TN / (TN + FP)),
        ("ppv", (0.77, 0.74, 0.80), TP / (TP + FP)),
        ("npv", (0.90, 0.87, 0.92), TN / (TN + FN)),
        ("LR+", (3.75, 3.32, 4.24), TP / (TP + FN) / (FP / (TN + FP))),
        ("LR-", (0.13, 0.11, 0.16), FN / (TP + FN) / (TN / (TN + FP))),
        ("diagnostic_odds_ratio", (28.68611, 21.51819, 38.24174), TP * TN / (FP * FN)),
        ("youden", (1 / 1.513701, None, None), TP / (TP + FN) + TN / (TN + FP) - 1),
        ("f1", (None, None, None), 2 * TP / (2 * TP + FP + FN)),
    ],
)
def test_epir(scores, name, published, value):
    score = scores[name]
    assert score.value == pytest.approx(value, rel=1e-12)
    found = (score.value, score.low, score.high)
    # epiR's limits of shares are exact, ours Wilson's
    assert all(p is None or abs(x - p) < 0.0051 for x, p in zip(found, published, strict=True))
    assert score.low < score.value < score.high


def test_shares_have_wilson_s_interval(scores):
    for name, hits, n in (("sensitivity", TP, TP + FN), ("ppv", TP, TP + FP)):
        p, middle = hits / n, (hits / n + Z * Z / (2 * n)) / (1 + Z * Z / n)
        half = Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
        assert (scores[name].low, scores[name].high) == pytest.approx(
            (middle - half, middle + half)
        )


@pytest.mark.parametrize(
    ("name", "counts", "less"),
    [("LR+", (TP, FP), (TP + FN, FP + TN)), ("LR-", (FN, TN), (TP + FN, FP + TN)),
     ("diagnostic_odds_ratio", (TP, FN, FP, TN), ())],
)  # fmt: skip
def test_ratios_have_intervals_on_the_log_scale(scores, name, counts, less):
    """Simel, Samsa & Matchar 1991; Woolf 1955."""
    se = math.sqrt(sum(1 / n for n in counts) - sum(1 / n for n in less))
    value, low, high = scores[name].value, scores[name].low, scores[name].high
    assert (low, high) == pytest.approx((value * math.exp(-Z * se), value * math.exp(Z * se)))


def test_each_is_under_its_name_with_the_table(scores):
    assert scores["sensitivity"].metric == "sensitivity:label=diseased"
    assert scores["recall:label=diseased"].value == scores["sensitivity"].value
    assert scores.positive == "diseased" and scores.to_dict()["positive"] == "diseased"
    assert scores.two_by_two == ((670, 74), (202, 640))
    assert scores.to_dict()["two_by_two"] == [[670, 74], [202, 640]]
    text = str(scores)
    lines = [line.split() for line in text.splitlines()]
    assert ["sensitivity", "0.9005", "[0.8769,", "0.9200]"] in lines
    assert ["specificity", "0.7601"] in [line[:2] for line in lines]
    for term in ("PPV", "NPV", "positive likelihood ratio (LR+)", "negative likelihood ratio (LR−)",
                 "diagnostic odds ratio", "Youden's J", "F1", "true diseased"):  # fmt: skip
        assert f"\n{term} " in text
    assert "macro_f1" not in text and "macro_f1" in scores  # all metrics are in JSON
    rows = scores.content(full=True).blocks[1].grid.rows
    assert "macro_f1" in {row[0] for row in rows}


def test_metrics_of_one_class_need_no_label():
    found = eh.score(
        CELLS, labels=LABELS, positive="healthy", metrics=["sensitivity", "fbeta:beta=2"]
    )
    assert list(found) == ["sensitivity:label=healthy", "fbeta:beta=2,label=healthy"]
    assert found["sensitivity"].value == TN / (TN + FP)
    with pytest.raises(eh.errors.MetricError, match="is of one class: write recall:label=NAME"):
        eh.score(CELLS, labels=LABELS, metrics="sensitivity")
    with pytest.raises(InputError, match="positive must be among 'diseased', 'healthy', got 'ill'"):
        eh.score(CELLS, labels=LABELS, positive="ill")


def test_one_class_of_three():
    cells = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
    found = eh.score(cells, labels=list("abc"), positive="b")
    assert found["specificity"].value == 16 / 20 and found["LR+"].value == pytest.approx(
        5 / 8 / 0.2
    )
    assert found.two_by_two == ((5, 3), (4, 16))
    assert eh.score(cells, labels=list("abc")).two_by_two is None
    assert "\nClasses\n" in str(found)


@pytest.mark.parametrize(
    ("labels", "positive"),
    [([0, 1], 1), (["0", "1"], "1"), ([False, True], True), (["no", "Yes"], "Yes"),
     (["negative", "positive"], "positive"), (["ham", "spam"], "spam"), ([-1, 1], 1),
     (["non-toxic", "toxic"], "toxic"), (["cat", "dog"], None), ([1, 2], None)],
)  # fmt: skip
def test_labels_that_can_only_be_meant_so(labels, positive):
    found = eh.score([[30, 5], [4, 20]], labels=labels)
    assert found.positive == positive
    assert ("positive" in found.to_dict()) is (positive is not None)
    said = f"Positive class: {positive!r}, by its name" in str(found)
    assert said is (positive is not None)
    if positive is not None:
        rows = [row.split()[:2] for row in str(found).splitlines()]
        own = found.classes[labels.index(positive)]
        at = rows.index([f"f1:label={positive}", f"{own.f1:.4f}"])
        assert rows[at - 1][0] == "macro_recall"
        assert [row[0].partition(":")[0] for row in rows[at + 1 : at + 3]] == [
            "precision",
            "recall",
        ]
        assert eh.score([[30, 5], [4, 20]], labels=labels, metrics="mcc").positive is None


def test_slices_have_the_same_words():
    true, guess = list("1100" * 20), list("1000" * 10 + "1101" * 10)
    found = eh.score(true, guess, by=list("xy" * 40), positive="1")
    assert found.slices[0]["sensitivity"].value == found.slices[0].classes[1].recall
    assert "\nsensitivity " in str(found) and "x" in str(found)


def test_what_becomes_of_it_at_another_prevalence():
    """PPV at 2 %: the share of the diseased who are found among all who test positive."""
    found = eh.shift.extrapolate(CELLS, labels=LABELS, positive="diseased", to="diseased=2%")
    sick, well = 0.02 * TP / (TP + FN), 0.98 * FP / (FP + TN)
    assert found["ppv:label=diseased"].value == pytest.approx(sick / (sick + well))
    assert found["sensitivity:label=diseased"].value == pytest.approx(TP / (TP + FN))
    assert str(found).splitlines()[2].startswith("PPV of diseased 0.7683")
    assert found.prevalence == pytest.approx({"diseased": 0.02, "healthy": 0.98})
    alike = eh.shift.extrapolate(CELLS, labels=LABELS, to={"diseased": 0.02}, metrics="accuracy")
    assert alike.prevalence == found.prevalence


def test_plan_in_these_words():
    found = eh.plan(CELLS, labels=LABELS, positive="diseased", width=0.05)
    assert list(found) == ["sensitivity:label=diseased", "specificity:label=diseased"]
    one = eh.plan(CELLS, labels=LABELS, positive="diseased", metrics="ppv", width=0.05)
    assert "for an interval of PPV of diseased" in str(one)


def test_commands(run):
    matrix = ["--matrix", "670 74; 202 640", "--labels", "diseased,healthy"]
    scored = run("score", *matrix, "--positive", "diseased", "--format", "json")
    told = json.loads(scored.stdout)
    assert told["positive"] == "diseased"
    assert told["metrics"]["npv:label=diseased"]["value"] == TN / (TN + FN)
    to = ["--positive", "diseased", "--to", "diseased=2%"]
    assert "PPV of diseased 0.7683" in run("shift", *matrix, *to).stdout
    planned = run("plan", *matrix, "--positive", "diseased", "--width", "0.05").stdout
    assert "\nsensitivity " in planned and "label=" not in planned and "macro" not in planned
    wrong = run("score", *matrix, "--positive", "ill")
    assert wrong.exit_code == 2 and "error: --positive LABEL must be among" in wrong.stderr


@pytest.mark.parametrize(
    "asked", [("score",), ("score", "--explain"), ("shift", "--to", "diseased=2%")]
)
def test_no_spelling_where_a_term_is_known(run, asked):
    """Spellings of 40 characters were cut to ``positive_likel…abel=diseased``."""
    matrix = ["--matrix", "670 74; 202 640", "--labels", "diseased,healthy"]
    shown = run(asked[0], *matrix, *asked[1:], "--positive", "diseased").stdout
    assert ":label=" not in shown.rpartition("(evenhand ")[0]
    assert "\nPPV " in shown and "\nnegative likelihood ratio (LR−)" in shown


def test_equal_numbers_keep_their_names():
    """Sensitivity and PPV are one number here, and each is looked for."""
    found = eh.score([[40, 10], [10, 140]], labels=LABELS, positive="diseased")
    rows = dict(row.split()[:2] for row in str(found).splitlines() if row.startswith(("se", "PPV")))
    assert rows["PPV"] == rows["sensitivity"] == "0.8000"
    moved = eh.shift.extrapolate([[40, 10], [10, 140]], labels=LABELS, positive="diseased",
                                 to={"diseased": 0.25})  # fmt: skip
    assert "\nPPV " in str(moved) and "\nsensitivity " in str(moved)


CARET = """Confusion Matrix and Statistics

          Reference
Prediction  no yes
       no  640  74
       yes 202 670

               Accuracy : 0.826
            Sensitivity : 0.9005
       'Positive' Class : {}
"""


@pytest.mark.parametrize("positive", ["yes", "no"])
def test_the_positive_class_of_caret(write, run, positive):
    """caret takes the first level unless told otherwise, and says which it was."""
    name = write("caret.txt", CARET.format(positive))
    told = json.loads(run("score", name, "--format", "json").stdout)
    assert told["positive"] == positive
    assert [c["code"] for c in told["warning_codes"]].count("positive_class") == 1
    sensitivity = {"yes": TP / (TP + FN), "no": TN / (TN + FP)}[positive]
    assert told["metrics"][f"sensitivity:label={positive}"]["value"] == sensitivity
    other = run("score", name, "--positive", "yes").stdout
    assert ["sensitivity", "0.9005"] in [line.split()[:2] for line in other.splitlines()]


def test_areas_stand_beside_the_measures_of_decisions():
    true, own = ["no", "yes"] * 10, [0.1, 0.8, 0.3, 0.6, 0.55, 0.9, 0.2, 0.4, 0.45, 0.7] * 2
    both = [[1 - p, p] for p in own]
    for positive in ("yes", "no"):
        text = str(eh.score(true, both, labels=["no", "yes"], positive=positive))
        assert "\nsensitivity " in text and "\nroc_auc" in text and "macro_f1" not in text
