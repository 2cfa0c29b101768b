"""The formula that an audit names, how sure it is, and when it names none."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import inf

import numpy as np
import pytest

import evenhand as eh
from benchmarks.audit import an_honest_table
from evenhand.auditing.consistency import Examiner, check
from evenhand.auditing.facts import Assumptions, TableFacts
from evenhand.auditing.formula import SURE
from evenhand.auditing.ranges import Range, means, total, weighted
from evenhand.auditing.reported import Scales, read_source
from studies.verdicts import LAYOUTS, a_table

TRIPLE = ("macro_precision", "macro_recall", "macro_f1")


def triples(*rows: tuple[str, str, str]) -> list[dict[str, str]]:
    return [dict(zip(TRIPLE, row, strict=True)) for row in rows]


def facts_of(row: dict[str, str]) -> TableFacts:
    source = read_source([row])
    examiner = Examiner(source, Scales(source), {}, Assumptions(), 100)
    return examiner.facts(source.rows[0], dict.fromkeys(row, 1), False)


def test_hits_to_the_last_digit_outweigh_a_range_that_explains_anything() -> None:
    rows = triples(
        ("77.42", "76.13", "76.77"), ("77.49", "73.64", "75.52"), ("76.59", "73.00", "74.25")
    )
    found = eh.audit(rows)
    assert found.formula == "f1_of_averages"
    best, other = found.judgement.candidates
    assert (best.explained, best.exact, other.explained, other.exact) == (2, 2, 3, 0)
    assert best.strength > SURE
    (finding,) = found.systems[2].findings
    assert (finding.column, finding.reported, finding.strength) == ("macro_f1", "74.25", "weak")
    assert (finding.low, finding.high) == (
        pytest.approx(74.747, abs=1e-3),
        pytest.approx(74.757, abs=1e-3),
    )


def test_recalls_and_sizes_do_not_tell() -> None:
    """Class recalls with class sizes leave precision open, and with it both formulas."""
    rng = np.random.default_rng(5)
    for _ in range(6):
        size = rng.integers(40, 400, 4)
        rows = []
        for _ in range(8):
            cells = np.array(
                [
                    rng.multinomial(s, rng.dirichlet(np.ones(4)) * 0.4 + 0.6 * np.eye(4)[t])
                    for t, s in enumerate(size)
                ]
            )
            table = eh.Confusion.from_matrix(cells.tolist(), labels="abcd")
            recalls = cells.diagonal() / cells.sum(1)
            rows.append(
                {"macro_f1": f"{eh.macro_f1(table):.3f}"}
                | {f"recall[{c}]": f"{r:.3f}" for c, r in zip("abcd", recalls, strict=True)}
            )
        found = eh.audit(rows, support=dict(zip("abcd", map(int, size), strict=True)))
        assert found.formula in (None, "macro_f1")
        told = found.to_dict()["summary"]
        assert {c["formula"]: c["explained"] for c in told["candidates"]}["macro_f1"] == 8
        if found.formula is None:
            assert told["status"] == "open"
            assert "unclear from these numbers" in found.to_markdown()


@pytest.mark.parametrize("f1", ["0.6042", "0.6361", "0.6365", "0.30", "0.64", "0.63"])
def test_which_and_audit_agree(f1: str) -> None:
    one = eh.which("0.725", "0.5667", f1)
    table = eh.audit(triples(("0.725", "0.5667", f1)))
    assert one.judgement == table.judgement == table.systems[0].judgement
    told = one.to_dict()
    assert told["formula"] == table.summary["formula"]
    assert [set(c) for c in told["candidates"]] == [
        {"formula", "explained", "exact", "strength"}
    ] * len(told["candidates"])


def test_one_row_that_only_one_formula_fits_is_not_conclusive() -> None:
    """The row may be misprinted; a second one that no other formula fits makes it so."""
    found = eh.which("0.725", "0.5667", "0.6042")
    assert (found.formula, found.strength) == ("macro_f1", "strong")
    assert [c.explained for c in found.candidates] == [1, 0]
    rows = triples(("0.725", "0.5667", "0.6042"), ("0.735", "0.5567", "0.6031"))
    both = eh.audit(rows).judgement
    assert (both.formula, both.strength, both.candidates[0].strength) == (
        "macro_f1", "conclusive", inf,
    )  # fmt: skip


def test_a_misprint_turns_no_verdict() -> None:
    """Nine means of F1 to the digit, and one row below any F1 that the classes can have."""
    pairs = [("86.2", "95.6"), ("73.7", "88.7"), ("66.2", "84.8"), ("36.2", "70.5"),
             ("55.3", "79.5"), ("39.3", "68.5"), ("39.4", "61.0"), ("50.9", "62.2"),
             ("76.8", "91.3")]  # fmt: skip
    rows = [
        {"f1[a]": a, "f1[b]": b, "macro_f1": f"{float(Fraction(a) + Fraction(b)) / 2:.1f}"}
        for a, b in pairs
    ]
    low = eh.audit([*rows, {"f1[a]": "72.8", "f1[b]": "87.2", "macro_f1": "71.0"}])
    assert low.formula == "macro_f1"
    (finding,) = low.systems[-1].findings
    assert (finding.column, finding.strength) == ("macro_f1", "proof")
    high = eh.audit([*rows, {"f1[a]": "72.8", "f1[b]": "87.2", "macro_f1": "83.0"}])
    assert high.formula in ("macro_f1", None)  # an F1 of averages may be as large


def test_exact_hits_outweigh_a_misprint_and_the_misprint_is_found() -> None:
    """2PR/(P+R) in every row but one, which is nine points below."""
    rows = triples(
        ("81.37", "61.24", "69.88"), ("74.10", "70.33", "72.17"), ("66.05", "77.91", "71.49"),
        ("79.23", "68.02", "73.20"), ("71.46", "66.62", "60.00"),
    )  # fmt: skip
    found = eh.audit(rows)
    assert found.formula == "f1_of_averages"
    assert [s.ok for s in found.systems] == [True] * 4 + [False]
    (finding,) = found.systems[4].findings
    assert (finding.column, finding.reported, finding.strength) == ("macro_f1", "60.00", "weak")


def test_accuracy_alone_says_nothing_of_macro_f1() -> None:
    rows = [{"accuracy": x, "macro_f1": x} for x in ("83.8", "88.0", "91.2", "93.0", "95.2")]
    found = eh.audit(rows)
    assert (found.formula, found.judgement.status) == (None, "untested")
    sized = eh.audit(rows, support={"a": 1000, "b": 1000})
    assert sized.formula is None


def test_an_average_over_some_classes_is_found() -> None:
    """The mean of two classes of three, and of four: no F1 of averages, though it would fit."""
    three = [("63.0", "54.4", "71.5"), ("74.8", "63.9", "50.8"), ("81.0", "68.2", "55.5"),
             ("91.3", "94.5", "81.9")]  # fmt: skip
    rows = [
        {f"f1[{c}]": v for c, v in zip("abc", one, strict=True)}
        | {"macro_f1": f"{float(Fraction(one[0]) + Fraction(one[1])) / 2:.1f}"}
        for one in three
    ]
    found = eh.audit(rows)
    assert (found.formula, found.ok) == ("macro_f1 without c", True)
    more = [
        row | {"f1[d]": d} for row, d in zip(rows, ("40.1", "44.9", "71.2", "60.3"), strict=True)
    ]
    assert eh.audit(more).formula in ("macro_f1 without c, d", None)


def test_nothing_is_taken_from_a_row_that_is_inconsistent() -> None:
    """The precision of a class is misprinted: its F1 and both averages say so."""
    report = """              precision    recall  f1-score   support

           0       0.80      0.75      0.77        57
           1       0.67      0.63      0.65        41
           2       0.45      0.61      0.58        44

    accuracy                           0.68       142
   macro avg       0.67      0.67      0.67       142
weighted avg       0.68      0.68      0.68       142
"""
    found = eh.audit(report)
    assert (found.formula, found.judgement.status) == (None, "inconsistent")
    assert not found.ok


@pytest.mark.parametrize("seed", range(5))
def test_the_f1_of_averages_is_bounded_by_the_mean_of_f1(seed: int) -> None:
    """m ≤ F1 of averages ≤ (1 + m)/2, over random tables, whatever 0/0 is worth."""
    rng = np.random.default_rng(seed)
    for _ in range(300):
        k = int(rng.integers(2, 6))
        cells = rng.integers(0, 12, (k, k)) * (rng.random((k, k)) < 0.6)
        hits, bias, size = cells.diagonal(), cells.sum(0), cells.sum(1)
        for worth in (0.0, 1.0, np.nan):
            with np.errstate(invalid="ignore", divide="ignore"):
                p = np.where(bias > 0, hits / np.maximum(bias, 1), worth)
                r = np.where(size > 0, hits / np.maximum(size, 1), worth)
                f = np.where(bias + size > 0, 2 * hits / np.maximum(bias + size, 1), worth)
            if np.isnan(p).all() or np.isnan(r).all():
                continue
            a, b, mean = np.nanmean(p), np.nanmean(r), np.nanmean(f)
            both = 2 * a * b / (a + b) if a + b else 0.0
            assert mean - 1e-12 <= both <= (1 + mean) / 2 + 1e-12


def test_equal_digits_tell_nothing() -> None:
    """Where precision equals recall, both formulas give the same number, however many rows hit."""
    rows = triples(*[(f"0.{i}", f"0.{i}", f"0.{i}") for i in range(60, 99)])
    assert eh.audit(rows).judgement.status == "open"


def test_more_digits_tell_more() -> None:
    """The same hit is stronger the more digits it has, and the further P and R are apart."""

    def strength(p: str, r: str, f: str) -> float:
        (row,) = triples((p, r, f))
        by_name = {c.formula: c.strength for c in eh.audit([row]).judgement.candidates}
        return by_name["f1_of_averages"]

    finer = [
        strength("0.80", "0.60", "0.69"),
        strength("0.800", "0.600", "0.686"),
        strength("0.8000", "0.6000", "0.6857"),
    ]
    assert finer == sorted(finer)
    apart = [
        strength("0.7000", "0.7000", "0.7000"),
        strength("0.7100", "0.6900", "0.6999"),
        strength("0.8000", "0.6000", "0.6857"),
    ]
    assert apart == sorted(apart)
    assert strength("0.72", "0.68", "0.70") < SURE < strength("0.7200", "0.6800", "0.6994")


def test_a_table_of_no_formula() -> None:
    rows = triples(*[("0.700", "0.500", f"0.{i}") for i in (90, 91, 92)])
    found = eh.audit(rows)
    assert (found.formula, found.judgement.status) == (None, "none")


def test_accuracy_under_the_name_of_macro_f1_is_open_where_the_mean_fits_too() -> None:
    rows = [
        {**row, "accuracy": row["macro_f1"]}
        for row in triples(("0.82", "0.68", "0.68"), ("0.91", "0.88", "0.88"))
    ]
    assert eh.audit(rows).formula is None


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_no_verdict_is_wrong(layout) -> None:  # type: ignore[no-untyped-def]
    for seed in range(3):
        rows, truth = a_table(np.random.default_rng([77, seed]), layout)
        found = eh.audit(rows if layout.misprint else rows[:8])
        assert found.formula in (None, truth)
        if layout.misprint or layout.some or layout.runs > 1 or layout.name == "F1, accuracy":
            continue
        assert found.ok
        assert all(truth in s.formula for s in found.systems)


def test_a_row_that_no_formula_explains_tells_nothing() -> None:
    row, impossible = ("0.725", "0.5667", "0.6042"), ("0.700", "0.500", "0.900")
    alone, both = (eh.audit(triples(*rows)).judgement for rows in ([row], [row, impossible]))
    assert [c.strength for c in alone.candidates] == [c.strength for c in both.candidates]
    assert (both.formula, both.strength) == ("macro_f1", "strong")


def test_a_digit_cut_off_is_as_likely_as_a_mean_of_f1_that_close() -> None:
    """2PR/(P+R) is 0.5553: 0.55 is that, cut off, or the mean of F1."""
    found = eh.which("0.58929", "0.525", "0.55")
    assert (found.formula, found.status, found.judgement.alone) == (None, "open", "macro_f1")
    assert "cut off" in found.message
    rounded = eh.which("0.58929", "0.525", "0.53")
    assert rounded.candidates[0].strength > found.candidates[0].strength


def test_likelihoods_are_chances() -> None:
    """Over everything that can be printed, a formula's probabilities add up to about one."""
    for p, r in (("0.80", "0.60"), ("0.71", "0.69"), ("0.95", "0.90")):
        sums: dict[tuple[str, object], np.ndarray] = {}
        for i in range(101):
            verdict = check(facts_of({"macro_precision": p, "macro_recall": r,
                                      "macro_f1": f"{i / 100:.2f}"}))  # fmt: skip
            for c in verdict.question.plain:
                (rounded, _, *runs), _ = verdict.question.likelihood(c)
                for way, hit in {"rounded": rounded, **dict(enumerate(runs))}.items():
                    sums[c.name, way] = sums.get((c.name, way), 0) + hit
        for name, way in product(("macro_f1", "f1_of_averages"), ("rounded", 0, 1, 2, 3)):
            assert np.all(np.abs(np.asarray(sums[name, way]) - 1) < 0.15), (name, way)


@pytest.mark.parametrize("seed", range(20))
def test_the_gap_of_two_classes_is_at_least_what_the_means_say(seed: int) -> None:
    """Var(P − R) ≥ D²/(k − 1) where every class has hits: brute force over random tables."""
    rng = np.random.default_rng(seed)
    for _ in range(200):
        k = int(rng.integers(2, 6))
        cells = rng.integers(0, 30, (k, k)) + np.eye(k, dtype=int)
        hits, bias, size = cells.diagonal(), cells.sum(0), cells.sum(1)
        difference = hits / bias - hits / size
        assert difference.max() >= 0 >= difference.min()
        if k == 2:
            assert difference.var() >= difference.mean() ** 2 - 1e-12


@pytest.mark.parametrize("seed", range(10))
def test_means_over_every_choice(seed: int) -> None:
    """The means of ranges over optional classes, against every subset."""
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(5):
        low, high = sorted(int(x) for x in rng.integers(0, 100, 2))
        values.append(Range(Fraction(low, 97), Fraction(high, 97)))
    optional = [bool(x) for x in rng.integers(0, 2, 5)]
    wanted: dict[int, list[Range]] = {}
    for chosen in product(*[(True, False) if o else (True,) for o in optional]):
        taken = [v for v, c in zip(values, chosen, strict=True) if c]
        if taken:
            mean = weighted(taken, [1] * len(taken)).times(Fraction(1, len(taken)))
            wanted.setdefault(len(taken), []).append(mean)
    expected = [
        Range(min(r.low for r in wanted[k]), max(r.high for r in wanted[k]))
        for k in sorted(wanted, reverse=True)
    ]
    sure = [v for v, o in zip(values, optional, strict=True) if not o]
    perhaps = [v for v, o in zip(values, optional, strict=True) if o]
    assert means(total(sure), len(sure), perhaps) == expected


def test_two_classes_are_one_table() -> None:
    # 80 hits, 20 misses, 30 alarms, 170 others: accuracy 250/300
    row = {"precision[a]": "0.727", "recall[a]": "0.800", "f1[a]": "0.762"}
    sizes = {"a": 100, "b": 200}
    assert eh.audit([row | {"accuracy": "0.833"}], support=sizes).ok
    found = eh.audit([row | {"accuracy": "0.843"}], support=sizes)
    (finding,) = found.systems[0].findings
    assert (finding.column, finding.low, finding.high) == (
        "accuracy",
        pytest.approx(5 / 6),
        pytest.approx(5 / 6),
    )
    # recall follows from precision and F1
    assert eh.audit(
        [{"precision[a]": "0.7273", "f1[a]": "0.7619", "accuracy": "0.8333"}],
        support={"a": 1000, "b": 2000},
    ).ok
    assert not eh.audit(
        [{"precision[a]": "0.7273", "f1[a]": "0.7619", "accuracy": "0.8343"}],
        support={"a": 1000, "b": 2000},
    ).ok


def test_accuracy_and_macro_recall_of_two_classes_are_two_numbers_for_two_unknowns() -> None:
    sizes = {"a": 31, "b": 47}
    possible = {
        (f"{(c + d) / 78:.3f}", f"{(c / 31 + d / 47) / 2:.3f}")
        for c in range(32)
        for d in range(48)
    }
    for accuracy, recall in sorted(possible)[::40]:
        assert eh.audit([{"accuracy": accuracy, "macro_recall": recall}], support=sizes).ok
        wrong = f"{float(recall) + 0.003:.3f}"
        if (accuracy, wrong) not in possible:
            found = eh.audit([{"accuracy": accuracy, "macro_recall": wrong}], support=sizes)
            assert not found.ok


def test_blank_predictions_are_a_weak_finding() -> None:
    row = {
        "precision[a]": "0.952",
        "recall[a]": "0.800",
        "precision[b]": "0.900",
        "recall[b]": "0.810",
    }
    found = eh.audit([row], support={"a": 100, "b": 200})
    (finding,) = found.systems[0].findings
    assert finding.strength == "weak"
    assert "outside the classes" in finding.reason
    assert (finding.low, finding.high) == (0.75, 0.75)  # 162 hits of 300 − 84 predictions
    assert [n["code"] for n in found.to_dict()["warning_codes"]] == ["outside"]
    assert eh.audit([row], support={"a": 100, "b": 200}, abstentions=True).ok


def test_a_wrong_n_is_a_suspect() -> None:
    rows = [
        {"name": f"s{i}", "accuracy": f"{c / 87:.3f}", "n": "87"}
        for i, c in enumerate((40, 51, 77))
    ]
    assert eh.audit(rows).ok
    rows[1]["n"] = "78"
    found = eh.audit(rows)
    (finding,) = found.systems[1].findings
    assert finding.column == "accuracy"
    assert "the row is consistent without any one of accuracy, n" in finding.reason
    assert found.systems[0].ok


def test_classes_left_out_are_found_among_many() -> None:
    """What need not be worked out is left aside, and nothing else."""
    rng = np.random.default_rng(2)
    table = an_honest_table(
        rng,
        systems=1,
        k=30,
        n=3000,
        decimals=4,
        percent=False,
        supports=False,
        runs=1,
        columns="classes",
    )
    row = {c: v for c, v in table.rows[0].items() if c not in ("macro_precision", "macro_recall")}
    for out in (0, 7, 29):
        kept = [float(row[f"f1[{i}]"]) for i in range(30) if i != out]
        found = eh.audit([row | {"macro_f1": f"{sum(kept) / 29:.4f}"}])
        assert f"macro_f1 without {out}" in found.systems[0].formula


def test_findings_come_with_arithmetic_and_the_table_as_printed() -> None:
    rows = [
        {"name": "a|b", "precision[x]": "66.7", "recall[x]": "50.0", "f1[x]": "57.2"},
        {"name": "c", "precision[x]": "60.0", "recall[x]": "60.0", "f1[x]": "60.0"},
    ]
    assert eh.audit(rows).ok
    rows[0] |= {"f1[x]": "52.7"}
    found = eh.audit(rows)
    finding = next(f for f in found.systems[0].findings if f.column == "f1[x]")
    assert finding.arithmetic == ("2PR/(P+R) = 2·66.7·50.0 / (66.7 + 50.0) = 57.1551",)
    page = found.to_html()
    for words in ("52.7 ✗", "57.1551", "Cannot be reproduced from the rest of the row", "a|b"):
        assert words in page


@pytest.mark.parametrize(
    ("row", "sizes", "column", "lines"),
    [
        ({"accuracy": "0.123", "n": "87"}, {}, "accuracy", ("hits = 0.123 of 87 items = 10.701",)),
        (
            {"recall[a]": "0.35", "recall[b]": "0.50"},
            {"a": 10, "b": 10},
            "recall[a]",
            ("hits = 0.35 of 10 items = 3.5",),
        ),
        (
            {"recall[a]": "0.30", "recall[b]": "0.50", "macro_recall": "0.45"},
            {},
            "macro_recall",
            ("mean of recall = (0.30 + 0.50) / 2 = 0.4",),
        ),
        (
            {"f1[a]": "0.30", "f1[b]": "0.50", "weighted_f1": "0.40"},
            {"a": 30, "b": 10},
            "weighted_f1",
            ("mean of F1 by size = (30·0.30 + 10·0.50) / 40 = 0.35",),
        ),
    ],
)
def test_arithmetic(row: dict, sizes: dict, column: str, lines: tuple[str, ...]) -> None:
    found = eh.audit([row], support=sizes)
    assert [f.arithmetic for f in found.systems[0].findings if f.column == column] == [lines]


def test_rankings_are_shown_where_the_formula_matters() -> None:
    even = {
        "precision[a]": "0.60",
        "recall[a]": "0.60",
        "precision[b]": "0.60",
        "recall[b]": "0.60",
    }
    odd = {"precision[a]": "1.00", "recall[a]": "0.40", "precision[b]": "0.40", "recall[b]": "1.00"}
    assert "ranking" in eh.audit([{"name": "even", **even}, {"name": "odd", **odd}]).to_dict()
    assert "ranking" not in eh.audit([{"name": "even", **even}, {"name": "same", **even}]).to_dict()


def test_headings_that_do_not_say_what_p_and_r_are_tell_no_formula():
    """Of one class F1 is 2PR/(P+R) too; once they are said to be macro averages, it is told."""
    text = "System,P,R,F1\nA,77.42,76.13,76.77\nB,77.49,73.64,75.52\nC,76.59,73.00,74.25\n"
    found = eh.audit(text)
    assert (found.formula, found.judgement.status, found.ok) == (None, "vague", True)
    assert "of one class" in repr(found)
    said = eh.audit(text, meanings={"P": "macro_precision", "R": "macro_recall"})
    assert said.formula == "f1_of_averages" and said.unexplained == ("C",)


def test_a_macro_f1_that_nothing_can_be_held_against_is_not_called_unexplained():
    text = "Model,Acc.,Ma-F1,w-F1\nA,84.2,79.1,83.9\nB,86.0,81.4,85.8\n"
    found = eh.audit(text)
    assert (found.formula, found.judgement.status, found.ok) == (None, "untested", True)
    assert "To work it out takes macro precision and recall" in repr(found)


def test_half_of_the_rows_are_no_slips() -> None:
    """The mean of F1 is printed in two of four rows, and F1 of averages can be in all."""
    rows = [
        ("85.19", "87.63", "86.81"),
        ("98.56", "98.63", "98.60"),
        ("88.89", "89.73", "89.33"),
        ("98.28", "98.35", "98.31"),
    ]
    names = ("f1[0]", "f1[1]", "macro_f1")
    found = eh.audit([dict(zip(names, row, strict=True)) for row in rows])
    assert found.judgement.candidates[0].formula == "f1_of_averages"
    rows += [("91.02", "84.15", "87.71"), ("93.40", "90.11", "91.79")]
    more = eh.audit([dict(zip(names, row, strict=True)) for row in rows])
    assert more.formula == "f1_of_averages"


def test_one_row_that_one_formula_fits_may_be_cut_off() -> None:
    """2PR/(P+R) is 63.58 to 63.68, so that 63.5 is the mean of F1, or cut off."""
    one = eh.which("72.5", "56.7", "63.5")
    table = eh.audit(triples(("72.5", "56.7", "63.5")))
    assert (one.formula, one.strength, one.status) == (None, "", "open")
    assert one.judgement == table.judgement
    assert one.judgement.alone == "macro_f1"
    assert 1 < one.candidates[0].strength < SURE
    assert "but a misprint, digits cut off or means over runs are nearly as probable" in one.message
    told = table.to_dict()["summary"]
    assert (told["formula"], told["strength"]) == (None, "")


def test_a_mean_over_runs_that_nobody_says_is_allowed_for() -> None:
    """2PR/(P+R) is 0.8257 ± 0.0001; a mean of five F1s of averages may well be 0.8254."""
    one = eh.which("0.8373", "0.8145", "0.8254")
    assert (one.formula, one.status, one.judgement.alone) == (None, "open", "macro_f1")
    assert eh.which("0.8373", "0.8145", "0.8104").formula == "macro_f1"  # no runs differ so much
    said = eh.which("0.8373", "0.8145", "0.8254", runs=5)
    assert said.f1_of_averages[0] < 0.8254 < said.f1_of_averages[1]


def test_one_row_against_exact_hits_is_left_open() -> None:
    """Two rows are 2PR/(P+R) to the digit, and a third is 32 points below, which no slip is."""
    rows = triples(
        ("50.877", "65.432", "25.309"), ("49.333", "45.679", "47.436"),
        ("100.000", "100.000", "100.000"),
    )  # fmt: skip
    found = eh.audit(rows)
    assert (found.formula, found.judgement.alone, found.ok) == (None, "macro_f1", True)


def test_a_value_inside_a_range_that_no_table_gives_is_a_miss() -> None:
    """Whole numbers leave some values between the ends of a range out."""
    layout = next(x for x in LAYOUTS if x.name == "F1; recalls of classes; class sizes")
    rows, truth = a_table(np.random.default_rng([26119, LAYOUTS.index(layout), 66]), layout)
    found = eh.audit(rows)
    by_name = {c.formula: c for c in found.judgement.candidates}
    assert by_name[truth].explained == len(rows) > 2 * by_name["f1_of_averages"].explained
    assert (found.formula, found.judgement.alone) == (truth, truth)


@pytest.mark.parametrize(
    "names",
    [
        ("macro_precision", "macro_recall", "macro_f1"),
        ("macro_precision", "macro_recall", "mean_of_f1"),
        ("macro_precision", "macro_recall", "f1_of_averages"),
        ("weighted_precision", "weighted_recall", "weighted_f1"),
        ("weighted_precision", "accuracy", "weighted_f1_of_averages"),
    ],
)
def test_one_of_precision_and_recall_bounds_an_f1(names: tuple[str, str, str]) -> None:
    """With P 76.4 and R = 100 the most is 86.65: no other P or R explains an F1 of 87.5."""
    row = dict(zip(names, ("76.4", "70.1", "87.5"), strict=True))
    (system,) = eh.audit([row]).systems
    assert system.suspects == (names[2],)
    assert f"without {names[2]} the row is consistent" in system.findings[0].reason
    for missing, most in ((names[1], 86.6534), (names[0], 82.4566)):
        one = {name: text for name, text in row.items() if name != missing}
        (system,) = eh.audit([one]).systems
        (finding,) = system.findings
        assert (finding.column, finding.low) == (names[2], 0)
        assert finding.high == pytest.approx(most, abs=1e-4)
        assert system.formula == ()
    possible = row | {names[2]: "78.9"}
    (finding,) = eh.audit([possible]).systems[0].findings
    assert f"consistent without any one of {', '.join(names)}" in finding.reason


def test_accuracy_over_more_classes_bounds_no_weighted_f1() -> None:
    row = {"accuracy": "50.0", "weighted_f1": "90.0"}
    assert not eh.audit([row]).ok
    assert eh.audit([row], complete=False).ok


def test_what_fits_each_row_is_shown_where_rows_differ() -> None:
    rows = [
        {"name": name, "macro_precision": p, "macro_recall": r, "macro_f1": f1}
        for name, p, r, f1 in (
            ("a", "61.2", "58.4", "59.8"), ("b", "63.9", "60.1", "61.9"),
            ("c", "75.8", "73.9", "71.2"),
        )
    ]  # fmt: skip
    found = eh.audit(rows)
    assert found.formula is None
    shown = str(found)
    assert "would make f1_of_averages fit the other rows as well as macro_f1" in shown
    below = shown.partition("What fits each row")[2]
    assert "f1_of_averages or macro_f1" in below and "c       macro_f1" in below
    assert "What fits each row" not in str(eh.audit(rows[:2]))
