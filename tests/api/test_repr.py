"""How a table shows itself."""

import numpy as np
import pytest

from evenhand import Confusion

TABLE = Confusion.from_matrix([[6, 1], [1, 50000]], labels=["bird", "cat"])


def test_a_small_table_is_written_out():
    assert repr(TABLE) == (
        "true \\ predicted  bird     cat   total\n"
        "bird                 6       1       7\n"
        "cat                  1  50,000  50,001\n"
        "total                7  50,001  50,008"
    )


def test_the_outside_column_shows_when_it_holds_something():
    assert "outside" not in repr(TABLE)
    assert "outside" in repr(Confusion.from_labels(["a"], [None]))


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (Confusion.from_matrix(np.eye(21)), "Confusion(21 classes, total 21)"),
        (Confusion.stack([TABLE]), "Confusion(stack of 1 table, 2 classes, total 50,008)"),
        (Confusion.stack([TABLE, TABLE]), "Confusion(stack of 2 tables, 2 classes, total 100,016)"),
        (
            Confusion.from_labels(range(30), [None] * 30),
            "Confusion(30 classes, total 30, 30 outside)",
        ),
    ],
)
def test_large_tables_and_stacks_are_a_line_of_facts(table, text):
    assert repr(table) == text
    assert table._repr_html_() == f"<p>{text}</p>"


def test_html_is_a_table_with_every_label_escaped():
    table = Confusion.from_labels(["<script>alert(1)</script>", "a&b"], ["a&b", "a&b"])
    html = table._repr_html_()
    assert html.count("<table>") == 1
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "a&amp;b" in html


def test_large_weights_stay_short():
    lines = repr(Confusion.from_matrix([[1e140, 0], [0, 1.5]])).splitlines()
    assert max(map(len, lines)) < 60
