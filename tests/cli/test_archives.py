"""Archives of runs: every file is a system, in every command; nothing is left behind."""

import io
import json
import stat
import tarfile
import tempfile
import zipfile

import pytest

from evenhand.io import sources as archives

GOLD = "abbaabab" * 5
RUNS = {f"team{i}": "".join("ab"[(j * i) % 7 < 3] for j in range(40)) for i in range(1, 11)}
FEW = ("--replicates", "20", "--format", "json")
BOTH = ("--no-header", "--label", "2")
UNREAD = {"read": None}
"""What was read tells an archive from its files."""


def rows(labels):
    return "".join(f"text {i}\t{label}\tfine\n" for i, label in enumerate(labels))


def packed(name, files):
    """An archive of some files, text by name."""
    if name.lower().endswith(".zip"):
        with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, text in files.items():
                archive.writestr(path, text)
        return name
    with tarfile.open(name, "w:gz" if name.endswith("gz") else "w") as archive:
        for path, text in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return name


@pytest.fixture
def temporary(here, monkeypatch):
    (here / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(here / "tmp"))
    yield
    assert list((here / "tmp").iterdir()) == []


@pytest.fixture
def task(write, temporary):
    """A shared task of ten runs without headers, as files."""
    write("gold.tsv", rows(GOLD))
    for name, labels in RUNS.items():
        write(f"{name}.tsv", rows(labels))


@pytest.fixture
def facts(run):
    def call(*arguments):
        found = run(*arguments)
        assert found.exit_code == 0, found.output
        return {k: v for k, v in json.loads(found.stdout).items() if k != "read"}

    return call


EXTRA = {"__MACOSX/._team1.tsv": "x", ".DS_Store": "x", "runs/.hidden/a.tsv": "x", "runs/": ""}


@pytest.mark.parametrize("name", ["runs.zip", "runs.tar.gz", "runs.tgz", "runs.tar", "RUNS.ZIP"])
@pytest.mark.parametrize("command", ["rank", "compare"])
def test_an_archive_is_its_files(facts, task, name, command):
    files = [f"{team}.tsv" for team in RUNS]
    if command == "compare":
        files = files[:3]
    extra = EXTRA if name.lower().endswith("zip") else {k: v for k, v in EXTRA.items() if v}
    packed(name, extra | {f"runs/{f}": rows(RUNS[f[:-4]]) for f in files})
    expected = facts(command, "gold.tsv", *files, *BOTH, *FEW)
    assert facts(command, "gold.tsv", name, *BOTH, *FEW) | UNREAD == expected | UNREAD


def test_files_beside_archives(facts, task):
    packed("a.zip", {"team1.tsv": rows(RUNS["team1"])})
    packed("b.tgz", {"team2.tsv": rows(RUNS["team2"])})
    files = ("team1.tsv", "team2.tsv", "team3.tsv")
    expected = facts("rank", "gold.tsv", *files, *BOTH, *FEW)
    mixed = facts("rank", "gold.tsv", "a.zip", "b.tgz", "team3.tsv", *BOTH, *FEW)
    assert mixed | UNREAD == expected | UNREAD


def test_one_file_is_scored(facts, task):
    packed("run.zip", {"run.tsv": rows(RUNS["team1"])})
    packed("gold.tgz", {"x/gold.tsv": rows(GOLD)})
    asked = (*BOTH, "--format", "json")
    expected = facts("score", "gold.tsv", "team1.tsv", *asked) | UNREAD
    assert facts("score", "gold.tgz", "run.zip", *asked) | UNREAD == expected
    assert facts("score", "gold.tsv", "run.zip", *asked) | UNREAD == expected


def test_one_file_with_columns(facts, write, temporary):
    packed("all.zip", {"all.csv": "gold,x\na,a\nb,a\n"})
    assert facts("score", "all.zip", "--true", "gold", "--pred", "x", "--format", "json")["n"] == 2


def test_a_report_of_an_archive(run, task):
    packed("runs.zip", {f"{t}.tsv": rows(RUNS[t]) for t in ("team1", "team2")})
    made = ("--format", "markdown", "--output", "-", "--replicates", "20")
    found = run("report", "gold.tsv", "runs.zip", *BOTH, *made)
    assert found.exit_code == 0 and "team2" in found.stdout
    packed("one.zip", {"team1.tsv": rows(RUNS["team1"])})
    found = run("report", "gold.tsv", "one.zip", *BOTH, *made)
    assert found.exit_code == 0 and "one.zip" in found.stdout


def test_two_files_of_one_name(facts, task):
    files = {f"{t}/run.tsv": rows(RUNS[t]) for t in ("team1", "team2")}
    packed("runs.zip", files)
    found = facts("rank", "gold.tsv", "runs.zip", *BOTH, *FEW)
    assert {s["name"] for s in found["systems"]} == {f"runs.zip/{f}" for f in files}


def test_where_one_is_expected(fails, task):
    packed("runs.zip", {"a.tsv": "x", "b.tsv": "y"})
    message = "runs.zip holds 2 files ('a.tsv', 'b.tsv'), expected one here"
    assert fails("score", "gold.tsv", "runs.zip", *BOTH) == message
    assert fails("score", "runs.zip", "gold.tsv", *BOTH) == message


def test_errors_name_the_file_in_it(fails, run, task):
    good = {"team1.tsv": rows(RUNS["team1"]), "team2.tsv": rows(RUNS["team2"])}
    packed("runs.zip", good | {"short.tsv": "a\tb\tc\nd\te\n"})
    error = fails("rank", "gold.tsv", "runs.zip", *BOTH)
    assert error == "runs.zip/short.tsv, line 2: expected 3 fields as in the first row, got 2"
    found = run("rank", "gold.tsv", "runs.zip", *BOTH, "--keep-going", *FEW)
    assert found.exit_code == 1
    assert error in found.stderr


def test_other_encodings_in_it(run, task):
    with zipfile.ZipFile("runs.zip", "w") as archive:
        for team in ("team1", "team2"):
            archive.writestr(f"{team}.tsv", rows(RUNS[team]).encode("utf-16"))
    found = run("rank", "gold.tsv", "runs.zip", *BOTH, *FEW)
    assert "note: runs.zip/team1.tsv was read as utf-16" in found.stderr


@pytest.mark.parametrize("name", ["../../up.tsv", "/etc/up.tsv"])
@pytest.mark.parametrize("archive", ["runs.zip", "runs.tgz"])
def test_no_path_leads_out(run, task, here, name, archive):
    packed(archive, {name: rows(RUNS["team1"]), "team2.tsv": rows(RUNS["team2"])})
    assert run("rank", "gold.tsv", archive, *BOTH, *FEW).exit_code == 0
    assert not list(here.parent.glob("up.tsv")) and not list(here.glob("up.tsv"))


def test_links_are_refused(fails, task):
    with tarfile.open("runs.tgz", "w:gz") as archive:
        info = tarfile.TarInfo("link.tsv")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(info)
    message = "runs.tgz/link.tsv is a link, expected a file"
    assert fails("rank", "gold.tsv", "runs.tgz", *BOTH) == message
    with zipfile.ZipFile("runs.zip", "w") as archive:
        info = zipfile.ZipInfo("link.tsv")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    message = "runs.zip/link.tsv is a link, expected a file"
    assert fails("rank", "gold.tsv", "runs.zip", *BOTH) == message


def test_bombs_are_refused(fails, task, monkeypatch):
    monkeypatch.setattr(archives, "LIMIT", 1 << 20)
    packed("runs.zip", {"a.tsv": "a" * (2 << 20)})
    assert "runs.zip holds more than" in fails("rank", "gold.tsv", "runs.zip", *BOTH)
    monkeypatch.setattr(archives, "MANY", 2)
    packed("runs.zip", {f"{i}.tsv": "a" for i in range(3)})
    assert fails("rank", "gold.tsv", "runs.zip", *BOTH) == "runs.zip holds more than 2 files"


def test_what_cannot_be_unpacked(fails, task, write):
    write("runs.zip", b"PK\x03\x04 nonsense")
    assert "runs.zip cannot be unpacked" in fails("rank", "gold.tsv", "runs.zip", *BOTH)
    write("runs.tar.gz", b"nonsense")
    assert "runs.tar.gz cannot be unpacked" in fails("rank", "gold.tsv", "runs.tar.gz", *BOTH)
    packed("runs.zip", {".hidden": "x"})
    assert fails("rank", "gold.tsv", "runs.zip", *BOTH) == "runs.zip holds no files"
    packed("runs.zip", {"team.zip": "x"})
    error = fails("rank", "gold.tsv", "runs.zip", *BOTH)
    assert error == "runs.zip/team.zip is an archive in an archive: unpack it first"


def test_counted(run, task):
    packed("run.zip", {"run.tsv": rows(RUNS["team1"])})
    found = run("count", "gold.tsv", "run.zip", *BOTH, "--output", "table.json")
    assert found.exit_code == 0, found.output
