"""Saved tables come back whole, add once, and are never half written."""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from evenhand import Confusion, InputError
from evenhand.io.saved import Saved, add_up, is_saved, load, save

ENDINGS = pytest.mark.parametrize("path", ["t.json", "t", "t.txt"])
INF = float("inf")


def same(a, b):
    assert (a.labels, a.keys, a.shape) == (b.labels, b.keys, b.shape)
    assert [type(v) for v in a.labels] == [type(v) for v in b.labels]
    assert type(a.data) is type(b.data)
    for x, y in zip(a.data.entries(), b.data.entries(), strict=True):
        assert (x is None) == (y is None)
        assert x is None or (x.tolist() == y.tolist() and x.dtype.kind == y.dtype.kind)
    for name in ("n", "missing", "dropped", "correct", "bias", "prevalence", "total"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    return True


@ENDINGS
@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", ""], [1, 2, -3], [True, False, True], [0.5, 1.0, -2.5], [INF, 0.0, -INF],
        ["1", "2", "3"], ["NA", "null", "\x1b\0\u202e\n"], [2**63, 2**64 - 1, 0], [10**30, 0, 1],
        [1e-300, 0.1, 1e300],
    ],
    ids=repr,
)  # fmt: skip
def test_labels_of_every_kind(path, labels):
    table = Confusion.from_labels(labels, [labels[1], None, labels[0]])
    table.save(path)
    assert same(Confusion.load(path), table)


@ENDINGS
def test_weights_and_their_squares(path):
    table = Confusion.from_labels(["a", "b", "a"], ["a", "a", None], weights=[0.1, 1 / 3, 1e-9])
    table.save(path)
    assert same(Confusion.load(path), table)


@ENDINGS
def test_weights_without_squares(path):
    table = Confusion.from_matrix([[0.5, 1.5], [0, 2.25]])
    table.save(path)
    back = Confusion.load(path)
    assert same(back, table)
    assert back.squares is None


@ENDINGS
@pytest.mark.parametrize(
    "keys",
    [
        ["x", None, "y"], [1, 2, None], [True, False, None], [0.5, INF, None],
        [("x", 1), ("x", None), (None, None)], [date(2024, 1, 31), date(2024, 2, 1), None],
        [datetime(2024, 1, 31, 12, 30, 0, 5), datetime(2024, 2, 1), None],
        [Decimal("1.50"), Decimal("2"), None], [("a", date(2024, 1, 1)), ("b", None), (None, None)],
    ],
    ids=repr,
)  # fmt: skip
def test_keys_of_every_kind(path, keys):
    tables = [Confusion.from_labels(["a", "b"], ["a", guess]) for guess in ("a", "b", None)]
    stack = Confusion.stack(tables, keys)
    stack.save(path)
    back = Confusion.load(path)
    assert same(back, stack)
    assert [type(k) for k in back.keys[0]] == [type(k) for k in keys]


def test_slices_by_day_can_be_saved(here):
    frame = pl.DataFrame(
        {"g": ["a", "b"], "p": ["a", "a"], "day": [date(2024, 1, d) for d in (1, 2)]}
    )
    stack = Confusion.from_frame(frame, true="g", pred="p", by="day")
    stack.save("t.json")
    assert Confusion.load("t.json").keys == ((date(2024, 1, 1), date(2024, 1, 2)),)


def test_a_key_that_no_file_can_hold(here):
    stack = Confusion.stack([Confusion.from_labels(["a"], ["a"])], [object])
    with pytest.raises(InputError, match="a key of type type cannot be saved"):
        stack.save("t.json")
    assert os.listdir() == []


@ENDINGS
def test_two_axes_and_empty_tables(path):
    frame = pl.DataFrame({"g": ["a", "b"], "p": ["a", "a"], "q": ["b", None], "by": ["x", "y"]})
    stack = Confusion.from_frame(frame, true="g", pred=["p", "q"], by="by")
    (stack + stack).save(path)
    assert same(Confusion.load(path), stack + stack)


def test_dropped_rows_are_remembered(here):
    table = Confusion.from_labels(["a", None], ["a", "a"], drop_null_truth=True)
    table.save("t.json")
    assert Confusion.load("t.json").dropped == 1


@pytest.fixture
def table():
    return Confusion.from_labels(["a", "b", "b"], ["a", "b", "a"])


@pytest.fixture
def record(table):
    table.save("t.json")
    return json.loads(Path("t.json").read_text())


def changed(record, **changes):
    cells = {**record["cells"], **changes.pop("cells", {})}
    return {**record, "cells": cells, **changes}


DAMAGE = {
    "no labels": {"labels": []},
    "a label twice": {"labels": ["a", "a"]},
    "a null label": {"labels": ["a", None]},
    "too few labels": {"labels": ["a"]},
    "labels of no kind": {"kind": "complex"},
    "labels of another kind": {"kind": "int"},
    "no such key": {"keys": [["x", "y"]]},
    "keys that are no list": {"keys": 3},
    "an unknown kind of key": {"keys": [[{"colour": "red"}]]},
    "n is text": {"n": "many"},
    "too many n": {"n": [1, 2]},
    "n beyond integers": {"n": [10**30]},
    "negative n": {"n": [-3]},
    "negative missing": {"missing": [-1]},
    "sources": {"sources": None},
    "no sources": {"sources": []},
    "a cell below": {"cells": {"true": [0, 1, -1]}},
    "a cell beyond": {"cells": {"pred": [0, 1, 7]}},
    "a cell too far to hold": {"cells": {"pred": [0, 1, 10**9]}},
    "a label beyond": {"cells": {"true": [0, 1, 1e308]}},
    "a table beyond": {"cells": {"table": [0, 0, 1]}},
    "a column too short": {"cells": {"weight": [1, 1]}},
    "squares too short": {"cells": {"square": [1]}},
    "a negative square": {"cells": {"square": [1, 1, -1]}},
    "a negative weight": {"cells": {"weight": [1, 1, -1]}},
    "no number": {"cells": {"weight": [1, 1, float("nan")]}},
    "a text weight": {"cells": {"weight": [1, 1, "x"]}},
    "half a cell": {"cells": {"true": [0, 1, 0.5]}},
    "no cells": {"cells": {"weight": None}},
}


@pytest.mark.parametrize("change", DAMAGE.values(), ids=DAMAGE)
def test_damage_is_found(record, change):
    Path("t.json").write_text(json.dumps(changed(record, **change)))
    with pytest.raises(InputError, match=r"^t.json is a damaged saved table: ."):
        load("t.json")


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.99])
def test_a_file_cut_short(record, cut):
    text = Path("t.json").read_text()
    Path("t.json").write_text(text[: int(len(text) * cut)])
    with pytest.raises(InputError, match=r"^t.json is a damaged saved table: ."):
        load("t.json")


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_another_version(record, version):
    Path("t.json").write_text(json.dumps({**record, "version": version}))
    with pytest.raises(InputError, match=f"saved table of version {version}, this evenhand reads"):
        load("t.json")


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[1]", b'["evenhand-table"]', b"evenhand-table\n", b"\xff\xfe", b"a\nb\n",
     b"null", b'{"x": 1}', b"\0" * 300],
)  # fmt: skip
def test_what_is_no_saved_table(write, fails, content):
    for name in ("x.json", "x", "x.pq"):
        assert fails("merge", write(name, content)) == f"{name} is no saved table"
        assert not is_saved(name)


def test_a_parquet_file_of_something_else(fails):
    pl.DataFrame({"a": [1]}).write_parquet("x.parquet")
    assert fails("merge", "x.parquet") == "x.parquet is no saved table"


def test_no_file_and_a_folder(fails, here):
    (here / "folder").mkdir()
    for name in ("nowhere.json",):
        assert fails("merge", name) == f"{name} does not exist"
    assert fails("merge", "folder") == "folder is no saved table"


def test_indented_json_is_read_too(record, table):
    Path("t.json").write_text(json.dumps(record, indent=2))
    assert same(Confusion.load("t.json"), table)


# -- nothing twice -------------------------------------------------------------------------


def test_a_part_merges_once(table, fails, run):
    for name in ("a.json", "b.table"):
        table.save(name)
    shutil.copy("a.json", "renamed.json")
    os.utime("renamed.json", (1, 1))
    assert run("merge", "a.json", "b.table", "--output", "both.json").exit_code == 0
    for again in ("a.json", "renamed.json", "b.table"):
        for names in ((again, "both.json"), ("both.json", again)):
            assert fails("merge", *names).startswith(f"{names[1]}: 1 source would be counted twice")
    assert "would be counted twice" in fails("merge", "a.json", "a.json")


def test_merging_in_memory_keeps_the_sources(table):
    tables = [("a", Saved(table, ("x",))), ("b", Saved(table, ("y", "z")))]
    assert add_up(tables).sources == ("x", "y", "z")
    with pytest.raises(InputError, match=r"c: 1 source.* 'y'"):
        add_up([*tables, ("c", Saved(table, ("y",)))])


# -- whole or not at all -------------------------------------------------------------------


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(),
                                   MemoryError()], ids=repr)  # fmt: skip
def test_a_write_that_fails_leaves_what_was_there(table, monkeypatch, error):
    path = "t.json"
    table.save(path)
    before = Path(path).read_bytes()

    def failing(self, *args, **extra):
        with open(self, "wb") as file:
            file.write(b"half")
        raise error

    monkeypatch.setattr(Path, "write_bytes", failing)
    monkeypatch.setattr(Path, "write_text", failing)
    with pytest.raises((InputError, KeyboardInterrupt, MemoryError)) as caught:
        (table + table).save(path)
    if isinstance(error, OSError):
        assert str(caught.value) == f"{path} cannot be written: No space left on device"
    assert Path(path).read_bytes() == before
    assert os.listdir() == [path]


def test_a_folder_that_is_not_there(table, here):
    with pytest.raises(InputError, match=r"nowhere/t.json cannot be written: No such file"):
        table.save("nowhere/t.json")
    (here / "folder.json").mkdir()
    with pytest.raises(InputError, match=r"folder.json cannot be written: Is a directory"):
        table.save("folder.json")
    with pytest.raises(InputError, match="a saved table must be a file, got an empty name"):
        Confusion.load("")
    with pytest.raises(InputError, match="got an empty name"):
        table.save("")


def test_a_link_stays_a_link(table, here):
    (here / "real").mkdir()
    table.save("real/t.json")
    os.symlink("real/t.json", "link.json")
    (table + table).save("link.json")
    assert os.path.islink("link.json")
    assert Confusion.load("real/t.json").n == 6


def test_a_device_is_written_to_not_replaced(table):
    before = os.stat("/dev/null")
    table.save("/dev/null")
    assert os.stat("/dev/null").st_rdev == before.st_rdev


def test_paths_may_be_objects(table, here):
    table.save(here / "t.json")
    assert same(Confusion.load(here / "t.json"), table)
    save(table, here / "u.json", ("me",))
    assert load(here / "u.json").sources == ("me",)


def test_a_pipe_is_written_to(table, here):
    table.save("t.json")
    again = "from evenhand import Confusion; Confusion.load('t.json').save('/dev/stdout')"
    piped = subprocess.run(
        [sys.executable, "-c", again], capture_output=True, text=True, check=True
    )
    Path("u.json").write_text(piped.stdout)
    assert same(Confusion.load("u.json"), table)


def test_threads_that_write_one_file(table, here):
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: table.save("t.json"), range(100)))
    assert same(Confusion.load("t.json"), table)
    assert os.listdir(here) == ["t.json"]


def test_a_name_as_long_as_names_may_be(table, here):
    name = "n" * 250 + ".json"
    table.save(name)
    assert same(Confusion.load(name), table)


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "g.txt", "t.json", "h.txt"),
        ("score", "t.json", "g.txt"),
        ("score", "g.txt", "t.json"),
        ("compare", "t.json"),
        ("compare", "t.json", "--true", "a", "--pred", "b", "--pred", "c"),
    ],
)
def test_a_saved_table_has_no_items(table, fails, write, arguments):
    table.save("t.json")
    write("g.txt", "a\nb\nb\n")
    write("h.txt", "a\nb\na\n")
    assert fails(*arguments) == "t.json is a saved table: labels of items are needed here"


def test_more_items_than_64_bits_hold(tmp_path):
    path = tmp_path / "x.json"
    table = Confusion.from_matrix([[2**62, 2**62], [2**62, 2**62]])
    table.save(str(path))
    again = Confusion.load(str(path))
    assert (int(again.n), int(again.total)) == (2**64, 2**64)
    assert again.cells.tolist() == table.cells.tolist()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("n", [4], "the number of items must be the sum of the cells"),
        ("missing", [1], "no more predictions can be missing than are outside"),
        ("n", [True], "expected numbers, got True"),
    ],
)
def test_a_table_that_contradicts_itself(tmp_path, field, value, message):
    path = tmp_path / "x.json"
    Confusion.from_labels(list("aab"), list("abb")).save(str(path))
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | {field: value}))
    with pytest.raises(InputError, match=message):
        Confusion.load(str(path))


def test_a_count_beyond_64_bits_is_refused(tmp_path):
    path = tmp_path / "x.json"
    Confusion.from_labels(["a"], ["a"]).save(str(path))
    record = json.loads(path.read_text())
    record["cells"]["weight"], record["n"] = [2**63], [2**63]
    path.write_text(json.dumps(record))
    with pytest.raises(InputError, match="expected counts below 2\\^63, got 9223372036854775808"):
        Confusion.load(str(path))


def test_tables_are_saved_in_json_alone(table):
    with pytest.raises(InputError, match=r"^tables are saved in JSON, got t\.parquet$"):
        table.save("t.parquet")
