"""The oracles of the fuzz are right where numbers are published, and what is wrong is caught."""

from math import nan
from random import Random

import pytest

import evenhand as eh
import fuzz.text
from evenhand.catalogue.binding import EXAMPLE, worked_example
from evenhand.catalogue.lists import table_metrics
from fuzz.cli import Ran
from fuzz.exact import METRICS, OF_ONE_CLASS, Exact
from fuzz.multilabel import over_items
from fuzz.outcome import RIGHT, HangError, tried, watchdog
from fuzz.readers import RefusedError, read
from fuzz.run import Tally, outcomes_of
from fuzz.saved import facts, unsound
from fuzz.signatures import stable
from fuzz.tables import fault, singles

SINGLE = singles()


@pytest.mark.parametrize("name", SINGLE)
def test_the_fractions_give_the_worked_example(name):
    exact = Exact([[*row, 0] for row in EXAMPLE], range(3), 0)
    value = OF_ONE_CLASS[name](exact)[2] if name in OF_ONE_CLASS else METRICS[name](exact)[0]
    assert float(value) == pytest.approx(worked_example(SINGLE[name]), rel=1e-15)


def test_every_metric_of_items_has_an_oracle():
    of_items = [name for name, m in table_metrics().items() if m.needs == "items" and m.default]
    found = [over_items(name, [{0}, {0, 1}], [{0}, {1, 2}], 3, 0) for name in of_items]
    assert list(map(float, found)) == [worked_example(table_metrics()[name]) for name in of_items]


def test_the_fractions_keep_what_floats_cancel():
    exact = Exact([[10**16, 3, 0], [2, 5, 0]], range(2), 0)
    assert float(exact.mcc()[0]) == pytest.approx(0.6681531, abs=1e-7)
    weights = Exact([[1e19, 0, 0], [1e-6, 1e-8, 0]], range(2), 0)
    assert float(weights.kappa()[0]) == pytest.approx(0.0196078, abs=1e-7)


def test_undefined_is_left_out_or_worth_what_it_says():
    rows = [[1, 0, 0], [0, 0, 1]]  # the second class is never predicted
    values = [Exact(rows, range(2), worth).macro_precision for worth in (0, 1, nan)]
    assert list(map(float, values)) == [0.5, 1, 1]
    assert Exact([[0, 0]], range(1), nan).macro_f1 is None


@pytest.mark.parametrize("error", [1e-11, -1e-11])
def test_a_metric_that_is_wrong_by_a_hair_is_caught(error, monkeypatch, tmp_path):
    right = eh.macro_f1
    monkeypatch.setattr(eh, "macro_f1", lambda *a, **k: right(*a, **k) * (1 + error))
    found = (o for i in range(5) for o in outcomes_of("tables", f"0.{i}", tmp_path))
    wrong = (o for o in found if o.kind == "wrong")
    assert any(o.cause == "tables: macro_f1" and "eh.macro_f1(" in o.detail for o in wrong)


def test_a_value_out_of_its_range_is_caught():
    assert "out of the range" in fault("macro_f1", 1.0000000000000002, (1, 1))
    assert fault("macro_f1", nan, (None, None)) == ""
    assert fault("macro_f1", 0.0, (None, None)) == "got 0.0, expected nan"


@pytest.mark.slow
def test_a_lost_row_is_caught(monkeypatch, tmp_path):
    def forgetful(kind, raw, wanted):
        found = read(kind, raw, wanted)
        return type(found)(found.rows[:-1], found.grey)

    monkeypatch.setattr(fuzz.text, "read", forgetful)
    found = (o for i in range(10) for o in outcomes_of("text", f"0.{i}", tmp_path))
    assert any(o.cause.endswith("other items") for o in found)


def test_the_readers_are_strict():
    quotes = b'gold,a,text\nspam,spam,it is 12" long\nham,spam,x\nham,ham,3" x\nham,ham,z\n'
    assert len(read("csv", quotes, ["gold", "a"]).rows) == 4
    for kind, raw in [
        ("csv", b"text,gold,a\nhello, world,a,b\n"),
        ("csv", b'gold,a\n"x"y,z\n'),
        ("csv", b"gold,a\nx,\x81\n"),
        ("tsv", b"gold\ta\nx\n"),
        ("jsonl", b'{"gold": "x", "a": "y", "a": "z"}\n'),
        ("jsonl", b'{"gold": "\\ud800", "a": "z"}\n'),
        ("jsonl", b'{"gold": 1, "a": "1"}\n'),
        ("txt", b"a\nb\0\n"),
        ("txt", b""),
    ]:
        with pytest.raises(RefusedError):
            read(kind, raw, ["gold", "a"])


def test_an_empty_line_is_null_and_other_text_is_cp1252():
    assert read("txt", b"a\n\nb\n", []).rows == [("a",), (None,), ("b",)]
    german = read("csv", b"gold,a\nx,\xfc\n", ["gold", "a"])
    assert german.rows == [("x", "ü")] and german.grey


def test_line_ends_of_all_kinds_are_line_ends():
    for end in ("\n", "\r\n", "\r"):
        raw = end.join(["gold,a", "x, y ", "z,", ""]).encode()
        assert read("csv", raw, ["gold", "a"]).rows == [("x", "y"), ("z", None)]
        assert read("csv", raw, ["gold", "a"]).grey == (end == "\r")


@pytest.mark.parametrize(
    ("ran", "cause"),
    [
        (Ran(("score",), 1, "", "", KeyError("x")), "KeyError at ?"),
        (Ran(("score",), 3, "", "", None), "exit code 3"),
        (Ran(("score",), 2, "", "", None), "no error, or several"),
        (Ran(("score",), 2, "", "evenhand: error: \n", None), "an error that is not one line"),
        (Ran(("score",), 2, "", "evenhand: error: a\nb\n", None), "an error that is not one line"),
        (Ran(("score",), 0, "", "evenhand: error: a\n", None), "an error without its exit code"),
        (Ran(("score",), 0, "\x1b[31m", "", None), "a raw control character '\\x1b'"),
        (Ran(("score", "--format", "json"), 0, '{"a": NaN}', "", None), "output that is no JSON"),
    ],
)
def test_what_no_command_may_do_is_caught(ran, cause):
    assert ran.fault("x").cause == cause


def test_what_commands_may_do_is_not_caught():
    assert Ran(("score",), 2, "", "warning: a\nevenhand: error: b\n", None).fault("x") is None
    assert Ran(("score", "--format", "json"), 0, '{"a": 1}', "", None).fault("x") is None


def test_a_table_that_is_unsound_is_caught(tmp_path):
    table = eh.Confusion.from_matrix([[1, 2], [3, 4]])
    assert unsound(table, tmp_path / "x.json") == ""
    other = eh.Confusion.from_cells(table.labels, table.data, n=table.n + 1)
    assert unsound(other, tmp_path / "x.json") == "another number of items than its cells have"
    assert facts(other) != facts(table)


def test_a_spelling_that_changes_is_caught():
    assert stable("x", "a", "a", str, str) is RIGHT
    assert stable("x", "a", "a", str.upper, str).cause == "reads back as another"


def test_a_hang_is_caught():
    with pytest.raises(HangError), watchdog(0.01):
        while True:
            Random(0).random()


def test_a_refusal_is_one_line():
    class RawError(eh.EvenhandError):
        """An error whose text stays as it is."""

        def __str__(self):
            return self.args[0]

    def refused(message):
        def function():
            raise RawError(message)

        return tried("x", function)[1]

    assert refused("no").kind == "refused"
    assert refused("").cause == "an empty error"
    assert refused("a\nb").cause == "an error of several lines"


def test_failures_are_kept_by_cause():
    tally = Tally()
    for i in range(5):
        _, outcome = tried("x", lambda: 1 // 0)
        tally.add(f"0.{i}", [outcome, RIGHT])
    assert (tally.cases, tally.failures, len(tally.causes)) == (10, 5, 1)
    assert [seed for seed, _ in next(iter(tally.first.values()))] == ["0.0", "0.1", "0.2"]


def test_a_wrong_function_of_scikit_learns_name_is_caught(monkeypatch):
    from evenhand.bridges import sklearn as ours
    from fuzz import drop_in

    data, how = ([0, 1, 1, 2], [0, 1, 2, 2]), {"average": "macro"}
    assert drop_in.compared("f1_score", *data, how) == RIGHT
    for wrong in (lambda *_, **__: 0.7, lambda *_, **__: 1 / 0, lambda *_, **__: None):
        monkeypatch.setattr(ours, "f1_score", wrong)
        assert drop_in.compared("f1_score", *data, how).kind in ("wrong", "traceback")
    assert drop_in.compared("f1_score", *data, {}).kind == "wrong"  # theirs raises
