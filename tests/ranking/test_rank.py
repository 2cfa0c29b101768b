"""``eh.rank``: leaderboards against published numbers, enumeration, other tests and laws."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.errors import InputError, MetricError
from evenhand.ranking import leaderboard
from evenhand.ranking.ranks import ranks
from evenhand.records import Interval
from evenhand.text import Name
from evenhand.warnings import (
    FewTrueItems,
    LeftOut,
    NoClass,
    OtherItems,
    TablesAlone,
    UndefinedFor,
    UnknownVariance,
)

RECALLS = {  # Opitz 2022, table 8: recalls of the three classes, in per cent
    "A": (82.9, 51.2, 70.2),
    "B": (87.8, 51.4, 65.2),
    "C": (81.7, 56.0, 65.2),
    "D": (80.3, 54.2, 67.6),
    "E": (69.8, 64.0, 66.8),
    "F": (73.5, 58.7, 65.6),
    "G": (77.4, 53.9, 63.5),
    "H": (65.3, 63.6, 64.5),
}
PRINTED = {
    "macro_recall": (68.1, 68.1, 67.6, 67.4, 66.9, 65.9, 64.9, 64.5),
    "geometric_macro_recall": (66.8, 66.5, 66.8, 66.5, 66.8, 65.6, 64.2, 64.5),
    "harmonic_macro_recall": (65.4, 65.0, 66.0, 65.6, 66.8, 65.4, 63.5, 64.5),
}


def table_of(recalls, others=(0, 1, 2)):
    """A table with these recalls (per cent), 1000, 3000 and 2000 items a class."""
    cells = np.zeros((3, 3), int)
    for i, (r, n) in enumerate(zip(recalls, (1000, 3000, 2000), strict=True)):
        cells[i, i] = round(r * n / 100)
        cells[i, (i + 1) % 3] += n - cells[i, i]
    return eh.Confusion.from_matrix(cells)


@pytest.fixture(scope="module")
def table_8():
    tables = {name: table_of(r) for name, r in RECALLS.items()}
    return eh.rank(tables, by_metric="macro_recall")


def test_table_8_from_its_recalls(table_8):
    """To the printed digit; two are 65.65 from recalls that are rounded themselves."""
    between = {("geometric_macro_recall", "F"), ("harmonic_macro_recall", "D")}
    for metric, printed in PRINTED.items():
        for name, value in zip(RECALLS, printed, strict=True):
            found = 100 * table_8[name].standings[metric].value
            if (metric, name) in between:
                assert found == pytest.approx(65.652, abs=0.005) and value == 65.6
            else:
                assert round(found, 1) == value


@pytest.mark.parametrize("metric", PRINTED)
def test_table_8_its_ranks_and_ties(table_8, metric):
    """As printed: A and B are equal first by macR; A, C and E by GmacR; E is first by HmacR."""
    found = [round(100 * table_8[name].standings[metric].value, 1) for name in RECALLS]
    assert ranks(np.array(found)).tolist() == ranks(np.array(PRINTED[metric])).tolist()
    first = {"macro_recall": "AB", "geometric_macro_recall": "ACE", "harmonic_macro_recall": "E"}
    best = [n for n, r in zip(RECALLS, ranks(np.array(PRINTED[metric])), strict=True) if r == 1]
    assert best == list(first[metric])


def test_table_8_ties_stay_ties():
    tables = {n: table_of((68.1,) * 3) for n in "AB"} | {"C": table_of((67.6,) * 3)}
    places = {s.name: s.standings["macro_recall"].rank for s in eh.rank(tables).systems}
    assert places == {"A": 1, "B": 1, "C": 3}


def test_calibrated_kappa_ranks_as_macro_recall_does(table_8):
    for s in table_8.systems:
        assert s.standings["kappa@uniform"].rank == s.standings["macro_recall"].rank
        assert s.standings["accuracy@uniform"].rank == s.standings["macro_recall"].rank
        assert s.standings["macro_recall@uniform"].rank == s.standings["macro_recall"].rank
    rho = table_8.correlation["spearman"]
    assert rho["kappa@uniform"]["macro_recall"] == 1
    assert rho["kappa"]["macro_recall"] < 1


def noisy(seed, n=300, k=4, systems=5, skew=True):
    rng = np.random.default_rng(seed)
    p = np.arange(1, k + 1) / np.arange(1, k + 1).sum() if skew else None
    y = rng.choice(k, n, p=p)
    guess = {
        f"s{i}": np.where(rng.random(n) < 0.5 + 0.08 * i, y, rng.integers(0, k, n))
        for i in range(systems)
    }
    return y, guess


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_calibrated_kappa_ranks_as_macro_recall_on_any_items(seed):
    """Ranks always; chances too where every replicate has items of every class to calibrate."""
    y, guess = noisy(seed, n=200, k=3)
    assume(np.bincount(y, minlength=3).min() >= 20)  # or one in 10^9 replicates would lack one
    metrics = ["macro_recall", "kappa@uniform"]
    board = eh.rank(y, guess, by_metric=metrics[0], metrics=metrics, replicates=20)
    for s in board.systems:
        a, b = (s.standings[m] for m in metrics)
        assert a.rank == b.rank  # intervals: the errors of both agree to some items in n
        assert a.best_probability == pytest.approx(b.best_probability)


def test_the_order_of_systems_and_items_changes_nothing():
    y, guess = noisy(1)
    guess["twin"] = guess["s4"].copy()
    board = eh.rank(y, guess, replicates=200).to_dict()
    turned = dict(reversed(guess.items()))
    assert eh.rank(y, turned, replicates=200).to_dict() == board
    order = np.random.default_rng(0).permutation(len(y))
    mixed = eh.rank(y[order], {n: g[order] for n, g in guess.items()}, replicates=200).to_dict()
    assert mixed == board


def test_equal_systems_share_everything():
    y, guess = noisy(2)
    guess["twin"] = guess["s4"].copy()
    board = eh.rank(y, guess, replicates=300)
    a, b = board["s4"].standings["macro_f1"], board["twin"].standings["macro_f1"]
    assert (a.rank, a.rank_low, a.best_probability, a.group) == (
        b.rank, b.rank_low, b.best_probability, b.group,
    )  # fmt: skip
    assert a.rank == 1 and board.systems[2].standings["macro_f1"].rank == 3
    total = sum(s.standings["macro_f1"].best_probability for s in board.systems)
    assert total == pytest.approx(1)
    assert board["s4"].next.difference == 0 and board["s4"].next.p_adjusted == 1


def test_the_chance_of_being_best_by_enumeration():
    """All 4^4 resamples of four items, equal bests shared."""
    y = np.array([0, 0, 1, 1])
    guess = {"A": [0, 0, 1, 0], "B": [0, 1, 1, 1], "C": [1, 0, 0, 1]}
    columns = {n: np.array(g) == y for n, g in guess.items()}
    share = dict.fromkeys(guess, 0.0)
    for draw in itertools.product(range(4), repeat=4):
        hits = {n: int(c[list(draw)].sum()) for n, c in columns.items()}
        top = [n for n in hits if hits[n] == max(hits.values())]
        for n in top:
            share[n] += 1 / len(top) / 4**4
    board = eh.rank(y, guess, by_metric="accuracy", metrics=["accuracy"], replicates=20_000)
    for s in board.systems:
        x = s.standings["accuracy"]
        assert x.best_low - 0.012 < share[s.name] < x.best_high + 0.012
        assert min(abs(x.best_low - share[s.name]), abs(x.best_high - share[s.name])) < 0.012
    assert board["A"].standings["accuracy"].rank == board["B"].standings["accuracy"].rank == 1
    assert board["C"].standings["accuracy"].rank == 3


def test_ties_by_the_paired_tests_of_compare():
    y, guess = noisy(5, n=800)
    board = eh.rank(y, guess, metrics=["macro_f1"], replicates=50)
    found = eh.compare(y, guess, metrics=["macro_f1"], tests="delta")
    for pair in found.pairs:
        a, b = (board[name].standings["macro_f1"].group for name in pair.systems)
        assert (pair.p_adjusted < 0.05) == (not set(a) & set(b))
    for above, below in itertools.pairwise(board.systems):
        pair = next(p for p in found.pairs if set(p.systems) == {above.name, below.name})
        sign = 1 if pair.systems[0] == above.name else -1
        assert above.next.system == below.name
        assert above.next.difference == pytest.approx(sign * pair.difference)
        assert above.next.p_adjusted == pytest.approx(pair.p_adjusted)
        assert above.next.high - above.next.low == pytest.approx(pair.high - pair.low)
    assert board.systems[-1].next is None


def test_rank_intervals_are_what_the_letters_leave_on_every_metric():
    y, guess = noisy(11, n=600, systems=6)
    board = eh.rank(y, guess, replicates=20)
    lengths = set()
    for m in board.metrics:
        for s in board.systems:
            x = s[m]
            told = [o[m].rank for o in board.systems if not set(o[m].group) & set(x.group)]
            assert x.rank_low == 1 + sum(r < x.rank for r in told)
            assert x.rank_high == 6 - sum(r > x.rank for r in told)
            lengths.add(x.rank_high - x.rank_low)
    assert len(lengths) > 2  # some told apart, some not


def test_a_difference_that_never_varies_is_significant():
    y = ["a", "b"] * 30
    board = eh.rank(y, {"right": y, "wrong": ["b", "a"] * 30}, replicates=20)
    for m in ("macro_f1", "accuracy", "mcc", "kappa@uniform"):
        right, wrong = board["right"][m], board["wrong"][m]
        assert (right.rank_high, wrong.rank_low) == (1, 2)
        assert (right.group, wrong.group) == ("a", "b")
    assert board["right"].next.p_adjusted == 0
    assert ", significantly better than wrong (5 %)." in board.verdict


def test_an_infinite_slope_has_no_test():
    """A guesser that hits every class, against a trained system that misses the rarest one."""
    rng = np.random.default_rng(12)
    y = np.repeat([0, 1, 2], [150, 145, 5])
    trained = np.where(rng.random(300) < 0.9, y, (y + 1) % 2)
    trained[y == 2] = 0
    guess = rng.integers(0, 3, 300)
    guess[-1] = 2
    mean = "geometric_macro_recall"
    board = eh.rank(y, {"trained": trained, "guess": guess}, metrics=[mean], replicates=20)
    a, b = board["trained"][mean], board["guess"][mean]
    assert a.value == 0 < b.value
    assert a.group == b.group and (b.rank_low, b.rank_high) == (1, 2)
    (flip,) = board.flips
    assert flip.metrics == ("macro_f1", mean) and flip.significant == (True, False)
    alone = eh.rank(y, {"trained": trained, "guess": guess}, by_metric=mean, replicates=20)
    assert alone["guess"].next.p is alone["guess"].next.p_adjusted is None


def test_metrics_that_agree_on_the_order_count_once():
    y, guess = noisy(9)
    board = eh.rank(y, guess, metrics=["accuracy", "micro_f1", "weighted_recall"], replicates=20)
    orders = {tuple(s[m].rank for s in board.systems): None for m in board.metrics}
    assert list(board.orders) == list(orders) and len(orders) == 1
    assert sum(map(len, board.orders.values())) == 4
    assert "under all 4 metrics, which all give the same order." in board.verdict
    assert "over 4 metrics, which all give the same order." in board.to_markdown()


def test_what_varies_is_said():
    y, guess = noisy(13, n=80)
    groups = np.repeat(np.arange(20), 4)
    for options, varies in (
        ({}, ("items",)),
        ({"cluster": groups}, ("clusters",)),
        ({"runs": {"A": ["s0", "s1"], "B": ["s2", "s3", "s4"]}}, ("items", "runs")),
    ):
        board = eh.rank(y, guess, metrics=[], replicates=20, **options)
        assert board.varies == varies and board.to_dict()["varies"] == list(varies)
        assert f"allow for other {' and '.join(varies)} of the same kind." in board.to_markdown()


def test_tables_have_as_many_items_as_they_have():
    tables = {"A": eh.Confusion.from_matrix([[30, 10], [20, 40]])}
    tables["B"] = eh.Confusion.from_matrix([[3, 1], [2, 4]])
    board = eh.rank(tables)
    assert (board["A"].n, board["B"].n, board.n) == (100, 10, 100)
    assert board["B"].signature.n == "10"
    assert "10 to 100 items (each table has its own)" in repr(board)
    assert [s["n"] for s in board.to_dict()["systems"]] == [s.n for s in board.systems]


def test_clusters_widen_what_they_should():
    y, guess = noisy(26, n=400)
    many = np.repeat(np.arange(100), 4)
    y4, guess4 = np.repeat(y[:100], 4), {n: np.repeat(g[:100], 4) for n, g in guess.items()}
    first = {n: g[:100] for n, g in guess.items()}
    alone = eh.rank(y[:100], first, by_metric="kappa", metrics=["kappa"], replicates=50)
    grouped = eh.rank(y4, guess4, cluster=many, by_metric="kappa", metrics=["kappa"], replicates=50)
    for s in alone.systems:
        a, b = s.standings["kappa"], grouped[s.name].standings["kappa"]
        assert a.se == pytest.approx(b.se, rel=0.02)
        assert a.group == b.group


def test_scores_are_those_of_score():
    y, guess = noisy(7)
    board = eh.rank(y, guess, metrics=["mcc", "macro_f1@uniform"], replicates=20)
    for name, g in guess.items():
        table = eh.Confusion.from_labels(y, g)
        scores = eh.score(table, metrics=["macro_f1", "mcc", "macro_f1@uniform"], classes="true")
        for metric, s in scores.metrics.items():
            x = board[name].standings[metric]
            assert (x.value, x.low, x.high) == pytest.approx((s.value, s.low, s.high))


def test_tables_alone_leave_out_what_needs_the_items_and_say_so():
    y, guess = noisy(8)
    tables = {n: eh.Confusion.from_labels(y, g) for n, g in guess.items()}
    board = eh.rank(tables)
    x = board.systems[0].standings["macro_f1"]
    assert x.low is not None
    assert x.rank_low is x.best_probability is x.group is None
    assert any("tables without items" in w for w in board.warnings)
    assert TablesAlone() in board.cautions and OtherItems() not in board.cautions
    assert board.replicates is None and board.to_dict()["replicates"] is None
    same = eh.rank(y, guess, replicates=20)
    assert [s.name for s in same.systems] == [s.name for s in board.systems]
    assert eh.rank(eh.Confusion.stack(tables)).to_dict() == board.to_dict()
    other = tables | {"s0": eh.Confusion.from_labels(y[1:], guess["s0"][1:])}
    assert any("different true labels" in w for w in eh.rank(other).warnings)
    assert OtherItems() in eh.rank(other).cautions


def test_twins_and_verdict():
    y, guess = noisy(9)
    board = eh.rank(y, guess, metrics=["f1_of_averages"], replicates=50)
    moved = [
        s.name
        for s in board.systems
        if s.standings["macro_f1"].rank != s.standings["f1_of_averages"].rank
    ]
    assert board.twins.changed == len(moved) and set(board.twins.systems) == set(moved)
    assert moved == []
    same = "The two macro F1s (mean of F1, F1 of averages) give the same order."
    assert board.sentences[1] == same
    assert board.verdict.startswith("s4 is first (macro F1 0.8084, P(best) ")
    assert "The same system is first under all 2 metrics" in board.verdict


def test_the_formula_that_decides_is_named():
    """Always the frequent class, against a system that knows the rare one."""
    y = ["a"] * 360 + ["b"] * 40
    guess = {"frequent": ["a"] * 400, "rare": ["a"] * 280 + ["b"] * 120}
    board = eh.rank(y, guess, metrics=["accuracy", "macro_recall"], replicates=50)
    assert board.winners == {
        "macro_f1": ["rare"], "accuracy": ["frequent"], "macro_recall": ["rare"],
    }  # fmt: skip
    decided = (
        "The metric decides who wins: 3 metrics give 2 different orders; rare is first in 1 of "
        "them, frequent in 1 (by accuracy)."
    )
    assert decided in board.sentences
    found = next(s for s in board.sentences if s == decided)
    assert [p for p in found.parts if isinstance(p, Name)] == ["rare", "frequent"]
    assert [(f.systems, f.metrics) for f in board.flips] == [
        (("rare", "frequent"), ("macro_f1", "accuracy"))
    ]
    assert board.flips[0].significant[1] is True
    assert board["rare"].best_rank == 1 and board["rare"].worst_rank == 2
    assert "No better than guessing" in board.verdict


@pytest.mark.parametrize("metric", ["accuracy", "mean_absolute_error"])
def test_what_its_interval_does_not_tell_from_guessing_is_said(metric):
    y = np.array([0, 1] * 40)
    systems = {
        "clear": np.where(np.arange(80) % 10 == 0, 1 - y, y),  # 90 %
        "doubtful": np.where(np.arange(80) % 20 < 8, 1 - y, y),  # 60 % of 80: from 0.49 on
        "worse": np.where(np.arange(80) % 10 < 6, 1 - y, y),
    }
    board = eh.rank(y, systems, by_metric=metric, metrics=[], replicates=50)
    guess = r"guessing [\w ]+ \(0\.5000\): "
    assert re.search(rf"No better than {guess}worse\.", board.verdict)
    assert re.search(rf"Not significantly better than {guess}doubtful\.", board.verdict)


def test_baselines_are_what_guessing_scores():
    y = np.array([0] * 600 + [1] * 300 + [2] * 100)
    _, guess = noisy(0, n=1000, k=3)
    board = eh.rank(y, guess, metrics=["accuracy", "macro_recall", "kappa"], replicates=20)
    found = board.baselines
    assert found["majority"]["accuracy"] == pytest.approx(0.6)
    assert found["majority"]["macro_f1"] == pytest.approx(2 * 0.6 / 1.6 / 3)
    assert found["uniform"]["accuracy"] == pytest.approx(1 / 3)
    assert found["prevalence"]["accuracy"] == pytest.approx(0.36 + 0.09 + 0.01)
    for kind in found:
        assert found[kind]["macro_recall"] == pytest.approx(1 / 3)
        assert found[kind]["kappa"] == pytest.approx(0, abs=1e-12)
    rng = np.random.default_rng(0)
    drawn = [
        eh.macro_f1(eh.Confusion.from_labels(y, rng.permutation(y)), classes="true")
        for _ in range(200)
    ]
    assert found["prevalence"]["macro_f1"] == pytest.approx(np.mean(drawn), abs=0.005)


def test_lower_can_be_better():
    def misses(c):
        return 1 - c.sum(c.correct) / c.total

    y, guess = noisy(3)
    board = eh.rank(y, guess, metrics=[misses], replicates=20)
    assert board.winners["misses"] == ["s0"]  # a user's function: higher is better
    for name in ("f1_gap", "hamming_loss"):
        with pytest.raises(MetricError):
            eh.rank(y, guess, by_metric=name)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            (["a", "b"], {"A": ["a", "b"]}),
            "rank takes .*got a Sample of 1 system \\('A'\\)",
        ),
        ((["a", "b"], {"A": ["a"], "B": ["a", "b"]}), "predictions of 'A'"),
        (({"A": 3},), "must be Confusion"),
        ((), "rank takes"),
        ((eh.Confusion.from_matrix([[1, 0], [0, 1]]),), "rank takes .*got one table"),
    ],
)
def test_errors(arguments, words):
    with pytest.raises(InputError, match=words):
        eh.rank(*arguments)


def test_progress_counts_the_replicates():
    y, guess = noisy(3)
    done = []
    eh.rank(y, guess, metrics=[], replicates=70, progress=done.append)
    assert sum(done) == 70


def test_soft_and_weighted_items():
    rng = np.random.default_rng(1)
    y = rng.choice(3, 200)
    sure = {n: rng.dirichlet(np.full(3, 0.5), 200) * 0.4 + 0.6 * np.eye(3)[y] * s + 0.2 * (1 - s)
            for n, s in (("A", 1.0), ("B", 0.5))}  # fmt: skip
    soft = eh.Sample.from_probabilities(y, sure, labels=range(3))
    by, others = "expected_macro_f1", ["expected_accuracy"]
    board = eh.rank(soft, by_metric=by, metrics=others, replicates=50)
    assert board.systems[0].name == "A"
    assert board.systems[0].standings[by].best_probability == pytest.approx(50.5 / 51)
    plain, guess = noisy(4, n=150)
    kappa = {"by_metric": "kappa", "metrics": ["kappa"], "replicates": 20}
    unweighted = eh.rank(plain, guess, **kappa)
    weighted = eh.rank(plain, guess, weights=np.full(150, 2.0), **kappa)
    for s in unweighted.systems:
        x = weighted[s.name].standings["kappa"]
        assert x.value == pytest.approx(s.standings["kappa"].value)
        assert x.se == pytest.approx(s.standings["kappa"].se, rel=0.02)


def test_frames_and_forms():
    y, guess = noisy(10)
    board = eh.rank(y, guess, replicates=30)
    for frame in (board.to_pandas(), board.to_polars()):
        assert len(frame) == 5
        assert {"rank", "system", "best_probability", *board.metrics} <= set(frame.columns)
    for frame in (board.to_pandas(long=True), board.to_polars(long=True)):
        assert len(frame) == 5 * len(board.metrics)
        assert {"system", "metric", "value", "rank", "best_probability"} <= set(frame.columns)
    tex = board.to_latex()  # the leaderboard, the orders of the metrics, guessing
    assert tex.count(r"\toprule") == tex.count(r"\caption") == 3 and tex.count("mean-of-f1") == 1
    assert "Systems by macro F1 on 300 items. Intervals and tests allow for other items" in tex
    assert f"`{board.signature}`" in board.to_markdown()
    assert "P\\(best\\)" in board.to_markdown()
    assert repr(board).startswith("<Leaderboard: 5 systems by macro F1, 300 items; s4 is first")
    assert repr(board).endswith(f"{board.sentences[0]}>")
    assert board.systems[0].name in repr(board) and "<table>" in board._repr_html_()
    with pytest.raises(AttributeError):
        board.metric = "mcc"
    hostile = eh.rank(y, {"<b>|&_": guess["s0"], "\x1b[31m": guess["s1"]}, replicates=20)
    assert "<b>|" not in hostile._repr_html_() and "&lt;b&gt;|&amp;_" in hostile._repr_html_()
    assert r"\&\_" in hostile.to_latex()
    assert "\x1b" not in hostile.verdict + repr(hostile) + hostile.to_markdown()


def test_undefined_scores_rank_last():
    y = ["a", "a", "b", "b"]
    guess = {"A": ["a", "a", "a", "a"], "B": ["a", "b", "b", "b"]}
    board = eh.rank(y, guess, by_metric="mcc", metrics=[], undefined="nan", replicates=100)
    assert board["A"].standings["mcc"].rank == 2
    assert any("undefined" in w for w in board.warnings)
    assert UndefinedFor(("mcc",)) in board.cautions
    assert board.to_dict()["systems"][1]["scores"]["mcc"]["value"] is None


def test_intervals_without_width_are_not_blamed_on_fractions():
    gold = ["a", "b", "c"]
    board = eh.rank(gold, {"right": gold, "turned": ["c", "a", "b"]}, replicates=10)
    assert not any("fractions" in w for w in board.warnings)
    cells = {"x": [[0.5, 0.5], [0, 1]], "y": [[1, 0], [0.25, 0.75]]}
    halves = eh.Confusion.stack({name: eh.Confusion.from_matrix(c) for name, c in cells.items()})
    unsure = eh.rank(halves, replicates=10)
    assert any("table of fractions" in w for w in unsure.warnings)
    assert UnknownVariance() in unsure.cautions
    assert unsure["x"]["accuracy"].note == "unknown variance"
    assert board["right"]["bookmaker_gain"].note == "no width"


def test_numbers_and_their_intervals_are_of_one_kind():
    y, guess = noisy(12)
    board = eh.rank(y, guess, metrics=["accuracy"], replicates=30)
    x, step = board.systems[0]["macro_f1"], board.systems[0].next
    assert isinstance(x, Interval) and isinstance(step, Interval)
    assert x.level == step.level == 0.95
    assert x.method == "wilson, effective" and step.method == "delta"
    assert float(step) == step.value == step.difference
    assert 1.959964 < (step.high - step.value) / step.se < 2  # Student's, of some 200 items
    assert set(step.to_dict()) == {"system", "difference", "low", "high", "p", "p_adjusted"}


def test_the_verdict_is_its_sentences():
    y, guess = noisy(9)
    board = eh.rank(y, guess, replicates=50)
    assert board.verdict == " ".join(board.sentences) == board.to_dict()["verdict"]
    assert all(s.endswith(".") for s in board.sentences)
    assert all(s[0].isupper() for s in board.sentences[1:])  # the first begins with a name
    first = board.content().blocks[0]
    assert (first.kind, first.text.split("\n")) == ("verdict", list(board.sentences))


def test_warnings_are_notes_with_their_facts():
    y = ["a", "b"] * 30 + ["c"] * 4
    good, silent = y[:-2] + ["a"] * 2, [None, "b"] * 30 + ["a"] * 4
    board = eh.rank(y, {"good": good, "silent": silent}, replicates=20)
    systems = {"good": good, "silent": silent}
    other = eh.rank(y, systems, by_metric="accuracy", replicates=20).content()
    assert not any("true items" in w for w in other.warnings)  # nobody asked for averages
    few = next(note for note in board.cautions if isinstance(note, FewTrueItems))
    assert (few.labels, few.few) == (("c",), 10) and "macro_f1" in few.metrics
    assert "accuracy" not in few.metrics
    assert NoClass(30.0, 30, False, (("silent", 30.0),)) in board.cautions
    found = board.noted(LeftOut("z", "too short"), LeftOut("z", "too short"))
    assert found.failed == {"z": "too short"} == found.to_dict()["failed"]
    assert found.warnings == ("left out z: too short", *board.warnings)
    codes = [note["code"] for note in found.to_dict()["warning_codes"]]
    assert codes[0] == "left_out" and len(codes) == len(found.warnings)


def test_the_pieces_of_a_leaderboard():
    y = ["a"] * 360 + ["b"] * 40
    guess = {"frequent": ["a"] * 400, "rare": ["a"] * 280 + ["b"] * 120}
    board = eh.rank(y, guess, metrics=["accuracy", "macro_recall"], replicates=50)
    sheet = leaderboard.leaderboard_sheet(board)
    assert [row[1] for row in sheet.grid.rows] == ["rare", "frequent"]
    orders = [row[:2] for row in leaderboard.orders_sheet(board).grid.rows]
    assert orders == [["macro_f1", "+1"], ["accuracy", ""]]
    kinds = [row[0] for row in leaderboard.guessing_sheet(board).grid.rows]
    assert kinds == [
        "the most frequent class", "all classes equally often", "by the class mix",
    ]  # fmt: skip
    one, pairs = (words.text for words in leaderboard.flips_words(board))
    assert one.startswith("1 of 1 pairs of systems swap ranks under another metric, 1 of them sig")
    assert pairs == "  rare > frequent by macro F1*, but frequent > rare by accuracy*"
    alike = eh.rank(y, guess, metrics=[], replicates=20)
    (none,) = leaderboard.flips_words(alike)
    assert none.text.startswith("None: every metric orders every pair")


def test_a_warning_names_the_systems_that_it_is_of():
    y = ["a", "b"] * 50
    systems = {"good": y, "lazy": ["a"] * 100, "keen": ["b"] * 99 + ["a"]}
    board = eh.rank(y, systems, metrics=["accuracy"], replicates=20)
    (few,) = (w for w in board.warnings if "correct ones" in w)
    expected = "keen, lazy have fewer than 10 predictions or 5 correct ones of 2 classes ('a', "
    assert few.startswith(expected)


def test_metrics_that_agree_make_the_same_order():
    y = ["a", "b"] * 50
    board = eh.rank(y, {"good": y, "lazy": ["a"] * 100}, replicates=20)
    many = len(board.metrics)
    assert f"first under all {many} metrics, which all give the same order." in board.verdict


def test_a_family_ranks_by_those_of_it_that_can():
    """Neither what has no direction nor what has no gradient; alpha of n items guessed by luck."""
    tables = {name: table_of(r) for name, r in RECALLS.items()}
    board = eh.rank(tables, by_metric="macro_recall", metrics="agreement")
    assert {"kappa", "krippendorff_alpha"} < set(board.metrics)
    assert not {"chance_accuracy", "aickin_alpha"} & set(board.metrics)
    n = 6000  # by luck at the rates of the truth, alpha is 1 - (1 - 1/2n) / 1
    assert board.baselines["prevalence"]["krippendorff_alpha"] == pytest.approx(1 / (2 * n))


def test_the_legend_of_a_column_goes_with_it(monkeypatch) -> None:
    true = list("aabbcc") * 20
    systems = {
        "anthropic/claude-3-5-sonnet": list("aabbca") * 20, "openai/gpt-4o": list("aabbbc") * 20
    }  # fmt: skip
    for columns, narrow in ((80, True), (200, False)):
        monkeypatch.setenv("COLUMNS", str(columns))
        shown = str(eh.rank(true, systems, replicates=99))
        assert ("not shown at" in shown) == narrow
        assert ("P(best): probability of being" in shown) != narrow
        assert ("share a letter" in shown) != narrow
