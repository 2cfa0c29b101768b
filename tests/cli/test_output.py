"""--output: whole files or none."""

import io
import json
import os
import resource
import sys
import threading
from contextlib import contextmanager

import pytest

from evenhand.cli import output as out

MATRIX = ("score", "--matrix", "6 1; 1 5")


@pytest.mark.parametrize("style", ["table", "json", "csv", "markdown", "latex"])
def test_a_file_gets_what_the_screen_would(run, here, style):
    shown = run(*MATRIX, "--format", style).stdout
    result = run(*MATRIX, "--format", style, "--output", "out")
    assert (result.exit_code, result.stdout) == (0, "")
    written = (here / "out").read_text(encoding="utf-8")
    assert written.startswith(shown) if style == "table" else written == shown  # with a footnote
    assert os.listdir(here) == ["out"]


def test_notes_come_after_warnings_and_are_called_so(run, write):
    write("gold.csv", "id,label\n" + "".join(f"{i},{'ab'[i % 9 == 0]}\n" for i in range(90)))
    write("run.csv", "id,prediction\n" + "".join(f"{i},{'ab'[i % 7 == 0]}\n" for i in range(90)))
    lines = run("score", "gold.csv", "run.csv").stderr.splitlines()
    starts = [line.partition(":")[0] for line in lines if not line.startswith(" ")]
    assert starts == sorted(starts, reverse=True) and starts[-2:] == ["note", "note"]
    assert "note: items are matched by column 'id', 90 ids in common" in lines


def test_the_positive_class_is_that_of_a_metric_of_one_class(run, write, fails):
    rows = "".join(f"{i},{'xy'[i % 3 == 0]},{'xy'[i % 5 == 0]},x\n" for i in range(60))
    write("two.csv", "id,label,old,new\n" + rows)
    line = ["two.csv", "--true", "label", "--pred", "old", "--pred", "new", "--metric", "recall"]
    found = run("gate", *line, "--positive", "y", "--margin", "1%")
    assert "on recall of y" in found.stdout
    assert "recall:label=NAME" in fails("gate", *line, "--margin", "1%")
    line = ["rank", *line[:-2], "--by-metric", "recall", "--positive", "y"]
    assert "by recall of y" in run(*line).stdout


def test_an_old_file_is_replaced(run, write, here):
    write("out.json", "old" * 10_000)
    run(*MATRIX, "--format", "json", "--output", "out.json")
    assert json.loads((here / "out.json").read_text())["schema"] == 1


def test_a_failed_run_leaves_the_old_file(fails, write, here):
    write("out.json", "old")
    fails("score", "--matrix", "6 1; 1", "--output", "out.json")
    assert (here / "out.json").read_text() == "old"


def test_a_link_stays_a_link(run, write, here):
    write("real", "old")
    (here / "link").symlink_to("real")
    run(*MATRIX, "--output", "link")
    assert (here / "link").is_symlink()
    assert "macro_f1" in (here / "real").read_text()


def test_a_pipe_is_written_to_and_not_replaced(run, here):
    os.mkfifo(here / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((here / "pipe").read_text()))
    reader.start()
    run(*MATRIX, "--output", "pipe")
    reader.join(10)
    assert "macro_f1" in read[0]
    assert (here / "pipe").is_fifo()


def test_a_dash_is_the_screen(run):
    assert "macro_f1" in run(*MATRIX, "--output", "-").stdout


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("nowhere/out", "nowhere/out cannot be written: No such file or directory"),
        ("folder", "folder cannot be written: Is a directory"),
        ("file/out", "file/out cannot be written: Not a directory"),
        ("", "the output must be a file, got an empty name"),
    ],
)
def test_unwritable(fails, write, here, target, message):
    (here / "folder").mkdir()
    write("file", "")
    assert fails(*MATRIX, "--output", target) == message
    assert sorted(os.listdir(here)) == ["file", "folder"]


@contextmanager
def little_room(size):
    """A disk on which no file grows beyond this size."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # or it is cut short
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        sys.dont_write_bytecode = bytecode


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((*MATRIX, "--output", "out"), "out"),
        ((*MATRIX, "--plot", "chart.svg"), "chart.svg"),
        ((*MATRIX, "--plot", "chart.png"), "chart.png"),
        ((*MATRIX, "--plot", "chart.json"), "chart.json"),
        (("report", *MATRIX[1:], "--output", "page.html"), "page.html"),
        (("report", *MATRIX[1:], "--format", "markdown"), "report.md"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
@pytest.mark.parametrize("old", [None, "old"])
def test_a_full_disk_leaves_what_was_there(run, write, here, arguments, name, old):
    if old:
        write(name, old)
    with little_room(100):
        result = run(*arguments)
    assert (result.exit_code, "Traceback" in result.output) == (2, False)
    assert f"evenhand: error: {name} cannot be written: File too large" in result.stderr
    assert os.listdir(here) == ([name] if old else [])
    assert not old or (here / name).read_text() == old


def test_a_device_without_room(fails):
    message = "/dev/full cannot be written: No space left on device"
    assert fails(*MATRIX, "--output", "/dev/full") == message


def test_a_path_is_shown_without_its_control_characters(run, here):
    name = "a\x1b[31m\u202eb.json"
    result = run(*MATRIX, "--plot", name)
    assert result.exit_code == 0
    assert "wrote a\\x1b[31m\\u202eb.json: " in result.stderr
    page = run("report", *MATRIX[1:], "--format", "markdown", "--output", "\x1b.md")
    assert "wrote \\x1b.md (" in page.stderr


@pytest.mark.parametrize("style", ["table", "markdown", "latex", "html", "csv", "json"])
def test_a_warning_stands_once_on_a_screen(run, style, monkeypatch):
    asked = ("score", "--matrix", "8 2; 40 50", "--format", style)
    said = "differ here by 12.6 points"
    for piped in (run(*asked), run(*asked, "--output", "x")):
        assert piped.stderr.count(said) == 1
    monkeypatch.setattr(out, "on_screen", lambda path: path is None)
    found = run(*asked)
    beside = style in ("table", "csv", "json")  # programs have it in the JSON beside
    assert found.stderr.count(said) == beside
    assert found.stdout.count(said) == (not beside) + 1 * (style == "json")


def test_what_is_read_on_a_screen(monkeypatch):
    for screen in (True, False):
        shown = io.StringIO()
        shown.isatty = lambda screen=screen: screen
        monkeypatch.setattr(sys, "stdout", shown)
        assert [out.on_screen(path) for path in (None, "-", "x.md")] == [screen, screen, False]


@pytest.mark.parametrize("name", ["out.xlsx", "out.docx", "a.b/out.TSV"])
@pytest.mark.parametrize("command", ["score", "report"])
def test_an_ending_that_is_not_written_is_refused(fails, here, command, name):
    (here / "a.b").mkdir()
    said = fails(command, "--matrix", "8 2; 40 50", "-o", name)
    known = ".json, .csv, .md, .tex, .html, .txt" if command == "score" else ".html, .htm, .md"
    assert f"{name} must end in one of {known}, or say what it is with --format" in said
    assert not (here / name).exists()


def test_a_format_that_is_said_may_have_any_ending(run, here):
    assert run("score", "--matrix", "8 2; 40 50", "-o", "x.dat", "--format", "csv").exit_code == 0
    assert (here / "x.dat").read_text().startswith("metric,")
    run("score", "--matrix", "8 2; 40 50", "-o", "plain")
    assert "macro_f1" in (here / "plain").read_text()
