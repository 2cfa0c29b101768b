"""Tables typed as papers have them are read to the facts of their twins in CSV.

``corpus/NAME.style.ending`` has the systems of ``corpus/NAME.csv``, which is read here with the
standard library alone; ``sets`` has two tables, ``sets_first.csv`` and ``sets_second.csv``.
"""

from __future__ import annotations

import csv
import re
from fractions import Fraction
from pathlib import Path

import pytest

from evenhand.auditing.headers import heading_column
from evenhand.auditing.reported import ReportedTable, read_sources

CORPUS = Path(__file__).parent / "corpus"
STYLES = sorted(p for p in CORPUS.iterdir() if p.name.count(".") == 2)

Facts = list[tuple[str, dict[str, tuple[Fraction, int]]]]


def twin(name: str) -> Facts:
    """Each system with its value and its decimals by our name of the column."""
    with (CORPUS / f"{name}.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [
        (
            row.get("name", "row 1"),
            {
                header: (Fraction(text), len(text.partition(".")[2]))
                for header, text in row.items()
                if header != "name" and text
            },
        )
        for row in rows
    ]


def read(source: ReportedTable) -> Facts:
    """What was read, in the same form."""
    names = {h: re.sub("^reported_", "", c.taken_for) for h, c in source.columns.items()}
    return [
        (
            row.name,
            {names[h]: (w.value, w.decimals) for h, w in row.scores.items()}
            | {names[h]: (Fraction(n), 0) for h, n in row.counts.items()},
        )
        for row in source.rows
    ]


def test_there_are_many_styles() -> None:
    assert len(STYLES) >= 40
    assert {p.suffix for p in STYLES} == {".tex", ".md", ".html", ".txt", ".csv"}


@pytest.mark.parametrize("path", STYLES, ids=lambda p: p.name)
def test_a_style_is_read_to_the_facts_of_its_twin(path: Path) -> None:
    name = path.name.partition(".")[0]
    wanted = ["sets_first", "sets_second"] if name == "sets" else [name]
    assert [read(s) for s in read_sources(path)] == [twin(w) for w in wanted]


@pytest.mark.parametrize("path", STYLES, ids=lambda p: p.name)
def test_the_text_alone_says_as_much(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is pasted has no ending to tell its kind."""
    text = path.read_text(encoding="utf-8")
    if text.count("\n") > 1:
        assert [read(s) for s in read_sources(text)] == [read(s) for s in read_sources(path)]


def test_captions_are_names() -> None:
    found = {p.name: [s.caption for s in read_sources(p)] for p in STYLES}
    assert found["sets.two-tables.tex"] == ["SemTask", "NewsTask"]
    assert found["sets.two-level.tex"] == ["SemTask", "NewsTask"]
    assert found["sets.headings.md"] == ["SemTask", "NewsTask"]
    assert found["triples.booktabs.tex"] == ["Results on the test set (%). Best in bold."]
    assert found["triples.tabularx.tex"] == ["Main results, averaged over classes."]
    assert found["triples.page.html"] == ["Table 2. Results"]
    assert found["triples.pdf.txt"] == [
        "Table 3: Results of all systems on the test set, in percent."
    ]
    assert found["triples.github.md"] == ["Results"]
    assert found["triples.pasted.tex"] == ["table 1"]


def test_spreads_are_kept_apart() -> None:
    for name in ("pm.tex", "parens.md", "pdf.txt"):
        (source,) = read_sources(CORPUS / f"spreads.{name}")
        assert [[w.spread for w in row.scores.values()] for row in source.rows] == [
            ["0.31", "0.42", "0.18", "0.27"]
        ] * 3
    (source,) = read_sources(CORPUS / "spreads.intervals.txt")
    assert not source.varying


def test_what_is_no_system_is_named_as_not_used() -> None:
    (source,) = read_sources(CORPUS / "triples.average.md")
    assert source.unused == ("Params", "row Average")


def test_our_own_names_are_taken_as_they_are() -> None:
    (source,) = read_sources(CORPUS / "report.csv")
    assert list(source.columns) == [c.header for c in map(heading_column, source.columns)]
