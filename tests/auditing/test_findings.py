"""What an audit finds, and what it says about it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import evenhand as eh
from benchmarks.audit import detection
from evenhand.auditing.audit import Audit, AuditFinding, which

CLASSES = {
    "precision[a]": "0.667", "recall[a]": "0.667", "f1[a]": "0.667",
    "precision[b]": "0.800", "recall[b]": "0.800", "f1[b]": "0.800",
}  # fmt: skip


def findings(found: Audit) -> list[AuditFinding]:
    return [f for s in found.systems for f in s.findings]


def one(**row: str) -> Audit:
    return eh.audit([row])


def test_the_triples_of_the_founding_document() -> None:
    assert which("0.725", "0.5667", "0.6042").formula == "macro_f1"
    assert which("0.725", "0.5667", "0.6361").formula == "f1_of_averages"
    assert which("72.5", "56.67", "60.42").formula == "macro_f1"


@pytest.mark.parametrize("f1", ["0.6365", "0.70", "0.2900", "0.1"])
def test_impossible_triples(f1: str) -> None:
    found = which("0.725", "0.5667", f1)
    assert (found.formula, found.status, found.ok) == (None, "none", False)
    assert found.message.startswith("impossible")


def test_the_edges_of_the_triple() -> None:
    # 2PR/(P+R) of the upper ends 0.7255 and 0.56675 is 0.63636…; both ends belong to a print
    assert which("0.725", "0.5667", "0.6364").ok
    assert not which("0.7250", "0.5667", "0.6363").ok
    # P + R − 1 of the lower ends 0.7245 and 0.56665 is 0.29115
    assert which("0.725", "0.5667", "0.2911").ok
    assert not which("0.725", "0.5667", "0.2910").ok


def test_f1_of_a_class() -> None:
    found = eh.audit([{**CLASSES, "f1[a]": "0.676"}])
    (finding,) = findings(found)
    assert (finding.column, finding.reported, finding.strength) == ("f1[a]", "0.676", "proof")
    assert finding.low == pytest.approx(0.6665)
    assert finding.high == pytest.approx(0.6675)
    assert "one table" in finding.message
    assert "rounded as it is written" in finding.message


def test_macro_means() -> None:
    assert one(**CLASSES, macro_precision="0.733", macro_recall="0.734").ok
    (finding,) = findings(one(**CLASSES, macro_precision="0.743"))
    assert finding.column == "macro_precision"
    assert (finding.low, finding.high) == (pytest.approx(0.733), pytest.approx(0.734))


def test_accuracy_is_correct_over_n() -> None:
    assert one(accuracy="0.84", n="87", correct="73").ok
    (finding,) = findings(one(accuracy="0.85", n="87", correct="73"))
    assert "correct / n" in finding.reason
    (finding,) = findings(one(accuracy="0.123", n="87"))
    assert "no whole number of 87 items" in finding.reason
    assert one(accuracy="0.123", n="87").systems[0].findings[0].low == pytest.approx(10 / 87)
    assert eh.audit([{"accuracy": "0.123", "n": "87"}], runs=10).ok


def test_whole_numbers_are_those_of_all_runs_together() -> None:
    (finding,) = findings(eh.audit([{"accuracy": "0.544", "n": "54"}], runs=2))
    assert "no whole number of 54 items in 2 runs gives it" in finding.reason
    row = {"recall[a]": "0.544", "support[a]": "54", "recall[b]": "0.5", "support[b]": "54"}
    (finding,) = findings(eh.audit([row], runs=2))
    assert "no whole number of 54 items of the class in 2 runs gives it" in finding.reason


def test_where_no_table_is_left_a_printed_number_is_named() -> None:
    sizes = {"support[a]": "7", "support[b]": "9", "support[c]": "3"}
    (finding,) = findings(one(**sizes, **{"f1[a]": "0.53", "f1[b]": "0.33", "f1[c]": "0.50"}))
    assert (finding.column, finding.reported) == ("f1[b]", "0.33")
    assert "no table has all these numbers" in finding.reason


def test_recall_is_a_whole_number_of_items() -> None:
    row = {"recall[a]": "0.35", "recall[b]": "0.50"}
    assert eh.audit([row], support={"a": 20, "b": 10}).ok
    (finding,) = findings(eh.audit([row], support={"a": 10, "b": 10}))
    assert finding.column == "recall[a]"
    assert eh.audit([row], support={"a": 10, "b": 10}, runs=2).ok


def test_margins_add_up() -> None:
    # every class is predicted twice as often as it occurs
    row = {"precision[a]": "0.5", "recall[a]": "1.0", "precision[b]": "0.5", "recall[b]": "1.0"}
    row = {c: f"{float(v):.3f}" for c, v in row.items()}
    (finding,) = findings(eh.audit([row], support={"a": 100, "b": 100}))
    assert "predictions over all classes" in finding.reason


def test_abstentions_relax_the_sum() -> None:
    row = {"precision[a]": "1.000", "recall[a]": "0.500", "precision[b]": "1.000",
           "recall[b]": "0.500"}  # fmt: skip
    assert not eh.audit([row], support={"a": 100, "b": 100}).ok
    assert eh.audit([row], support={"a": 100, "b": 100}, abstentions=True).ok


def test_wrong_total() -> None:
    (finding,) = findings(
        eh.audit([{"n": "500", "recall[a]": "0.5"}], support={"a": 100, "b": 300})
    )
    assert finding.column == "n"
    assert "wrong total" in finding.reason
    assert (finding.low, finding.high) == (400, 400)


def test_kappa_and_mcc() -> None:
    assert findings(one(accuracy="0.60", kappa="0.70"))[0].column == "kappa"
    assert findings(one(kappa="0.50", mcc="0.40"))[0].column == "mcc"
    assert findings(one(kappa="0.50", mcc="-0.60"))[0].column == "mcc"
    assert one(kappa="-0.385", mcc="-1.0").ok


def test_micro_f1_is_accuracy() -> None:
    (finding,) = findings(one(accuracy="75.2", micro_f1="74.2"))
    assert finding.column == "micro_f1"
    assert finding.low == pytest.approx(75.15)


def test_out_of_range() -> None:
    (finding,) = findings(one(accuracy="105.2"))
    assert finding.reason.startswith("it must lie between 0 and 1")
    assert (finding.low, finding.high) == (0, 100)


def test_truncation_is_a_weak_finding() -> None:
    (finding,) = findings(one(accuracy="0.333", n="3000", correct="1001"))  # 0.33366…
    assert finding.strength == "weak"
    assert "cut off" in finding.message
    assert findings(one(accuracy="0.333", n="3000", correct="1004"))[0].strength == "proof"


def test_percent_fraction_and_mixtures() -> None:
    assert one(accuracy="75.2 %", micro_f1="0.752").ok
    assert one(accuracy="75,2", micro_f1="75.2").ok
    assert one(accuracy="75.2", macro_precision="0.725", macro_recall="0.567", macro_f1="0.604").ok
    assert one(accuracy="75.2", kappa="0.51").ok
    assert one(macro_precision="0.90", macro_recall="12.00", macro_f1="0.80").ok  # all percent


def test_swapped_precision_and_recall() -> None:
    row = {"recall[a]": "0.900", "precision[a]": "0.600", "macro_recall": "0.850",
           "macro_precision": "0.700", "recall[b]": "0.800", "precision[b]": "0.800"}  # fmt: skip
    assert eh.audit([row]).ok
    row |= {"recall[a]": "0.600", "precision[a]": "0.900"}
    assert any("precision[a] and recall[a] look swapped" in f.reason
               for f in findings(eh.audit([row])))  # fmt: skip


def test_formulas_table_wide() -> None:
    rows = [
        {"name": f"s{i}", "macro_precision": "0.8000", "macro_recall": "0.6000", "macro_f1": f1}
        for i, f1 in enumerate(["0.6857", "0.6857", "0.6857", "0.6500"])
    ]
    found = eh.audit(rows)
    assert found.formula == "f1_of_averages"
    assert found.unexplained == ("s3",)
    assert found.systems[3].formula == ("macro_f1",)
    assert [c["explained"] for c in found.summary["candidates"]] == [3, 4]


@pytest.mark.parametrize("formula", ["weighted_f1", "micro_f1", "weighted_f1_of_averages"])
def test_other_formulas_are_recognised(formula: str) -> None:
    table = eh.Confusion.from_matrix(
        [[600, 100, 100], [10, 50, 20], [20, 30, 70]], labels=["a", "b", "c"]
    )
    row = _row(table, eh.score(table, metrics=[formula])[formula].value)
    found = eh.audit([row])
    assert found.systems[0].formula[0] == formula
    assert found.formula == formula


def test_a_class_left_out_is_recognised() -> None:
    table = eh.Confusion.from_matrix([[600, 100, 100], [10, 50, 20], [20, 30, 70]], labels="abc")
    value = eh.macro_f1(table, classes=["b", "c"])
    assert eh.audit([_row(table, value)]).systems[0].formula == ("macro_f1 without a",)


def _row(table: eh.Confusion, macro_f1: float) -> dict[str, str]:
    row = {"macro_f1": f"{macro_f1:.4f}"}
    for c in eh.score(table).classes:
        row[f"precision[{c.label}]"] = f"{c.precision:.4f}"
        row[f"recall[{c.label}]"] = f"{c.recall:.4f}"
        row[f"support[{c.label}]"] = str(int(c.prevalence))
    return row


def test_an_exhausted_search_is_unknown() -> None:
    row = {"recall[a]": "0.5", "precision[a]": "0.5", "recall[b]": "0.5", "precision[b]": "0.5"}
    assert not eh.audit([row], support={"a": 100, "b": 100}, limit=200).systems[0].unknown
    found = eh.audit([row], support={"a": 100, "b": 100}, limit=20)
    assert found.ok
    assert found.summary["unknown"] == ["row 1"]


def test_huge_supports_do_not_hang() -> None:
    row = {f"{part}[{i}]": "0.5" for i in range(20) for part in ("precision", "recall", "f1")}
    assert eh.audit([row], support={str(i): 10**9 + i for i in range(20)}).ok


def test_rerank() -> None:
    rows = [
        {"name": "even", "precision[a]": "0.60", "recall[a]": "0.60", "precision[b]": "0.60",
         "recall[b]": "0.60"},
        {"name": "odd", "precision[a]": "1.00", "recall[a]": "0.40", "precision[b]": "0.40",
         "recall[b]": "1.00"},
    ]  # fmt: skip
    found = eh.audit(rows, rerank=True).to_dict()["ranking"]
    assert [r["name"] for r in found] == ["even", "odd"]
    assert found[1]["macro_f1"] == pytest.approx(0.571429)
    assert found[1]["f1_of_averages"] == pytest.approx(0.7)
    assert [(r["rank_macro_f1"], r["rank_f1_of_averages"], r["move"]) for r in found] == [
        (1, 2, -1),
        (2, 1, 1),
    ]


def test_wrong_digits_are_found() -> None:
    rates = detection(8, k=4, n=1000, supports=True, columns="classes", percent=False, decimals=4)
    assert rates["found"] >= 0.75
    assert rates["false"] == 0


def test_keys_and_forms(tmp_path: Path) -> None:
    rows = [{"name": "<b>|x", **CLASSES, "f1[a]": "0.676"}]
    found = eh.audit(rows)
    told = found.to_dict()
    assert set(told) == {"schema", "columns", "systems", "summary", "warnings", "warning_codes"}
    assert set(told["systems"][0]) == {
        "name", "formula", "verdict", "strength", "ok", "findings",
    }  # fmt: skip
    assert set(told["systems"][0]["findings"][0]) == {
        "column", "reported", "low", "high", "strength", "message",
    }  # fmt: skip
    assert "\\<b\\>\\|x" in found.to_markdown()
    assert "\\textless{}b" in found.to_latex()
    assert "&lt;b&gt;" in found._repr_html_()
    assert found.to_pandas()["column"].tolist() == ["f1[a]"]
    assert found.to_polars()["reported"].to_list() == ["0.676"]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_frames(make: type) -> None:
    frame = make({"name": ["x", "y"], "accuracy": [0.75, None], "micro_f1": [0.75, 0.7]})
    assert eh.audit(frame).ok
    single = make({"accuracy": [0.75], "micro_f1": [0.73]})
    assert not eh.audit(single).ok


def test_floats_of_single_precision_are_what_they_show() -> None:
    frame = pd.DataFrame({"accuracy": [0.7523], "micro_f1": [0.7523]}).astype("float32")
    assert eh.audit(frame).ok
    assert eh.audit(pl.DataFrame({"a": [1], "accuracy": [2 / 3], "n": [3]})).ok


def test_results_are_frozen() -> None:
    found = one(accuracy="0.5")
    with pytest.raises(AttributeError):
        found.formula = "x"  # type: ignore[misc]


def test_latex_rows_are_not_taken_for_arguments() -> None:
    found = eh.audit([{"name": "[x]", **CLASSES, "f1[a]": "0.676"}]).to_latex()
    assert "\n{[}x{]} & f1{[}a{]}" in found


def test_predictions_that_miss_are_items_of_other_classes() -> None:
    """780 of 1,200 are hits; of 100 other items at most 886 can be predicted to be of the class."""
    row = {
        "precision[a]": "0.80", "recall[a]": "0.75", "support[a]": "100",
        "precision[b]": "0.70", "recall[b]": "0.65", "support[b]": "1200",
    }  # fmt: skip
    (found,) = (f for f in eh.audit([row]).systems[0].findings if f.column == "precision[b]")
    assert (found.low, found.high) == pytest.approx((774 / 874, 1))
    assert "1,200 items of the class and 100 of other classes" in found.reason
    sound = row | {"precision[a]": "0.16", "recall[a]": "0.82", "precision[b]": "0.98"}
    assert eh.audit([sound]).ok


def test_precision_and_f1_that_no_whole_numbers_give() -> None:
    """P = 0.5 and F1 = 0.6 make a recall of 0.75, which three items have not: 2 hits of 4
    predictions make 4/7, and 3 of 6 make 6/9.
    """
    row = {"precision[a]": "0.500", "f1[a]": "0.600", "support[a]": "3", "support[b]": "9"}
    (found,) = eh.audit([row]).systems[0].findings
    assert found.column == "f1[a]"
    assert (found.low, found.high) == pytest.approx((4 / 7, 6 / 9))
    assert "no whole numbers of hits and predictions" in found.reason
    assert eh.audit([row | {"support[a]": "4"}]).ok


# Rates that a printed mean leaves to one class

HEAD = [f"{part}[{v}]" for v in "ABC" for part in ("precision", "recall", "f1")]
HEAD += ["macro_precision", "macro_recall"]


def row_of(text: str) -> dict[str, str]:
    return dict(zip(HEAD, text.split(), strict=True))


def test_a_mean_leaves_a_rate_to_the_one_class_without_it() -> None:
    printed = row_of("68.4 72.7 70.5 78.6 85.2 18.7 51.7 33.9 40.9 66.2 63.9")
    (only,) = findings(one(**printed))
    assert "without f1[B] the row is consistent" in only.reason
    # 3·66.2 − 68.4 − 51.7 = 78.5, within 0.25: F1 is from 81.55 to 81.87
    (found,) = findings(one(**printed | {"precision[B]": "-"}))
    assert (found.column, found.reported, found.strength) == ("f1[B]", "18.7", "proof")
    assert (found.low, found.high) == pytest.approx((81.55, 81.87), abs=0.005)
    assert "precision[B] follows from macro_precision" in found.reason


def test_a_rate_that_no_whole_number_gives_is_a_conflict_of_its_mean() -> None:
    scores = {"recall[A]": "0.500", "recall[B]": "-", "recall[C]": "0.500", "macro_recall": "0.600"}
    sizes = {"support[A]": "10", "support[B]": "4", "support[C]": "10"}
    (found,) = findings(one(**scores, **sizes))  # 0.8 of 4 items: 3/4 gives 0.583, 4/4 0.667
    assert (found.column, found.reported) == ("macro_recall", "0.600")
    assert (found.low, found.high) == pytest.approx((0.583, 0.667))
    assert "recall[B], which follows from it: no whole number of 4 items" in found.reason


@pytest.mark.parametrize(
    "text",
    [
        "68.4 72.7 70.5 - 85.2 81.7 51.7 33.9 40.9 66.2 63.9",  # as it should be
        "68.4 72.7 70.5 - 85.2 18.7 51.7 33.9 40.9 60.1 63.9",  # macro P is of A and C alone
        "68.4 72.7 70.5 - 85.2 18.7 0.0 0.0 0.0 39.5 79.0",  # C may be empty, and left out
        "68.4 72.7 70.5 - 85.2 18.7 - 33.9 40.9 66.2 63.9",  # of two classes nothing follows
    ],
)
def test_what_a_mean_leaves_open_accuses_nobody(text: str) -> None:
    assert one(**row_of(text)).ok


def test_a_mean_of_runs_leaves_no_rate() -> None:
    """A mean over runs may have left a class out in some."""
    row = row_of("68.4 72.7 70.5 - 85.2 60.0 51.7 33.9 40.9 66.2 63.9")  # 0.785 + 0.852 − 1 > 0.6
    assert eh.audit([row], runs=3).ok


def test_a_row_proved_false_is_in_no_ranking() -> None:
    wrong = row_of("68.4 72.7 70.5 78.6 85.2 18.7 51.7 33.9 40.9 66.2 63.9")
    right = row_of("57.9 56.9 57.4 75.9 78.0 77.0 57.2 53.5 55.3 63.7 62.8")
    rows = [{"name": "wrong", **wrong}, {"name": "right", **right}]
    assert eh.audit(rows).ranking is None
    found = eh.audit(rows, rerank=True)
    assert found.ranking is not None
    ranks = {r.name: (r.rank_macro_f1, r.rank_f1_of_averages) for r in found.ranking}
    assert ranks == {"right": (1, 1), "wrong": (None, None)}
    assert "Left out: wrong cannot be right as printed." in str(found)


def test_a_narrow_terminal_keeps_marked_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    printed = row_of("68.4 72.7 70.5 78.6 85.2 81.7 51.7 33.9 40.9 66.2 36.9")
    shown = str(one(**printed)).split("As printed")[1]
    assert "36.9 ✗" in shown
    assert "not shown at 50 columns" in shown
