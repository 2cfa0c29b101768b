"""Groups: by hand, against plain formulas, and what holds for every comparison."""

import json
import math

import numpy as np
import pytest

import evenhand as eh
from evenhand.errors import InputError, MetricError
from evenhand.scoring.groups import ContrastLimits, difference, quotient

RNG = np.random.default_rng(5)
N = 600
TRUE = RNG.choice(list("abc"), N)
GROUP = RNG.choice(["x", "y", "z"], N, p=[0.5, 0.3, 0.2])
RATE = np.array([{"x": 0.9, "y": 0.8, "z": 0.55}[g] for g in GROUP])
PRED = np.where(RNG.random(N) < RATE, TRUE, RNG.choice(list("abc"), N))


def ends(value, low, high):
    return ContrastLimits(*map(np.array, (value, low, high)))


def test_square_and_add_by_hand():
    a, b = ends(0.8, 0.7, 0.88), ends(0.6, 0.5, 0.69)
    found = difference(a, b)
    assert float(found.low) == pytest.approx(0.2 - math.hypot(0.1, 0.09))
    assert float(found.high) == pytest.approx(0.2 + math.hypot(0.08, 0.1))
    same = difference(a, a, 1.0)  # the same number twice, but for its skew
    assert float(same.high) == pytest.approx(abs(0.88 - 0.8 - 0.1))


@pytest.mark.parametrize("r", [0.0, 0.4])
def test_the_ends_of_a_ratio_make_the_difference_touch_zero(r):
    a, b = ends(0.8, 0.7, 0.88), ends(0.6, 0.5, 0.69)
    found = quotient(a, b, r)
    for theta, side in ((float(found.low), "low"), (float(found.high), "high")):
        scaled = ContrastLimits(*(theta * x for x in b))
        assert float(getattr(difference(a, scaled, r), side)) == pytest.approx(0, abs=1e-12)


def test_where_the_lower_number_may_be_nothing_the_ratio_has_no_upper_end():
    found = quotient(ends(0.8, 0.7, 0.9), ends(0.1, 0.0, 0.3))
    assert math.isinf(found.high) and float(found.low) > 0
    assert math.isnan(quotient(ends(0.8, 0.7, 0.9), ends(0.0, 0.0, 0.3)).value)


def test_values_are_those_of_score():
    found = eh.groups(TRUE, PRED, by=GROUP, metrics=["accuracy", "macro_f1"])
    scores = eh.score(TRUE, PRED, by=GROUP, metrics=["accuracy", "macro_f1"])
    for name in ("accuracy", "macro_f1"):
        for part in scores.slices:
            mine = found[name][part.key]
            assert mine.score == part.metrics[name] and mine.n == part.n
    gap = found["macro_f1"]
    assert (gap.worst, gap.best) == ("z", "x")
    assert gap.difference.value == pytest.approx(gap["x"].score.value - gap["z"].score.value)
    assert gap["z"].to_best.value == pytest.approx(-gap.difference.value)
    assert gap["x"].to_best.value == 0 and gap["x"].ratio_to_best.value == 1


def test_one_bad_group_does_not_accuse_the_rest():
    """Of six groups one is bad: it alone is worse than the best."""
    rng = np.random.default_rng(1)
    by, true = rng.choice(list("ABCDEF"), 6000), rng.choice(list("xyz"), 6000)
    rate = np.where(by == "F", 0.6, 0.9)
    guess = np.where(rng.random(6000) < rate, true, rng.choice(list("xyz"), 6000))
    gap = eh.groups(true, guess, by=by, metrics="accuracy")["accuracy"]
    assert gap.worse == ("F",) == (gap.worst,)
    users = rng.integers(0, 3000, 6000)  # clusters across groups
    clustered = eh.groups(true, guess, by=by, cluster=users, metrics="accuracy")
    assert clustered["accuracy"].worse == ("F",)
    assert "from the best, B. Significantly worse than the best: F." in str(clustered)
    cost = eh.groups(true, guess, by=by, metrics="mean_cost")["mean_cost"]
    assert cost.worse == ("F",) and cost["F"].to_best.low > 0


def test_where_all_groups_are_alike_none_is_worse():
    found = eh.groups(TRUE, TRUE, by=GROUP, metrics="mcc")
    assert found["mcc"].worse == ()
    rng = np.random.default_rng(2)
    alike = eh.groups(TRUE, np.where(rng.random(N) < 0.8, TRUE, "a"), by=GROUP)
    assert "No group is significantly worse than the best." in str(alike)


def test_two_groups_are_newcombe_s_interval():
    """Wilson's intervals of two accuracies, squared and added (Newcombe 1998, method 10)."""
    two = GROUP != "z"
    found = eh.groups(TRUE[two], PRED[two], by=GROUP[two], metrics="accuracy")["accuracy"]

    def wilson(x, n, z=1.959963984540054):
        p = x / n
        middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return p, (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)

    (a, la, ua), (b, lb, ub) = (
        wilson(int((TRUE == PRED)[g == GROUP].sum()), int((g == GROUP).sum())) for g in "yx"
    )
    to_best = found["y"].to_best
    assert to_best.low == pytest.approx(a - b - math.hypot(a - la, ub - b), abs=1e-9)
    assert to_best.high == pytest.approx(min(0, a - b + math.hypot(ua - a, b - lb)), abs=1e-9)


def test_clusters_across_groups_make_differences_surer():
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(60), 10)
    ease = rng.normal(0, 0.25, 60)[user]
    group = np.array(["x", "y"] * 300)
    true = rng.choice(list("ab"), 600)
    wrong = np.where(true == "a", "b", "a")
    guess = np.where(rng.random(600) < np.clip(0.75 + ease, 0, 1), true, wrong)
    shared = eh.groups(true, guess, by=group, cluster=user, metrics="accuracy")["accuracy"]
    own = np.char.add(user.astype(str), group)  # as if users of x and y were different people
    apart = eh.groups(true, guess, by=group, cluster=own, metrics="accuracy")["accuracy"]
    halves = [g.difference.high - g.difference.value for g in (shared, apart)]
    assert halves[0] < 0.85 * halves[1]
    drawn = []
    for _ in range(400):  # the bootstrap of users
        at = np.concatenate([np.flatnonzero(user == u) for u in rng.integers(0, 60, 60)])
        right = (true == guess)[at]
        drawn.append(right[group[at] == "x"].mean() - right[group[at] == "y"].mean())
    assert halves[0] == pytest.approx(1.96 * np.std(drawn), rel=0.15)


def test_lower_is_better_where_it_is():
    gap = eh.groups(TRUE, PRED, by=GROUP, metrics="mean_cost")["mean_cost"]
    assert (gap.worst, gap.best) == ("z", "x") and gap.difference.value > 0
    z = gap["z"]
    assert z.to_best.value > 0 and z.ratio_to_best.value > 1
    assert z.to_best.low >= 0 and z.ratio_to_best.low >= 1
    assert gap.worst_score.low <= gap.worst_score.value <= gap.worst_score.high


def test_classes_true_in_every_group():
    true, guess = list("aabbcc" * 10 + "aabb" * 10), list("aabbcb" * 10 + "abbb" * 10)
    by = ["x"] * 60 + ["y"] * 40
    found = eh.groups(true, guess, by=by, metrics="macro_recall")
    assert found.classes == ("a", "b")
    assert "that all of them have ('a', 'b'), without 'c'" in found.warnings[0]
    assert (
        found["macro_recall"]["x"].score.value == 1
        and found["macro_recall"]["y"].score.value == 0.75
    )


def test_groups_without_a_common_class():
    """Whole tables are compared all the same; averages over classes are left out, or refused."""
    data = list("aabb" * 20), list("abbb" * 20)
    by = list("xxyy" * 20)
    found = eh.groups(*data, by=by)
    assert list(found) == ["accuracy", "kappa", "mcc"] and found.classes == ()
    assert found["accuracy"]["x"].score.value == 0.5 and found["accuracy"]["y"].score.value == 1
    assert "averages over classes left out (macro_f1, f1_of_averages)" in found.warnings[0]
    assert "Averages run over" not in str(found)
    assert eh.groups(*data, by=by, metrics="accuracy").warnings == ()
    with pytest.raises(InputError, match="every group: macro_f1 cannot average over 'a', 'b'"):
        eh.groups(*data, by=by, metrics=["accuracy", "macro_f1"])


def test_a_group_in_which_a_metric_is_undefined_is_neither_best_nor_worst():
    true, guess = list("abab" * 20 + "aaaa" * 10), list("abab" * 10 + "abbb" * 10 + "aaaa" * 10)
    by = ["x"] * 40 + ["y"] * 40 + ["z"] * 40
    gap = eh.groups(true, guess, by=by, metrics="mcc", undefined=math.nan)["mcc"]
    assert (gap.best, gap.worst) == ("x", "y")
    assert gap.difference.value == pytest.approx(1 - 1 / 3**0.5)
    assert 0 < gap.difference.low < gap.difference.value < gap.difference.high
    assert gap["y"].to_best.value == pytest.approx(-gap.difference.value)
    assert gap["y"].to_best.low is not None and gap.worst_score.low is not None
    assert math.isnan(gap["z"].score.value) and math.isnan(gap["z"].to_best.value)


def test_of_groups_without_a_value_the_words_say_so():
    def found(*groups):
        true, guess = ("".join(part) for part in zip(*groups, strict=True))
        by = [key for key in range(len(groups)) for _ in groups[key][0]]
        return eh.groups(list(true), list(guess), by=by, metrics="mcc", undefined=math.nan)

    right, blind = ("abab" * 10, "abab" * 10), ("aaaa" * 10, "aaaa" * 10)
    assert "MCC: only 0 has a score, 1.0000." in str(found(right, blind))
    assert "MCC: all groups score undefined." in str(found(blind, blind))
    drawn = eh.plot.groups(found(blind, right))
    assert drawn.description == "MCC is worst in 1, 1.000, and best in 1, 1.000."
    assert [row["text"] for row in drawn.spec["data"]["values"]] == ["1.000", "undefined"]


def test_what_is_of_the_whole_table_has_no_note_on_classes():
    true, guess = list("aabbcc" * 10 + "aabb" * 10), list("aabbcb" * 10 + "abbb" * 10)
    by = ["x"] * 60 + ["y"] * 40
    found = eh.groups(true, guess, by=by, metrics="accuracy")
    assert found.warnings == () and found["accuracy"]["x"].score.value == 5 / 6


def test_every_format_and_the_json():
    found = eh.groups(TRUE, PRED, by=GROUP, metrics=["accuracy", "kappa"])
    told = json.loads(found.to_json())
    assert told["metrics"]["accuracy"]["worst"] == "z" and told["pairs"] == 3
    z = next(g for g in told["metrics"]["accuracy"]["groups"] if g["key"] == "z")
    assert set(z) == {"key", "n", "score", "to_best", "ratio_to_best"}
    assert told["metrics"]["kappa"]["ratio"] is None
    assert "Accuracy: worst in z" in str(found) and "to the best" in found.to_markdown()
    assert eh.plot.groups(found, metric="kappa").title == "Groups by Cohen's kappa"
    assert found == eh.groups(TRUE, PRED, by=GROUP, metrics=["accuracy", "kappa"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "groups need slices of the items: say which by by"),
        ({"by": ["x"] * N}, "at least two of them"),
        ({"by": {"a": TRUE == "a", "b": TRUE != "a"}}, "one per item, got 2"),
        ({"by": GROUP, "metrics": "f1_gap"}, "f1_gap cannot tell the better of two groups"),
    ],
)
def test_what_cannot_be_compared(options, words):
    with pytest.raises((InputError, MetricError), match=words):
        eh.groups(TRUE, PRED, **options)


def test_on_the_command_line(tmp_path):
    from click.testing import CliRunner

    from evenhand.cli import group

    path = tmp_path / "answers.csv"
    rows = [
        "gold,system,lang",
        *(f"{t},{p},{g}" for t, p, g in zip(TRUE, PRED, GROUP, strict=True)),
    ]
    path.write_text("\n".join(rows))
    asked = ["score", str(path), "--true", "gold", "--pred", "system", "--groups"]
    more = ["--by", "lang", "--metric", "accuracy", "--format", "json"]
    made = CliRunner().invoke(group, [*asked, *more])
    expected = eh.groups(TRUE, PRED, by=GROUP, metrics="accuracy").to_dict()
    assert json.loads(made.stdout)["metrics"] == expected["metrics"]
    assert "--groups needs --by" in CliRunner().invoke(group, asked).stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["5 apart, 40 to 400 items", "4 alike, clusters across"])
def test_the_intervals_hold_at_once(name):
    from studies.groups import study

    times = 150
    held = study(name, times, "accuracy")
    assert min(held) > 0.95 - 3 * math.sqrt(0.95 * 0.05 / times)
