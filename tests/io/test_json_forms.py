"""What is learnt of objects: every field however late, every type, and no line unchecked."""

import json
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.io.json import JsonType, lined_objects, type_of

COLUMNS = ("--true", "gold", "--pred", "system")
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text('ab",\\é', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab"), inner, max_size=3),
    max_leaves=5,
)
objects = st.dictionaries(st.sampled_from("abcd"), values)


def learn(lines):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.jsonl")
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return type_of(("x", rows) for rows in lined_objects(str(path), "x"))


@given(st.lists(objects, min_size=1, max_size=5), st.booleans())
def test_all_fields_are_learnt(rows, plain):
    found = learn(json.dumps(row, ensure_ascii=plain) for row in rows)
    assert set(found.fields) == {key for row in rows for key in row}


@given(st.lists(objects, min_size=1, max_size=3), st.data())
def test_nothing_is_learnt_of_what_is_no_json(rows, data):
    """A character more, less or twice: what is taken, the standard library takes too."""
    lines = [json.dumps(row) for row in rows]
    number = data.draw(st.integers(0, len(lines) - 1))
    line = lines[number]
    at = data.draw(st.integers(0, len(line)))
    changed = line[:at] + data.draw(st.sampled_from(['"', "\\", "{", ",", "0", "\t", "", "}"]))
    changed += line[at + data.draw(st.integers(0, 1)) :]
    try:
        learn([*lines[:number], changed, *lines[number + 1 :]])
    except InputError:
        return
    pairs = []
    json.loads(changed or "{}", object_pairs_hook=lambda p: pairs.append([k for k, _ in p]))
    assert all(len(set(keys)) == len(keys) for keys in pairs)


@pytest.mark.parametrize(
    ("seen", "dtype"),
    [
        ([1, None], pl.Int64), ([1, 2.5], pl.Float64), ([2**62], pl.Int64), ([2**64], pl.Int128),
        ([2**53 + 1, 0.5], None), ([1, True], None),
        ([[], ["a"]], pl.List(pl.String)), ([None], pl.Null), ([[1, "a"]], None),
    ],
)  # fmt: skip
def test_types(seen, dtype):
    one, other = JsonType(), JsonType()
    one.extend(seen)
    for value in seen:
        other.extend([value])
    assert one.dtype == other.dtype == dtype


def test_a_late_field_is_not_lost(write, count, fails):
    rows = [{"gold": "a", "system": "a"}] * 70_000 + [{"system": "a", "late": "b", "gold": "a"}]
    name = write("x.jsonl", "\n".join(map(json.dumps, rows)))
    assert count(name, *COLUMNS).n == 70_001
    assert "must not be null, got 70,000 nulls" in fails(
        "count", name, "--true", "late", "--pred", "gold"
    )


def test_a_late_type_is_not_lost(write, fails):
    rows = [{"gold": "1", "system": "1"}] * 70_000 + [{"gold": 1, "system": "1"}]
    name = write("x.jsonl", "\n".join(map(json.dumps, rows)))
    assert "got integers and text" in fails("count", name, *COLUMNS)


def test_keys_without_end_are_read_all_the_same():
    found = learn(json.dumps({f"key {i}": i}) for i in range(2000))
    assert len(found.fields) == 2000


@pytest.mark.parametrize("inner", ['{"a": 1, "a": 2}', '[{"a": 1, "a": 2}]'])
def test_keys_twice_below(inner):
    with pytest.raises(InputError, match="x, line 2: expected JSON, got 'a' more than once"):
        learn(['{"d": 1, "e": 2}', f'{{"d": {inner}, "e": 2}}'])


@pytest.mark.parametrize("text", ["1e999", "NaN", '"\\ud800"', "01", "[1,]", "tru"])
def test_what_is_no_value(text):
    with pytest.raises(InputError, match="x, line 1: expected"):
        learn([f'{{"a": {text}}}'])
