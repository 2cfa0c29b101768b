"""Integers are counted exactly, whatever their type, range and order."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand import Confusion
from evenhand.data import factorize as integers
from evenhand.data.factorize import MOST_TABLE_CODES, count_integers

RANDOM = np.random.default_rng(0)
SHORT = {"CHUNK": 16, "FIRST_ROWS": 4, "MOST_GROUPED": 8, "BLOCK": 64, "MOST_TABLE_CODES": 32}
TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def counted(true, pred):
    """What count_integers finds, each pair once."""
    a, b, items = count_integers(true, pred)
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    return dict(zip(pairs, items.tolist(), strict=True))


def by_hand(true, pred):
    return Counter(zip(true.tolist(), pred.tolist(), strict=True))


def right(true, pred):
    return counted(true, pred) == by_hand(true, pred)


def shorten(patch):
    for name, value in SHORT.items():
        patch.setattr(integers, name, value)


@pytest.fixture(autouse=True)
def counted_not_sorted(monkeypatch):
    """Short inputs go the way of long ones."""
    monkeypatch.setattr(integers, "SMALL", 0)


@pytest.fixture
def small(monkeypatch):
    """Chunks of a few rows, so that short inputs meet what long ones meet."""
    shorten(monkeypatch)


@pytest.fixture
def threads(small, monkeypatch):
    monkeypatch.setattr(integers, "PARALLEL", 40)


@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_at_both_ends(dtype):
    info = np.iinfo(dtype)
    high = min(info.max, 2**63 - 1)
    values = np.array([info.min, info.min + 1, 0, 1, high - 1, high], dtype)
    true, pred = (RANDOM.choice(values, 1000) for _ in range(2))
    assert right(true, pred)


@pytest.mark.parametrize("types", [("int8", "int64"), ("uint8", "int8"), ("uint32", "int16")])
def test_two_types(types):
    true, pred = (RANDOM.integers(0, 100, 1000).astype(t) for t in types)
    assert right(true, pred)


@pytest.mark.parametrize("low", [0, 1, 7, 8, -1, -8, -20, 10**6, -(2**63), 2**63 - 5000])
@pytest.mark.parametrize(
    "span", [1, 2, 15, 16, 17, 100, MOST_TABLE_CODES - 1, MOST_TABLE_CODES, MOST_TABLE_CODES + 1]
)
def test_offsets_and_spans(low, span):
    true, pred = (low + RANDOM.integers(0, span, 300) for _ in range(2))
    true[:2] = low, low + span - 1
    assert right(true, pred)


def test_not_contiguous():
    whole = RANDOM.integers(0, 10, (500, 4))
    assert right(whole[:, 1], whole[:, 3])
    assert right(whole[::-3, 0], whole[::-3, 2])
    assert right(whole[:, 0].astype(">i4"), whole[:, 1].astype("<i2"))


def test_read_only():
    true = np.arange(10)
    true.setflags(write=False)
    assert right(true, true)


def test_one_row():
    assert counted(np.array([5]), np.array([-5])) == {(5, -5): 1}


@pytest.mark.parametrize("high", [2, 10, 3000, 2**62])
@pytest.mark.parametrize("size", [1, 100, 4096, 4097])
def test_short_inputs_are_sorted(monkeypatch, size, high):
    monkeypatch.setattr(integers, "SMALL", 4096)
    true, pred = (RANDOM.integers(-high, high, size) for _ in range(2))
    assert right(true, pred)


@pytest.mark.parametrize("k", [1, 2, 3, 10, 15, 16, 17])
@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 32, 33, 333])
def test_two_rows_at_a_time_and_one_left_over(small, size, k):
    true, pred = (RANDOM.integers(0, k, size) for _ in range(2))
    assert right(true, pred)


@pytest.mark.parametrize("other", ["int16", "int64", "uint8"])
def test_a_negative_byte_is_no_large_label(other):
    small = np.zeros(5000, np.int8)
    small[-1] = -1
    wide = (np.arange(5000) % 200).astype(other)
    assert right(small, wide)
    assert right(wide, small)


@pytest.mark.parametrize("values", [[1, 2, 3], [2**63, 2**63 + 1, 5], [2**63 + 1] * 3])
@pytest.mark.parametrize("times", [1, 2000])
def test_bytes_in_the_other_order(values, times):
    true, pred = np.array(values * times, ">u8"), np.array([0, 1, 2] * times)
    table = Confusion.from_labels(true, pred)
    native = Confusion.from_labels(true.astype(np.uint64), pred)
    assert table.labels == native.labels == tuple(sorted({*values, 0, 1, 2}))
    assert table.cells.tolist() == native.cells.tolist()


def test_ranges_that_take_turns(small):
    lows = [0, 1000] * 40
    true, pred = (np.concatenate([low + RANDOM.integers(0, 20, 16) for low in lows]) for _ in "tp")
    assert right(true, pred)


def test_a_count_does_not_depend_on_the_one_before():
    first, second = (RANDOM.integers(0, 10, 1001) for _ in range(2))
    wide = RANDOM.choice([-(2**40), 7, 2**50], 1001)
    for true, pred in [(first, second), (wide, wide[::-1]), (first + 90, second), (second, first)]:
        assert right(true, pred)


def test_a_label_out_of_range_is_no_other_cell(small):
    # With k = 16, an unchecked t * k + p would take (0, 17) for (1, 1).
    true, pred = np.zeros(64, int), np.tile([1, 17], 32)
    true[::2] = 1
    assert counted(true, pred) == {(1, 1): 32, (0, 17): 32}


def test_ranges_change_between_chunks(small):
    lows = [0, 5, 0, 100, -7, 100, 1000, 0, 16, 15]
    true, pred = (np.concatenate([low + RANDOM.integers(0, 8, 16) for low in lows]) for _ in "tp")
    assert right(true, pred)


def test_sorted_rows(small):
    true = np.repeat(np.arange(200), 5)
    assert right(true, np.roll(true, 3))


def test_few_values_far_apart(small):
    values = np.array([-(2**62), -3, 0, 2**40, 2**62])
    true, pred = (RANDOM.choice(values, 500) for _ in range(2))
    assert right(true, pred)


@pytest.mark.parametrize("dtype", ["int16", "int32", "int64", "uint16", "uint64"])
def test_new_values_far_apart_appear_later(small, dtype):
    high = 2**62 if np.dtype(dtype).itemsize == 8 else np.iinfo(dtype).max
    steps = [[0, high], [0, high], [5, high - 5], [high // 2, high // 3], [0, high]]
    true, pred = (
        np.concatenate([RANDOM.choice(np.array(v), 16) for v in steps]).astype(dtype) for _ in "tp"
    )
    assert right(true, pred)


def test_far_apart_first_narrow_later(small):
    true = np.concatenate([[0] * 16, [10**9] * 16, np.arange(16), [10**9 + 1] * 16])
    assert right(true, true[::-1].copy())


def test_many_values_far_apart(small):
    true, pred = (RANDOM.integers(-(2**60), 2**60, 1000) for _ in range(2))
    true[500:] = true[:500]
    pred[500:] = pred[:500]
    assert right(true, pred)


def test_many_values_in_a_wide_range(small):
    true, pred = (RANDOM.integers(0, 10_000, 1000) for _ in range(2))
    assert right(true, pred)


def test_too_many_values_only_in_the_last_chunk(small):
    true = np.concatenate([RANDOM.integers(0, 4, 200), RANDOM.integers(0, 10**9, 100)])
    assert right(true, true % 7)


@pytest.mark.parametrize("high", [4, 30, 10**6, 2**62])
@pytest.mark.parametrize("size", [39, 40, 41, 1000])
def test_threads(threads, size, high):
    true, pred = (RANDOM.integers(-high, high, size) for _ in range(2))
    assert right(true, pred)


def test_threads_that_meet_different_values(threads):
    true = np.concatenate([np.full(100, v) for v in (3, 10**12, -5, 2**62)])
    assert right(true, true[::-1].copy())


def test_a_million_rows_in_threads_as_they_are():
    true, pred = (RANDOM.integers(0, 10, (1 << 20) + 1) for _ in range(2))
    cells = np.zeros((10, 10), int)
    np.add.at(cells, (true, pred), 1)
    np.testing.assert_array_equal(Confusion.from_labels(true, pred).cells, cells)


@pytest.mark.parametrize(
    "values",
    [
        [2**63, 2**63 + 1], [2**64 - 1, 0], [2**63 - 1, 2**63], [2**64 - 1, 2**64 - 2, 2**63 + 7],
    ],
)  # fmt: skip
def test_beyond_signed_integers(values):
    true = RANDOM.choice(np.array(values, np.uint64), 100)
    pred = RANDOM.choice(np.array(values, np.uint64), 100)
    table = Confusion.from_labels(true, pred)
    at = {v: i for i, v in enumerate(table.labels)}
    assert list(table.labels) == sorted({*true.tolist(), *pred.tolist()})
    for (t, p), items in by_hand(true, pred).items():
        assert table.cells[at[t], at[p]] == items


def test_beyond_signed_integers_against_negative_ones():
    table = Confusion.from_labels(np.array([2**63, 1], np.uint64), np.array([-1, 1]))
    assert table.labels == (-1, 1, 2**63)
    assert table.cells.tolist() == [[0, 0, 0], [0, 1, 0], [1, 0, 0]]


@given(
    st.lists(
        st.tuples(*[st.one_of(st.integers(-20, 20), st.integers(-(2**63), 2**63 - 1))] * 2),
        min_size=1,
        max_size=300,
    ),
    st.sampled_from([16, 40, 10**6]),
)
def test_any_pairs(pairs, parallel):
    true, pred = (np.array(column, np.int64) for column in zip(*pairs, strict=True))
    with pytest.MonkeyPatch.context() as patch:
        shorten(patch)
        patch.setattr(integers, "PARALLEL", parallel)
        assert right(true, pred)


@given(st.data(), st.sampled_from(TYPES))
def test_any_type(data, dtype):
    info = np.iinfo(dtype)
    values = st.lists(st.integers(info.min, info.max), min_size=1, max_size=40)
    true = np.array(data.draw(values), dtype)
    pred = np.roll(true, data.draw(st.integers(0, 5)))
    table = Confusion.from_labels(true, pred)
    assert dict(zip(table.labels, table.prevalence.tolist(), strict=True)) == Counter(true.tolist())
    assert table.correct.sum() == (true == pred).sum()
    assert all(type(label) is int for label in table.labels)
