"""Signatures: built, written, read back."""

import re

import pytest

import evenhand as eh
from evenhand import Confusion, InputError, Signature

TABLE = Confusion.from_labels(["a", "b", "b"], ["a", "b", None])


def signature(**options):
    return eh.score(TABLE, metrics=["macro_f1"], **options)["macro_f1"].signature


def test_it_reads_back():
    found = signature(undefined="nan")
    assert Signature.parse(str(found)) == found
    assert (found.undefined, found.n, found.outside, found.missing) == (
        "nan", "3", "1.errors", "1.errors",
    )  # fmt: skip


def test_hostile_values_read_back():
    found = Signature(metric="f1:label=a|b%\n:", table="x")
    assert "\n" not in str(found)
    assert Signature.parse(str(found)) == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a signature is NAME:VALUE|NAME:VALUE…, got ''"),
        ("macro_f1", "a signature is NAME:VALUE|NAME:VALUE…, got 'macro_f1'"),
        ("metric:a|colour:b", "a signature has the fields metric, formula, "),
    ],
)
def test_refused(text, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Signature.parse(text)


def test_it_tells_tables_and_settings_apart():
    other = Confusion.from_labels(["a", "b", "b"], ["a", "a", None])
    assert signature().table != eh.score(other, metrics=["macro_f1"]).signature.table
    assert str(signature()) != str(signature(undefined=1))
    assert signature().classes == signature(classes="true").classes == "true.2"
    assert signature(classes="seen").classes == "seen.2"


def test_the_type_of_labels_is_part_of_the_table():
    numbers, text = Confusion.from_matrix([[1]]), Confusion.from_matrix([[1]], labels=["0"])
    assert eh.score(numbers).signature.table != eh.score(text).signature.table


def test_it_is_the_same_for_dense_counts_in_any_width():
    a, b = (Confusion.from_matrix([[1, 2], [3, 4]]), Confusion.from_matrix([[1.0, 2], [3, 4]]))
    assert eh.score(a).signature == eh.score(b).signature


@pytest.mark.parametrize(
    ("table", "weights"),
    [
        (TABLE, "none"),
        (Confusion.from_labels(["a"], ["a"], weights=[2]), "given"),
        (Confusion.from_matrix([[0.5]]), "unknown"),
    ],
)
def test_weights(table, weights):
    assert eh.score(table).signature.weights == weights


def test_a_signature_is_text():
    with pytest.raises(InputError, match="a signature is a text, got NoneType"):
        Signature.parse(None)
