"""What people see of one system: the headline, eight metrics, the classes, the footnote."""

import csv
import io
import json
import re

import pytest

import evenhand as eh
from evenhand.catalogue.lists import table_metrics
from evenhand.catalogue.signature import Signature, footnote
from evenhand.catalogue.spelling import Spec
from evenhand.results.document import Table, flat
from evenhand.results.result import alone
from evenhand.text import MetricName, TextCell
from tests.results.samples import FRIENDLY, every_result

APART = "8 2; 40 50"
"""Its macro F1s differ by more than a point."""
ALIKE = "6 1 1; 1 5 2; 2 3 7"
SHORT = 500


def rows_of(text):
    """The metrics of a table, with the other names of each, and their cells."""
    others = dict(re.findall(r"([¹²³⁴⁵⁶⁷⁸⁹]) also ([\w, ]+)", text))
    row = r"^([a-z_0-9]+)([¹²³⁴⁵⁶⁷⁸⁹]?)  +(−?[\d.]+)  +\[(−?[\d.]+), (−?[\d.]+)\]$"
    found = re.findall(row, text, re.M)
    names = [[name, *others.get(mark, "").split(", ")] for name, mark, *_ in found]
    return {
        " = ".join(filter(None, same)): cells
        for same, (_, _, *cells) in zip(names, found, strict=True)
    }


def test_the_headline_is_said_once_and_the_footnote_last_where_it_is_explained(run):
    found = eh.score([[8, 2], [40, 50]])
    text = run("score", "--matrix", APART).stdout
    lines = text.splitlines()
    both = [f"{m} {found[m].value:.4f} [{found[m].low:.4f}, {found[m].high:.4f}]"
            for m in ("macro_f1", "f1_of_averages")]  # fmt: skip
    assert found.verdict == ", ".join(both)
    assert text.count("macro_f1 ") == text.count("f1_of_averages ") == 1
    assert len(lines) <= 30
    assert footnote(found["macro_f1"].signature) not in lines
    explained = run("score", "--matrix", APART, "--explain").stdout.splitlines()
    assert explained[-1] == footnote(found["macro_f1"].signature)


def test_the_twin_stands_beside_it_only_where_it_differs(run):
    quote = run("score", "--matrix", ALIKE, "--format", "markdown").stdout.splitlines()[2]
    assert quote.startswith(r"> macro\_f1 0.6435 \[") and "averages" not in quote


def test_a_twin_that_was_not_asked_for_has_its_value_there(run):
    lines = run("score", "--matrix", APART, "--metric", "macro_f1").stdout.splitlines()
    value = eh.f1_of_averages([[8, 2], [40, 50]])
    assert lines[2].endswith(f", f1_of_averages {value:.4f}")


def test_equal_numbers_have_one_row(run):
    text = run("score", "--matrix", ALIKE).stdout
    rows = rows_of(text)
    assert list(rows) == [
        "macro_f1", "f1_of_averages", "macro_precision", "macro_recall",
        "accuracy = micro_f1 = micro_precision = micro_recall = weighted_recall",
        "weighted_f1", "kappa", "mcc",
    ]  # fmt: skip
    found = eh.score([[6, 1, 1], [1, 5, 2], [2, 3, 7]])
    for names, cells in rows.items():
        for name in names.split(" = "):
            s = found[name]
            expected = [f"{x:.4f}".replace("-", "−") for x in (s.value, s.low, s.high)]
            assert cells == expected


def test_numbers_that_are_equal_by_chance_keep_their_intervals(run):
    # macro F1 and accuracy are both 0.8, and not equally sure
    rows = rows_of(run("score", "--matrix", "2 1; 0 2").stdout)
    assert (
        rows["macro_f1"][0]
        == rows["accuracy = micro_f1 = micro_precision = micro_recall = weighted_recall"][0]
    )


@pytest.fixture
def daily(write):
    """Seventy slices of four items."""
    rows = (f"{t},{p},d{i:02}" for i in range(70) for t, p in zip("abab", "abaa", strict=True))
    return write("daily.csv", "gold,sys,day\n" + "\n".join(rows) + "\n")


def test_many_slices_have_a_row_each_below_the_whole(run, daily):
    read = (daily, "--true", "gold", "--pred", "sys", "--by", "day")
    text = run("score", *read).stdout
    whole, slices = text.split("\nSlices\n")
    assert rows_of(whole)["macro_f1"][0] == f"{eh.macro_f1(['a', 'b'] * 2, list('abaa')):.4f}"
    assert (
        slices.startswith("slice  items  macro_f1 ") and len(re.findall("^d", slices, re.M)) == 60
    )
    assert (
        "\n… and 10 more slices (JSON has all)\nCSV and JSON have 5 more metrics of each sl"
        in slices
    )
    every = run("score", *read, "--all").stdout
    assert (
        "… and" not in every and every.count("\nd69 ") > 10 and "\nall (pooled)  macro_f1" in every
    )
    one = run("score", *read, "--metric", "accuracy").stdout
    assert "more metric" not in one and "\nall (pooled)\nmetric     value" in one


def test_the_rest_comes_with_all_and_a_gain_is_no_share(run):
    few, every = (
        run("score", "--matrix", ALIKE).stdout,
        run("score", "--matrix", ALIKE, "--all").stdout,
    )
    scored = eh.score([[6, 1, 1], [1, 5, 2], [2, 3, 7]], metrics="all")
    assert [n for n in scored if not re.search(rf"^{n}[¹²³⁴⁵⁶⁷⁸⁹⁰]* |\b{n}\b", every, re.M)] == []
    assert "bookmaker_gain" not in few
    tables = [t.splitlines() for t in every.split("\n\n") if t.startswith("metric")]
    shares, others = ([line.split()[0] for line in t] for t in tables)
    assert "bookmaker_gain" in others and "bookmaker_gain" not in shares


def test_what_is_not_promised_is_said_when_asked_for(run):
    asked, plain = (run("score", "--matrix", ALIKE, *more).stdout for more in (("--explain",), ()))
    for heading in (
        "Known limits",
        "Two formulas are called 'macro F1'",
        "How it was scored",
    ):
        assert heading in asked and heading not in plain


def test_metrics_that_are_asked_for_are_all_shown(run):
    names = ["weighted_precision", "f1_gap", "harmonic_macro_recall"]
    rows = rows_of(
        run("score", "--matrix", ALIKE, *(x for m in names for x in ("--metric", m))).stdout
    )
    assert list(rows) == names


def test_programs_get_every_metric(run):
    usual = set(eh.score([[6, 1, 1], [1, 5, 2], [2, 3, 7]]))
    assert (
        set(json.loads(run("score", "--matrix", ALIKE, "--format", "json").stdout)["metrics"])
        == usual
    )
    rows = csv.DictReader(io.StringIO(run("score", "--matrix", ALIKE, "--format", "csv").stdout))
    assert {row["metric"] for row in rows if not row["label"]} == usual


def test_multi_label_data_have_their_own_metrics(run, write):
    write("sets.csv", "gold,pred\na|b,a\nb,b\na,a|b\n")
    given = ("--true", "gold", "--pred", "pred", "--separator", "|")
    rows = rows_of(run("score", "sets.csv", *given).stdout)
    assert {"micro_f1", "samples_f1", "subset_accuracy"} <= {
        n for r in rows for n in r.split(" = ")
    }


BIG = [[600, 10, 11], [1, 500, 2], [2, 3, 700000]]


@pytest.mark.parametrize("metric", [m for m, x in table_metrics().items() if "single" in x.tasks])
def test_a_footnote_is_short_and_can_be_read_back(metric):
    spec = f"{metric}:label=0" if table_metrics()[metric].of_one_class else metric
    scores = eh.score(BIG, metrics=spec)
    said = scores.content().footnote
    assert all(len(alone(said, style)) < SHORT for style in ("table", "latex", "markdown"))
    assert "0/0" in said and "701,129 items" in said
    formula = re.split("[:;]", table_metrics()[metric].summary.rstrip("."))
    assert any(part.strip() in said for part in formula)
    short = re.search(r"evenhand [\w.]+, (\S+)\)\.$", said)[1]
    assert Signature.parse(short) == scores[spec].signature


@pytest.mark.parametrize("style", ["table", "latex", "markdown", "json"])
def test_a_footnote_alone_is_one_line(run, style):
    text = run("score", "--matrix", ALIKE, "--footnote", "--format", style).stdout
    said = eh.score([[6, 1, 1], [1, 5, 2], [2, 3, 7]], metrics="macro_f1").content().footnote
    assert text == alone(said, style) + "\n"
    assert alone(said, "table") == said


def test_a_footnote_stays_short_whatever_it_must_say():
    long = Signature(metric=f"f1:label={'x' * 300}", formula="f1", classes="listed.3.#abc",
                     undefined="nan", prevalence="=".join("ab" * 200), weights="given", n="1" * 18,
                     outside="3.errors", dropped="4.left-out", table="0" * 12,
                     interval="auto.95.clusters+joint-bootstrap.2000.seed0+paired-delta.holm",
                     )  # fmt: skip
    text = footnote(long)
    assert len(text) < SHORT and text.endswith(f"t:{'0' * 12}|v:{long.version}).")


def test_a_footnote_of_a_function_names_it():
    def hits(c):
        return c.correct.sum(axis=-1) / c.total

    scores = eh.score([[6, 1], [1, 5]], metrics=hits)
    assert scores.content().footnote.startswith("hits; averaged over the 2 classes")


def warned(run, *more):
    return run("score", "--matrix", "80 20; 400 500", *more).stderr.count("warning: ")


def test_a_warning_concerns_a_metric_that_was_asked_for(run):
    assert "two formulas" in run("score", "--matrix", APART, "--metric", "macro_f1").stderr
    assert warned(run) == 1
    assert warned(run, "--metric", "accuracy") == 0
    assert warned(run, "--metric", "macro_recall", "--metric", "mcc") == 0


def test_strays_are_told_with_a_metric_that_was_asked_for(run, write):
    write("gold.txt", "a\nb\na\nb\n")
    write("pred.txt", "a\nb\nc\nb\n")
    plain = run("score", "gold.txt", "pred.txt", "--metric", "accuracy").stderr
    assert "never occur in the truth ('c')" in plain and "over the classes" not in plain
    recall = run("score", "gold.txt", "pred.txt", "--metric", "macro_recall").stderr
    assert "macro_recall is 0.7500 over the true classes, 0.5000 over all classes seen" in recall


def test_slices_are_warned_of_together(run, write):
    day = ["a,a"] * 8 + ["a,b"] * 2 + ["b,a"] * 40 + ["b,b"] * 50
    level = ["a,a"] * 95 + ["a,b"] * 5 + ["b,a"] * 5 + ["b,b"] * 995
    days = {**dict.fromkeys("abcdefghijklmnopqrstu", day), "all else": level * 40}
    rows = [f"{key},{labels}" for key, of in days.items() for labels in of]
    write("days.csv", "\n".join(["day,gold,pred", *rows]) + "\n")
    given = ("score", "days.csv", "--true", "gold", "--pred", "pred", "--by", "day")
    said = run(*given).stderr.splitlines()
    (one,) = (line for line in said if "macro F1" in line)
    assert one.startswith("warning: in 21 slices (a, b, c, d, e, f, g, h, i, j, k, l and 9 more)")
    assert not any(
        "macro F1" in line for line in run(*given, "--metric", "accuracy").stderr.splitlines()
    )


def test_thresholds_have_no_more_to_show(fails, write):
    write("p.csv", "gold,p_a,p_b\na,0.7,0.3\nb,0.2,0.8\n")
    given = ("score", "p.csv", "--true", "gold", "--probabilities", "p_", "--thresholds", "a")
    assert "--thresholds goes without --all and --explain" in fails(*given, "--all")


def test_a_table_for_a_paper_has_titles_and_nothing_else(run):
    text = run("score", "--matrix", ALIKE, "--layout", "paper", "--format", "markdown").stdout
    assert "| Macro F1 \\(mean of F1\\) | 0.6435 |" in text and "| Accuracy | 0.6429 |" in text
    assert "**Classes**" in text and "> macro" not in text


def test_a_warning_concerns_a_metric_that_is_shown(run, write):
    rare = ["score", "--matrix", "8 0 0; 3 0 0; 2 0 0"]  # two classes are never predicted

    def codes(*how):
        return run(*rare, *how).stderr

    short, full, one = codes(), codes("--all"), codes("--metric", "accuracy")
    hidden = ("entropy_pred", "geometric_macro_recall", "precision of")
    assert [name for name in hidden if name in short] == []
    assert all(name in full for name in hidden[:2]) and hidden[2] not in full
    assert "fewer than 10 true items" in short  # which concerns macro F1
    assert one == ""
    told = json.loads(run(*rare, "--format", "json").stdout)
    assert any("precision of" in w for w in told["warnings"])  # whose interval JSON has
    assert all(w in codes("--format", "csv") for w in told["warnings"])


def test_slices_say_of_what_is_shown_only(run, write):
    rows = "".join(f"{day},{t},a\n" for day in "xyz" for t in "aaab")
    rows += "".join(f"good,{t},{p}\n" for t, p in ("aa", "ab", "ba", "bb") for _ in range(20))
    there = write("days.csv", f"day,gold,sys\n{rows}")
    line = ["score", there, "--true", "gold", "--pred", "sys", "--by", "day"]
    assert "geometric" not in run(*line).stderr
    assert "some scores have no interval" not in run(*line, "--metric", "accuracy").stderr
    assert "in 3 slices" in run(*line, "--metric", "geometric_macro_recall").stderr


def test_a_metric_without_a_slope_says_so(fails):
    given = ("score", "--matrix", "5 1; 2 6", "--metric", "aickin_alpha", "--interval", "delta")
    assert "no gradient of aickin_alpha: it is no smooth function of the counts" in fails(*given)


def test_counts_beyond_whole_numbers_are_scored(run):
    found = run("score", "--matrix", "; ".join(["9000000000000000000 1000000000000000000"] * 2))
    assert found.exit_code == 0, found.output
    assert re.search(r"^f1_of_averages\S* +0.5000 ", found.stdout, re.M)


def test_scores_in_percent_and_nothing_else(run):
    plain = run("score", "--matrix", ALIKE, "--all").stdout
    percent = run("score", "--matrix", ALIKE, "--all", "--percent").stdout
    assert "in percent" in percent.splitlines()[0]
    assert re.search(r"^macro_f1\S* +64.35 ", percent, re.M)
    assert rows_of(percent)["macro_recall"][0] == "65.28"
    one = run("score", "--matrix", ALIKE, "--all", "--percent", "--digits", 1).stdout
    assert rows_of(one)["macro_recall"][0] == "65.3"
    gain = re.search(r"^bookmaker_gain +(\S+)", plain, re.M)[1]
    assert float(gain) == 26.8333
    assert re.search(r"^bookmaker_gain +(\S+)", percent, re.M)[1] == "26.83"
    asked = ("score", "--matrix", ALIKE, "--format")
    for style in ("json", "csv"):
        assert run(*asked, style, "--percent").stdout == run(*asked, style).stdout


NO_SCORES = {"ratio", "threshold", "Spearman", "Kendall", "true", "correct", "no class"}


def cells(content):
    """Each number of a table with its heading, intervals as their ends, and its row's metrics."""
    for sheet in (b for b in flat(content.blocks) if isinstance(b, Table)):
        for row in sheet.grid.rows:
            named = [c for c in row if isinstance(c, MetricName)]
            for head, cell in zip(sheet.grid.columns, row, strict=True):
                x = getattr(cell, "interval", cell)
                numbers = [x] if isinstance(x, float) else [
                    getattr(x, end) for end in ("value", "low", "high") if hasattr(x, end)
                ]  # fmt: skip
                if not isinstance(cell, TextCell):
                    yield (
                        head,
                        sheet.grid.columns,
                        named,
                        [n for n in numbers if isinstance(n, float)],
                    )


IN_PERCENT = (
    "slices", "groups", "comparison", "comparison of slices", "gate of slices", "board", "estimate",
    "cross-validated", "extrapolation", "sweep", "drift", "scores of probabilities", "thresholds",
)  # fmt: skip


@pytest.mark.parametrize("name", IN_PERCENT)
def test_a_table_in_percent_is_so_throughout(name):
    """No cell of a row is left behind: an interval ×100 next to its number as it was."""
    result = every_result(tuple(FRIENDLY))[name]
    for (head, heads, named, plain), (*_, scaled) in zip(
        cells(result.shown()), cells(result.shown(percent=True)), strict=True
    ):
        ranges = [Spec.parse(n.spelled[0]).metric for n in named]
        ranges += [Spec.parse(head.spelled[0]).metric] if isinstance(head, MetricName) else []
        shares = all(max(abs(m.low), abs(m.high)) <= 1 for m in ranges) and head not in NO_SCORES
        shares = shares and not (head == "predicted" and "correct" in heads)
        assert scaled == pytest.approx([100 * x if shares else x for x in plain], nan_ok=True), head


def test_ratios_of_two_classes_are_no_percentages(run):
    """They were: LR+ 3.75 was printed as 375.37."""
    asked = ("score", "--matrix", "670 74; 202 640", "--labels", "ill,well", "--positive", "ill")
    lines = run(*asked, "--percent").stdout
    assert re.search(r"^sensitivity +90\.05 ", lines, re.M)
    assert re.search(r"^positive likelihood ratio \(LR\+\) +3\.75 ", lines, re.M)
    assert re.search(r"^diagnostic odds ratio +28\.69 ", lines, re.M)
    assert re.search(r"^true ill +670 +74$", lines, re.M)
