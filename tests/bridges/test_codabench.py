"""Bundles for Codabench: what the platform asks of them, and the program as a worker runs it."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

import evenhand as eh
from evenhand.bridges.codabench import Task, add_wheels, columns, run
from evenhand.cli import group
from evenhand.errors import InputError

EXAMPLE = Path(__file__).parents[2] / "examples" / "shared-task"
GOLD = EXAMPLE / "gold.txt"
BALANCED = EXAMPLE / "systems" / "balanced.txt"
HERE = "{}.{}".format(*sys.version_info)


def made(folder, *options, gold=GOLD, wheels=("--no-wheels",)):
    command = ["publish", "codabench", str(folder), "--gold", str(gold), *options, *wheels]
    return CliRunner().invoke(group, command)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    folder = tmp_path_factory.mktemp("codabench") / "task"
    done = made(folder, "--metric", "macro_f1", "--metric", "accuracy", "--start", "2026-03-01")
    assert done.exit_code == 0, done.output
    return folder


def test_the_competition_is_as_the_platform_unpacks_it(bundle):
    """What its unpacker and its serialisers ask for, read from their source."""
    found = yaml.safe_load((bundle / "competition.yaml").read_text())
    assert found["version"] == 2
    assert found["enable_detailed_results"] is True
    assert found["docker_image"] == "python:3.12-slim"
    for name in ("image", "terms"):
        assert (bundle / found[name]).stat().st_size
    for page in found["pages"]:
        assert page["title"] and (bundle / page["file"]).read_text()
    (task,) = found["tasks"]
    assert task["index"] == 0
    assert (bundle / task["scoring_program"]).is_dir()
    assert (bundle / task["reference_data"] / "gold.txt").read_bytes() == GOLD.read_bytes()
    (phase,) = found["phases"]
    assert (phase["tasks"], phase["start"]) == ([0], "2026-03-01 00:00:00")
    assert phase["accepts_only_result_submissions"] is True
    (board,) = found["leaderboards"]
    assert board["columns"] == [
        {"title": "Macro F1 (mean of F1)", "key": "macro_f1", "index": 0, "sorting": "desc",
         "precision": 4},
        {"title": "Accuracy", "key": "accuracy", "index": 1, "sorting": "desc", "precision": 4},
    ]  # fmt: skip


def test_the_scoring_program_says_how_it_is_run(bundle):
    text = (bundle / "scoring_program" / "metadata.yaml").read_text()
    assert text == "command: python3 /app/program/scoring.py /app/input/ /app/output/\n"


def test_the_zip_holds_the_folder(bundle):
    with zipfile.ZipFile(bundle.with_name("task.zip")) as file:
        names = set(file.namelist())
    assert {"competition.yaml", "scoring_program/scoring.py", "reference_data/gold.txt"} <= names
    assert names == {p.relative_to(bundle).as_posix() for p in bundle.rglob("*") if p.is_file()}


def test_the_logo_is_a_picture(bundle):
    import struct

    data = (bundle / "logo.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == (256, 256)


def worked(bundle, folder, files, program=None, gold=None):
    """The program's exit code and what it wrote, with these files as the submission."""
    given, out = folder / "input", folder / "output"
    (given / "ref").mkdir(parents=True)
    (given / "res").mkdir()
    ref = gold or bundle / "reference_data" / "gold.txt"
    (given / "ref" / ref.name).write_bytes(ref.read_bytes())
    for name, text in files.items():
        path = given / "res" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return run(program or bundle / "scoring_program", given, out), out


def test_scores_are_those_of_score(bundle, tmp_path, capsys):
    code, out = worked(bundle, tmp_path, {"answers.txt": BALANCED.read_bytes()})
    assert code == 0
    numbers = json.loads((out / "scores.json").read_text())
    true, pred = (path.read_text().splitlines() for path in (GOLD, BALANCED))
    scores = eh.score(true, pred, metrics=["macro_f1", "accuracy"])
    assert numbers == {name: scores[name].value for name in scores}
    page = (out / "detailed_results.html").read_text()
    assert page.startswith("<!doctype html>") and "confused" in page
    assert "macro_f1|f:mean-of-f1" in page
    assert capsys.readouterr().out.splitlines()[-1] == "scored answers.txt: 2,000 items"


BAD = {
    "nothing": ({}, "a submission must be one file of predictions, got nothing"),
    "two files": (
        {"a.txt": "x", "b/c.txt": "y"},
        "a submission must be one file of predictions, got 'a.txt', 'b/c.txt'",
    ),
    "too short": ({"a.txt": "neutral\n"}, "2,000"),
    "empty": ({"a.txt": ""}, "a.txt"),
    "other labels": ({"a.txt": "spam\n" * 2000}, "a.txt"),
    "not text": ({"a.parquet": b"PAR1nonsense"}, "a.parquet"),
    "hostile": ({"\x1b[31mred.txt": "neutral\n"}, "\\x1b[31mred.txt"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_submission_gets_one_clear_line(bundle, tmp_path, capsys, kind):
    files, words = BAD[kind]
    code, out = worked(bundle, tmp_path, files)
    error = capsys.readouterr().err
    assert code == 1
    assert error.count("\n") == 1 and error.startswith("This submission cannot be scored: ")
    assert words in error
    assert str(tmp_path) not in error  # folders are the worker's, not the participant's
    assert not (out / "scores.json").exists()
    assert "This submission cannot be scored" in (out / "detailed_results.html").read_text()


def test_what_stands_beside_a_submission_is_no_part_of_it(bundle, tmp_path):
    files = {
        "run/answers.txt": BALANCED.read_bytes(),
        "__MACOSX/run/._answers.txt": b"\0",
        ".DS_Store": b"\0",
        "metadata": "exitCode: 0",
    }
    assert worked(bundle, tmp_path, files)[0] == 0


def test_tables_matched_by_id(tmp_path):
    gold = tmp_path / "key.csv"
    gold.write_text("id,label\n1,a\n2,b\n3,a\n4,b\n")
    done = made(
        tmp_path / "task", "--id", "id", "--label", "label", "--missing", "wrong", "--metric",
        "accuracy", "--metric", "f1:label=b", "--intervals", "--classes", "a", gold=gold,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    ref = tmp_path / "task" / "reference_data" / "gold.csv"
    files = {"answers.csv": "id,label\n3,a\n1,a\n2,b\n"}
    code, out = worked(tmp_path / "task", tmp_path / "run", files, gold=ref)
    assert code == 0
    numbers = json.loads((out / "scores.json").read_text())
    assert numbers["accuracy"] == 0.75
    assert numbers["f1_label_b"] == pytest.approx(2 / 3)
    assert numbers["accuracy_low"] < 0.75 < numbers["accuracy_high"]
    text = (tmp_path / "task" / "pages" / "overview.md").read_text()
    assert "4 items" in text and "`label`" in text and "`id`" in text


def test_labels_are_renamed_by_a_file_that_goes_with_the_program(tmp_path):
    gold, names = tmp_path / "gold.txt", tmp_path / "names.csv"
    gold.write_text("spam\nham\n" * 5)
    names.write_text("SPAM,spam\n")
    done = made(tmp_path / "task", "--map", str(names), "--metric", "accuracy", gold=gold)
    assert done.exit_code == 0, done.output
    names.unlink()
    files = {"a.txt": "SPAM\nham\n" * 5}
    code, out = worked(tmp_path / "task", tmp_path / "run", files)
    assert (code, json.loads((out / "scores.json").read_text())) == (0, {"accuracy": 1})


def test_only_finite_numbers_of_known_size():
    task = Task("t", "gold.txt", ("accuracy", "mcc", "bookmaker_gain"), intervals=True)
    scores = eh.score([[3, 0], [0, 0]], metrics=list(task.metrics), undefined=math.nan)
    numbers, lost = columns(task, scores)
    assert "mcc" in lost
    assert all(math.isfinite(x) and abs(x) < 1e10 for x in numbers.values())
    assert json.loads(json.dumps(numbers, allow_nan=False)) == numbers
    assert set(numbers) >= {"accuracy", "accuracy_low", "accuracy_high"}


def test_columns_of_any_metrics():
    metrics = ("f1:label=a b", "f1:label=a_b", "macro_f1@uniform", "f1:label=" + "x" * 80,
               "f1:label=" + "x" * 81, "hamming_loss")  # fmt: skip
    columns = Task("t", "gold.txt", metrics, intervals=True).columns()
    for field in ("key", "title"):
        values = [c[field] for c in columns]
        assert len(set(values)) == len(values) == 18
        assert all(0 < len(v) <= 36 for v in values)
    assert all(c["key"].isascii() and c["key"].isidentifier() for c in columns)
    assert [c["index"] for c in columns] == list(range(18))
    assert {c["key"]: c["sorting"] for c in columns}["hamming_loss"] == "asc"


def test_a_task_reads_itself_back(tmp_path):
    options = {"label": "l", "id": "i", "by": ("x",), "labels": ("a", "b"), "missing": "wrong"}
    from evenhand.io.columns import ReadOptions

    task = Task("T", "gold.csv", ("mcc",), ReadOptions(**options), ("a",), "nan", 0.9, True)
    task.save(tmp_path / "task.json")
    assert Task.load(tmp_path / "task.json") == task


REFUSED = {
    "a label of none": (["--metric", "f1:label=nobody"], "nobody"),
    "an unknown metric": (["--metric", "macro_f"], "no metric is called 'macro_f'"),
    "no such column": (["--label", "label"], "gold.txt"),
    "a bad version": (["--python", "three"], "--python must be a version such as 3.12"),
    "left out": (["--exclude", "neutral"], "Name the --classes"),
    "no submission": (["--try", "nowhere.txt"], "nowhere.txt is not a file"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_a_bundle_is_one_line_and_leaves_nothing(tmp_path, kind):
    options, words = REFUSED[kind]
    done = made(tmp_path / "task", *options)
    assert done.exit_code == 2
    assert done.output.count("\n") == 1 and words in done.output
    assert not (tmp_path / "task").exists()


def test_nothing_is_written_over(bundle):
    done = made(bundle)
    assert done.exit_code == 2
    assert "is there already: name a new folder" in done.output


def test_a_dry_run_of_submissions(tmp_path):
    packed, bad = tmp_path / "packed.zip", tmp_path / "bad.txt"
    with zipfile.ZipFile(packed, "w") as file:
        file.write(BALANCED, "answers.txt")
    bad.write_text("neutral\n")
    tries = ["--try", str(packed), "--try", str(bad)]
    done = made(tmp_path / "task", "--metric", "accuracy", *tries)
    assert done.exit_code == 1
    first, good, wrong = done.output.splitlines()
    assert "is the file to upload" in first
    assert "accuracy 0.862500; scored answers.txt: 2,000 items" in good
    assert "bad.txt: This submission cannot be scored: " in wrong
    assert (tmp_path / "task-tried" / "packed" / "output" / "scores.json").is_file()


def test_the_page_shows_what_is_printed(tmp_path, monkeypatch):
    """But for the size of the bundle, which has no wheels here."""
    page = (EXAMPLE.parents[1] / "docs" / "codabench.md").read_text(encoding="utf-8")
    command, _, *shown = re.search(r"^```text\n(.*?)^```", page, re.M | re.S)[1].splitlines()
    monkeypatch.chdir(tmp_path)
    answers = BALANCED.read_text()
    (tmp_path / "gold.txt").write_text((EXAMPLE / "gold.txt").read_text())
    (tmp_path / "answers.txt").write_text(answers)
    (tmp_path / "short.txt").write_text("\n".join(answers.split()[:100]) + "\n")
    done = CliRunner().invoke(group, [*command.split()[2:], "--no-wheels"])
    assert done.output.splitlines()[1:] == shown


def test_pip_that_cannot_reach_anything_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    for name in ("PIP_FIND_LINKS", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    done = made(tmp_path / "task", wheels=())
    assert done.exit_code == 2
    assert "pip cannot get the wheels: No matching distribution" in done.output
    assert done.output.count("\n") == 1
    assert not (tmp_path / "task").exists()


def test_wheels_of_a_folder(tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    target.mkdir()
    with pytest.raises(InputError, match="must hold wheels, got none"):
        add_wheels(target, python=HERE, source=source)
    for name in ("numpy-9-py3-none-any.whl", "evenhand-9-py3-none-any.whl"):
        (source / name).write_text("x")
    add_wheels(target, python=HERE, source=source)
    own = f"evenhand-{eh.__version__}-py3-none-any.whl"
    assert {path.name for path in target.iterdir()} == {"numpy-9-py3-none-any.whl", own}
    with zipfile.ZipFile(target / own) as file:  # ours holds all that runs here
        names = file.namelist()
        about = file.read(f"evenhand-{eh.__version__}.dist-info/METADATA").decode()
    assert "evenhand/results/assets/style.css" in names
    assert "evenhand/bridges/codabench/scoring.py" in names
    assert f"Version: {eh.__version__}" in about and "Requires-Dist: polars" in about
    assert not [n for n in names if n.endswith(".pyc")]


@pytest.fixture
def worker(tmp_path):
    """A worker that has nothing but Python and pip, and no network; it runs bundles."""

    def ran(bundle, python, *, answers):
        place = tmp_path / "app"
        program, given, out = (place / name for name in ("program", "input", "output"))
        if not place.exists():
            with zipfile.ZipFile(bundle) as file:
                file.extractall(tmp_path / "unpacked")
            place.mkdir()
            (tmp_path / "unpacked" / "scoring_program").rename(program)
            (given / "res").mkdir(parents=True)
            (tmp_path / "unpacked" / "reference_data").rename(given / "ref")
            subprocess.run([python, "-m", "venv", tmp_path / "empty"], check=True)
        (given / "res" / "answers.txt").write_bytes(answers)
        own = tmp_path / "empty" / "bin" / "python"
        nowhere = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PIP_CONFIG_FILE": os.devnull}
        nowhere |= {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}
        there = [own, "-c", "import evenhand"]
        assert subprocess.run(there, env=nowhere, capture_output=True, check=False).returncode == 1
        return subprocess.run(
            [own, program / "scoring.py", given, out],
            env=nowhere, capture_output=True, text=True, check=False, cwd=tmp_path,
        )  # fmt: skip

    return ran


def scored_as_here(tmp_path, ran):
    """Whether the answers that are right here were scored by a worker to the same number."""
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    out = tmp_path / "app" / "output"
    true, pred = (path.read_text().splitlines() for path in (GOLD, BALANCED))
    found = json.loads((out / "scores.json").read_text())
    return (out / "detailed_results.html").is_file() and found == {
        "macro_f1": eh.macro_f1(true, pred)
    }


@pytest.mark.slow
def test_in_an_empty_environment_without_a_network(tmp_path, worker):
    """The bundle as it is uploaded, unpacked and run where nothing is but Python and pip."""
    done = made(tmp_path / "task", "--metric", "macro_f1", wheels=("--python", HERE))
    if "pip cannot get the wheels" in done.output:
        pytest.skip(done.output)
    assert done.exit_code == 0, done.output
    bundle = tmp_path / "task.zip"
    ran = worker(bundle, sys.executable, answers=BALANCED.read_bytes())
    assert scored_as_here(tmp_path, ran)
    ran = worker(bundle, sys.executable, answers=b"neutral\n")
    assert ran.returncode == 1
    assert ran.stderr.count("\n") == 1 and "cannot be scored" in ran.stderr
    for wheel in (tmp_path / "app" / "program" / "wheels").glob("polars-*"):
        wheel.unlink()
    ran = worker(bundle, sys.executable, answers=BALANCED.read_bytes())
    assert ran.returncode == 1
    assert ran.stderr.startswith("The scoring program cannot be installed: ")
    assert ran.stderr.count("\n") == 1


def another(version):
    """A Python of that version, on the path or among those of pyenv; ``None`` if there is none."""
    homes = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin"))
    for path in (None, *map(str, homes)):
        found = shutil.which(f"python{version}", path=path)
        ask = [found, "-c", "import ensurepip"]
        if found and subprocess.run(ask, capture_output=True, check=False).returncode == 0:
            return found
    return None


@pytest.mark.slow
def test_wheels_for_the_workers_python(tmp_path, worker):
    """As pip finds them, run by that Python; where it reaches no index there is nothing to see."""
    done = made(tmp_path / "task", "--metric", "macro_f1", wheels=())
    if "pip cannot get the wheels" in done.output:
        pytest.skip(done.output)
    assert done.exit_code == 0, done.output
    found = (tmp_path / "task" / "scoring_program" / "wheels").glob("*.whl")
    tags = {path.stem.split("-")[0]: path.stem.rsplit("-", 3)[1:] for path in found}
    assert tags["numpy"][:2] == ["cp312", "cp312"]
    assert tags["scipy"][:2] == ["cp312", "cp312"]
    assert tags["evenhand"] == ["py3", "none", "any"]
    assert {"polars", "narwhals", "rich", "click", "fastexcel", "array_api_compat"} <= set(tags)
    assert all(t[2] == "any" or "manylinux" in t[2] for t in tags.values())
    python = another("3.12")
    if python is None:
        pytest.skip("the wheels are right by name; there is no Python 3.12 to run them")
    ran = worker(tmp_path / "task.zip", python, answers=BALANCED.read_bytes())
    assert scored_as_here(tmp_path, ran)
