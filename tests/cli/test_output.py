"""--output: whole files or none."""

import json
import os
import threading

import pytest

MATRIX = ("score", "--matrix", "6 1; 1 5")


@pytest.mark.parametrize("style", ["table", "json", "csv", "markdown", "latex"])
def test_a_file_gets_what_the_screen_would(run, here, style):
    shown = run(*MATRIX, "--format", style).stdout
    result = run(*MATRIX, "--format", style, "--output", "out")
    assert (result.exit_code, result.stdout) == (0, "")
    assert (here / "out").read_text(encoding="utf-8") == shown
    assert os.listdir(here) == ["out"]


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
