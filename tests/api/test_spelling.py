"""The spelling of a metric: parsed, never evaluated."""

import re

import pytest

import evenhand as eh
from evenhand.catalogue.spelling import Spec
from evenhand.errors import MetricError


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("macro_f", "no metric is called 'macro_f'; did you mean macro_f1 or "),
        (
            "F1 macro",
            "'F1 macro' can mean macro_f1: the mean of the classes' F1; or",
        ),
        ("nothing like it", "no metric is called 'nothing like it'"),
        ("", "no metric is called ''"),
        ("__import__('os').system('true')", "no metric is called "),
        (
            "f1",
            "f1 is of one class: write f1:label=NAME, or macro_f1 for their mean, got 'f1'",
        ),
        ("f1:label", "expected NAME=VALUE, each name once, got 'label' in 'f1:label'"),
        ("f1:label=a,label=b", "each name once, got 'label=a,label=b' in 'f1:label=a,label=b'"),
        ("f1:beta=2", "f1 takes 'label', got 'beta' in 'f1:beta=2'"),
        ("macro_f1:beta=2", "macro_f1 takes no parameters, got 'beta' in 'macro_f1:beta=2'"),
        ("macro_f1:label=a", "macro_f1 takes no parameters, got 'label'"),
        ("macro_fbeta:gamma=2", "macro_fbeta takes 'beta', got 'gamma'"),
        ("macro_fbeta:", "expected NAME=VALUE, each name once, got '' in 'macro_fbeta:'"),
        ("macro_fbeta:beta=x", "beta of macro_fbeta must be a finite number ≥ 0, got 'x'"),
        ("macro_fbeta:beta=nan", "beta of macro_fbeta must be a finite number ≥ 0, got 'nan'"),
        ("macro_fbeta:beta=-1", "beta of macro_fbeta must be a finite number ≥ 0, got '-1'"),
        ("macro_fbeta:beta=1,beta=2", "each name once, got 'beta=1,beta=2'"),
        ("macro_f1@", "expected uniform or CLASS=SHARE,…, got nothing in 'macro_f1@'"),
        (
            "macro_f1@unifrom",
            "expected NAME=VALUE, each name once, got 'unifrom' in 'macro_f1@unifrom'",
        ),
        ("macro_f1@a=x,b=1", "prevalence of 'a' must be a number, got 'x'"),
        ("macro_f1@a=.5,a=.5", "each name once, got 'a=.5,a=.5'"),
    ],
)
def test_refused(text, message):
    with pytest.raises(MetricError, match=re.escape(message)):
        Spec.parse(text)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("f1_macro", "macro_f1"),
        ("balanced-accuracy", "macro_recall"),
        ("MACRO_F1", "macro_f1"),
        ("macro_f1", "macro_f1"),
        (" macro_f1 ", "macro_f1"),
        ("averaged_f1@uniform", "macro_f1@uniform"),
        ("macro_f1@b=0.8,a=0.2", "macro_f1@b=0.8,a=0.2"),
        ("macro_fbeta:beta=1", "macro_fbeta"),
        ("macro_fbeta: beta = 2.0", "macro_fbeta:beta=2"),
        ("macro_recall:p=-inf", "macro_recall:p=-inf"),
        ("fbeta:label=spam,beta=0.5", "fbeta:beta=0.5,label=spam"),
        (r"f1:label=a\@b", r"f1:label=a\@b"),
        (r"f1:label=a\,b\=c\:d", r"f1:label=a\,b\=c\:d"),
        ("f1:label=a b@uniform", "f1:label=a b@uniform"),
    ],
)
def test_one_way_to_write_it(text, canonical):
    assert str(Spec.parse(text)) == canonical
    assert Spec.parse(canonical) == Spec.parse(text)


@pytest.mark.parametrize(
    "label",
    ["a", "@", "a,b", "x=1", ":", "\\", "a\\", " lead", "trail ", "new\nline", "𝛽", "uniform"],
)
def test_any_label_can_be_written(label):
    spec = Spec(Spec.parse("f1:label=a").metric, label=label)
    assert Spec.parse(str(spec)).label == label
    mix = Spec(spec.metric, label=label, prevalence=((label, 0.25), ("other", 0.75)))
    assert Spec.parse(str(mix)) == mix


@pytest.mark.parametrize("value", [1.0000001, 0.1, 1 / 3, 1e-9, 123456.789])
def test_numbers_keep_their_digits(value):
    text = f"macro_fbeta:beta={value!r}"
    assert Spec.parse(str(Spec.parse(text))).options == {"beta": value}


MANY = 1_000_000


def test_long_text_is_read_in_one_go():
    assert Spec.parse(f"f1:label={'a' * MANY}").label == "a" * MANY
    assert Spec.parse(f"f1:label={' ' * MANY}\\ b{' ' * MANY}").label == " b"
    mix = ",".join(f"c{i}=0" for i in range(MANY // 10))
    assert len(Spec.parse(f"macro_f1@{mix}").prevalence) == MANY // 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"f1:{','.join(f'k{i}=1' for i in range(100_000))}", "f1 takes 'label', got 'k0' in 'f1:"),
        (f"f1:{'k=1,' * 200_000}k=1", "each name once, got 'k=1,k=1,"),
        (f"f1:{'k,' * 200_000}", "each name once, got 'k,k,"),
        ("a" * MANY, "no metric is called 'aaaa"),
        (
            f"macro_fbeta:beta={'x' * MANY}",
            "beta of macro_fbeta must be a finite number ≥ 0, got 'xxxx",
        ),
    ],
    ids=["options", "one option", "no values", "name", "number"],
)
def test_long_text_is_refused_in_one_short_line(text, message):
    with pytest.raises(MetricError, match=re.escape(message)) as caught:
        Spec.parse(text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("metrics", [3, [3], 2.5])
def test_a_metric_is_text(metrics):
    with pytest.raises(MetricError, match="a metric is named by text, got "):
        eh.score([[3, 1], [1, 2]], metrics=metrics)
