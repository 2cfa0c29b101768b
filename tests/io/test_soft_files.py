"""Class probabilities in files: a column for each class, objects, lists; one system or several."""

import json

import numpy as np
import polars as pl
import pytest

import evenhand as eh

CLASSES = ("a", "b", "c")


@pytest.fixture
def items(here):
    rng = np.random.default_rng(11)
    truth = rng.choice(CLASSES, 80).tolist()
    found = {}
    for name in "xy":
        p = rng.dirichlet((1, 1, 1), 80) + 0.5 * (np.array(truth)[:, None] == np.array(CLASSES))
        found[name] = p / p.sum(axis=1, keepdims=True)
    return truth, found, rng.choice(["de", "en"], 80).tolist(), (rng.integers(0, 20, 80)).tolist()


def wide(items, prefix="p_"):
    truth, found, lang, doc = items
    columns = {f"{prefix}{c}": found["x"][:, i] for i, c in enumerate(CLASSES)}
    return pl.DataFrame({"gold": truth, "lang": lang, "doc": doc, **columns})


METRICS = ("macro_f1", "expected_macro_f1")


def scored(run, *arguments):
    asked = [word for metric in METRICS for word in ("--metric", metric)]
    return json.loads(run("score", *arguments, "--format", "json", *asked).stdout)


def alike(found, wanted):
    wanted = json.loads(wanted.to_json())
    assert found["signature"] == wanted["signature"]
    for name, theirs in wanted["metrics"].items():
        ours, method = dict(found["metrics"][name]), theirs.pop("method")
        assert ours.pop("method") == method
        assert ours == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("named", ["p_", "p_a,p_b,p_c", "object", "list"])
@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_every_form(run, items, named, ending):
    truth, found, *_ = items
    frame, more, columns = wide(items), (), named
    if named in ("object", "list"):
        if ending == "csv":
            pytest.skip("CSV has neither")
        each = [pl.col(f"p_{c}").alias(c) for c in CLASSES]
        made = pl.struct(each) if named == "object" else pl.concat_list(each)
        frame = frame.select("gold", made.alias("probs"))
        columns = "probs"
        more = ("--labels", "a,b,c") if named == "list" else ()
    elif named == "p_a,p_b,p_c":
        more = ("--map", "map.csv")
        pl.DataFrame({c: [f"p_{c}", c] for c in CLASSES}).transpose().write_csv(
            "map.csv", include_header=False
        )
    name = f"x.{ending}"
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}[ending](
        name
    )
    got = scored(run, name, "--true", "gold", "--probabilities", columns, *more)
    alike(got, eh.score(eh.Sample.from_probabilities(truth, {"x": found["x"]}, labels=CLASSES),
                        metrics=METRICS))  # fmt: skip


def test_slices_and_clusters(run, items):
    truth, found, lang, doc = items
    wide(items).write_parquet("x.parquet")
    asked = ("--true", "gold", "--probabilities", "p_", "--by", "lang", "--cluster", "doc")
    got = scored(run, "x.parquet", *asked)
    both = {"labels": CLASSES, "cluster": doc, "by": lang}
    wanted = eh.score(
        eh.Sample.from_probabilities(truth, {"x": found["x"]}, **both), metrics=METRICS
    )
    alike(got, wanted)
    for part, other in zip(got["slices"], wanted.slices, strict=True):
        assert part["key"] == other.key
        alike(part, other)


def test_systems_in_files_joined_by_id(run, items):
    truth, found, *_ = items
    ids = [str(i) for i in range(80)]
    pl.DataFrame({"id": ids, "gold": truth}).write_csv("gold.csv")
    for name, p in found.items():
        columns = {f"p_{c}": p[:, i] for i, c in enumerate(CLASSES)}
        pl.DataFrame({"id": ids, **columns}).reverse().write_csv(f"{name}.csv")
    asked = ("--true", "gold", "--probabilities", "p_", "--id", "id", "--format", "json")
    files, asked = ("gold.csv", "x.csv", "y.csv"), (*asked, "--replicates", "20")
    labels = {name: [CLASSES[i] for i in p.argmax(axis=1)] for name, p in found.items()}
    soft = eh.Sample.from_probabilities(truth, found, labels=CLASSES)
    for metric, data in (("macro_f1", eh.Sample.from_labels(truth, labels)),
                         ("expected_macro_f1", soft)):  # fmt: skip
        how = {"metrics": metric, "replicates": 20}
        got = json.loads(run("rank", *files, *asked, "--by-metric", metric).stdout)
        wanted = eh.rank(data, by_metric=metric, **how)
        scores = {s["name"]: s["scores"][metric]["value"] for s in got["systems"]}
        assert scores == pytest.approx({s.name: s[metric].value for s in wanted.systems})
        got = json.loads(run("compare", *files, *asked, "--metric", metric).stdout)
        wanted = eh.compare(data, **how)[metric]
        assert got["pairs"][0]["difference"] == pytest.approx(wanted.difference)
        gate = (*files, *asked[:-2], "--margin", "0.1", "--metric", metric)
        got = json.loads(run("gate", *gate).stdout)
        wanted = eh.gate(data, metrics=metric, margin=0.1)
        assert got["metric"] == metric
        assert got["difference"] == pytest.approx(wanted[metric].difference)
        report = (*files, *asked[:6], "--by-metric", metric, "--replicates", "20")
        text = run("report", *report, "--format", "markdown", "--output", "-").stdout
        assert [f"{value:.3f}" for value in scores.values() if f"{value:.3f}" not in text] == []


def test_whether_they_mean_what_they_say_is_drawn(run, items):
    wide(items).write_csv("x.csv")
    asked = ("x.csv", "--true", "gold", "--probabilities", "p_", "--chart", "reliability")
    done = run("score", *asked, "--plot", "x.json")
    assert done.exit_code == 0, done.output
    with open("x.json") as file:
        values = json.load(file)["vconcat"][0]["data"]["values"]
    said = [v["p"] for v in values]
    assert said == sorted(said)
    assert np.average(said) == pytest.approx(1 / 3, abs=0.02)  # bins of equal size, three classes


def test_it_is_counted_and_reported(run, items):
    wide(items).write_csv("x.csv")
    asked = ("x.csv", "--true", "gold", "--probabilities", "p_")
    table = json.loads(run("count", *asked).stdout)
    assert sum(table["cells"]["weight"]) == pytest.approx(80)
    assert "macro" in run("report", *asked, "--format", "markdown", "--output", "-").stdout
    assert run("twins", *asked).exit_code == 0


@pytest.mark.parametrize(
    ("text", "asked", "said"),
    [
        (
            "gold,p_a,p_b\na,0.5,x\n",
            "p_",
            "x.csv, row 1: expected a probability of 'b', got none",
        ),
        (
            "gold,p_a,p_b\na,0.5,0.5\na,0.5,0.6\n",
            "p_",
            "x.csv, column 'p_' must be ≥ 0 and sum to 1 for every item, got [0.5, 0.6] in row 2 "
            "(sum 1.1)",
        ),
        ("gold,p_a,p_b\na,0.5,0.5\n", "q_", "expected 'q_' for --probabilities"),
        ("gold,p_a,p_b\na,0.5,0.5\n", "p_a,p_c", "expected 'p_c' for --probabilities"),
        (
            "gold,p_a,p_b\na,0.5,0.5\n",
            "p_a",
            "x.csv, column 'p_a' has one number an item: say of which class with --positive LABEL, "
            "or name a column for each class",
        ),
        ("gold,p_a,p_b\nc,0.5,0.5\n", "p_", "must hold only the given labels 'a', 'b', got 'c'"),
    ],
)
def test_what_does_not_fit(fails, write, text, asked, said):
    write("x.csv", text)
    assert said in fails("score", "x.csv", "--true", "gold", "--probabilities", asked)


def test_probabilities_are_decided(run, here):
    """By hand: 'spam' from 0.3 on, else the largest of the others; the largest of all."""
    rows = [("spam", 0.35, 0.65), ("ham", 0.3, 0.7), ("ham", 0.29, 0.71), ("spam", 0.9, 0.1)]
    text = "".join(f"{g},{a},{b},{'xy'[i % 2]}\n" for i, (g, a, b) in enumerate(rows))
    (here / "p.csv").write_text("gold,p_spam,p_ham,part\n" + text)
    asked = ("score", "p.csv", "--true", "gold", "--probabilities", "p_", "--metric", "accuracy")
    for rule, right, said in (
        (
            "argmax",
            3,
            "'ham' is predicted above a probability of 0.5",
        ),
        ("spam=0.3", 3, "if it was chosen on these items, the scores are too optimistic"),
        ("spam=0.31", 4, "'spam' is predicted from a probability of 0.31 on"),
        ("ham=0.66", 4, "'ham' is predicted"),
    ):
        found = run(*asked, "--decide", rule, "--by", "part", "--format", "json")
        result = json.loads(found.stdout)
        assert result["metrics"]["accuracy"]["value"] == right / 4
        assert [s["key"] for s in result["slices"]] == ["x", "y"]
        assert any(said in warning for warning in result["warnings"])


@pytest.mark.parametrize("rule", ["max", "spam", "spam=2", "spam=x", "eggs=0.5"])
def test_rules_that_decide_nothing(fails, here, rule):
    (here / "p.csv").write_text("gold,p_spam,p_ham\nspam,0.5,0.5\nham,0.5,0.5\n")
    asked = ("p.csv", "--true", "gold", "--probabilities", "p_", "--decide", rule)
    message = "must be among 'spam', 'ham'" if rule == "eggs=0.5" else "must be argmax, or a label"
    assert message in fails("score", *asked)


def test_deciding_needs_probabilities(fails, here):
    (here / "p.csv").write_text("gold,p\na,a\nb,b\n")
    error = fails("score", "p.csv", "--true", "gold", "--pred", "p", "--decide", "argmax")
    assert error.startswith("--decide argmax|LABEL=THRESHOLD goes with --probabilities")


def test_the_largest_is_that_of_scikit_learn():
    from sklearn.metrics import confusion_matrix

    rng = np.random.default_rng(0)
    true, p = rng.integers(0, 4, 200), rng.dirichlet(np.ones(4), 200)
    soft = eh.Sample.from_probabilities(true, {"A": p}, labels=range(4))
    assert (soft.decided().table("A").cells == confusion_matrix(true, p.argmax(axis=1))).all()
    rare = np.where(p[:, 2] >= 0.2, 2, np.where(np.arange(4) == 2, -1, p).argmax(axis=1))
    assert (soft.decided(2, 0.2).table("A").cells == confusion_matrix(true, rare)).all()


def test_one_column_of_scores(run, fails, write):
    rows = [("spam", 0.9), ("ham", 0.5), ("ham", 0.2), ("spam", 0.4), ("spam", 0.51)]
    write("x.csv", "gold,score\n" + "".join(f"{gold},{p}\n" for gold, p in rows))
    asked = ("x.csv", "--true", "gold", "--probabilities", "score", "--labels", "ham,spam")
    found = json.loads(run("score", *asked, "--metric", "accuracy", "--format", "json").stdout)
    assert found["metrics"]["accuracy"]["value"] == 0.8
    assert found["warnings"][0].endswith("'spam' is predicted above a probability of 0.5")
    error = fails("score", "x.csv", "--true", "gold", "--pred", "score")
    assert error.endswith("numbers for classes are read with --probabilities A,B,…|PREFIX|COL")


def test_rows_of_few_digits_are_divided_by_their_sum(run, write):
    write("x.csv", "gold,p_a,p_b,p_c\na,0.33,0.33,0.33\nb,0.2,0.7,0.11\nc,0.1,0.1,0.8\n")
    asked = ("score", "x.csv", "--true", "gold", "--probabilities", "p_", "--format", "json")
    found = json.loads(run(*asked, "--metric", "expected_accuracy", "--metric", "accuracy").stdout)
    assert found["metrics"]["accuracy"]["value"] == 1
    expected = (1 / 3 + 0.7 / 1.01 + 0.8) / 3
    assert found["metrics"]["expected_accuracy"]["value"] == pytest.approx(expected, abs=1e-12)
    said = "2 of 3 rows of probabilities sum to 0.99 to 1.01, not 1: rescaled"
    assert found["warnings"].count(said) == 1


@pytest.mark.parametrize("shift", [0, 3], ids=["probabilities", "scores"])
def test_one_column_of_the_positive_class(run, fails, items, shift):
    truth, found, *_ = items
    true = ["spam" if v == "a" else "ham" for v in truth]
    score = found["x"][:, 0] * (shift or 1) - shift / 2
    pl.DataFrame({"gold": true, "score": score}).write_csv("x.csv")
    asked = ("score", "x.csv", "--true", "gold", "--probabilities", "score", "--format", "json")
    made = json.loads(run(*asked, "--positive", "spam").stdout)
    wanted = json.loads(eh.score(true, score, positive="spam").to_json())
    assert made["metrics"].keys() == wanted["metrics"].keys()
    for name in ("sensitivity:label=spam", "roc_auc"):
        assert made["metrics"][name]["value"] == pytest.approx(wanted["metrics"][name]["value"])
    listed = json.loads(run(*asked, "--labels", "ham,spam").stdout)
    assert listed["metrics"]["roc_auc"] == made["metrics"]["roc_auc"]
    message = fails(*asked, "--positive", "dog")
    assert "one number an item is of two classes, 'dog' and another, got" in message
