"""Gate: what passes, what fails, what cannot be decided, and how it is said."""

import itertools
import json
import math
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from click.testing import CliRunner

import evenhand as eh
from evenhand.catalogue.spelling import called
from evenhand.cli import group
from evenhand.deciding.gate import Check, MeasuredDifference, stepped
from evenhand.inference.jackknife import DifferenceError
from evenhand.text import cell_text


def items(n=2000, gain=0.0, loss=0.0, seed=0):
    """Truth, an old system, and a new one that mends and breaks some answers."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, n)
    old = np.where(rng.random(n) < 0.8, true, (true + 1) % 3)
    new = np.where(rng.random(n) < gain, true, old)
    return true, old, np.where(rng.random(n) < loss, (true + 1) % 3, new)


OUTCOMES = [
    # gain, loss, test, outcome
    (0.3, 0.0, "noninferior", "passed"),
    (0.3, 0.0, "superior", "passed"),
    (0.3, 0.0, "equivalent", "refuted"),
    (0.0, 0.1, "noninferior", "refuted"),
    (0.0, 0.1, "superior", "refuted"),
    (0.0, 0.1, "equivalent", "refuted"),
    (0.02, 0.005, "noninferior", "passed"),
    (0.02, 0.005, "superior", "refuted"),
    (0.02, 0.005, "equivalent", "passed"),
    (0.1, 0.04, "noninferior", "not demonstrated"),
]


@pytest.mark.parametrize(("gain", "loss", "test", "outcome"), OUTCOMES)
@pytest.mark.parametrize("metric", ["accuracy", "macro_f1"])
def test_outcomes(gain, loss, test, outcome, metric):
    true, old, new = items(gain=gain, loss=loss)
    found = eh.gate(true, old, new, metrics=metric, margin=0.015, test=test)
    assert (found[metric].outcome, found.passed) == (outcome, outcome == "passed")
    assert found.to_dict()["message"].startswith("passed" if found.passed else "failed")


def test_it_is_the_difference_that_compare_has():
    true, old, new = items(gain=0.05, loss=0.01)
    systems = {"old": old, "new": new}
    found = eh.gate(true, systems, metrics=["macro_f1", "kappa"], margin=0.01)
    other = eh.compare(true, systems, metrics=["macro_f1", "kappa"], margin=0.01, baseline="old")
    for metric in ("macro_f1", "kappa"):
        one, two = found[metric], other["new", "old", metric]
        assert (one.difference, one.se, one.values) == (two.difference, two.se, two.values[::-1])
        assert (one.low, one.high, one.p) == (two.margin.low, two.margin.high, two.margin.p_low)
        assert one.passed == ("new" in two.margin.not_worse)


def test_the_p_of_accuracy_is_tangos():
    """On few differing items: the score test with both shares estimated at the margin."""
    n, lost, gained, margin = 5000, 12, 9, 0.002
    true = np.zeros(n, int)
    old = np.array([0] * lost + [1] * gained + [0] * (n - lost - gained))
    new = np.array([1] * lost + [0] * gained + [0] * (n - lost - gained))
    found = eh.gate(true, old, new, metrics="accuracy", margin=margin)["accuracy"]
    # Tango (1998): the share of losses q solves 2n·q² + b·q + c = 0 at a difference of −margin
    b = -lost - gained - (2 * n - gained + lost) * margin
    c = lost * margin * (1 + margin)
    share = (math.sqrt(b * b - 8 * n * c) - b) / (4 * n)
    statistic = (gained - lost + n * margin) / math.sqrt(n * (2 * share - margin * (1 + margin)))
    assert found.p == pytest.approx(scipy.stats.norm.sf(statistic), rel=0.02)


@pytest.mark.parametrize(("lost", "gained"), [(0.03, 0.0), (0.04, 0.01), (0.06, 0.03), (0.1, 0.07)])
@pytest.mark.parametrize("n", [200, 600])
def test_what_is_worse_by_the_margin_passes_in_one_of_twenty_cases(n, lost, gained):
    """Accuracy, exactly: every number of losses and gains with its probability."""
    margin = lost - gained
    most = [int(n * p + 7 * math.sqrt(n * p)) + 1 for p in (lost, gained)]
    cases = [(a, b, n - a - b) for a, b in itertools.product(*map(range, most))]
    law = scipy.stats.multinomial(n, [lost, gained, 1 - lost - gained])
    passed = plainly = 0.0
    for (losses, gains, _), chance in zip(cases, law.pmf(cases), strict=True):
        d = (gains - losses) / n
        se = math.sqrt(((losses + gains) / n - d * d) / n)
        if losses == gains == 0:  # the same answers
            passed, plainly = passed + chance, plainly + chance
            continue
        one = difference(d, DifferenceError(se, math.inf, 1 / n), margin=margin)
        passed += chance * (one.p < 0.05)
        plainly += chance * (d - 1.6449 * se > -margin)
    assert passed < 0.056
    assert passed < plainly  # which is what the observed error alone lets pass
    assert lost > 0.05 or n > 200 or plainly > 0.065


def test_a_metric_that_is_better_low_turns_round():
    true, old, new = items(gain=0.3)
    lower = _worse_if_high
    assert eh.gate(true, old, new, metrics="accuracy", margin=0.01, test="superior").passed
    low = {"margin": 0.01, "better": "lower"}
    better = difference(-0.05, lower, "superior", **low)
    assert better.bounds == (-math.inf, -0.01)
    assert difference(-0.05, lower, "noninferior", **low).bounds == (-math.inf, 0.01)
    assert better.p == pytest.approx(scipy.stats.norm.sf(4))
    assert difference(0.01, lower, "superior", **low).judged(0.95).outcome == "refuted"
    assert difference(0.0, lower, "superior", **low).judged(0.95).outcome == "not demonstrated"


_worse_if_high = DifferenceError(0.01, math.inf, 0.0)


def difference(d, errors, test="noninferior", margin=0.0, better="higher"):
    """A difference of a metric before its test."""
    said = {"metric": "m", "n": 9, "points": True, "better": better, "margin": margin}
    return MeasuredDifference(test, Check(value=d, values=(0, 0), **said), errors)


def test_a_metric_without_a_better_side_is_equivalent_or_nothing():
    true, old, new = items(gain=0.02)
    assert eh.gate(true, old, new, metrics="f1_gap", margin=0.05, test="equivalent").passed
    with pytest.raises(eh.InputError, match=r"f1_gap is better neither high nor low.*'equivalent'"):
        eh.gate(true, old, new, metrics="f1_gap", margin=0.05)


# -- the same answers -------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 3, 500])
@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "mcc", "macro_f1@uniform"])
def test_the_same_answers_pass(n, metric):
    true, old, _ = items(n)
    for test in ("noninferior", "equivalent"):
        found = eh.gate(true, old, old, metrics=metric, margin=1e-9, test=test)
        assert found.passed and found[metric].low is None and "the same answer" in found.message
    better = eh.gate(true, old, old, metrics=metric, margin=0, test="superior")
    assert not better.passed and "neither is better" in better.message


def test_the_same_answers_on_few_items_are_warned_of():
    true, old, _ = items(50)
    share = 1 - 0.05 ** (1 / 50)  # at which 50 items are alike in 5 % of cases
    few = eh.gate(true, old, old, margin=share - 1e-6)
    assert "it would happen in 1 of 20 cases if they differed on 5.8 %" in few.warnings[-1]
    enough = eh.gate(true, old, old, margin=share + 1e-6)
    assert not [w for w in enough.warnings if "same answer" in w]


def one_class_apart(n=60):
    """Truth and two systems that differ, but never on whether an item is c."""
    true = np.array(list("abcc") * (n // 4))
    old = np.where(np.arange(n) % 5 == 0, "a", true)
    return true, old, np.where((old == "b") & (np.arange(n) % 2 == 1), "a", old)


@pytest.mark.parametrize("metric", ["f1:label=c", "recall:label=c", "precision:label=c@uniform"])
def test_what_never_differs_on_a_class_passes_on_it(metric):
    true, old, new = one_class_apart()
    found = eh.gate(true, old, new, metrics=[metric, "f1:label=b"], margin=0.2)
    one = found[metric]
    assert one.passed and one.difference == 0 and one.low is None
    assert one.agreeing == ((true == "c") | (old == "c")).sum() < len(true)
    assert not found["f1:label=b"].same and not found.passed
    alone = eh.gate(true, old, new, metrics=metric, margin=0.2)
    assert f"the same answer on {one.agreeing} items that concern {called(metric)}" in alone.message
    better = eh.gate(true, old, new, metrics=metric, margin=0, test="superior")
    assert not better.passed and "neither is better" in better.message
    few = eh.gate(true, old, new, metrics=metric, margin=0.01)
    assert f"on all of {one.agreeing} items that concern {metric}" in few.warnings[-1]


def test_equal_scores_without_error_of_different_answers_are_no_proof():
    """Neither is ever right about c: both have 0 and no slope, but they are not alike."""
    true, old = list("aabbcc" * 5), list("aabbaa" * 5)
    found = eh.gate(true, old, list("acbbaa" * 5), metrics="f1:label=c", margin=0.1)
    assert found["f1:label=c"].difference == 0
    assert found["f1:label=c"].outcome == "unknown" and not found.passed


def test_what_is_alike_in_probabilities_and_weights():
    true, old, new = one_class_apart()
    weighed = eh.Sample.from_labels(true, {"a": old, "b": new}, weights=np.full(60, 0.5))
    mask = np.array([v == "c" for v in weighed.labels])
    assert weighed.equal_items(0, 1) is None and 0 < weighed.equal_items(0, 1, mask) <= 60
    p = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    q = np.array([[0.3, 0.5, 0.2], [0.1, 0.1, 0.8]])
    soft = eh.Sample.from_probabilities(["a", "c"], {"p": p, "q": q}, labels="abc")
    assert soft.equal_items(0, 1) is None and soft.equal_items(0, 0) == 2
    assert soft.equal_items(0, 1, np.array([False, False, True])) == 2


def test_no_bound_lies_beyond_what_is_possible():
    true, new = list("aaab"), list("bbbb")
    found = eh.gate(true, true, new, metrics="accuracy", margin=0.1)["accuracy"]
    assert found.low == -1.0 < found.difference < found.high
    both = eh.compare(true, {"new": new, "old": true}, metrics="accuracy", margin=0.1)
    assert both["accuracy"].margin.low == -1.0


def test_equal_scores_of_different_answers_are_no_proof():
    """One lost, one gained: the difference is 0 and yet nothing is known."""
    found = eh.gate(list("abab"), list("abaa"), list("abbb"), metrics="accuracy", margin=0.1)
    assert found["accuracy"].difference == 0 and found["accuracy"].outcome == "not demonstrated"


def test_what_always_differs_cannot_be_decided():
    found = eh.gate(list("abab"), list("abab"), list("baba"), metrics="accuracy", margin=0.1)
    assert found["accuracy"].outcome == "unknown" and not found.passed
    assert found.message.startswith("failed: it cannot be decided on accuracy")


# -- several checks ---------------------------------------------------------------------------


def test_every_metric_must_pass():
    true, old, new = items(gain=0.02)
    tame = eh.gate(true, old, new, metrics=["accuracy", "macro_f1"], margin=0.01)
    assert tame.passed and "and 1 other check" in tame.message
    rare = np.where(np.arange(len(true)) < 12, 3, true)
    hurt = np.where(rare == 3, 0, np.where(old == true, rare, old))
    wrong = eh.gate(rare, np.where(rare == 3, 3, old), hurt, metrics=["accuracy", "macro_f1"],
                    margin=0.05)  # fmt: skip
    assert wrong["accuracy"].passed and not wrong["macro_f1"].passed and not wrong.passed
    assert "failed (1 of 2 checks)" in wrong.message and "macro F1" in wrong.message


def test_every_slice_must_pass_and_is_corrected():
    true, old, new = items(gain=0.05)
    by = np.arange(len(true)) % 4
    broken = np.where((by == 3) & (np.arange(len(true)) % 8 == 3), (true + 1) % 3, new)
    found = eh.gate(true, old, broken, metrics="accuracy", margin=0.05, by=by)
    assert not found.passed and found.decides.slice == 3
    assert [found[k, "accuracy"].passed for k in range(4)] == [True, True, True, False]
    assert "in slice 3" in found.message
    alone = eh.gate(true[by == 0], old[by == 0], broken[by == 0], metrics="accuracy", margin=0.05)
    assert found[0, "accuracy"].p == alone["accuracy"].p
    assert found[0, "accuracy"].low <= alone["accuracy"].low


def test_a_slice_of_one_cluster_is_not_passed_over():
    true, old, new = items(400, gain=0.3)
    cluster = np.arange(400) // 20
    by = np.where(cluster == 0, "one", "many")
    found = eh.gate(true, old, new, metrics="accuracy", margin=0.05, by=by, cluster=cluster)
    assert found["one", "accuracy"].outcome == "unknown" and not found.passed
    assert "cannot be decided on accuracy in slice one" in found.message


def measured(*p):
    """Differences whose noninferiority has these p."""
    errors, values = DifferenceError(1.0, math.inf, 0.0), scipy.stats.norm.isf(p) - 1
    return [difference(x, errors, margin=1.0) for x in values]


@pytest.mark.parametrize("p", list(itertools.permutations([0.001, 0.018, 0.02, 0.2])))
def test_slices_are_those_of_holm(p):
    """0.001 < 0.05/4, 0.018 > 0.05/3: the steps stop there, also for 0.02 < 0.05/2."""
    found = stepped(measured(*p), 0.95)
    assert [c.passed for c in found] == [x == 0.001 for x in p]
    for check in found:
        assert check.passed == (check.low > -1)  # the interval says the same
    levels = {x: 0.05 / (1 - c.level) for x, c in zip(p, found, strict=True)}
    assert levels == pytest.approx({0.001: 4, 0.018: 3, 0.02: 3, 0.2: 3})


def test_one_check_is_at_the_level_itself():
    (found,) = stepped(measured(0.049), 0.95)
    assert found.passed and found.level == pytest.approx(0.95)
    assert not stepped(measured(0.051), 0.95)[0].passed


# -- data as they come ------------------------------------------------------------------------


def test_weights_clusters_and_probabilities():
    true, old, new = items(600, gain=0.3)
    plain = eh.gate(true, old, new, metrics="accuracy", margin=0.01)["accuracy"]
    double = eh.gate(true, old, new, metrics="accuracy", margin=0.01, weights=np.full(600, 2.0))
    assert double["accuracy"].low == pytest.approx(plain.low)
    twice = [np.repeat(x, 2) for x in (true, old, new)]
    clumped = eh.gate(*twice, metrics="accuracy", margin=0.01, cluster=np.arange(1200) // 2)
    # each item twice, and known to be so: as sure as once, but for C/(C − 1) and Student
    assert clumped["accuracy"].low == pytest.approx(plain.low, rel=0.02)
    one = {name: np.eye(3)[x] for name, x in (("old", old), ("new", new))}
    soft = eh.Sample.from_probabilities(true, one, labels=range(3))
    for metric in ("accuracy", "expected_accuracy"):
        low = eh.gate(soft, metrics=metric, margin=0.01)[metric].low
        assert low == pytest.approx(plain.low)


def test_a_baseline_by_name():
    true, old, new = items(gain=0.3)
    sample = eh.Sample.from_labels(true, {"new": new, "old": old})
    assert eh.gate(sample, margin=0.01, baseline="old").passed
    assert eh.gate(sample, margin=0.01).decides.outcome == "refuted"
    with pytest.raises(eh.InputError, match="baseline must be one of 'new', 'old', got 'x'"):
        eh.gate(sample, margin=0.01, baseline="x")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"margin": -0.1}, "margin must be a number above 0, got -0.1"),
        (
            {"margin": 0},
            r"margin must be a number above 0, got 0; with test='superior' it may be 0",
        ),
        (
            {"margin": 5},
            "margin must be below 1, which is as far as two values of macro_f1 can be a",
        ),
        ({"margin": 1, "test": "superior"}, "margin must be below 1, .* got 1"),
        (
            {"margin": 0.5, "metrics": ["mcc", "f1_gap"], "test": "equivalent"},
            "below 0.5, .* f1_gap",
        ),
        ({"margin": 2, "metrics": ["bookmaker_gain", "mcc"]}, "below 2, .* values of mcc"),
        ({"margin": math.nan}, "margin must be a number above 0, got nan"),
        ({"margin": -1, "test": "superior"}, "margin must be a number above 0, got -1"),
        ({"margin": 0.1, "test": "better"}, "test must be 'noninferior', 'superior' or 'equ"),
        ({"margin": 0.1, "level": 1}, "level must be"),
        ({"margin": 0.1, "metrics": []}, "metrics must name at least one"),
    ],
)
def test_what_is_refused(how, words):
    with pytest.raises(eh.InputError, match=words):
        eh.gate(list("ab"), list("ab"), list("ab"), **how)


def test_more_than_two_systems_are_refused():
    with pytest.raises(eh.InputError, match=r"gate takes true labels and two \(old, new\)"):
        eh.gate(list("ab"), {"A": list("ab"), "B": list("ab"), "C": list("ab")}, margin=0.1)
    with pytest.raises(TypeError, match="margin"):
        eh.gate(list("ab"), list("ab"), list("ab"))


# -- the command ------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    true, old, new = items(gain=0.05)
    names = np.array(["ham", "spam", "=cmd|' /C'\x1b[31m"])
    for name, x in {"gold": true, "old": old, "new": new, "bad": items(loss=0.2)[2]}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(names[x]) + "\n")
    rows = zip(names[true], names[old], names[new], np.arange(2000) % 2, strict=True)
    lines = ["gold,old,new,part", *(f'"{t}","{a}","{b}",{c}' for t, a, b, c in rows)]
    (tmp_path / "all.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def run(*words):
    return CliRunner().invoke(group, ["gate", *words])


def test_a_margin_in_percent(here):
    files = ("gold.txt", "old.txt", "new.txt", "--format", "json")
    for text, number in (("1%", 0.01), ("0.7 %", 0.007)):
        assert json.loads(run(*files, "--margin", text).stdout)["margin"] == number


def test_exit_codes_and_one_line(here):
    good = run("gold.txt", "old.txt", "new.txt", "--margin", "0.01")
    assert good.exit_code == 0 and good.stdout.count("\n") == 1
    assert good.stdout.startswith("passed: new is not worse than old by more than 1.0 point on mac")
    bad = run("gold.txt", "old.txt", "bad.txt", "--margin", "0.01")
    assert bad.exit_code == 1 and bad.stdout.startswith("failed: bad (new) is worse than old by")
    columns = ("all.csv", "--true", "gold", "--pred", "old", "--pred", "new")
    assert run(*columns, "--margin", "0.01").stdout == good.stdout
    assert run(*columns, "--margin", "0.02", "--by", "part").exit_code == 0
    turned = run(*columns, "--margin", "0.01", "--baseline", "new")
    assert turned.stdout.startswith(
        "failed: old (new) may be worse than new (old) by more than 1.0 point"
    )


def test_one_file_as_old_and_new_passes(here):
    (here / "link.txt").symlink_to("old.txt")
    for new in ("old.txt", "./old.txt", "link.txt"):
        same = run("gold.txt", "old.txt", new, "--margin", "0.01")
        assert same.exit_code == 0 and "the same answer on 2,000 items" in same.stdout
    (here / "copy.txt").write_bytes((here / "old.txt").read_bytes())
    assert "the same answer" in run("gold.txt", "old.txt", "copy.txt", "--margin", "0.01").stdout
    columns = ("all.csv", "--true", "gold", "--pred", "old", "--pred", "old", "--by", "part")
    assert run(*columns, "--margin", "0.01").exit_code == 0


def test_formats_have_the_line_beside_them(here):
    files = ("gold.txt", "old.txt", "new.txt", "--margin", "0.01")
    found = run(*files, "--format", "json")
    facts = json.loads(found.stdout)
    assert facts["passed"] and facts["margin"] == 0.01 and facts["metric"] == "macro_f1"
    assert facts["difference"] > facts["low"] > -0.01 and facts["message"] + "\n" == found.stderr
    kept = run(*files, "--output", "gate.md")
    assert kept.stdout == found.stderr and kept.exit_code == 0
    text = (here / "gate.md").read_text()
    assert "| macro\\_f1 |" in text and "> passed: new" in text and "\x1b" not in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("gold.txt", "old.txt", "new.txt"), "Missing option '--margin'"),
        (
            ("gold.txt", "old.txt", "--margin", "0.1"),
            "Expected two systems, OLD and NEW, got 'old'",
        ),
        (("gold.txt", "old.txt", "new.txt", "--margin", "0"), "with --test superior it may be 0"),
        (
            ("gold.txt", "old.txt", "new.txt", "--margin", "5"),
            "margin must be below 1, which is as",
        ),
        (("gold.txt", "old.txt", "new.txt", "--margin", "500%"), "margin must be below 1, which"),
        (("gold.txt", "old.txt", "new.txt", "--margin", "x%"), "'x' is not a valid float"),
        (("gold.txt", "gold.txt", "new.txt", "--margin", "0.1"), "is the truth itself"),
        (
            ("gold.txt", "old.txt", "new.txt", "bad.txt", "--margin", "0.1"),
            "got 'old', 'new', 'bad'",
        ),
        (("all.csv", "--system", "old", "--margin", "0.1"), "which system is OLD: --baseline NAME"),
        (("--margin", "0.1"), "Expected GOLD OLD NEW, or one file"),
    ],
)
def test_usage(here, words, said):
    found = run(*words)
    assert found.exit_code == 2 and said in found.stderr and found.stdout == ""


ROOT = Path(__file__).parents[2]
SHOWN = re.compile(r"^\$ evenhand (gate .*)\n((?:(?![$`]).*\n)+)", re.MULTILINE)


@pytest.mark.parametrize("page", ["README.md", "docs/decisions.md"])
def test_the_examples_of_the_pages_are_what_is_printed(page, monkeypatch):
    shown = SHOWN.findall((ROOT / page).read_text(encoding="utf-8"))
    assert shown
    monkeypatch.chdir(ROOT / "examples" / "shared-task")
    for command, lines in shown:  # which a page folds
        found = CliRunner().invoke(group, shlex.split(command))
        assert found.stdout.split() == lines.split()
        assert found.exit_code == (0 if lines.startswith("passed") else 1)


def test_a_gate_is_true_if_it_passed():
    true, old, new = items(1500, gain=0.3)
    passed, failed = eh.gate(true, old, new, margin=0.01), eh.gate(true, new, old, margin=0.01)
    assert passed and not failed and (passed.passed, failed.passed) == (True, False)


# Slices with few items or a margin of their own, and baselines.


def by_country(seed=0):
    """Three countries, of which one has thirty items."""
    true, old, new = items(1500, gain=0.1, loss=0.02, seed=seed)
    new[:30] = np.where(np.arange(30) % 10 == 0, (true[:30] + 1) % 3, old[:30])
    return true, old, new, ["IS"] * 30 + ["DE"] * 670 + ["FR"] * 800


def test_a_small_slice_is_not_judged_where_that_is_said():
    true, old, new, land = by_country()
    plain = eh.gate(true, old, new, margin=0.05, by=land)
    assert (plain.verdict, plain["IS", "macro_f1"].outcome) == ("failed", "not demonstrated")
    found = eh.gate(true, old, new, margin=0.05, by=land, min_items=31)
    assert (found.verdict, found.passed) == ("too few items to judge", False)
    assert found["IS", "macro_f1"].outcome == "too few items" == found.decides.outcome
    assert found["IS", "macro_f1"].value == plain["IS", "macro_f1"].value  # measured all the same
    assert found.message == (
        "too few items to judge: fewer than 31 items in IS (30); 3 other checks passed, with a "
        "margin of 5.0 points"
    )
    assert eh.gate(true, old, new, margin=0.05, by=land, min_items=30).verdict == "failed"
    two = eh.gate(true[30:], old[30:], new[30:], margin=0.05, by=land[30:])
    for country in ("DE", "FR"):  # corrected over the slices that are judged
        one, other = found[country, "macro_f1"], two[country, "macro_f1"]
        assert (one.low, one.p, one.level) == (other.low, other.p, other.level)


def test_what_fails_is_not_excused_by_a_small_slice():
    true, old, new, land = by_country()
    worse = np.where(np.arange(1500) % 5 == 0, (true + 1) % 3, new)
    found = eh.gate(true, old, worse, margin=0.01, by=land, min_items=100)
    assert found.verdict == "failed" and found.message.startswith("failed (3 of 4 checks): ")
    failed = [c for c in found.checks if c.outcome in ("refuted", "not demonstrated")]
    others = [c for c in failed if c is not found.decides]
    assert len(others) == 2 and "also failed" not in found.message
    sheet = found.failures
    rows = {row[0]: [cell_text(cell, 4) for cell in row[1:]] for row in sheet.grid.rows}
    assert list(rows) == [c.slice_name for c in found.checks if not c.passed]
    for check in failed:
        metric, difference, interval, margin, *_ = rows[check.slice_name]
        assert (metric, margin) == ("macro_f1", "1.0") and " to " in interval
        assert difference == f"{100 * check.value:.1f}".replace("-", "−")
    few = eh.gate(true[:20], old[:20], new[:20], margin=0.05, min_items=100)
    assert few.verdict == "too few items to judge" and "all (pooled) (20)" in few.message


def test_a_slice_may_have_its_own_margin():
    true, old, new, land = by_country()
    found = eh.gate(true, old, new, margin=0.05, by=land, slice_margins={"IS": 0.4})
    assert found.passed and [c.margin for c in found.checks] == [0.05, 0.05, 0.05, 0.4]
    assert "margin 5.0 points" in found.content().title and "0.4000" in str(found)
    assert found.message.endswith("; margin 40.0 points in IS, 5.0 points elsewhere")
    assert [c["margin"] for c in found.to_dict()["checks"]] == [0.05, 0.05, 0.05, 0.4]
    numbered = [land.index(x) for x in land]
    found = eh.gate(true, old, new, margin=0.05, by=numbered, slice_margins={"0": 0.5})
    assert found["macro_f1"].margin == 0.05 and found[0, "macro_f1"].margin == 0.5
    with pytest.raises(eh.InputError, match=r"'XX'.*for every metric.*slices: DE, FR, IS"):
        eh.gate(true, old, new, margin=0.05, by=land, slice_margins={"XX": 0.1})
    with pytest.raises(eh.InputError, match="slice_margins must be"):
        eh.gate(true, old, new, margin=0.05, by=land, slice_margins={"IS": -1})


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    true, old, new, land = by_country()
    for name, labels in {"gold": true, "old": old, "new": new}.items():
        text = [str(v) for v in labels]
        Path(f"{name}.txt").write_text("\n".join(text) + "\n")
        rows = [f"q{i},{v},{c}" for i, (v, c) in enumerate(zip(text, land, strict=True))]
        rows = rows if name == "gold" else rows[::-1]
        Path(f"{name}.csv").write_text("id,label,country\n" + "\n".join(rows) + "\n")


def gated(*words):
    return CliRunner().invoke(group, ["gate", *shlex.split(" ".join(words))])


def test_the_command_has_three_ends(files):
    words = "gold.csv old.csv new.csv --id id --label label --by country --margin 5%"
    assert gated(words).exit_code == 1
    few = gated(words, "--min-items 50")
    assert few.exit_code == 3 and few.stdout.startswith("too few items to judge: ")
    assert gated(words, "--margin IS=40%").exit_code == 0
    wrong = gated("gold.txt old.txt new.txt --margin IS=5%")
    assert wrong.exit_code == 2 and "--margin NUMBER once" in wrong.stderr
    assert gated("gold.txt old.txt new.txt --margin 1% --margin 2%").exit_code == 2


@pytest.mark.parametrize("words", ["{}.txt", "{}.csv"])
def test_a_baseline_takes_the_place_of_old(files, words):
    more = "--id id --label label" if words.endswith("csv") else ""
    gold, old, new = (words.format(name) for name in ("gold", "old", "new"))
    written = gated(gold, old, old, more, "--margin 1% --baseline-out base.csv")
    assert written.exit_code == 0
    text = Path("base.csv").read_text()
    assert len(text.splitlines()) == 1501 and "q12" not in text
    plain = gated(gold, old, new, more, "--margin 5% --format json")
    held = gated(gold, "base.csv", new, more, "--margin 5% --format json")
    one, other = json.loads(plain.stdout), json.loads(held.stdout)
    assert other["old"] == "base" and one["difference"] == other["difference"]
    assert one["checks"][0]["low"] == pytest.approx(other["checks"][0]["low"])


def test_a_failing_system_writes_no_baseline(files):
    failed = gated("gold.txt new.txt old.txt --margin 0.1% --baseline-out base.csv")
    assert failed.exit_code == 1 and not Path("base.csv").exists()
    one = gated("gold.csv --true label --pred label --pred id --margin 1% --baseline-out b.csv")
    assert one.exit_code == 2


def test_a_baseline_of_other_items_is_refused(files):
    gated("gold.txt old.txt old.txt --margin 1% --baseline-out base.csv")
    labels = Path("gold.txt").read_text().splitlines()
    labels[2] = str((int(labels[2]) + 1) % 3)
    Path("gold.txt").write_text("\n".join(labels) + "\n")
    stale = gated("gold.txt base.csv new.txt --margin 5%")
    assert stale.exit_code == 2 and "it lacks 3; write it again" in stale.stderr
