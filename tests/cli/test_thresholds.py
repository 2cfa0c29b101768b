"""``score --thresholds``: the sweep of a threshold at the command line."""

import json

import numpy as np
import polars as pl
import pytest

import evenhand as eh

TRUE = list("aababbab") * 5
P = np.random.default_rng(0).dirichlet((1, 1), len(TRUE))
ASKED = ("x.csv", "--true", "gold", "--probabilities", "p_")


@pytest.fixture(autouse=True)
def file(here):
    columns = {"p_a": P[:, 0], "p_b": P[:, 1], "w": 1 + P[:, 0]}
    pl.DataFrame({"gold": TRUE, "lang": ["x", "y"] * 20, **columns}).write_csv("x.csv")


def test_it_is_what_python_says(run):
    sample = eh.Sample.from_probabilities(TRUE, {"x": P}, labels="ab", weights=1 + P[:, 0])
    metrics = ("--metric", "f1:label=b", "--metric", "mcc", "--seed", "3", "--level", "0.9")
    more = ("--weights", "w", "--average", "seen", "--undefined", "1")
    done = run("score", *ASKED, "--thresholds", "b", *metrics, *more, "--format", "json")
    wanted = eh.thresholds(
        sample, label="b", by_metric="f1:label=b", metrics="mcc", classes="seen", undefined=1,
        seed=3, level=0.9,
    )  # fmt: skip
    printed = json.loads(done.stdout)
    assert printed.pop("read")["files"] == ["x.csv"]
    assert printed == json.loads(wanted.to_json())
    assert list(wanted) == ["f1:label=b", "mcc"]
    assert done.stderr.count("chosen on these same items") == 1


def test_the_best_threshold_can_be_taken(run):
    done = run("score", *ASKED, "--thresholds", "b", "--format", "json")
    found = json.loads(done.stdout)
    again = run("score", *ASKED, "--decide", f"b={found['best']}", "--format", "json")
    assert json.loads(again.stdout)["metrics"]["macro_f1"] == found["chosen"]["macro_f1"]
    usual = run("score", *ASKED, "--decide", "argmax", "--format", "json")
    assert json.loads(usual.stdout)["metrics"]["macro_f1"] == found["argmax"]["macro_f1"]
    plain = json.loads(run("score", *ASKED, "--format", "json").stdout)
    assert plain["metrics"]["macro_f1"] == found["argmax"]["macro_f1"]


def test_it_is_drawn(run):
    done = run("score", *ASKED, "--thresholds", "b", "--plot", "x.json")
    assert done.exit_code == 0, done.output
    with open("x.json") as file:
        values = json.load(file)["data"]["values"]
    line = [v["value"] for v in values if v["series"] == "Recall of b"]
    assert len(line) == 101
    assert (line[0], line) == (1.0, sorted(line, reverse=True))


def test_a_report_has_it(run):
    run("report", *ASKED, "--output", "x.md")
    with open("x.md") as file:
        text = file.read()
    assert "## How good the probabilities are" in text
    assert "most probable class" in text
    made = eh.report(eh.Sample.from_probabilities(TRUE, {"x": P}, labels="ab"))
    wanted = eh.thresholds(eh.Sample.from_probabilities(TRUE, {"x": P}, labels="ab"), label="a")
    assert made.data["thresholds"]["best"] == wanted.best


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--decide", "argmax"), "--thresholds needs --probabilities, and goes without --decide"),
        (("--by", "lang"), "score --thresholds looks at all items together: leave out --by"),
        (("--interval", "bca"), "goes without --stratify, and with --interval auto"),
        (("--metric", "f1_gap"), "no value of f1_gap is better than another"),
    ],
)
def test_what_does_not_fit(fails, arguments, message):
    assert message in fails("score", *ASKED, "--thresholds", "b", *arguments)


def test_labels_have_no_thresholds(fails):
    line = fails("score", "x.csv", "--true", "gold", "--pred", "lang", "--thresholds", "a")
    assert line.startswith("--thresholds needs --probabilities")


def test_a_label_that_nobody_has(fails):
    line = fails("score", *ASKED, "--thresholds", "c")
    assert line.startswith("--thresholds must be among 'a', 'b', got 'c'")
