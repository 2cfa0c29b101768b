"""score, twins and the metric functions: what they take and what they say."""

import math
import re
import warnings

import pytest

import evenhand as eh
from evenhand import Confusion, EvenhandWarning, InputError
from evenhand.data.arguments import ONE
from evenhand.errors import MetricError

TABLE = Confusion.from_matrix([[6, 1, 1], [1, 5, 2], [2, 3, 7]], labels=["bird", "cat", "dog"])
STACK = Confusion.stack({"x": TABLE, "y": TABLE})
NAN = float("nan")


@pytest.mark.parametrize("undefined", [2, 0.5, -1, "x", math.inf])
@pytest.mark.parametrize("act", [eh.macro_f1, eh.score, eh.twins, eh.f1])
def test_undefined_refused(act, undefined):
    message = f"^undefined must be 0, 1 or nan, got {re.escape(repr(undefined))}$"
    with pytest.raises(InputError, match=message):
        act(TABLE, undefined=undefined)


@pytest.mark.parametrize("undefined", [0, 1.0, "0", "1", "nan", "NaN", NAN])
def test_undefined_taken(undefined):
    assert eh.macro_f1(TABLE, undefined=undefined) == pytest.approx(0.64349376114082, abs=1e-15)


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ("all", "classes must be 'task', 'true', 'seen' or a list of labels, got 'all'"),
        ("cat", "classes must be 'task', 'true', 'seen' or a list of labels, got 'cat'"),
        (["cow"], "classes must be among 'bird', 'cat', 'dog', got 'cow'"),
        ([], "classes must name at least one label, got none"),
    ],
)
@pytest.mark.parametrize("act", [eh.macro_f1, eh.score, eh.twins])
def test_classes_refused(act, classes, message):
    with pytest.raises(InputError, match=re.escape(message)):
        act(TABLE, classes=classes)


@pytest.mark.parametrize(
    "classes", [["cat", "dog"], ("dog", "cat"), {"cat", "dog"}, iter(["cat", "dog"])]
)
def test_classes_taken(classes):
    assert eh.macro_f1(TABLE, classes=classes) == pytest.approx((10 / 17 + 14 / 22) / 2)


@pytest.mark.parametrize(
    ("metrics", "error", "message"),
    [
        (["macro_f"], MetricError, "no metric is called 'macro_f'; did you mean macro_f1"),
        (["f1:label=cow"], InputError, "label of f1 must be among 'bird', 'cat', 'dog', got 'cow'"),
        (["macro_f1@bird=.5,cat=.5"], InputError, "missing 'dog', for which 0 is left"),
        (["hamming_loss"], MetricError, "hamming_loss is for multi-label data"),
    ],
)
def test_metrics_refused(metrics, error, message):
    with pytest.raises(error, match=re.escape(message)):
        eh.score(TABLE, metrics=metrics)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[0, 0], [0, 0]], "the table holds no items: there is nothing to score"),
        (
            Confusion.stack([STACK, STACK]),
            "got a stack of 2 tables (0, 1); of several",
        ),
        (TABLE.counts(), f"score takes {ONE}, got bare margins"),
        (5, "matrix must be square"),
    ],
)
def test_tables_refused(table, message):
    with pytest.raises(InputError, match=re.escape(message)):
        eh.score(table)


def test_an_empty_slice_is_named():
    empty = Confusion.from_labels(["bird"], ["bird"], weights=[0])
    with pytest.raises(
        InputError, match=r"only items of weight 0 \(slice de\): there is nothing to score"
    ):
        eh.score(Confusion.stack({"en": TABLE, "de": empty}))


def test_twins_of_a_stack_are_those_of_its_tables():
    found = eh.twins(STACK)
    assert [s.macro_f1 for s in found.slices] == [eh.twins(t).macro_f1 for t in STACK]
    assert found.macro_f1 == eh.twins(sum(STACK[1:], start=STACK[0])).macro_f1
    with pytest.raises(InputError, match=r"^twins takes .*, got a stack of \d tables"):
        eh.twins(eh.Confusion.stack([STACK, STACK]))


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: eh.macro_f1(), f"macro_f1 takes {ONE}, got nothing"),
        (lambda: eh.macro_f1([1], [1], [1]), f"macro_f1 takes {ONE}, got 3 arguments"),
        (
            lambda: eh.macro_f1(TABLE, beta=2),
            "macro_f1() got an unexpected keyword argument 'beta'",
        ),
        (
            lambda: eh.macro_f1(TABLE, label="cat"),
            "macro_f1() got an unexpected keyword argument 'label'",
        ),
    ],
)
def test_arguments_refused(act, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        act()


@pytest.mark.parametrize("beta", [-2, NAN])
def test_beta_refused(beta):
    with pytest.raises(MetricError, match="beta of macro_fbeta must be"):
        eh.macro_fbeta(TABLE, beta=beta)


def test_one_label_metrics():
    assert eh.f1(TABLE).shape == (3,)
    assert eh.f1(STACK).shape == (2, 3)
    assert eh.f1(TABLE, label="cat") == pytest.approx(10 / 17)
    assert eh.f1(STACK, label="cat").tolist() == pytest.approx([10 / 17] * 2)
    with pytest.raises(InputError, match="label of f1 must be among"):
        eh.f1(TABLE, label="cow")


@pytest.mark.parametrize("label", ["a@b", "a,b", "x=y", " a", "\\"])
def test_a_label_is_no_spelling(label):
    assert eh.f1([label, "other"], [label, "other"], label=label) == 1.0


def test_a_metric_takes_a_table_a_matrix_or_labels():
    cells = [[2, 1], [0, 3]]
    true, pred = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]
    wanted = eh.macro_f1(Confusion.from_matrix(cells))
    assert isinstance(wanted, float)
    assert eh.macro_f1(cells) == eh.macro_f1(true, pred) == wanted


def test_a_stray_label_is_warned_of_with_both_values():
    message = (
        r"^1 prediction is of labels that never occur in the truth \('c'\); "
        r"macro_f1 is 0\.5000 over the true classes, 0\.3333 over all classes seen$"
    )
    with pytest.warns(EvenhandWarning, match=message) as caught:
        assert eh.macro_f1(["a", "b"], ["a", "c"]) == 0.5
    assert caught[0].filename == __file__


@pytest.mark.parametrize("stray", ["Spam", "spam ", "s pam", "ｓｐａｍ"])
def test_a_label_that_is_only_written_otherwise_is_named(stray):
    hint = "ignore case if they" if stray == "Spam" else "map one to the other if they"
    said = f"'{stray}' and 'spam' differ only in case, spaces or Unicode form: "
    said += f"{hint} are one"
    with pytest.warns(EvenhandWarning, match=said):
        eh.macro_f1(["spam", "ham"], [stray, "ham"])


def test_an_explicit_choice_is_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        eh.macro_f1(["a", "b"], ["a", "c"], classes="true")
        eh.macro_f1(["a", "b"], ["a", "c"], classes="seen")
        eh.macro_f1(["a", "b"], ["a", "c"], classes=["a", "b", "c"])
        eh.accuracy(["a", "b"], ["a", "c"])
        eh.micro_f1(["a", "b"], ["a", "c"])


def test_no_such_name():
    with pytest.raises(AttributeError, match=r"^module 'evenhand' has no attribute 'macro_f2'$"):
        _ = eh.macro_f2


WORDS = ["low", "mid", "high", "low", "mid", "high", "low", "mid", "high", "low"]
GUESS = ["low", "mid", "high", "mid", "mid", "low", "low", "high", "high", "low"]
IN_ORDER = {"metrics": ["weighted_kappa"]}


@pytest.mark.parametrize(
    "found",
    [
        lambda: eh.score(WORDS, GUESS, **IN_ORDER),
        lambda: eh.score(WORDS, GUESS, by=[0, 1] * 5, **IN_ORDER),
        lambda: eh.compare(WORDS, GUESS, GUESS[::-1], **IN_ORDER),
        lambda: eh.rank(WORDS, {"a": GUESS, "b": GUESS[::-1]}, **IN_ORDER),
        lambda: eh.shift.extrapolate(
            WORDS, GUESS, to={"low": 0.2, "mid": 0.3, "high": 0.5}, **IN_ORDER
        ),
        lambda: eh.agree([WORDS, GUESS], distance="ordinal"),
        lambda: eh.groups(WORDS * 4, GUESS * 4, by=[0, 1] * 20, **IN_ORDER),
        lambda: eh.gate(WORDS, GUESS, GUESS[::-1], margin=0.1, **IN_ORDER),
        lambda: eh.plan(WORDS * 4, GUESS * 4, width=0.1, **IN_ORDER),
        lambda: eh.cross_validated(WORDS * 4, GUESS * 4, fold=[0, 1] * 20, **IN_ORDER),
    ],
)
def test_every_verb_says_that_the_alphabet_made_the_order(found):
    (note,) = [note for note in found().cautions if note.code == "alphabetical"]
    assert note.labels == ("high", "low", "mid")
