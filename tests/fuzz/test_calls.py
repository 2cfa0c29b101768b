"""Every public name with values that people pass by mistake, always the same ones."""

from random import Random

import pytest

from fuzz.calls import ODD, cases, examples, outcome, prepared, public
from fuzz.outcome import FAILURES, strict_warnings

EACH = 2
"""Odd calls of each public thing."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    prepared(tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", sorted(public()))
def test_a_call_works_or_is_refused_in_one_line(name, folder):
    _, *odd = cases(name)
    chosen = Random(name).sample(odd, min(len(odd), EACH))
    with strict_warnings():
        outcomes = [outcome(name, detail, call) for detail, call in chosen]
    assert [o for o in outcomes if o.kind in FAILURES] == []


@pytest.mark.parametrize("name", sorted(n for n in public() if not n.endswith("__getitem__")))
def test_a_call_as_it_is_meant_works(name, folder):
    detail, call = next(cases(name))
    with strict_warnings():
        assert outcome(name, detail, call).kind == "right"


@pytest.mark.parametrize(
    "name", ["score", "compare", "Confusion.from_labels", "plot.confusion", "shift.sweep"]
)
@pytest.mark.parametrize("kind", ODD)
def test_data_of_any_kind(name, kind, folder):
    of_kind = [(d, c) for d, c in cases(name) if f" with {kind} as " in d]
    data = [(d, c) for d, c in of_kind if d.endswith((" data", " data 0", "y_true", "as data"))]
    assert data
    with strict_warnings():
        assert [o for d, c in data[:2] if (o := outcome(name, d, c)).kind in FAILURES] == []


def test_every_public_type_has_an_example():
    made = {name.split(".")[-2] for name in public() if name.endswith((".to_dict", ".__eq__"))}
    types = {t.__name__ for t in examples()}
    assert made - types == set()
