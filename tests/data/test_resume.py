"""A count that was interrupted goes on, and counts every file once."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import evenhand
from evenhand.errors import InputError
from evenhand.io import loading as files

COLUMNS = ("--true", "gold", "--pred", "system")
FILES = [f"part{i}.csv" for i in range(5)]
ALL = ("count", *FILES, *COLUMNS, "--output", "all.json")


def expected(parts):
    return Counter({("a", "b"): len(parts), ("b", "b"): sum(i + 1 for i in parts)})


@pytest.fixture
def parts(write):
    for i, name in enumerate(FILES):
        write(name, "gold,system\na,b\n" + "b,b\n" * (i + 1))


@pytest.fixture
def read(here):
    def call(name="all.json"):
        record = json.loads((here / name).read_text())
        cells = record["cells"]
        names = record["labels"]
        return {
            (names[t], names[p]): w
            for t, p, w in zip(cells["true"], cells["pred"], cells["weight"], strict=True)
        }

    return call


def watch(patch, name=None, error=None):
    """The files that are counted from now on; one of them fails with this error."""
    whole, counted = files.read, []

    def one(reading, **how):
        (path,) = reading.files
        if path == name:
            raise error
        counted.append(path)
        return whole(reading, **how)

    patch.setattr(files, "read", one)
    return counted


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError(), InputError("broken")])
def test_going_on_counts_every_file_once(parts, run, read, monkeypatch, error):
    with monkeypatch.context() as patch:
        watch(patch, FILES[2], error)
        assert run(*ALL).exit_code != 0
        assert sorted(os.listdir()) == sorted([*FILES, "all.json.partial"])
    counted = watch(monkeypatch)
    done = run(*ALL, "--resume")
    assert (done.exit_code, done.output) == (0, "")
    assert counted == FILES[2:]
    assert read() == expected(range(5))
    assert sorted(os.listdir()) == ["all.json", *FILES]


@pytest.fixture
def interrupted(parts, run):
    """What a count of five files leaves that stopped at the third."""
    with pytest.MonkeyPatch.context() as patch:
        watch(patch, FILES[2], InputError("broken"))
        assert run(*ALL).exit_code == 2


def test_without_resume_it_begins_anew(interrupted, run, read, monkeypatch):
    counted = watch(monkeypatch)
    assert run(*ALL).exit_code == 0
    assert counted == FILES
    assert read() == expected(range(5))


def test_resume_with_nothing_to_go_on_with(parts, run, read):
    assert run(*ALL, "--resume").exit_code == 0
    assert read() == expected(range(5))


def test_resume_with_more_files(interrupted, write, run, read):
    write("part9.csv", "gold,system\nb,b\n")
    assert run("count", *FILES, "part9.csv", *ALL[6:], "--resume").exit_code == 0
    assert read() == expected(range(5)) + Counter({("b", "b"): 1})


@pytest.mark.parametrize("given", [FILES[1:], ["part0.csv"], ["renamed.csv", *FILES[1:]]])
def test_resume_with_other_files(interrupted, here, fails, given):
    if given[0] == "renamed.csv":
        Path("part0.csv").rename("renamed.csv")
    message = fails("count", *given, *ALL[6:], "--resume")
    assert "all.json.partial has counted 'part" in message and "give the same files" in message
    assert not Path("all.json").exists()


def test_a_file_with_labels_of_another_type_is_named(write, fails):
    names = write("text.csv", "gold,system\na,a\n"), write("x.jsonl", '{"gold": 1, "system": 1}\n')
    message = fails("count", *names, *COLUMNS)
    assert message.startswith("x.jsonl does not go with what was counted before: ")
    assert "labels of one type, got str and int" in message


def test_files_without_rows_are_passed_over(parts, write, run, read):
    write("part2.csv", "gold,system\n")
    done = run(*ALL)
    assert (done.exit_code, read()) == (0, expected([0, 1, 3, 4]))
    assert "1 of 5 files have no rows: 'part2.csv'" in done.stderr
    write("part0.csv", "gold,system\n")
    assert "nothing to count" in run("count", *FILES[:3:2], *COLUMNS).output


def test_a_file_without_rows_may_hold_any_type(here, run, read, write):
    import polars as pl

    pl.DataFrame(
        {"gold": [], "system": []}, schema={"gold": pl.Int64, "system": pl.Int64}
    ).write_parquet("0.parquet")
    pl.DataFrame({"gold": ["a", "b"], "system": ["a", "a"]}).write_parquet("1.parquet")
    done = run("count", "?.parquet", *COLUMNS, "--labels", "b,a", "--output", "all.json")
    assert (done.exit_code, read()) == (0, {("a", "a"): 1, ("b", "a"): 1})
    assert "1 of 2 files have no rows: '0.parquet'" in done.stderr


def test_resume_after_the_last_file(parts, run, read, monkeypatch):
    import evenhand.io.saved as saved

    whole = saved.save

    def full(table, path, *args):
        if str(path) == "all.json":
            raise InputError("all.json cannot be written: No space left on device")
        whole(table, path, *args)

    with monkeypatch.context() as patch:
        patch.setattr(saved, "save", full)
        assert run(*ALL).exit_code == 2
    assert run(*ALL, "--resume").exit_code == 0
    assert read() == expected(range(5))


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_text(path.read_text() + "a,a\n"),
        lambda path: path.write_text(path.read_text().replace("b,b", "a,b")),
        lambda path: os.utime(path, (1, 1)),
    ],
    ids=["size", "content", "time"],
)
def test_a_changed_file_is_found(interrupted, here, fails, change):
    change(here / FILES[1])
    assert fails(*ALL, "--resume") == (
        "part1.csv changed since it was counted: start anew without --resume"
    )
    assert not (here / "all.json").exists()


def test_content_of_the_same_size_and_time(interrupted, here, fails):
    path = here / FILES[1]
    before = path.stat()
    path.write_text(path.read_text().replace("b,b", "a,b"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "part1.csv changed since it was counted" in fails(*ALL, "--resume")


@pytest.mark.parametrize(
    "more", [("--labels", "b,a"), ("--drop-null-truth",), ("--ignore-case",), ("--by", "gold")]
)
def test_other_options_are_found(interrupted, fails, more):
    message = fails(*ALL, *more, "--resume")
    assert message.startswith("all.json.partial was counted with other options; give the same")


def test_a_damaged_partial_count(parts, write, fails):
    write("all.json.partial", '{"format": "evenhand-table", "version": 1, ')
    message = fails(*ALL, "--resume")
    assert message.startswith("all.json.partial is a damaged saved table")


@pytest.mark.parametrize("more", [(), ("--output", "-"), ("--output", "/dev/null")])
def test_resume_needs_a_file(parts, fails, more):
    message = "--resume needs the --output FILE of the count to go on with"
    assert message in fails("count", *FILES, *COLUMNS, *more, "--resume")


def test_a_stream_cannot_be_resumed(parts, fails):
    message = fails("count", "-", *FILES, *ALL[6:], "--resume", input="gold,system\na,b\n")
    assert "--resume cannot tell whether a stream was counted already" in message


def test_a_pair_of_files(write, run, read):
    names = write("gold.txt", "a\nb\n"), write("pred.txt", "b\nb\n")
    for more in ((), ("--resume",)):
        assert run("count", *names, "--output", "all.json", *more).exit_code == 0
        assert read() == {("a", "b"): 1, ("b", "b"): 1}


@pytest.mark.parametrize("again", ["part0.csv", "./part0.csv", "part*.csv", "link.csv"])
def test_a_file_given_twice(parts, fails, again):
    os.symlink("part0.csv", "link.csv")
    message = fails("count", "part0.csv", again, *COLUMNS, "--output", "all.json")
    assert message.endswith("is given more than once")


STEP_BY_STEP = """
import sys
from evenhand.cli import main
from evenhand.io import loading, resuming
resuming.PATIENCE = 0.0  # every file is kept
count = loading.read
def step(*arguments, **options):
    table = count(*arguments, **options)
    print("counted", flush=True)
    sys.stdin.readline()
    return table
loading.read = step
main()
"""
"""A count that says when it has read a file, and then waits for a line."""


def step_by_step(arguments):
    environment = {**os.environ, "PYTHONPATH": str(Path(evenhand.__file__).parents[1])}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [sys.executable, "-c", STEP_BY_STEP, *arguments]
    return subprocess.Popen(command, env=environment, bufsize=0, **pipes)


@pytest.mark.slow
@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_process_that_is_killed(here, read, run, signum):
    """Stop a real count in its middle, go on, and compare with one that was left alone."""
    for i in range(10):
        rows = ["a,a"] * 200 + [f"a,b{i % 3}"] * 10
        (here / f"part{i:02}.csv").write_text("gold,system\n" + "\n".join(rows))
    command = ["count", "part*.csv", *COLUMNS, "--output", "all.json"]
    with step_by_step(command) as process:
        for _ in range(4):
            assert process.stdout.readline() == b"counted\n"
            process.stdin.write(b"\n")
        assert process.stdout.readline() == b"counted\n"
        process.send_signal(signum)
        _, errors = process.communicate()
    assert b"Traceback" not in errors
    assert not (here / "all.json").exists()
    assert len(json.loads((here / "all.json.partial").read_text())["sources"]) == 4
    assert run(*command, "--resume").exit_code == 0
    assert read() == {("a", "a"): 2000, ("a", "b0"): 40, ("a", "b1"): 30, ("a", "b2"): 30}


def test_empty_files_are_not_forgotten(write, run, here):
    """A file without rows that was passed over before the interruption is still told of."""
    for i, name in enumerate(FILES):
        write(name, "gold,system\n" + "a,b\nb,b\n" * (i % 2))
    with pytest.MonkeyPatch.context() as patch:
        watch(patch, FILES[3], InputError("broken"))
        assert run(*ALL).exit_code == 2
    done = run(*ALL, "--resume")
    assert done.exit_code == 0
    assert done.stderr == (
        "warning: 3 of 5 files have no rows: 'part0.csv', 'part2.csv', 'part4.csv'\n"
    )


@pytest.mark.slow
def test_a_process_that_is_killed_a_hundred_times(here, read, run):
    """``kill -9`` at random moments, every time going on: the table is right in the end."""
    rng = random.Random(17)
    parts = 60
    for i in range(parts):
        rows = ["a,a"] * 400 + [f"a,b{i % 3}"] * (i + 1)
        (here / f"part{i:02}.csv").write_text("gold,system\n" + "\n".join(rows))
    command = ["count", "part*.csv", *COLUMNS, "--output", "all.json", "--resume"]
    killed = grown = sources = 0
    while killed < 100:
        with step_by_step(command) as process:
            for _ in range(rng.randint(1, 8)):
                if not process.stdout.readline():
                    assert process.wait() == 0
                    break
                process.stdin.write(b"\n")
            else:
                time.sleep(rng.uniform(0, 0.02))
                process.kill()
                killed += 1
        partial = here / "all.json.partial"
        if partial.exists():
            now = len(json.loads(partial.read_text())["sources"])  # whole, whenever it was killed
            assert now >= sources
            grown += now > sources
            sources = now
        if (here / "all.json").exists():
            assert read() == wanted(parts)
            assert not partial.exists() or sources == parts
            (here / "all.json").unlink()
            partial.unlink(missing_ok=True)
            sources = 0
    assert grown > 20  # it was killed at work
    assert run(*command).exit_code == 0
    assert read() == wanted(parts)


def wanted(parts):
    """The cells of so many parts."""
    found = Counter({("a", "a"): 400 * parts})
    for i in range(parts):
        found["a", f"b{i % 3}"] += i + 1
    return found
