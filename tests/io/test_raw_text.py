"""Any text against the standard library's strict readers: the same items, or both refuse."""

import csv
import io
import json
from collections import Counter
from unittest.mock import patch

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.io import delimited as blocks
from evenhand.io.columns import ReadOptions
from evenhand.io.loading import read
from evenhand.io.ratings import read_predictions

SIZES = st.sampled_from([1, 2, 3, 7, 64, 1 << 21])


class RefusedError(Exception):
    """What a strict reader says of a file."""


def text_of(raw):
    """UTF-8 without NUL, or ASCII in UTF-16; a line ends with LF, CRLF or CR."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise RefusedError from e
    if "\0" in text:
        wide = (raw.decode(encoding, "replace") for encoding in ("utf-16-le", "utf-16-be"))
        text = next((w for w in wide if w.isascii() and "\n" in w and "\0" not in w), None)
    if text is None:
        raise RefusedError
    return text.replace("\r\n", "\n").replace("\r", "\n")


def rows_of(reader):
    """The header, and rows with as many fields; only empty lines may follow the last."""
    try:
        header, *rows = reader
    except (csv.Error, ValueError) as e:
        raise RefusedError from e
    while rows and not rows[-1]:
        rows.pop()
    if not header or any(len(row) != len(header) for row in rows):
        raise RefusedError
    return header, rows


def without_empty_end(text, mark):
    """Text without the lines at its end that hold separators alone, which are no items."""
    full = len(text.rstrip("\n" + mark))
    return text[: text.find("\n", full) + 1 or None] if full else ""


def fields(raw):
    text = without_empty_end(text_of(raw), ",")
    return rows_of(csv.reader(io.StringIO(text, newline=""), strict=True))


def tabs(raw):
    """Tabs separate, quotes around a whole field are taken off."""
    header, rows = rows_of(line.split("\t") if line else [] for line in lines_of(raw, "\t"))

    def plain(field):
        field = field.strip()
        if len(field) > 1 and field[0] == field[-1] == '"':
            return field[1:-1].replace('""', '"')
        return field

    names = [h.strip().removeprefix('"').removesuffix('"') for h in header]
    return names, [[plain(f) for f in row] for row in rows]


def lines_of(raw, mark=""):
    text = without_empty_end(text_of(raw), mark) if mark else text_of(raw)
    return text.removesuffix("\n").split("\n") if text else []


def place(header, column):
    """Where the one column of that name stands, else the one in another case or with spaces."""

    def plain(name):
        return name.casefold().replace("_", " ").split()

    exact = [i for i, name in enumerate(header) if name == column]
    found = exact or [i for i, name in enumerate(header) if plain(name) == plain(column)]
    if len(found) != 1:
        raise RefusedError
    return found[0]


def items(header, rows, columns=("gold", "system")):
    """Some columns, stripped; an empty field is none. The first of them must be there."""
    if not rows:
        raise RefusedError
    places = [place(header, c) for c in columns]
    found = [tuple(row[i].strip() or None for i in places) for row in rows]
    if any(row[0] is None for row in found):
        raise RefusedError
    return found


def objects(raw):
    """One object of whole characters a line, a column's key once, its values of one type."""
    found = []
    for line in lines_of(raw):
        if line.strip(" \t"):
            try:
                pairs = json.loads(line, object_pairs_hook=tuple, parse_constant=refuse)
            except (ValueError, RecursionError) as e:
                raise RefusedError from e
            if not line.lstrip().startswith("{"):
                raise RefusedError
            if any(0xD800 <= ord(c) <= 0xDFFF for c in json.dumps(pairs, ensure_ascii=False)):
                raise RefusedError
            found.append(pairs)
    keys = list(dict.fromkeys(k for pairs in found for k, _ in pairs))
    gold, system = (keys[place(keys, c)] for c in ("gold", "system"))
    if any([k for k, _ in pairs].count(c) > 1 for pairs in found for c in (gold, system)):
        raise RefusedError
    found = [(dict(pairs).get(gold), dict(pairs).get(system)) for pairs in found]
    assume(not any(isinstance(v, list) for row in found for v in row))  # which are another task
    if any(
        len({type(v) for v in column if v is not None}) > 1 for column in zip(*found, strict=True)
    ):
        raise RefusedError
    found = [tuple(v.strip() or None if isinstance(v, str) else v for v in row) for row in found]
    known = [v for row in found for v in row if v is not None]
    if not found or any(row[0] is None for row in found) or len(set(map(type, known))) != 1:
        raise RefusedError
    if isinstance(known[0], tuple):
        raise RefusedError  # an object is no label
    return found


def refuse(_):
    raise ValueError


def counted(table):
    names = [*table.labels, None]
    found = {}
    for true, pred, weight in zip(*table.nonzero(), strict=True):
        found[names[true], names[pred]] = int(weight)
    return found


def agree(ours, theirs):
    """Both refuse, or both give the same."""
    try:
        expected = theirs()
    except RefusedError:
        with pytest.raises(InputError) as refused:
            ours()
        assert len(str(refused.value).splitlines()) == 1
        return
    assert ours() == expected


def noise(*tokens):
    return st.lists(st.sampled_from(tokens), max_size=24).map("".join)


@st.composite
def texts(draw, mark, *, pieces):
    """A header and rows, mostly of the right width, with some bytes of anything put in."""
    field = st.sampled_from(pieces)
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    rows = draw(st.lists(st.lists(field, min_size=3, max_size=3), max_size=6))
    ragged = draw(st.lists(st.lists(field, max_size=5), max_size=1))
    rows[draw(st.integers(0, len(rows))) : 0] = ragged
    text = end.join(mark.join(row) for row in [["gold", "system", "text"], *rows])
    text += draw(st.sampled_from(["", end, end, end * 2]))
    at = draw(st.integers(0, len(text)))
    text = text[:at] + draw(noise('"', mark, "\n", "\r", "a", " ", "\0", "é")) + text[at:]
    raw = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"])) + text.encode()
    return raw + draw(st.sampled_from([b"", b"", b"", b"\xff"]))


CSV = texts(
    ",", pieces=["a", "b", "", " a ", '"a"', '"a,b"', '"x""y"', '"x\ny"', '5" z', '""', "é"]
)
TSV = texts("\t", pieces=["a", "b", "", " a ", '"a"', '"', '""', 'x"y', '"x""y"', "a b", "é"])


def one(raw, ending, size, tmp_path):
    (tmp_path / f"x{ending}").write_bytes(raw)
    with patch.object(blocks, "SIZE", size):
        return counted(
            read(
                ReadOptions((str(tmp_path / f"x{ending}"),), "gold", ("system",)), is_part=True
            ).data
        )


def cells(found):
    return dict(Counter(found))


@settings(max_examples=6 * settings.default.max_examples)
@given(CSV, SIZES)
@example(b'gold,system,text\na,a,it is 12" long\nb,a,hello\nb,b,world 3" x\nb,b,z\n', 1 << 21)
@example(b"text,gold,system\nhello, world,a,b\nx,a,b\n", 1 << 21)
@example(b"text,gold,system\nhello,a\nx,a,b\n", 1 << 21)
@example(b"gold,system\ra,a\rb,a\r", 1 << 21)
@example(b"gold,system\na,a\n\n\n", 1)
@example(b" Gold,SYSTEM\na,b\n", 1)
@example(b"g old,system\na,b\n", 1)
@example(b"Gold,GOLD,system\na,b,a\n", 1)
@example(b"gold\na\n\nb\n", 1)
def test_csv(tmp_path_factory, raw, size):
    folder = tmp_path_factory.mktemp("csv")
    agree(lambda: one(raw, ".csv", size, folder), lambda: cells(items(*fields(raw))))


@settings(max_examples=6 * settings.default.max_examples)
@given(TSV, SIZES)
@example(b"gold\tsystem\ttext\na\tb\nb\ta\tx\n", 1 << 21)
def test_tsv(tmp_path_factory, raw, size):
    folder = tmp_path_factory.mktemp("tsv")
    agree(lambda: one(raw, ".tsv", size, folder), lambda: cells(items(*tabs(raw))))


VALUES = ['"a"', '"b"', '" a "', '"é"', '"\\u00e9"', '"\\ud83d\\ude00"', "null", '""', "1", "true",
          '"\\ud800"', '"\\ude00\\ud83d"', "[1]", "01", "NaN", '"\t"', '"1"', "{}"]  # fmt: skip
JSON = st.lists(
    st.one_of(
        st.builds(
            '{{"gold": {}, "system": {}, "text": {}}}'.format,
            *[st.sampled_from(VALUES[:4])] * 2,
            st.sampled_from(VALUES),
        ),
        st.builds(
            '{{"{}":{},"system": {}{}'.format,
            st.sampled_from(["gold", "go\\u006cd", "system", "x"]),
            *[st.sampled_from(VALUES)] * 2,
            st.sampled_from(
                ["}", "}", '," gold":"a"}', ',"gold":"b"}', ',"gold" : "b" }', "", "}}"]
            ),
        ),
        st.sampled_from(["", " ", "\t", "[]", "1", '"a"', "{}", '{"gold":"a"}{"gold":"b"}', "\0"]),
    ),
    max_size=5,
)  # fmt: skip


@settings(max_examples=6 * settings.default.max_examples)
@given(JSON, st.sampled_from(["\n", "\r\n", "\r"]), SIZES)
@example(['{"gold":"\\ud800","system":"\\u0000"}'], "\n", 1 << 21)
@example(['{"gold":"a","gold":"b","system":"a"}'], "\n", 1 << 21)
def test_json_lines(tmp_path_factory, lines, end, size):
    raw = end.join(lines).encode()
    folder = tmp_path_factory.mktemp("json")
    agree(lambda: one(raw, ".jsonl", size, folder), lambda: cells(objects(raw)))


LINES = noise("a", "b", "c\n", "a\n", "b\r\n", "a\r", "\n", " ", "\t", "\ufeff", "\0", "é")


@settings(max_examples=6 * settings.default.max_examples)
@given(LINES, LINES, SIZES)
@example("a\rb\rc", "a\nb\nc", 1 << 21)
@example("a\n", "\n", 1 << 21)
@example("\n", "a\n", 1 << 21)
@example("a\0\n\0b\0\n\0", "\0a\0\n\0b", 1 << 21)
@example("a\n" * 3000 + "\0\n", "a\n" * 3001, 1 << 21)
def test_lines(tmp_path_factory, gold, pred, size):
    folder = tmp_path_factory.mktemp("lines")

    def ours():
        with patch.object(blocks, "SIZE", size):
            paths = folder / "g.txt", folder / "p.txt"
            for path, text in zip(paths, (gold, pred), strict=True):
                path.write_bytes(text.encode())
            return counted(read(ReadOptions(tuple(map(str, paths))), is_part=True).data)

    def theirs():
        both = [lines_of(t.encode()) for t in (gold, pred)]
        for text, lines in zip((gold, pred), both, strict=True):
            full = lines_of(text.rstrip().encode())  # rows of separators at the end are none
            assume(len(lines) < 2 or not full or not all("\t" in v for v in full))  # columns
        both = [[v.strip() for v in lines] for lines in both]
        if len(both[0]) != len(both[1]) or not both[0] or not all(both[0]):
            raise RefusedError
        return cells((true, pred or None) for true, pred in zip(*both, strict=True))

    agree(ours, theirs)


@settings(max_examples=2 * settings.default.max_examples)
@given(CSV, SIZES)
def test_every_way_in(tmp_path_factory, raw, size):
    """Two files, systems in columns, systems in files, and predictions without truth."""
    path = str(tmp_path_factory.mktemp("in") / "x.csv")
    with open(path, "wb") as file:
        file.write(raw)

    def checked(way, wanted):
        def ours():
            with patch.object(blocks, "SIZE", size):
                return way()

        agree(ours, lambda: wanted(*fields(raw)))

    both = ReadOptions((path, path), true="gold", pred=("system",))
    checked(lambda: counted(read(both, is_part=True).data), lambda *f: cells(items(*f)))

    def rows_of(reading):
        found = read(reading, several=True, is_part=True).data
        names = (*found.labels, None)
        rows = zip(found.true.tolist(), *found.pred.T.tolist(), strict=True)
        named = (tuple(names[i] for i in row) for row in rows)
        return dict(zip(named, found.weight.tolist(), strict=True))

    def all_of(header, rows, wanted=("gold", "system")):
        places = [place(header, c) for c in wanted]
        return [tuple(row[i].strip() or None for i in places) for row in rows]

    def known(*found, wanted=("gold", "system")):
        rows = all_of(*found, wanted=wanted)
        if not rows or any(row[0] is None for row in rows):
            raise RefusedError
        return cells(rows)

    names = ("gold", "system", "text")
    checked(
        lambda: rows_of(ReadOptions((path,), true="gold", pred=names[1:])),
        lambda *f: known(*f, wanted=names),
    )
    checked(lambda: rows_of(both), known)
    checked(
        lambda: read_predictions(path, ("no", "class"), column="system").data.to_list(),
        lambda *f: [v for (v,) in all_of(*f, wanted=("system",))],
    )


def test_a_long_file(tmp_path):
    """One row per item and system: a ragged row is an error there too."""
    path = tmp_path / "x.csv"
    path.write_text("gold,system,run\na,b,one\nb,b\n")
    reading = ReadOptions((str(path),), "gold", ("system",), system="run")
    with pytest.raises(InputError, match="line 3: expected 3 fields as in the header, got 2"):
        read(reading, several=True)
    path.write_text("gold,system,run\na,b,one\nb,b,one\n")
    assert read(reading, several=True).data.true.tolist() == [0, 1]


def test_many_rows_around_two_quotes(tmp_path):
    """Every row is counted, whichever reader reads it, across the borders of blocks."""
    rows = [f"a,b,text {i}" for i in range(100_000)]
    rows[500], rows[90_000] = 'a,b,12" long', 'a,b,3" wide'
    path = tmp_path / "x.csv"
    path.write_text("gold,system,text\n" + "\n".join(rows) + "\n")
    assert counted(read(ReadOptions((str(path),), "gold", ("system",)), is_part=True).data) == {
        ("a", "b"): 100_000
    }
