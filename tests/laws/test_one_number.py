"""One number: the same predictions get the same value of a metric wherever they are scored."""

import json
import math
import warnings

import polars as pl
import pytest
import sklearn.metrics as sk
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.catalogue.lists import default_metrics, table_metrics
from evenhand.cli import group

TRUE = ["neg", "neu", "pos"]
SAID = [*TRUE, *TRUE, "Neg", "oops", None]
DIRECTED = [m for m in map(str, default_metrics()) if table_metrics()[m].better != "neither"]


@st.composite
def data(draw):
    """Items with two systems that predict strays and abstain, a slice each, maybe weights."""
    n = draw(st.integers(8, 24))
    gold = TRUE + draw(st.lists(st.sampled_from(TRUE), min_size=n - 3, max_size=n - 3))
    rows = {
        "gold": gold,
        **{s: draw(st.lists(st.sampled_from(SAID), min_size=n, max_size=n)) for s in ("A", "B")},
        "day": draw(st.lists(st.sampled_from(["d1", "d2"]), min_size=n, max_size=n)),
        "w": draw(st.lists(st.sampled_from([0.5, 1.25, 3.0]), min_size=n, max_size=n)),
    }
    rows["day"][:2] = ["d1", "d2"]
    return pl.DataFrame(rows, schema_overrides={"A": pl.String, "B": pl.String})


def run(*arguments, codes=(0,)):
    found = CliRunner().invoke(group, [*map(str, arguments), "--format", "json"])
    assert found.exit_code in codes, found.output
    return json.loads(found.stdout)


def values(scores):
    return {m: s["value"] for m, s in scores["metrics"].items()}


def agree(found, expected, exact):
    """Bit for bit for counts, to 1e-12 for weights; undefined is null in JSON."""
    for metric, value in found.items():
        wanted = expected[metric]
        if value is None or wanted is None or math.isnan(wanted):
            assert (value is None or math.isnan(value)) and (wanted is None or math.isnan(wanted))
        elif exact:
            assert value == wanted, metric
        else:
            assert value == pytest.approx(wanted, rel=1e-12, abs=1e-12), metric


@settings(max_examples=settings.default.max_examples // 6)
@given(frame=data(), weighted=st.booleans())
def test_every_place_gives_the_same_number(tmp_path_factory, frame, weighted):
    folder = tmp_path_factory.mktemp("one")
    for ending, write in (
        ("csv", frame.write_csv),
        ("tsv", lambda path: frame.write_csv(path, separator="\t")),
        ("jsonl", frame.write_ndjson),
        ("parquet", frame.write_parquet),
        ("arrow", frame.write_ipc),
    ):
        write(folder / f"x.{ending}")
    weights = frame["w"].to_numpy() if weighted else None
    option = ("--weights", "w") if weighted else ()
    exact = not weighted
    table = eh.Confusion.from_labels(frame["gold"], frame["A"], weights=weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = {m: getattr(eh, m)(table) for m in map(str, default_metrics())}
        for rule in ("task", "true"):
            agree({m: getattr(eh, m)(table, classes=rule) for m in expected}, expected, True)
    agree({m: s.value for m, s in eh.score(table).metrics.items()}, expected, True)

    def of(path, *more):
        return (folder / path, "--true", "gold", *option, *more)

    for ending in ("csv", "tsv", "jsonl", "parquet", "arrow"):
        agree(values(run("score", *of(f"x.{ending}", "--pred", "A"))), expected, exact)
    saved = folder / "table.json"
    counted = CliRunner().invoke(
        group, [*map(str, ("count", *of("x.csv", "--pred", "A"), "--output", saved))]
    )
    assert counted.exit_code == 0, counted.output
    agree(values(run("score", saved)), expected, exact)
    pair = run("twins", *of("x.csv", "--pred", "A"))
    agree({m: pair[m] for m in ("macro_f1", "f1_of_averages")}, expected, exact)
    both = ("--pred", "A", "--pred", "B", "--replicates", 20)
    pairs = run("compare", *of("x.csv", *both))["pairs"]
    agree({p["metric"]: p["values"][0] for p in pairs}, expected, exact)
    metrics = [word for m in DIRECTED for word in ("--metric", m)]
    decided = run("gate", *of("x.csv", *both[:4], "--margin", 0.1, *metrics), codes=(0, 1))
    agree({c["metric"]: c["values"][0] for c in decided["checks"]}, expected, exact)
    board = run("rank", *of("x.csv", *both))
    (system,) = (s for s in board["systems"] if s["name"] == "A")
    found = {m: s["value"] for m, s in system["scores"].items() if m in expected}
    assert set(found) == set(DIRECTED)
    agree(found, expected, exact)
    total = float(table.total)
    assert system["outside"] == pytest.approx(float(table.outside.sum()) / total)
    strays = sum(table.bias[table.labels.index(v)] for v in ("Neg", "oops") if v in table.labels)
    assert system["never_true"] == pytest.approx(float(strays) / total)
    shown = eh.report(frame["gold"], frame["A"], weights=weights)
    agree(values(shown.data), expected, True)
    moved = run("shift", *of("x.csv", "--pred", "A"), "--to", "uniform")
    agree({m: v["observed"]["value"] for m, v in moved["metrics"].items()}, expected, exact)
    parts = run("score", *of("x.csv", "--pred", "A", "--by", "day"))["slices"]
    for part in parts:
        one = frame.filter(pl.col("day") == part["key"])
        own = eh.Confusion.from_labels(
            one["gold"], one["A"], weights=one["w"].to_numpy() if weighted else None
        )
        agree(values(part), {m: eh.score(own)[m].value for m in expected}, exact)


@settings(max_examples=60)
@given(frame=data(), weighted=st.booleans())
def test_it_is_the_number_of_scikit_learn_over_the_true_classes(frame, weighted):
    weights = frame["w"].to_numpy() if weighted else None
    gold, guess = frame["gold"].to_list(), frame["A"].fill_null("(none)").to_list()
    table = eh.Confusion.from_labels(frame["gold"], frame["A"], weights=weights)
    found = eh.score(table, interval=None)
    options = {"sample_weight": weights, "labels": sorted(set(gold)), "zero_division": 0}
    for average in ("macro", "weighted"):
        theirs = sk.precision_recall_fscore_support(gold, guess, average=average, **options)[:3]
        for name, value in zip(("precision", "recall", "f1"), theirs, strict=True):
            assert found[f"{average}_{name}"].value == pytest.approx(value, abs=1e-12)
    for name, function in (("accuracy", sk.accuracy_score), ("mcc", sk.matthews_corrcoef)):
        value = function(gold, guess, sample_weight=weights)
        assert found[name].value == pytest.approx(value, abs=1e-12)


def test_two_typos_in_many_items_do_not_halve_a_score(tmp_path):
    """Over all classes seen they do: 0.3332 where 0.6664 is meant."""
    gold = ["a"] * 1766 + ["b"] * 1766
    guess = ["a"] * 1177 + ["b"] * 589 + ["b"] * 1177 + ["a"] * 587 + ["A", "bb"]
    table = eh.Confusion.from_labels(gold, guess)
    task, seen = (eh.score(table, classes=rule)["macro_f1"] for rule in ("task", "seen"))
    assert task.value == 2 * seen.value == pytest.approx(0.6664, abs=1e-3)


def test_each_place_says_so_once(tmp_path):
    (tmp_path / "g.txt").write_text("a\nb\na\nb\n")
    (tmp_path / "p.txt").write_text("a\nB\na\nb\n")
    (tmp_path / "q.txt").write_text("a\nb\nb\nb\n")
    files = [tmp_path / f"{name}.txt" for name in "gpq"]
    said = (
        "1 prediction is of labels that never occur in the truth ('B'); 'B' and 'b' differ only in "
        "case, spaces or Unicode form: ignore case if they are one; macro_f1 is 0.8333 "
        "over the true classes, 0.5556 over all classes seen"
    )
    for command, name in (("score", ""), ("twins", ""), ("compare", "p: "), ("rank", "p: ")):
        more = () if command in ("score", "twins") else (files[2], "--replicates", 20)
        warned = run(command, *files[:2], *more)["warnings"]
        assert [w for w in warned if "never occur" in w] == [f"{name}{said}"]
    warned = run("shift", *files[:2], "--to", "uniform")["warnings"]
    assert said in warned
