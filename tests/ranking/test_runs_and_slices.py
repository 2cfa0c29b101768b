"""Several runs of a system, and several test sets."""

import numpy as np
import pytest

import evenhand as eh
from evenhand.errors import InputError


@pytest.fixture(scope="module")
def items():
    rng = np.random.default_rng(11)
    n = 600
    y = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    skill = {"good-1": 0.8, "good-2": 0.7, "good-3": 0.75, "bad-1": 0.5, "bad-2": 0.55, "one": 0.6}
    guess = {s: np.where(rng.random(n) < p, y, rng.integers(0, 3, n)) for s, p in skill.items()}
    return y, guess, np.array([f"set{i % 6}" for i in range(n)])


def test_a_system_is_the_mean_of_its_runs(items):
    y, guess, _ = items
    board = eh.rank(y, guess, runs="{system}-{run}", replicates=300)
    assert [s.name for s in board.systems] == ["good", "one", "bad"]
    good = board["good"]
    values = [eh.macro_f1(eh.Confusion.from_labels(y, guess[f"good-{i}"])) for i in (1, 2, 3)]
    assert good.standings["macro_f1"].value == pytest.approx(np.mean(values))
    assert good.runs.names == ("good-1", "good-2", "good-3")
    assert good.runs.values == pytest.approx(values)
    assert good.runs.spread == pytest.approx(np.std(values, ddof=1))
    assert good.runs.se_runs == pytest.approx(good.runs.spread / 3**0.5)
    assert good.standings["macro_f1"].se ** 2 < good.runs.se_runs**2 + good.runs.se_items**2
    assert board["one"].runs.spread is None
    assert any("a single run" in w for w in board.warnings)
    mapped = {"good": ["good-1", "good-2", "good-3"], "bad": ["bad-1", "bad-2"], "one": ["one"]}
    again = eh.rank(y, guess, runs=mapped, replicates=300)
    assert again.to_dict() == board.to_dict()


def test_what_items_do_in_one_run_is_counted_once():
    """Of independent runs the mean has the variance of the items' own means, and no more."""
    rng, n = np.random.default_rng(4), 400
    ease = rng.beta(0.6, 0.6, n)
    hits = {f"a-{i}": rng.random(n) < ease for i in range(5)} | {"b-0": rng.random(n) < 0.5}
    guess = {name: ["y" if x else "n" for x in own] for name, own in hits.items()}
    true, options = ["y"] * (n - 1) + ["n"], {"by_metric": "accuracy", "metrics": ["accuracy"]}
    board = eh.rank(true, guess, runs="{system}-{run}", replicates=100, **options)
    right = np.array([np.array(guess[f"a-{i}"]) == true for i in range(5)], float)
    means, spread = right.mean(axis=0), right.mean(axis=1).std(ddof=1)
    within = ((right - right.mean(axis=1, keepdims=True)).var(axis=0, ddof=1) / 5).sum() / n**2
    expected = means.var() / n + max(0, spread**2 / 5 - within)
    assert board["a"]["accuracy"].se == pytest.approx(expected**0.5, rel=1e-6)


def test_runs_that_do_not_differ_add_nothing(items):
    y, guess, _ = items
    same = {"a-1": guess["good-1"], "a-2": guess["good-1"], "b": guess["bad-1"]}
    board = eh.rank(y, same, runs="{system}-{run}", metrics=[], replicates=100)
    plain = eh.rank(y, {"a": guess["good-1"], "b": guess["bad-1"]}, metrics=[], replicates=100)
    x, z = board["a"].standings["macro_f1"], plain["a"].standings["macro_f1"]
    assert board["a"].runs.spread == 0
    assert (x.value, x.low, x.high) == pytest.approx((z.value, z.low, z.high))
    assert x.best_probability == z.best_probability


def test_the_spread_of_runs_is_in_interval_and_rank():
    """Two systems with the same items but runs that jump: less sure, in all ways."""
    rng = np.random.default_rng(0)
    y = rng.choice(2, 4000)

    def system(p):
        return np.where(rng.random(4000) < p, y, 1 - y)

    steady = {f"a-{i}": system(0.8) for i in range(3)} | {f"b-{i}": system(0.77) for i in range(3)}
    wild = {"a-0": system(0.9), "a-1": system(0.7), "a-2": system(0.8)}
    wild |= {"b-0": system(0.67), "b-1": system(0.87), "b-2": system(0.77)}
    options = {"runs": "{system}-{run}", "metrics": [], "replicates": 500}
    calm, shaken = eh.rank(y, steady, **options), eh.rank(y, wild, **options)
    width = [b["a"].standings["macro_f1"].high - b["a"].standings["macro_f1"].low
             for b in (calm, shaken)]  # fmt: skip
    assert width[1] > 5 * width[0]
    assert calm["a"].standings["macro_f1"].best_high > 0.99
    assert 0.3 < shaken["a"].standings["macro_f1"].best_high < 0.95
    assert calm["a"].standings["macro_f1"].group == "a"
    assert shaken["b"].standings["macro_f1"].group == "a"


def test_slices_pooled_and_mean(items):
    y, guess, where = items
    board = eh.rank(y, guess, by=where, replicates=50)
    assert [p.key for p in board.slices] == [f"set{i}" for i in range(6)]
    pooled = eh.rank(y, guess, replicates=50)
    assert [s.name for s in board.systems] == [s.name for s in pooled.systems]
    for m in board.mean_of_slices:
        parts = [
            eh.macro_f1(eh.Confusion.from_labels(y[where == k], guess[m.name][where == k]))
            for k in sorted(set(where))
        ]
        assert m.value == pytest.approx(np.mean(parts))
        assert m.low < m.value < m.high
    out = board.to_dict()
    assert out["slices"][0]["key"] == "set0" and "systems" in out["slices"][0]
    assert {"name", "value", "low", "high", "rank", "group"} == set(out["mean_of_slices"][0])
    assert all(p["warnings"] == [] for p in out["slices"])  # they are said once, of the whole
    assert "slice" in board.to_pandas(long=True).columns
    wide = board.to_pandas()
    means = {m.name: m.value for m in board.mean_of_slices}
    assert dict(zip(wide["system"], wide["mean_of_slices"], strict=True)) == means
    with pytest.raises(InputError, match="one per item"):
        eh.rank(y, guess, by=["x"])


def test_a_mean_of_slices_ends_where_the_metric_does():
    true = np.array(list("ab") * 30)
    near, far = true.copy(), true.copy()
    near[[0, 31]], far[:9] = ["b", "a"], "a"
    board = eh.rank(true, {"near": near, "far": far}, by=list("xy" * 30), replicates=9)
    for mean in board.mean_of_slices:
        assert mean.value < 1 < mean.value + 1.96 * mean.se
        assert mean.low == pytest.approx(mean.value - 1.959964 * mean.se) and mean.high == 1


def test_slices_of_tables_alone(items):
    y, guess, where = items
    keys = sorted(set(where))
    parts = {
        name: eh.Confusion.stack(
            {k: eh.Confusion.from_labels(y[where == k], g[where == k]) for k in keys}
        )
        for name, g in guess.items()
    }
    board = eh.rank(parts)
    joint = eh.rank(y, guess, by=where, replicates=20)
    assert [m.value for m in board.mean_of_slices] == pytest.approx(
        [m.value for m in joint.mean_of_slices]
    )
    flat = {(n, k): parts[n][k] for n in parts for k in keys}
    assert eh.rank(eh.Confusion.stack(flat)).to_dict() == board.to_dict()


def test_runs_of_tables_alone(items):
    y, guess, _ = items
    tables = {n: eh.Confusion.from_labels(y, g) for n, g in guess.items()}
    board = eh.rank(tables, runs="{system}-{run}")
    x = board["good"].standings["macro_f1"]
    assert x.low < x.value < x.high and board["good"].runs.spread > 0


def test_what_holds_in_slices_is_said_once():
    y = (["a"] * 15 + ["b"] * 15) * 2 + ["a"] * 30 + ["b"] * 4
    where = ["one"] * 30 + ["two"] * 30 + ["three"] * 34
    turned = [("b" if label == "a" else "a") if i % 4 == 0 else label for i, label in enumerate(y)]
    less = [("b" if label == "a" else "a") if i % 7 == 0 else label for i, label in enumerate(y)]
    board = eh.rank(y, {"A": turned, "B": less}, by=where, metrics=[], replicates=20)
    kinds = [note.code for note in board.cautions]
    assert kinds == ["in_slices"]
    assert board.cautions[0].of == "few_true_items"
    assert [key for key, _ in board.cautions[0].slices] == ["three"]
    assert [note.code for part in board.slices for note in part.cautions] == ["few_true_items"]
    only = {"A": [label if w == "one" else "a" for label, w in zip(y, where, strict=True)],
            "B": ["b"] * len(y)}  # fmt: skip
    parts = ["x" if label == "a" else "y" for label in y]
    strays = eh.rank(y, only, by=parts, metrics=[], replicates=20)
    (said,) = [w for w in strays.warnings if "never occur" in w]
    assert said.startswith("in 2 slices (x, y), such as x: B: ")
