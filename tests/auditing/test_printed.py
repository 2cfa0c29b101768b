"""Honest tables, printed as papers do in three kinds of documents, are read as they were made."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

from benchmarks.audit import an_honest_table, false_alarms, printed_again
from benchmarks.printed import WRITERS, named
from evenhand.auditing.layout import ColumnOptions
from evenhand.auditing.reported import read_sources


@pytest.mark.parametrize("style", WRITERS)
def test_what_is_printed_is_read_again(style: str) -> None:
    for i in range(80):
        rng = np.random.default_rng([99, i])
        table = an_honest_table(rng)
        text, options = printed_again(rng, table, style)
        (source,) = read_sources(text, ColumnOptions(labels=tuple(options.get("support", ()))))
        names = {h: _name(c.taken_for) for h, c in source.columns.items()}
        found = [
            {"name": row.name}
            | {names[h]: w.value for h, w in row.scores.items()}
            | {names[h]: Fraction(n) for h, n in row.counts.items()}
            for row in source.rows
        ]
        every = named(table.rows[0])
        unused = {c for c in every if c != "name" and c not in names.values()}
        assert unused <= {"macro_precision", "macro_recall", "macro_f1"}, text
        assert not unused or ("support" in options and table.formula == "f1_of_averages"), text
        made = [
            {c: v if c == "name" else Fraction(v) for c, v in named(row).items() if c not in unused}
            for row in table.rows
        ]
        assert found == made, text


def _name(taken: str) -> str:
    """Our name of a column; P, R and F1 that may be of one class are said to be of class ``?``."""
    found = re.fullmatch(r"(precision|recall|f1)\[\?\]", taken)
    return f"macro_{found[1]}" if found else taken.removeprefix("reported_")


@pytest.mark.parametrize("style", WRITERS)
def test_nothing_is_found_in_honest_tables(style: str) -> None:
    assert false_alarms(25, seed=5, through=style) == []
