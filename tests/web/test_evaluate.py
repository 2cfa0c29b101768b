"""Evaluate in Chromium: files dropped or chosen, columns, progress, cancel, taking it along."""

import itertools
import json
import random
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import evenhand as eh
from tests.io.test_logs import LABELS as LOG_LABELS
from tests.io.test_logs import TRUE, answers, inspect_log
from tests.web.browsing import HOSTILE, Tab, children, serving, text, until

pytestmark = pytest.mark.browser
EXAMPLE = Path(__file__).parents[2] / "examples" / "shared-task"


def lines(labels):
    return "".join(f"{label}\n" for label in labels)


GOLD = list("aabbbaabab" * 6)
RUNS = {"one": list("aabbbabaab" * 6), "two": list("abbbbaabaa" * 6), "three": list("ab" * 30)}


def evaluated(page, run="#run"):
    page.click(run)
    page.wait_for_selector("#evaluated:not([hidden])")


def test_dropped_files_become_a_leaderboard(tab, tmp_path):
    one = tab("evaluate")
    one.drop("#drop-gold", ("gold.txt", lines(GOLD)))
    one.drop("#drop-runs", *((f"{name}.txt", lines(run)) for name, run in RUNS.items()))
    one.page.get_by_text("gold.txt: text, one label per line, 60 rows").wait_for()
    assert one.page.locator("#chosen").is_hidden()
    one.page.select_option("#by_metric", "accuracy")
    evaluated(one.page)
    board = eh.rank(GOLD, RUNS, by_metric="accuracy")
    shown = one.page.locator("#evaluate-result table", has_text="rank interval").first
    named = shown.locator("tbody .key").all_inner_texts()
    assert named == list(board)
    assert one.page.locator("#evaluate-result svg:visible").count() >= 3
    _, content = one.download('#evaluate-take [data-form="json"]')
    downloaded = json.loads(content)
    assert downloaded.pop("read")["matched_by"] == "row"
    assert downloaded == json.loads(board.to_json())
    for form, wanted in (("csv", board.to_csv()), ("latex", board.to_latex())):
        _, content = one.download(f'#evaluate-take [data-form="{form}"]')
        assert content.decode().rstrip("\n") == wanted.rstrip("\n")
    name, report = one.download('#evaluate-take [data-form="html"]')
    assert name == "evaluation.html"
    assert b"Content-Security-Policy" in report
    # the command line that is shown does the same
    command = shlex.split(one.page.locator("#command-line").inner_text())
    assert command[0] == "evenhand"
    for file, labels in {"gold": GOLD, **RUNS}.items():
        (tmp_path / f"{file}.txt").write_text(lines(labels))
    run = [sys.executable, "-m", "evenhand", *command[1:]]
    subprocess.run(run, cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "report.html").read_bytes() == report


def test_one_system_is_scored(tab):
    one = tab("evaluate")
    one.drop("#drop-gold", ("gold.txt", lines(GOLD)))
    one.drop("#drop-runs", ("one.txt", lines(RUNS["one"])))
    evaluated(one.page)
    pictured = "all => all.map(s => Boolean(s.querySelector('svg')))"
    order = one.page.locator("#evaluate-result > section").evaluate_all(pictured)
    assert order[0] and order == sorted(order, reverse=True)  # pictures before tables
    found = eh.score(GOLD, RUNS["one"])
    assert text(found["macro_f1"].value, 3) in one.page.locator("#evaluate-result").inner_text()
    _, content = one.download('#evaluate-take [data-form="json"]')
    assert json.loads(content)["metrics"] == json.loads(found.to_json())["metrics"]


def test_two_systems_are_compared(tab):
    one = tab("evaluate")
    one.drop("#drop-gold", ("gold.txt", lines(GOLD)))
    one.drop("#drop-runs", *((f"{n}.txt", lines(RUNS[n])) for n in ("one", "two")))
    one.page.get_by_label("A comparison of every pair").check()
    evaluated(one.page)
    _, content = one.download('#evaluate-take [data-form="json"]')
    wanted = eh.compare(GOLD, {n: RUNS[n] for n in ("one", "two")})
    assert json.loads(content)["pairs"] == json.loads(wanted.to_json())["pairs"]


def test_columns_are_guessed_and_may_be_chosen(tab):
    rows = zip(range(60), GOLD, *RUNS.values(), strict=True)
    table = "".join(",".join(map(str, row)) + "\n" for row in [("id", "gold", *RUNS), *rows])
    one = tab("evaluate")
    one.drop("#drop-gold", ("all.csv", table))
    one.page.wait_for_selector("#chosen:not([hidden])")
    assert one.page.locator("#true").input_value() == "gold"
    assert one.page.locator("#pred").evaluate(
        "s => [...s.selectedOptions].map(o => o.value)"
    ) == list(RUNS)
    one.page.select_option("#pred", ["two"])
    evaluated(one.page)
    _, content = one.download('#evaluate-take [data-form="json"]')
    assert json.loads(content)["metrics"]["macro_f1"]["value"] == (
        eh.score(GOLD, RUNS["two"])["macro_f1"].value
    )


def test_gold_and_runs_with_columns_of_their_own(tab):
    def table(labels, name):
        return f"id\t{name}\n" + "".join(f"{i}\t{x}\n" for i, x in enumerate(labels))

    one = tab("evaluate")
    one.drop("#drop-gold", ("gold.tsv", table(GOLD, "label")))
    one.drop("#drop-runs", ("one.tsv", table(RUNS["one"], "answer")))
    one.page.wait_for_selector("#chosen:not([hidden])")
    one.page.get_by_text("one.tsv: TSV, 60 rows").wait_for()
    one.page.select_option("#true", "label")
    one.page.select_option("#pred", "answer")
    one.page.select_option("#id", "id")
    evaluated(one.page)
    command = one.page.locator("#command-line").inner_text()
    assert "--true=label --pred=answer --id=id" in command
    one.drop("#drop-runs", ("two.csv", "id,reply\n1,0\n2,1\n"))  # labels, and no scores
    one.page.wait_for_selector("#pred option[value=reply]", state="attached")
    assert one.page.locator("#probabilities option:checked").count() == 0


def test_files_are_asked_about_by_their_own_columns(tab):
    """Whoever is quicker than the look at a second file gets what that file has."""
    one = tab("evaluate")
    one.drop("#drop-gold", ("one.csv", "gold,pred\na,a\nb,b\n"))
    one.page.wait_for_selector("#chosen:not([hidden])")
    held = []
    one.page.route("**/look", lambda route: held.append(route))
    one.drop("#drop-gold", ("two.csv", "truth,answer\na,a\nb,a\n"))
    until(one.page, lambda: held)
    one.page.click("#run")
    held.pop().continue_()
    one.page.wait_for_selector("#evaluated:not([hidden])")
    assert "--true=truth --pred=answer" in one.page.locator("#command-line").inner_text()


def test_progress_and_cancel(browser, tmp_path):
    """A job of minutes says that it works; cancelling it ends its process and leaves nothing."""
    items = random.Random(0).choices(range(2000), k=10_000)

    def longer(path):
        labels = path.read_text().splitlines(keepends=True)
        return "".join(labels[i] for i in items)

    gold = longer(EXAMPLE / "gold.txt")
    runs = {p.stem: longer(p) for p in sorted((EXAMPLE / "systems").glob("*.txt"))}
    with serving(seconds=600) as (address, process):
        one = Tab(browser, address).open("evaluate")
        one.drop("#drop-gold", ("gold.txt", gold))
        one.drop("#drop-runs", *((f"{name}.txt", run) for name, run in runs.items()))
        one.page.wait_for_selector("#runs-is:not([hidden])")
        one.page.click("#run")
        one.page.wait_for_function(
            "() => /^Working/.test(document.getElementById('evaluate-status').textContent)"
        )
        until(one.page, lambda: children(process.pid))  # when the files are sent
        one.page.click("#evaluate-cancel")
        one.page.get_by_text("Cancelled.").wait_for()

        def gone():
            folders = Path(tempfile.gettempdir()).glob("*evenhand-web-*")
            return not children(process.pid) and not list(folders)

        until(one.page, gone)  # its processes end, and their folder goes, in their own time
        assert one.page.locator("#evaluate-working").is_hidden()
        assert one.said == []
        one.context.close()


def test_what_is_wrong_with_a_file_is_said(tab):
    one = tab("evaluate")
    one.refused = True
    one.drop("#drop-gold", ("gold.txt", "a\nb\n"))
    one.drop("#drop-runs", ("short.txt", "a\n"))
    one.page.click("#run")
    one.page.wait_for_selector("#evaluate-error:not([hidden])")
    assert "short.txt" in one.page.locator("#evaluate-error").inner_text()
    assert one.page.locator("#evaluated").is_hidden()


def test_hostile_labels_and_names_stay_text(tab):
    gold = [HOSTILE, "b"] * 10
    one = tab("evaluate")
    one.drop("#drop-gold", ("<b>gold<b>.txt", lines(gold)))
    one.drop("#drop-runs", ("<img src=x onerror=alert(2)>.txt", lines(["b", HOSTILE, *gold[2:]])))
    one.page.wait_for_selector("#runs-is:not([hidden])")
    evaluated(one.page)
    assert "<img src=x" in one.page.locator("#evaluate-result").inner_text()
    assert one.page.locator("img, #gold-is b").count() == 0


def test_the_example_is_evaluated_and_its_sections_are_jumped_to(tab):
    one = tab("evaluate")
    one.page.click("#evaluate-example")
    one.page.wait_for_selector("#evaluated:not([hidden])")
    assert "first" in one.page.locator("#evaluate-result").inner_text()
    parts = one.page.locator("#evaluate-parts button")
    heads = one.page.locator("#evaluate-result section > h2")
    assert parts.all_inner_texts() == heads.all_inner_texts() != []
    parts.last.click()
    last = "all => [...all].at(-1).getBoundingClientRect().y < innerHeight"
    one.page.wait_for_function(
        "() => [...document.querySelectorAll('#evaluate-result section > h2')].at(-1)"
        ".getBoundingClientRect().y < innerHeight"
    )
    assert heads.evaluate_all(last)
    assert one.page.title().startswith("Evaluate")


def test_an_error_names_the_control_that_mends_it(tab):
    one = tab("evaluate")
    one.refused = True
    one.drop("#drop-gold", ("gold.csv", "id,gold\n1,a\n2,b\n3,a\n"))
    one.drop("#drop-runs", ("run.csv", "id,pred\n1,a\n2,b\n"))
    one.page.wait_for_selector("#chosen:not([hidden])")
    one.page.click("#run")
    one.page.wait_for_selector("#evaluate-error:not([hidden])")
    said = one.page.locator("#evaluate-error").inner_text()
    assert "\u2018Missing predictions\u2019" in said and "--" not in said
    one.page.select_option("#missing", "wrong")  # the part of it is open
    evaluated(one.page)
    _, content = one.download('#evaluate-take [data-form="json"]')
    assert json.loads(content)["missing"] == 1


# Logs of evaluations, and probabilities.


def harness(shift, metrics=("exact_match",), filters=("none",)):
    """What lm-evaluation-harness writes of 30 items, a line a sample and filter."""
    lines = []
    for i, (true, name) in enumerate(itertools.product(TRUE, filters)):
        answer = LOG_LABELS[(i + (i % shift == 0)) % 3]
        right = dict.fromkeys(metrics, float(answer == true))
        about = {"doc_id": i, "doc": {}, "target": true, "filtered_resps": [answer], "filter": name}
        lines.append(json.dumps(about | {"metrics": list(metrics)} | right))
    return "\n".join(lines)


def inspect(folder, model, shift, scorers=("match",)):
    """A log of Inspect as text."""
    path = folder / "log.json"
    inspect_log(path, model, answers(shift), scorers=scorers)
    return path.read_text()


def test_several_logs_are_a_leaderboard(tab, tmp_path):
    one = tab("evaluate")
    logs = {f"{name}.json": inspect(tmp_path, name, shift) for name, shift in (("a", 4), ("b", 2))}
    one.drop("#drop-runs", *logs.items())
    one.page.get_by_text("a.json, b.json (the first: a log of Inspect)").wait_for()
    assert one.page.locator("#log").is_visible() and one.page.locator("#chosen").is_hidden()
    evaluated(one.page)
    shown = one.page.locator("#evaluate-result table", has_text="rank interval").first
    assert shown.locator("tbody .key").all_inner_texts() == ["a", "b"]
    _, content = one.download('#evaluate-take [data-form="json"]')
    right = [np.mean([x == t for (x,), t in zip(answers(s), TRUE, strict=True)]) for s in (4, 2)]
    systems = {s["name"]: s["scores"]["accuracy"]["value"] for s in json.loads(content)["systems"]}
    assert systems == pytest.approx(dict(zip("ab", right, strict=True)))


def test_an_archive_of_inspect_is_read(tab, tmp_path):
    inspect_log(tmp_path / "run.eval", "org/model", answers(4))
    one = tab("evaluate")
    one.page.set_input_files("#runs", tmp_path / "run.eval")
    one.page.get_by_text("run.eval: a log of Inspect").wait_for()
    evaluated(one.page)
    assert "3 answers outside the labels" in one.page.locator("#evaluate-result").inner_text()


@pytest.mark.parametrize(
    ("control", "choice", "made"),
    [
        ("scorer", "f1", lambda: harness(4, metrics=("exact_match", "f1"))),
        ("filter", "strict", lambda: harness(4, filters=("strict", "flexible"))),
    ],
)
def test_a_log_with_several_grades_asks_for_its_control(tab, control, choice, made):
    one = tab("evaluate")
    one.refused = True
    one.drop("#drop-runs", ("samples_mood_2026-01-01T10-00-00.jsonl", made()))
    one.page.wait_for_selector("#log:not([hidden])")
    one.page.click("#run")
    one.page.wait_for_selector("#evaluate-error:not([hidden])")
    said = one.page.locator("#evaluate-error").inner_text()
    title = one.page.locator(f"label:has(#{control})").inner_text().strip()
    assert f"say which with \u2018{title}\u2019" in said and "--" not in said
    offered = one.page.locator(f"#{control}-known option")
    assert choice in offered.evaluate_all("all => all.map(o => o.value)")
    one.page.fill(f"#{control}", choice)
    evaluated(one.page)
    assert "evenhand-web" not in one.page.locator("#evaluated").inner_text()  # its folder here


def scores(count=60):
    """Truths and scores of `yes`."""
    chance = random.Random(1)
    truths = ["yes" if i % 3 == 0 else "no" for i in range(count)]
    centres = [0.65 if t == "yes" else 0.35 for t in truths]
    return [
        (t, round(min(0.99, max(0.01, centre + chance.gauss(0, 0.2))), 3))
        for t, centre in zip(truths, centres, strict=True)
    ]


PICTURES = ("ROC AUC of", "average precision of", "On average")
"""How the words below the pictures of probabilities begin."""


def pictured(page):
    said = page.locator("#evaluate-result figcaption").all_inner_texts()
    return [begins for begins in PICTURES if any(s.startswith(begins) for s in said)]


def test_a_column_of_scores_asks_for_its_class_and_may_be_decided(tab):
    table = "gold,score\n" + "".join(f"{t},{p}\n" for t, p in scores())
    one = tab("evaluate")
    one.refused = True
    one.drop("#drop-runs", ("scores.csv", table))
    one.page.wait_for_selector("#chosen:not([hidden])")
    picked = "s => [...s.selectedOptions].map(o => o.value)"
    assert one.page.locator("#probabilities").evaluate(picked) == ["score"]
    one.page.click("#run")
    one.page.wait_for_selector("#evaluate-error:not([hidden])")
    said = one.page.locator("#evaluate-error").inner_text()
    assert "say of which class with \u2018Positive class\u2019" in said and "--" not in said
    known = one.page.locator("#positive-known option").evaluate_all("all => all.map(o => o.value)")
    assert known == ["yes", "no"]
    one.page.fill("#positive", "yes")
    evaluated(one.page)
    assert pictured(one.page) == list(PICTURES)
    true, probability = zip(*scores(), strict=True)
    wanted = eh.score(list(true), ["yes" if p > 0.5 else "no" for p in probability])
    _, content = one.download('#evaluate-take [data-form="json"]')
    found = json.loads(content)["metrics"]
    assert found["macro_f1"]["value"] == wanted["macro_f1"].value
    assert 0.5 < found["roc_auc"]["value"] < 1
    one.page.fill("#decide", "0.7")
    evaluated(one.page)
    wanted = eh.score(list(true), ["yes" if p >= 0.7 else "no" for p in probability])
    _, content = one.download('#evaluate-take [data-form="json"]')
    assert json.loads(content)["metrics"]["macro_f1"]["value"] == wanted["macro_f1"].value


@pytest.mark.parametrize("prefix", ["", "p_"])
def test_a_column_for_each_class(tab, prefix):
    chance = random.Random(2)
    truths = [LOG_LABELS[i % 3] for i in range(60)]
    rows = [[chance.random() + (t == label) for label in LOG_LABELS] for t in truths]
    head = ",".join(["gold", *(prefix + label for label in LOG_LABELS)])
    table = "".join(f"{t},{','.join(f'{x / sum(r):.5f}' for x in r)}\n"
                    for t, r in zip(truths, rows, strict=True))  # fmt: skip
    one = tab("evaluate")
    one.drop("#drop-runs", ("probabilities.csv", f"{head}\n{table}"))
    one.page.wait_for_selector("#chosen:not([hidden])")
    evaluated(one.page)
    assert pictured(one.page) == list(PICTURES)
    _, content = one.download('#evaluate-take [data-form="json"]')
    decided = [LOG_LABELS[r.index(max(r))] for r in rows]
    wanted = eh.score(truths, decided)["accuracy"].value
    assert json.loads(content)["metrics"]["accuracy"]["value"] == wanted
