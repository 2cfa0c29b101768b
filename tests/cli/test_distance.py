"""--distance and agree on the command line."""

import json

import pytest

GOLD = ["low", "low", "middle", "high", "high", "middle", "low", "high"]
PRED = ["low", "middle", "middle", "high", "low", "high", "low", "high"]
TREE = "child\tparent\nlow\tbad\nmiddle\tbad\nbad\tall\nhigh\tall\n"
COSTS = ",low,middle,high\nlow,0,1,5\nmiddle,1,0,1\nhigh,10,2,0\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "gold.txt").write_text("\n".join(GOLD))
    (tmp_path / "pred.txt").write_text("\n".join(PRED))
    (tmp_path / "costs.csv").write_text(COSTS)
    (tmp_path / "tree.tsv").write_text(TREE)
    return tmp_path


def scored(run, files, *options):
    made = run("score", files / "gold.txt", files / "pred.txt", *options, "--format", "json")
    assert made.exit_code == 0, made.stderr
    return {name: s["value"] for name, s in json.loads(made.stdout)["metrics"].items()}


def test_a_matrix(run, files):
    by_hand = (1 + 10 + 1) / 8
    found = scored(run, files, "--distance", files / "costs.csv", "--metric", "mean_cost")
    assert found == {"mean_cost:distance=costs": by_hand}


def test_a_tree(run, files):
    """bad is shared by low and middle; high stands alone."""
    found = scored(run, files, "--distance", files / "tree.tsv", "--metric", "hierarchical_f1")
    assert found["hierarchical_f1:distance=tree"] == pytest.approx(2 * 9 / (13 + 13))


def test_ordinal_follows_labels(run, files):
    """One high is taken for low, the last class for the first or for the next."""
    once = [*GOLD[:4], "low", *GOLD[5:]]
    (files / "pred.txt").write_text("\n".join(once))
    order = ("--distance", "ordinal", "--metric", "mean_absolute_error")
    found = scored(run, files, *order, "--labels", "low,middle,high")
    assert found == {"mean_absolute_error": 2 / 8}
    assert scored(run, files, *order) == {"mean_absolute_error": 1 / 8}
    found = scored(run, files, *order, "--labels", "middle,low,high")
    assert found == {"mean_absolute_error": 1 / 8}


def test_the_order_of_the_alphabet_is_said(run, files):
    given = ("score", files / "gold.txt", files / "pred.txt", "--metric", "weighted_kappa")
    line = "weighted_kappa depends on the order of the classes, which is alphabetical here "
    assert line in run(*given).stderr
    for other in (("--labels", "low,middle,high"), ("--distance", files / "costs.csv")):
        assert "alphabet" not in run(*given, *other).stderr
    plain = (*given[:-1], "macro_f1")
    assert "alphabet" not in run(*plain).stderr


def test_columns_in_another_order_than_rows(run, files):
    (files / "turned.csv").write_text(",high,low,middle\nlow,5,0,1\nmiddle,1,1,0\nhigh,0,10,2\n")
    given = ("--metric", "mean_cost", "--distance")
    (turned,) = scored(run, files, *given, files / "turned.csv").values()
    assert [turned] == list(scored(run, files, *given, files / "costs.csv").values())


@pytest.mark.parametrize(
    ("metric", "takes"),
    [("mean_cost", "a matrix of costs"), ("hierarchical_f1", "a tree of classes")],
)
def test_what_sees_no_order_is_not_scored_as_if_it_did(run, files, metric, takes):
    given = ("score", files / "gold.txt", files / "pred.txt", "--metric", metric)
    done = run(*given, "--distance", "ordinal")
    assert done.exit_code == 2
    assert f"{metric} needs {takes}, and linear is an order of classes" in done.stderr
    assert run(*given).exit_code == 0


def test_a_word_that_is_none(run, files):
    done = run("score", files / "gold.txt", files / "pred.txt", "--distance", "ordinary")
    assert done.exit_code == 2
    assert "must be ordinal, linear, quadratic, flat or a file, and 'ordinary'" in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("low\nhigh\n", "expected a matrix with its labels, or CHILD,PARENT lines, got 'low'"),
        (",low,high\nlow,0,1\nhigh,1,0\n", "must be among 'low', 'high', got 'middle'"),
        (",low,middle,high\nlow,0,x,1\nmiddle,1,0,1\nhigh,1,1,0\n", "expected a number, got 'x'"),
        ('{"low": {"high": 1}, "high": {"low": 2}}', "must be among"),
        ("low,bad\nmiddle,bad,worse\n", "expected CHILD,PARENT, got 'middle,bad,worse'"),
    ],
)
def test_files_that_are_no_distance(run, files, text, words):
    (files / "odd.csv").write_text(text)
    made = run(
        "score", files / "gold.txt", files / "pred.txt", "--distance", files / "odd.csv",
        "--metric", "weighted_kappa",
    )  # fmt: skip
    assert made.exit_code == 2 and words in made.stderr and made.stderr.count("\n") == 1


def test_agree(run, tmp_path):
    (tmp_path / "r.csv").write_text("item,A,B\n1,a,b\n2,a,a\n3,b,b\n4,,a\n5,b,b\n")
    (tmp_path / "long.csv").write_text(
        "item,who,label\n1,A,a\n1,B,b\n2,A,a\n2,B,a\n3,A,b\n3,B,b\n4,B,a\n5,A,b\n5,B,b\n"
    )
    found = [
        json.loads(run("agree", tmp_path / name, "--id", "item", *more, "--format", "json").stdout)
        for name, more in (("r.csv", ()), ("long.csv", ("--annotator", "who", "--label", "label")))
    ]
    assert found[0] == found[1]
    assert found[0]["alpha"]["value"] == pytest.approx(8 / 15) and found[0]["pairable"] == 4
    made = run("agree", tmp_path / "long.csv", "--annotator", "who")
    assert made.exit_code == 2 and "needs --id, --annotator and --label" in made.stderr
