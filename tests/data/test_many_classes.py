"""Two hundred thousand classes: memory follows the cells that are not empty."""

import tracemalloc
from collections import Counter
from math import fsum

import numpy as np
import pytest

import evenhand as eh
from evenhand import Confusion
from evenhand.data.cells import SparseCells

pytestmark = pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")

K, ROWS = 200_000, 300_000
RANDOM = np.random.default_rng(0)
TRUE = RANDOM.integers(0, K, ROWS) * 3 - 7
PRED = np.where(RANDOM.random(ROWS) < 0.6, TRUE, RANDOM.integers(0, K, ROWS) * 3 - 7)
LABELS = sorted({*TRUE.tolist(), *PRED.tolist()})


@pytest.fixture(scope="module")
def pairs():
    return Counter(zip(TRUE.tolist(), PRED.tolist(), strict=True))


@pytest.fixture(scope="module")
def table():
    return Confusion.from_labels(TRUE, PRED)


def cells_of(table):
    true, pred, weight = (x.tolist() for x in table.nonzero())
    names = [*table.labels, None]
    return {(names[t], names[p]): w for t, p, w in zip(true, pred, weight, strict=True)}


def test_the_cells_are_the_distinct_pairs(table, pairs):
    assert isinstance(table.data, SparseCells)
    assert len(table.data.weight) == len(pairs)
    assert cells_of(table) == pairs
    assert list(table.labels) == LABELS


def test_memory_is_far_below_the_square():
    tracemalloc.start()
    try:
        made = Confusion.from_labels(TRUE, PRED)
        eh.macro_f1(made), eh.mcc(made), made + made, made.calibrate()
        made.select(LABELS[:1000])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 300e6 < K * K / 100


@pytest.fixture(scope="module")
def by_hand():
    hits, bias, true = (Counter(x.tolist()) for x in (TRUE[TRUE == PRED], PRED, TRUE))
    every = range(len(LABELS))
    precision = [hits[v] / (bias[v] or 1) for v in LABELS]
    recall = [hits[v] / (true[v] or 1) for v in LABELS]
    f1 = [2 * hits[v] / (bias[v] + true[v]) for v in LABELS]
    p, r = (fsum(x for x, v in zip(y, LABELS, strict=True) if true[v]) / len(true)
            for y in (precision, recall))  # fmt: skip
    right, chance = sum(hits.values()), sum(bias[v] * n for v, n in true.items())
    spread = [ROWS**2 - sum(n * n for n in margin.values()) for margin in (bias, true)]
    return {
        "accuracy": right / ROWS,
        "micro_f1": right / ROWS,
        "macro_precision": p,
        "macro_recall": r,
        "macro_f1": fsum(x for x, v in zip(f1, LABELS, strict=True) if true[v]) / len(true),
        "f1_of_averages": 2 * p * r / (p + r),
        "weighted_f1": fsum(f1[i] * true[LABELS[i]] for i in every) / ROWS,
        "balanced_accuracy": fsum(recall) / len(true),
        "kappa": (right * ROWS - chance) / (ROWS**2 - chance),
        "mcc": (right * ROWS - chance) / (spread[0] * spread[1]) ** 0.5,
    }


def test_metrics_are_those_of_the_definitions(table, by_hand):
    for name, value in by_hand.items():
        assert getattr(eh, name)(table) == pytest.approx(value, rel=1e-12), name


@pytest.mark.slow
def test_score_and_its_intervals(table, by_hand):
    scores = eh.score(table, metrics=["macro_f1", "accuracy"])
    assert scores["macro_f1"].value == pytest.approx(by_hand["macro_f1"])
    assert scores["macro_f1"].low < by_hand["macro_f1"] < scores["macro_f1"].high


def test_parts_add_up_to_the_whole(table, pairs):
    half = ROWS // 3
    parts = Confusion.from_labels(TRUE[:half], PRED[:half]) + Confusion.from_labels(
        TRUE[half:], PRED[half:]
    )
    assert isinstance(parts.data, SparseCells)
    assert cells_of(parts) == pairs


def test_a_small_part_may_be_dense(table, pairs):
    more = table + Confusion.from_labels([TRUE[0], -99], [TRUE[0], TRUE[0]])
    first = int(TRUE[0])
    assert cells_of(more) == pairs + Counter({(first, first): 1, (-99, first): 1})


def test_weights():
    weights = RANDOM.integers(1, 9, ROWS) / 4
    table = Confusion.from_labels(TRUE, PRED, weights=weights)
    summed, squares = Counter(), Counter()
    for pair, w in zip(zip(TRUE.tolist(), PRED.tolist(), strict=True), weights, strict=True):
        summed[pair] += w
        squares[pair] += w * w
    assert cells_of(table) == summed
    assert table.data.square.sum() == sum(squares.values())


def test_select(table, pairs):
    chosen = set(LABELS[10:5_000:7])
    kept = Counter()
    for (t, p), items in pairs.items():
        if t in chosen:
            kept[t, p if p in chosen else None] += items
    assert cells_of(table.select(sorted(chosen))) == kept


def test_relabel(table, pairs):
    expected = Counter()
    for (t, p), items in pairs.items():
        expected[t % 10, p % 10] += items
    assert cells_of(table.relabel(lambda v: v % 10)) == expected


def test_calibrate(table, pairs):
    made, occurs = table.calibrate(), table.prevalence > 0
    np.testing.assert_allclose(made.prevalence, occurs / occurs.sum())
    assert eh.macro_recall(made) == pytest.approx(eh.macro_recall(table))
    assert eh.accuracy(made) == pytest.approx(eh.balanced_accuracy(table))
    assert len(made.data.weight) == len(pairs)


def test_transpose_and_stack(table, pairs):
    turned = table.transpose()
    assert cells_of(turned) == {(p, t): items for (t, p), items in pairs.items()}
    stack = Confusion.stack({"as is": table, "turned": turned})
    np.testing.assert_array_equal(stack.at("turned").prevalence, table.bias)
    np.testing.assert_allclose(eh.macro_f1(stack)[0], eh.macro_f1(table))


def test_slices_stay_sparse(pairs):
    import polars as pl

    frame = pl.DataFrame({"gold": TRUE, "system": PRED, "part": TRUE % 5})
    stack = Confusion.from_frame(frame, true="gold", pred="system", by="part")
    assert isinstance(stack.data, SparseCells)
    assert len(stack.data.weight) == len(pairs)
    assert cells_of(stack.at(3)) == {p: n for p, n in pairs.items() if p[0] % 5 == 3}


def test_save_and_load(table, pairs, tmp_path):
    path = tmp_path / "table.json"
    table.save(path)
    back = Confusion.load(path)
    assert isinstance(back.data, SparseCells)
    assert back.labels == table.labels
    assert cells_of(back) == pairs


def test_text_labels():
    names = np.array([f"class {v}" for v in range(5_000)])
    true, pred = (RANDOM.integers(0, 5_000, 20_000) for _ in range(2))
    table = Confusion.from_labels(names[true].tolist(), names[pred].tolist())
    assert isinstance(table.data, SparseCells)
    assert cells_of(table) == Counter(zip(names[true].tolist(), names[pred].tolist(), strict=True))


def test_a_dense_view_that_would_not_fit_says_so(table):
    with pytest.raises(MemoryError, match="use nonzero"):
        _ = table.cells
