"""Real processes: pipes, terminals, encodings, completion."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import evenhand

EVENHAND = [sys.executable, "-m", "evenhand"]


@pytest.fixture
def environment():
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM", "COLUMNS")}
    return {**clean, "PYTHONPATH": str(Path(evenhand.__file__).parents[1]), "TERM": "xterm"}


@pytest.fixture
def process(environment):
    def call(*arguments, **options):
        settings = {"capture_output": True, "text": True, "env": environment, **options}
        return subprocess.run([*EVENHAND, *arguments], check=False, **settings)

    return call


def test_python_m_evenhand(process):
    done = process("--version")
    assert (done.returncode, done.stdout, done.stderr) == (
        0, f"evenhand, version {evenhand.__version__}\n", "",
    )  # fmt: skip


def test_help(process):
    done = process("--help")
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("score", "twins", "metrics"):
        assert f"  {name} " in done.stdout


@pytest.mark.parametrize("name", ["score", "twins", "metrics"])
def test_help_of_a_command_shows_an_example(process, name):
    for option in ("--help", "-h"):
        assert f"\n  evenhand {name} " in process(name, option).stdout


def test_nothing_asked_is_help(process):
    done = process()
    assert done.returncode == 2
    assert "Evaluate:" in done.stderr


def test_data_and_notes_are_apart(process, lines):
    done = process("score", *lines, "--format", "json")
    assert done.returncode == 0
    assert done.stdout.startswith("{\n")
    assert done.stderr.startswith("warning: two formulas")
    assert "\x1b" not in done.stdout + done.stderr


def test_an_error_is_one_line_and_code_2(process):
    done = process("score", "nowhere", "gold")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "evenhand: error: nowhere does not exist\n"


@pytest.mark.parametrize("reader", ["head -n 1", "true"])
def test_a_reader_that_leaves_is_no_error(environment, write, reader):
    labels = [f"label {i}" for i in range(20_000)]
    gold = write("gold.txt", "\n".join(labels))
    pred = write("pred.txt", "\n".join([*labels[:2], *labels[2:][::-1]]))
    for command in (f"score {gold} {pred} --interval none --format json", "metrics"):
        piped = f"'{sys.executable}' -m evenhand {command} | {reader}; echo ${{PIPESTATUS[0]}}"
        done = subprocess.run(
            ["bash", "-c", piped], capture_output=True, text=True, env=environment, check=True
        )
        assert done.stderr == ""
        assert done.stdout.splitlines()[-1] == "0"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line(environment, lines):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*EVENHAND, "score", *lines], stdout=full, stderr=subprocess.PIPE, text=True,
            env=environment, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "evenhand: error: the result cannot be written: No space left on device"
    ]


def test_no_output_at_all(environment, lines):
    closed = ["bash", "-c", f"'{sys.executable}' -m evenhand score {' '.join(lines)} >&-"]
    done = subprocess.run(closed, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def on_terminal(arguments, environment):
    """What a run shows on a terminal."""
    main, side = pty.openpty()
    with subprocess.Popen([*EVENHAND, *arguments], stdout=side, stderr=side, env=environment):
        os.close(side)
        shown = b""
        while True:
            try:
                part = os.read(main, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part
    os.close(main)
    return shown.decode()


def test_colour_on_a_terminal_unless_it_is_refused(environment, lines):
    assert "\x1b[" in on_terminal(["score", *lines], environment)
    for refusal in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        shown = on_terminal(["score", *lines], {**environment, **refusal})
        assert "macro_f1" in shown
        assert "\x1b" not in shown


def test_hostile_labels_on_a_terminal(environment, write):
    files = [write(name, "\x1b[2J\nb\u202e\n") for name in ("g.txt", "p.txt")]
    shown = on_terminal(["score", *files, "--format", "csv"], {**environment, "NO_COLOR": "1"})
    assert "macro_f1" in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(process, environment, shell):
    done = process(env={**environment, "_EVENHAND_COMPLETE": f"{shell}_source"})
    assert done.returncode == 0
    assert "_EVENHAND_COMPLETE" in done.stdout


def test_completion_knows_the_commands(process, environment):
    asked = {"_EVENHAND_COMPLETE": "bash_complete", "COMP_WORDS": "evenhand tw", "COMP_CWORD": "1"}
    assert process(env={**environment, **asked}).stdout == "plain,twins\n"


def test_another_locale_is_no_traceback(process, environment, lines):
    done = process("score", *lines, env={**environment, "LC_ALL": "C"})
    assert "Traceback" not in done.stderr
    assert "macro_f1" in done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_console_without_our_characters_gets_plain_ones(process, environment, write, encoding):
    truth = [str(i % 2) for i in range(200)]
    old = truth[:150] + ["0"] * 50
    write("gold.txt", "\n".join(truth)), write("old.txt", "\n".join(old))
    write("new.txt", "\n".join([*old[1:], "😀"]))
    settings = {**environment, "PYTHONIOENCODING": encoding}
    files = ("gold.txt", "old.txt", "new.txt", "--by-row")
    done = process("gate", *files, "--margin", "1%", text=False, env=settings)
    assert (done.returncode, b"Traceback" in done.stderr) == (1, False)
    assert b"difference -" in done.stdout
    done = process("compare", *files, "--format", "json", text=False, env=settings)
    assert "😀" in json.dumps(json.loads(done.stdout.decode(encoding)), ensure_ascii=False)


def test_a_path_with_spaces_and_no_text(process, environment, here):
    folder = here / "a b" / os.fsdecode(b"\xff")
    folder.mkdir(parents=True)
    files = folder / "g", folder / "p"
    for file in files:
        file.write_text("a\nb\n")
    done = process("score", *map(str, files))
    assert done.returncode == 0
    assert r"\udcff" in done.stdout
