"""Kappa and MCC with recalls and class sizes: the macro F1s that they leave open."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import evenhand as eh
from evenhand.auditing.bounds import BiasBoxes
from evenhand.auditing.facts import Span
from evenhand.auditing.ranges import Range
from evenhand.papers.overview import SYSTEMS, TABLE, _recovered

HEADINGS = ["macR", "GmacR", "HmacR", "macF1", "macF1c", "kappa", "mcc", "r1", "r2", "r3"]
SIZES = {"1": 3972, "2": 5937, "3": 2375}
# Ends of macro F1 in two million random hits, kappas and MCCs that round to a row, in points,
# computed apart from the package: the predictions as the places where a plane meets a sphere.
SAMPLED = {
    "A": (65.09, 65.67), "B": (65.66, 66.26), "C": (65.76, 66.35), "D": (64.88, 65.44),
    "F": (64.31, 64.94), "G": (63.07, 63.68),
}  # fmt: skip
AS_EITHER = "EH"


def table_8() -> list[dict[str, str]]:
    rows = []
    for name, values in zip(SYSTEMS, TABLE, strict=True):
        row = {h: f"{x:.1f}" for h, x in zip(HEADINGS, values, strict=True)}
        rows.append({"system": name, **row})
    return rows


def test_table_8_is_consistent_and_the_mean_of_f1() -> None:
    audit = eh.audit(table_8(), support=SIZES)
    assert audit.ok
    assert audit.formula == "macro_f1"
    for system in audit.systems:
        fits = set(system.formula) & {"macro_f1", "f1_of_averages"}
        both = system.name in AS_EITHER
        assert fits == ({"macro_f1", "f1_of_averages"} if both else {"macro_f1"})


def test_table_8_is_read_whole() -> None:
    columns = {c["header"]: c["taken_for"] for c in eh.audit(table_8()).to_dict()["columns"]}
    metrics = ["macro_recall", "geometric_macro_recall", "harmonic_macro_recall",
               "reported_macro_f1", "macro_f1@uniform", "kappa", "mcc"]  # fmt: skip
    recalls = [f"recall[{i}]" for i in SIZES]
    assert columns == dict(zip(HEADINGS, metrics + recalls, strict=True))


def test_numbered_classes_take_the_names_of_the_sizes_in_order() -> None:
    named = dict(zip(("negative", "neutral", "positive"), SIZES.values(), strict=True))
    audit = eh.audit(table_8(), support=named)
    assert [c.name for c in audit.columns[-3:]] == [*named]
    assert (audit.formula, audit.judgement.strength) == ("macro_f1", "conclusive")
    others = eh.audit(table_8(), support={"a": 6142, "b": 6142})  # not as many: numbers stay
    assert [c.name for c in others.columns[-3:]] == [*SIZES]


def test_numbered_columns_without_macro_recall_are_not_guessed() -> None:
    text = (
        "| Model | R1 | R2 | RL | macro-F1 |\n|---|---|---|---|---|\n| a | 41 | 19 | 38 | 52.1 |\n"
    )
    assert [c["header"] for c in eh.audit(text).to_dict()["columns"]] == ["macro-F1"]


@pytest.mark.parametrize(
    ("column", "value"), [("mcc", "46.8"), ("kappa", "44.0"), ("macF1", "67.0"), ("macF1c", "69.5")]
)
def test_another_number_in_table_8_is_a_finding(column: str, value: str) -> None:
    rows = table_8()
    rows[0][column] = value
    first, *others = eh.audit(rows, support=SIZES).systems
    assert not first.ok
    assert all(s.ok for s in others)


@pytest.mark.parametrize("name", SAMPLED)
def test_bounds_of_table_8_are_those_of_sampled_roundings(name: str) -> None:
    _, ranges = _recovered(TABLE[SYSTEMS.index(name)] / 100)
    (f1,) = ranges["macro_f1"]
    low, high = 100 * float(f1.low), 100 * float(f1.high)
    assert low <= SAMPLED[name][0] + 0.005
    assert high >= SAMPLED[name][1] - 0.005
    assert (low, high) == pytest.approx(SAMPLED[name], abs=0.08)


def test_boxes_hold_exactly_the_predictions_that_agree() -> None:
    sizes, hits, n = (7, 9, 4), (5, 6, 2), 20
    kappa, mcc = (Range(Fraction(x, 100), Fraction(x + 3, 100)) for x in (46, 47))
    spans = [
        Span(s, ((c, c, c + n - s),), Range(c, c), Range(c, c + n - s), True)
        for s, c in zip(sizes, hits, strict=True)
    ]
    right = set()
    for a, b in product(range(n + 1), repeat=2):
        bias = (a, b, n - a - b)
        if any(not s.bias.holds(x) for s, x in zip(spans, bias, strict=True)):
            continue
        chance = sum(p * q for p, q in zip(sizes, bias, strict=True))
        top = n * sum(hits) - chance
        spread = (n * n - sum(p * p for p in sizes)) * (n * n - sum(q * q for q in bias))
        k, m = Fraction(top, n * n - chance), top / spread**0.5
        if kappa.holds(k) and mcc.low <= m <= mcc.high:
            right.add(bias)
    boxes = BiasBoxes.search(spans, n, kappa, mcc)
    assert right
    assert (boxes.low == boxes.high).all()
    assert set(map(tuple, boxes.low.tolist())) == right


@pytest.mark.parametrize("seed", range(40))
def test_true_tables_with_kappa_and_mcc_have_no_findings(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, decimals = int(rng.integers(2, 6)), int(rng.integers(0, 3))
    cells = rng.integers(0, 10 ** int(rng.integers(1, 5)), (k, k)) + np.eye(k, dtype=int)
    table = eh.Confusion.from_matrix(cells)
    formula = str(rng.choice(["macro_f1", "f1_of_averages"]))
    scores = {"macF1": getattr(eh, formula)(table), "macR": eh.macro_recall(table),
              "macF1c": eh.score(table, metrics=["macro_f1@uniform"])["macro_f1@uniform"].value,
              "kappa": eh.kappa(table), "mcc": eh.mcc(table)}  # fmt: skip
    scores |= {f"r{i + 1}": r for i, r in enumerate(eh.recall(table))}
    row = {name: f"{100 * x:.{decimals}f}" for name, x in scores.items()}
    sizes = {str(i + 1): int(s) for i, s in enumerate(cells.sum(axis=1))}
    audit = eh.audit([{"system": "a", **row}, {"system": "b", **row}], support=sizes)
    assert audit.ok, [f for s in audit.systems for f in s.findings]
    assert formula in audit.systems[0].formula
