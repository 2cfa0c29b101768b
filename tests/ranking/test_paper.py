"""Tables as papers have them: which is best, which is not told from it, and several data sets."""

import csv
import io
import itertools
import re

import numpy as np
import pytest
from scipy.stats import norm

import evenhand as eh
from evenhand.catalogue.signature import footnote
from evenhand.errors import InputError
from evenhand.ranking.leaderboard import MEAN
from evenhand.text import LOOKS, RankedCell

FEW = {"metrics": ["accuracy", "mcc", "f1_of_averages"], "replicates": 50}


def noisy(seed, n=300, k=3, skills=(0.9, 0.88, 0.6, 0.6)):
    """Truth and systems that are right more or less often."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    right = [rng.random(n) < skill for skill in skills]
    return y, {f"s{i}": np.where(r, y, (y + 1) % k) for i, r in enumerate(right)}


@pytest.fixture(scope="module")
def board():
    return eh.rank(*noisy(1), **FEW)


def placed(content):
    """The cells of each column by its heading, and the systems."""
    (sheet,) = content.sheets
    first, *columns = zip(*sheet.grid.rows, strict=True)
    return list(first), dict(zip(sheet.grid.columns[1:], columns, strict=True))


def told_apart(y, guess, metric):
    """Pairs of systems that a comparison of all of them tells apart after Holm's correction."""
    found = eh.compare(y, guess, metrics=metric, tests="delta")
    return {frozenset(p.systems): p.p_adjusted < 0.05 for p in found.pairs}


def test_the_best_is_bold_and_those_not_told_from_it_have_a_dagger(board):
    y, guess = noisy(1)
    systems, columns = placed(board.paper())
    assert list(columns) == ["macro_f1", *FEW["metrics"]]
    for metric, cells in columns.items():
        values = {s: getattr(eh, metric)(y, guess[s]) for s in systems}
        order = sorted(set(values.values()), reverse=True)
        apart = told_apart(y, guess, metric)
        best = max(values, key=values.get)
        for s, cell in zip(systems, cells, strict=True):
            assert cell.interval.value == pytest.approx(values[s], abs=1e-12)
            place = order.index(values[s]) + 1
            assert cell.rank == place
            assert cell.tied == (s != best and not apart[frozenset({s, best})])


def test_some_are_told_apart_and_some_are_not(board):
    _, columns = placed(board.paper())
    assert {cell.tied for cells in columns.values() for cell in cells} == {True, False}


def test_equal_systems_are_both_best():
    y, guess = noisy(2, skills=(0.8, 0.5))
    systems, columns = placed(eh.rank(y, {**guess, "twin": guess["s0"]}, **FEW).paper())
    assert [(s, c.rank, c.tied) for s, c in zip(systems, columns["macro_f1"], strict=True)] == [
        ("s0", 1, False), ("twin", 1, False), ("s1", 2, False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("beside", "text"),
    [
        ("pm", "*0.8000* ± 0.0750"),
        ("ends", "*0.8000* [0.7100, 0.8600]"),
        ("small", "*0.8000* [0.7100, 0.8600]"),
        ("none", "*0.8000*"),
    ],
)
def test_an_interval_stands_as_asked(beside, text):
    from evenhand.records import Interval
    from evenhand.results import latex
    from evenhand.text import written

    cell = RankedCell(Interval(0.8, 0.04, 0.71, 0.86), beside, 1)
    assert written(cell, 4, str, LOOKS) == text
    tex = written(cell, 2, latex.latex, latex.LOOKS)
    assert tex.startswith(r"\textbf{0.80}")
    assert (r"{\scriptsize {[}0.71, 0.86{]}}" in tex) == (beside == "small")


def test_marks_in_every_format(board):
    tex, md, page = (
        board.to_latex(layout="paper"),
        board.to_markdown(layout="paper"),
        board.to_html(layout="paper"),
    )
    assert tex.count(r"\textbf{") == md.count("**0.") == page.count("<b>0.") == 4
    assert tex.count(r"\underline{") == md.count("<u>") == page.count("<u>") == 4
    daggers = tex.count(r"$^\dagger$")
    assert daggers == md.count("†") == page.count("†") > 1
    assert r"Macro F1 (mean of F1) & Accuracy & MCC & Macro F1 (F1 of averages) \\" in tex
    assert tex.count(r"\begin{table}") == 1 and tex.isascii()


def test_the_footnote_is_printed_below_the_table_and_names_every_formula(board):
    said = board.content().footnote
    tex = board.to_latex(layout="paper")
    caption = re.search(r"\\caption\{(.*)\}", tex)[1]
    assert "Best in bold, second underlined" in caption and "v:" not in caption
    assert "difference/SE, 5 \\%, Holm over 6 pairs" in caption
    *_, last, end = tex.splitlines()
    assert last.startswith(
        r"\par\smallskip{\footnotesize\raggedright Macro F1 (mean of F1): Mean of"
    )
    assert f"t:{board.signature.table}$|$ v:{board.signature.version})." in last
    averages = "Macro F1 (F1 of averages): Harmonic mean of macro precision and macro recall."
    assert last.endswith(rf" {averages}\par}}") and end == r"\end{table}"

    assert said.split(";")[0] == "Macro F1 (mean of F1): Mean of the per-class F1"
    one = board["s0"]["macro_f1"]
    assert (
        "Wilson's method at an effective sample size" in said and one.method == "wilson, effective"
    )
    assert said != footnote(board.signature)  # which has what the ranks rest on too


def test_a_title_and_a_label(board):
    tex = board.to_latex(layout="paper", title="Task 7 & more", label="tab:main")
    assert r"\caption{Task 7 \& more. Best in bold" in tex and tex.count(r"\label{tab:main}") == 1
    assert tex.startswith("% \\usepackage{booktabs,graphicx}\n% Task 7 \\& more\n")
    every = board.to_latex(label="tab:main")
    assert r"\label{tab:main}" in every and r"\label{tab:main-2}" in every
    with pytest.raises(eh.InputError, match="label must be letters"):
        board.to_latex(label="tab}main")


def test_labels_that_look_like_metrics_stay_labels():
    y, guess = noisy(3, skills=(0.9, 0.5))
    tex = eh.rank(y, {"mcc": guess["s0"], "accuracy": guess["s1"]}, **FEW).to_latex(layout="paper")
    assert "\nmcc & " in tex and "\naccuracy & " in tex


def test_many_metrics_are_not_all_columns():
    board = eh.rank(*noisy(4, skills=(0.9, 0.5)), replicates=20, by_metric="macro_recall")
    _, columns = placed(board.paper())
    assert next(iter(columns)) == "macro_recall" and 4 < len(columns) < 9


def test_slices_are_columns_and_their_mean():
    y, guess = noisy(5)
    by = np.where(np.arange(len(y)) % 3, "de", "nl")
    board = eh.rank(y, guess, by=by, **FEW)
    systems, columns = placed(board.paper())
    assert list(columns) == ["de", "nl", MEAN]
    for key in ("de", "nl"):
        values = [eh.macro_f1(y[by == key], guess[s][by == key]) for s in systems]
        assert [c.interval.value for c in columns[key]] == pytest.approx(values)
    assert [c.interval.value for c in columns[MEAN]] == pytest.approx(
        [
            (a.interval.value + b.interval.value) / 2
            for a, b in zip(columns["de"], columns["nl"], strict=True)
        ]
    )
    _, metrics = placed(board.paper(columns="metrics"))
    assert list(metrics) == ["macro_f1", *FEW["metrics"]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"columns": "slices"}, "columns can be slices where there are some"),
        ({"columns": "rows"}, "columns must be 'auto', 'metrics' or 'slices', got 'rows'"),
        ({"intervals": "±"}, "intervals must be one of 'pm', .*, got '±'"),
        ({"layout": "poster"}, "layout must be one of 'full', 'paper', got 'poster'"),
    ],
)
def test_what_cannot_be_is_refused(board, given, message):
    with pytest.raises(InputError, match=message):
        board.to_latex(**{"layout": "paper", **given})


def apart_by_mean(y, guess, by):
    """Pairs of systems whose mean accuracies over slices differ, by hand: z tests and Holm."""
    p = {}
    for a, b in itertools.combinations(guess, 2):
        gap = [np.where(by == k, 1.0 * (guess[a] == y) - (guess[b] == y), np.nan) for k in set(by)]
        mean = np.mean([np.nanmean(g) for g in gap])
        error = np.sqrt(sum(np.nanvar(g) / np.isfinite(g).sum() for g in gap)) / len(gap)
        p[frozenset({a, b})] = 2 * norm.sf(abs(mean) / error)
    found, still = {}, True
    for i, pair in enumerate(sorted(p, key=p.get)):
        still = still and p[pair] * (len(p) - i) < 0.05
        found[pair] = still
    return found


def test_means_of_slices_not_told_from_the_best_have_a_dagger():
    y, guess = noisy(5, n=400)
    by = np.where(np.arange(len(y)) % 3, "de", "nl")
    board = eh.rank(y, guess, by=by, by_metric="accuracy", **FEW)
    systems, columns = placed(board.paper())
    best, apart = board.mean_of_slices[0].name, apart_by_mean(y, guess, by)
    tied = {s: c.tied for s, c in zip(systems, columns[MEAN], strict=True)}
    assert tied == {s: s != best and not apart[frozenset({s, best})] for s in systems}
    assert sum(tied.values()) == 1
    assert {m.name: m.group for m in board.mean_of_slices} == {
        "s0": "a", "s1": "a", "s2": "b", "s3": "b"
    }  # fmt: skip


def test_means_of_tables_alone_are_not_tested():
    y, guess = noisy(5)
    by = np.where(np.arange(len(y)) % 3, "de", "nl")
    parts = {
        s: eh.Confusion.stack(
            {k: eh.Confusion.from_labels(y[by == k], g[by == k]) for k in ("de", "nl")}
        )
        for s, g in guess.items()
    }
    board = eh.rank(parts)
    assert {m.group for m in board.mean_of_slices} == {None}
    assert not any(c.tied for c in placed(board.paper())[1][MEAN])


def test_data_sets_are_slices():
    one, other = noisy(6, n=90), noisy(7, n=60)
    sets = eh.Sample.from_sets(
        {"one": eh.Sample.from_labels(*one), "other": eh.Sample.from_labels(*other)}
    )
    y = np.concatenate([one[0], other[0]])
    guess = {s: np.concatenate([one[1][s], other[1][s]]) for s in one[1]}
    whole = eh.Sample.from_labels(y, guess, by=["one"] * 90 + ["other"] * 60)
    ours, theirs = eh.rank(sets, **FEW), eh.rank(whole, **FEW)
    assert ours.n == 150 and [p.key for p in ours.slices] == ["one", "other"]
    for part, like in zip((ours, *ours.slices), (theirs, *theirs.slices), strict=True):
        for s in part.systems:
            for m, x in s.standings.items():
                mine = like[s.name].standings[m]
                assert (x.value, x.se, x.low, x.rank) == pytest.approx(
                    (mine.value, mine.se, mine.low, mine.rank)
                )
                assert x.group == mine.group


def test_data_sets_with_other_labels_clusters_and_weights():
    one = eh.Sample.from_labels(
        "aabb", {"A": list("abbb"), "B": list("aaab")}, weights=[1, 2, 3, 4.0], cluster=[0, 0, 1, 1]
    )
    two = eh.Sample.from_labels(
        "xyz", {"B": list("xyx"), "A": list("zyx")}, weights=[1, 1, 2.0], cluster=[5, 6, 7]
    )
    both = eh.Sample.from_sets({1: one, 2: two})
    assert both.labels == (*"abxyz",) and len(np.unique(both.cluster)) == 5
    for system in "AB":
        whole = both.table(system).cells
        assert whole[:2, :2].tolist() == one.table(system).cells.tolist()
        assert whole[2:, 2:].tolist() == two.table(system).cells.tolist()
        assert whole[:2, 2:].sum() == whole[2:, :2].sum() == 0
    assert both.squares.sum() == pytest.approx(1 + 4 + 9 + 16 + 1 + 1 + 4)


def test_answers_that_are_no_class_stay_none():
    one = eh.Sample.from_labels("ab", {"A": ["a", None]})
    two = eh.Sample.from_labels("bc", {"A": [None, "c"]})
    both = eh.Sample.from_sets({"one": one, "two": two})
    table = both.table("A")
    assert table.outside.tolist() == [0, 2, 0] and int(table.missing) == 2


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (
            eh.Sample.from_labels("ab", {"A": list("ab")}),
            "must be in every data set; two and .*'B'",
        ),
        (
            eh.Sample.from_labels("ab", {"A": list("ab"), "B": list("ab")}, cluster=[1, 2]),
            "clusters must be known of every data set, or of none",
        ),
        (
            eh.Sample.from_labels([1, 2], {"A": [1, 2], "B": [1, 1]}),
            "must have labels of one type, got str and int",
        ),
        (
            eh.Sample.from_probabilities(["a"], {"A": [[0.5, 0.5]], "B": [[0, 1]]}, labels="ab"),
            "data sets must be samples of labels, by name, got 'SoftSample'",
        ),
    ],
)
def test_data_sets_that_do_not_fit(second, message):
    first = eh.Sample.from_labels("ab", {"A": list("ab"), "B": list("aa")})
    with pytest.raises(InputError, match=message):
        eh.Sample.from_sets({"one": first, "two": second})


def test_labels_of_other_types_are_not_one_in_data_sets():
    first, second = (eh.Sample.from_labels(y, {"A": y}) for y in ([0, 1], [False, True]))
    with pytest.raises(InputError, match="must have labels of one type, got int and bool"):
        eh.Sample.from_sets({"one": first, "two": second})
    with pytest.raises(InputError, match="data sets must map names to samples of labels"):
        eh.Sample.from_sets({})


def test_the_csv_has_one_row_a_system(board):
    rows = list(csv.DictReader(io.StringIO(board.to_csv())))
    assert [r["system"] for r in rows] == list(board)
    for row in rows:
        s = board[row["system"]]
        for m in board.metrics:
            assert float(row[m]) == s[m].value
        x = s["macro_f1"]
        assert [float(row[k]) for k in ("rank", "low", "high", "best_probability")] == [
            x.rank, x.low, x.high, x.best_probability,
        ]  # fmt: skip
    long = list(csv.DictReader(io.StringIO(board.to_csv(long=True))))
    assert [(r["system"], r["metric"]) for r in long] == [
        (s, m) for s in board for m in board.metrics
    ]
