"""``evenhand calibrate`` and ``evenhand shift``, as commands."""

import json

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import group

LABELS = np.array(["ads", "ham", "spam"])


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A labelled set, another system, and unlabelled sets: as labels and as probabilities."""
    folder = tmp_path_factory.mktemp("shift")
    rng = np.random.default_rng(1)
    middle = np.array([[0.5, 1.8], [-1, 0], [1.6, 0]])
    prior = np.array([0.2, 0.4, 0.4])

    def world(n, mix):
        truth = rng.choice(3, n, p=mix)
        x = middle[truth] + rng.normal(size=(n, 2))
        p = np.exp(-((x[:, None] - middle) ** 2).sum(axis=2) / 2) * prior
        return truth, p / p.sum(axis=1, keepdims=True)

    def lines(name, codes):
        (folder / name).write_text("\n".join(LABELS[codes]) + "\n")

    truth, p = world(900, prior)
    guess = p.argmax(axis=1)
    other = np.where(rng.random(900) < 0.1, 1, guess)
    lines("gold.txt", truth)
    lines("pred.txt", guess)
    lines("other.txt", other)
    columns = {"gold": LABELS[truth], "a": LABELS[guess], "b": LABELS[other]}
    pl.DataFrame({**columns, "doc": np.arange(900) // 6, "w": 1.5}).write_csv(folder / "all.csv")
    _, new = world(700, [0.1, 0.85, 0.05])
    lines("live.txt", new.argmax(axis=1))
    frame = pl.DataFrame({"id": np.arange(700)} | dict(zip(LABELS, new.T, strict=True)))
    frame.with_columns(pl.selectors.float().round(3)).write_csv(folder / "live.csv")
    frame.write_parquet(folder / "live.parquet")
    (folder / "mix.csv").write_text("label,share\nspam,5\nham,85\nads,10\n")
    (folder / "mix.json").write_text('{"spam": 0.05, "ham": 0.85, "ads": 0.1}')
    return folder


def run(*arguments, ok=True):
    result = CliRunner().invoke(group, [str(a) for a in arguments])
    if ok:
        assert result.exit_code == 0, result.output
    return result


def pair(files):
    return files / "gold.txt", files / "pred.txt"


SCALED = ("calibrate", "--matrix", "15 5; 10 10", "--rows", "pred", "--labels", "a,b", "--scale")


def test_prevalence_scaling_as_the_paper_prints_it():
    """Tables 2 to 4 of Opitz 2022: λ = (1, 2) makes of macP = 5/8 macP' = 19/30."""
    for factors in ("a=1,b=2", "b=2", "a=0.5"):
        found = json.loads(run(*SCALED, factors, "--format", "json").stdout)["metrics"]
        assert found["macro_precision"]["observed"]["value"] == 5 / 8
        assert found["macro_precision"]["expected"]["value"] == pytest.approx(19 / 30, abs=1e-12)
        assert found["macro_recall"]["expected"]["value"] == pytest.approx(19 / 30, abs=1e-12)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("c=2",), "classes to scale must be among 'a', 'b', got 'c'"),
        (("a=0,b=0",), "no item is left of classes scaled by a=0,b=0"),
        (("uniform",), "factors of classes must be such as a=1,b=2, got 'uniform'"),
        (("a=-1",), "factors must be 2 finite numbers ≥ 0"),
        (("a=2", "--to", "uniform"), "--scale gives another class mix than --to"),
    ],
)
def test_what_cannot_be_scaled(more, words):
    assert words in run(*SCALED, *more, ok=False).stderr


def test_calibrate(files):
    found = json.loads(run("calibrate", *pair(files), "--format", "json").stdout)
    table = eh.Confusion.from_labels(*((p.read_text().split()) for p in pair(files)))
    assert found["metrics"]["accuracy"]["expected"]["value"] == pytest.approx(
        eh.macro_recall(table)
    )
    assert found["metrics"]["accuracy"]["observed"]["value"] == pytest.approx(eh.accuracy(table))
    assert len(found["metrics"]) == len(eh.score(table).metrics)
    for m in found["metrics"].values():
        assert m["expected"]["low"] < m["expected"]["value"] < m["expected"]["high"]
    text = run("calibrate", *pair(files)).stdout
    assert "observed" in text and "calibrated to equal classes" in text
    assert (
        "class  " not in text
        and "\nclass  " in run("shift", *pair(files), "--to", "uniform").stdout
    )


@pytest.mark.parametrize("mix", ["mix.csv", "mix.json", "ads=0.1,ham=0.85,spam=0.05"])
def test_a_mix_from_a_file_or_written(files, mix):
    mix = files / mix if "." in mix[-5:] and "=" not in mix else mix
    out = json.loads(run("shift", *pair(files), "--to", mix, "--format", "json").stdout)
    assert [c["expected"]["share"] for c in out["classes"]] == pytest.approx([0.1, 0.85, 0.05])
    c = out["classes"][2]["expected"]
    assert c["precision"]["value"] == pytest.approx(0.05 * c["recall"]["value"] / c["predicted"])


@pytest.mark.parametrize("style", ["table", "json", "csv", "markdown", "latex"])
@pytest.mark.parametrize(
    "asked",
    [
        ("--to", "uniform"),
        ("--sweep", "ham"),
        ("--sweep", "ham", "--against", "other.txt"),
        ("--unlabelled", "live.txt"),
        ("--unlabelled", "live.parquet", "--method", "saerens"),
    ],
)
def test_every_format(files, asked, style):
    asked = [files / a if (files / a).exists() else a for a in asked]
    options = ("--metric", "macro_f1", "--replicates", "100", "--format", style)
    out = run("shift", *pair(files), *asked, *options).stdout
    assert out and ("macro" in out or style == "latex")
    if style == "json":
        assert json.loads(out)["schema"] == 1


def test_unlabelled_labels_and_probabilities_agree(files):
    options = ("--metric", "macro_f1", "--replicates", "200", "--format", "json")
    found = {
        name: json.loads(run("shift", *pair(files), "--unlabelled", files / name, *options).stdout)
        for name in ("live.txt", "live.csv", "live.parquet")
    }
    lines = found["live.txt"]
    assert lines["n_unlabelled"] == 700 and lines["method"] == "likelihood"
    assert "saerens" not in lines["classes"][0]["share"]
    for other in (found["live.csv"], found["live.parquet"]):
        for a, b in zip(lines["classes"], other["classes"], strict=True):
            assert a["share"]["likelihood"]["value"] == pytest.approx(
                b["share"]["likelihood"]["value"], abs=0.01
            )
            assert b["share"]["saerens"]["low"] < b["share"]["saerens"]["high"]
    for c, true in zip(lines["classes"], (0.1, 0.85, 0.05), strict=True):
        assert c["share"]["likelihood"]["low"] < true < c["share"]["likelihood"]["high"]


def test_a_stated_mix_is_tested(files):
    options = ("--unlabelled", files / "live.txt", "--metric", "mcc", "--replicates", "200")
    good = run("shift", *pair(files), *options, "--to", files / "mix.csv")
    assert "fit of the stated mix         p = " in good.stdout and "does not" not in good.stderr
    bad = run("shift", *pair(files), *options, "--to", "spam=0.8,ham=0.1,ads=0.1")
    assert "p = 0.0050 (parametric" in bad.stdout
    assert "stated mix does not explain the predictions" in bad.stderr


def test_against_a_file_a_column_a_matrix_and_a_saved_table(files, tmp_path):
    options = ("--sweep", "ham", "--metric", "accuracy", "--format", "json")
    a = json.loads(run("shift", *pair(files), "--against", files / "other.txt", *options).stdout)
    columns = ("--true", "gold", "--pred", "a", "--against", "b")
    b = json.loads(run("shift", files / "all.csv", *columns, *options).stdout)
    assert a["crossings"][0]["share"] == b["crossings"][0]["share"]
    assert [s["name"] for s in b["systems"]] == ["a", "b"]
    assert (a["crossings"][0]["below"], a["crossings"][0]["above"]) == ("pred", "other")
    grouped = run("shift", files / "all.csv", *columns, "--cluster", "doc", *options).stdout
    assert json.loads(grouped)["crossings"][0]["share"] == b["crossings"][0]["share"]
    for name in ("pred", "other"):
        run(
            "count",
            files / "gold.txt",
            files / f"{name}.txt",
            "--output",
            tmp_path / f"{name}.json",
        )
    c = run("shift", tmp_path / "pred.json", "--against", tmp_path / "other.json", *options)
    assert json.loads(c.stdout)["crossings"][0]["share"] == a["crossings"][0]["share"]
    assert "independent" in c.stderr
    d = run(
        "shift", "--matrix", "80 20; 10 90", "--labels", "a,b", "--sweep", "a",
        "--against", "60 40; 2 98", "--metric", "accuracy", "--points", "0.1,0.2,0.5,0.9",
    )  # fmt: skip
    assert "0.2857" in d.stdout


def test_weights_clusters_and_renamed_labels(files, tmp_path):
    columns = ("--true", "gold", "--pred", "a", "--metric", "macro_f1", "--replicates", "100")
    text = run(
        "shift", files / "all.csv", *columns, "--weights", "w", "--unlabelled", files / "live.txt"
    ).stdout
    assert "labelled items, 700 unlabelled, 95 % intervals" in text
    run("calibrate", files / "all.csv", *columns, "--cluster", "doc", "--interval", "bootstrap")
    (tmp_path / "map.csv").write_text("ads,bulk\nspam,bulk\n")
    for name in ("live.txt", "live.csv"):
        out = run(
            "shift", *pair(files), "--map", tmp_path / "map.csv", "--unlabelled", files / name,
            "--metric", "macro_f1", "--replicates", "100", "--format", "json",
        ).stdout  # fmt: skip
        shares = {c["label"]: c["share"]["likelihood"]["value"] for c in json.loads(out)["classes"]}
        assert shares["bulk"] == pytest.approx(0.15, abs=0.06)


def test_hard_labels_in_a_column(files, tmp_path):
    path = tmp_path / "live.csv"
    path.write_text("id,said\n1,ham\n2,spam\n3,ham\n4,ads\n")
    base = ("shift", *pair(files), "--metric", "mcc", "--replicates", "50", "--unlabelled", path)
    assert "4 unlabelled" in run(*base, "--unlabelled-pred", "said").stdout
    refused = run(*base, ok=False)
    assert refused.exit_code == 2 and "--unlabelled-pred COL" in refused.stderr


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ((), "Expected --to MIX, --sweep CLASS or --unlabelled FILE"),
        (("--to", "nope"), "or a file that exists, got 'nope'"),
        (("--to", "spam=1"), "missing 'ads', 'ham'"),
        (("--to", "spam=x,ham=1,ads=0"), "must be a number, got 'x'"),
        (("--sweep", "x"), "class to sweep must be among"),
        (("--sweep", "ham", "--to", "uniform"), "leave out --to"),
        (("--sweep", "ham", "--points", "a"), "--points must be shares"),
        (("--sweep", "ham", "--interval", "bca"), "may be auto or none"),
        (("--to", "uniform", "--against", "x"), "go with --sweep"),
        (("--to", "uniform", "--method", "adjusted"), "need --unlabelled"),
        (("--unlabelled", "nope.txt"), "nope.txt does not exist"),
        (("--unlabelled", "live.txt", "--method", "saerens"), "needs class probabilities"),
        (("--unlabelled", "live.txt", "--interval", "delta"), "has bootstrap intervals"),
        (("--unlabelled", "mix.csv"), "has columns 'label', 'share'"),
        (("--to", "gold.txt"), "expected LABEL,SHARE"),
    ],
)
def test_refused(files, asked, words):
    asked = [files / a if a.startswith(("live", "mix.", "gold")) else a for a in asked]
    found = run("shift", *pair(files), *asked, ok=False)
    assert found.exit_code == 2 and words in found.stderr
    assert found.stderr.count("\n") == 1 and not found.stdout


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("m.json", "[1]", "must be a JSON object"),
        ("m.json", "{", "expected JSON"),
        ("m.json", '{"ham": "x"}', "expected a share ≥ 0, got 'x'"),
        ("m.json", '{"ham": true, "spam": false}', "expected a share ≥ 0, got True"),
        ("m.json", f'{{"ham": 1{"0" * 400}, "spam": 1}}', "expected a share ≥ 0, got 1000"),
        ("m.json", f'{{"ham": 1{"0" * 5000}, "spam": 1}}', "must be a JSON object"),
        ("m.csv", "ham,1\nham,2\n", "'ham' is given twice"),
        ("m.csv", "ham,-1\n", "expected a share ≥ 0"),
        ("m.csv", "label,share\n", "states no class mix"),
        ("m.tsv", "ham\t0.5\nspam\t0.5\tx\n", "line 2: expected LABEL\\tSHARE"),
    ],
)
def test_mixes_that_are_none(files, tmp_path, name, text, words):
    (tmp_path / name).write_text(text)
    found = run("calibrate", *pair(files), "--to", tmp_path / name, ok=False)
    assert found.exit_code == 2 and words in found.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ads,ham,spam\n0.1,0.9,x\n", "column spam, row 1: expected a probability"),
        ("ads,ham,spam\n0.1,0.9,0.7\n", "sum to 1"),
        ("ads,ham,spam\n", "no rows"),
    ],
)
def test_probabilities_that_are_none(files, tmp_path, text, words):
    path = tmp_path / "p.csv"
    path.write_text(text)
    found = run("shift", *pair(files), "--unlabelled", path, ok=False)
    assert found.exit_code == 2 and words in found.stderr


def test_hostile_labels(tmp_path):
    bad = ["\x1b[31m<b>|$\\", "=1+1", "\u202eabc"]
    truth = [bad[i % 3] for i in range(60)]
    guess = [bad[(i + (i % 7 == 0)) % 3] for i in range(60)]
    for name, column in (("gold.txt", truth), ("pred.txt", guess)):
        (tmp_path / name).write_text("\n".join(column) + "\n")
    base = ("shift", tmp_path / "gold.txt", tmp_path / "pred.txt", "--replicates", "50")
    for asked in (
        ("--to", "uniform"),
        ("--sweep", "=1+1"),
        ("--unlabelled", tmp_path / "pred.txt"),
    ):
        for style in ("table", "csv", "markdown", "latex", "json"):
            found = run(*base, *asked, "--metric", "mcc", "--format", style)
            assert "\x1b" not in found.stdout and "\u202e" not in found.stdout
            assert "\x1b" not in found.stderr and "\u202e" not in found.stderr
            if style == "csv":
                assert "\n=1" not in found.stdout and ",=1" not in found.stdout


def test_standard_input_without_truth(files):
    text = (files / "live.txt").read_text()
    arguments = [str(a) for a in ("shift", *pair(files), "--unlabelled", "-", "--metric", "mcc")]
    result = CliRunner().invoke(group, [*arguments, "--replicates", "50"], input=text)
    assert result.exit_code == 0 and "700 unlabelled" in result.output


@pytest.mark.parametrize("method", ["likelihood", "adjusted"])
def test_one_draw_is_no_interval(files, method):
    asked = ("--unlabelled", files / "live.txt", "--method", method, "--replicates", "1")
    found = json.loads(run("shift", *pair(files), *asked, "--format", "json").stdout)
    assert all(c["share"][method]["se"] is None for c in found["classes"])


def test_an_error_names_the_option_as_the_command_has_it(tmp_path):
    live = tmp_path / "live.txt"
    live.write_text("a\nb\n" * 20)
    words = ["shift", "--matrix", "50 50; 50 50", "--labels", "a,b", "--unlabelled", str(live)]
    done = CliRunner().invoke(group, [*words, "--method", "adjusted"])
    assert done.exit_code == 2
    assert done.stderr.strip().endswith("the rates are singular; use --method likelihood")
