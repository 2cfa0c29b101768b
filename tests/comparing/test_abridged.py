"""Comparisons of many pairs stop in time, unless they are to be explained."""

from itertools import product

import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import group

TRUTH = list("aabbccab") * 10


@pytest.fixture(scope="module")
def compared():
    runs = {f"s{i}": [*TRUTH[:-i], *"c" * i] for i in range(1, 6)}
    return eh.compare(TRUTH, runs, replicates=20)


def test_many_pairs_have_one_sentence_and_no_tables_of_other_metrics(compared):
    text = str(compared)
    assert compared.abridged and "of 10 pairs differ significantly on macro F1" in text
    assert "on the other metrics" not in text and text.count("s1 − s2") <= 2


def test_each_pair_has_a_table_of_the_other_metrics_where_it_is_explained(compared):
    names = [table.name for table in compared.content().sheets]
    assert [n for n in names if n.endswith("on the other metrics")] == [
        f"s{i} minus s{j} on the other metrics" for i, j in product(range(1, 6), repeat=2) if i < j
    ]


def test_an_average_of_another_library_is_a_metric_here(tmp_path):
    for name in ("gold.txt", "run.txt"):
        (tmp_path / name).write_text("a\nb\nb\n")
    files = [str(tmp_path / name) for name in ("gold.txt", "run.txt")]
    done = CliRunner().invoke(group, ["score", *files, "--average", "macro"])
    assert "the name of the metric says it: --metric macro_f1" in done.stderr


def test_lines_of_prose_are_no_labels(tmp_path):
    place = tmp_path / "notes.txt"
    place.write_text("".join(f"this is line {i}\n" for i in range(30)))
    done = CliRunner().invoke(group, ["look", str(place)])
    assert "30 of 30 lines differ: these are hardly labels" in done.stderr
    assert "run next" not in done.stdout
