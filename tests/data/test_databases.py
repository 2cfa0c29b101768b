"""Tables of SQLite and DuckDB files, read and nothing else."""

import sqlite3
import sys

import pytest

ROWS = [(1, "a", "a"), (2, "b", "a"), (3, "b", "b")]
PAIRS = {("a", "a"): 1, ("b", "a"): 1, ("b", "b"): 1}
COLUMNS = ("--true", "gold", "--pred", "system")
ENGINES = ["sqlite", "duckdb"]


@pytest.fixture(params=ENGINES)
def base(request, here):
    """Run statements in a new file, and give its name."""

    def make(*statements, engine=request.param, name="results.db"):
        if engine == "sqlite":
            file = sqlite3.connect(here / name)
        else:
            file = pytest.importorskip("duckdb").connect(str(here / name))
        for statement in statements:
            file.execute(statement)
        if engine == "sqlite":
            file.commit()
        file.close()
        return name

    make.engine = request.param
    return make


def table(name, rows=ROWS, types=("INTEGER", "TEXT", "TEXT")):
    columns = ", ".join(f"{c} {t}" for c, t in zip(("id", "gold", "system"), types, strict=True))
    values = ", ".join(str(row).replace("None", "NULL") for row in rows)
    return f"CREATE TABLE {name} ({columns})", f"INSERT INTO {name} VALUES {values}"


def test_the_only_table_or_one_by_name(count, fails, base):
    base(*table("one"))
    assert count("results.db", *COLUMNS).cells == PAIRS
    assert count("results.db#one", *COLUMNS).cells == PAIRS
    base(*table("two", [(1, "c", "c")]))
    assert count("results.db#two", *COLUMNS).cells == {("c", "c"): 1}
    error = fails("count", "results.db", *COLUMNS)
    assert error == "results.db has tables 'one', 'two': name one as results.db#TABLE"
    error = fails("count", "results.db#six", *COLUMNS)
    assert error == "results.db#six has tables 'one', 'two', expected 'six'"


def test_joined_ranked_and_by_number(count, run, base):
    base(*table("gold"), *table("run", ROWS[::-1]))
    asked = ("--id", "id", "--true", "gold", "--pred", "system")
    assert count("results.db#gold", "results.db#run", *asked).cells == PAIRS
    assert count("results.db#gold", "--true", 2, "--pred", 3).cells == PAIRS
    assert run("look", "results.db#gold").exit_code == 0


def test_types_are_kept(count, base):
    base(*table("one", [(1, 1, 1), (2, 2, 1)], ("INTEGER", "INTEGER", "INTEGER")))
    assert count("results.db", *COLUMNS).cells == {(1, 1): 1, (2, 1): 1}


def test_null_is_missing(count, base):
    base(*table("one", [(1, "a", None), (2, "b", "b")]))
    found = count("results.db", *COLUMNS)
    assert (found.cells, found.missing) == ({("a", None): 1, ("b", "b"): 1}, 1)


def test_strange_names(count, base):
    name = '"a ""b; --"'
    base(f'CREATE TABLE {name} ("*" TEXT, "x y" TEXT)', f"INSERT INTO {name} VALUES ('a', 'b')")
    assert count('results.db#a "b; --', "--true", "*", "--pred", "x y").cells == {("a", "b"): 1}


def test_nothing_is_written(count, base, here):
    base(*table("one"))
    before = (here / "results.db").read_bytes()
    (here / "results.db").chmod(0o400)
    count("results.db", *COLUMNS)
    assert (here / "results.db").read_bytes() == before
    assert [p.name for p in here.iterdir()] == ["results.db"]


def test_what_is_amiss(fails, base, here):
    base(*table("one"))
    raw = (here / "results.db").read_bytes()
    (here / "bad.db").write_bytes(raw[:64] + b"nonsense" * 500)
    assert fails("count", "bad.db", *COLUMNS).startswith("bad.db cannot be read: ")
    assert "expected 'x' too" in fails("count", "results.db", "--true", "x", "--pred", "gold")


@pytest.mark.parametrize("base", ["sqlite"], indirect=True)
def test_sqlite_keeps_values_of_every_type(fails, count, base):
    base(*table("one", [(1, "a", 1), (2, "b", "b")], ("", "", "")))
    error = fails("count", "results.db", *COLUMNS)
    assert error == "results.db, column 'system' must be of one type, got integers and text"


@pytest.mark.parametrize("base", ["duckdb"], indirect=True)
def test_without_duckdb(fails, base, monkeypatch):
    base(*table("one"))
    monkeypatch.setitem(sys.modules, "duckdb", None)
    error = fails("count", "results.db", *COLUMNS)
    assert error == "results.db is a DuckDB file: pip install 'evenhand[duckdb]'"


@pytest.mark.parametrize("base", ["duckdb"], indirect=True)
def test_duckdb_reads_no_other_file(fails, base, here):
    (here / "secret.csv").write_text("gold,system\na,a\n")
    where = here / "secret.csv"
    base(f"CREATE VIEW one AS SELECT * FROM read_csv('{where}')")
    assert "cannot be read" in fails("count", "results.db", *COLUMNS)
