"""JSON arrays are read as JSON Lines are: the same types, the same refusals, by item."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.io.json import json_rows, parsed, read_labels

ROWS = [
    {"id": 1, "gold": "a", "system": "b"},
    {"id": 2, "gold": "b}, {", "system": "b"},
    {"id": 3, "gold": '},{"id":', "system": "b"},
    {"id": 4, "gold": "\\", "system": '\\"'},
]
COLUMNS = ("--true", "gold", "--pred", "system")
LAYOUTS = [{}, {"indent": 2}, {"separators": (",", ":")}, {"indent": "\t"}]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab{}[],:" \\\n\té', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab{", max_size=2), inner),
    max_leaves=4,
)
objects = st.dictionaries(st.sampled_from(["id", "a b", "}, {", '"']), values, min_size=1)


def rows_of(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.json")
        path.write_bytes(text)
        return json_rows(str(path), "x")


@given(st.lists(objects, min_size=1, max_size=5), st.sampled_from(LAYOUTS), st.booleans())
def test_every_array_is_taken_apart(rows, layout, plain):
    """By orjson and, where that would change a value, by the standard library."""
    text = json.dumps(rows, ensure_ascii=plain, **layout)
    assert rows_of(text.encode()) == rows
    assert rows_of(text.replace('":', '" :').encode()) == json.loads(text.replace('":', '" :'))


@given(values, st.sampled_from(LAYOUTS), st.booleans())
def test_what_is_parsed_is_what_the_standard_library_reads(value, layout, plain):
    text = json.dumps(value, ensure_ascii=plain, **layout)
    assert parsed(text.encode(), "x") == [value]


@pytest.mark.parametrize(
    "text", ["[18446744073709551616]", "[-9223372036854775809]", "[12345678901234567890123]"]
)
def test_what_orjson_would_change_is_left_to_the_standard_library(text):
    assert parsed(text.encode(), "x") == [json.loads(text)]


def test_a_key_twice_in_an_object(fails, here):
    (here / "x.json").write_text('{"rows": [{"gold": "a", "gold": "b", "system": "b"}]}')
    assert fails("count", "x.json", *COLUMNS) == (
        "x.json: expected JSON, got 'gold' more than once"
    )


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 1}', '{"a": 1, "\\u0061": 2}', '{"a" : 1, "b": "x", "b" : 2}']
)
def test_keys_twice_however_written(text):
    with pytest.raises(InputError, match="more than once"):
        parsed(text.encode(), "x")


@pytest.mark.parametrize(
    "text", ["[1e400]", "[-1E999]", "[NaN]", "[Infinity]", '["\\ud800"]', "[1"]
)
def test_what_is_no_json(text):
    with pytest.raises(InputError, match="x: expected"):
        parsed(text.encode(), "x")


def test_integers_beyond_64_bits_are_kept(count, here):
    large = [2**64, -(2**63) - 1, 2**63 - 1]
    rows = [{"gold": v, "system": v} for v in large]
    for text in (
        json.dumps(rows),
        json.dumps({"rows": rows}),
        json.dumps({"rows": rows}, indent=1),
    ):
        (here / "x.json").write_text(text)
        assert count("x.json", *COLUMNS).cells == {(v, v): 1 for v in large}
    (here / "gold.json").write_text(json.dumps(large))
    (here / "pred.json").write_text(json.dumps(large))
    assert count("gold.json", "pred.json").cells == {(v, v): 1 for v in large}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["x.json", "x.json.gz", "-"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_objects(count, write, here, layout, name, mark):
    import gzip

    text = mark + json.dumps(ROWS, **layout).encode()
    if name != "-":
        (here / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    found = count(name, *COLUMNS, **({"input": text} if name == "-" else {}))
    assert found.cells == {
        ("a", "b"): 1, ("b}, {", "b"): 1, ('},{"id":', "b"): 1, ("\\", '\\"'): 1
    }  # fmt: skip


def test_labels_keep_their_types(count, here):
    (here / "gold.json").write_text("[1, 2, 2]")
    (here / "pred.json").write_text("[1, null, 2]")
    found = count("gold.json", "pred.json")
    assert found.cells == {(1, 1): 1, (2, None): 1, (2, 2): 1}
    assert found.missing == 1


def test_labels_beside_lines(count, here):
    (here / "gold.json").write_text('["a", "b"]')
    (here / "pred.txt").write_text("a\na\n")
    assert count("gold.json", "pred.txt").cells == {("a", "a"): 1, ("b", "a"): 1}


def test_nested_fields(count, here):
    rows = [{"doc": {"gold": g, "by": {"x": p}}} for g, p in ("ab", "bb", "aa")]
    expected = {("a", "b"): 1, ("b", "b"): 1, ("a", "a"): 1}
    asked = ("--true", "doc.gold", "--pred", "doc.by.x")
    (here / "x.json").write_text(json.dumps(rows))
    (here / "x.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert count("x.json", *asked).cells == count("x.jsonl", *asked).cells == expected


def test_a_column_of_the_whole_name_comes_first(count, here):
    (here / "x.jsonl").write_text('{"d.g": "a", "d": {"g": "b"}, "p": "a"}\n')
    assert count("x.jsonl", "--true", "d.g", "--pred", "p").cells == {("a", "a"): 1}


def test_nested_fields_of_parquet(count, here):
    import polars as pl

    pl.DataFrame({"doc": [{"g": "a", "p": "b"}]}).write_parquet(here / "x.parquet")
    assert count("x.parquet", "--true", "doc.g", "--pred", "doc.p").cells == {("a", "b"): 1}


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_nested_fields_of_mixed_types(fails, here, ending):
    rows = [{"doc": {"g": "1", "p": "1"}}, {"doc": {"g": 1, "p": "1"}}]
    text = json.dumps(rows) if ending == "json" else "\n".join(map(json.dumps, rows))
    (here / f"x.{ending}").write_text(text)
    error = fails("count", f"x.{ending}", "--true", "doc.g", "--pred", "doc.p")
    assert "column 'doc.g' must be of one type, got integers and text" in error


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"gold": "a", "system": "b"}, 2]', "x.json, item 2: expected a JSON object, got 2"),
        ('[{"gold": "a", "system": "b"},]', "x.json: expected JSON, got "),
        (
            '[{"gold": "a", "system": "b"},,{}]',
            "x.json: expected JSON, got Expecting value (character 31)",
        ),
        ('[{"gold": "a", "system": "b"}', "x.json: expected JSON, got Expecting ',' delimiter"),
        ('[{"gold": "a", "system": "b}]', "x.json: expected JSON, got Unterminated string"),
        (
            '[{"gold": "a"},\n{"gold": "b}, {"gold": "a"}]',
            "got Expecting ',' delimiter (line 2, ",
        ),
        (
            '[{"gold": "a", "system": "b"}] x',
            "x.json: expected JSON, got Expecting value (character 32)",
        ),
        (
            '[{"gold": "a", "system": "b"}] []',
            "x.json: expected one JSON array or object, got more after",
        ),
        ('[{"gold": NaN, "system": "b"}]', "x.json: expected JSON, got NaN"),
        (
            '[{"gold": "a\nb", "system": "b"}]',
            "x.json: expected JSON, got Invalid control character",
        ),
        (
            '[{"gold": "a", "system": "b"}, {"gold": "\\ud800", "system": "b"}]',
            "x.json: expected text, got half",
        ),
        (
            '[{"gold": true, "system": true}, {"gold": 1, "system": true}]',
            "got booleans and integers",
        ),
        ('[{"gold": "1", "system": "b"}, {"gold": 1, "system": "b"}]', "must be of one type"),
        ('[{"gold": "a"}]', "x.json has one column 'gold', expected 'system' too"),
        ("[]", "x.json holds one label per line: it has no columns to name"),
    ],
)
def test_what_is_amiss(fails, here, text, message):
    (here / "x.json").write_text(text)
    assert message in fails("count", "x.json", *COLUMNS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('["a", 1]', "gold.json must hold labels of one type, got integers and text"),
        ('["a", "b"', "gold.json: expected JSON, got Expecting ',' delimiter"),
        ('["a", NaN]', "gold.json: expected JSON, got NaN"),
        ('["a", "\\ud800"]', "gold.json: expected text, got half a character"),
        ('["a", "b, "a"]', "gold.json: expected JSON, got Expecting ',' delimiter (character 12)"),
        ('["a", "b", "a]', "gold.json: expected JSON, got Unterminated string"),
        ('["a", "b" "a"]', "gold.json: expected JSON, got Expecting ',' delimiter (character 11)"),
        ('["a", "b\nc"]', "gold.json: expected JSON, got Invalid control character"),
        ("[[1], 2]", "gold.json must hold labels of one type, got integers and lists"),
        ("[]", "gold.json has 0 labels and pred.txt has 2"),
    ],
)
def test_what_is_amiss_with_labels(fails, here, text, message):
    (here / "gold.json").write_text(text)
    (here / "pred.txt").write_text("a\na\n")
    assert message in fails("count", "gold.json", "pred.txt")


def test_a_saved_table_is_still_one(count, run, write, here):
    (here / "x.json").write_text(json.dumps(ROWS))
    assert run("count", "x.json", *COLUMNS, "--output", "table.json").exit_code == 0
    assert run("score", "table.json").exit_code == 0


LABELS = st.lists(st.text('ab", \\\né\u2028', max_size=5), min_size=1, max_size=6)


@given(LABELS, st.sampled_from(LAYOUTS), st.booleans(), st.sampled_from(["", "\ufeff", " \r\n"]))
def test_labels_are_read_as_they_were_written(labels, layout, escaped, before):
    text = before + json.dumps(labels, ensure_ascii=escaped, **layout)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.json"
        path.write_text(text, encoding="utf-8")
        assert read_labels(str(path), "x", "label")["label"].to_list() == labels


@given(
    LABELS, st.integers(0, 60), st.sampled_from(['"', ",", "\\", " ", "\n", "]", "null", "1", ""])
)
def test_damaged_labels_are_what_python_reads_or_an_error(labels, at, mark):
    """Of the strict reader of the standard library, nothing else is taken."""
    text = json.dumps(labels)
    text = text[:at] + mark + text[at + 1 :]
    try:
        wanted = json.loads(text)
    except ValueError:
        wanted = None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.json"
        path.write_text(text, encoding="utf-8")
        try:
            found = read_labels(str(path), "x", "label")["label"].to_list()
        except InputError:
            found = None
    known = isinstance(wanted, list) and len({type(v) for v in wanted} - {type(None)}) < 2
    assert found == (wanted if known else None)
