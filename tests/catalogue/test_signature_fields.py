"""Signatures: written, read back, explained, compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.catalogue.signature import SHORT, Signature, signature_of
from evenhand.catalogue.spelling import Spec, listed
from evenhand.errors import InputError

TABLE = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]


@given(st.dictionaries(st.sampled_from(sorted(SHORT)), st.text(min_size=1)))
def test_any_text_comes_back_from_both_forms(values: dict[str, str]) -> None:
    one = Signature(**{"version": "", **values})
    if not one.items():
        return
    assert Signature.parse(str(one)) == one
    assert Signature.parse(one.short) == one
    assert str(one).isprintable()
    assert len(one.short) <= len(str(one))


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4, unique=True))
def test_listed_labels_come_back(labels: list[str]) -> None:
    table = eh.Confusion.from_matrix([[1] * len(labels)] * len(labels), labels=labels)
    _, _, names = signature_of(table, classes=labels).classes.split(".", 2)
    assert names.startswith("#") or listed(names) == labels


def test_every_field_is_said() -> None:
    scores = eh.score(
        TABLE, metrics=["macro_fbeta:beta=2", "macro_recall:p=-2", "macro_f1@uniform"]
    )
    beta, p, uniform = (s.signature for s in scores.metrics.values())
    assert beta.formula == "mean-of-fbeta"
    assert beta.parameters == "beta=2"
    assert p.parameters == "p=-2"
    assert uniform.prevalence == "uniform"
    assert (beta.classes, beta.undefined, beta.weights, beta.n) == ("true.3", "0", "none", "28")
    assert (beta.outside, beta.missing, beta.dropped, beta.interval) == (
        "0", "0", "0", "wilson-effective.95",
    )  # fmt: skip
    assert len(beta.table) == 12
    assert beta.version == eh.__version__


def test_stated_prevalence_and_outside_predictions() -> None:
    table = eh.Confusion.from_labels(["a", "b", "b"], ["a", None, "b"])
    found = signature_of(table, Spec.parse("accuracy@a=0.2,b=0.8"))
    assert found.prevalence == "a=0.2,b=0.8"
    assert (found.outside, found.missing) == ("1.errors", "1.errors")
    assert "1 predictions outside the classes, counted as errors" in found.explain()


def test_the_table_and_its_order_decide_the_hash() -> None:
    one = eh.Confusion.from_matrix(TABLE, labels=["a", "b", "c"])
    same = eh.Confusion.from_matrix(TABLE, labels=["a", "b", "c"])
    renamed = eh.Confusion.from_matrix(TABLE, labels=["a", "c", "b"])
    assert signature_of(one).table == signature_of(same).table != signature_of(renamed).table


def test_listed_classes_are_identified() -> None:
    table = eh.Confusion.from_matrix(TABLE, labels=["a|b", "c:d", "#e"])
    first = signature_of(table, classes=["a|b", "c:d"])
    second = signature_of(table, classes=["a|b", "#e"])
    assert first.differences(second)["classes"] == (r"listed.2.a|b,c\:d", r"listed.2.a|b,#e")
    assert signature_of(table, classes=["#e"]).explain().count("listed class: #e") == 1


def test_a_long_list_is_a_hash() -> None:
    labels = [f"class number {i}" for i in range(20)]
    table = eh.Confusion.from_matrix([[1] * 20] * 20, labels=labels)
    one, other = (signature_of(table, classes=labels[i:]).classes for i in (1, 2))
    assert one.startswith("listed.19.#")
    assert one != other.replace("18", "19")


def test_words() -> None:
    text = Signature.parse(
        "m:macro_f1|f:mean-of-f1|c:listed.2.cat,dog|u:nan|i:bootstrap.95.2000.seed0"
    ).explain()
    assert "metric: macro_f1: Mean of the per-class F1" in text
    assert "2 listed classes: cat, dog" in text
    assert "left out of the mean" in text
    assert "95 % interval by bootstrap, 2,000 replicates, seed 0" in text


@pytest.mark.parametrize(
    ("classes", "words"),
    [
        ("listed.1.cat", "averaged over one listed class: cat"),
        ("given.1", "averaged over the one class given as the task's"),
        ("given.11", "averaged over the 11 classes given as the task's"),
        ("seen.1", "averaged over the one class that occurs in the truth or the predictions"),
        ("true.2-3", "averaged over the 2-3 classes that occur in the truth"),
    ],
)
def test_one_class_in_words(classes: str, words: str) -> None:
    assert Signature(classes=classes, version="").explain() == f"classes: {words}"


def test_one_item_in_words() -> None:
    said = [Signature(n=n, version="").explain() for n in ("1", "1000")]
    assert said == ["n: 1 item", "n: 1,000 items"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("macro_f1", "NAME:VALUE"),
        ("colour:red", "got 'colour'"),
        ("n:3|n:4", "'n' twice"),
    ],
)
def test_bad_signatures(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Signature.parse(text)


def test_every_result_and_form_carries_it() -> None:
    scores = eh.score(TABLE, metrics=["macro_f1"])
    text = str(scores.signature)
    assert str(scores["macro_f1"].signature).startswith("metric:macro_f1|formula:mean-of-f1")
    assert scores.to_dict()["signature"] == text
    alone = eh.score(TABLE, interval=None).signature
    assert eh.twins(TABLE).to_dict()["signature"] == str(alone)
    assert text.startswith("classes:true.3")
    assert f"`{text}`" in scores.to_markdown()
    assert "m:macro\\_f1$|$ f:mean-of-f1$|$ c:true.3$|$ u:0" in scores.to_latex()
    assert f">{text}</code>" in scores._repr_html_()
    assert next(iter(scores.to_pandas()["signature"])) == str(scores["macro_f1"].signature)
    assert "signature" in scores.to_polars().columns


def test_rows_without_truth_are_those_of_the_items_not_of_the_systems() -> None:
    truth, runs = [*"abab", None, None], {"A": list("abbaab"), "B": list("abbbab")}
    how = {"metrics": "macro_f1", "replicates": 20, "drop_null_truth": True}
    for found in (eh.compare(truth, runs, **how), eh.rank(truth, runs, **how)):
        assert found.signature.dropped == "2.left-out"
    assert eh.rank(truth, runs, **how).systems[0].signature.dropped == "2.left-out"
    more = eh.Confusion.from_labels([*truth, None], [*runs["B"], "a"], drop_null_truth=True)
    one = eh.Confusion.from_labels(truth, runs["A"], drop_null_truth=True)
    found = eh.rank({"A": one, "B": more}, metrics="macro_f1").signature
    assert found.dropped == "2-3.left-out"
    assert "2-3 rows without a true label, left out" in found.explain()
    assert Signature.parse(str(found)) == found
