"""Evaluate in Chromium: files dropped or chosen, columns, progress, cancel, taking it along."""

import json
import random
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import evenhand as eh
from tests.web.browsing import HOSTILE, Tab, children, serving, text

pytestmark = pytest.mark.browser
EXAMPLE = Path(__file__).parents[2] / "examples" / "shared-task"


def lines(labels):
    return "".join(f"{label}\n" for label in labels)


GOLD = list("aabbbaabab" * 6)
RUNS = {"one": list("aabbbabaab" * 6), "two": list("abbbbaabaa" * 6), "three": list("ab" * 30)}


def evaluated(page, run="#run"):
    page.click(run)
    page.wait_for_selector("#evaluated:not([hidden])", timeout=60_000)


def test_dropped_files_become_a_leaderboard(tab, tmp_path):
    one = tab("evaluate")
    one.drop("#drop-gold", ("gold.txt", lines(GOLD)))
    one.drop("#drop-runs", *((f"{name}.txt", lines(run)) for name, run in RUNS.items()))
    one.page.get_by_text("gold.txt: text, one label a line, 60 rows").wait_for()
    assert one.page.locator("#chosen").is_hidden()
    one.page.select_option("#by-metric", "accuracy")
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


def test_progress_and_cancel(browser, tmp_path):
    """A job of minutes says that it works; cancelling it ends its process and leaves nothing."""
    items = random.Random(0).choices(range(2000), k=10_000)

    def longer(path):
        labels = path.read_text().splitlines(keepends=True)
        return "".join(labels[i] for i in items)

    gold = longer(EXAMPLE / "gold.txt")
    runs = {p.stem: longer(p) for p in sorted((EXAMPLE / "systems").glob("*.txt"))}
    with serving() as (address, process):
        one = Tab(browser, address).open("evaluate")
        one.drop("#drop-gold", ("gold.txt", gold))
        one.drop("#drop-runs", *((f"{name}.txt", run) for name, run in runs.items()))
        one.page.wait_for_selector("#runs-is:not([hidden])")
        one.page.click("#run")
        one.page.wait_for_function(
            "() => /^Working/.test(document.getElementById('evaluate-status').textContent)",
            timeout=60_000,
        )
        for _ in range(300):  # until the files are sent
            if children(process.pid):
                break
            one.page.wait_for_timeout(100)
        assert children(process.pid)
        one.page.click("#cancel")
        one.page.get_by_text("Cancelled.").wait_for()
        for _ in range(300):  # its processes end on their own, in their own time
            if not children(process.pid):
                break
            one.page.wait_for_timeout(100)
        assert children(process.pid) == []
        assert list(Path(tempfile.gettempdir()).glob("*evenhand-web-*")) == []
        assert one.page.locator("#working").is_hidden()
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
    one.page.wait_for_selector("#evaluated:not([hidden])", timeout=60_000)
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
    one.page.wait_for_selector("#evaluate-error:not([hidden])", timeout=60_000)
    said = one.page.locator("#evaluate-error").inner_text()
    assert "\u2018Missing predictions\u2019" in said and "--" not in said
    one.page.select_option("#missing", "wrong")  # the part of it is open
    evaluated(one.page)
    _, content = one.download('#evaluate-take [data-form="json"]')
    assert json.loads(content)["missing"] == 1
