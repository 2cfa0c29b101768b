"""``evenhand rank`` as an organiser runs it: every input, every format, every mishap."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import group


def run(*arguments, code=0):
    result = CliRunner().invoke(group, [str(a) for a in arguments])
    assert result.exit_code == code, result.output
    return result


def found(*arguments, code=0):
    options = ("--format", "json", "--replicates", "60")
    return json.loads(run("rank", *arguments, *options, code=code).stdout)


@pytest.fixture
def task(tmp_path):
    rng = np.random.default_rng(4)
    n = 120
    gold = rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1])
    systems = {
        name: np.where(rng.random(n) < p, gold, rng.choice(["a", "b", "c"], n))
        for name, p in (("x-1", 0.9), ("x-2", 0.8), ("y-1", 0.5), ("y-2", 0.6))
    }
    where = np.array(["de", "en", "fr"])[np.arange(n) % 3]
    (tmp_path / "gold.txt").write_text("\n".join(gold) + "\n")
    wide, long = ["id,gold,lang," + ",".join(systems)], ["id,gold,lang,team,seed,label"]
    (tmp_path / "gold.tsv").write_text(
        "id\tlabel\tlang\n" + "".join(f"{i}\t{gold[i]}\t{where[i]}\n" for i in range(n))
    )
    for i in range(n):
        wide.append(f"{i},{gold[i]},{where[i]}," + ",".join(s[i] for s in systems.values()))
    for name, guess in systems.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(guess) + "\n")
        order = rng.permutation(n)
        (tmp_path / f"{name}.tsv").write_text(
            "id\tlabel\n" + "".join(f"{i}\t{guess[i]}\n" for i in order)
        )
        team, seed = name.split("-")
        long += [f"{i},{gold[i]},{where[i]},{team},{seed},{guess[i]}" for i in order]
        eh.Confusion.from_labels(gold, guess).save(str(tmp_path / f"{name}.json"))
    (tmp_path / "wide.csv").write_text("\n".join(wide) + "\n")
    (tmp_path / "long.csv").write_text("\n".join(long) + "\n")
    return tmp_path


def files(task, ending="txt"):
    return sorted(task.glob(f"?-?.{ending}"))


def numbers(result):
    return [(s["name"], s["scores"], s["ranks"], s["best_probability"]) for s in result["systems"]]


def test_json_is_the_contract(task):
    out = found(task / "gold.txt", *files(task))
    assert out["schema"] == 1 and out["metric"] == "macro_f1" and out["n"] == 120
    assert {"systems", "correlation", "flips", "verdict", "warnings"} <= set(out)
    first = out["systems"][0]
    wanted = {"name", "scores", "ranks", "rank_low", "rank_high", "best_probability", "group"}
    assert wanted | {"signature"} <= set(first)
    assert {"value", "low", "high"} <= set(first["scores"]["macro_f1"])
    assert first["name"] == "x-1" and first["ranks"]["macro_f1"] == 1
    assert out["correlation"]["spearman"]["macro_f1"]["macro_f1"] == 1
    assert -1 <= out["correlation"]["kendall"]["macro_f1"]["mcc@uniform"] <= 1
    for flip in out["flips"]:
        assert len(flip["systems"]) == len(flip["metrics"]) == 2
    assert isinstance(out["verdict"], str)
    assert first["signature"].startswith("metric:macro_f1|formula:mean-of-f1|classes:true.3")


def test_to_dict_is_what_json_prints(task):
    gold = (task / "gold.txt").read_text().split()
    guess = {f.stem: f.read_text().split() for f in files(task)}
    board = eh.rank(gold, guess, replicates=60)
    printed = found(task / "gold.txt", *files(task))
    assert printed.pop("read")["matched_by"] == "row"
    assert board.to_dict() == printed


def test_every_input_gives_the_same_leaderboard(task):
    lines = numbers(found(task / "gold.txt", *files(task)))
    assert numbers(found(task / "gold.txt", *reversed(files(task)))) == lines
    wide = ("--true", "gold", "--id", "id")
    columns = [o for name in ("x-1", "x-2", "y-1", "y-2") for o in ("--pred", name)]
    assert numbers(found(task / "wide.csv", *wide, *columns)) == lines
    frame = (task / "wide.csv").read_text().replace(",lang", "").splitlines()
    rows = [row.split(",") for row in frame]
    bare = [",".join(r[:2] + r[3:] if i else r) for i, r in enumerate(rows)]
    (task / "bare.csv").write_text("\n".join(bare) + "\n")
    assert numbers(found(task / "bare.csv", *wide)) == lines  # all other columns
    strange = found(task / "bare.csv", "--true", "gold")
    assert numbers(strange) == lines and "are no systems: 'id'; name one" in strange["warnings"][0]
    joined = found(task / "gold.tsv", *files(task, "tsv"), "--id", "id", "--label", "label")
    assert numbers(joined) == lines
    long = [line.replace(",x,", ",x-").replace(",y,", ",y-") for line in
            (task / "long.csv").read_text().splitlines()]  # fmt: skip
    (task / "systems.csv").write_text("\n".join(["id,gold,lang,team,label", *long[1:]]) + "\n")
    by_system = ("--true", "gold", "--pred", "label", "--system", "team", "--id", "id")
    assert numbers(found(task / "systems.csv", *by_system)) == lines


def test_tables_alone(task):
    out = found("--tables", *files(task, "json"))
    joint = found(task / "gold.txt", *files(task))
    assert [s["ranks"] for s in out["systems"]] == [s["ranks"] for s in joint["systems"]]
    assert out["systems"][0]["best_probability"] is None
    assert any("tables without items" in w for w in out["warnings"])
    stack = {f.stem: eh.Confusion.load(str(f)) for f in files(task, "json")}
    eh.Confusion.stack(stack).save(str(task / "stack.json"))
    assert numbers(found(task / "stack.json")) == numbers(out)  # a saved stack says what it is
    (task / "p.csv").write_text("a,b\n3,1\n1,5\n")
    (task / "q.csv").write_text("a,b\n4,0\n2,4\n")
    assert len(found("--tables", task / "p.csv", task / "q.csv")["systems"]) == 2
    slices = replace(eh.Confusion.stack(stack), axes=("slice",))
    slices.save(str(task / "slices.json"))
    for command in ("rank", "report"):
        refused = run(command, task / "slices.json", code=2).output
        assert "holds slices ('" in refused and "say so with --tables" in refused
    assert numbers(found("--tables", task / "slices.json")) == numbers(out)
    assert "no columns" in run("rank", "--tables", task / "p.csv", "--true", "x", code=2).output


def test_runs_by_pattern_and_by_column(task):
    pattern = found(task / "gold.txt", *files(task), "--run", "{system}-{run}")
    column = found(
        task / "long.csv", "--true", "gold", "--pred", "label", "--system", "team",
        "--run", "seed", "--id", "id",
    )  # fmt: skip
    assert [s["name"] for s in pattern["systems"]] == ["x", "y"]
    assert [s["scores"] for s in pattern["systems"]] == [s["scores"] for s in column["systems"]]
    assert pattern["systems"][0]["runs"]["names"] == ["x-1", "x-2"]
    assert column["systems"][0]["runs"]["spread"] > 0
    text = run("rank", task / "gold.txt", *files(task), "--run", "{system}-{run}").stdout
    assert "sd of runs" in text
    wrong = run("rank", task / "gold.txt", *files(task), "--run", "seed", code=2)
    assert "--system" in wrong.output


def test_slices(task):
    out = found(task / "wide.csv", "--true", "gold", "--id", "id", "--by", "lang")
    assert [p["key"] for p in out["slices"]] == ["de", "en", "fr"]
    assert sum(p["n"] for p in out["slices"]) == 120
    text = run("rank", task / "wide.csv", "--true", "gold", "--id", "id", "--by", "lang").stdout
    assert "mean of slices" in text and "pooled" in text


def test_a_run_of_the_wrong_length_is_named_and_the_others_are_not_lost(task):
    (task / "z.txt").write_text("a\nb\n")
    stopped = run("rank", task / "gold.txt", *files(task), task / "z.txt", code=2)
    assert "z.txt has 2" in stopped.output and "120" in stopped.output
    out = found(task / "gold.txt", *files(task), task / "z.txt", "--keep-going", code=1)
    assert [s["name"] for s in out["systems"]] == ["x-1", "x-2", "y-2", "y-1"]
    assert "z.txt has 2" in out["failed"]["z"]
    (left,) = [note for note in out["warning_codes"] if note["code"] == "left_out"]
    assert left == {"code": "left_out", "system": "z", "reason": out["failed"]["z"]}
    said = run(
        "rank", task / "gold.txt", *files(task), task / "z.txt", task / "none.txt",
        "--keep-going", "--replicates", 20, code=1,
    )  # fmt: skip
    assert "left out z:" in said.stderr and "left out none:" in said.stderr
    run("rank", task / "none.txt", *files(task), "--keep-going", code=2)


@pytest.mark.parametrize("command", ["rank", "report"])
def test_with_one_run_left_the_bad_ones_are_named(task, command):
    (task / "z.txt").write_text("a\nb\n")
    first, second = files(task)[:2]
    bad = (task / "z.txt", task / "none.txt", "--keep-going")
    for good, left in (((first,), "only 'x-1' is"), ((), "no system is")):
        (said,) = run(command, task / "gold.txt", *good, *bad, code=2).stderr.splitlines()
        assert f"{left} left: z: " in said
        assert "z.txt has 2: they must" in said and "; none: " in said
    asked = ("--run", "{system}-{run}")
    said = run(command, task / "gold.txt", first, second, *bad, *asked, code=2).stderr
    assert "only 'x' is left: z: " in said
    if command == "rank":
        (task / "table.csv").write_text("3,1\n1,3\n")
        (task / "bad.csv").write_text("3,1\n1\n")
        said = run("rank", "--tables", task / "table.csv", task / "bad.csv", bad[-1], code=2).stderr
        assert "only 'table' is left: bad: " in said


def test_a_system_listed_twice_is_an_error(task):
    first = files(task)[0]
    for again in (first, task / "." / first.name):
        result = run("rank", task / "gold.txt", first, again, code=2)
        assert "named once" in result.output
    columns = ("--true", "gold", "--pred", "x-1", "--pred", "x-1")
    twice = run("rank", task / "wide.csv", *columns, code=2)
    assert "named once" in twice.output
    (task / "double.csv").write_text((task / "long.csv").read_text() + "0,a,de,x,1,b\n")
    options = ("--true", "gold", "--pred", "label", "--system", "team", "--run", "seed")
    result = run("rank", task / "double.csv", *options, "--id", "id", code=2)
    assert "more than once" in result.output or "more than one truth" in result.output
    assert "twice" in run("rank", "--tables", task / "x-1.json", task / "x-1.json", code=2).output


def test_missing_predictions(task):
    part = (task / "x-1.tsv").read_text().splitlines()[:-5]
    (task / "x-1.tsv").write_text("\n".join(part) + "\n")
    options = (task / "gold.tsv", *files(task, "tsv"), "--id", "id", "--label", "label")
    assert "lacks 5 ids" in run("rank", *options, code=2).output
    out = found(*options, "--missing", "wrong")
    assert any("'x-1' 5" in w for w in out["warnings"])
    assert "missing:5" in next(s for s in out["systems"] if s["name"] == "x-1")["signature"]
    rows = [r for i, r in enumerate((task / "long.csv").read_text().splitlines()) if i != 7]
    (task / "less.csv").write_text("\n".join(rows) + "\n")
    long = ("--true", "gold", "--pred", "label", "--system", "team", "--run", "seed", "--id", "id")
    assert "lacks 1 id" in run("rank", task / "less.csv", *long, code=2).output
    assert found(task / "less.csv", *long, "--missing", "wrong")["n"] == 120
    unordered = run("rank", task / "long.csv", *long[:-2], "--by-row", code=2)
    assert "--id COL" in unordered.output


@pytest.mark.parametrize("style", ["table", "csv", "markdown", "latex"])
def test_every_format(task, style):
    out = run("rank", task / "gold.txt", *files(task), "--format", style, "--replicates", 50).stdout
    assert "x-1" in out
    if style == "csv":
        assert out.splitlines()[0].startswith("rank,system,macro_f1,se,low,high,rank_low")
        assert len(out.splitlines()) == 1 + len(files(task))
    if style == "latex":
        assert r"\toprule" in out and r"\caption" in out and "mean-of-f1" in out
    if style == "markdown":
        assert "`metric:macro_f1|formula:mean-of-f1" in out and "| ---: |" in out
    if style == "table":
        assert "P(best)" in out and "group" in out and "swap ranks" not in out
        assert out.splitlines()[2].startswith("x-1 is first (macro F1 ")  # the verdict leads


def test_the_rest_is_shown_to_those_who_ask(task):
    given = ("rank", task / "gold.txt", *files(task), "--replicates", 50)
    path = task / "board.txt"
    run(*given, "-o", path)
    explained = run(*given, "--explain").stdout
    for text in (explained, path.read_text()):
        headings = ("Pairs that swap ranks", "What guessing would score", "guessing  ")
        for words in (*headings, "evenhand", "to next"):
            assert words in text
    assert run(*given, "--layout", "paper").stdout.count("--explain") == 0


def test_ten_systems_fit_a_screen(task, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    gold = task / "gold.txt"
    labels = gold.read_text().splitlines()
    runs = []
    for i in range(10):
        runs.append(task / f"system-number-{i}.run")
        changed = ("a" if j % 11 <= i else v for j, v in enumerate(labels))
        runs[-1].write_text("\n".join(changed) + "\n")
    lines = run("rank", gold, *runs, "--replicates", 50).stdout.splitlines()
    assert len(lines) <= 30 and max(map(len, lines)) <= 80


def test_options_reach_the_ranking(task):
    names = [task / "gold.txt", *files(task)]
    out = found(*names, "--by-metric", "mcc", "--metric", "accuracy", "--level", "0.9")
    assert out["metric"] == "mcc" and list(out["winners"]) == ["mcc", "accuracy"]
    assert out["level"] == 0.9
    assert found(*names, "--classes", "a")["systems"][0]["signature"].count("listed.1")
    assert "neither" in run("rank", *names, "--by-metric", "f1_gap", code=2).output
    assert "GOLD PRED" in run("rank", code=2).output
    (task / "map.csv").write_text("c,b\n")
    assert found(*names, "--map", task / "map.csv")["systems"][0]["signature"].count("true.2")


def test_a_long_file_must_have_rows_and_two_columns(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("gold,pred,system\n")
    columns = ("--true", "gold", "--pred", "pred", "--system", "system")
    assert "has no rows: there is no item to count" in run("rank", path, *columns, code=2).stderr
    path.write_text("gold,pred,system\na,a,x\na,b,y\n")
    found = run("rank", path, *columns, "--run", "system", code=2)
    assert found.stdout == ""
    assert "must be in two columns, got 'system' for both" in found.stderr


def test_a_parquet_file_cut_short(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1" + b"\0" * 100)
    found = run("rank", path, code=2)
    assert len(found.stderr.splitlines()) == 1
    assert "x.parquet cannot be read" in found.stderr


def test_case_is_ignored_beside_numbers_that_are_none(tmp_path):
    path = tmp_path / "x.parquet"
    columns = {"gold": [1.0, 2.0], "a": [1.0, float("nan")], "b": [2.0, 2.0]}
    pl.DataFrame(columns).write_parquet(path)
    board = found(path, "--true", "gold", "--ignore-case")
    assert {s["name"] for s in board["systems"]} == {"a", "b"}


def test_clusters_of_a_long_file_may_be_the_truth(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("gold,pred,system\n" + "a,a,x\nb,b,x\na,b,y\nb,b,y\n")
    options = ("--true", "gold", "--pred", "pred", "--system", "system", "--cluster", "gold")
    assert len(found(path, *options)["systems"]) == 2


def test_one_system_is_no_ranking(tmp_path):
    for name in ("gold.txt", "only.txt"):
        (tmp_path / name).write_text("a\nb\n")
    said = run("rank", tmp_path / "gold.txt", tmp_path / "only.txt", code=2).stderr
    assert "error: Expected at least two systems to rank, got 'only' (" in said


def test_a_table_for_a_paper(task):
    given = (task / "wide.csv", "--true", "gold", "--id", "id", "--by", "lang", "--replicates", 50)
    out = run("rank", *given, "--layout", "paper").stdout
    assert out.splitlines()[3].split() == ["system", "de", "en", "fr", "Mean"]
    rows = {line.split()[0]: line for line in out.splitlines() if line[1:2] == "-"}
    assert set(rows) == {"x-1", "x-2", "y-1", "y-2"}
    assert "".join(rows.values()).count("*") == 2 * 4  # one best in each column
    tex = run(
        "rank", *given, "--layout", "paper", "--format", "latex", "--intervals", "ends"
    ).stdout
    assert "{[}0." in tex and r"$\pm$" not in tex
    metrics = ("--columns", "metrics", "--metric", "mcc")
    tex = run("rank", *given, "--layout", "paper", "--format", "latex", *metrics).stdout
    assert r"system & Macro F1 (mean of F1) & MCC \\" in tex
    assert "goes with --layout paper" in run("rank", *given, "--intervals", "none", code=2).output


def test_several_data_sets(task):
    for name in ("de", "nl"):
        (task / name).mkdir()
        for file in ("gold.txt", *(f.name for f in files(task))):
            text = (task / file).read_text()
            (task / name / file).write_text(text if name == "de" else text.replace("c", "z"))
    sets = [
        x for name in ("de", "nl") for x in ("--set", name, task / name / "gold.txt", task / name)
    ]
    out = found(*sets)
    alone = found(task / "gold.txt", *files(task))
    assert out["n"] == 240 and [p["key"] for p in out["slices"]] == ["de", "nl"]
    for part in out["slices"]:
        assert [s["scores"]["macro_f1"]["value"] for s in part["systems"]] == [
            s["scores"]["macro_f1"]["value"] for s in alone["systems"]
        ]
    pattern = ("--set", "de", task / "de" / "gold.txt", task / "de" / "x-*.txt")
    assert [s["name"] for s in found(*pattern)["systems"]] == ["x-1", "x-2"]
    unlike = run("rank", *sets[:4], "--set", "x", task / "gold.txt", task / "x-*.txt", code=2)
    assert "every system must be in every data set" in unlike.output
    assert "named once" in run("rank", *sets, *sets, code=2).output
    assert "takes the place" in run("rank", task / "gold.txt", *sets, code=2).output
    assert "is none" in run("rank", *sets[:3], task / "none-*.txt", code=2).output


def test_the_csv_has_one_row_a_system_or_one_a_number(task):
    given = ("rank", task / "gold.txt", *files(task), "--replicates", 50, "--format", "csv")
    wide, long = (run(*given, *more).stdout.splitlines() for more in ((), ("--long",)))
    assert len(wide) == 5 and wide[1].startswith("1,x-1,0.")
    assert long[0].startswith("system,metric,value,rank,se") and len(long) == 1 + 4 * 34


@pytest.mark.parametrize(
    ("ending", "start"),
    [
        (".tex", "% "),
        (".md", "**"),
        (".json", "{"),
        (".csv", "rank,"),
        (".html", "<!"),
        (".txt", "4"),
    ],
)
@pytest.mark.parametrize("flag", ["-o", "--output"])
def test_the_ending_chooses_the_format(task, flag, ending, start):
    path = task / f"board{ending}"
    done = run("rank", task / "gold.txt", *files(task), "--replicates", 20, flag, path)
    assert done.stdout == "" and path.read_text().startswith(start)
