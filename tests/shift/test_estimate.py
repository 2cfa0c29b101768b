"""The class mix from predictions without truth."""

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.shift.estimators import adjusted, likelihood, saerens, smallest_singular_value

TABLE = eh.Confusion.from_matrix([[80, 20], [10, 90]], labels="ab")
FEW = {"metrics": ["macro_f1"], "replicates": 200}


def estimate(table, new, method=None, **options):
    return eh.shift.estimate_prevalence(table, predicted=new, method=method, **FEW | options)


@pytest.mark.parametrize("method", ["adjusted", "likelihood"])
@pytest.mark.parametrize(
    "new", [{"a": 0.31, "b": 0.69}, {"a": 31, "b": 69}, ["a"] * 31 + ["b"] * 69]
)
def test_the_example(method, new):
    found = estimate(TABLE, new, method)
    assert found.prevalence == pytest.approx({"a": 0.3, "b": 0.7}, abs=1e-9)
    assert found.classes[0].precision.value == pytest.approx(0.3 * 0.8 / 0.31)
    assert found["macro_f1"].value == pytest.approx(
        eh.macro_f1(TABLE.calibrate({"a": 0.3, "b": 0.7}))
    )
    assert found.classes[0].expected == pytest.approx(0.31)
    assert not [w for w in found.warnings if "explain" in w]


@st.composite
def problems(draw):
    k = draw(st.integers(2, 5))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    rates = 0.5 * rng.dirichlet(np.ones(k + 1), k) + 0.5 * np.eye(k, k + 1)
    return rates, rng.dirichlet(np.ones(k))


@given(problems())
@settings(max_examples=60, deadline=None)
def test_exact_shares_give_the_mix_back(problem):
    rates, mix = problem
    assert adjusted(rates, mix @ rates) == pytest.approx(mix, abs=1e-8)
    assert likelihood(rates, mix @ rates) == pytest.approx(mix, abs=1e-4)


@given(problems(), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_the_likelihood_stays_inside_and_cannot_be_bettered(problem, seed):
    rates, _ = problem
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(rates.shape[1], 0.3))
    found = likelihood(rates, shares)
    assert (found > 0).all() and found.sum() == pytest.approx(1)
    # Kuhn and Tucker: no class's pull is above 1, and it is 1 where the share is not 0.
    pull = rates @ (shares / (found @ rates))
    assert pull.max() < 1 + 1e-5
    assert np.sum(found * np.abs(pull - 1)) < 1e-4


@given(problems(), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_where_the_adjusted_count_is_inside_both_agree(problem, seed):
    rates, mix = problem
    square = rates[:, :-1] / rates[:, :-1].sum(axis=1, keepdims=True)
    shares = np.random.default_rng(seed).multinomial(200, mix @ square) / 200
    solved = adjusted(square, shares)
    assume(solved.min() > 0.01)
    assert likelihood(square, shares) == pytest.approx(solved, abs=1e-5)


def test_the_edge_of_the_simplex():
    found = estimate(TABLE, {"a": 30, "b": 970})
    assert found.by("adjusted")["a"] == pytest.approx(-0.1)
    assert 0 < found.by("likelihood")["a"] < 1e-6
    assert sum(found.prevalence.values()) == pytest.approx(1)
    said = " ".join(found.warnings)
    assert "gives shares that cannot be ('a' −0.1000" in said
    assert found.fit.p < 0.01 and "more than the class mix has changed" in said


def test_scores_at_an_adjusted_mix_that_cannot_be():
    table = eh.Confusion.from_matrix([[50, 50], [1, 99]], labels="ab")
    scores = estimate(table, {"a": 60, "b": 40}, "adjusted", metrics=None)
    assert scores.by("adjusted")["b"] < 0
    assert scores["accuracy"].value == pytest.approx(0.5)  # the recall of a, when all are a
    assert scores["macro_f1"].value == pytest.approx((2 / 3 + 0) / 2)
    for name, interval in scores.items():
        low, high = (-1, 1) if name in ("kappa", "mcc", "bookmaker_gain") else (0, 1)
        assert low <= interval.low <= interval.value <= interval.high <= high, name


def test_a_step_of_em_is_the_formula():
    """Saerens' published update, run plainly for long, ends where the leaps do."""
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(3), 200)
    prior = np.array([0.5, 0.3, 0.2])
    mix = prior.copy()
    for _ in range(20_000):
        post = p * mix / prior
        mix = (post / post.sum(axis=1, keepdims=True)).mean(axis=0)
    assert saerens(p, np.ones(200), prior) == pytest.approx(mix, abs=1e-6)
    twice = saerens(p, np.stack([np.ones(200), np.r_[np.full(100, 2.0), np.zeros(100)]]), prior)
    assert twice[0] == pytest.approx(mix, abs=1e-6)
    assert twice[1] == pytest.approx(saerens(p[:100], np.ones(100), prior), abs=1e-6)


def world(rng, n, mix):
    """Two classes a unit apart: labels, and probabilities made for equal shares."""
    truth = (rng.random(n) >= mix).astype(int)
    x = rng.normal(np.where(truth == 0, 1.0, -1.0))
    p = 1 / (1 + np.exp(-2 * x))
    return truth, np.column_stack([p, 1 - p])


def test_probabilities():
    rng = np.random.default_rng(5)
    truth, p = world(rng, 2000, 0.5)
    _, new = world(rng, 3000, 0.1)
    table = eh.Confusion.from_labels(truth, p.argmax(axis=1))
    found = estimate(table, new, "saerens", trained_on="uniform")
    assert found.method == "saerens" and set(found.classes[0].shares) == {
        "adjusted", "likelihood", "saerens",
    }  # fmt: skip
    share = found.classes[0].shares
    assert share["saerens"].low < 0.1 < share["saerens"].high
    assert share["likelihood"].low < 0.1 < share["likelihood"].high
    # the probabilities say more than the labels made from them
    assert share["saerens"].se < share["likelihood"].se
    assert found.fits["saerens"].p > 0.01
    frame = pl.DataFrame({"1": new[:, 1], "0": new[:, 0]})
    assert estimate(table, frame, "saerens", trained_on="uniform").prevalence == pytest.approx(
        found.prevalence
    )


def test_probabilities_that_do_not_fit_are_found_out():
    rng = np.random.default_rng(6)
    truth, p = world(rng, 3000, 0.5)
    _, new = world(rng, 3000, 0.3)
    new = new**6 / (new**6).sum(axis=1, keepdims=True)  # overconfident
    found = estimate(eh.Confusion.from_labels(truth, p.argmax(axis=1)), new)
    assert found.fits["saerens"].p < 0.01
    assert any("not calibrated" in w for w in found.warnings)


def test_a_stated_mix_is_tested():
    good = estimate(TABLE, {"a": 310, "b": 690}, to="a=0.3,b=0.7")
    assert good.method == "stated" and good.fit.p > 0.3
    bad = estimate(TABLE, {"a": 310, "b": 690}, to={"a": 0.9, "b": 0.1})
    assert bad.fit.p < 0.01
    assert "stated mix does not explain" in " ".join(bad.warnings)
    assert bad.classes[0].precision_measured.value == pytest.approx(0.9 * 0.8 / 0.31)
    assert bad.prevalence == {"a": 0.9, "b": 0.1}


def test_a_judge_is_said_to_answer_better_where_it_answers_the_same():
    live = ["a"] * 31 + ["b"] * 69
    found = estimate(TABLE, live)
    assert "score with that judge is better" in found.to_dict()["note"]
    assert found.note in " ".join(found.to_markdown().split())
    for other in (
        estimate(TABLE, {"a": 0.31, "b": 0.69}),
        estimate(TABLE, live, to={"a": 0.3, "b": 0.7}),
    ):
        assert other.to_dict()["note"] is None and "judge" not in other.to_markdown()


def test_singular_and_ill_conditioned_rates():
    alike = eh.Confusion.from_matrix([[50, 50, 0], [50, 50, 0], [3, 10, 90]], labels="abc")
    found = estimate(alike, {"a": 40, "b": 40, "c": 20})
    assert found.amplification is None and "adjusted" not in found.classes[0].shares
    assert any("singular: 'a', 'b' are predicted too much alike" in w for w in found.warnings)
    assert found.by("likelihood")["a"] == pytest.approx(found.by("likelihood")["b"])
    with pytest.raises(eh.InputError, match="rates are singular"):
        estimate(alike, {"a": 40, "b": 40, "c": 20}, "adjusted")
    near = eh.Confusion.from_matrix([[51, 49], [49, 51]], labels="ab")
    found = estimate(near, {"a": 50, "b": 50})
    assert found.amplification == pytest.approx(1 / 0.02)
    assert any("ill-conditioned" in w and "50.0 points" in w for w in found.warnings)
    assert smallest_singular_value(np.eye(3)) == pytest.approx(1)


def test_classes_never_seen():
    table = eh.Confusion.from_matrix([[40, 8, 2], [6, 30, 0], [0, 0, 0]], labels="abc")
    found = estimate(table, ["a"] * 30 + ["b"] * 40 + ["z", None])
    said = " ".join(found.warnings)
    assert "class 'c' is never true in the labelled data" in said and found.prevalence["c"] == 0
    assert "unknown to the table: 'z'" in said
    assert "never predicted on the labelled data (no class)" in said
    assert found.outside[0] == pytest.approx(2 / 72)
    few = estimate(eh.Confusion.from_matrix([[4, 1], [6, 30]], labels="ab"), {"a": 5, "b": 5})
    assert any("fewer than 10 labelled items of 'a'" in w for w in few.warnings)


def test_a_recall_of_1_is_not_certain_here_either():
    """Of n items all right, errors are none or drawn like Beta(1, n + 1), every other time."""
    table = eh.Confusion.from_matrix([[50, 0], [0, 50]], labels="ab")
    found = estimate(table, {"a": 0.5, "b": 0.5}, replicates=2000)
    share, score = found.classes[0].shares["adjusted"], found["macro_f1"]
    # recalls are 1 − error, and q = π(1 − e_a) + (1 − π)·e_b
    rng = np.random.default_rng(0)
    a, b = rng.beta(1, 51, (2, 100_000)) * (np.arange(100_000) % 2)
    drawn = (0.5 - b) / (1 - a - b)
    assert share.se == pytest.approx(drawn.std(), rel=0.1)
    assert [share.low, share.high] == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.005)
    assert score.value == score.high == 1 and 0.9 < score.low < 0.97


@pytest.mark.parametrize("seed", range(12))
def test_an_estimate_lies_inside_its_interval(seed):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 9, (3, 3)) * rng.integers(0, 2, (3, 3)) + 3 * np.eye(3, dtype=int)
    new = dict(enumerate(rng.integers(1, 60, 3).tolist()))
    found = estimate(cells, new, metrics=["macro_f1", "mcc"], replicates=60, seed=seed)
    each = [v for c in found.classes for v in (*c.shares.values(), c.precision)]
    for v in (*each, *found.metrics.values()):
        assert v.low is None or v.low <= v.value <= v.high


def test_an_adjusted_count_has_no_test_of_fit():
    found = estimate(TABLE, {"a": 31, "b": 69}, "adjusted")
    assert found.fit.p is None and found.fit.test is None
    assert "adjusted" not in found.to_dict()["fit"]


def test_the_outside_column_takes_part():
    table = eh.Confusion.from_matrix([[80, 10], [5, 90]], labels="ab", outside=[10, 5])
    mix = np.array([0.3, 0.7])
    cells = np.column_stack([table.cells, table.outside]) / 100
    shares = np.random.default_rng(2).multinomial(1000, mix @ cells / (mix @ cells).sum())
    found = estimate(table, ["a"] * shares[0] + ["b"] * shares[1] + [None] * shares[2])
    assert found.prevalence["a"] == pytest.approx(0.3, abs=0.05)
    assert found.fit.p > 0.05  # a column more than classes: there is something to test
    odd = estimate(table, ["a"] * 300 + ["b"] * 400 + [None] * 300)
    assert odd.fit.p < 0.01


def test_intervals_cover_both_samples():
    small = estimate(TABLE, {"a": 31, "b": 69}, replicates=1000)
    many = estimate(TABLE, {"a": 31_000, "b": 69_000}, replicates=1000)
    shares = estimate(TABLE, {"a": 0.31, "b": 0.69}, replicates=1000)
    a, b, c = (x.classes[0].shares["adjusted"].se for x in (small, many, shares))
    # Var π = (q(1−q)/m + π²R(1−R)/n + (1−π)²R'(1−R')/n) / 0.7²
    labelled = (0.3**2 * 0.8 * 0.2 + 0.7**2 * 0.1 * 0.9) / 100
    for se, m in ((a, 100), (b, 100_000)):
        assert se == pytest.approx(((0.31 * 0.69 / m + labelled) / 0.49) ** 0.5, rel=0.1)
    assert c == pytest.approx(b, rel=0.1)
    assert any("labelled sample alone" in w for w in shares.warnings)
    assert estimate(TABLE, {"a": 31, "b": 69}) == estimate(TABLE, {"a": 31, "b": 69})


def test_weighted_tables_and_samples():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    guess = np.where(rng.random(400) < 0.2, 1 - truth, truth)
    weights = rng.choice([0.5, 2.0], 400)
    table = eh.Confusion.from_labels(truth, guess, weights=weights)
    bare = estimate(table, {0: 100, 1: 100})
    assert bare.classes[0].shares["likelihood"].low is None and bare.replicates == 0
    assert any("forgotten its items" in w for w in bare.warnings)
    sample = eh.Sample.from_labels(truth, {"A": guess}, weights=weights)
    full = estimate(sample, {0: 100, 1: 100})
    assert full.prevalence == pytest.approx(bare.prevalence)
    assert full.classes[0].shares["likelihood"].low is not None
    grouped = eh.Sample.from_labels(truth, {"A": guess}, cluster=np.arange(400) // 8)
    assert estimate(grouped, {0: 100, 1: 100}).classes[0].shares["adjusted"].se > 0


def test_forms():
    found = estimate(TABLE, {"a": 31, "b": 69})
    d = found.to_dict()
    assert d["method"] == "likelihood" and d["classes"][0]["share"]["adjusted"]["value"] < 0.31
    assert set(d["fit"]) == {"likelihood"} and d["fit"]["likelihood"]["p"] is None
    assert len(found.to_pandas()) == len(found.to_polars()) == 2 * 6 + 1
    assert "adjusted count" in str(found) and "toprule" in found.to_latex()
    assert repr(found).startswith("<PrevalenceEstimate: 200 labelled items, 100 unlabelled")
    assert "by measured share" in found.to_markdown() and "<table" in found._repr_html_()
    there = eh.shift.extrapolate(TABLE, to=found.prevalence, metrics="macro_f1")
    assert there["macro_f1"].value == pytest.approx(found["macro_f1"].value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: estimate(TABLE, []), "must not be empty"),
        (lambda: estimate(TABLE, {"a": 0, "b": 0}), "finite sum > 0"),
        (lambda: estimate(TABLE, {"a": -1, "b": 2}), "numbers ≥ 0"),
        (lambda: estimate(TABLE, {"a": 0.5, "b": 0.7}), "shares that sum to 1"),
        (lambda: estimate(TABLE, {"z": 1}), "must be among"),
        (lambda: estimate(TABLE, ["x", "y"]), "expected 'a', 'b', got 'x', 'y'"),
        (lambda: estimate(TABLE, ["a"], "saerens"), "needs class probabilities"),
        (
            lambda: estimate(TABLE, ["a"], "guess"),
            "method must be 'adjusted', 'likelihood' or 'saerens', got 'guess'",
        ),
        (lambda: estimate(TABLE, [[0.5, 0.9]]), "sum to 1"),
        (lambda: estimate(TABLE, [[0.5, 0.3, 0.2]]), "must have shape"),
    ],
)
def test_refused(call, words):
    with pytest.raises(eh.InputError, match=words):
        call()


def test_integer_labels_may_be_text():
    found = estimate([[80, 20], [10, 90]], ["0"] * 31 + ["1"] * 69)
    assert found.prevalence == pytest.approx({0: 0.3, 1: 0.7})
