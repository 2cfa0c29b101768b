"""Stacks and growing tables follow their non-empty cells, and score as each table alone does."""

import tracemalloc

import numpy as np
import polars as pl
import pytest

import evenhand as eh
import evenhand.data.confusion as narrow
from evenhand import Accumulator, Confusion
from evenhand.catalogue.binding import bind, evaluate, values_of
from evenhand.catalogue.lists import default_metrics
from evenhand.catalogue.signature import digest
from evenhand.data.cells import DenseCells, SparseCells
from evenhand.data.confusion import pooled
from evenhand.errors import InputError

RANDOM = np.random.default_rng(0)


def peak(act):
    """Megabytes allocated at once while something is done, and what came of it."""
    tracemalloc.start()
    try:
        found = act()
        return tracemalloc.get_traced_memory()[1] / 1e6, found
    finally:
        tracemalloc.stop()


def labels(k, items):
    true = RANDOM.integers(0, k, items)
    return true, np.where(RANDOM.random(items) < 0.7, true, RANDOM.integers(0, k, items))


def frame(k, slices, items):
    true, pred = labels(k, items)
    return pl.DataFrame({"t": true, "p": pred, "s": RANDOM.integers(0, slices, items)})


def test_a_stack_of_sparse_tables_is_as_large_as_its_cells():
    def made():
        tables = [Confusion.from_labels(*labels(1000, 200), labels=range(1000)) for _ in range(60)]
        return tables, Confusion.stack(tables)

    megabytes, (tables, stack) = peak(made)  # dense, 480 MB for the tables and for the stack
    assert megabytes < 30
    assert isinstance(stack.data, SparseCells)
    assert stack.data.filled == sum(len(t.nonzero()[0]) for t in tables)
    alone = [eh.macro_f1(t, classes="true") for t in tables]
    assert eh.macro_f1(stack, classes="true").tolist() == alone


def test_a_stack_of_dense_tables_stays_dense_only_where_that_pays():
    full = Confusion.from_matrix(np.ones((100, 100), int))
    assert isinstance(Confusion.stack([full] * 10).data, DenseCells)
    empty = Confusion.from_matrix(np.eye(100, dtype=int))
    sparse = Confusion.stack([empty] * 10)
    assert isinstance(sparse.data, SparseCells)
    assert sparse.cells.tolist() == [empty.cells.tolist()] * 10


def test_many_slices_of_many_classes_do_not_need_margins_of_all():
    data = frame(20_000, 1000, 20_000)
    stack = Confusion.from_frame(data, true="t", pred="p", by="s")
    megabytes, found = peak(lambda: eh.macro_f1(stack, classes="true"))
    assert megabytes < 60  # one margin of all slices has 150
    assert found[[0, 500, 999]].tolist() == [
        eh.macro_f1(stack[i], classes="true") for i in (0, 500, 999)
    ]


@pytest.fixture
def small_blocks(monkeypatch):
    """What is large, and what many classes are, at the size of a test."""
    monkeypatch.setattr(narrow, "LARGE", 100)
    monkeypatch.setattr(narrow, "BLOCK", 200)
    monkeypatch.setattr(narrow, "DENSE_LIMIT", 400)


STACK = Confusion.from_frame(frame(60, 12, 400), true="t", pred="p", by="s")
METRICS = [*map(str, default_metrics()), "macro_f1@uniform", "f1:label=7", "macro_recall:p=-inf"]


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("undefined", [0.0, 1.0, float("nan")])
@pytest.mark.parametrize("classes", ["seen", "true", [3, 7, 59]])
@pytest.mark.parametrize("metric", METRICS)
def test_a_table_has_one_number_alone_or_in_a_stack(metric, classes, undefined):
    how = {"classes": classes, "undefined": undefined}
    found = evaluate(metric, STACK, **how)
    alone = [float(evaluate(metric, t, **how)) for t in STACK]
    np.testing.assert_array_equal(found, alone)
    (at_once,) = values_of([bind(metric, STACK, **how)], STACK)
    np.testing.assert_array_equal(found, at_once)
    whole = Confusion.stack([STACK, STACK])
    np.testing.assert_array_equal(evaluate(metric, whole, **how), [alone, alone])


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("metric", [*map(str, default_metrics())])
def test_a_slice_of_many_classes_scores_as_if_counted_by_itself(metric):
    for table in STACK:
        true, pred, items = (x.tolist() for x in table.nonzero())
        pairs = [(t, p) for t, p, n in zip(true, pred, items, strict=True) for _ in range(n)]
        own = Confusion.from_labels(*zip(*pairs, strict=True))
        assert float(evaluate(metric, table)) == float(evaluate(metric, own))


@pytest.mark.usefixtures("small_blocks")
def test_what_is_asked_of_all_classes_sees_them_all():
    def classes(c):
        return np.full(np.shape(c.total), c.bias.shape[-1])

    assert evaluate(classes, STACK).tolist() == [STACK.k] * 12
    with pytest.raises(eh.InputError, match=r"classes must be among 0, 1, .* got 99"):
        evaluate("macro_f1", STACK, classes=[99])


def test_stray_labels_are_found_in_blocks(monkeypatch):
    with pytest.warns(eh.EvenhandWarning, match="of labels that never occur in the truth") as whole:
        eh.macro_f1(STACK)
    monkeypatch.setattr(narrow, "LARGE", 100)
    monkeypatch.setattr(narrow, "BLOCK", 200)
    with pytest.warns(eh.EvenhandWarning) as blocks:
        eh.macro_f1(STACK)
    assert str(blocks[0].message) == str(whole[0].message)


def test_an_empty_table_of_many_classes_has_a_number():
    table = Confusion.from_labels([5], [5], labels=range(2000))
    stack = Confusion.stack({"a": table}) + Confusion.stack({"b": table, "a": table})
    nothing = stack.select([1, 2]).select([1])
    assert evaluate("macro_f1", nothing).tolist() == [0, 0]
    assert evaluate("macro_recall:p=inf", table.select(range(1, 3))) == 0
    with pytest.raises(InputError, match=r"holds no items \(slice a\)"):
        eh.macro_f1(nothing)  # whoever asks is told


@pytest.mark.parametrize("k", [3, 2000])
def test_items_without_weight_leave_no_cell(k):
    made = [
        Confusion.from_labels(t, p, labels=range(k), weights=w)
        for t, p, w in (([0, 1], [0, 1], [2, 3]), ([0, 1, 2], [0, 1, 0], [2, 3, 0]))
    ]
    assert digest(made[0]) == digest(made[1])
    assert len(made[1].nonzero()[0]) == 2


def test_pooled_is_the_sum_of_the_tables():
    weighted = Confusion.from_frame(
        frame(4, 3, 50).with_columns(w=pl.Series(RANDOM.integers(1, 9, 50) / 4)),
        true="t", pred="p", by="s", weights="w",
    )  # fmt: skip
    for stack in (STACK, weighted):
        wanted, found = sum(stack[1:], start=stack[0]), pooled(stack)
        assert found.shape == ()
        assert found.cells.tolist() == wanted.cells.tolist()
        assert np.array_equal(found.squares, wanted.squares)
        assert (found.n, found.missing) == (wanted.n, wanted.missing)
    huge = pooled(Confusion.from_matrix(np.full((3, 2, 2), 4 * 10**18)))
    assert huge.cells.tolist() == [[1.2e19, 1.2e19]] * 2


@pytest.mark.parametrize("given", [None, range(1400)])
def test_an_update_costs_the_batch_and_not_the_table(given):
    counter = Accumulator(given)
    for start in range(0, 1400, 100):
        counter.update(np.arange(start, start + 100), np.arange(start, start + 100))
    batches = [RANDOM.integers(0, 1400, (2, 64)) for _ in range(30)]

    def more():
        for true, pred in batches:
            counter.update(true, pred)

    megabytes, _ = peak(more)
    assert megabytes < 3  # the dense table has 16


def test_batches_add_up_whatever_their_labels():
    given = [f"l{i}" for i in RANDOM.permutation(100)]
    true, pred = (RANDOM.choice(given, 2000).tolist() for _ in range(2))
    pred[::50] = ["strange"] * 40
    for names in (given, None):
        counter = Accumulator(names)
        for i in range(0, 2000, 37):
            counter.update(true[i : i + 37], pred[i : i + 37])
        whole = Confusion.from_labels(true, pred, labels=names)
        assert counter.table.labels == whole.labels
        assert counter.table.cells.tolist() == whole.cells.tolist()
        assert counter.table.outside.tolist() == whole.outside.tolist()
        assert int(counter.table.n) == 2000
