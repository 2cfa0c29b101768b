"""Logs of evaluations of language models: four formats, labels or grades, several samples."""

import json
import math
import zipfile
from contextlib import suppress

import numpy as np
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.inference.permutation import mid_p, tango
from evenhand.io.columns import ReadOptions
from evenhand.io.loading import read

LABELS = ["neg", "neu", "pos"]
TRUE = [LABELS[i % 3] for i in range(30)]


def answers(shift, times=1):
    """An answer for each item and epoch; every tenth is no label."""
    return [
        [
            "no idea" if (i + e) % 10 == 9 else TRUE[(i + (i % shift == 0) * (e + 1)) % 30]
            for e in range(times)
        ]
        for i in range(30)
    ]


def inspect_log(path, model, given, *, status="success", scorers=("match",), version=2, **sample):
    """Write what Inspect writes: a zip archive with a file a sample, or one of JSON."""
    epochs = len(given[0])
    about = {
        "task": "mood",
        "model": model,
        "task_args": sample.pop("task_args", {}),
        "dataset": {"samples": 30, "sample_ids": [f"q{i}" for i in range(30)]},
        "config": {"epochs": epochs},
    }
    header = {"version": version, "status": status, "eval": about}
    metadata = [{"topic": {"name": f"t{i % 6}"}} for i in range(30)]
    samples = [
        {
            "id": f"q{i}",
            "metadata": metadata[i],
            "epoch": e + 1,
            "input": "…",
            "target": TRUE[i],
            "scores": {
                name: {"value": "C" if answer == TRUE[i] else "I", "answer": answer}
                for name in scorers
            },
            **sample,
        }
        for i, own in enumerate(given)
        for e, answer in enumerate(own)
    ]
    for x in samples:
        if x["scores"] and next(iter(x["scores"].values()))["answer"] is None:
            x |= {"scores": {}, "error": {"message": "time-out"}}
    if path.suffix == ".json":
        path.write_text(json.dumps(header | {"samples": samples}, indent=2))
        return
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps(header))
        for x in samples:
            archive.writestr(f"samples/{x['id']}_epoch_{x['epoch']}.json", json.dumps(x))
        archive.writestr("header.json", json.dumps(header))


@pytest.fixture
def answer(run):
    """The JSON that a command gives."""

    def call(*arguments):
        result = run(*map(str, arguments), "--format", "json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return call


def share(given):
    return np.mean([[a == t for a in own] for own, t in zip(given, TRUE, strict=True)])


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_inspect_is_scored_without_an_option(here, answer, ending):
    given = answers(4)
    inspect_log(here / f"a.{ending}", "org/a", given)
    found = answer("score", f"a.{ending}")
    assert found["metrics"]["accuracy"]["value"] == pytest.approx(share(given))
    assert found["labels"] == LABELS
    assert found["outside"] == sum(own == ["no idea"] for own in given)
    line = "Inspect: 30 items of 'mood', 30 samples of 1 system, version 2, scorer match"
    assert line in found["warnings"]
    assert any("3 answers outside the labels ('no idea' 3)" in w for w in found["warnings"])
    hidden = answer("score", f"a.{ending}", "--no-examples")["warnings"]
    assert not any("no idea" in w for w in hidden)


def zstandard(path):
    """Pack the files of an archive with zstandard, in frames of one raw block, by hand."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            size = len(data).to_bytes(4, "little")
            block = (len(data) << 3 | 1).to_bytes(3, "little")
            archive.writestr(name, b"\x28\xb5\x2f\xfd\xa0" + size + block + data)
    raw = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        at = archive.start_dir
        for info in archive.infolist():
            raw[info.header_offset + 8] = raw[at + 10] = 93
            at += 46 + len(info.filename)
    path.write_bytes(raw)


def test_zstandard_and_summaries(here, answer):
    given = answers(4, 2)
    inspect_log(here / "a.eval", "a", given)
    plain = answer("score", "a.eval")
    zstandard(here / "a.eval")
    assert answer("score", "a.eval")["metrics"] == plain["metrics"]
    with zipfile.ZipFile(here / "b.eval", "w") as archive:
        inspect_log(here / "b.json", "a", given)
        log = json.loads((here / "b.json").read_text())
        samples = log.pop("samples")
        for x in samples:
            archive.writestr(f"samples/{x['id']}_epoch_{x['epoch']}.json", json.dumps(x))
        cut = {"metadata": {"topic": "Key removed from summary (> 1k)"}}
        archive.writestr("summaries.json", json.dumps([x | cut for x in samples]))
        archive.writestr("header.json", json.dumps(log))
    assert answer("score", "b.eval")["metrics"] == plain["metrics"]
    slices = answer("score", "b.eval", "--by", "topic.name")["slices"]
    assert slices == answer("score", "a.eval", "--by", "topic.name")["slices"]


def test_several_samples_have_the_error_of_their_items(here, answer):
    """As Inspect has it: the mean of the means of items, and their standard error."""
    given = answers(4, 5)
    inspect_log(here / "a.eval", "a", given)
    found = answer("score", "a.eval", "--interval", "delta")
    accuracy = found["metrics"]["accuracy"]
    means = np.array([[a == t for a in own] for own, t in zip(given, TRUE, strict=True)]).mean(1)
    assert accuracy["value"] == pytest.approx(means.mean())
    assert accuracy["se"] == pytest.approx(means.std(ddof=1) / math.sqrt(30), rel=0.03)
    assert found["items"] == 30 and found["samples"] == 150


def test_clusters_are_fields_of_samples(here, answer, fails):
    """The cluster-robust error that Inspect's stderr(cluster=) has."""
    given = answers(4, 2)
    inspect_log(here / "a.eval", "a", given)
    options = ("--cluster", "topic.name", "--interval", "delta", "--metric", "accuracy")
    found = answer("score", "a.eval", *options)["metrics"]["accuracy"]
    hits = np.array([[a == t for a in own] for own, t in zip(given, TRUE, strict=True)]).mean(1)
    sums = np.bincount(np.arange(30) % 6, hits - hits.mean())
    assert found["se"] == pytest.approx(math.sqrt((sums**2).sum() * 6 / 5) / 30)
    slices = answer("score", "a.eval", "--by", "topic.name")["slices"]
    assert [s["key"] for s in slices] == [f"t{i}" for i in range(6)]
    assert fails("score", "a.eval", "--by", "site") == "a.eval: sample 'q0' has no field 'site'"


def choices_log(path, model, answers, targets="ABCD"):
    """A log of Inspect's multiple choice, with an answer for each item and epoch."""
    samples = [
        {"id": i, "epoch": e + 1, "target": targets[i % len(targets)],
         "scores": {"choice": {"value": "CI"[answer != targets[i % len(targets)]],
                               "answer": answer}}}
        for i, own in enumerate(answers)
        for e, answer in enumerate(own)
    ]  # fmt: skip
    about = {"task": "quiz", "model": model, "config": {"epochs": len(answers[0])}}
    header = {"version": 2, "status": "success", "eval": about}
    path.write_text(json.dumps(header | {"samples": samples}, indent=1))


@pytest.mark.parametrize("epochs", [1, 3])
def test_choices_are_scored_by_accuracy(here, answer, run, epochs):
    """As Inspect reports them: the classes are places, which mean nothing."""
    rng = np.random.default_rng(epochs)
    share = [0.5, 0.2, 0.1, 0.1, 0.1]
    answers = {m: rng.choice(list("ABCDE"), (60, epochs), p=share) for m in "ab"}
    for name, own in answers.items():
        choices_log(here / f"{name}.json", name, own.tolist())
    right = {m: own == np.array(list("ABCD" * 15))[:, None] for m, own in answers.items()}
    found = answer("score", "a.json")
    assert list(found["metrics"]) == ["accuracy"] and found["labels"] == list("ABCD")
    assert found["metrics"]["accuracy"]["value"] == pytest.approx(right["a"].mean())
    means = right["a"].mean(axis=1)
    error = found["metrics"]["accuracy"]["se"]
    assert error == pytest.approx(means.std(ddof=1) / math.sqrt(60), rel=0.03)
    (pair,) = answer("compare", "a.json", "b.json")["pairs"]
    assert pair["metric"] == "accuracy"
    assert pair["difference"] == pytest.approx(right["a"].mean() - right["b"].mean())
    board = answer("rank", "a.json", "b.json")
    assert (board["metric"], list(board["systems"][0]["scores"])) == ("accuracy", ["accuracy"])
    assert not any("macro F1" in line for line in board["verdict"])
    gate = json.loads(run("gate", "a.json", "b.json", "--margin", "1%", "--format", "json").stdout)
    assert gate["metric"] == "accuracy"
    plan = answer("plan", "a.json", "b.json", "--difference", "0.02")
    assert plan["needs"][0]["metric"] == "accuracy"
    for names in (["a.json"], ["a.json", "b.json"]):
        shown = run("report", *names, "--format", "markdown", "-o", "-").stdout
        assert "accuracy" in shown.lower() and "macro F1" not in shown
    both = answer("rank", "a.json", "b.json", "--by-metric", "macro_f1")
    assert list(both["systems"][0]["scores"]) == ["macro_f1", "accuracy"]
    assert answer("score", "a.json", "--metric", "macro_f1")["metrics"].keys() == {"macro_f1"}
    for name in answers:  # one item of the other is not there: then answers are grades
        choices_log(here / f"{name}.json", name, answers[name].tolist()[: 50 + 10 * (name == "a")])
    assert answer("compare", "a.json", "b.json")["pairs"][0]["metric"] == "mean_score"
    report = run("report", "a.json", "b.json", "--format", "markdown", "-o", "-").stdout
    assert "Rank intervals of every system stand in the leaderboard." in report


def test_logs_whose_scorers_differ(here, answer, run, fails):
    """A log with one scorer has no choice; a name that no log knows is refused."""
    (here / "logs").mkdir()
    inspect_log(here / "logs/1.json", "a", answers(4), scorers=("match", "judge"))
    choices_log(here / "logs/2.json", "a", [[x] for x in "ABCD" * 9])
    found = answer("score", "logs", "--scorer", "judge")
    assert [s["key"] for s in found["slices"]] == ["mood", "quiz"]
    lines = {line for line in found["warnings"] if line.startswith("Inspect")}
    assert {line.rpartition(" ")[2] for line in lines} == {"judge", "choice"}
    assert fails("score", "logs/2.json", "--scorer", "jugde") == (
        "no log has the scorer 'jugde', they have 'choice'"
    )
    rows = [{"doc_id": i, "resps": [["x"]], "filtered_resps": [f"{i}"], "target": f"{i}",
             "filter": "none", "metrics": ["exact_match"], "exact_match": 1.0}
            for i in range(9)]  # fmt: skip
    harness(here / "logs/org__b/samples_sums.jsonl", rows)
    warnings = answer("rank", "logs", "--scorer", "judge")["warnings"]
    assert any("lm-evaluation-harness: 9 items of 'sums', 9 samples" in w for w in warnings)
    assert any(w.startswith("Inspect: 36 items of 'quiz', 36 samples") for w in warnings)


def test_an_archive_cut_short(here, fails):
    inspect_log(here / "a.eval", "a", answers(4))
    (here / "a.eval").write_bytes((here / "a.eval").read_bytes()[:900])
    assert fails("score", "a.eval") == (
        "a.eval is an archive that is cut short, or no log of Inspect"
    )


@pytest.mark.parametrize("ending", ["eval", "zip"])
def test_a_damaged_archive_is_one_clear_line(here, ending):
    """Whichever byte is damaged, of the directory or of what it leads to."""
    path = here / f"a.{ending}"
    inspect_log(path.with_suffix(".eval"), "a", answers(4)[:2])
    whole = path.with_suffix(".eval").read_bytes()
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        with suppress(InputError):
            read(ReadOptions(files=(str(path),)))


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("a.json", '{"version": 2, "status": "success", "eval": {"task": "t"}, "samples": []}',
         "a.json is a damaged log of Inspect: KeyError('model')"),
        ("samples_t.jsonl", '{"doc_id": 1, "filter": "none", "resps": [], "metrics": 1}',
         "samples_t.jsonl is a damaged log of lm-evaluation-harness: TypeError("),
        ("s.jsonl", '{"schema_version": "0.2", "evaluation_name": "e", "sample_id": 1}',
         "s.jsonl is a damaged log of Every Eval Ever: KeyError('model_id')"),
        ("p.json", '{"evalId": "x", "results": {"version": 3, "results": [1]}}',
         "p.json is a damaged log of promptfoo: AttributeError("),
    ],
)  # fmt: skip
def test_a_damaged_log_is_one_clear_line(here, fails, name, text, error):
    (here / name).write_text(text + "\n")
    assert fails("score", name).startswith(error)


@pytest.mark.parametrize("column", ["target", "task", "id", "score"])
def test_a_slice_takes_the_place_of_nothing_in_a_log(here, fails, column):
    metadata = [{column: f"x{i % 2}"} for i in range(30)]
    inspect_log(here / "a.json", "a", answers(4))
    log = json.loads((here / "a.json").read_text())
    for sample, fields in zip(log["samples"], metadata, strict=True):
        sample["metadata"] = fields
    (here / "a.json").write_text(json.dumps(log))
    assert fails("score", "a.json", "--by", column) == (
        f"a.json: clusters and slices must be fields that logs have no columns for, got {column!r}"
    )


def test_words_are_scored_by_macro_f1(here, answer):
    inspect_log(here / "a.json", "a", answers(4))
    assert {"macro_f1", "accuracy"} <= answer("score", "a.json")["metrics"].keys()
    choices_log(here / "n.json", "n", [["Y"], ["N"]] * 30, "YN")
    assert "macro_f1" in answer("score", "n.json")["metrics"]
    choices_log(here / "p.json", "p", [["(A)"], ["2"]] * 30, ["(A)", "(B)", "1", "2"])
    assert list(answer("score", "p.json")["metrics"]) == ["accuracy"]


def test_python_takes_the_mean_of_grades_unasked(recwarn):
    grades = {"a": [[0, 1], [1, 0], [0.5, 0.5]] * 9, "b": [[0, 1], [0.6, 0.4], [0, 1]] * 9}
    sample = eh.Sample.from_probabilities(["right"] * 27, grades, labels=["wrong", "right"])
    assert eh.rank(sample, replicates=9).metric == "mean_score"
    assert eh.rank(sample, metrics=["accuracy"], replicates=9).metrics == ("mean_score",)
    assert {p.metric for p in eh.compare(sample).pairs} == {"mean_score"}
    assert eh.gate(sample, margin=0.1)["mean_score"].difference == pytest.approx(0.3)
    assert eh.plan(sample, width=0.1).needs[0].metric == "mean_score"
    assert "mean score 0.8" in eh.report(sample).to_markdown()
    alone = eh.Sample.from_probabilities(["right"] * 27, {"a": grades["a"]}, labels=sample.labels)
    assert list(eh.score(alone).metrics) == ["mean_score"]
    with pytest.raises(eh.EvenhandError, match="grades have no classes"):
        eh.rank(sample, by_metric="macro_f1")


def parted(path, *pairs):
    """Grades of items in slices, each with the models that were asked it."""
    rows = [
        f"{10 * k + i},{model},{key},{i % 3 > (model == 'a')}"
        for k, (key, models) in enumerate(pairs)
        for i in range(10)
        for model in models
    ]
    path.write_text("\n".join(["id,model,topic,points", *rows]) + "\n")


def test_slices_without_an_item_of_both(here, answer, run, fails):
    """They have no difference and no test, and do not stand in the way of the others."""
    parted(here / "g.csv", ("x", "ab"), ("y", "a"), ("z", "b"))
    columns = ("g.csv", "--score", "points", "--system", "model", "--id", "id")
    comparison = answer("compare", *columns, "--by", "topic")
    assert comparison["n"] == comparison["pairs"][0]["items"] == 10
    slices = {s["key"]: s["pairs"][0] for s in comparison["slices"]}
    assert [(s["items"], s["difference"]) for s in slices.values()][1:] == [(0, None)] * 2
    assert slices["x"]["p_adjusted"] == comparison["pairs"][0]["p_adjusted"]
    assert "10 items, 2 systems" in run("compare", *columns, "--by", "topic").stdout
    board = run("rank", *columns, "--by", "topic")
    assert "undefined (2)" in board.stdout and "Warning" not in board.output
    gate = ("gate", *columns, "--margin", "90%", "--baseline", "a", "--by", "topic")
    line = "it cannot be decided on mean score in slice y: no item of both"
    assert line in " ".join(run(*gate).stdout.split())
    few = run(*gate, "--min-items", "5")
    assert few.exit_code == 3 and "fewer than 5 items in y (0), z (0)" in few.stdout
    parted(here / "g.csv", ("x", "a"), ("y", "b"))
    for verb in (
        ["compare"],
        ["gate", "--margin", "1%", "--baseline", "a"],
        ["plan", "--width=0.1"],
    ):
        assert fails(verb[0], *columns, *verb[1:]) == "'a', 'b' have no item in common"


def test_pairs_without_an_item_of_both(here, answer):
    parted(here / "g.csv", ("x", "ac"), ("y", "bc"))
    columns = ("g.csv", "--score", "points", "--system", "model", "--id", "id")
    comparison = answer("compare", *columns)
    pairs = {tuple(p["systems"]): p for p in comparison["pairs"]}
    assert (comparison["n"], comparison["families"]) == (10, 2)
    assert (pairs["a", "b"]["items"], pairs["a", "b"]["p_adjusted"]) == (0, None)
    assert "No test between a and b on mean score: no item of both." in comparison["verdict"]
    wins = {s["name"]: s["win_rate"] for s in answer("rank", *columns)["systems"]}
    assert wins["a"] == pytest.approx(1 - 0.65)
    assert wins["c"] == pytest.approx((0.65 + 0.5) / 2)


def test_systems_are_compared_on_the_items_of_both(here, answer):
    """Each pair by hand: nothing is imputed, and no item of one alone counts."""
    one, two, three = answers(4), answers(2), answers(3)
    for name, given in {"a": one, "b": two[:20], "c": three[:25]}.items():
        inspect_log(here / f"{name}.eval", name, given)
    comparison = answer("compare", "a.eval", "b.eval", "c.eval")
    hits = {
        name: np.array([x[0] == t for x, t in zip(given, TRUE, strict=False)], float)
        for name, given in {"a": one, "b": two[:20], "c": three[:25]}.items()
    }
    for pair in comparison["pairs"]:
        first, second = (hits[s] for s in pair["systems"])
        n = min(len(first), len(second))
        apart = first[:n] - second[:n]
        assert pair["items"] == n
        assert pair["values"] == pytest.approx([first[:n].mean(), second[:n].mean()])
        assert pair["se"] == pytest.approx(apart.std(ddof=1) / math.sqrt(n))
    line = "b has 20, c has 25 of 30 items: two systems are compared on those that both have"
    assert line in comparison["warnings"]
    board = answer("rank", "a.eval", "b.eval", "c.eval")
    systems = {s["name"]: s for s in board["systems"]}
    assert {name: s["n"] for name, s in systems.items()} == {"a": 30, "b": 20, "c": 25}
    wins = [
        np.mean((hits["a"][:n] > x) + (hits["a"][:n] == x) / 2)
        for n, x in ((20, hits["b"]), (25, hits["c"]))
    ]
    assert systems["a"]["win_rate"] == pytest.approx(np.mean(wins))
    assert systems["a"]["best_probability"] is None and systems["a"]["group"]
    apart = {frozenset(p["systems"]): abs(p["difference"]) for p in comparison["pairs"]}
    for s in board["systems"][:-1]:
        pair = frozenset((s["name"], s["next"]["system"]))
        assert abs(s["next"]["difference"]) == pytest.approx(apart[pair])
    separable = sum((s["next"] or {"p_adjusted": 1})["p_adjusted"] < 0.05 for s in board["systems"])
    assert board["resolution"]["separable"] == separable
    assert board["resolution"]["neighbours"] == 2
    assert answer("rank", "a.eval", "b.eval", "--missing", "wrong")["n"] == 30


def test_a_board_takes_the_items_of_both_by_name(here, answer):
    """Systems that come in another order than their names."""
    grades = {"d": [1, 0.9, 0.4, None], "a": [0.1, 0.3, 0.2, 0.2], "c": [None, 0.6, 0.5, 0.8]}
    rows = [f"{s},{i},{g}" for s, own in grades.items() for i, g in enumerate(own) if g is not None]
    (here / "long.csv").write_text("\n".join(["system,id,grade", *rows]) + "\n")
    options = ("--score", "grade", "--system", "system", "--id", "id")
    board = answer("rank", "long.csv", *options)["systems"]
    assert [s["name"] for s in board] == ["d", "c", "a"]
    found = [s["next"]["difference"] for s in board[:2]]
    assert found == pytest.approx([0.65 - 0.55, 1.9 / 3 - 0.7 / 3])


def test_right_and_wrong_have_the_intervals_of_shares(here, answer):
    """Wilson's of one share and Tango's of a difference, as accuracy has them."""
    rng = np.random.default_rng(3)
    right = {name: rng.integers(0, 2, 40) for name in "ab"}
    rows = [f"{i},{a},{b}" for i, (a, b) in enumerate(zip(*right.values(), strict=True))]
    (here / "w.csv").write_text("\n".join(["id,a,b", *rows]) + "\n")
    graded = answer("compare", "w.csv", "--score", "a", "--score", "b")["pairs"][0]
    only = [int((right[x] > right[y]).sum()) for x, y in ("ab", "ba")]
    assert graded["p"]["mcnemar"] == pytest.approx(mid_p(*only))
    assert (graded["low"], graded["high"]) == pytest.approx(tango(*only, 40, 0.95))
    share = answer("score", "w.csv", "--score", "a")["metrics"]["mean_score"]
    p, z = right["a"].mean(), 1.959964
    centre, half = p + z**2 / 80, z * math.sqrt(p * (1 - p) / 40 + (z / 80) ** 2)
    ends = [(centre - half) / (1 + z**2 / 40), (centre + half) / (1 + z**2 / 40)]
    assert [share["low"], share["high"]] == pytest.approx(ends, abs=1e-6)


@pytest.mark.parametrize("verb", ["compare", "rank", "gate --margin 0.5"])
def test_logs_are_systems(here, answer, verb):
    one, two = answers(4), answers(2)
    inspect_log(here / "a.eval", "org/a", one)
    inspect_log(here / "b.json", "org/b", two)
    verb, *more = verb.split()
    found = answer(verb, "a.eval", "b.json", "--metric", "accuracy", *more)
    if verb == "rank":
        values = {s["name"]: s["scores"]["accuracy"]["value"] for s in found["systems"]}
        assert values == pytest.approx({"org/a": share(one), "org/b": share(two)})
    else:
        pair = found["pairs"][0] if verb == "compare" else found
        sign = 1 if verb == "compare" else -1
        assert pair["difference"] == pytest.approx(sign * (share(one) - share(two)))


def test_a_folder_of_logs_is_a_leaderboard(here, answer, run, fails):
    (here / "logs" / "more").mkdir(parents=True)
    inspect_log(here / "logs" / "a.eval", "a", answers(4))
    inspect_log(here / "logs" / "more" / "b.eval", "b", answers(2))
    assert [s["name"] for s in answer("rank", "logs")["systems"]] == ["a", "b"]
    assert fails("score", "logs").startswith("logs has the systems 'a', 'b': evenhand rank logs")
    assert run("report", "logs", "-o", "r.html").exit_code == 0
    assert run("report", "logs/a.eval", "-o", "r.html").exit_code == 0


def test_tasks_with_and_without_epochs_are_data_sets(here, answer, run):
    (here / "logs").mkdir()
    inspect_log(here / "logs" / "x.json", "a", answers(4, 3))
    inspect_log(here / "logs" / "y.json", "a", answers(2), scorers=("judge",))
    text = (here / "logs" / "y.json").read_text().replace('"task": "mood"', '"task": "tone"')
    (here / "logs" / "y.json").write_text(text)
    found = answer("score", "logs")
    assert (found["items"], found["samples"]) == (60, 120)
    shares = {s["key"]: s["metrics"]["accuracy"]["value"] for s in found["slices"]}
    assert shares == pytest.approx({"mood": share(answers(4, 3)), "tone": share(answers(2))})
    lines = (
        "Inspect: 30 items of 'mood', 90 samples of 1 system, version 2, scorer match",
        "Inspect: 30 items of 'tone', 30 samples of 1 system, version 2, scorer judge",
        "120 samples of 60 items: the samples of an item count together as one",
    )
    assert {*lines} <= {*found["warnings"]}
    assert "slice  samples" in run("score", "logs").stdout


def test_tasks_of_labels_are_scored_in_one(here, answer):
    """Without epochs their tables are added up, as the others' samples are."""
    (here / "logs").mkdir()
    inspect_log(here / "logs/x.json", "a", answers(4))
    inspect_log(here / "logs/y.json", "a", answers(2))
    text = (here / "logs/y.json").read_text().replace('"task": "mood"', '"task": "tone"')
    (here / "logs/y.json").write_text(text)
    found = answer("score", "logs")
    assert found["n"] == 60 and [s["n"] for s in found["slices"]] == [30, 30]
    both = (share(answers(4)) + share(answers(2))) / 2
    assert found["metrics"]["accuracy"]["value"] == pytest.approx(both)


def test_a_log_without_answers_is_refused(here, fails):
    inspect_log(here / "a.eval", "a", [[None]] * 30, status="error")
    line = "a.eval: the log has no sample with an answer or a grade"
    assert fails("score", "a.eval") == line


def test_logs_of_one_model_are_told_apart_by_settings_or_files(here, answer):
    inspect_log(here / "x.eval", "a", answers(4), task_args={"shots": 0, "lang": "de"})
    inspect_log(here / "y.eval", "a", answers(2), task_args={"shots": 5, "lang": "de"})
    names = [s["name"] for s in answer("rank", "x.eval", "y.eval")["systems"]]
    assert names == ["a (shots=0)", "a (shots=5)"]
    inspect_log(here / "y.eval", "a", answers(2), task_args={"shots": 0, "lang": "de"})
    names = [s["name"] for s in answer("rank", "x.eval", "old=y.eval")["systems"]]
    assert names == ["a (x)", "old"]


def test_what_failed_is_missing_and_said(here, answer):
    given = answers(4, 2)
    given[3] = [None, given[3][1]]
    given[5] = [given[5][0], None]
    inspect_log(here / "a.eval", "a", given[:25], status="error")
    found = answer("score", "a.eval")
    assert found["missing"] == 2
    words = "a.eval is a log that did not succeed (error): 5 of 30 items missing"
    assert words in found["warnings"]


def test_what_cannot_be_told_is_asked_about(here, fails):
    inspect_log(here / "a.eval", "a", answers(4), scorers=("match", "judge"))
    assert fails("score", "a.eval") == (
        "a.eval has the scorers 'match', 'judge': say which with --scorer match"
    )
    inspect_log(here / "a.eval", "a", answers(4), version=3)
    line = "a.eval: Inspect logs of version 2 are read, got version 3"
    assert fails("score", "a.eval") == line
    (here / "b.txt").write_text("a\nb\n")
    inspect_log(here / "a.eval", "a", answers(4))
    line = "b.txt is no log of an evaluation, as others here are"
    assert fails("compare", "a.eval", "b.txt") == line


def harness(path, rows):
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_choices_of_the_harness_by_likelihood(here, answer):
    rows = []
    for i in range(40):
        logs = [[str(-1.0 - (j != i % 3) - (j == i % 7)), "False"] for j in range(3)]
        best = max(range(3), key=lambda j: float(logs[j][0]))
        rows.append(
            {
                "doc_id": i,
                "doc": {"q": "…"},
                "target": str(i % 3),
                "arguments": {f"gen_args_{j}": {"arg_0": "…", "arg_1": f" {v}"}
                              for j, v in enumerate(LABELS)},
                "resps": [[x] for x in logs],
                "filtered_resps": logs,
                "filter": "none",
                "metrics": ["acc", "acc_norm"],
                "acc": float(best == i % 3),
                "acc_norm": 1.0,
            }
        )  # fmt: skip
    name = harness(here / "org__m" / "samples_mood_2026-01-01T00-00-00.1.jsonl", rows)
    found = answer("score", name)
    assert found["labels"] == LABELS
    assert found["metrics"]["accuracy"]["value"] == pytest.approx(np.mean([r["acc"] for r in rows]))
    assert any("lm-evaluation-harness: 40 items of 'mood'" in w for w in found["warnings"])
    normed = answer("score", name, "--scorer", "acc_norm")
    assert normed["metrics"]["mean_score"]["value"] == 1


def test_generations_of_the_harness_have_filters_and_grades(here, answer, fails):
    rows = [
        {"doc_id": i, "doc": {}, "target": str(i * i), "arguments": {}, "resps": [["…"]],
         "filtered_resps": [str(i * i) if i % step else "?"], "filter": name,
         "metrics": ["exact_match"], "exact_match": float(i % step > 0)}
        for name, step in (("strict", 2), ("flexible", 5))
        for i in range(30)
    ]  # fmt: skip
    name = harness(here / "org__m" / "samples_sums_2026-01-01T00-00-00.1.jsonl", rows)
    assert fails("score", name).endswith(
        "has the filters 'strict', 'flexible': say which with --filter strict"
    )
    found = answer("score", name, "--filter", "flexible")
    assert found["metrics"]["mean_score"]["value"] == pytest.approx(0.8)
    assert list(found["metrics"]) == ["mean_score"] and found["classes"] == []


def test_ids_beyond_64_bits_stay_apart(here, answer):
    rows = [
        {"doc_id": 2**70 + i, "doc": {}, "target": str(i * i), "arguments": {}, "resps": [["…"]],
         "filtered_resps": ["?"], "filter": "f", "metrics": ["exact_match"], "exact_match": i % 2}
        for i in range(30)
    ]  # fmt: skip
    found = answer("score", harness(here / "org__m" / "samples_sums.jsonl", rows))
    assert (found["n"], found["metrics"]["mean_score"]["value"]) == (30, 0.5)


def harness_run(folder, seed, n=50):
    """A run as the harness leaves it: samples of two tasks, and their summary by its formulas."""
    rng = np.random.default_rng(seed)
    choices = [" north", " south-east", " up", " a long way"]
    hashes = {"doc_hash": "a" * 64, "prompt_hash": "b" * 64, "target_hash": "c" * 64}
    where, sums = [], []
    for i in range(n):
        target, logs = int(rng.integers(4)), rng.normal(-8, 2, 4)
        logs[target] += 2
        pairs = [[str(x), "False"] for x in logs]
        best, normed = (int(np.argmax(logs / size)) for size in (1, [len(c) for c in choices]))
        where.append(
            {"doc_id": i, "doc": {"question": f"q{i}", "choices": choices}, "target": str(target),
             "arguments": {f"gen_args_{j}": {"arg_0": f"q{i}", "arg_1": c}
                           for j, c in enumerate(choices)},
             "resps": [[x] for x in pairs], "filtered_resps": pairs, "filter": "none",
             "metrics": ["acc", "acc_norm"], **hashes,
             "acc": float(best == target), "acc_norm": float(normed == target)}
        )  # fmt: skip
        for name, chance in (("strict-match", 0.5), ("flexible-extract", 0.8)):
            right = bool(rng.random() < chance)
            sums.append(
                {"doc_id": i, "doc": {"question": f"{i} · 2"}, "target": str(2 * i),
                 "arguments": {"gen_args_0": {"arg_0": f"{i} · 2", "arg_1": {"until": ["Q:"]}}},
                 "resps": [["…"]], "filtered_resps": [str(2 * i) if right else "[invalid]"],
                 "filter": name, "metrics": ["exact_match"], **hashes,
                 "exact_match": float(right)}
            )  # fmt: skip
    results = {}
    for task, rows in (("where", where), ("sums", sums)):
        harness(folder / f"samples_{task}_2026-01-01T00-00-00.123456.jsonl", rows)
        results[task] = {"alias": task}
        for metric, name in {(m, x["filter"]) for x in rows for m in x["metrics"]}:
            scores = [x[metric] for x in rows if x["filter"] == name]
            mean = sum(scores) / n
            deviation = math.sqrt(sum((x - mean) ** 2 for x in scores) / (n - 1))
            results[task][f"{metric},{name}"] = mean
            results[task][f"{metric}_stderr,{name}"] = deviation / math.sqrt(n)
    summary = {
        "results": results,
        "n-samples": {t: {"original": n, "effective": n} for t in results},
    }
    (folder / "results_2026-01-01T00-00-00.123456.json").write_text(json.dumps(summary, indent=2))
    return results, {"where": where, "sums": sums}


def test_the_summary_of_the_harness(here, answer):
    """Its means are ours; its errors divide by n - 1 where one share's here divides by n."""
    results, _ = harness_run(here / "org__a", 1)
    compared = 0
    for task, summary in results.items():
        (name,) = (here / "org__a").glob(f"samples_{task}_*")
        for key in (key for key in summary if "," in key and "_stderr" not in key):
            metric, filtered = key.split(",")
            found = answer("score", name, "--scorer", metric, "--filter", filtered)
            score = found["metrics"]["accuracy" if metric == "acc" else "mean_score"]
            assert score["value"] == pytest.approx(summary[key], abs=1e-12)
            error = summary[f"{metric}_stderr,{filtered}"]
            assert score["se"] * math.sqrt(50 / 49) == pytest.approx(error, abs=1e-12)
            compared += 1
    assert compared == 4


def test_two_runs_of_the_harness_by_hand(here, answer):
    """The difference has the harness's own standard error, of the differences of items."""
    runs = [harness_run(here / f"org__{name}", seed)[1]["where"] for seed, name in enumerate("ab")]
    apart = np.subtract(*([x["acc_norm"] for x in rows] for rows in runs))
    names = [next((here / f"org__{name}").glob("samples_where_*")) for name in "ab"]
    (pair,) = answer("compare", *names, "--scorer", "acc_norm")["pairs"]
    assert pair["difference"] == pytest.approx(apart.mean(), abs=1e-12)
    assert pair["se"] * math.sqrt(50 / 49) == pytest.approx(apart.std(ddof=1) / math.sqrt(50))


def every_eval(path, rows):
    lines = [
        {"schema_version": row.pop("schema_version", "0.2.1"), "evaluation_id": "e",
         "model_id": "org/m", "evaluation_name": "quiz", "sample_id": f"id{i}",
         "interaction_type": "single_turn", **row}
        for i, row in enumerate(rows)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_every_eval_ever(here, answer, fails):
    texts = ["one", "two", "three", "four"]
    rows = [
        {"input": {"raw": "?", "reference": [texts[i % 4]], "choices": texts},
         "output": {"raw": [" A"]},
         "answer_attribution": [{"extracted_value": "ABCD"[i % 3], "is_terminal": True}],
         "evaluation": {"score": float(i % 3 == i % 4), "is_correct": i % 3 == i % 4}}
        for i in range(48)
    ]  # fmt: skip
    every_eval(here / "x_samples.jsonl", rows)
    found = answer("score", "x_samples.jsonl")
    assert found["labels"] == list("ABCD")
    assert found["metrics"]["accuracy"]["value"] == pytest.approx(
        np.mean([i % 3 == i % 4 for i in range(48)])
    )
    every_eval(here / "x_samples.jsonl", [rows[0] | {"schema_version": "1.0"}])
    assert "of version 0 are read, got version 1.0" in fails("score", "x_samples.jsonl")


def test_promptfoo(here, answer):
    results = [
        {"promptIdx": 0, "testIdx": i, "provider": {"id": name}, "success": i % step > 0,
         "score": float(i % step > 0), "vars": {}, "testCase": {"assert": [{"type": "llm-rubric"}]},
         "response": {"output": "…"}}
        for name, step in (("openai:a", 3), ("openai:b", 2))
        for i in range(20)
    ]  # fmt: skip
    text = {"evalId": "eval-1", "results": {"version": 3, "results": results}, "config": {}}
    (here / "p.json").write_text(json.dumps(text))
    found = answer("rank", "p.json")
    values = {s["name"]: s["scores"]["mean_score"]["value"] for s in found["systems"]}
    assert values == pytest.approx({"openai:a": 13 / 20, "openai:b": 0.5})
    assert found["baselines"] == {}


def test_grades_have_no_classes(here, run, answer):
    (here / "g.csv").write_text("id,s\n" + "".join(f"{i},{i % 2}\n" for i in range(20)))
    result = run("twins", "g.csv", "--score", "s")
    assert result.exit_code == 2
    words = "Grades have no classes: score, compare, rank, gate, plan and report take them"
    assert words in result.stderr
    for more in ([], ["--all"]):
        assert (
            answer("score", "g.csv", "--score", "s", *more)["metrics"]["mean_score"]["value"] == 0.5
        )


def test_grades_are_planned_and_reported(here, run, answer):
    rng = np.random.default_rng(1)
    rows = [f"{i},{rng.integers(2)},{rng.integers(2)}" for i in range(100)]
    (here / "g.csv").write_text("\n".join(["id,a,b", *rows]) + "\n")
    plan = answer("plan", "g.csv", "--score", "a", "--width", "0.1")
    share = np.mean([int(row.split(",")[1]) for row in rows])
    assert plan["needs"][0]["metric"] == "mean_score"
    assert plan["items"] == pytest.approx(share * (1 - share) * (2 * 1.96 / 0.1) ** 2, rel=0.01)
    both = answer("plan", "g.csv", "--score", "a", "--score", "b", "--difference", "0.1")
    assert both["items"] > 100
    for systems in (["a"], ["a", "b"]):
        columns = [x for s in systems for x in ("--score", s)]
        shown = run("report", "g.csv", *columns, "--format", "markdown", "-o", "-")
        assert shown.exit_code == 0
        assert "mean score" in shown.stdout and "macro F1" not in shown.stdout


def test_a_plan_of_samples_counts_items(here, answer):
    rows = [(f"q{i}", e, int(i % 3 > (e == i % 4))) for i in range(60) for e in range(4)]
    lines = [",".join(map(str, row)) for row in rows]
    (here / "s.csv").write_text("\n".join(["id,epoch,s", *lines]) + "\n")
    columns = ("--score", "s", "--id", "id", "--sample", "epoch", "--width", "0.05")
    plan = answer("plan", "s.csv", *columns)
    means = np.array([x for *_, x in rows]).reshape(60, 4).mean(axis=1)
    assert plan["items"] == pytest.approx(means.var() * (2 * 1.96 / 0.05) ** 2, rel=0.03)
    assert plan["clusters"] is None and "of 4 samples each" in plan["message"]


def test_look_knows_a_folder_of_logs(here, answer):
    (here / "logs").mkdir()
    for name in "ab":
        inspect_log(here / "logs" / f"{name}.eval", name, answers(4))
    found = answer("look", "logs")
    assert (found["kind"], found["command"]) == (
        "a folder of 2 logs of Inspect",
        "evenhand rank logs",
    )
    both = answer("look", "logs/a.eval", "logs/b.eval")
    assert both["commands"] == ["evenhand compare logs/a.eval logs/b.eval"]


def test_columns_in_lists_and_objects(here, answer):
    rows = [{"id": i, "gold": "ab"[i % 2], "answers": ["ab"[i % 3 > 0], "z"],
             "scores": {"match": {"value": "CI"[i % 4 > 0]}}} for i in range(24)]  # fmt: skip
    (here / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = answer("score", "r.jsonl", "--true", "gold", "--pred", "answers.0")
    expected = np.mean([row["gold"] == row["answers"][0] for row in rows])
    assert found["metrics"]["accuracy"]["value"] == pytest.approx(expected)
    graded = answer("score", "r.jsonl", "--score", "scores.match.value")
    assert graded["metrics"]["mean_score"]["value"] == pytest.approx(0.25)


def test_look_and_plan_know_logs(here, answer):
    inspect_log(here / "a.eval", "a", answers(4))
    inspect_log(here / "b.eval", "b", answers(2))
    found = answer("look", "a.eval")
    assert (found["kind"], found["command"]) == ("a log of Inspect", "evenhand score a.eval")
    plan = answer("plan", "a.eval", "b.eval", "--difference", "0.05", "--metric", "accuracy")
    assert plan["items"] > 0


# Grades in columns


GRADES = {"a": [1, 0, 1, 1, 0.5] * 8, "b": [0, 0, 1, 0, 0.5] * 8}


def graded(here, name="g.csv", times=1):
    rows = ["id,model,draw,topic,points"]
    rows += [
        f"{i},{m},{e},{'xy'[i % 2]},{g}"
        for m, own in GRADES.items()
        for i, g in enumerate(own)
        for e in range(times)
    ]
    (here / name).write_text("\n".join(rows) + "\n")


def test_grades_are_compared_item_by_item(here, answer):
    graded(here)
    options = ("g.csv", "--score", "points", "--system", "model", "--id", "id")
    pair = answer("compare", *options)["pairs"][0]
    apart = np.subtract(*GRADES.values())
    assert pair["difference"] == pytest.approx(apart.mean())
    board = answer("rank", *options, "--by", "topic")
    first = board["systems"][0]
    assert first["name"] == "a"
    assert first["scores"]["mean_score"]["value"] == pytest.approx(np.mean(GRADES["a"]))
    assert len(board["slices"]) == 2


def test_samples_of_grades_are_not_taken_for_items(here, answer, fails):
    graded(here), graded(here, "many.csv", 4)
    options = ("--score", "points", "--system", "model", "--id", "id")
    once = answer("rank", "g.csv", *options)["systems"][0]["scores"]["mean_score"]
    again = answer("rank", "many.csv", *options, "--sample", "draw")["systems"][0]["scores"]
    for name in ("value", "low", "high"):
        assert again["mean_score"][name] == pytest.approx(once[name], abs=0.02)
    assert "--system model --id id" in fails("score", "g.csv", "--score", "points")
    line = fails("rank", "many.csv", "--score", "points", "--system", "model", "--id", "id")
    assert "need --system COL, or --sample COL if they are independent answers" in line


def test_a_file_or_a_column_a_system(here, answer):
    for name, own in GRADES.items():
        rows = [f"{i},{'C' if g == 1 else 'P' if g else 'I'}" for i, g in enumerate(own)]
        (here / f"{name}.csv").write_text("\n".join(["id,grade", *reversed(rows)]) + "\n")
    found = answer("rank", "a.csv", "b.csv", "--score", "grade", "--id", "id")
    values = {s["name"]: s["scores"]["mean_score"]["value"] for s in found["systems"]}
    assert values == pytest.approx({name: np.mean(own) for name, own in GRADES.items()})
    wide = [f"{x},{y}" for x, y in zip(*GRADES.values(), strict=True)]
    (here / "w.csv").write_text("\n".join(["a,b", *wide]) + "\n")
    found = answer("rank", "w.csv", "--score", "a", "--score", "b")
    assert {s["name"]: s["scores"]["mean_score"]["value"] for s in found["systems"]} == values


def test_grades_of_a_range_are_shares_of_it(here, answer, run):
    rows = [f"{i},{1 + i % 5}" for i in range(40)]
    (here / "g.csv").write_text("\n".join(["id,points", *rows]) + "\n")
    given = ("score", "g.csv", "--score", "points", "--score-range")
    found = answer(*given, "1,5")
    assert found["metrics"]["mean_score"]["value"] == pytest.approx(0.5)
    assert "grades from 1 to 5 count as 0 to 1" in found["warnings"]
    assert "expected two numbers such as 1,5" in run(*given, "5").stderr
    (here / "l.csv").write_text("id,grade\n1,C\n2,P\n3,N\n4,I\n")
    letters = answer("score", "l.csv", "--score", "grade")
    assert letters["metrics"]["mean_score"]["value"] == pytest.approx(0.375)
    assert (
        "grades: C counts as 1, P (partly) as 0.5, I and N (no answer) as 0" in letters["warnings"]
    )


def test_what_is_no_grade(here, fails):
    (here / "g.csv").write_text("id,s\n1,3\n2,0\n")
    assert fails("score", "g.csv", "--score", "s") == (
        "grades must lie between 0 and 1, got 3.0: say where they lie with --score-range LOW,HIGH"
    )
    (here / "g.csv").write_text("id,s\n1,good\n2,0\n")
    assert fails("score", "g.csv", "--score", "s") == (
        "g.csv, column 's': expected grades from 0 to 1, true and false, or C, P, I and N, got "
        "'good'"
    )
    (here / "g.csv").write_text("id,s,label\n1,1,a\n2,0,b\n")
    assert fails("score", "g.csv", "--score", "s", "--true", "label") == (
        "--score COL goes without --true COL"
    )


def graded_log(path, model, grades):
    """A log of Inspect with free answers; an item without a grade is one not asked."""
    about = {"task": "free", "model": model, "config": {"epochs": len(grades[0] or grades[-1])}}
    samples = [
        {"id": i, "epoch": e + 1, "target": f"t{i}", "scores": {"match": {"value": grade}}}
        for i, own in enumerate(grades)
        for e, grade in enumerate(own)
    ]
    about["dataset"] = {"sample_ids": [s["id"] for s in samples if s["epoch"] == 1]}
    header = {"version": 2, "status": "success", "eval": about}
    path.write_text(json.dumps(header | {"samples": samples}, indent=1))


@pytest.fixture
def unequal(here):
    """Two epochs of two models, of which the second lacks a third of the items, all easy."""
    first = [["C", "C"]] * 20 + [["C", "I"], ["I", "I"]] * 20
    second = [[]] * 20 + [["C", "I"], ["C", "C"]] * 20
    (here / "logs").mkdir()
    graded_log(here / "logs/1.json", "org/second-in-the-alphabet", first)
    graded_log(here / "logs/2.json", "org/first-in-the-alphabet", second)


def test_accuracy_of_grades_is_their_mean_on_the_items_of_both(unequal, answer, run):
    for options in ([], ["--metric", "accuracy"]):
        (pair,) = answer("compare", "logs", *options)["pairs"]
        assert (pair["metric"], pair["items"]) == ("mean_score", 40)
        assert pair["values"] == pytest.approx([0.25, 0.75])
        result = run("gate", "logs", "--margin", "1%", "--format", "json", *options)
        gate = json.loads(result.stdout)
        assert (gate["metric"], gate["n"]) == ("mean_score", 40)
        assert gate["difference"] == pytest.approx(0.5)
        assert "most probable" not in result.output
    board = answer("rank", "logs", "--by-metric", "accuracy")
    assert list(board["systems"][0]["scores"]) == ["mean_score"]
    planned = answer("plan", "logs", "--difference", "0.02", "--metric", "accuracy")
    assert planned["needs"][0]["metric"] == "mean_score"
    for verb in (["compare"], ["gate", "--margin", "1%"], ["rank"], ["plan", "--width", "0.1"]):
        refused = run(verb[0], "logs", *verb[1:], "--metric", "macro_f1")
        assert refused.exit_code == 2
        assert "grades have no classes, which macro_f1 needs: mean_score is" in refused.output


@pytest.mark.parametrize("labels", [True, False])
def test_systems_are_in_the_order_of_the_files(here, answer, run, labels):
    for name, shift in (("b", 4), ("a", 2)):
        given = [
            ["C" if a == t else "I" for a in own]
            for own, t in zip(answers(shift), TRUE, strict=True)
        ]
        if labels:
            inspect_log(here / f"{name}.json", f"org/{name}", answers(shift))
        else:
            graded_log(here / f"{name}.json", f"org/{name}", given)
    for files, systems in (("ab", ["org/a", "org/b"]), ("ba", ["org/b", "org/a"])):
        paths = [f"{name}.json" for name in files]
        assert answer("compare", *paths)["systems"] == systems
        gate = json.loads(run("gate", *paths, "--margin", "5%", "--format", "json").stdout)
        assert [gate["old"], gate["new"]] == systems
        assert f"{systems[1]} (new)" in gate["message"]
        assert f"{systems[0]} (old)" in gate["message"]


def test_a_baseline_by_the_last_part_of_its_name(unequal, run):
    short = ["gate", "logs", "--margin", "1%", "--format", "json", "--baseline"]
    gate = json.loads(run(*short, "first-in-the-alphabet").stdout)
    assert gate["old"] == "org/first-in-the-alphabet"
    assert "baseline must be one of" in run(*short, "alphabet").output
