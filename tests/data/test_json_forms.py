"""What is learnt of objects: every field however late, every type, and no line unchecked."""

import json
import re
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.io.json import LONGEST, JsonType, infer_schema

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
        return infer_schema([(str(path), "x")])


def known(found, line):
    return pl.Series([line]).str.contains(rf"^[ \t]*{found.pattern}[ \t]*$").item()


@given(st.lists(objects, min_size=1, max_size=5), st.booleans())
def test_all_that_was_learnt_is_known(rows, plain):
    lines = [json.dumps(row, ensure_ascii=plain) for row in rows]
    found = learn(lines)
    assert set(found.fields) == {key for row in rows for key in row}
    beyond = re.compile(r"(?<![0-9])[0-9]{16,}")
    assert all(known(found, line) for line in lines if not beyond.search(line))


@given(st.lists(objects, min_size=1, max_size=3), st.data())
def test_nothing_is_known_that_is_no_json(rows, data):
    """A character more, less or twice: what the pattern takes, the standard library takes too."""
    lines = [json.dumps(row) for row in rows]
    found = learn(lines)
    line = data.draw(st.sampled_from(lines))
    at = data.draw(st.integers(0, len(line)))
    changed = line[:at] + data.draw(st.sampled_from(['"', "\\", "{", ",", "0", "\t", "", "}"]))
    changed += line[at + data.draw(st.integers(0, 1)) :]
    if known(found, changed):
        pairs = []
        json.loads(changed, object_pairs_hook=lambda p: pairs.append([k for k, _ in p]))
        assert all(len(set(keys)) == len(keys) for keys in pairs)


@pytest.mark.parametrize(
    ("seen", "dtype"),
    [
        ([1, None], pl.Int64), ([1, 2.5], pl.Float64), ([2**62], pl.Int64), ([2**64], pl.Int128),
        ([2**53 + 1, 0.5], None), ([2**130], None), ([1, True], None),
        ([[], ["a"]], pl.List(pl.String)), ([None], pl.Null), ([[1, "a"]], None),
    ],
)  # fmt: skip
def test_types(seen, dtype):
    form = JsonType()
    for value in seen:
        form.add(value)
    assert form.dtype == dtype


def test_a_late_field_is_not_lost(write, count, fails):
    rows = [{"gold": "a", "system": "a"}] * 70_000 + [{"system": "a", "late": "b", "gold": "a"}]
    name = write("x.jsonl", "\n".join(map(json.dumps, rows)))
    assert count(name, *COLUMNS).n == 70_001
    assert "must not be null, got 70,000 null(s)" in fails(
        "count", name, "--true", "late", "--pred", "gold"
    )


def test_a_late_type_is_not_lost(write, fails):
    rows = [{"gold": "1", "system": "1"}] * 70_000 + [{"gold": 1, "system": "1"}]
    name = write("x.jsonl", "\n".join(map(json.dumps, rows)))
    assert "got integers and text" in fails("count", name, *COLUMNS)


def test_keys_without_end_are_read_all_the_same():
    found = learn(json.dumps({f"key {i}": i}) for i in range(2000))
    assert len(found.fields) == 2000
    assert len(found.pattern) > LONGEST


@pytest.mark.parametrize("inner", ['{"a": 1, "a": 2}', '[{"a": 1, "a": 2}]'])
def test_keys_twice_below(inner):
    with pytest.raises(InputError, match="x, line 2: expected JSON, got 'a' more than once"):
        learn(['{"d": 1, "e": 2}', f'{{"d": {inner}, "e": 2}}'])


@pytest.mark.parametrize("text", ["1e999", "NaN", '"\\ud800"', "01", "[1,]", "tru"])
def test_what_is_no_value(text):
    with pytest.raises(InputError, match="x, line 1: expected"):
        learn([f'{{"a": {text}}}'])
