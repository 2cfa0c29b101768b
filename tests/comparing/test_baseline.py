"""Compare with a baseline: new minus old, and which is better in words."""

import numpy as np
import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import group


def systems(n=400, seed=0):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, n)
    return true, {
        name: np.where(rng.random(n) < p, true, (true + 1) % 3)
        for name, p in (("old", 0.7), ("new", 0.9), ("other", 0.71))
    }


HOW = {"metrics": ["macro_f1", "accuracy"], "replicates": 200}


def test_it_is_the_comparison_turned_round():
    true, three = systems()
    two = {name: three[name] for name in ("old", "new")}
    plain = eh.compare(true, two, margin=0.05, **HOW)
    held = eh.compare(true, two, margin=0.05, baseline="old", **HOW)
    assert list(held) == [("new", "old", "macro_f1"), ("new", "old", "accuracy")]
    for metric in HOW["metrics"]:
        one, other = plain["old", "new", metric], held["new", "old", metric]
        assert other.difference == -one.difference and other.values == one.values[::-1]
        assert (other.low, other.high) == (-one.high, -one.low)
        assert (other.p, other.p_adjusted, other.se) == (one.p, one.p_adjusted, one.se)
        assert (other.margin.low, other.margin.not_worse) == (-one.margin.high, ("new",))
    assert plain.baseline is None and held.to_dict()["baseline"] == "old"


def test_only_pairs_with_the_baseline_are_corrected():
    true, three = systems()
    held = eh.compare(true, three, baseline="other", metrics="accuracy", tests="delta")
    assert list(held) == [("old", "other", "accuracy"), ("new", "other", "accuracy")]
    raw = sorted(p.p["delta"] for p in held.pairs)
    assert [p.p_adjusted for p in sorted(held.pairs, key=lambda p: p.p["delta"])] == [
        pytest.approx(2 * raw[0]), pytest.approx(max(raw[1], 2 * raw[0]))
    ]  # fmt: skip
    assert held.families == 2


def test_the_direction_in_words():
    true, three = systems()
    rule, first, second, *_ = eh.compare(true, three, baseline="old", metrics="accuracy").verdict
    gain = 100 * (np.mean(three["new"] == true) - np.mean(three["old"] == true))
    tested = "Accuracy is the primary metric, tested at the 5 % level"
    assert rule == f"{tested}, with Holm's correction for 2 pairs."
    assert first.startswith(
        f"new is significantly better than old (accuracy {gain:+.1f} points, p "
    ) and first.endswith(", Holm over 2 pairs).")
    assert second.startswith("No significant difference between other and old (accuracy ")
    turned = eh.compare(true, three, baseline="new", metrics="accuracy").verdict
    assert turned[1].startswith("old is significantly worse than new (accuracy −")


def test_by_the_name_of_its_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    true, three = systems(60)
    for name, x in {"gold": true, **three}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(np.array(list("xyz"))[x]) + "\n")
    words = ["compare", "gold.txt", "old.txt", "new.txt", "--metric", "accuracy"]
    for name in ("old", "old.txt", "./old.txt"):
        found = CliRunner().invoke(group, [*words, "--baseline", name])
        assert (
            found.exit_code == 0 and "new minus old on accuracy, the primary metric" in found.stdout
        )
        assert "(others minus old)" in found.stdout
    wrong = CliRunner().invoke(group, [*words, "--baseline", "x"])
    assert wrong.exit_code == 2 and "baseline must be one of 'old', 'new', got 'x'" in wrong.stderr


def test_the_interval_is_said_where_no_difference_is_significant():
    true, three = systems()
    two = {name: three[name] for name in ("old", "other")}
    result = eh.compare(true, two, baseline="old", replicates=200)
    low, high = (f"{100 * x:+.1f}".replace("-", "−") for x in
                 (result["macro_f1"].low, result["macro_f1"].high))  # fmt: skip
    words = f"no significant difference between other and old (macro F1 {low} to {high} points, p"
    assert words in result.verdict[0]
    assert "on any of the 15 other metrics" in result.verdict[2]


def test_equal_numbers_have_one_row_and_each_family_a_table():
    true, three = systems()
    found = eh.compare(true, {n: three[n] for n in ("old", "new")}, replicates=200)
    first, others = found.content().sheets
    names = [row[0] for row in others.grid.rows]
    assert [row[0] for row in first.grid.rows] == ["macro_f1"]
    assert sum("micro_f1" in n.split(" = ") for n in names) == 1
    assert any({"accuracy", "micro_precision"} <= set(n.split(" = ")) for n in names)
    spelled = [m for n in (*names, "macro_f1") for m in n.split(" = ")]
    assert sorted(spelled) == sorted({p.metric for p in found.pairs})
    asked = eh.compare(true, three, metrics=["mcc", "accuracy"], replicates=200)
    first, others = asked.content().sheets
    assert first.name.endswith(" on MCC, the primary metric") and "metric" not in first.grid.columns
    assert [row[1] for row in others.grid.rows] == ["accuracy"] * 3
