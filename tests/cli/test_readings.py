"""readings: from label files and tables to words."""

import json


def test_two_annotators_from_two_files(run, tmp_path):
    a, b = tmp_path / "a.txt", tmp_path / "b.txt"
    a.write_text("x\nx\ny\ny\n"), b.write_text("x\ny\ny\nz\n")
    told = json.loads(run("readings", a, b, "--average", "seen", "--format", "json").stdout)
    back = json.loads(run("readings", b, a, "--average", "seen", "--format", "json").stdout)
    assert told["first_as_reference"] == back["second_as_reference"] == 1 / 3
    assert told["second_as_reference"] == back["first_as_reference"] == 0.5
    assert told["agreement"] == back["agreement"] == 0.4


def test_a_table_with_draws(run):
    shown = run("readings", "--matrix", "6 1 1; 1 5 2; 2 3 7", "--draws", "100", "--seed", "3")
    assert "Of 100 items drawn from class bags " in shown.stdout and "26.8333" in shown.stdout


def test_what_it_has_no_use_for(run, tmp_path):
    assert "looks at all items together" in run("readings", "a", "b", "--by", "c").stderr
    assert "readings has none" in run("readings", "a", "b", "--cluster", "c").stderr
